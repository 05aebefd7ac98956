//! Temporary names: of this process, and those that killed processes have left.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::file::{Access, Existing, rename};

/// Temporary names tried: others may have them.
const ATTEMPTS: u32 = 100;

/// The end of all temporary names.
const SUFFIX: &str = ".ringmill.tmp";

/// The temporary files of this process, for [`remove_temporaries`].
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths has no state that a panic could break.
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are being written: for whoever ends the process at once, by a signal say, so that nothing
/// half-written is left behind. From then on a thread that begins a file, places one or drops one waits for ever: end
/// the process.
pub fn remove_temporaries() {
    let mut paths = temporaries();
    for path in paths.drain(..) {
        // Nothing can be done if this fails too.
        let _ = fs::remove_file(path);
    }
    // Never unlocked: whatever another thread created now would be left behind.
    std::mem::forget(paths);
}

/// Removes the temporary files in a directory whose processes were killed, and names them. They may hold secrets. A
/// file that a living process writes is locked, and stays.
#[must_use]
pub fn remove_stale(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| is_temporary(path) && remove_if_stale(path))
        .collect()
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with('.') && name.ends_with(SUFFIX))
}

fn remove_if_stale(path: &Path) -> bool {
    let regular = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let Some(file) = regular.then(|| File::open(path).ok()).flatten() else {
        return false;
    };
    // The lock is held while the file is removed, so that nobody takes the name for his meanwhile.
    file.try_lock().is_ok() && fs::remove_file(path).is_ok()
}

/// A file removed when dropped unless it was placed.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Creates a new file beside `path`, locked as long as it is open.
    pub fn create(path: &Path, access: Access) -> io::Result<(File, Self)> {
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
            temporary.push(format!(".{}-{number}{SUFFIX}", std::process::id()));
            let temporary = path.with_file_name(temporary);
            attempts += 1;
            match Self::open(&options, temporary) {
                Ok((file, temporary)) => {
                    if attempts == ATTEMPTS || lock(&file, &temporary.path)? {
                        return Ok((file, temporary));
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempts < ATTEMPTS => (),
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens and lists a file with the list locked, so that [`remove_temporaries`] finds it or comes first.
    fn open(options: &OpenOptions, path: PathBuf) -> io::Result<(File, Self)> {
        let mut paths = temporaries();
        let file = options.open(&path)?;
        paths.push(path.clone());
        Ok((file, Self { path }))
    }

    /// Of a file that is there.
    pub fn of(path: PathBuf) -> Self {
        temporaries().push(path.clone());
        Self { path }
    }

    /// Gives the file its name.
    pub fn place(self, path: &Path, existing: Existing) -> io::Result<()> {
        let mut paths = temporaries();
        rename(&self.path, path, existing)?;
        paths.retain(|path| *path != self.path);
        drop(paths);
        std::mem::forget(self);
        Ok(())
    }

    /// Says that it is no longer temporary.
    pub fn keep(self) {
        temporaries().retain(|path| *path != self.path);
        std::mem::forget(self);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut paths = temporaries();
        // Nothing can be done if this fails too.
        let _ = fs::remove_file(&self.path);
        paths.retain(|path| *path != self.path);
    }
}

/// Locks a file as long as it is open, where the system can. Whether it still has its name: between its creation and
/// the lock somebody may have taken it for a stale one.
pub(crate) fn lock(file: &File, path: &Path) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(is_at(file, path)),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(file), Ok(path)) => id(file) == id(path),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(unix)]
pub(crate) fn restrict(options: &mut OpenOptions, access: Access) {
    use std::os::unix::fs::OpenOptionsExt;
    if access == Access::Private {
        options.mode(0o600);
    }
}

#[cfg(not(unix))]
pub(crate) fn restrict(_: &mut OpenOptions, _: Access) {}
