//! Paper 4: encryption of FV with bits in the slots of a general cyclotomic ring, in software.
//!
//! The paper's job is u Pkey + E, both polynomials, for 1 to 4 encryptions at a time (table 2); here by
//!
//! * [`Karatsuba`]: Karatsuba's method on multi-word coefficients in vector registers ([`Multiplier`]),
//! * [`Padded`]: transforms of enough points for the whole product, and the reduction modulo Phi_m,
//! * [`Fermat`]: the Fermat ring of dimension 4096, whose transform reduces by itself,
//!
//! and around it [`Scheme`]: keys, encryption, decryption and files over [`Parameters`]. The sets are insecure
//! ([`warning`]) and reached by names that say so. `docs/karatsuba.md` has the conclusion.

mod chunks;
mod error;
mod fermat;
mod keys;
mod multiplier;
mod noise;
mod offload;
mod padded;
mod parameters;
mod product;
mod randomness;
mod residues;
mod scheme;
mod storage;

pub use error::KaratsubaError;
pub use fermat::{Fermat, FermatFactor};
pub use keys::{Ciphertext, PublicKey, SecretKey};
pub use multiplier::{Multiplier, PACKED, Workspace};
pub use noise::{error_variance, failure};
pub use offload::{Accumulate, Multiply};
pub use padded::{Padded, PaddedFactor};
pub use parameters::{CONDUCTOR, Parameters, warning};
pub use product::{ChunkedKey, Integers, Karatsuba};
pub use randomness::Randomness;
pub use scheme::{Encryptor, Method, Scheme};

#[cfg(test)]
mod tests;
