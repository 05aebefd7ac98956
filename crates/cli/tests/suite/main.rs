//! The command line, run as users run it.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[cfg(unix)]
mod crashes;
mod demo;
mod devices;
mod hw;
mod memory;
mod messages;
mod papers;
mod refusals;
mod resume;
#[cfg(unix)]
mod signals;
mod steps;
mod tables;
