use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zeroize::{Zeroize, Zeroizing};

use crate::{FormatError, WipingReader};

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

/// Opens a file for reading, which may hold a secret.
///
/// # Errors
/// [`FormatError::File`].
pub fn open(path: &Path) -> Result<WipingReader<File>, FormatError> {
    let file = File::open(path).map_err(|source| error(path, source))?;
    Ok(WipingReader::new(file))
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
    let written = write_in_parts(path, path, access, |parts| write(parts));
    written.map_err(|unfinished| unfinished.error)
}

/// The failure to write a file in parts.
#[derive(Debug)]
pub struct Unfinished<E> {
    /// What went wrong.
    pub error: E,
    /// Whether the parts that are done are kept.
    pub kept: bool,
}

impl<E> From<E> for Unfinished<E> {
    fn from(error: E) -> Self {
        Self { error, kept: false }
    }
}

/// As [`write_atomically`], but of a file that has use in parts: if `write` fails after it said that parts are
/// done ([`Parts::part_done`]), these are the whole of the file `partial`, which may be there before.
///
/// # Errors
/// As [`write_atomically`], and whether anything was kept. Where nothing was, `partial` is what it was before.
pub fn write_in_parts<T, E: From<FormatError>>(
    path: &Path,
    partial: &Path,
    access: Access,
    write: impl FnOnce(&mut Parts) -> Result<T, E>,
) -> Result<T, Unfinished<E>> {
    let fail = |source| E::from(error(path, source));
    let (file, mut temporary) = create(path, access).map_err(fail)?;
    let mut parts = Parts::new(file);
    let result = match write(&mut parts) {
        Ok(result) => result,
        Err(error) => {
            // Where what is done cannot be kept either, it is the first error that counts.
            let kept = parts.done > 0 && parts.cut().is_ok() && temporary.rename(parts, partial).is_ok();
            return Err(Unfinished { error, kept });
        }
    };
    temporary.rename(parts, path).map_err(fail)?;
    Ok(result)
}

fn error(path: &Path, source: io::Error) -> FormatError {
    FormatError::File {
        path: path.to_path_buf(),
        source,
    }
}

/// The temporary files of this process, for [`remove_temporaries`].
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths has no state that a panic could break.
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are being written: for whoever ends the process at once, by a signal say, so that nothing
/// half-written is left behind. No file gets its name afterwards.
pub fn remove_temporaries() {
    for path in temporaries().drain(..) {
        // Nothing can be done if this fails too.
        let _ = fs::remove_file(path);
    }
}

/// A file removed when dropped unless it was renamed.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn new(path: PathBuf) -> Self {
        temporaries().push(path.clone());
        let renamed = false;
        Self { path, renamed }
    }

    /// Gives the file its name when all of it is on disk.
    fn rename(&mut self, mut parts: Parts, path: &Path) -> io::Result<()> {
        parts.flush()?;
        parts.file.sync_all()?;
        drop(parts);
        fs::rename(&self.path, path)?;
        self.renamed = true;
        sync_directory(path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        temporaries().retain(|path| *path != self.path);
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
            Ok(file) => return Ok((file, Temporary::new(temporary))),
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

/// A file that is being written, through a buffer that wipes what has been written.
pub struct Parts {
    file: File,
    waiting: Zeroizing<Vec<u8>>,
    /// Bytes in the file.
    written: u64,
    /// Bytes of the parts that are done.
    done: u64,
}

impl Parts {
    fn new(file: File) -> Self {
        Self {
            file,
            waiting: Zeroizing::new(Vec::with_capacity(BUFFER)),
            written: 0,
            done: 0,
        }
    }

    /// Says that what is written so far is of use, whatever comes after.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn part_done(&mut self) -> io::Result<()> {
        self.flush()?;
        self.done = self.written;
        Ok(())
    }

    /// Gives up what was written since.
    fn cut(&mut self) -> io::Result<()> {
        self.waiting.zeroize();
        self.file.set_len(self.done)
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.waiting.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() > BUFFER {
            let count = self.file.write(bytes)?;
            self.written += count as u64;
            return Ok(count);
        }
        self.waiting.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.write_all(&self.waiting);
        self.written += self.waiting.len() as u64;
        self.waiting.zeroize();
        result
    }
}
