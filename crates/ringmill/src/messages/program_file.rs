//! Files of a program over messages: the program in a job, and encrypted rows; `docs/formats.md` specifies them.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_expression::{MAX_TEXT_BYTES, MessageProgram};
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take, expect_end};
use ringmill_fv::{Ciphertext, Context, FvError};
use sha2::{Digest as _, Sha256};

use super::MessagePlan;
use super::planning::read_program;
use crate::Error;
use crate::batches::Role;
use crate::files::{Digest, Input, Meter};
use crate::keys::KeySet;

/// Rows in a batch at most.
const MOST_ROWS: usize = 1024;

/// Words of the fresh ciphertexts of a batch, about: 64 MiB.
const BATCH_WORDS: usize = 1 << 23;

/// Names in a batch at most: as many as a program has inputs or outputs.
const MOST_NAMES: usize = 64;

/// The most bytes of a name.
const MOST_NAME: u64 = 64;

/// What a program's digest begins with.
const DIGEST_PREFIX: &[u8] = b"ringmill message program 1";

/// The digest of a program: of its text.
pub(crate) fn digest(program: &MessageProgram) -> Digest {
    Sha256::new()
        .chain_update(DIGEST_PREFIX)
        .chain_update(program.text())
        .finalize()
        .into()
}

/// Writes the frame of a program, for the parameters of this hash.
pub(crate) fn write_program(text: &str, parameters: &[u8; 32], out: impl Write) -> Result<(), FormatError> {
    let mut frame = FrameWriter::new(out, FrameKind::MESSAGE_PROGRAM, parameters, 4 + text.len() as u64)?;
    frame.put_u32(text.len() as u32)?;
    frame.put_bytes(text.as_bytes())?;
    frame.finish()?;
    Ok(())
}

/// Reads the frame of a program, for the parameters of this hash.
pub(crate) fn take_program(parameters: &[u8; 32], input: impl Read) -> Result<MessageProgram, FormatError> {
    let bad = |problem: String| FormatError::BadValue {
        field: "program",
        problem,
    };
    let mut frame = FrameReader::expect(input, FrameKind::MESSAGE_PROGRAM, 4 + MAX_TEXT_BYTES as u64)?;
    if frame.header().parameters != *parameters {
        return Err(bad(
            "it belongs to other parameters than those before it".to_owned()
        ));
    }
    let length = frame.take_count("bytes of a program", MAX_TEXT_BYTES)?;
    let text = frame.take_bytes(length)?;
    frame.finish()?;
    let text = String::from_utf8(text).map_err(|_| bad("not text".to_owned()))?;
    read_program(&text).map_err(|error| bad(error.to_string()))
}

/// The head of a batch of encrypted rows: it comes before the ciphertexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsHead {
    /// The program's digest.
    pub program: [u8; 32],
    /// Inputs or results.
    pub role: Role,
    /// Whether it is the last batch of the file.
    pub last: bool,
    /// Its number, from 0.
    pub index: u32,
    /// The keys that its ciphertexts belong to, if that is known.
    pub keys: Option<KeySet>,
    /// The inputs or outputs in each row.
    pub names: Vec<String>,
    /// Numbers in each message, row by row.
    pub lengths: Vec<u32>,
}

impl RowsHead {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lengths.len().checked_div(self.names.len()).unwrap_or(0)
    }

    /// The lengths of each row's messages.
    pub(super) fn row_lengths(&self) -> impl Iterator<Item = &[u32]> {
        self.lengths.chunks(self.names.len().max(1))
    }

    /// Reads one, up to the end of its frame, and the hash of its parameters.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read) -> Result<(Self, [u8; 32]), FormatError> {
        let most = 256 + MOST_NAMES as u64 * (2 + MOST_NAME + 4 * MOST_ROWS as u64);
        let mut frame = FrameReader::expect(input, FrameKind::MESSAGE_ROWS, most)?;
        let parameters = frame.header().parameters;
        let program = frame.take_array()?;
        let role = if frame.take_flag("results")? {
            Role::Results
        } else {
            Role::Inputs
        };
        let last = frame.take_flag("last")?;
        let index = frame.take_u32()?;
        let keys = KeySet::take(&mut frame)?;
        let names = frame.take_count("names", MOST_NAMES)?;
        let names = (0..names)
            .map(|_| frame.take_str("name", MOST_NAME as usize))
            .collect::<Result<Vec<_>, _>>()?;
        let rows = frame.take_count("rows", MOST_ROWS)?;
        let lengths = (0..rows * names.len()).map(|_| frame.take_u32());
        let head = Self {
            program,
            role,
            last,
            index,
            keys,
            lengths: lengths.collect::<Result<_, _>>()?,
            names,
        };
        frame.finish()?;
        Ok((head, parameters))
    }

    /// Writes it as a frame.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write, parameters: &[u8; 32]) -> Result<(), FormatError> {
        let mut bytes = Vec::new();
        bytes.put_bytes(&self.program)?;
        bytes.put_u8(u8::from(self.role == Role::Results))?;
        bytes.put_u8(u8::from(self.last))?;
        bytes.put_u32(self.index)?;
        KeySet::put(self.keys, &mut bytes)?;
        bytes.put_u32(self.names.len() as u32)?;
        for name in &self.names {
            bytes.put_str(name)?;
        }
        bytes.put_u32(self.rows() as u32)?;
        for length in &self.lengths {
            bytes.put_u32(*length)?;
        }
        let mut frame = FrameWriter::new(out, FrameKind::MESSAGE_ROWS, parameters, bytes.len() as u64)?;
        frame.put_bytes(&bytes)?;
        frame.finish()?;
        Ok(())
    }
}

