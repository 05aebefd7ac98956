//! Signatures of results: whose they are, not that they are right.

use std::fmt;
use std::io::{BufRead, Read, Write};
use std::path::Path;

use ed25519_dalek::Signer;
use ringmill_arith::sampling::Seed;
use ringmill_format::{Access, FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};
use zeroize::Zeroizing;

use crate::files::{Content, Digest, Digesting, Input, Output, is_standard, read};
use crate::keys::KeyFile;
use crate::{Error, Observer, hex};

/// Begins what is signed, so that no signature for another purpose fits.
const CONTEXT: &[u8] = b"ringmill results 1";

/// Stands for parameters where there are none.
const NO_PARAMETERS: Digest = [0; 32];

/// A key of an evaluator, who signs results with it (Ed25519, RFC 8032). Wiped when it is dropped.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The public half of a [`SigningKey`]: tells whether results are signed with that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl fmt::Display for VerifyingKey {
    /// All of it, in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::format(self.0.as_bytes()))
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

impl SigningKey {
    /// Makes a key.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn generate() -> Result<Self, Error> {
        let seed = Seed::random()?;
        Ok(Self(ed25519_dalek::SigningKey::from_bytes(seed.as_bytes())))
    }

    /// Opens the file of a key.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let bytes = read(path.as_ref(), |input| {
            Ok(take_key(input, FrameKind::SIGNING_KEY)?)
        })?;
        Ok(Self(ed25519_dalek::SigningKey::from_bytes(&bytes)))
    }

    /// The key that others check signatures with.
    #[must_use]
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// Writes `signing.key`, which only its owner may read, and `verifying.key` into a directory, which is made if need
    /// be.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), also if one of them is there already and not to be replaced.
    pub fn save(
        &self,
        directory: impl AsRef<Path>,
        replace: bool,
        observer: &dyn Observer,
    ) -> Result<Vec<KeyFile>, Error> {
        let directory = directory.as_ref();
        std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
        let files = [
            (
                "signing.key",
                "SECRET: for whoever signs results, nobody else",
                Access::Private,
            ),
            (
                "verifying.key",
                "for whoever checks whose results are",
                Access::Public,
            ),
        ];
        let output = |name| Output::new(directory.join(name)).replacing(replace);
        for (name, ..) in files {
            output(name).prepare(Content::Binary, observer)?;
        }
        let write = |(name, what, access)| {
            let output = output(name);
            let ((), bytes) = output.write(access, |out| {
                Ok(match access {
                    Access::Private => put_key(out, FrameKind::SIGNING_KEY, self.0.as_bytes()),
                    Access::Public => {
                        put_key(out, FrameKind::VERIFYING_KEY, self.verifying_key().0.as_bytes())
                    }
                }
                .map_err(ringmill_fv::FvError::from)?)
            })?;
            let path = output.path().to_path_buf();
            Ok(KeyFile { path, bytes, what })
        };
        files.into_iter().map(write).collect()
    }

    /// Signs the batches of a file, given their digests in order.
    pub(crate) fn sign(&self, batches: &[Digest]) -> Signature {
        Signature {
            signer: *self.verifying_key().0.as_bytes(),
            bytes: self.0.sign(&message(batches)).to_bytes(),
        }
    }
}

impl VerifyingKey {
    /// Opens the file of a key.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = read(path, |input| Ok(take_key(input, FrameKind::VERIFYING_KEY)?))?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(&bytes);
        let key = key.map_err(|_| Error::data(path, "no point of the curve: the key is damaged"))?;
        if key.is_weak() {
            return Err(Error::data(path, "a key that anything is signed with"));
        }
        Ok(Self(key))
    }

    /// Checks that a file of results is signed with this key, all of it, and returns the digests of its batches.
    pub(crate) fn verify(&self, path: &Path) -> Result<Vec<Digest>, Error> {
        if is_standard(path) {
            return Err(Error::Usage(
                "results whose signature is to be checked are read twice, which standard input cannot be; name a file"
                    .to_owned(),
            ));
        }
        let (batches, signature) = scan(path)?;
        match signature {
            None => Err(Error::data(
                path,
                "the results are not signed; ask their evaluator for signed ones, or leave out --signed-by",
            )),
            Some(signature) if signature.signer != *self.0.as_bytes() => Err(Error::data(
                path,
                format!("signed with {}, not with {self}", signature.signer()),
            )),
            Some(signature) => {
                let bytes = ed25519_dalek::Signature::from_bytes(&signature.bytes);
                let verified = self.0.verify_strict(&message(&batches), &bytes);
                let refusal = "the signature is not that of these results: somebody has changed them";
                verified.map_err(|_| Error::data(path, refusal))?;
                Ok(batches)
            }
        }
    }
}

