//! Files that are whole, or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use zeroize::{Zeroize, Zeroizing};

use crate::temporary::Temporary;
use crate::{FormatError, WipingReader};

/// Bytes collected before they are written.
const BUFFER: usize = 1 << 16;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever the process's usual mask lets.
    Public,
    /// The owner only: mode 0600 from its creation on.
    Private,
}

/// The fate of a file that is there already when another is to get its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the other file is refused: also if it came while that was being written.
    Keep,
    /// It is replaced.
    Replace,
}

/// Opens a file for reading, which may hold a secret.
///
/// # Errors
/// [`FormatError::File`].
pub fn open(path: &Path) -> Result<WipingReader<File>, FormatError> {
    let file = File::open(path).map_err(|source| error(path, source))?;
    Ok(WipingReader::new(file))
}

/// Writes a file that afterwards is whole and on disk, or what was there before: [`prepare`], and [`Prepared::place`].
///
/// # Errors
/// Those of both.
pub fn write_atomically<T, E: From<FormatError>>(
    path: &Path,
    access: Access,
    existing: Existing,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let (written, file) = prepare(path, access, write)?;
    file.place(existing)?;
    Ok(written)
}

/// Writes a file under a temporary name in the directory of `path`, up to the disk, with a buffer that is wiped. Unless
/// it is placed, it is removed; if the process is killed before, [`remove_stale`](crate::remove_stale) does that.
///
/// # Errors
/// Those of `write`; [`FormatError::File`] if creating or writing out fails.
pub fn prepare<T, E: From<FormatError>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<(T, Prepared), E> {
    let fail = |source| E::from(error(path, source));
    let (file, temporary) = Temporary::create(path, access).map_err(fail)?;
    let mut out = Wiping::new(file);
    let written = write(&mut out)?;
    out.flush().and_then(|()| out.file.sync_all()).map_err(fail)?;
    let path = path.to_path_buf();
    let prepared = Prepared {
        path,
        temporary,
        _locked: out.file,
    };
    Ok((written, prepared))
}

/// A file that is whole and on disk, but has a temporary name yet.
#[derive(Debug)]
pub struct Prepared {
    path: PathBuf,
    temporary: Temporary,
    /// Open as long as the name is temporary: the lock on it says that somebody still needs it.
    _locked: File,
}

impl Prepared {
    /// Gives the file its name.
    ///
    /// # Errors
    /// [`FormatError::File`], with [`io::ErrorKind::AlreadyExists`] for an existing file that is to be kept.
    pub fn place(self, existing: Existing) -> Result<(), FormatError> {
        let Self { path, temporary, .. } = self;
        temporary
            .place(&path, existing)
            .map_err(|source| error(&path, source))
    }
}

pub(crate) fn error(path: &Path, source: io::Error) -> FormatError {
    FormatError::File {
        path: path.to_path_buf(),
        source,
    }
}

/// Gives a file another name in the same directory.
pub(crate) fn rename(from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
    match existing {
        Existing::Replace => fs::rename(from, to)?,
        Existing::Keep => {
            // Which does not look first and rename then, but leaves both to the system.
            let path = tempfile::TempPath::try_from_path(from)?;
            path.persist_noclobber(to).map_err(|mut failed| {
                // Whoever named the file removes it.
                failed.path.disable_cleanup(true);
                failed.error
            })?;
        }
    }
    sync_directory(to);
    Ok(())
}

/// Makes the names in a file's directory last, where the system can.
pub fn sync_directory(path: &Path) {
    if let Ok(directory) = File::open(directory_of(path)) {
        let _ = directory.sync_all();
    }
}

/// The directory that a file is in.
pub(crate) fn directory_of(path: &Path) -> &Path {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}

/// A file that is written through a buffer that wipes what has been written.
#[derive(Debug)]
pub(crate) struct Wiping {
    pub file: File,
    waiting: Zeroizing<Vec<u8>>,
}

impl Wiping {
    pub fn new(file: File) -> Self {
        let waiting = Zeroizing::new(Vec::with_capacity(BUFFER));
        Self { file, waiting }
    }

    /// Gives up what waits in the buffer.
    pub fn discard(&mut self) {
        self.waiting.zeroize();
    }
}

impl Write for Wiping {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.waiting.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() > BUFFER {
            return self.file.write(bytes);
        }
        self.waiting.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.write_all(&self.waiting);
        self.waiting.zeroize();
        result
    }
}
