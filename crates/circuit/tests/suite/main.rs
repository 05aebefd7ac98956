//! The tests of circuits.

// A test stops where it fails, even in its helpers.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod aes;
mod aiger;
mod blif;
mod bristol;
mod builder;
mod bundled;
mod common;
mod compose;
mod evaluation;
mod optimise;
mod row_builder;
mod row_validation;
mod rows;
mod simon;
mod validation;
mod verilog;
mod words;
