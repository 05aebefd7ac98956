//! `ringmill`: compute on encrypted bits from the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(ringmill_cli::run(std::env::args_os()))
}
