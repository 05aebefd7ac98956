//! The machines of `hdl/`: simulated, and synthesised.

#[cfg(feature = "rtl")]
pub mod device;
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
        HwCommand::Run(_) => Err(not_built()),
        HwCommand::Report(arguments) => report::run(arguments),
    }
}

/// The error of builds without the feature.
#[cfg(not(feature = "rtl"))]
pub fn not_built() -> CliError {
    CliError::Usage(
        "this build simulates no machines: run `hdl/hw env` in the repository, and build with `cargo build \
         --release --features rtl`"
            .to_owned(),
    )
}
