//! The steps of a job, each with its files: on one machine or on several.

pub mod circuits;
pub mod decrypt;
pub mod encrypt;
pub mod eval;
pub mod inspect;
pub mod keygen;
mod messages;
pub mod params;
pub mod transcipher;