/// What is signed: a context, the number of batches, and their digests.
fn message(batches: &[Digest]) -> Vec<u8> {
    let count = (batches.len() as u64).to_le_bytes();
    [CONTEXT, &count, batches.as_flattened()].concat()
}

/// The digests of the batches of a file, and its signature if there is one.
fn scan(path: &Path) -> Result<(Vec<Digest>, Option<Signature>), Error> {
    let fail = |error: FormatError| Error::in_file(path, error.into());
    let mut input = Digesting::new(Input::open(path)?);
    let mut batches = Vec::new();
    loop {
        let ahead = input.inner().fill_buf();
        if ahead.map_err(|error| Error::io(path, error))?.is_empty() {
            return Ok((batches, None));
        }
        let mut frame = FrameReader::new(&mut input).map_err(fail)?;
        let kind = frame.header().kind;
        if kind == FrameKind::SIGNATURE {
            let signature = Signature::take(frame).map_err(fail)?;
            ringmill_format::expect_end(&mut input, "the signature").map_err(fail)?;
            return Ok((batches, Some(signature)));
        }
        frame
            .skip()
            .and_then(|()| frame.finish().map(|_| ()))
            .map_err(fail)?;
        // A batch is its head and the ciphertexts after that.
        if kind == FrameKind::CIPHERTEXTS {
            batches.push(input.digest());
        }
    }
}

/// A signature as it is in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    signer: [u8; 32],
    bytes: [u8; 64],
}

impl Signature {
    /// The key that it says it is made with, in hexadecimal.
    #[must_use]
    pub fn signer(&self) -> String {
        hex::format(&self.signer)
    }

    /// Reads one, up to the end of its frame.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read) -> Result<Self, FormatError> {
        Self::take(FrameReader::expect(input, FrameKind::SIGNATURE, 96)?)
    }

    fn take(mut frame: FrameReader<impl Read>) -> Result<Self, FormatError> {
        frame.check_length(96)?;
        let signature = Self {
            signer: frame.take_array()?,
            bytes: frame.take_array()?,
        };
        frame.finish()?;
        Ok(signature)
    }

    /// Writes it behind results, as a frame.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write, parameters: &Digest) -> Result<(), FormatError> {
        let mut frame = FrameWriter::new(out, FrameKind::SIGNATURE, parameters, 96)?;
        frame.put_bytes(&self.signer)?;
        frame.put_bytes(&self.bytes)?;
        frame.finish()?;
        Ok(())
    }
}

fn take_key(input: &mut dyn Read, kind: FrameKind) -> Result<Zeroizing<[u8; 32]>, FormatError> {
    let mut frame = FrameReader::expect(input, kind, 32)?;
    if frame.header().parameters != NO_PARAMETERS {
        return Err(FormatError::BadValue {
            field: "parameter hash",
            problem: "a key of no parameters has zeros there".to_owned(),
        });
    }
    let bytes = Zeroizing::new(frame.take_array()?);
    frame.finish()?;
    Ok(bytes)
}

fn put_key(out: &mut dyn Write, kind: FrameKind, key: &[u8; 32]) -> Result<(), FormatError> {
    let mut frame = FrameWriter::new(out, kind, &NO_PARAMETERS, 32)?;
    frame.put_bytes(key)?;
    frame.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is signed is what `docs/formats.md` says, and signatures are those of RFC 8032: its first test.
    #[test]
    fn signatures_are_of_the_digests() {
        let seed =
            hex::parse::<32>("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
        let key = SigningKey(ed25519_dalek::SigningKey::from_bytes(&seed));
        assert_eq!(
            key.verifying_key().to_string(),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        let mut expected = b"ringmill results 1\x02\0\0\0\0\0\0\0".to_vec();
        expected.extend([[5; 32], [6; 32]].concat());
        assert_eq!(message(&[[5; 32], [6; 32]]), expected);
        // The RFC's first test signs the empty message.
        assert_eq!(
            hex::format(&key.0.sign(b"").to_bytes()),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bb\
             e24655141438e7a100b"
        );
        let signature = key.sign(&[[5; 32]]);
        let mut file = Vec::new();
        signature.write(&mut file, &[7; 32]).unwrap();
        assert_eq!(Signature::read(file.as_slice()).unwrap(), signature);
    }
}
