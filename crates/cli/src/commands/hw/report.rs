//! Resources of the machines, by the script of `hdl/`.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::arguments::HwReportArguments;
use crate::error::CliError;

/// Runs `hdl/hw report`.
pub fn run(arguments: &HwReportArguments) -> Result<(), CliError> {
    let script = find_script()?;
    let mut command = Command::new("python3");
    command.arg(&script).arg("report").args(&arguments.arguments);
    let status = command
        .status()
        .map_err(|error| CliError::io("python3".as_ref(), error))?;
    if status.success() {
        return Ok(());
    }
    Err(CliError::wrong_result(format!(
        "{} report: {status}",
        script.display()
    )))
}

/// The script of the repository that the working directory is in.
fn find_script() -> Result<PathBuf, CliError> {
    let here = env::current_dir().map_err(|error| CliError::io(".".as_ref(), error))?;
    let mut places = here.ancestors().map(|folder| folder.join("hdl/hw"));
    places.find(|script| script.is_file()).ok_or_else(|| {
        CliError::usage(format!(
            "there is no hdl/hw in {} or above it: go to a copy of the repository",
            here.display()
        ))
    })
}
