//! The tests of the CPU device.

// A test stops where it fails, in its helpers too.
#![allow(clippy::unwrap_used)]

mod conformance;
mod faults;
mod products;
