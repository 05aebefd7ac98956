//! The commands of a job without a circuit: messages of numbers, with or without a program over them.

pub mod check;
pub mod decrypt;
pub mod encrypt;
pub mod eval;
pub mod plan;
mod summary;

use crate::error::CliError;

/// Refuses options that only a circuit gives a meaning to, if they are given.
fn refuse(options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::usage(format!("{option} is of use with a circuit only"))),
        None => Ok(()),
    }
}
