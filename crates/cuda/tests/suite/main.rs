//! The tests of CUDA devices: over emulated GPUs, with the compiler for GPUs, and on a GPU if there is one.

// A test stops where it fails, even in its helpers.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;
mod compile;
#[cfg(feature = "emulator")]
mod conformance;
mod on_gpu;
#[cfg(feature = "emulator")]
mod pointwise;
#[cfg(feature = "emulator")]
mod scheme;
#[cfg(feature = "emulator")]
mod work;
