//! The commands of a job without a circuit: numbers are encrypted and decrypted, and nothing else.

pub mod decrypt;
pub mod encrypt;
pub mod plan;

use crate::error::CliError;

/// Refuses options that only a circuit gives a meaning to, if they are given.
fn refuse(options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::usage(format!("{option} is of use with a circuit only"))),
        None => Ok(()),
    }
}
