#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`Parameters`]: ring, plaintext modulus, primes, distributions; [`presets`] by name.
//! * [`security`]: what the published tables say of a set.
//! * [`NoiseModel`]: predicts noise and the probability that a decryption fails.
//! * [`Context`]: parameters on a device, and with it every operation on [`Plaintext`]s,
//!   [`Ciphertext`]s and keys.
//!
//! Sampling, scaling and the bins of noise are in `ringmill-rlwe`, because other schemes use them too; frames of files
//! are in `ringmill-format`.

mod bytes;
mod candidates;
mod ciphertext;
mod context;
mod encryption;
mod error;
mod evaluation;
mod flooding;
mod integers;
mod key_generation;
mod keys;
mod multiplication;
pub mod noise;
mod params;
pub mod presets;
mod product;
mod relinearization;
mod rotation;
pub mod security;
mod storage;

pub use candidates::Candidate;
pub use ciphertext::{Ciphertext, Lifted};
pub use context::Context;
pub use error::FvError;
pub use keys::{GaloisKey, PublicKey, RelinearizationKey, SecretKey};
pub use noise::{Noise, NoiseModel};
pub use params::{KeySwitching, NARROW_LIMIT, Parameters, ParametersSpec, PrimeRule, RingKind};
pub use product::{FirstFactor, Product, SecondFactor};
pub use ringmill_ring::Domain;
pub use ringmill_rlwe::{
    Bins, COUNT as NOISE_BINS, MAX_NOISE_FRACTION, Pairs, Plaintext, PrimeChoice, SecretDistribution,
};
pub use rotation::{Combination, Decomposed, ExtendedCiphertext, PlaintextOperand, Rotation, RotationSum};
pub use security::{Security, SecurityLevel};
pub use storage::{CiphertextHead, MAX_PARAMETERS_BYTES};
