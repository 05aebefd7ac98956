//! Block ciphers over YASHE and LTV, for comparison with paper 3.

mod cipher;
mod party;
mod run;

pub use cipher::Cipher;
pub use party::Party;
pub use run::Run;

use ringmill_schemes::ltv::Ltv;
use ringmill_schemes::ntru::{Parameters, Scheme};
use ringmill_schemes::yashe::Yashe;

use crate::error::CliError;
use ringmill::platform::Platform;

/// Evaluates a cipher over the set of a name.
pub fn evaluate(
    devices: &impl Platform,
    name: &str,
    cipher: impl FnOnce(usize) -> Result<Cipher, CliError>,
) -> Result<Run, CliError> {
    match Parameters::named(name)?.scheme() {
        Scheme::Yashe => Party::<Yashe, _>::new(devices, name)?.evaluate(cipher),
        Scheme::Ltv => Party::<Ltv, _>::new(devices, name)?.evaluate(cipher),
    }
}
