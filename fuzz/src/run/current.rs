use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A file with the input that is being tried: it survives what no panic announces, such as a stack that overflows.
pub struct Current {
    path: PathBuf,
    file: File,
    length: usize,
}

impl Current {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path)?,
            length: 0,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write(&mut self, input: &[u8]) -> io::Result<()> {
        if input.len() < self.length {
            self.file.set_len(input.len() as u64)?;
        }
        self.length = input.len();
        self.file.write_all_at(input, 0)
    }

    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
