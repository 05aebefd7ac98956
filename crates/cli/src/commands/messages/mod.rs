//! The commands of a job without a circuit: messages of numbers, with or without a program over them.

pub mod check;
pub mod decrypt;
pub mod encrypt;
pub mod eval;
pub mod plan;
mod summary;

use ringmill::platform::DeviceName;

use crate::arguments::{DeviceOption, FormChoice, FunctionChoice, ParameterChoice, PrimesChoice, Sharing};
use crate::error::CliError;

/// Refuses options that only a circuit gives a meaning to, if they are given.
fn refuse(options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::usage(format!("{option} is of use with a circuit only"))),
        None => Ok(()),
    }
}

/// Refuses what is of use in planning a circuit only.
fn refuse_choices(
    choice: &ParameterChoice,
    function: &FunctionChoice,
    device: &DeviceOption,
) -> Result<(), CliError> {
    refuse(&[
        ("--records", choice.records.is_some()),
        ("--batch-records", choice.batch_records.is_some()),
        ("--share-slots", choice.share_slots != Sharing::Auto),
        ("--memory", choice.memory.memory.is_some()),
        ("--spill-dir", choice.memory.spill_dir.is_some()),
        ("--recalibrate", choice.recalibrate),
        ("--form", choice.form != FormChoice::Auto),
        ("--type", !function.types.is_empty()),
        ("--types-from", function.types_from.is_some()),
        ("--then", !function.circuit.then.is_empty()),
        ("--public", !function.circuit.public.is_empty()),
        ("--device", device.device != DeviceName::Cpu),
    ])
}

/// Refuses a rule for primes where a program's are chosen.
fn refuse_primes(choice: &ParameterChoice) -> Result<(), CliError> {
    refuse(&[("--primes", choice.primes != PrimesChoice::Transform)])
}
