//! Helpers that the tests share.

#[cfg(feature = "emulator")]
pub mod emulator;
pub mod loud;
pub mod resources;
