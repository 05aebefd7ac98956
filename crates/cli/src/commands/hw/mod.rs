//! The machines of `hdl/`: simulated, and synthesised.

#[cfg(feature = "rtl")]
mod comba;
#[cfg(feature = "rtl")]
mod core;
#[cfg(feature = "rtl")]
pub mod engine;
#[cfg(feature = "rtl")]
pub mod job;
#[cfg(feature = "rtl")]
mod karatsuba;
#[cfg(feature = "rtl")]
mod multiplier;
#[cfg(feature = "rtl")]
pub mod recorded;
mod report;
#[cfg(feature = "rtl")]
mod resident;
#[cfg(feature = "rtl")]
pub mod transforms;

use crate::arguments::{HwArguments, HwCommand};
#[cfg(feature = "rtl")]
use crate::arguments::{HwRunArguments, MachineName};
use crate::error::CliError;

/// Runs a command below `hw`.
pub fn run(arguments: &HwArguments) -> Result<(), CliError> {
    match &arguments.command {
        #[cfg(feature = "rtl")]
        HwCommand::Run(arguments) => simulate(arguments),
        #[cfg(not(feature = "rtl"))]
        HwCommand::Run(_) => Err(ringmill::Error::not_simulated().into()),
        HwCommand::Report(arguments) => report::run(arguments),
    }
}

/// Simulates a machine.
#[cfg(feature = "rtl")]
fn simulate(arguments: &HwRunArguments) -> Result<(), CliError> {
    let sized = matches!(arguments.machine, MachineName::NttFermat | MachineName::Core);
    if arguments.n.is_some() && !sized {
        return Err(CliError::usage("--n is for --machine core and ntt-fermat"));
    }
    if arguments.systolic && arguments.machine != MachineName::Comba {
        return Err(CliError::usage("--systolic is for --machine comba"));
    }
    if let Some(cipher) = arguments.circuit {
        if arguments.machine != MachineName::Core {
            return Err(CliError::usage("--circuit is for --machine core"));
        }
        return match arguments.model {
            true => job::model(arguments, cipher),
            false => job::simulate(arguments, cipher),
        };
    }
    match arguments.machine {
        MachineName::NttMultiplier => multiplier::run(arguments),
        MachineName::Core => core::run(arguments),
        MachineName::Karatsuba => karatsuba::run(arguments),
        MachineName::Comba => comba::run(arguments),
        MachineName::NttFermat => transforms::run_fermat(arguments),
        MachineName::HepcloudNtt => transforms::run_hepcloud(arguments),
        MachineName::TileNtt => transforms::run_tiles(arguments),
    }
}
