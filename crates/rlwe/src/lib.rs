#![doc = include_str!("../README.md")]

mod bins;
mod distribution;
mod error;
mod measure;
mod pairs;
mod plaintext;
mod sampler;
mod scaling;
pub mod tail;

pub use bins::{Bins, COUNT};
pub use distribution::{PrimeChoice, SecretDistribution, default_secret_bound};
pub use error::RlweError;
pub use measure::{largest_log2, scaled};
pub use pairs::Pairs;
pub use plaintext::Plaintext;
pub use sampler::Sampler;
pub use scaling::Scaling;

/// The largest fraction |v| with which a decryption is believed. Planned circuits stay below it
/// except with probability far below 2^-40; under a wrong key or a spent noise budget fractions are
/// uniform in (-1/2, 1/2), and one of the n coefficients exceeds it almost surely.
pub const MAX_NOISE_FRACTION: f64 = 0.45;
