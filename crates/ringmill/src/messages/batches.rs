//! Files of encrypted messages: batch after batch, so that only one is in memory; `docs/formats.md`
//! specifies them.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take, expect_end};
use ringmill_fv::{Ciphertext, Context, FvError, Parameters, Plaintext};

use crate::Error;
use crate::files::{Input, Meter};

/// Messages in a batch at most.
const MOST: usize = 4096;

/// Words of the ciphertexts of a batch, about: 64 MiB.
const BATCH_WORDS: usize = 1 << 23;

/// Bytes of a batch's head beside the lengths.
const HEAD_BYTES: u64 = 1 + 1 + 4 + 4;

/// How the numbers of a message become a polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Each in a slot: sums and products of ciphertexts are those of the numbers, one by one.
    Slots,
    /// As coefficients: sums of ciphertexts are those of the numbers, products are not.
    Coefficients,
}

impl Encoding {
    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Coefficients => "coefficients",
        }
    }

    /// The one asked for, if the parameters have it; else slots where there are some.
    pub(crate) fn choose<D: Device>(context: &Context<D>, wanted: Option<Self>) -> Result<Self, Error> {
        match (wanted, context.encode_integers(&[])) {
            (Some(Self::Coefficients), _) | (None, Err(FvError::NoIntegerSlots { .. })) => {
                Ok(Self::Coefficients)
            }
            (_, Ok(_)) => Ok(Self::Slots),
            (_, Err(error @ FvError::NoIntegerSlots { .. })) => Err(Error::Usage(format!(
                "--as slots: {error}; or give --as coefficients"
            ))),
            (_, Err(error)) => Err(error.into()),
        }
    }

    /// Makes a plaintext of at most n numbers below t.
    ///
    /// # Errors
    /// [`FvError`] if there are too many, or one is too large.
    pub fn encode<D: Device>(self, context: &Context<D>, numbers: &[u64]) -> Result<Plaintext, FvError> {
        match self {
            Self::Slots => context.encode_integers(numbers),
            Self::Coefficients => {
                let mut coefficients = numbers.to_vec();
                coefficients.resize(context.parameters().n(), 0);
                Ok(Plaintext::new(coefficients, context.parameters().t())?)
            }
        }
    }

    /// Decodes the first `length` numbers of a plaintext.
    pub(crate) fn decode<D: Device>(
        self,
        context: &Context<D>,
        plaintext: &Plaintext,
        length: usize,
    ) -> Result<Vec<u64>, FvError> {
        let mut numbers = match self {
            Self::Slots => context.decode_integers(plaintext)?,
            Self::Coefficients => plaintext.coefficients().to_vec(),
        };
        numbers.truncate(length);
        Ok(numbers)
    }
}

/// Messages in a batch of fresh ciphertexts.
pub(crate) fn batch_size(parameters: &Parameters) -> usize {
    (BATCH_WORDS / (2 * parameters.n() * parameters.q().len())).clamp(1, MOST)
}

/// The head of a batch: it comes before the ciphertexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// How all its messages are encoded.
    pub encoding: Encoding,
    /// Whether it is the last batch of the file.
    pub last: bool,
    /// Its number, from 0.
    pub index: u32,
    /// Numbers in each message.
    pub lengths: Vec<u32>,
}

impl Head {
    /// Reads one, up to the end of its frame, and the hash of its parameters.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read) -> Result<(Self, [u8; 32]), FormatError> {
        let most = HEAD_BYTES + 4 * MOST as u64;
        let mut frame = FrameReader::expect(input, FrameKind::MESSAGES, most)?;
        let parameters = frame.header().parameters;
        let encoding = if frame.take_flag("coefficients")? {
            Encoding::Coefficients
        } else {
            Encoding::Slots
        };
        let last = frame.take_flag("last")?;
        let index = frame.take_u32()?;
        let count = frame.take_count("messages", MOST)?;
        let lengths = (0..count).map(|_| frame.take_u32()).collect::<Result<_, _>>()?;
        frame.finish()?;
        let head = Self {
            encoding,
            last,
            index,
            lengths,
        };
        Ok((head, parameters))
    }

    /// Writes it as a frame.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write, parameters: &[u8; 32]) -> Result<(), FormatError> {
        let length = HEAD_BYTES + 4 * self.lengths.len() as u64;
        let mut frame = FrameWriter::new(out, FrameKind::MESSAGES, parameters, length)?;
        frame.put_u8(u8::from(self.encoding == Encoding::Coefficients))?;
        frame.put_u8(u8::from(self.last))?;
        frame.put_u32(self.index)?;
        frame.put_u32(self.lengths.len() as u32)?;
        for length in &self.lengths {
            frame.put_u32(*length)?;
        }
        frame.finish()?;
        Ok(())
    }
}

/// A batch: of each message its length and its ciphertext.
type Batch<D> = (Head, Vec<Ciphertext<D>>);

/// Appends a batch to a file.
pub(crate) fn write<D: Device>(
    mut out: &mut dyn Write,
    context: &Context<D>,
    head: &Head,
    ciphertexts: &[Ciphertext<D>],
) -> Result<(), FvError> {
    head.write(&mut out, context.parameters().hash())?;
    context.write_ciphertexts(out, ciphertexts)
}

/// A file of encrypted messages that is being read.
pub(crate) struct MessageFile<'a, D: Device> {
    context: &'a Context<D>,
    path: PathBuf,
    input: Input,
    next: u32,
    finished: bool,
}

impl<'a, D: Device> MessageFile<'a, D> {
    /// Opens a file.
    pub fn open(context: &'a Context<D>, path: &Path) -> Result<Self, Error> {
        Ok(Self {
            context,
            path: path.to_path_buf(),
            input: Input::open(path)?,
            next: 0,
            finished: false,
        })
    }

    /// How much is read.
    pub fn meter(&self) -> Meter {
        self.input.meter()
    }

    /// The next batch.
    pub fn next(&mut self) -> Result<Option<Batch<D>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let batch = self.take();
        let (head, ciphertexts) = batch.map_err(|error| Error::in_file(&self.path, error))?;
        self.check(&head, ciphertexts.len())?;
        self.finished = head.last;
        self.next += 1;
        if head.last {
            let end = expect_end(&mut self.input, "the last batch");
            end.map_err(|error| Error::in_file(&self.path, error.into()))?;
        }
        Ok(Some((head, ciphertexts)))
    }

    fn take(&mut self) -> Result<Batch<D>, FvError> {
        let (head, parameters) = Head::read(&mut self.input)?;
        let expected = self.context.parameters();
        expected.check_hash("the file of messages", &parameters)?;
        Ok((head, self.context.take_ciphertexts(&mut self.input)?))
    }

    fn check(&self, head: &Head, ciphertexts: usize) -> Result<(), Error> {
        let fail = |problem: String| Err(Error::data(&self.path, problem));
        if head.index != self.next {
            return fail(format!("batch {} where {} should be", head.index, self.next));
        }
        if ciphertexts != head.lengths.len() || ciphertexts == 0 {
            return fail(format!(
                "{ciphertexts} ciphertexts for {} messages in a batch",
                head.lengths.len()
            ));
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
