//! Files of keys, and which of them belong together.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;

use ringmill_device::Device;
use ringmill_engine::EvaluationKeys;
use ringmill_fv::format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};
use ringmill_fv::{Context, FvError, Parameters, SecretKey};

use crate::error::CliError;
use crate::files;
use crate::hex;
use crate::input::Digest;

/// Keys that were made together: the digest of the file of their public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySet(pub Digest);

impl fmt::Display for KeySet {
    /// Enough of it to tell it from others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::format(&self.0[..8]))
    }
}

impl KeySet {
    /// Writes it behind a key.
    pub fn write(self, out: &mut dyn Write, parameters: &Parameters) -> Result<(), FvError> {
        let mut frame = FrameWriter::new(out, FrameKind::KeySet, parameters.hash(), self.0.len() as u64)?;
        frame.put_bytes(&self.0)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads it, up to the end of its frame.
    pub fn read(input: impl Read) -> Result<(Self, Digest), FormatError> {
        let mut frame = FrameReader::expect(input, FrameKind::KeySet, size_of::<Digest>() as u64)?;
        let parameters = frame.header().parameters;
        let set = Self(frame.take_array()?);
        frame.finish()?;
        Ok((set, parameters))
    }

    /// What stands behind a key; nothing in files of earlier versions.
    fn read_behind(input: &mut dyn Read, parameters: &Parameters) -> Result<Option<Self>, FvError> {
        let mut first = Vec::new();
        (&mut *input)
            .take(1)
            .read_to_end(&mut first)
            .map_err(FormatError::from)?;
        if first.is_empty() {
            return Ok(None);
        }
        let (set, of) = Self::read(first.as_slice().chain(input)).map_err(|error| match error {
            FormatError::Truncated | FormatError::BadMagic => FormatError::Excess("the key"),
            error => error,
        })?;
        parameters.check_hash("the name of the key set", &of)?;
        Ok(Some(set))
    }
}

/// The keys of evaluators, and where they are from.
pub struct Evaluator<D: Device> {
    /// The keys.
    pub keys: EvaluationKeys<D>,
    /// What they were made with, if the file says so.
    pub set: Option<KeySet>,
    /// The digest of the file.
    pub digest: Digest,
}

impl<D: Device> Evaluator<D> {
    /// Reads a file of them.
    pub fn read(path: &Path, context: &Context<D>) -> Result<Self, CliError> {
        let ((keys, set), digest) = files::read_digested(path, |input| {
            let relinearization = context.take_relinearization_key(&mut *input)?;
            let galois = context.take_galois_keys(&mut *input)?;
            let set = KeySet::read_behind(input, context.parameters())?;
            Ok((EvaluationKeys::new(relinearization, galois), set))
        })?;
        Ok(Self { keys, set, digest })
    }
}

/// Writes keys for evaluators: the relinearization key, then Galois keys, each a frame.
pub fn write<D: Device>(
    mut out: &mut dyn Write,
    context: &Context<D>,
    keys: &EvaluationKeys<D>,
) -> Result<(), FvError> {
    context.write_relinearization_key(&mut out, keys.relinearization())?;
    let galois: Vec<_> = keys.galois().collect();
    context.write_galois_keys(out, &galois)
}

/// Reads a file of a secret key, and what it was made with, if the file says so.
pub fn read_secret<D: Device>(
    path: &Path,
    context: &Context<D>,
) -> Result<(SecretKey<D>, Option<KeySet>), CliError> {
    files::read(path, |input| {
        let key = context.take_secret_key(&mut *input)?;
        Ok((key, KeySet::read_behind(input, context.parameters())?))
    })
}
