//! Files: read whole or refused, written whole or not at all.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ringmill_fv::FvError;
use ringmill_fv::format::{self, Access, Parts, Unfinished, expect_end};
use zeroize::Zeroizing;

use crate::arguments::{Output, ResumableOutput};
use crate::error::CliError;

/// Reads a file of one frame with `parse`, which takes the frame; nothing may follow it.
pub fn read<T>(path: &Path, parse: impl FnOnce(&mut dyn Read) -> Result<T, FvError>) -> Result<T, CliError> {
    let mut input = format::open(path)?;
    let content = parse(&mut input).and_then(|content| {
        expect_end(&mut input, "the content")?;
        Ok(content)
    });
    content.map_err(|error| CliError::in_file(path, error))
}

/// Reads a file that is not ringmill's, at most so many bytes of it; - is standard input.
pub fn read_bytes(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, CliError> {
    let mut bytes = Zeroizing::new(Vec::new());
    let result = match path.as_os_str() == "-" {
        true => io::stdin().lock().take(most + 1).read_to_end(&mut bytes),
        false => fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)),
    };
    result.map_err(|error| CliError::io(path, error))?;
    if bytes.len() as u64 > most {
        return Err(CliError::data(
            path,
            format!("more than {most} bytes; is it the right file?"),
        ));
    }
    Ok(bytes)
}

/// Refuses an output that exists, unless forced to replace it, or that has nowhere to go.
pub fn check_output(path: &Path, force: bool) -> Result<(), CliError> {
    if path.is_dir() {
        let error = io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file");
        return Err(CliError::io(path, error));
    }
    if !force && path.symlink_metadata().is_ok() {
        return Err(CliError::Exists(path.to_path_buf()));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            let error = io::Error::new(io::ErrorKind::NotFound, "no such directory; make it first");
            Err(CliError::io(parent, error))
        }
        _ => Ok(()),
    }
}

impl Output {
    /// As [`check_output`]: to be called before any work is done.
    pub fn check(&self) -> Result<(), CliError> {
        check_output(&self.path, self.force)
    }

    /// Writes the file.
    pub fn write<T>(
        &self,
        access: Access,
        content: impl FnOnce(&mut dyn Write) -> Result<T, CliError>,
    ) -> Result<(T, u64), CliError> {
        write(&self.path, access, content)
    }
}

impl ResumableOutput {
    /// As [`Output::check`]. What is kept of an earlier run must be there if it is gone on from, and is otherwise
    /// treated as an output.
    pub fn check(&self) -> Result<(), CliError> {
        self.output.check()?;
        let partial = self.partial();
        let bytes = partial.symlink_metadata().map(|metadata| metadata.len());
        match (self.resume, bytes) {
            (true, Err(_) | Ok(0)) => Err(CliError::Usage(format!(
                "{}: nothing is kept to go on from; leave out --resume to begin at the first batch",
                partial.display()
            ))),
            (false, Ok(_)) if !self.output.force => Err(CliError::KeptAlready(partial)),
            _ => Ok(()),
        }
    }

    /// Where finished batches are kept if a later one fails.
    pub fn partial(&self) -> PathBuf {
        let mut name = self.output.path.clone().into_os_string();
        name.push(".partial");
        name.into()
    }

    /// Writes the file, and removes what was kept of it; if that fails, what is done of it is kept.
    pub fn write<T>(
        &self,
        content: impl FnOnce(&mut Parts) -> Result<T, CliError>,
    ) -> Result<(T, u64), Unfinished<CliError>> {
        let (path, partial) = (&self.output.path, self.partial());
        let written = format::write_in_parts::<T, CliError>(path, &partial, Access::Public, content);
        let written = written.map_err(|unfinished| Unfinished {
            error: unfinished.error.blaming(path),
            ..unfinished
        })?;
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CliError::io(&partial, error))?,
            _ => Ok((written, size(path)?)),
        }
    }
}

/// Writes a file, whole or not at all; what `content` returns, and the size in bytes.
pub fn write<T>(
    path: &Path,
    access: Access,
    content: impl FnOnce(&mut dyn Write) -> Result<T, CliError>,
) -> Result<(T, u64), CliError> {
    let written = format::write_atomically::<T, CliError>(path, access, content);
    let written = written.map_err(|error| error.blaming(path))?;
    Ok((written, size(path)?))
}

fn size(path: &Path) -> Result<u64, CliError> {
    let metadata = fs::metadata(path).map_err(|error| CliError::io(path, error))?;
    Ok(metadata.len())
}

/// Writes nowhere and counts.
#[derive(Debug, Default)]
pub struct Counter(pub u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
