//! Small helpers for files and variables.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

pub fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}

pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Lists the files of a folder in sorted order: the build must not depend on their order on disk.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}

/// Those of its files whose names end like this.
pub fn files_of(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = files(folder)?;
    found.retain(|file| file.extension() == Some(OsStr::new(extension)));
    Ok(found)
}
