use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of the length in front of the input: a file that is cut for each input takes longer than most inputs do.
const LENGTH_BYTES: usize = 8;

/// A file with the input that is being tried: it survives what no panic announces, such as a stack that overflows.
pub struct Current {
    path: PathBuf,
    file: File,
    bytes: Vec<u8>,
}

impl Current {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path)?,
            bytes: Vec::new(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write(&mut self, input: &[u8]) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.extend((input.len() as u64).to_le_bytes());
        self.bytes.extend(input);
        self.file.write_all_at(&self.bytes, 0)
    }

    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// The input in a file that a run kept: of one that failed, or the one that was being tried when the process died.
///
/// # Errors
/// If it cannot be read.
pub fn kept_input(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if path.extension().is_none_or(|extension| extension != "current") {
        return Ok(bytes);
    }
    let input = bytes
        .split_first_chunk::<LENGTH_BYTES>()
        .and_then(|(length, rest)| {
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            rest.get(..length)
        });
    input.map(<[u8]>::to_vec).ok_or(io::ErrorKind::InvalidData.into())
}
