//! Files: read whole or refused, written whole or not at all.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};

use ringmill_format::{self as format, Access, Existing, Journal, Prepared, expect_end, remove_stale};
use ringmill_fv::FvError;
use zeroize::Zeroizing;

use super::{Digest, Digesting, Input, is_standard};
use crate::{Error, Observer};

/// Reads a file with `parse`, which takes its frames; nothing may follow them. `-` is standard input.
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
pub fn read<T>(path: &Path, parse: impl FnOnce(&mut dyn Read) -> Result<T, FvError>) -> Result<T, Error> {
    read_all(path, &mut Input::open(path)?, parse)
}

/// The same, with the digest of the file.
pub(crate) fn read_digested<T>(
    path: &Path,
    parse: impl FnOnce(&mut dyn Read) -> Result<T, FvError>,
) -> Result<(T, Digest), Error> {
    let mut input = Digesting::new(Input::open(path)?);
    let content = read_all(path, &mut input, parse)?;
    Ok((content, input.digest()))
}

fn read_all<T>(
    path: &Path,
    input: &mut dyn Read,
    parse: impl FnOnce(&mut dyn Read) -> Result<T, FvError>,
) -> Result<T, Error> {
    let content = parse(&mut *input).and_then(|content| {
        expect_end(input, "the content")?;
        Ok(content)
    });
    content.map_err(|error| Error::in_file(path, error))
}

/// Reads a file that is not ringmill's; `-` is standard input.
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if it has more bytes than `most`; [`ErrorKind::Io`](crate::ErrorKind::Io).
pub fn read_bytes(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    // Room for any key, so that it leaves no copy behind by growing.
    let mut bytes = Zeroizing::new(Vec::with_capacity(most.min(4095) as usize + 1));
    let result = Input::open(path)?.take(most + 1).read_to_end(&mut bytes);
    result.map_err(|error| Error::io(path, error))?;
    if bytes.len() as u64 > most {
        return Err(Error::data(
            path,
            format!("more than {most} bytes; is it the right file?"),
        ));
    }
    Ok(bytes)
}

/// The sort of content of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text, which a terminal can show.
    Text,
    /// Bytes, which would garble a terminal.
    Binary,
}

fn check_standard(content: Content, terminal: bool) -> Result<(), Error> {
    if terminal && content == Content::Binary {
        return Err(Error::Usage(
            "the output is binary and standard output is a terminal; name a file with -o, or lead it into a file or \
             another program"
                .to_owned(),
        ));
    }
    Ok(())
}

/// A file to write, whole or not at all; `-` is standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    path: PathBuf,
    replace: bool,
    shared: bool,
}

