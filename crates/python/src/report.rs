//! Plans and accounts as Python's dictionaries.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringmill::{Account, InputPacking, Plan, Point};
use ringmill_engine::{Operation, Outcome};

use crate::error::raise;

/// What a plan says.
pub fn of_plan<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyDict>> {
    let (parameters, prediction) = (plan.parameters(), plan.prediction());
    let traffic = plan.traffic();
    let traffic = traffic.map_err(|error| raise(py, &error.into()))?;
    let security = parameters.security();
    let packing = match plan.recipe().packing {
        InputPacking::Separate => "separate",
        InputPacking::Slots => "slots",
        InputPacking::Broadcast => "broadcast",
    };
    let report = PyDict::new(py);
    report.set_item("parameters", parameters.name())?;
    report.set_item("n", parameters.n())?;
    report.set_item("log2_q", parameters.log2_q(parameters.levels()))?;
    report.set_item("log2_p", parameters.log2_p())?;
    report.set_item("security", security.bits)?;
    report.set_item("warning", security.warning.clone())?;
    report.set_item("form", plan.form().to_string())?;
    report.set_item("packing", packing)?;
    report.set_item("batch_records", plan.records())?;
    report.set_item("shared_slots", plan.layout().is_shared())?;
    report.set_item("depth", prediction.depth)?;
    report.set_item("products", plan.schedule().products())?;
    report.set_item("seconds", prediction.seconds())?;
    report.set_item(
        "unpacking_seconds",
        prediction.unpacking / prediction.threads.max(1) as f64,
    )?;
    report.set_item("memory", prediction.memory.peak)?;
    report.set_item("written_aside", prediction.memory.written)?;
    report.set_item("read_aside", prediction.memory.read)?;
    report.set_item("threads", prediction.threads)?;
    report.set_item("key_bytes", traffic.keys)?;
    report.set_item("input_bytes", traffic.inputs)?;
    report.set_item("result_bytes", traffic.results)?;
    report.set_item("margin_bits", prediction.margin)?;
    report.set_item("log2_failure", prediction.log2_failure)?;
    Ok(report)
}

/// The variants that there were to choose from, and which one the plan is for.
pub fn points<'py>(
    py: Python<'py>,
    (points, chosen): (&[Point], usize),
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let one = |(place, point): (usize, &Point)| {
        let row = PyDict::new(py);
        row.set_item("optimised", point.optimised)?;
        row.set_item("depth", point.measures.and_depth)?;
        row.set_item("products", point.measures.and_count)?;
        if let Outcome::Planned { n, records, seconds } = point.outcome {
            row.set_item("n", n)?;
            row.set_item("batch_records", records)?;
            row.set_item("seconds", seconds)?;
        }
        row.set_item("chosen", place == chosen)?;
        Ok(row)
    };
    points.iter().enumerate().map(one).collect()
}

/// The steps in the order in which they are done.
pub fn steps(plan: &Plan) -> Vec<(&'static str, u32, usize, f64, f64)> {
    let schedule = plan.schedule();
    let order = schedule.waves().iter().flat_map(|wave| &wave.steps);
    let inputs = schedule.inputs().iter();
    let inputs = inputs.flat_map(|port| (0..port.width).filter_map(|wire| port.value(wire)));
    let inputs: Vec<_> = inputs.collect();
    let all = inputs.iter().chain(order).filter_map(|value| {
        let step = schedule.steps().get(value.index())?;
        let name = match step.operation {
            Operation::Input { .. } => "input",
            Operation::Product { .. } => "product",
            Operation::PlainProduct { .. } => "product in the clear",
            Operation::Map { .. } => "linear map",
            Operation::Linear { .. } => "sum",
            Operation::Switch { .. } => "switch",
        };
        let limbs = plan.parameters().limbs_at(step.level);
        Some((name, step.depth, limbs, plan.noise(*value), step.cost))
    });
    all.collect()
}

/// What an evaluation cost.
pub fn account<'py>(py: Python<'py>, account: &Account) -> PyResult<Bound<'py, PyDict>> {
    let work = PyDict::new(py);
    for part in &account.work {
        work.set_item(&part.operation, (part.count, part.seconds))?;
    }
    let made = PyDict::new(py);
    made.set_item("batches", account.batches)?;
    made.set_item("seconds", account.seconds)?;
    made.set_item("work", work)?;
    made.set_item("peak_memory", account.peak_memory)?;
    Ok(made)
}
