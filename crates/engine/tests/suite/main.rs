//! The tests of plans and their execution.

// A test stops where it fails, in its helpers too.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod admission;
mod aes;
mod aggregates;
mod aside;
mod by_depth;
mod common;
mod execution;
mod former;
mod packed;
mod planning;
mod promises;
mod recipe;
mod refusals;
mod reserves;
mod residency;
mod sharing;