impl Output {
    /// A new file: one that is there already is refused.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            replace: false,
            shared: false,
        }
    }

    /// Whether to replace the file if it is there already.
    #[must_use]
    pub const fn replacing(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Whether others may read decrypted records in it, as far as the process's mask lets them. Unless they may, such a
    /// file has mode 0600; files without secrets are not concerned.
    #[must_use]
    pub const fn shared(mut self, shared: bool) -> Self {
        self.shared = shared;
        self
    }

    /// Who may read it if it has decrypted records.
    pub(crate) const fn access_to_records(&self) -> Access {
        if self.shared {
            Access::Public
        } else {
            Access::Private
        }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses an output that exists, unless it is to be replaced, or that has nowhere to go; and binary on a
    /// terminal. To be called before any work is done.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), [`ErrorKind::Usage`](crate::ErrorKind::Usage).
    pub fn check(&self, content: Content) -> Result<(), Error> {
        let path = &self.path;
        if is_standard(path) {
            return check_standard(content, io::stdout().is_terminal());
        }
        if path.is_dir() {
            let error = io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file");
            return Err(Error::io(path, error));
        }
        if !self.replace && path.symlink_metadata().is_ok() {
            return Err(Error::Exists(path.clone()));
        }
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
                let error = io::Error::new(io::ErrorKind::NotFound, "no such directory; make it first");
                Err(Error::io(parent, error))
            }
            _ => Ok(()),
        }
    }

    /// As [`Output::check`], and removes what killed processes have left in the output's directory, which the observer
    /// is told. To be called by whoever writes it, before any work is done.
    ///
    /// # Errors
    /// As [`Output::check`].
    pub fn prepare(&self, content: Content, observer: &dyn Observer) -> Result<(), Error> {
        self.check(content)?;
        if !is_standard(&self.path) {
            clean(&self.path, observer);
        }
        Ok(())
    }

    const fn existing(&self) -> Existing {
        if self.replace {
            Existing::Replace
        } else {
            Existing::Keep
        }
    }

    /// Writes the file to a temporary one beside it, and renames that when all is written. Returns what `content`
    /// returns, and the size in bytes. Of what goes to standard output, a part may be there if this fails.
    ///
    /// # Errors
    /// Those of `content`; [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn write<T>(
        &self,
        access: Access,
        content: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
    ) -> Result<(T, u64), Error> {
        let path = &self.path;
        if is_standard(path) {
            return write_standard(|out| content(out));
        }
        let written = format::write_atomically::<T, Error>(path, access, self.existing(), content);
        let written = written.map_err(|error| error.blaming(path))?;
        Ok((written, size(path)?))
    }

    /// Writes the file to a temporary one beside it; it is for the caller to place it.
    pub(crate) fn write_aside(
        &self,
        access: Access,
        content: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
    ) -> Result<Prepared, Error> {
        let prepared = format::prepare::<(), Error>(&self.path, access, content);
        let ((), file) = prepared.map_err(|error| error.blaming(&self.path))?;
        Ok(file)
    }
}

/// Removes the temporary files beside a file whose processes were killed.
pub(crate) fn clean(path: &Path, observer: &dyn Observer) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    for stale in remove_stale(parent.unwrap_or(Path::new("."))) {
        observer.note(&format!(
            "note: removed {}, which a run that was killed had left",
            stale.display()
        ));
    }
}

/// A file of results. Each batch lasts in `FILE.partial` from when it is finished on, whatever becomes of the process;
/// that gets the name of the file when all are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumableOutput {
    output: Output,
    resume: bool,
}

impl From<Output> for ResumableOutput {
    /// From the first batch on.
    fn from(output: Output) -> Self {
        Self {
            output,
            resume: false,
        }
    }
}

/// The failure to write a file of results.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// What went wrong.
    pub error: Error,
    /// Whether finished batches are kept.
    pub kept: bool,
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self { error, kept: false }
    }
}

impl ResumableOutput {
    /// Whether to go on after the batches that an earlier run has finished, if there are any.
    #[must_use]
    pub const fn resuming(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// The path of the whole file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.output.path
    }

