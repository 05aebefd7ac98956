//! Ciphertexts that stay in their file until they are used.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ringmill_engine::StoredWire;
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::files::{Digest, is_standard};

/// Where the ciphertexts of a file are had from when they are used.
#[derive(Debug, Clone)]
pub struct Stored(Option<Arc<Mutex<File>>>);

/// Ciphertexts in a file without a name, which only its owner may read, and which is gone when nobody uses it any more.
pub struct Temporary {
    file: Arc<Mutex<File>>,
}

impl Temporary {
    /// Makes the file in a directory.
    pub fn new(directory: &Path) -> io::Result<Self> {
        let file = Arc::new(Mutex::new(tempfile::tempfile_in(directory)?));
        Ok(Self { file })
    }

    /// Keeps a ciphertext with these bytes.
    pub fn put(&self, level: usize, bytes: &[u8]) -> io::Result<Arc<dyn StoredWire>> {
        let offset = {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let offset = file.seek(SeekFrom::End(0))?;
            file.write_all(bytes)?;
            offset
        };
        Ok(Arc::new(InFile {
            level,
            file: Arc::clone(&self.file),
            offset,
            length: bytes.len(),
            digest: Sha256::digest(bytes).into(),
        }))
    }
}

impl Stored {
    /// Of a file; what comes by standard input or from a pipe cannot be read a second time, and is kept as bytes.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if is_standard(path) {
            return Ok(Self(None));
        }
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Ok(Self(regular.then(|| Arc::new(Mutex::new(file)))))
    }

    /// A ciphertext with these bytes, the last of which is before byte `end` of the file.
    pub fn wire(&self, level: usize, end: u64, bytes: Vec<u8>) -> Arc<dyn StoredWire> {
        match &self.0 {
            None => Arc::new(InMemory { level, bytes }),
            Some(file) => Arc::new(InFile {
                level,
                file: Arc::clone(file),
                offset: end.saturating_sub(bytes.len() as u64),
                length: bytes.len(),
                digest: Sha256::digest(&bytes).into(),
            }),
        }
    }
}

struct InMemory {
    level: usize,
    bytes: Vec<u8>,
}

impl StoredWire for InMemory {
    fn level(&self) -> usize {
        self.level
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }
}

struct InFile {
    level: usize,
    file: Arc<Mutex<File>>,
    offset: u64,
    length: usize,
    digest: Digest,
}

impl StoredWire for InFile {
    fn level(&self) -> usize {
        self.level
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(self.offset))?;
            file.read_exact(&mut bytes)?;
        }
        if self.digest != *Sha256::digest(&bytes) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file of the inputs was changed while it was being used; leave it alone until the end",
            ));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_from_the_file_unless_it_was_changed() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"before, between, after").unwrap();
        let stored = Stored::open(file.path()).unwrap();
        let wire = stored.wire(3, 15, b"between".to_vec());
        assert_eq!((wire.level(), wire.read().unwrap()), (3, b"between".to_vec()));
        file.as_file_mut().seek(SeekFrom::Start(8)).unwrap();
        file.write_all(b"B").unwrap();
        assert_eq!(wire.read().unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn temporary_files_hold_several() {
        let directory = tempfile::tempdir().unwrap();
        let file = Temporary::new(directory.path()).unwrap();
        let wires = [(3, b"three".to_vec()), (1, Vec::new()), (2, b"two".to_vec())];
        let stored = wires
            .clone()
            .map(|(level, bytes)| file.put(level, &bytes).unwrap());
        drop(file);
        for ((level, bytes), wire) in wires.into_iter().zip(stored) {
            assert_eq!((wire.level(), wire.read().unwrap()), (level, bytes));
        }
        assert!(Temporary::new(&directory.path().join("none")).is_err());
    }

    #[test]
    fn standard_input_is_kept() {
        let stored = Stored::open(Path::new("-")).unwrap();
        let wire = stored.wire(2, 100, b"bytes".to_vec());
        assert_eq!((wire.level(), wire.read().unwrap()), (2, b"bytes".to_vec()));
    }
}
