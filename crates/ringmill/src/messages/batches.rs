//! Files of encrypted messages: batch after batch, so that only one is in memory; `docs/formats.md`
//! specifies them.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, OLDEST, Put, Take, expect_end};
use ringmill_fv::{Ciphertext, Context, FvError, Parameters, Plaintext};

use crate::Error;
use crate::files::{Input, Meter};
use crate::keys::KeySet;

/// Messages in a batch at most.
const MOST: usize = 4096;

/// Words of the ciphertexts of a batch, about: 64 MiB.
const BATCH_WORDS: usize = 1 << 23;

/// Bytes of a batch's head beside the lengths.
const HEAD_BYTES: u64 = 1 + 1 + 4 + 32 + 4;

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
    /// The keys that its ciphertexts belong to, if that is known; version 3 of the format did not say.
    pub keys: Option<KeySet>,
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
        let keys = match frame.header().version {
            OLDEST => None,
            _ => KeySet::take(&mut frame)?,
        };
        let count = frame.take_count("messages", MOST)?;
        let lengths = (0..count).map(|_| frame.take_u32()).collect::<Result<_, _>>()?;
        frame.finish()?;
        let head = Self {
            encoding,
            last,
            index,
            keys,
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
        KeySet::put(self.keys, &mut frame)?;
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
    /// The keys that the ciphertexts must belong to, and the file that has them.
    keys: Option<(KeySet, PathBuf)>,
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
            keys: None,
            next: 0,
            finished: false,
        })
    }

    /// Sees that all batches belong to the keys in a file, where both say to which set they belong.
    pub fn of_keys(self, set: Option<KeySet>, path: &Path) -> Self {
        let keys = set.map(|set| (set, path.to_path_buf()));
        Self { keys, ..self }
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
        KeySet::check(head.keys, self.keys.as_ref(), "messages").or_else(fail)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: [u8; 32] = [9; 32];

    fn head(keys: Option<KeySet>) -> Head {
        Head {
            encoding: Encoding::Coefficients,
            last: false,
            index: 3,
            keys,
            lengths: vec![5, 7],
        }
    }

    #[test]
    fn heads_come_back() {
        for keys in [None, Some(KeySet([4; 32]))] {
            let mut file = Vec::new();
            head(keys).write(&mut file, &HASH).unwrap();
            assert_eq!(Head::read(file.as_slice()).unwrap(), (head(keys), HASH));
        }
    }

    /// A frame as version 3 had it, byte by byte.
    #[test]
    fn heads_of_version_3_are_read() {
        use sha2::{Digest as _, Sha256};

        let mut file = b"RMFV\x03\0\x0b\0".to_vec();
        file.extend(HASH);
        file.extend(18_u64.to_le_bytes());
        file.extend([1, 0]);
        for number in [3_u32, 2, 5, 7] {
            file.extend(number.to_le_bytes());
        }
        let checksum = Sha256::digest(&file);
        file.extend(checksum);
        assert_eq!(Head::read(file.as_slice()).unwrap(), (head(None), HASH));
    }
}
