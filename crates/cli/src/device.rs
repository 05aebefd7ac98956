//! Where the polynomials of messages are computed with.

use std::str::FromStr;

use ringmill_device::Device;
use ringmill_fv::{Context, Parameters};

use crate::error::CliError;
use crate::hw;
use crate::session;

/// A device by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// This machine's processor.
    #[default]
    Cpu,
    /// The NTT multiplier of `hdl/`, simulated, for the products of encryption and decryption.
    NttMultiplier,
}

/// Work that every device can do, because its functions are written for any.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it on the device of a context.
    fn run<D: Device>(self, context: &Context<D>) -> Result<Self::Output, CliError>;
}

impl DeviceChoice {
    /// All devices of this program.
    const ALL: [Self; 2] = [Self::Cpu, Self::NttMultiplier];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::NttMultiplier => "rtl:ntt-multiplier",
        }
    }

    /// Does a job on the device, with these parameters.
    pub fn run<J: Job>(self, parameters: Parameters, job: J) -> Result<J::Output, CliError> {
        match self {
            Self::Cpu => job.run(&session::context(parameters)?),
            #[cfg(feature = "rtl")]
            Self::NttMultiplier => hw::device::run(parameters, job),
            #[cfg(not(feature = "rtl"))]
            Self::NttMultiplier => Err(hw::not_built()),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|device| device.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("this program has no device of that name; it has: {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_devices() {
        for device in DeviceChoice::ALL {
            assert_eq!(device.name().parse(), Ok(device));
        }
        assert!("abacus".parse::<DeviceChoice>().unwrap_err().contains("cpu"));
    }
}
