//! What a file of ringmill's holds, found out by reading and checking all of it.

use std::io::{BufRead, Read};
use std::path::Path;

use ringmill_engine::Recipe;
use ringmill_expression::MessageProgram;
use ringmill_format::{FormatError, FrameKind, FrameReader, HEADER_BYTES, Header, OVERHEAD_BYTES, Take};
use ringmill_fv::{FvError, Parameters};

use crate::batches::{self, Role};
use crate::circuits::{NamedCircuit, source};
use crate::files::{Digest, Input};
use crate::messages::{self, Encoding};
use crate::{Error, KeySet, Signature};

/// The content of a file: what its frames say of themselves. Needs no keys and no circuit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The kind of the first frame.
    pub kind: FrameKind,
    /// The version of the format of the first frame.
    pub version: u16,
    /// The hash of the parameters that the first frame belongs to.
    pub parameters_hash: Digest,
    /// Bytes of the file.
    pub bytes: u64,
    /// The number of frames.
    pub frames: usize,
    /// The parameters, of a file of parameters.
    pub parameters: Option<Parameters>,
    /// The plan behind them.
    pub plan: Option<Recipe>,
    /// The circuit that the plan is for.
    pub circuit: Option<NamedCircuit>,
    /// The batches of records.
    pub records: Option<RecordCounts>,
    /// The private ports that the first batch of encrypted inputs holds, if not all.
    pub ports: Option<Vec<String>>,
    /// The batches of messages.
    pub messages: Option<MessageCounts>,
    /// The program over messages of a job.
    pub program: Option<MessageProgram>,
    /// The batches of rows of messages, inputs or results of a program.
    pub rows: Option<RowCounts>,
    /// Keys or ciphertexts that stand in lists.
    pub items: Option<Items>,
    /// The key set that keys or ciphertexts belong to.
    pub key_set: Option<KeySet>,
    /// The signature behind results; whether it is right, is not checked.
    pub signature: Option<Signature>,
}

/// The batches of records in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordCounts {
    /// Inputs or results.
    pub role: Role,
    /// The circuit's digest.
    pub circuit: Digest,
    /// The number of batches.
    pub batches: u64,
    /// Records in all of them.
    pub records: u64,
}

/// The batches of messages in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageCounts {
    /// How the first batch is encoded.
    pub encoding: Encoding,
    /// The number of batches.
    pub batches: u64,
    /// Messages in all of them.
    pub messages: u64,
    /// Numbers in all messages.
    pub numbers: u64,
}

/// The batches of rows of messages in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowCounts {
    /// Inputs or results.
    pub role: Role,
    /// The program's digest.
    pub program: Digest,
    /// The inputs or outputs in each row.
    pub names: Vec<String>,
    /// The number of batches.
    pub batches: u64,
    /// Rows in all of them.
    pub rows: u64,
}

/// The ciphertexts or Galois keys of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Items {
    /// Their number, in all frames together.
    pub count: u64,
    /// The first ciphertext, if there is one.
    pub first: Option<CiphertextForm>,
}

/// The form of a ciphertext in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CiphertextForm {
    /// Its level.
    pub level: u16,
    /// Its parts.
    pub parts: u8,
    /// Whether its second part is stored as a seed.
    pub seeded: bool,
}