/// A batch: the head, and a ciphertext for each of its lengths.
pub(super) type RowsBatch<D> = (RowsHead, Vec<Ciphertext<D>>);

/// Rows in a batch: the same for inputs and results, and whoever encrypts which inputs.
pub(super) fn rows_in_batch(plan: &MessagePlan) -> usize {
    let parameters = plan.parameters();
    let messages = plan.program().inputs().len().max(plan.program().outputs().len());
    (BATCH_WORDS / (2 * parameters.n() * parameters.q().len() * messages)).clamp(1, MOST_ROWS)
}

/// Appends a batch to a file.
pub(super) fn write<D: Device>(
    mut out: &mut dyn Write,
    context: &Context<D>,
    head: &RowsHead,
    ciphertexts: &[Ciphertext<D>],
) -> Result<(), FvError> {
    head.write(&mut out, context.parameters().hash())?;
    context.write_ciphertexts(out, ciphertexts)
}

/// A file of encrypted rows that is being read.
pub(super) struct RowsFile<'a, D: Device> {
    context: &'a Context<D>,
    path: PathBuf,
    input: Input,
    role: Role,
    program: Digest,
    /// The keys that the ciphertexts must belong to, and the file that has them.
    keys: Option<(KeySet, PathBuf)>,
    /// The names of the first batch: all have the same.
    names: Option<Vec<String>>,
    next: u32,
    finished: bool,
}

impl<'a, D: Device> RowsFile<'a, D> {
    /// Opens a file of a program's inputs or results.
    pub fn open(context: &'a Context<D>, plan: &MessagePlan, role: Role, path: &Path) -> Result<Self, Error> {
        Ok(Self {
            context,
            path: path.to_path_buf(),
            input: Input::open(path)?,
            role,
            program: digest(plan.program()),
            keys: None,
            names: None,
            next: 0,
            finished: false,
        })
    }

    /// Sees that all batches belong to the keys in a file, where both say to which set they belong.
    pub fn of_keys(self, set: Option<KeySet>, path: &Path) -> Self {
        let keys = set.map(|set| (set, path.to_path_buf()));
        Self { keys, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How much is read.
    pub fn meter(&self) -> Meter {
        self.input.meter()
    }

    /// The next batch.
    pub fn next(&mut self) -> Result<Option<RowsBatch<D>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let head = self
            .take_head()
            .map_err(|error| Error::in_file(&self.path, error))?;
        self.check(&head)?;
        let ciphertexts = self.context.take_ciphertexts(&mut self.input);
        let ciphertexts = ciphertexts.map_err(|error| Error::in_file(&self.path, error))?;
        if ciphertexts.len() != head.lengths.len() {
            let problem = format!(
                "{} ciphertexts for {} messages",
                ciphertexts.len(),
                head.lengths.len()
            );
            return Err(Error::data(&self.path, problem));
        }
        self.finished = head.last;
        self.next += 1;
        self.names = Some(head.names.clone());
        if head.last {
            let end = expect_end(&mut self.input, "the last batch");
            end.map_err(|error| Error::in_file(&self.path, error.into()))?;
        }
        Ok(Some((head, ciphertexts)))
    }

    fn take_head(&mut self) -> Result<RowsHead, FvError> {
        let (head, parameters) = RowsHead::read(&mut self.input)?;
        self.context
            .parameters()
            .check_hash("the file of encrypted rows", &parameters)?;
        Ok(head)
    }

    fn check(&self, head: &RowsHead) -> Result<(), Error> {
        let fail = |problem: String| Err(Error::data(&self.path, problem));
        KeySet::check(head.keys, self.keys.as_ref(), "messages").or_else(fail)?;
        if head.program != self.program {
            return fail(
                "it belongs to another program than the job's; give the files of one job".to_owned(),
            );
        }
        if head.role != self.role {
            return fail(format!("it holds {}, not {}", head.role.name(), self.role.name()));
        }
        if head.index != self.next {
            return fail(format!("batch {} where {} should be", head.index, self.next));
        }
        if head.rows() == 0 || self.names.as_ref().is_some_and(|names| *names != head.names) {
            return fail("a batch without rows, or of other messages than the one before it".to_owned());
        }
        let n = self.context.parameters().n();
        match head
            .lengths
            .iter()
            .find(|length| !(1..=n).contains(&(**length as usize)))
        {
            Some(length) => fail(format!(
                "a message of {length} numbers, where 1 to {n} are possible"
            )),
            None => Ok(()),
        }
    }
}
