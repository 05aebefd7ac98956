//! Secret keys under a passphrase: Argon2id (RFC 9106) and XChaCha20-Poly1305.

use std::io::{Read, Write};
use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, HEADER_BYTES, Put, Take};
use ringmill_fv::{Context, FvError};
use zeroize::Zeroizing;

use crate::Error;
use crate::files::{Input, read_bytes};

/// The most bytes of the file of a passphrase.
const MOST_PASSPHRASE: u64 = 4096;

/// The most bytes under a passphrase: keys take a quarter of a byte a coefficient.
const MOST_SEALED: u64 = 1 << 20;

/// A passphrase. Wiped when it is dropped.
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// Of these bytes, all of them.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there are none.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.is_empty() {
            return Err(Error::Usage("an empty passphrase protects nothing".to_owned()));
        }
        Ok(Self(bytes))
    }

    /// Reads the first line of a file; `-` is standard input.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io); [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if that is empty.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = read_bytes(path, MOST_PASSPHRASE)?;
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Self::new(line).map_err(|_| Error::data(path, "the first line is empty; it must be the passphrase"))
    }
}

/// Whether the secret key in a file is under a passphrase.
///
/// # Errors
/// [`ErrorKind::Io`](crate::ErrorKind::Io); [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if it is no file of ringmill's.
pub fn is_sealed(path: impl AsRef<Path>) -> Result<bool, Error> {
    let path = path.as_ref();
    let frame = FrameReader::new(Input::open(path)?);
    let frame = frame.map_err(|error| Error::in_file(path, error.into()))?;
    Ok(frame.header().kind == FrameKind::SEALED_KEY)
}

/// The work of guessing a passphrase, and what makes each file's different.
struct Cost {
    /// Memory in KiB, passes over it, lanes.
    memory: u32,
    passes: u32,
    lanes: u32,
    salt: [u8; 16],
}

impl Cost {
    /// The second choice that RFC 9106 recommends: 64 MiB, where the first, 2 GiB, is not to be had everywhere.
    const MEMORY: u32 = 64 << 10;
    const PASSES: u32 = 3;
    const LANES: u32 = 4;

    fn new(salt: [u8; 16]) -> Self {
        Self {
            memory: Self::MEMORY,
            passes: Self::PASSES,
            lanes: Self::LANES,
            salt,
        }
    }

