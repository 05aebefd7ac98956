use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use zeroize::{Zeroize, Zeroizing};

use super::FormatError;

/// Bytes collected before they are written.
const BUFFER: usize = 1 << 16;

/// Temporary names tried, in case some were left by a process that was killed.
const ATTEMPTS: u32 = 100;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever the process's usual mask lets.
    Public,
    /// The owner only: mode 0600 from its creation on.
    Private,
}

/// Opens a file for reading.
///
/// # Errors
/// [`FormatError::File`].
pub fn open(path: &Path) -> Result<BufReader<File>, FormatError> {
    let file = File::open(path).map_err(|source| error(path, source))?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

/// Writes a file that afterwards is whole and on disk, or what was there before.
///
/// `write` fills a temporary file in the same directory, with a buffer that is wiped. If it succeeds, the
/// file is synchronized and renamed to `path`; otherwise it is removed.
///
/// # Errors
/// Those of `write`; [`FormatError::File`] if creating, writing out or renaming fails.
pub fn write_atomically<T, E: From<FormatError>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let fail = |source| E::from(error(path, source));
    let (file, mut temporary) = create(path, access).map_err(fail)?;
    let mut buffered = Buffered {
        file,
        waiting: Zeroizing::new(Vec::with_capacity(BUFFER)),
    };
    let result = write(&mut buffered)?;
    buffered.flush().map_err(fail)?;
    buffered.file.sync_all().map_err(fail)?;
    drop(buffered);
    fs::rename(&temporary.path, path).map_err(fail)?;
    temporary.renamed = true;
    sync_directory(path);
    Ok(result)
}

fn error(path: &Path, source: io::Error) -> FormatError {
    FormatError::File {
        path: path.to_path_buf(),
        source,
    }
}

/// A file removed when dropped unless it was renamed.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing can be done if this fails too.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates a new file beside `path`.
fn create(path: &Path, access: Access) -> io::Result<(File, Temporary)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not the name of a file"));
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    restrict(&mut options, access);
    let mut attempts = 0;
    loop {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        temporary.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        match options.open(&temporary) {
            Ok(file) => {
                let renamed = false;
                return Ok((
                    file,
                    Temporary {
                        path: temporary,
                        renamed,
                    },
                ));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempts < ATTEMPTS => attempts += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn restrict(options: &mut OpenOptions, access: Access) {
    use std::os::unix::fs::OpenOptionsExt;
    if access == Access::Private {
        options.mode(0o600);
    }
}

#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Access) {}

/// Makes the renaming last, where the system can; the file is whole in any case.
fn sync_directory(path: &Path) {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Ok(directory) = File::open(directory.unwrap_or(Path::new("."))) {
        let _ = directory.sync_all();
    }
}

/// A buffer that wipes what has been written.
struct Buffered {
    file: File,
    waiting: Zeroizing<Vec<u8>>,
}

impl Write for Buffered {
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
