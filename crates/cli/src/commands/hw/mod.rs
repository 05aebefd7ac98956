//! The machines of `hdl/`: simulated, and synthesised.

#[cfg(feature = "rtl")]
pub mod engine;
#[cfg(feature = "rtl")]
mod multiplier;
mod report;
#[cfg(feature = "rtl")]
pub mod transforms;

#[cfg(feature = "rtl")]
use crate::arguments::MachineName;
use crate::arguments::{HwArguments, HwCommand};
use crate::error::CliError;

/// Runs a command below `hw`.
pub fn run(arguments: &HwArguments) -> Result<(), CliError> {
    match &arguments.command {
        #[cfg(feature = "rtl")]
        HwCommand::Run(arguments) if arguments.machine == MachineName::NttMultiplier => {
            multiplier::run(arguments)
        }
        #[cfg(feature = "rtl")]
        HwCommand::Run(arguments) => transforms::run(arguments),
        #[cfg(not(feature = "rtl"))]
        HwCommand::Run(_) => Err(ringmill::Error::not_simulated().into()),
        HwCommand::Report(arguments) => report::run(arguments),
    }
}
