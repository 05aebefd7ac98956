//! Directories of files: there when all of them are.

use std::fs;
use std::io;
use std::path::Path;

use crate::Error;

/// Makes a new directory of what `content` writes into it. Until that is all, and if it fails, the directory has another
/// name: `.partial` is appended.
///
/// # Errors
/// Those of `content`; [`ErrorKind::Io`](crate::ErrorKind::Io), also if there is something of one of these names.
pub(crate) fn write_directory<T>(
    path: &Path,
    content: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = Path::new(&partial);
    if path.symlink_metadata().is_ok() {
        return Err(exists(path, "is there already; name a new directory"));
    }
    fs::create_dir(partial).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(
            partial,
            "is there already: another run is writing it, or was killed; remove it if none is",
        ),
        _ => Error::io(partial, error),
    })?;
    let placed = content(partial).and_then(|written| {
        fs::rename(partial, path).map_err(|error| Error::io(path, error))?;
        Ok(written)
    });
    if placed.is_err() {
        // What failed is what the caller should hear of.
        let _ = fs::remove_dir_all(partial);
    }
    placed
}

fn exists(path: &Path, problem: &'static str) -> Error {
    Error::io(path, io::Error::new(io::ErrorKind::AlreadyExists, problem))
}
