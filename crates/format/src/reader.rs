use std::io::{self, BufRead, Read};

use ringmill_arith::secret::Secret;

/// Bytes read at once.
const BUFFER: usize = 1 << 16;

/// A reader with a buffer that is overwritten when it is dropped, so that nothing stays in memory of a secret that was
/// read through it: [`std::io::BufReader`] for secrets.
#[derive(Debug)]
pub struct WipingReader<R> {
    inner: R,
    buffer: Secret<Vec<u8>>,
    /// The bytes of the buffer that were read and not yet taken.
    next: usize,
    end: usize,
}

impl<R> WipingReader<R> {
    /// A reader of another one, with an empty buffer of 64 KiB.
    #[must_use]
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            buffer: Secret::zeros(BUFFER),
            next: 0,
            end: 0,
        }
    }

    /// The inner reader, which may be further on than this one; what is in the buffer is lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Read for WipingReader<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.next == self.end && bytes.len() >= self.buffer.len() {
            return self.inner.read(bytes);
        }
        let count = self.fill_buf()?.read(bytes)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for WipingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.next == self.end {
            (self.next, self.end) = (0, 0);
            self.end = self.inner.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.next..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.next = self.end.min(self.next + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives at most so many bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.1);
            self.0.read(&mut bytes[..count])
        }
    }

    #[test]
    fn everything_is_read_once_and_in_order() {
        let data: Vec<u8> = (0..300_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        for most in [1000, BUFFER, usize::MAX] {
            let mut reader = WipingReader::new(Slow(&data, most));
            let mut read = vec![0; 10];
            reader.read_exact(&mut read).unwrap();
            reader.read_until(data[20], &mut read).unwrap();
            // More than the buffer has, and more than it can have.
            let start = read.len();
            read.resize(start + 2 * BUFFER, 0);
            reader.read_exact(&mut read[start..]).unwrap();
            reader.read_to_end(&mut read).unwrap();
            assert_eq!(read, data);
            assert_eq!(reader.fill_buf().unwrap(), b"");
        }
    }
}
