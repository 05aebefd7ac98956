//! Variants of a circuit, and the choice among them.

use clap::ValueEnum;
use ringmill_circuit::Circuit;
use ringmill_circuit::optimise::{Tell, Variant, front};
use ringmill_engine::{Choice, Outcome, Plan, PlanError, choose};
use serde::Serialize;

use crate::error::CliError;
use crate::progress::{Progress, timed};
use crate::report::{columns, seconds};

/// Which variants of a circuit are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Optimise {
    /// The circuit as it is and optimised ones; the one that is predicted to be fastest is taken.
    Auto,
    /// The circuit as it is.
    Off,
    /// The one with the fewest products.
    LeastProducts,
    /// The one of the least depth.
    LeastDepth,
}

/// Plans the circuit or a variant, whichever is predicted to take the least time for so many records.
pub fn plan(
    circuit: &Circuit,
    optimise: Optimise,
    records: usize,
    plan: impl Fn(&Circuit) -> Result<Plan, PlanError>,
) -> Result<Choice, CliError> {
    let variants = match optimise {
        Optimise::Off => Vec::new(),
        _ => watched(|progress| front(circuit, progress)).map_err(PlanError::from)?,
    };
    // From the deepest to the shallowest; what is as good as the circuit itself is not among them.
    let mut points: Vec<Option<&Variant>> = vec![None];
    points.extend(variants.iter().map(Some));
    let products =
        |point: &Option<&Variant>| point.map_or(circuit.and_count(), |variant| variant.measures.and_count);
    let depth =
        |point: &Option<&Variant>| point.map_or(circuit.and_depth(), |variant| variant.measures.and_depth);
    match optimise {
        Optimise::Auto | Optimise::Off => (),
        Optimise::LeastProducts => points = points.into_iter().min_by_key(products).into_iter().collect(),
        Optimise::LeastDepth => points = points.into_iter().min_by_key(depth).into_iter().collect(),
    }
    let choose = || {
        choose(circuit, &points, records, plan).map_err(|error| match optimise {
            Optimise::Off | Optimise::LeastProducts => error,
            Optimise::Auto | Optimise::LeastDepth => error.after_optimising(),
        })
    };
    Ok(timed("planning", choose)?.0)
}

/// Does what the optimiser is needed for, under a bar.
pub fn watched<T>(job: impl FnOnce(Tell<'_>) -> T) -> T {
    let bar = Progress::bar("optimising");
    job(&mut |fraction| bar.set(fraction))
}

/// A circuit that there was to choose.
#[derive(Debug, Serialize)]
pub struct PointSummary {
    /// Whether the optimiser made it.
    pub optimised: bool,
    /// The most products on a path.
    pub depth: u32,
    /// Its products.
    pub products: usize,
    /// Dimension of the ring, if there is a plan.
    pub n: Option<usize>,
    /// Records in a batch of the plan.
    pub records: Option<usize>,
    /// Seconds predicted for a batch.
    pub seconds: Option<f64>,
    /// Whether no parameters fit it.
    pub refused: bool,
    /// Whether the plan is for it.
    pub chosen: bool,
}

/// What there was to choose from.
pub fn summary(choice: &Choice) -> Vec<PointSummary> {
    let points = choice.points.iter().enumerate();
    let summaries = points.map(|(place, point)| {
        let planned = match point.outcome {
            Outcome::Planned { n, records, seconds } => Some((n, records, seconds)),
            Outcome::Refused | Outcome::NotTried => None,
        };
        PointSummary {
            optimised: point.optimised,
            depth: point.measures.and_depth,
            products: point.measures.and_count,
            n: planned.map(|(n, ..)| n),
            records: planned.map(|(_, records, _)| records),
            seconds: planned.map(|(.., seconds)| seconds),
            refused: point.outcome == Outcome::Refused,
            chosen: place == choice.chosen,
        }
    });
    summaries.collect()
}

/// The same as a table.
pub fn text(points: &[PointSummary]) -> String {
    let row = |point: &PointSummary| {
        let none = if point.refused {
            "nothing fits"
        } else {
            "not tried"
        };
        vec![
            if point.optimised { "optimised" } else { "as given" }.to_owned(),
            point.depth.to_string(),
            point.products.to_string(),
            point.n.map_or_else(String::new, |n| n.to_string()),
            point.seconds.map_or_else(|| none.to_owned(), seconds),
            if point.chosen { "taken" } else { "" }.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = points.iter().map(row).collect();
    columns(
        &["circuit", "depth", "products", "n", "predicted", ""],
        1..5,
        &rows,
    )
}
