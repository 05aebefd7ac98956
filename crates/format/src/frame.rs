use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

use crate::{FormatError, FrameKind, Put, Take, expect_end};

const MAGIC: [u8; 4] = *b"RMFV";

/// The oldest version that is read. Versions 1 and 2, which knew Fermat rings only, were never released.
pub const OLDEST: u16 = 3;

/// The newest version that any kind is written in.
pub const VERSION: u16 = 4;

/// Bytes before the payload.
pub const HEADER_BYTES: u64 = 48;

const CHECKSUM_BYTES: u64 = 32;

/// Bytes of a frame beside its payload.
pub const OVERHEAD_BYTES: u64 = HEADER_BYTES + CHECKSUM_BYTES;

/// A frame's description of its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Version of the format it was written in.
    pub version: u16,
    /// What it is.
    pub kind: FrameKind,
    /// Hash of the parameters it belongs to.
    pub parameters: [u8; 32],
    /// Bytes of the payload.
    pub length: u64,
}

impl Header {
    fn to_bytes(&self) -> [u8; HEADER_BYTES as usize] {
        let mut bytes = [0; HEADER_BYTES as usize];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&self.version.to_le_bytes());
        bytes[6] = self.kind.byte();
        bytes[8..40].copy_from_slice(&self.parameters);
        bytes[40..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    fn parse(mut bytes: &[u8]) -> Result<Self, FormatError> {
        let bytes = &mut bytes;
        if bytes.take_array()? != MAGIC {
            return Err(FormatError::BadMagic);
        }
        let version = bytes.take_u16()?;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(FormatError::BadVersion(version));
        }
        let kind = FrameKind::try_from(bytes.take_u8()?)?;
        if version > kind.version() {
            return Err(FormatError::BadVersion(version));
        }
        let reserved = bytes.take_u8()?;
        if reserved != 0 {
            return Err(FormatError::BadValue {
                field: "reserved",
                problem: format!("{reserved} where 0 is possible"),
            });
        }
        Ok(Self {
            version,
            kind,
            parameters: bytes.take_array()?,
            length: bytes.take_u64()?,
        })
    }
}

/// Writes a frame: the header, then what is written to it as the payload, then the checksum.
///
/// Small writes reach the inner writer as such: give it one with a buffer.
#[derive(Debug)]
pub struct FrameWriter<W> {
    inner: W,
    hash: Sha256,
    declared: u64,
    written: u64,
}

impl<W: Write> FrameWriter<W> {
    /// Writes the header of a frame of `length` bytes of payload, belonging to the parameters of this
    /// hash.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn new(
        mut inner: W,
        kind: FrameKind,
        parameters: &[u8; 32],
        length: u64,
    ) -> Result<Self, FormatError> {
        let header = Header {
            version: kind.version(),
            kind,
            parameters: *parameters,
            length,
        };
        let bytes = header.to_bytes();
        inner.put_bytes(&bytes)?;
        Ok(Self {
            inner,
            hash: Sha256::new_with_prefix(bytes),
            declared: length,
            written: 0,
        })
    }

    /// Writes the checksum, flushes, and returns the inner writer.
    ///
    /// # Errors
    /// [`FormatError::WrongLength`] if not as many bytes were written as declared; [`FormatError::Io`].
    pub fn finish(mut self) -> Result<W, FormatError> {
        if self.written != self.declared {
            return Err(FormatError::WrongLength {
                declared: self.declared,
                written: self.written,
            });
        }
        self.inner.put_bytes(&self.hash.finalize())?;
        self.inner.flush()?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for FrameWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads a frame: the header at once, then the payload by reading from it, which ends where the payload
/// does.
///
/// Nothing read may be used before [`FrameReader::finish`] has found the checksum right.
#[derive(Debug)]
pub struct FrameReader<R> {
    inner: R,
    header: Header,
    hash: Sha256,
    left: u64,
}

impl<R: Read> FrameReader<R> {
    /// Reads the header, of any kind and length.
    ///
    /// # Errors
    /// [`FormatError::BadMagic`], [`FormatError::BadVersion`], [`FormatError::UnknownKind`],
    /// [`FormatError::BadValue`], [`FormatError::Truncated`], [`FormatError::Io`].
    pub fn new(mut inner: R) -> Result<Self, FormatError> {
        let bytes: [u8; HEADER_BYTES as usize] = inner.take_array()?;
        let header = Header::parse(&bytes)?;
        Ok(Self {
            inner,
            left: header.length,
            header,
            hash: Sha256::new_with_prefix(bytes),
        })
    }

    /// Reads the header of a frame that must be of this kind and have at most `most` bytes of payload.
    ///
    /// # Errors
    /// As [`FrameReader::new`]; [`FormatError::WrongKind`], [`FormatError::TooLong`].
    pub fn expect(inner: R, kind: FrameKind, most: u64) -> Result<Self, FormatError> {
        let reader = Self::new(inner)?;
        if reader.header.kind != kind {
            return Err(FormatError::WrongKind {
                got: reader.header.kind,
                expected: kind,
            });
        }
        reader.check_length(most)?;
        Ok(reader)
    }

    /// Checks that the payload has at most `most` bytes.
    ///
    /// To be called after comparing the parameter hash where `most` depends on parameters: a file of others
    /// is then called that, and not damaged.
    ///
    /// # Errors
    /// [`FormatError::TooLong`].
    pub fn check_length(&self, most: u64) -> Result<(), FormatError> {
        if self.header.length <= most {
            return Ok(());
        }
        Err(FormatError::TooLong {
            what: "a payload",
            length: self.header.length,
            most,
        })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the payload not yet read.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Reads the rest of the payload without keeping it, in order to check the frame.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    pub fn skip(&mut self) -> Result<(), FormatError> {
        let mut block = [0; 8192];
        while self.left > 0 {
            let length = self.left.min(block.len() as u64) as usize;
            self.read_exact(&mut block[..length])?;
        }
        Ok(())
    }

    /// Checks the checksum and returns the inner reader, behind the frame.
    ///
    /// # Errors
    /// [`FormatError::Excess`] if not all of the payload was read; [`FormatError::BadChecksum`],
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    pub fn finish(mut self) -> Result<R, FormatError> {
        if self.left > 0 {
            return Err(FormatError::Excess("the content of a payload"));
        }
        let checksum: [u8; CHECKSUM_BYTES as usize] = self.inner.take_array()?;
        if checksum != *self.hash.finalize() {
            return Err(FormatError::BadChecksum);
        }
        Ok(self.inner)
    }

    /// As [`FrameReader::finish`], for a frame that is all of a file.
    ///
    /// # Errors
    /// As [`FrameReader::finish`]; [`FormatError::Excess`] if anything follows.
    pub fn finish_file(self) -> Result<(), FormatError> {
        expect_end(&mut self.finish()?, "the frame")
    }
}

impl<R: Read> Read for FrameReader<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let limit = self.left.min(bytes.len() as u64) as usize;
        let count = self.inner.read(&mut bytes[..limit])?;
        self.hash.update(&bytes[..count]);
        self.left -= count as u64;
        Ok(count)
    }
}