    /// As [`Output::check`]. What an earlier run has kept or finished is refused, unless to go on from there.
    ///
    /// # Errors
    /// As [`Output::check`]; [`Error::KeptAlready`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_finished() {
            return Ok(());
        }
        self.output.check(Content::Binary)?;
        if is_standard(&self.output.path) {
            let nothing = "nothing is kept of an output that is -, so --resume has nothing to go on from; name a file with -o";
            return if self.resume {
                Err(Error::Usage(nothing.to_owned()))
            } else {
                Ok(())
            };
        }
        if self.has_partial() && !self.resume && !self.output.replace {
            return Err(Error::KeptAlready(self.partial()));
        }
        Ok(())
    }

    /// As [`Output::prepare`].
    pub(crate) fn prepare(&self, observer: &dyn Observer) -> Result<(), Error> {
        self.check()?;
        if !is_standard(&self.output.path) {
            clean(&self.output.path, observer);
        }
        Ok(())
    }

    fn has_partial(&self) -> bool {
        let metadata = self.partial().symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.len() > 0)
    }

    /// Whether to go on from batches of an earlier run, if there are any.
    pub(crate) const fn wants_to_resume(&self) -> bool {
        self.resume
    }

    /// Whether there are batches of an earlier run to go on from.
    pub(crate) fn resumes(&self) -> bool {
        self.resume && self.has_partial()
    }

    /// Whether an earlier run has finished all batches, so that nothing is left to do.
    pub(crate) fn is_finished(&self) -> bool {
        self.resume && !self.output.replace && self.output.path.is_file() && !self.has_partial()
    }

    /// Where batches are as long as not all are finished.
    #[must_use]
    pub fn partial(&self) -> PathBuf {
        let mut name = self.output.path.clone().into_os_string();
        name.push(".partial");
        name.into()
    }

    /// Writes the file; if that fails, what is done of it is kept.
    pub(crate) fn write<T>(
        &self,
        content: impl FnOnce(&mut Sink) -> Result<T, Error>,
    ) -> Result<(T, u64), Unfinished> {
        let path = &self.output.path;
        if is_standard(path) {
            return Ok(write_standard(|out| content(&mut Sink::Standard(out)))?);
        }
        let mut journal = self.journal()?;
        let blame = |error: Error| error.blaming(path);
        match content(&mut Sink::File(&mut journal)) {
            Ok(written) => {
                let kept = journal.has_parts();
                let finished = journal.finish(path, self.output.existing());
                finished.map_err(|error| Unfinished {
                    error: blame(error.into()),
                    kept,
                })?;
                Ok((written, size(path)?))
            }
            Err(error) => Err(Unfinished {
                error: blame(error),
                kept: journal.has_parts(),
            }),
        }
    }

    fn journal(&self) -> Result<Journal, Error> {
        let partial = self.partial();
        let journal = if self.resumes() {
            Journal::resume(&partial)
        } else {
            Journal::begin(&partial, Access::Public, self.output.existing())
        };
        journal.map_err(|error| match Error::in_file(&partial, error.into()) {
            Error::Exists(path) => Error::KeptAlready(path),
            error => error,
        })
    }
}

/// Where results go, batch after batch.
pub(crate) enum Sink<'a> {
    /// A file whose parts last.
    File(&'a mut Journal),
    /// Standard output.
    Standard(&'a mut Standard),
}

impl Sink<'_> {
    /// Says that the first `bytes` are there from an earlier run.
    pub fn keep(&mut self, bytes: u64) {
        match self {
            Self::File(journal) => journal.keep(bytes),
            // Nothing is kept of it.
            Self::Standard(_) => (),
        }
    }

    /// Says that what is written so far is of use, whatever comes after.
    pub fn part_done(&mut self) -> io::Result<()> {
        match self {
            Self::File(journal) => journal.part_done(),
            Self::Standard(out) => out.flush(),
        }
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(journal) => journal.write(bytes),
            Self::Standard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(journal) => journal.flush(),
            Self::Standard(out) => out.flush(),
        }
    }
}

/// Standard output, which counts.
pub(crate) struct Standard {
    out: BufWriter<StdoutLock<'static>>,
    bytes: u64,
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_standard<T>(content: impl FnOnce(&mut Standard) -> Result<T, Error>) -> Result<(T, u64), Error> {
    let name = Path::new("standard output");
    let mut out = Standard {
        out: BufWriter::new(io::stdout().lock()),
        bytes: 0,
    };
    let written = content(&mut out).map_err(|error| error.blaming(name))?;
    out.flush().map_err(|error| Error::io(name, error))?;
    Ok((written, out.bytes))
}

fn size(path: &Path) -> Result<u64, Error> {
    let metadata = fs::metadata(path).map_err(|error| Error::io(path, error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_binary() {
        let error = check_standard(Content::Binary, true).unwrap_err();
        assert!(error.to_string().contains("name a file with -o"), "{error}");
        assert!(check_standard(Content::Text, true).is_ok());
        assert!(check_standard(Content::Binary, false).is_ok());
    }
}
