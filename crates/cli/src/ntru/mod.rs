//! Block ciphers over YASHE and LTV, for comparison with paper 3.

mod cipher;
mod party;
mod run;

pub use cipher::Cipher;
pub use party::{Ltv, Yashe};
pub use run::Run;

use ringmill_schemes::ntru::{Parameters, Scheme};

use crate::device::Devices;
use crate::error::CliError;

/// Evaluates a cipher over the set of a name.
pub fn evaluate(
    devices: &impl Devices,
    name: &str,
    cipher: impl FnOnce(usize) -> Result<Cipher, CliError>,
) -> Result<Run, CliError> {
    match Parameters::named(name)?.scheme() {
        Scheme::Yashe => Yashe::new(devices, name)?.evaluate(cipher),
        Scheme::Ltv => Ltv::new(devices, name)?.evaluate(cipher),
    }
}
