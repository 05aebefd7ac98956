//! Variants of a circuit, and the choice among them.

use ringmill::Point;
use ringmill_engine::Outcome;
use serde::Serialize;

use crate::report::{columns, seconds};

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

/// Sums up the circuits that there were to choose from.
pub fn summary((points, chosen): (&[Point], usize)) -> Vec<PointSummary> {
    let points = points.iter().enumerate();
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
            chosen: place == chosen,
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
