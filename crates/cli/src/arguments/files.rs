//! The files of commands.

use std::path::{Path, PathBuf};

use clap::Args;
use ringmill::files::is_standard;

use crate::error::CliError;

/// Where a result goes.
#[derive(Debug, Args)]
pub struct Output {
    /// File to write; - for standard output, which then has nothing else.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub force: bool,
}

impl Output {
    /// The same for the library.
    pub fn file(&self) -> ringmill::Output {
        ringmill::Output::new(&self.path).replacing(self.force)
    }
}

/// Where a result goes, if it is to be written.
#[derive(Debug, Args)]
pub struct OptionalOutput {
    /// File to write; none unless given.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub force: bool,
}

impl OptionalOutput {
    /// The file to write, if there is one.
    pub fn file(&self) -> Option<ringmill::Output> {
        let path = self.path.as_ref()?;
        Some(ringmill::Output::new(path).replacing(self.force))
    }

    /// The name of the file, for reports.
    pub fn name(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.display().to_string())
    }

    /// The same as a path; an empty one for none.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }
}

/// Where results go, batch after batch, and what is kept if a later batch fails.
#[derive(Debug, Args)]
pub struct ResumableOutput {
    #[command(flatten)]
    pub output: Output,
    /// Go on after the batches that an earlier run had finished when it failed, kept in FILE.partial; if it had finished
    /// all, only compare. Everything else must be given as to that run.
    #[arg(long)]
    pub resume: bool,
}

impl ResumableOutput {
    /// The same for the library.
    pub fn file(&self) -> ringmill::ResumableOutput {
        ringmill::ResumableOutput::from(self.output.file()).resuming(self.resume)
    }
}

/// Refuses a second option that wants standard input. To be called before any work is done.
pub fn check_inputs(options: &[(&str, Option<&Path>)]) -> Result<(), CliError> {
    let mut standard = options.iter().filter(|(_, path)| path.is_some_and(is_standard));
    match (standard.next(), standard.next()) {
        (Some((first, _)), Some((second, _))) => Err(CliError::usage(format!(
            "{first} and {second} are both -, but standard input can only be read once; give one of them a file"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_read_once() {
        let path = |name: &'static str| Some(Path::new(name));
        assert!(check_inputs(&[("--input", path("-")), ("--data", path("a")), ("--key", None)]).is_ok());
        let error = check_inputs(&[("--input", path("-")), ("--key", None), ("--data", path("-"))]);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .starts_with("--input and --data are both -,")
        );
    }
}
