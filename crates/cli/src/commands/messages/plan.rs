use ringmill::platform::DeviceName;
use ringmill::{Access, Parameters, warn_if_insecure};
use serde::Serialize;

use super::refuse;
use crate::arguments::{FormChoice, PlanArguments, Secrecy};
use crate::error::CliError;
use crate::report::{Table, print_beside};
use crate::summary::ParameterSummary;

#[derive(Serialize)]
struct Report {
    parameters: ParameterSummary,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    /// Numbers in a message at most.
    numbers: usize,
    file: Option<String>,
    file_bytes: Option<u64>,
}

/// Writes the parameters of a preset.
pub fn run(arguments: &PlanArguments) -> Result<(), CliError> {
    let choice = &arguments.choice;
    refuse(&[
        ("--records", choice.records.is_some()),
        ("--batch-records", choice.batch_records.is_some()),
        ("--memory", choice.memory.memory.is_some()),
        ("--spill-dir", choice.memory.spill_dir.is_some()),
        ("--recalibrate", choice.recalibrate),
        ("--form", choice.form != FormChoice::Auto),
        ("--packing", arguments.packing.is_some()),
        ("--share-results", arguments.share_results),
        ("--explain", arguments.explain),
        ("--further-levels", arguments.further_levels > 0),
        ("--after", arguments.after.is_some()),
        ("--type", !arguments.function.types.is_empty()),
        ("--types-from", arguments.function.types_from.is_some()),
        ("--input-key", arguments.input_key != Secrecy::Public),
        ("--device", arguments.device.device != DeviceName::Cpu),
    ])?;
    let Some(name) = &choice.preset else {
        return Err(CliError::usage(
            "give --circuit or --expr to have parameters chosen for it, or --preset to encrypt messages without one",
        ));
    };
    let parameters = Parameters::preset(name)?;
    warn_if_insecure(&parameters, &());
    let file_bytes = match arguments.output.file() {
        None => None,
        Some(output) => Some(output.write(Access::Public, |out| Ok(parameters.write(out)?))?.1),
    };
    let report = Report {
        parameters: ParameterSummary::new(&parameters),
        insecure: parameters.security().warning.clone(),
        numbers: parameters.n(),
        file: arguments.output.name(),
        file_bytes,
    };
    print_beside(arguments.output.path(), arguments.json, &report, || {
        let mut table = Table::new();
        table.heading("parameters for messages");
        report.parameters.rows(&mut table);
        table.row(
            "a message",
            format!(
                "up to {} integers from 0 to {}",
                report.numbers,
                parameters.t() - 1
            ),
        );
        if let Some(file) = &report.file {
            table.row("written to", &**file);
        }
        table.to_text()
    })
}
