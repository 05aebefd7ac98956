use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line with these arguments, the program's name first; its exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| ringmill_cli::run(arguments))
}
