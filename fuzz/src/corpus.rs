//! The inputs from which fuzzing starts: small files of each kind, in `corpus/TARGET/`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Target;

/// The folder of all corpora in the repository.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The inputs of a target, by name.
///
/// # Errors
/// If they cannot be read.
pub fn read(folder: &Path, target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(folder.join(target.name))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        inputs.push((name.into_owned(), fs::read(&path)?));
    }
    inputs.sort();
    Ok(inputs)
}

/// Makes the inputs of a target anew, from fixed seeds where its format has room for that. Others that are there stay:
/// those that once failed, or were written by hand.
///
/// # Errors
/// If they cannot be written.
pub fn make(folder: &Path, target: &Target) -> io::Result<()> {
    let folder = folder.join(target.name);
    fs::create_dir_all(&folder)?;
    for (place, reader) in target.readers.iter().enumerate() {
        for (number, seed) in (reader.seeds)().into_iter().enumerate() {
            let mut input = vec![place as u8];
            input.extend(seed);
            fs::write(folder.join(format!("{}-{number}", reader.name)), input)?;
        }
    }
    Ok(())
}
