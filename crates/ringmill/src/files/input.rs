//! Files that are read from begin to end, and standard input in their place.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringmill_format::WipingReader;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::Error;

/// A SHA-256.
pub type Digest = [u8; 32];

/// Whether a name means standard input, or standard output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A file, or standard input, that counts how much of it was read.
pub struct Input {
    inner: Box<dyn BufRead>,
    meter: Meter,
}

impl Input {
    /// Opens a file; - is standard input.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if is_standard(path) {
            let input = io::stdin();
            if input.is_terminal() {
                eprintln!("note: reading from the terminal; end with control and D");
            }
            return Ok(Self::of(Box::new(WipingReader::new(input)), None));
        }
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let length = metadata.map(|metadata| metadata.len());
        Ok(Self::of(Box::new(WipingReader::new(file)), length))
    }

    /// Of bytes that are there.
    pub fn of_bytes(bytes: Zeroizing<Vec<u8>>) -> Self {
        let length = bytes.len() as u64;
        Self::of(Box::new(io::Cursor::new(bytes)), Some(length))
    }

    /// Of what somebody else reads from.
    pub fn of_stream(stream: impl Read + 'static) -> Self {
        Self::of(Box::new(WipingReader::new(stream)), None)
    }

    fn of(inner: Box<dyn BufRead>, length: Option<u64>) -> Self {
        let read = Arc::new(AtomicU64::new(0));
        Self {
            inner,
            meter: Meter { read, length },
        }
    }

    /// How much is read, to be asked while somebody else reads.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.meter.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
        self.meter.read.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// How much of an input was read.
#[derive(Debug, Clone)]
pub struct Meter {
    read: Arc<AtomicU64>,
    length: Option<u64>,
}

impl Meter {
    /// The part that was read, of 1, if the length is known.
    pub fn fraction(&self) -> Option<f64> {
        let length = self.length.filter(|length| *length > 0)?;
        Some((self.bytes() as f64 / length as f64).min(1.0))
    }

    /// Bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Estimates the number of batches from those that were read; it is exact if the last one was among them.
    pub fn batches(&self, read: usize, last: bool) -> Option<usize> {
        if last {
            return Some(read);
        }
        let fraction = self.fraction().filter(|fraction| *fraction > 0.0)?;
        // One more is there at least.
        Some(((read as f64 / fraction).round() as usize).max(read + 1))
    }
}

/// Computes the digest of what goes through it.
pub struct Digesting<S> {
    inner: S,
    hash: Sha256,
}

impl<S> Digesting<S> {
    /// Of what is read from or written to something.
    pub fn new(inner: S) -> Self {
        let hash = Sha256::new();
        Self { inner, hash }
    }

    /// The source or target itself; bytes that go to it directly are not in the digest.
    pub fn inner(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The digest of all since the last one was taken.
    pub fn digest(&mut self) -> Digest {
        self.hash.finalize_reset().into()
    }
}

impl<S: Read> Read for Digesting<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }
}

impl<S: io::Write> io::Write for Digesting<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn batches_are_estimated() {
        let mut input = Input::of_bytes(vec![0; 1000].into());
        let meter = input.meter();
        assert_eq!(meter.batches(0, false), None);
        input.read_exact(&mut [0; 300]).unwrap();
        assert_eq!(meter.fraction(), Some(0.3));
        assert_eq!(
            (meter.batches(3, false), meter.batches(3, true)),
            (Some(10), Some(3))
        );
        input.read_exact(&mut [0; 700]).unwrap();
        assert_eq!(
            (meter.batches(10, false), meter.batches(10, true)),
            (Some(11), Some(10))
        );
        assert_eq!(
            Input::of(Box::new(io::empty()), None).meter().batches(5, false),
            None
        );
    }

    /// The digest of "abc" is published with SHA-256 (FIPS 180).
    #[test]
    fn digests_are_of_what_goes_through() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let mut reading = Digesting::new(&b"abcabc"[..]);
        for _ in 0..2 {
            reading.read_exact(&mut [0; 3]).unwrap();
            assert_eq!(crate::hex::format(&reading.digest()), abc);
        }
        let mut writing = Digesting::new(Vec::new());
        writing.write_all(b"abc").unwrap();
        assert_eq!(crate::hex::format(&writing.digest()), abc);
        assert_eq!(writing.inner(), b"abc");
    }
}
