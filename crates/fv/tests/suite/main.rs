//! The tests of the FV scheme.

// A test stops where it fails, in its helpers too.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod bgv;
mod common;
mod domains;
mod flooding;
mod golden;
mod integers;
mod one_limb;
mod roots;
mod rotations;
mod scheme;
