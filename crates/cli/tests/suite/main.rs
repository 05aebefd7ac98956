//! The command line, run as users run it.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aggregates;
mod columns;
mod common;
#[cfg(unix)]
mod crashes;
mod demo;
mod devices;
mod examples;
mod expressions;
mod hostile;
mod hw;
mod jobs;
mod later_jobs;
mod memory;
mod messages;
mod origins;
mod owners;
mod packing;
mod papers;
mod programs;
mod refusals;
mod resume;
mod secrets;
mod sharing;
#[cfg(unix)]
mod signals;
mod steps;
mod tables;
