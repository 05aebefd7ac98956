//! A file for values that are put aside.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where something lies on a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    offset: u64,
    length: usize,
}

/// A file without a name that only its owner may read, and that is gone when it is closed, also by a crash.
pub(crate) struct Shelf(Mutex<State>);

struct State {
    file: File,
    end: u64,
    /// Places that were cleared, by length.
    cleared: BTreeMap<usize, Vec<u64>>,
}

impl Shelf {
    /// Makes the file in a directory.
    pub fn new(directory: &Path) -> io::Result<Self> {
        Ok(Self(Mutex::new(State {
            file: tempfile::tempfile_in(directory)?,
            end: 0,
            cleared: BTreeMap::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps bytes.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Place> {
        let mut state = self.lock();
        let length = bytes.len();
        let offset = match state.cleared.get_mut(&length).and_then(Vec::pop) {
            Some(offset) => offset,
            None => {
                let offset = state.end;
                state.end += length as u64;
                offset
            }
        };
        state.file.seek(SeekFrom::Start(offset))?;
        state.file.write_all(bytes)?;
        Ok(Place { offset, length })
    }

    /// The bytes at a place.
    pub fn read(&self, place: Place) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; place.length];
        let mut state = self.lock();
        state.file.seek(SeekFrom::Start(place.offset))?;
        state.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Lets something else have a place.
    pub fn clear(&self, place: Place) {
        self.lock()
            .cleared
            .entry(place.length)
            .or_default()
            .push(place.offset);
    }

    /// Bytes of the file.
    #[cfg(test)]
    pub fn len(&self) -> u64 {
        self.lock().end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_hold_what_was_put_there_and_are_used_again() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(directory.path()).unwrap();
        let first = shelf.put(&[1; 100]).unwrap();
        let second = shelf.put(&[2; 50]).unwrap();
        assert_eq!(shelf.read(first).unwrap(), [1; 100]);
        shelf.clear(first);
        let third = shelf.put(&[3; 100]).unwrap();
        assert_eq!((third, shelf.len()), (first, 150));
        assert_eq!(shelf.put(&[4; 10]).unwrap().offset, 150);
        assert_eq!(shelf.read(third).unwrap(), [3; 100]);
        assert_eq!(shelf.read(second).unwrap(), [2; 50]);
        // Nobody else can open it, and nothing of it stays.
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_must_be_there() {
        let directory = tempfile::tempdir().unwrap();
        let error = Shelf::new(&directory.path().join("none")).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
