use std::io::{ErrorKind, Read, Write};

use crate::FormatError;

/// Bytes asked for at a time where a length comes from the file.
const BLOCK: usize = 1 << 16;

/// Writes numbers, bytes and text, little-endian, to any writer.
pub trait Put: Write {
    /// A byte.
    ///
    /// # Errors
    /// [`FormatError::Io`], as for all others.
    fn put_u8(&mut self, value: u8) -> Result<(), FormatError> {
        self.put_bytes(&[value])
    }

    /// A 16-bit number.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    fn put_u16(&mut self, value: u16) -> Result<(), FormatError> {
        self.put_bytes(&value.to_le_bytes())
    }

    /// A 32-bit number.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    fn put_u32(&mut self, value: u32) -> Result<(), FormatError> {
        self.put_bytes(&value.to_le_bytes())
    }

    /// A 64-bit number.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    fn put_u64(&mut self, value: u64) -> Result<(), FormatError> {
        self.put_bytes(&value.to_le_bytes())
    }

    /// The bits of a double-precision number.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    fn put_f64(&mut self, value: f64) -> Result<(), FormatError> {
        self.put_u64(value.to_bits())
    }

    /// Bytes as they are, no length.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        Ok(self.write_all(bytes)?)
    }

    /// Text: its length in bytes as 16 bits, then UTF-8.
    ///
    /// # Errors
    /// [`FormatError::TooLong`] beyond 65535 bytes; [`FormatError::Io`].
    fn put_str(&mut self, text: &str) -> Result<(), FormatError> {
        let length = u16::try_from(text.len()).map_err(|_| FormatError::TooLong {
            what: "a text",
            length: text.len() as u64,
            most: u16::MAX.into(),
        })?;
        self.put_u16(length)?;
        self.put_bytes(text.as_bytes())
    }
}

impl<W: Write + ?Sized> Put for W {}

/// Reads what [`Put`] writes.
pub trait Take: Read {
    /// A byte.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`], as for all others.
    fn take_u8(&mut self) -> Result<u8, FormatError> {
        Ok(self.take_array::<1>()?[0])
    }

    /// A 16-bit number.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_u16(&mut self) -> Result<u16, FormatError> {
        Ok(u16::from_le_bytes(self.take_array()?))
    }

    /// A 32-bit number.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_u32(&mut self) -> Result<u32, FormatError> {
        Ok(u32::from_le_bytes(self.take_array()?))
    }

    /// A 64-bit number.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_u64(&mut self) -> Result<u64, FormatError> {
        Ok(u64::from_le_bytes(self.take_array()?))
    }

    /// A finite double-precision number.
    ///
    /// # Errors
    /// [`FormatError::BadValue`] naming `field` for infinities and what is no number;
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_f64(&mut self, field: &'static str) -> Result<f64, FormatError> {
        let value = f64::from_bits(self.take_u64()?);
        if value.is_finite() {
            return Ok(value);
        }
        Err(FormatError::BadValue {
            field,
            problem: format!("{value} is not a finite number"),
        })
    }

    /// A byte that is 0 or 1.
    ///
    /// # Errors
    /// [`FormatError::BadValue`] naming `field` for another; [`FormatError::Truncated`],
    /// [`FormatError::Io`].
    fn take_flag(&mut self, field: &'static str) -> Result<bool, FormatError> {
        match self.take_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(FormatError::BadValue {
                field,
                problem: format!("{other} where 0 or 1 is possible"),
            }),
        }
    }

    /// A 32-bit count, checked before anything is done with it.
    ///
    /// # Errors
    /// [`FormatError::TooLong`] about `what` if it is above `most`; [`FormatError::Truncated`],
    /// [`FormatError::Io`].
    fn take_count(&mut self, what: &'static str, most: usize) -> Result<usize, FormatError> {
        let count = self.take_u32()?;
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(FormatError::TooLong {
                what,
                length: count.into(),
                most: most as u64,
            }),
        }
    }

    /// So many bytes as an array.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// So many bytes. Memory is taken as they arrive, whatever `length` says.
    ///
    /// # Errors
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_bytes(&mut self, length: usize) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let start = bytes.len();
            bytes.resize(length.min(start + BLOCK), 0);
            self.read_exact(&mut bytes[start..])?;
        }
        Ok(bytes)
    }

    /// Text of at most `most` bytes.
    ///
    /// # Errors
    /// [`FormatError::TooLong`]; [`FormatError::BadValue`] naming `field` if it is not UTF-8;
    /// [`FormatError::Truncated`], [`FormatError::Io`].
    fn take_str(&mut self, field: &'static str, most: usize) -> Result<String, FormatError> {
        let length = self.take_u16()?;
        if usize::from(length) > most {
            return Err(FormatError::TooLong {
                what: field,
                length: length.into(),
                most: most as u64,
            });
        }
        String::from_utf8(self.take_bytes(length.into())?).map_err(|_| FormatError::BadValue {
            field,
            problem: "not UTF-8".to_string(),
        })
    }
}

impl<R: Read + ?Sized> Take for R {}

/// Checks that a reader is at its end.
///
/// # Errors
/// [`FormatError::Excess`] naming `what` if it is not; [`FormatError::Io`].
pub fn expect_end(reader: &mut (impl Read + ?Sized), what: &'static str) -> Result<(), FormatError> {
    let mut byte = [0];
    loop {
        match reader.read(&mut byte) {
            Ok(0) => return Ok(()),
            Ok(_) => return Err(FormatError::Excess(what)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}
