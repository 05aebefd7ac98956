//! The machines of `hdl/`: simulated, and synthesised.

mod report;
#[cfg(feature = "rtl")]
mod run;

use crate::arguments::{HwArguments, HwCommand};
use crate::error::CliError;

/// Runs a command below `hw`.
pub fn run(arguments: &HwArguments) -> Result<(), CliError> {
    match &arguments.command {
        #[cfg(feature = "rtl")]
        HwCommand::Run(arguments) => run::run(arguments),
        #[cfg(not(feature = "rtl"))]
        HwCommand::Run(_) => Err(ringmill::Error::not_simulated().into()),
        HwCommand::Report(arguments) => report::run(arguments),
    }
}
