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
        HwCommand::Run(_) => Err(CliError::Usage(
            "this build simulates no machines: run `hdl/hw env` in the repository, and build with \
             `cargo build --release --features rtl`"
                .to_owned(),
        )),
        HwCommand::Report(arguments) => report::run(arguments),
    }
}
