//! Circuits that come with the crate.
//!
//! Code builds each circuit on demand. The folder `circuits` at the root of the repository holds the same
//! circuits as Bristol Fashion files, written by the example `bundle`, with a README that tells how each was
//! made and checked.
//!
//! | name | inputs | outputs |
//! |---|---|---|
//! | `add8`, `add32`, `add64` | `a`, `b` | `sum` modulo 2 to the power of the width |
//! | `multiply8`, `multiply16`, `multiply32` | `a`, `b` | `product`, unsigned, in full |
//! | `less32` | `a`, `b` | `less`: whether `a < b`, unsigned |
//! | `equal32` | `a`, `b` | `equal` |
//! | `max32` | `a`, `b` | `max`, unsigned |
//! | `hamming64` | `a`, `b` | `distance`, 7 bits |
//! | `simon-encrypt`, `simon-decrypt` | see [`simon`] | |
//! | `aes128-encrypt`, `aes128-decrypt` | see [`aes`] | |

pub mod aes;
mod arithmetic;

use crate::{Circuit, CircuitError, simon};

type Build = fn() -> Result<Circuit, CircuitError>;

const BUNDLED: [(&str, Build); 14] = [
    ("add8", || arithmetic::add(8)),
    ("add32", || arithmetic::add(32)),
    ("add64", || arithmetic::add(64)),
    ("multiply8", || arithmetic::multiply(8)),
    ("multiply16", || arithmetic::multiply(16)),
    ("multiply32", || arithmetic::multiply(32)),
    ("less32", || arithmetic::less(32)),
    ("equal32", || arithmetic::equal(32)),
    ("max32", || arithmetic::max(32)),
    ("hamming64", || arithmetic::hamming(64)),
    ("simon-encrypt", simon::encrypt_circuit),
    ("simon-decrypt", simon::decrypt_circuit),
    ("aes128-encrypt", aes::encrypt_circuit),
    ("aes128-decrypt", aes::decrypt_circuit),
];

/// The names of all bundled circuits.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}

/// Builds the circuit of this name, or returns `None` if there is none.
///
/// # Errors
///
/// Those of [`Builder::finish`](crate::Builder::finish) and of word operations; the bundled circuits cause
/// none of them.
#[must_use]
pub fn circuit(name: &str) -> Option<Result<Circuit, CircuitError>> {
    let found = BUNDLED.iter().find(|(known, _)| *known == name);
    found.map(|(_, build)| build())
}
