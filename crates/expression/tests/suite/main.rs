//! The tests of the language.

// A test stops where it fails, in its helpers too.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;
mod depth;
mod errors;
mod hostile;
mod messages;
mod operators;
mod programs;
mod random;
mod totals;
mod trace;
