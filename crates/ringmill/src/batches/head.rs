//! The head of a batch of records in a file; `docs/formats.md` specifies it.

use std::io::{Read, Write};

use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, OLDEST, Put, Take};

use crate::files::Digest;
use crate::keys::KeySet;

/// Bytes of the head of a batch of inputs, and of what values in the clear are not.
const HEAD_BYTES: u64 = 32 + 1 + 1 + 4 + 8 + 32 + 4;

/// Bytes that the head of results has more.
const ORIGIN_BYTES: u64 = 4 * 32;

/// Bytes that the name of a port may have.
const MOST_NAME: u64 = 1 << 12;

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
    /// Its number, from 0; of a batch that was encrypted into a file of its own the number among all batches of its table.
    pub index: u32,
    /// Records in it.
    pub records: u64,
    /// The keys that its ciphertexts belong to, if that is known.
    pub keys: Option<KeySet>,
    /// Of results what they were made of; version 3 of the format did not say.
    pub origin: Option<Origin>,
    /// The outputs that depend on public inputs only, in order.
    pub clear: Vec<Vec<u8>>,
    /// Of inputs the ports that they hold, in the circuit's order; none if they hold all private ports.
    pub ports: Vec<String>,
}

impl Head {
    /// Reads one, up to the end of its frame, and the hash of its parameters; its values in the clear or the names of its
    /// ports have at most `most` bytes.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read, most: u64) -> Result<(Self, [u8; 32]), FormatError> {
        let mut frame = FrameReader::expect(input, FrameKind::BATCH, HEAD_BYTES + ORIGIN_BYTES + most)?;
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
        let some = role == Role::Inputs && frame.left() > 0 && frame.header().version > OLDEST;
        let ports = if some { take_ports(&mut frame)? } else { Vec::new() };
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
            ports,
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
        let length = HEAD_BYTES + origin + clear + names_bytes(self.ports.iter().map(String::as_str));
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
        if !self.ports.is_empty() {
            frame.put_u32(self.ports.len() as u32)?;
            self.ports.iter().try_for_each(|name| frame.put_str(name))?;
        }
        frame.finish()?;
        Ok(())
    }
}

/// The bytes that names of ports take in a head; nothing where there are none.
pub(super) fn names_bytes<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    let bytes: u64 = names.map(|name| 2 + name.len() as u64).sum();
    if bytes == 0 { 0 } else { 4 + bytes }
}

/// The names of ports: at least one, because a list of none is not written.
fn take_ports<R: Read>(frame: &mut FrameReader<R>) -> Result<Vec<String>, FormatError> {
    let count = frame.take_count("ports", frame.left() as usize)?;
    if count == 0 {
        return Err(FormatError::BadValue {
            field: "ports",
            problem: "there are none".to_owned(),
        });
    }
    let mut ports = Vec::new();
    for _ in 0..count {
        let most = frame.left().min(MOST_NAME) as usize;
        ports.push(frame.take_str("name of a port", most)?);
    }
    Ok(ports)
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
            ports: Vec::new(),
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
        let some = Head {
            ports: vec!["a".to_owned(), "größe".to_owned()],
            ..head(Role::Inputs, None, None)
        };
        for head in [
            some,
            head(Role::Inputs, None, None),
            head(Role::Inputs, Some(KeySet([6; 32])), None),
            results,
        ] {
            let mut file = Vec::new();
            head.write(&mut file, &HASH).unwrap();
            assert_eq!(Head::read(file.as_slice(), 100).unwrap(), (head, HASH));
        }
    }

    /// Inputs of all ports are as they were before there were others: their head ends with the number of values in the
    /// clear. A list of no ports, and one behind results, is refused.
    #[test]
    fn lists_of_ports_are_at_the_end_of_inputs() {
        let written = |head: &Head| {
            let mut file = Vec::new();
            head.write(&mut file, &HASH).unwrap();
            file
        };
        let all = head(Role::Inputs, Some(KeySet([6; 32])), None);
        let some = Head {
            ports: vec!["b".to_owned()],
            ..all.clone()
        };
        let payload = |file: &[u8]| file[48..file.len() - 32].to_vec();
        let (all, some) = (payload(&written(&all)), payload(&written(&some)));
        assert_eq!(all.len() as u64, HEAD_BYTES);
        assert_eq!(some, [&all[..], b"\x01\0\0\0\x01\0b"].concat());
        let framed = |payload: &[u8]| {
            let length = payload.len() as u64;
            let mut frame = FrameWriter::new(Vec::new(), FrameKind::BATCH, &HASH, length).unwrap();
            frame.put_bytes(payload).unwrap();
            let file = frame.finish().unwrap();
            Head::read(file.as_slice(), 100).map_err(|error| error.to_string())
        };
        assert!(framed(&some).is_ok());
        let none = framed(&[&all[..], &[0; 4]].concat()).unwrap_err();
        assert!(none.contains("there are none"), "{none}");
        let mut results = [&all[..78], &[1; 128], &some[78..]].concat();
        results[32] = 1;
        assert!(framed(&results).unwrap_err().contains("after the end"));
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
