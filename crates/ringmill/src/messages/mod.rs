//! Messages of numbers, encrypted and decrypted without a circuit: rows of integers modulo t, in the slots or the
//! coefficients of a polynomial.
//!
//! ```
//! use ringmill::Seed;
//! use ringmill::messages::MessageJob;
//!
//! # fn main() -> Result<(), ringmill::Error> {
//! let job = MessageJob::preset("n4096-t65537")?;
//! let client = job.client(&Seed::random()?)?;
//! let encrypted = client.encrypt(&[vec![1, 2, 3], vec![65536]])?;
//! assert_eq!(client.decrypt(&encrypted)?, [vec![1, 2, 3], vec![65536]]);
//! # Ok(())
//! # }
//! ```

mod batches;
mod rows;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_format::{Access, FormatError};
use ringmill_fv::{Ciphertext, Context, FvError, Parameters};
use ringmill_records::TableFormat;

pub use batches::{Encoding, Head};
use batches::{MessageFile, batch_size};
use rows::{NumberRows, RowFormat};

use crate::encryptor::Key;
use crate::files::{Content, Output, read};
use crate::keys::{self, KeyFile, PublicKey, SecretKey};
use crate::observer::{Running, Shared, Stage};
use crate::planning::warn_if_insecure;
use crate::platform::{Cpu, Platform};
use crate::session::Steps;
use crate::{Error, Observer};

/// Parameters for messages, on a platform.
pub struct MessageJob<D: Device> {
    session: Arc<MessageSession<D>>,
}

/// What all parties share.
struct MessageSession<D: Device> {
    context: Context<D>,
    observer: Shared,
}

/// Encrypted messages, in memory.
pub struct EncryptedMessages<D: Device> {
    encoding: Encoding,
    /// Numbers in each.
    lengths: Vec<usize>,
    ciphertexts: Vec<Ciphertext<D>>,
}

/// What was written into a file of messages, encrypted or decrypted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MessageTotals {
    /// Messages.
    pub messages: usize,
    /// Numbers in all of them.
    pub numbers: usize,
    /// Batches of messages.
    pub batches: usize,
    /// How the numbers are encoded.
    pub encoding: Encoding,
    /// Seconds without reading and writing.
    pub seconds: f64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl MessageJob<<Cpu as Platform>::Device> {
    /// Takes a preset's parameters, on this machine's processor.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for an unknown name; the error lists all.
    pub fn preset(name: &str) -> Result<Self, Error> {
        Self::new(&Cpu, Parameters::preset(name)?, Arc::new(()))
    }
}

