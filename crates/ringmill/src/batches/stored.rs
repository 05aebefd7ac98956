//! Ciphertexts that stay in their file until they are used.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use poly1305::universal_hash::KeyInit;
use poly1305::{Poly1305, Tag};
use ringmill_arith::ArithError;
use ringmill_arith::sampling::Seed;
use ringmill_engine::StoredWire;

use crate::Error;
use crate::files::is_standard;

/// Where the ciphertexts of a file are had from when they are used.
#[derive(Clone)]
pub struct Stored(Option<Arc<Source>>);

/// Ciphertexts in a file without a name, which only its owner may read, and which is gone when nobody uses it any more.
pub struct Temporary(Arc<Source>);

/// A file whose bytes are recognised when they are read again.
struct Source {
    file: Mutex<File>,
    /// The key of the tags, which stay in memory as it does. Nobody sees them, so that one key serves all: whatever bytes
    /// somebody puts in the place of others, they have the same tag with a probability below 2^-80. Without instructions
    /// for it, SHA-256 takes ten times as long as Poly1305.
    key: Seed,
}

impl Source {
    fn new(file: File) -> Result<Arc<Self>, ArithError> {
        let (file, key) = (Mutex::new(file), Seed::random()?);
        Ok(Arc::new(Self { file, key }))
    }

    fn tag(&self, bytes: &[u8]) -> Tag {
        Poly1305::new(self.key.as_bytes().into()).compute_unpadded(bytes)
    }

    fn lock(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Temporary {
    /// Makes the file in a directory.
    pub fn new(directory: &Path) -> io::Result<Self> {
        let source = Source::new(tempfile::tempfile_in(directory)?);
        Ok(Self(source.map_err(io::Error::other)?))
    }

    /// Keeps a ciphertext with these bytes.
    pub fn put(&self, level: usize, bytes: &[u8]) -> io::Result<Arc<dyn StoredWire>> {
        let offset = {
            let mut file = self.0.lock();
            let offset = file.seek(SeekFrom::End(0))?;
            file.write_all(bytes)?;
            offset
        };
        Ok(Arc::new(InFile {
            level,
            offset,
            length: bytes.len(),
            tag: self.0.tag(bytes),
            source: Arc::clone(&self.0),
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
        let source = regular.then(|| Source::new(file));
        Ok(Self(source.transpose()?))
    }

    /// A ciphertext with these bytes, the last of which is before byte `end` of the file.
    pub fn wire(&self, level: usize, end: u64, bytes: Vec<u8>) -> Arc<dyn StoredWire> {
        match &self.0 {
            None => Arc::new(InMemory { level, bytes }),
            Some(source) => Arc::new(InFile {
                level,
                offset: end.saturating_sub(bytes.len() as u64),
                length: bytes.len(),
                tag: source.tag(&bytes),
                source: Arc::clone(source),
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
    source: Arc<Source>,
    offset: u64,
    length: usize,
    tag: Tag,
}

impl StoredWire for InFile {
    fn level(&self) -> usize {
        self.level
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        {
            let mut file = self.source.lock();
            file.seek(SeekFrom::Start(self.offset))?;
            file.read_exact(&mut bytes)?;
        }
        if self.tag != self.source.tag(&bytes) {
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
