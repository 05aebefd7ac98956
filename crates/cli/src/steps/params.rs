use ringmill_fv::format::Access;
use serde::Serialize;

use crate::arguments::ParamsArguments;
use crate::error::CliError;
use crate::progress::timed;
use crate::report::print_either;
use crate::session;
use crate::summary::{ParameterSummary, PlanSummary};

#[derive(Serialize)]
struct Report {
    circuit: &'static str,
    parameters: ParameterSummary,
    plan: PlanSummary,
    file: String,
    file_bytes: u64,
}

/// Plans a circuit and writes the parameters it needs.
pub fn run(arguments: &ParamsArguments) -> Result<(), CliError> {
    arguments.output.check()?;
    let circuit = arguments.circuit.build()?;
    let (plan, _) = timed("planning", || session::plan(&circuit, &arguments.choice))?;
    let parameters = plan.parameters();
    let file_bytes = arguments
        .output
        .write(Access::Public, |out| parameters.write(out))?;
    let report = Report {
        circuit: arguments.circuit.name(),
        parameters: ParameterSummary::new(parameters),
        plan: PlanSummary::new(&plan),
        file: arguments.output.path.display().to_string(),
        file_bytes,
    };
    print_either(arguments.json, &report, || {
        format!("{}\nwritten to {}\n", plan.explain().trim_end(), report.file)
    })
}
