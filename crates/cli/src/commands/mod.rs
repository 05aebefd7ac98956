//! The commands.

pub mod bench;
pub mod check;
pub mod circuits;
pub mod decrypt;
pub mod demo;
pub mod encrypt;
pub mod eval;
pub mod hw;
pub mod inspect;
pub mod keygen;
pub mod messages;
mod ntru;
mod papers;
pub mod plan;
pub mod signing_key;
pub mod transcipher;