impl<D: Device> MessageJob<D> {
    /// Takes parameters on a platform. Notes what is wrong with them if they are insecure.
    ///
    /// # Errors
    /// If the device cannot be used, or the parameters do not suit it.
    pub fn new(
        platform: &impl Platform<Device = D>,
        parameters: Parameters,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, Error> {
        warn_if_insecure(&parameters, &*observer);
        let context = platform.context(parameters)?;
        Ok(Self {
            session: Arc::new(MessageSession { context, observer }),
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.session.context.parameters()
    }

    /// Makes the keys of a client from a seed; whoever knows the seed can decrypt.
    ///
    /// # Errors
    /// If the device fails.
    pub fn client(&self, seed: &Seed) -> Result<MessageClient<D>, Error> {
        let _running = Running::begin(&*self.session.observer, Stage::Keys);
        let (secret, public) = keys::generate(&self.session.context, seed)?;
        Ok(MessageClient {
            session: Arc::clone(&self.session),
            secret: Arc::new(secret),
            public: Some(Arc::new(public)),
            name: PathBuf::from("the secret key"),
        })
    }

    /// Opens a client from the file of its secret key.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open_client(&self, secret_key: impl AsRef<Path>) -> Result<MessageClient<D>, Error> {
        let path = secret_key.as_ref();
        Ok(MessageClient {
            session: Arc::clone(&self.session),
            secret: Arc::new(SecretKey::open(path, &self.session.context)?),
            public: None,
            name: path.to_path_buf(),
        })
    }

    /// A party that encrypts with a client's public key.
    #[must_use]
    pub fn encryptor(&self, key: Arc<PublicKey<D>>) -> MessageEncryptor<D> {
        MessageEncryptor {
            session: Arc::clone(&self.session),
            key: Key::Public(key),
        }
    }

    /// Opens a party that encrypts, from the file of a public key.
    ///
    /// # Errors
    /// As [`MessageJob::open_client`].
    pub fn open_encryptor(&self, public_key: impl AsRef<Path>) -> Result<MessageEncryptor<D>, Error> {
        let key = PublicKey::open(public_key.as_ref(), &self.session.context)?;
        Ok(self.encryptor(Arc::new(key)))
    }
}

/// Reads parameters that were made for messages.
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file is damaged, or has a plan for a circuit.
pub fn open_parameters(path: &Path) -> Result<Parameters, Error> {
    let (parameters, more) = read(path, |input| {
        let parameters = Parameters::read(&mut *input)?;
        let mut rest = Vec::new();
        input
            .take(1 << 16)
            .read_to_end(&mut rest)
            .map_err(FormatError::from)?;
        Ok((parameters, !rest.is_empty()))
    })?;
    if more {
        return Err(Error::data(
            path,
            "these parameters have a plan for a circuit; name it with --circuit, or make parameters for messages \
             with `ringmill params --preset NAME`",
        ));
    }
    Ok(parameters)
}

/// The party that owns the secret key of messages.
pub struct MessageClient<D: Device> {
    session: Arc<MessageSession<D>>,
    secret: Arc<SecretKey<D>>,
    public: Option<Arc<PublicKey<D>>>,
    /// What the secret key is called.
    name: PathBuf,
}

/// A party that encrypts messages, and can do nothing else.
pub struct MessageEncryptor<D: Device> {
    session: Arc<MessageSession<D>>,
    key: Key<D>,
}

impl<D: Device> MessageClient<D> {
    /// The public key; none if the client was opened from the file of its secret key alone.
    #[must_use]
    pub fn public_key(&self) -> Option<Arc<PublicKey<D>>> {
        self.public.clone()
    }

    /// Writes `secret.key` and `public.key` into a directory, as [`Client::save_keys`](crate::Client::save_keys).
    ///
    /// # Errors
    /// As [`Client::save_keys`](crate::Client::save_keys).
    pub fn save_keys(&self, directory: impl AsRef<Path>, replace: bool) -> Result<Vec<KeyFile>, Error> {
        let outputs = keys::outputs(directory.as_ref(), replace)?;
        let Some(public) = &self.public else {
            return Err(Error::Usage(format!(
                "{}: the public key was not made here; keys are written when they are made",
                self.name.display()
            )));
        };
        keys::save(&outputs, &self.session.context, (&self.secret, public), None)
    }

    /// A party that encrypts with the secret key: half the bytes of the public key's ciphertexts.
    #[must_use]
    pub fn encryptor(&self) -> MessageEncryptor<D> {
        MessageEncryptor {
            session: Arc::clone(&self.session),
            key: Key::Secret(Arc::clone(&self.secret)),
        }
    }

    /// Encrypts messages, each of 1 to n integers below t, in slots where the parameters have some.
    ///
    /// # Errors
    /// As [`MessageEncryptor::encrypt`].
    pub fn encrypt(&self, messages: &[Vec<u64>]) -> Result<EncryptedMessages<D>, Error> {
        self.encryptor().encrypt(messages, None)
    }

    /// Decrypts messages.
    ///
    /// # Errors
    /// If the device fails.
    pub fn decrypt(&self, encrypted: &EncryptedMessages<D>) -> Result<Vec<Vec<u64>>, Error> {
        let lengths = encrypted.lengths.iter().copied();
        let decrypted = self.decrypt_batch(
            encrypted.encoding,
            &encrypted.ciphertexts,
            lengths.collect(),
            &|| (),
        );
        Ok(decrypted?)
    }

    fn decrypt_batch(
        &self,
        encoding: Encoding,
        ciphertexts: &[Ciphertext<D>],
        lengths: Vec<usize>,
        step: &(dyn Fn() + Sync),
    ) -> Result<Vec<Vec<u64>>, FvError> {
        let context = &self.session.context;
        let rows = ciphertexts.par_iter().zip(lengths).map(|(ciphertext, length)| {
            let plaintext = context.decrypt(&self.secret.key, ciphertext)?;
            let numbers = encoding.decode(context, &plaintext, length);
            step();
            numbers
        });
        rows.collect()
    }

    /// Decrypts a file of messages into rows of text, with one batch in memory at a time.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file is damaged or of other parameters;
    /// [`Output::check`].
    pub fn decrypt_to(
        &self,
        encrypted: impl AsRef<Path>,
        output: &Output,
        format: Option<TableFormat>,
    ) -> Result<MessageTotals, Error> {
        let path = encrypted.as_ref();
        let format = RowFormat::of(output.path(), format)?;
        output.check(Content::Text)?;
        let mut file = MessageFile::open(&self.session.context, path)?;
        let (totals, bytes) = output.write(Access::Public, |out| {
            let running = Running::begin(&*self.session.observer, Stage::Decrypting);
            let meter = file.meter();
            let mut totals = MessageTotals::none(Encoding::Slots);
            while let Some((head, ciphertexts)) = file.next()? {
                let total = meter.batches(totals.batches + 1, head.last);
                let steps = Steps::new(&running, totals.batches, total, ciphertexts.len());
                let start = Instant::now();
                let lengths = head.lengths.iter().map(|length| *length as usize).collect();
                let rows = self.decrypt_batch(head.encoding, &ciphertexts, lengths, &|| steps.step());
                let rows = rows.map_err(|error| Error::in_file(path, error))?;
                totals.seconds += start.elapsed().as_secs_f64();
                for row in &rows {
                    let written = format.write(out, row);
                    written.map_err(|error| Error::io(output.path(), error))?;
                }
                totals.encoding = head.encoding;
                totals.add(&rows);
            }
            Ok(totals)
        })?;
        Ok(MessageTotals { bytes, ..totals })
    }
}

impl<D: Device> MessageEncryptor<D> {
    /// Encrypts messages, each of 1 to n integers below t, as wanted or in slots where the parameters have some.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for slots that the parameters do not have; if a number is not
    /// below t, or a message too long; if there is no randomness, or the device fails.
    pub fn encrypt(
        &self,
        messages: &[Vec<u64>],
        encoding: Option<Encoding>,
    ) -> Result<EncryptedMessages<D>, Error> {
        let encoding = Encoding::choose(&self.session.context, encoding)?;
        let ciphertexts = self.encrypt_batch(messages, encoding, &Seed::random()?)?;
        Ok(EncryptedMessages {
            encoding,
            lengths: messages.iter().map(Vec::len).collect(),
            ciphertexts,
        })
    }

    fn encrypt_batch(
        &self,
        messages: &[Vec<u64>],
        encoding: Encoding,
        seed: &Seed,
    ) -> Result<Vec<Ciphertext<D>>, Error> {
        let context = &self.session.context;
        let plaintexts = messages.par_iter().map(|row| encoding.encode(context, row));
        let plaintexts = plaintexts.collect::<Result<Vec<_>, _>>()?;
        let ciphertexts = self.key.encrypt_many(context, &plaintexts, seed)?;
        context.device().finish()?;
        Ok(ciphertexts)
    }

    /// Encrypts rows of text into a file, with one batch in memory at a time; `-` is standard input.
    ///
    /// # Errors
    /// As [`MessageEncryptor::encrypt`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, for rows
    /// that are none; [`Output::check`].
    pub fn encrypt_to(
        &self,
        rows: impl AsRef<Path>,
        format: Option<TableFormat>,
        encoding: Option<Encoding>,
        output: &Output,
    ) -> Result<MessageTotals, Error> {
        output.check(Content::Binary)?;
        let path = rows.as_ref();
        let parameters = self.session.context.parameters();
        let encoding = Encoding::choose(&self.session.context, encoding)?;
        let mut rows = NumberRows::open(path, format, (parameters.n(), parameters.t()))?;
        let (totals, bytes) = output.write(Access::Public, |out| {
            let totals = self.encrypt_rows(encoding, &mut rows, out)?;
            if totals.messages == 0 {
                return Err(Error::data(path, "no messages: one is a line of numbers"));
            }
            Ok(totals)
        })?;
        Ok(MessageTotals { bytes, ..totals })
    }

    /// Encrypts all rows. A batch is written once it is known whether another follows.
    fn encrypt_rows(
        &self,
        encoding: Encoding,
        rows: &mut NumberRows,
        out: &mut dyn std::io::Write,
    ) -> Result<MessageTotals, Error> {
        let (context, meter) = (&self.session.context, rows.meter());
        let running = Running::begin(&*self.session.observer, Stage::Encrypting);
        let seed = Seed::random()?;
        let size = batch_size(context.parameters());
        let mut totals = MessageTotals::none(encoding);
        let mut next = rows.take(size)?;
        while !next.is_empty() {
            let batch = std::mem::replace(&mut next, rows.take(size)?);
            let last = next.is_empty();
            let total = meter.batches(totals.batches + if last { 1 } else { 2 }, last);
            let steps = Steps::new(&running, totals.batches, total, 1);
            let start = Instant::now();
            let seed = seed.derive("batch", totals.batches as u64);
            let ciphertexts = self.encrypt_batch(&batch, encoding, &seed)?;
            totals.seconds += start.elapsed().as_secs_f64();
            steps.step();
            let head = Head {
                encoding,
                last,
                index: totals.batches as u32,
                lengths: batch.iter().map(|row| row.len() as u32).collect(),
            };
            batches::write(out, context, &head, &ciphertexts)?;
            totals.add(&batch);
        }
        Ok(totals)
    }
}

impl MessageTotals {
    const fn none(encoding: Encoding) -> Self {
        Self {
            messages: 0,
            numbers: 0,
            batches: 0,
            encoding,
            seconds: 0.0,
            bytes: 0,
        }
    }

    /// Counts a batch.
    fn add(&mut self, rows: &[Vec<u64>]) {
        self.messages += rows.len();
        self.numbers += rows.iter().map(Vec::len).sum::<usize>();
        self.batches += 1;
    }
}