impl Inspection {
    /// Reads a file to its end; `-` is standard input.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::read(Input::open(path)?).map_err(|error| Error::in_file(path, error))
    }

    /// The same of an input that is open.
    ///
    /// # Errors
    /// [`FvError::Format`] for damage, with every checksum compared; those of reading parameters.
    pub fn read(mut input: impl BufRead) -> Result<Self, FvError> {
        let mut all: Option<Self> = None;
        while all.is_none() || !at_end(&mut input)? {
            let first = take_header(&mut input);
            let (bytes, header) = first.map_err(|error| match error {
                // Bytes that follow a whole frame and are none.
                FormatError::Truncated | FormatError::BadMagic if all.is_some() => {
                    FormatError::Excess("the last frame")
                }
                error => error,
            })?;
            let all = all.get_or_insert_with(|| Self::new(&header));
            all.note(header.kind, bytes.as_slice().chain(&mut input))?;
            all.bytes += header.length + OVERHEAD_BYTES;
            all.frames += 1;
        }
        all.ok_or(FvError::Format(FormatError::Truncated))
    }

    fn new(header: &Header) -> Self {
        Self {
            kind: header.kind,
            version: header.version,
            parameters_hash: header.parameters,
            bytes: 0,
            frames: 0,
            parameters: None,
            plan: None,
            circuit: None,
            records: None,
            ports: None,
            messages: None,
            program: None,
            rows: None,
            items: None,
            key_set: None,
            signature: None,
        }
    }

    /// Reads a frame of this kind, header and all.
    fn note(&mut self, kind: FrameKind, mut frame: impl Read) -> Result<(), FvError> {
        match kind {
            FrameKind::PARAMETERS => self.parameters = Some(Parameters::read(&mut frame)?),
            FrameKind::PLAN => self.note_plan(frame)?,
            FrameKind::CIRCUIT => self.note_circuit(frame)?,
            FrameKind::BATCH => self.note_records(frame)?,
            FrameKind::MESSAGES => self.note_messages(frame)?,
            FrameKind::MESSAGE_PROGRAM => self.note_program(frame)?,
            FrameKind::MESSAGE_ROWS => self.note_rows(frame)?,
            FrameKind::KEY_SET => self.key_set = Some(KeySet::read(frame)?.0),
            FrameKind::SIGNATURE => self.signature = Some(Signature::read(frame)?),
            _ => self.note_items(frame)?,
        }
        Ok(())
    }

    fn note_plan(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let Some(parameters) = &self.parameters else {
            return Err(FormatError::BadValue {
                field: "plan",
                problem: "there are no parameters before it".to_owned(),
            });
        };
        self.plan = Some(Recipe::read(frame, parameters)?);
        Ok(())
    }

    fn note_circuit(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let bad = |problem: String| FormatError::BadValue {
            field: "circuit",
            problem,
        };
        let Some(parameters) = &self.parameters else {
            return Err(bad("there are no parameters before it".to_owned()));
        };
        let steps = source::read(parameters.hash(), frame)?;
        self.circuit = Some(source::build(&steps).map_err(|error| bad(error.to_string()))?);
        Ok(())
    }

    fn note_program(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let Some(parameters) = &self.parameters else {
            return Err(FormatError::BadValue {
                field: "program",
                problem: "there are no parameters before it".to_owned(),
            });
        };
        self.program = Some(messages::take_program(parameters.hash(), frame)?);
        Ok(())
    }

    fn note_rows(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let (head, _) = messages::RowsHead::read(frame)?;
        let all = self.rows.get_or_insert_with(|| RowCounts {
            role: head.role,
            program: head.program,
            names: head.names.clone(),
            batches: 0,
            rows: 0,
        });
        all.batches += 1;
        all.rows += head.rows() as u64;
        self.key_set = head.keys.or(self.key_set);
        Ok(())
    }

    fn note_records(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let (head, _) = batches::Head::read(frame, u64::from(u32::MAX))?;
        if self.records.is_none() && !head.ports.is_empty() {
            self.ports = Some(head.ports);
        }
        let all = self.records.get_or_insert(RecordCounts {
            role: head.role,
            circuit: head.circuit,
            batches: 0,
            records: 0,
        });
        all.batches += 1;
        all.records = all.records.saturating_add(head.records);
        self.key_set = head.keys.or(self.key_set);
        Ok(())
    }

    fn note_messages(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let (head, _) = messages::Head::read(frame)?;
        let all = self.messages.get_or_insert(MessageCounts {
            encoding: head.encoding,
            batches: 0,
            messages: 0,
            numbers: 0,
        });
        all.batches += 1;
        all.messages += head.lengths.len() as u64;
        all.numbers += head.lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        self.key_set = head.keys.or(self.key_set);
        Ok(())
    }

    /// Reads a frame of something long, of which only the count at its beginning is kept.
    fn note_items(&mut self, frame: impl Read) -> Result<(), FormatError> {
        let mut frame = FrameReader::new(frame)?;
        let kind = frame.header().kind;
        if matches!(kind, FrameKind::CIPHERTEXTS | FrameKind::GALOIS_KEYS) {
            let items = self.items.get_or_insert(Items {
                count: 0,
                first: None,
            });
            let count = frame.take_u32()?;
            items.count += u64::from(count);
            if kind == FrameKind::CIPHERTEXTS && count > 0 && items.first.is_none() {
                items.first = Some(CiphertextForm {
                    level: frame.take_u16()?,
                    parts: frame.take_u8()?,
                    seeded: frame.take_flag("seeded")?,
                });
            }
        }
        frame.skip()?;
        frame.finish()?;
        Ok(())
    }
}

