//! The tests of tables of records.

// A test stops where it fails, in its helpers too.
#![allow(clippy::panic, clippy::unwrap_used)]

mod columns;
mod common;
mod refusals;
mod round_trips;
mod streaming;
mod tables;