    fn to_bytes(&self) -> [u8; 28] {
        let mut bytes = [0; 28];
        let numbers = [self.memory, self.passes, self.lanes];
        for (bytes, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes[12..].copy_from_slice(&self.salt);
        bytes
    }

    /// Reads it; a file may not ask for more than a machine can be expected to have.
    fn take(input: &mut impl Read) -> Result<Self, FormatError> {
        let mut number = |field, most| match input.take_u32()? {
            number if number <= most => Ok(number),
            number => Err(FormatError::BadValue {
                field,
                problem: format!("{number} where {most} are possible"),
            }),
        };
        Ok(Self {
            memory: number("memory", 1 << 20)?,
            passes: number("passes", 64)?,
            lanes: number("lanes", 64)?,
            salt: input.take_array()?,
        })
    }

    /// The cipher under a passphrase.
    fn cipher(&self, passphrase: &Passphrase) -> Result<XChaCha20Poly1305, FormatError> {
        let bad = |error: argon2::Error| FormatError::BadValue {
            field: "cost",
            problem: error.to_string(),
        };
        let params = Params::new(self.memory, self.passes, self.lanes, Some(32)).map_err(bad)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = Zeroizing::new([0; 32]);
        argon2
            .hash_password_into(&passphrase.0, &self.salt, &mut *key)
            .map_err(bad)?;
        Ok(XChaCha20Poly1305::new((&*key).into()))
    }
}

/// Writes a secret key under a passphrase, as a frame.
pub(super) fn write<D: Device>(
    out: &mut dyn Write,
    context: &Context<D>,
    key: &ringmill_fv::SecretKey<D>,
    passphrase: &Passphrase,
) -> Result<(), FvError> {
    let mut plain = Zeroizing::new(Vec::with_capacity(context.parameters().n() / 4 + 128));
    context.write_secret_key(&mut *plain, key)?;
    let random = Seed::random()?;
    let [salt, nonce] = ["salt", "nonce"].map(|label| random.derive(label, 0));
    let mut salt_bytes = [0; 16];
    salt_bytes.copy_from_slice(&salt.as_bytes()[..16]);
    let mut nonce_bytes = [0; 24];
    nonce_bytes.copy_from_slice(&nonce.as_bytes()[..24]);
    let cost = Cost::new(salt_bytes);
    let aad = associated(context.parameters().hash(), &cost);
    let payload = Payload {
        msg: &plain,
        aad: &aad,
    };
    let sealed = cost
        .cipher(passphrase)?
        .encrypt(&XNonce::from(nonce_bytes), payload);
    let sealed = sealed.map_err(|_| FormatError::BadValue {
        field: "secret key",
        problem: "too long to be sealed".to_owned(),
    })?;
    let length = (28 + 24 + sealed.len()) as u64;
    let mut frame = FrameWriter::new(out, FrameKind::SEALED_KEY, context.parameters().hash(), length)?;
    frame.put_bytes(&cost.to_bytes())?;
    frame.put_bytes(&nonce_bytes)?;
    frame.put_bytes(&sealed)?;
    frame.finish()?;
    Ok(())
}

/// What is not secret, but must be as it was: the parameters and the cost.
fn associated(parameters: &[u8; 32], cost: &Cost) -> Vec<u8> {
    [&parameters[..], &cost.to_bytes()].concat()
}

/// Reads a secret key, under a passphrase or not, up to the end of its frame.
pub(super) fn take<D: Device>(
    input: &mut dyn Read,
    context: &Context<D>,
    passphrase: Option<&Passphrase>,
) -> Result<ringmill_fv::SecretKey<D>, FvError> {
    let header: [u8; HEADER_BYTES as usize] = input.take_array()?;
    let kind = FrameReader::new(header.as_slice())?.header().kind;
    let input = header.as_slice().chain(input);
    if kind != FrameKind::SEALED_KEY {
        return context.take_secret_key(input);
    }
    let mut frame = FrameReader::expect(input, FrameKind::SEALED_KEY, MOST_SEALED)?;
    let parameters = frame.header().parameters;
    context.parameters().check_hash("the secret key", &parameters)?;
    let cost = Cost::take(&mut frame)?;
    let nonce: [u8; 24] = frame.take_array()?;
    let length = frame.left() as usize;
    let sealed = frame.take_bytes(length)?;
    frame.finish()?;
    let refuse = |problem: &str| FormatError::BadValue {
        field: "passphrase",
        problem: problem.to_owned(),
    };
    let Some(passphrase) = passphrase else {
        return Err(refuse("the key is under one; give it with --passphrase-file").into());
    };
    let aad = associated(&parameters, &cost);
    let payload = Payload {
        msg: &sealed,
        aad: &aad,
    };
    let plain = cost.cipher(passphrase)?.decrypt(&XNonce::from(nonce), payload);
    let plain = Zeroizing::new(plain.map_err(|_| refuse("it is not the one of this key"))?);
    context.read_secret_key(plain.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9106, section 5.3, has no test without a secret and associated data; this is that of Argon2's reference
    /// implementation for Argon2id, 64 MiB, 2 passes and 1 lane, of "password" with the salt "somesalt".
    #[test]
    fn the_key_is_argon2ids() {
        let params = Params::new(1 << 16, 2, 1, Some(32)).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = [0; 32];
        argon2
            .hash_password_into(b"password", b"somesalt", &mut key)
            .unwrap();
        assert_eq!(
            crate::hex::format(&key),
            "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"
        );
    }

    #[test]
    fn costs_have_limits() {
        let cost = Cost::new([7; 16]);
        let bytes = cost.to_bytes();
        assert_eq!(Cost::take(&mut bytes.as_slice()).unwrap().to_bytes(), bytes);
        for (at, value) in [(2, 0x11), (3, 1), (4, 65), (9, 1)] {
            let mut bytes = bytes;
            bytes[at] = value;
            assert!(Cost::take(&mut bytes.as_slice()).is_err());
        }
        let none = Cost { memory: 0, ..cost };
        assert!(none.cipher(&Passphrase::new("x").unwrap()).is_err());
        assert!(Passphrase::new("").is_err());
    }
}