/// The header of the next frame, and its bytes.
fn take_header(input: &mut impl Read) -> Result<([u8; HEADER_BYTES as usize], Header), FormatError> {
    let bytes: [u8; HEADER_BYTES as usize] = input.take_array()?;
    let header = FrameReader::new(bytes.as_slice())?.header().clone();
    Ok((bytes, header))
}

fn at_end(input: &mut impl BufRead) -> Result<bool, FormatError> {
    Ok(input.fill_buf()?.is_empty())
}

#[cfg(test)]
mod tests {
    use ringmill_format::{FrameWriter, Put};

    use super::*;

    fn frame(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
        let mut frame = FrameWriter::new(Vec::new(), kind, &[3; 32], payload.len() as u64).unwrap();
        frame.put_bytes(payload).unwrap();
        frame.finish().unwrap()
    }

    /// Two batches whose heads declare more records than there are numbers.
    #[test]
    fn counts_do_not_overflow() {
        let mut payload = vec![0; 32 + 1 + 1 + 4];
        payload.extend(u64::MAX.to_le_bytes());
        payload.resize(payload.len() + 32 + 4, 0);
        let file = frame(FrameKind::BATCH, &payload).repeat(2);
        let records = Inspection::read(file.as_slice()).unwrap().records.unwrap();
        assert_eq!((records.batches, records.records), (2, u64::MAX));
    }

    #[test]
    fn lists_are_counted_over_all_frames() {
        let ciphertexts = frame(FrameKind::CIPHERTEXTS, &[5, 0, 0, 0, 2, 1, 2, 1, 99]);
        let all = Inspection::read([&*ciphertexts, &ciphertexts].concat().as_slice()).unwrap();
        let first = CiphertextForm {
            level: 258,
            parts: 2,
            seeded: true,
        };
        assert_eq!((all.frames, all.bytes), (2, 2 * ciphertexts.len() as u64));
        assert_eq!(all.parameters_hash, [3; 32]);
        assert_eq!(
            all.items,
            Some(Items {
                count: 10,
                first: Some(first)
            })
        );
    }

    #[test]
    fn bytes_behind_the_last_frame_are_refused() {
        let whole = frame(FrameKind::KEY_SET, &[7; 32]);
        let read = |bytes: &[u8]| Inspection::read(bytes).map_err(|error| error.to_string());
        assert_eq!(read(&whole).unwrap().key_set, Some(KeySet([7; 32])));
        for tail in [&b"x"[..], &[0; 200]] {
            let error = read(&[&*whole, tail].concat()).unwrap_err();
            assert!(error.contains("bytes after the end of the last frame"), "{error}");
        }
        assert!(read(b"").unwrap_err().contains("ends too early"));
        let plan = frame(FrameKind::PLAN, &[0; 50]);
        assert!(read(&plan).unwrap_err().contains("no parameters before it"));
    }
}
