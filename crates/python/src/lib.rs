#![doc = include_str!("../README.md")]
//!
//! # This crate
//!
//! It is the native part of that package, `ringmill._ringmill`: the library's objects for Python. They take and give tables
//! as packed records, a fixed number of bytes each, as [`ringmill::TableFormat::Binary`] has them; what Python has of
//! tables, the tracing of functions and everything that is shown is Python code beside this one.

mod circuit;
mod command;
mod error;
mod job;
mod options;
mod parties;
mod party;
mod report;
mod table;
mod threads;
mod trace;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _ringmill {
    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name of it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::circuit::{Circuit, circuit_names};
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::job::{Job, open, plan};
    #[pymodule_export]
    use crate::party::{Client, Encrypted, Encryptor, EvaluationKeys, PublicKey, Results, Server};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::threads::set_threads;
    #[pymodule_export]
    use crate::trace::{Trace, Value};
}
