//! The head of a batch of records in a file; `docs/formats.md` specifies it.

use std::io::{Read, Write};

use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, OLDEST, Put, Take};

use crate::files::Digest;
use crate::keys::KeySet;

/// Bytes of the head of a batch of inputs, and of what values in the clear are not.
const HEAD_BYTES: u64 = 32 + 1 + 1 + 4 + 8 + 32 + 4;

/// Bytes that the head of results has more.
const ORIGIN_BYTES: u64 = 4 * 32;

/// The role of the ciphertexts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The private inputs of a circuit.
    Inputs,
    /// Its outputs.
    Results,
}

impl Role {
    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inputs => "encrypted inputs",
            Self::Results => "results",
        }
    }
}

/// The origin of results: digests of everything that determines them beside parameters and circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Of the file of evaluation keys.
    pub evaluation_key: Digest,
    /// Of the plan as it is in files.
    pub plan: Digest,
    /// Of the frames of the encrypted inputs.
    pub private: Digest,
    /// Of the public inputs.
    pub public: Digest,
}

/// The head of a batch: it comes before the ciphertexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The circuit's digest.
    pub circuit: [u8; 32],
    /// Inputs or results.
    pub role: Role,
    /// Whether it is the last batch of the file.
    pub last: bool,
    /// Its number, from 0.
    pub index: u32,
    /// Records in it.
    pub records: u64,
    /// The keys that its ciphertexts belong to, if that is known.
    pub keys: Option<KeySet>,
    /// Of results what they were made of; version 3 of the format did not say.
    pub origin: Option<Origin>,
    /// The outputs that depend on public inputs only, in order.
    pub clear: Vec<Vec<u8>>,
}

impl Head {
    /// Reads one, up to the end of its frame, and the hash of its parameters; its values in the clear have at most
    /// `most_clear` bytes.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read, most_clear: u64) -> Result<(Self, [u8; 32]), FormatError> {
        let mut frame = FrameReader::expect(input, FrameKind::BATCH, HEAD_BYTES + ORIGIN_BYTES + most_clear)?;
        let parameters = frame.header().parameters;
        let circuit = frame.take_array()?;
        let role = if frame.take_flag("results")? {
            Role::Results
        } else {
            Role::Inputs
        };
        let last = frame.take_flag("last")?;
        let (index, records) = (frame.take_u32()?, frame.take_u64()?);
        let (keys, origin) = match frame.header().version {
            OLDEST => (None, None),
            _ => take_origin(&mut frame, role)?,
        };
        let count = frame.take_count("values in the clear", frame.left() as usize)?;
        let mut clear = Vec::new();
        for _ in 0..count {
            let length = frame.take_count("a value in the clear", frame.left() as usize)?;
            clear.push(frame.take_bytes(length)?);
        }
        frame.finish()?;
        let head = Self {
            circuit,
            role,
            last,
            index,
            records,
            keys,
            origin,
            clear,
        };
        Ok((head, parameters))
    }

    /// Writes it as a frame.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write, parameters: &[u8; 32]) -> Result<(), FormatError> {
        let clear: u64 = self.clear.iter().map(|value| 4 + value.len() as u64).sum();
        let origin = if self.origin.is_some() { ORIGIN_BYTES } else { 0 };
        let length = HEAD_BYTES + origin + clear;
        let mut frame = FrameWriter::new(out, FrameKind::BATCH, parameters, length)?;
        frame.put_bytes(&self.circuit)?;
        frame.put_u8(u8::from(self.role == Role::Results))?;
        frame.put_u8(u8::from(self.last))?;
        frame.put_u32(self.index)?;
        frame.put_u64(self.records)?;
        KeySet::put(self.keys, &mut frame)?;
        if let Some(origin) = &self.origin {
            frame.put_bytes(&origin.evaluation_key)?;
            frame.put_bytes(&origin.plan)?;
            frame.put_bytes(&origin.private)?;
            frame.put_bytes(&origin.public)?;
        }
        frame.put_u32(self.clear.len() as u32)?;
        for value in &self.clear {
            frame.put_u32(value.len() as u32)?;
            frame.put_bytes(value)?;
        }
        frame.finish()?;
        Ok(())
    }
}

/// The key set, and of results their origin.
fn take_origin(frame: &mut impl Read, role: Role) -> Result<(Option<KeySet>, Option<Origin>), FormatError> {
    let set = KeySet::take(frame)?;
    let origin = match role {
        Role::Inputs => None,
        Role::Results => Some(Origin {
            evaluation_key: frame.take_array()?,
            plan: frame.take_array()?,
            private: frame.take_array()?,
            public: frame.take_array()?,
        }),
    };
    Ok((set, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: [u8; 32] = [9; 32];

    fn head(role: Role, keys: Option<KeySet>, origin: Option<Origin>) -> Head {
        Head {
            circuit: [1; 32],
            role,
            last: true,
            index: 3,
            records: 70,
            keys,
            origin,
            clear: Vec::new(),
        }
    }

    #[test]
    fn heads_are_read_back() {
        let origin = Origin {
            evaluation_key: [2; 32],
            plan: [3; 32],
            private: [4; 32],
            public: [5; 32],
        };
        let results = Head {
            clear: vec![vec![1, 2, 3], Vec::new()],
            ..head(Role::Results, Some(KeySet([6; 32])), Some(origin))
        };
        for head in [
            head(Role::Inputs, None, None),
            head(Role::Inputs, Some(KeySet([6; 32])), None),
            results,
        ] {
            let mut file = Vec::new();
            head.write(&mut file, &HASH).unwrap();
            assert_eq!(Head::read(file.as_slice(), 100).unwrap(), (head, HASH));
        }
    }

    /// A frame as version 3 had it, byte by byte.
    #[test]
    fn heads_of_version_3_are_read() {
        use sha2::{Digest as _, Sha256};

        for (byte, role) in [(0, Role::Inputs), (1, Role::Results)] {
            let mut file = b"RMFV\x03\0\x0a\0".to_vec();
            file.extend(HASH);
            file.extend(50_u64.to_le_bytes());
            file.extend([1; 32]);
            file.extend([byte, 1]);
            file.extend(3_u32.to_le_bytes());
            file.extend(70_u64.to_le_bytes());
            file.extend(0_u32.to_le_bytes());
            let checksum = Sha256::digest(&file);
            file.extend(checksum);
            assert_eq!(
                Head::read(file.as_slice(), 0).unwrap(),
                (head(role, None, None), HASH)
            );
        }
    }
}
