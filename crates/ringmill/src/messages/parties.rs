use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_format::Access;
use ringmill_fv::{Ciphertext, FvError};
use ringmill_records::TableFormat;

use super::batches::{self, MessageFile, batch_size};
use super::rows::{NumberRows, RowFormat};
use super::{Encoding, EncryptedMessages, Head, MessageSession, MessageTotals};
use crate::Error;
use crate::encryptor::Key;
use crate::files::{Content, Output};
use crate::keys::{EvaluationKeys, KeyDirectory, KeyFile, KeySet, Passphrase, PublicKey, SecretKey};
use crate::observer::{Running, Stage};
use crate::session::Steps;

/// The party that owns the secret key of messages.
pub struct MessageClient<D: Device> {
    pub(super) session: Arc<MessageSession<D>>,
    pub(super) secret: Arc<SecretKey<D>>,
    pub(super) public: Option<Arc<PublicKey<D>>>,
    /// What its evaluation keys are made from, if its keys were made here.
    pub(super) seed: Option<Seed>,
    /// The name of the secret key for messages to people.
    pub(super) name: PathBuf,
}

/// A party that encrypts messages, and can do nothing else.
pub struct MessageEncryptor<D: Device> {
    pub(super) session: Arc<MessageSession<D>>,
    pub(super) key: Key<D>,
}

impl<D: Device> MessageClient<D> {
    /// The public key; none if the client was opened from the file of its secret key alone.
    #[must_use]
    pub fn public_key(&self) -> Option<Arc<PublicKey<D>>> {
        self.public.clone()
    }

    /// Writes `secret.key`, `public.key` and, for a program, `evaluation.key` into a directory, as
    /// [`Client::save_keys`](crate::Client::save_keys).
    ///
    /// # Errors
    /// As [`Client::save_keys`](crate::Client::save_keys).
    pub fn save_keys(&self, directory: impl AsRef<Path>, replace: bool) -> Result<Vec<KeyFile>, Error> {
        self.save(directory.as_ref(), replace, None)
    }

    /// As [`MessageClient::save_keys`], with the secret key under a passphrase.
    ///
    /// # Errors
    /// As [`Client::save_keys`](crate::Client::save_keys).
    pub fn save_sealed_keys(
        &self,
        directory: impl AsRef<Path>,
        replace: bool,
        passphrase: &Passphrase,
    ) -> Result<Vec<KeyFile>, Error> {
        self.save(directory.as_ref(), replace, Some(passphrase))
    }

    fn save(
        &self,
        directory: &Path,
        replace: bool,
        passphrase: Option<&Passphrase>,
    ) -> Result<Vec<KeyFile>, Error> {
        let directory = KeyDirectory::open(directory, replace, &*self.session.observer)?;
        let Some(public) = &self.public else {
            return Err(Error::Usage(format!(
                "{}: the public key was not made here; keys are written when they are made",
                self.name.display()
            )));
        };
        let evaluation = self
            .session
            .plan
            .is_some()
            .then(|| self.evaluation_keys())
            .transpose()?;
        let context = &self.session.context;
        directory.save(context, (&self.secret, public), evaluation.as_ref(), passphrase)
    }

    /// The keys that the evaluator of the program needs.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) without a program; if the device fails.
    pub fn evaluation_keys(&self) -> Result<EvaluationKeys<D>, Error> {
        let exponents = self.session.plan()?.galois_exponents();
        let _running = Running::begin(&*self.session.observer, Stage::Keys);
        let generate =
            |seed: &Seed| EvaluationKeys::generate_for(&exponents, &self.session.context, &self.secret, seed);
        match &self.seed {
            Some(seed) => generate(seed),
            None => generate(&Seed::random()?),
        }
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

    /// The set of the secret key, if it says so, and the key's name.
    pub(super) fn own_set(&self) -> Option<(KeySet, PathBuf)> {
        self.secret.set.map(|set| (set, self.name.clone()))
    }

    /// Decrypts messages.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for messages under other keys; if the device fails.
    pub fn decrypt(&self, encrypted: &EncryptedMessages<D>) -> Result<Vec<Vec<u64>>, Error> {
        let own = self.own_set();
        KeySet::check(encrypted.keys, own.as_ref(), "messages").map_err(Error::Usage)?;
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
        output.prepare(Content::Text, &*self.session.observer)?;
        let mut file = MessageFile::open(&self.session.context, path)?.of_keys(self.secret.set, &self.name);
        let (totals, bytes) = output.write(output.access_to_records(), |out| {
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
            keys: self.key.set(),
            lengths: messages.iter().map(Vec::len).collect(),
            ciphertexts,
        })
    }

    pub(super) fn encrypt_batch(
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
        output.prepare(Content::Binary, &*self.session.observer)?;
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
                keys: self.key.set(),
                lengths: batch.iter().map(|row| row.len() as u32).collect(),
            };
            batches::write(out, context, &head, &ciphertexts)?;
            totals.add(&batch);
        }
        Ok(totals)
    }
}
