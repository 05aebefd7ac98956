use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::PortValues;
use ringmill_device::Device;
use ringmill_engine::{InputValues, OutputValue, decrypt_outputs};
use ringmill_fv::{Ciphertext, FvError};
use ringmill_records::{Batch, Schema, TableFormat, TableWriter};

use crate::Error;
use crate::batches::{Batches, Role, to_outputs};
use crate::encryptor::{Encrypted, EncryptedBatch, EncryptedFile, Encryptor, ciphertexts};
use crate::files::Output;
use crate::keys::{self, EvaluationKeys, KeyDirectory, KeyFile, KeySet, PublicKey, SecretKey};
use crate::observer::{Running, Stage};
use crate::records::Records;
use crate::server::{ResultBatch, Results};
use crate::session::{Session, Steps};
use crate::table::{self, Table, blame, content, format_of, output_schema};

/// The party that owns the secret: it encrypts inputs, makes keys for others, and decrypts results.
pub struct Client<D: Device> {
    session: Arc<Session<D>>,
    secret: Arc<SecretKey<D>>,
    /// The name of the secret key for messages: its file's, if it is from one.
    name: PathBuf,
    /// The public key of the same set, if it was made together with the secret one.
    public: Option<Arc<PublicKey<D>>>,
    /// Where evaluation keys come from, if they must be the same again.
    seed: Option<Seed>,
}

/// Results of a batch in the clear.
#[derive(Clone)]
#[non_exhaustive]
pub struct Decrypted {
    /// The values of all slots, port by port; those beyond the batch's records are of no record.
    pub values: Vec<PortValues>,
    /// log2 of the largest noise found; decryption works below -1. Negative infinity if nothing was encrypted.
    pub log2_noise: f64,
}

impl std::fmt::Debug for Decrypted {
    /// The values were secrets: only their noise.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let noise = self.log2_noise;
        f.debug_struct("Decrypted")
            .field("log2_noise", &noise)
            .finish_non_exhaustive()
    }
}

/// Counts of a table of results.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DecryptedFile {
    /// Records.
    pub records: u64,
    /// Batches of them.
    pub batches: usize,
    /// log2 of the largest noise found, as [`Decrypted::log2_noise`].
    pub log2_noise: f64,
    /// Bytes of the table.
    pub bytes: u64,
}

impl<D: Device> Client<D> {
    pub(crate) fn generate(session: Arc<Session<D>>, seed: &Seed) -> Result<Self, Error> {
        let (secret, public) = {
            let _running = session.begin(Stage::Keys);
            keys::generate(&session.context, seed)?
        };
        Ok(Self {
            session,
            secret: Arc::new(secret),
            name: PathBuf::from("the secret key"),
            public: Some(Arc::new(public)),
            seed: Some(seed.derive("evaluation keys", 0)),
        })
    }

    pub(crate) fn new(session: Arc<Session<D>>, secret: SecretKey<D>, name: &Path) -> Self {
        Self {
            session,
            secret: Arc::new(secret),
            name: name.to_path_buf(),
            public: None,
            seed: None,
        }
    }

    /// The public key; none if the client was opened from the file of its secret key alone.
    #[must_use]
    pub fn public_key(&self) -> Option<Arc<PublicKey<D>>> {
        self.public.clone()
    }

    /// Makes the keys that a server evaluates with.
    ///
    /// # Errors
    /// If there is no randomness; if the device fails.
    pub fn evaluation_keys(&self) -> Result<EvaluationKeys<D>, Error> {
        let session = &*self.session;
        let _running = session.begin(Stage::Keys);
        let generate =
            |seed: &Seed| EvaluationKeys::generate(&session.plan, &session.context, &self.secret, seed);
        match &self.seed {
            Some(seed) => generate(seed),
            None => generate(&Seed::random()?),
        }
    }

    /// Writes `secret.key`, which only its owner may read, `public.key` and `evaluation.key` into a directory, which is
    /// made if need be. If one cannot be written, the directory is as it was; if the process is killed,
    /// what is there afterwards still fits together, and the next call tidies up.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), also if one of them is there already and not to be replaced;
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a client without a public key.
    pub fn save_keys(&self, directory: impl AsRef<Path>, replace: bool) -> Result<Vec<KeyFile>, Error> {
        // Before keys are made, which takes long.
        let directory = KeyDirectory::open(directory.as_ref(), replace, &*self.session.observer)?;
        let Some(public) = &self.public else {
            return Err(Error::Usage(format!(
                "{}: the public key was not made here; keys are written when they are made",
                self.name.display()
            )));
        };
        let evaluation = self.evaluation_keys()?;
        let context = &self.session.context;
        directory.save(context, (&self.secret, public), Some(&evaluation))
    }

    /// The bytes of the file of the secret key.
    ///
    /// # Errors
    /// If the device fails.
    pub fn secret_key_bytes(&self) -> Result<u64, Error> {
        keys::bytes(|out| self.secret.write(out, &self.session.context))
    }

    /// The bytes that each ciphertext of a batch of inputs takes in a file.
    ///
    /// # Errors
    /// If an input has no such form.
    pub fn input_bytes(&self, batch: &EncryptedBatch<D>) -> Result<Vec<u64>, Error> {
        let ciphertexts = ciphertexts(&self.session, &batch.inputs);
        let bytes = ciphertexts
            .iter()
            .map(|ciphertext| self.session.context.ciphertext_bytes(ciphertext));
        Ok(bytes.collect::<Result<_, _>>()?)
    }

    /// The bytes that each ciphertext of a batch of results takes in a file.
    ///
    /// # Errors
    /// If a result has no such form.
    pub fn result_bytes(&self, batch: &ResultBatch<D>) -> Result<Vec<u64>, Error> {
        let bytes = batch
            .ciphertexts()
            .map(|ciphertext| self.session.context.ciphertext_bytes(ciphertext));
        Ok(bytes.collect::<Result<_, _>>()?)
    }

    /// A party that encrypts with the secret key: half the bytes of the public key's ciphertexts, and less noise.
    #[must_use]
    pub fn encryptor(&self) -> Encryptor<D> {
        Encryptor::secret(Arc::clone(&self.session), Arc::clone(&self.secret))
    }

    /// Encrypts a table of the private inputs; [`Encryptor::encrypt`].
    ///
    /// # Errors
    /// As [`Encryptor::encrypt`].
    pub fn encrypt(&self, table: &Table) -> Result<Encrypted<D>, Error> {
        self.encryptor().encrypt(table)
    }

    /// Encrypts a table of the private inputs into a file; [`Encryptor::encrypt_to`].
    ///
    /// # Errors
    /// As [`Encryptor::encrypt_to`].
    pub fn encrypt_to(&self, table: &Table, output: &Output) -> Result<EncryptedFile, Error> {
        self.encryptor().encrypt_to(table, output)
    }

    /// Encrypts the private inputs of a batch; [`Encryptor::encrypt_values`].
    ///
    /// # Errors
    /// As [`Encryptor::encrypt_values`].
    pub fn encrypt_values(&self, records: usize, values: &InputValues) -> Result<EncryptedBatch<D>, Error> {
        self.encryptor().encrypt_values(records, values)
    }

    /// Decrypts results.
    ///
    /// # Errors
    /// [`ErrorKind::WrongResult`](crate::ErrorKind::WrongResult) if the noise is found to be too large;
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for results under other keys; if the device fails.
    pub fn decrypt(&self, results: &Results<D>) -> Result<Records, Error> {
        let session = &*self.session;
        let schema = output_schema(session.circuit(), &[] as &[&str])?;
        let running = session.begin(Stage::Decrypting);
        let mut batches = Vec::new();
        for (index, batch) in results.batches.iter().enumerate() {
            session.check_cancelled()?;
            let steps = Steps::new(&running, index, Some(results.batches.len()), 1);
            let decrypted = self.decrypt_batch(batch)?;
            batches.push(table::batch(&schema, batch.records, decrypted.values));
            steps.step();
        }
        Ok(Records { schema, batches })
    }

    /// Decrypts the results of a batch, and measures their noise.
    ///
    /// # Errors
    /// As [`Client::decrypt`].
    pub fn decrypt_batch(&self, batch: &ResultBatch<D>) -> Result<Decrypted, Error> {
        let own = self.secret.set.map(|set| (set, self.name.clone()));
        KeySet::check(batch.keys, own.as_ref(), Role::Results.name()).map_err(Error::Usage)?;
        let encrypted: Vec<&Ciphertext<D>> = batch
            .outputs
            .iter()
            .flatten()
            .filter_map(|value| match value {
                OutputValue::Encrypted(ciphertext) => Some(ciphertext),
                OutputValue::Clear(_) => None,
            })
            .collect();
        let (plan, context, key) = (&self.session.plan, &self.session.context, &self.secret.key);
        let noise = encrypted.par_iter().map(|ciphertext| {
            // Against what was decrypted: right unless the noise went beyond one half.
            let plaintext = context.decrypt(key, ciphertext)?;
            context.measure_noise(key, ciphertext, &plaintext)
        });
        let log2_noise = noise.try_reduce(|| f64::NEG_INFINITY, |a, b| Ok::<_, FvError>(a.max(b)))?;
        let encoding = plan.encoding(context);
        let values = decrypt_outputs(plan.schedule(), &encoding, &batch.outputs, |ciphertext| {
            context.decrypt(key, ciphertext)
        })?;
        Ok(Decrypted { values, log2_noise })
    }

    /// Decrypts a file of results into a table, with one batch in memory at a time. The table's format is the one given
    /// or that of its name; `types` are overrides `NAME=TYPE`. Only its owner can read it, unless it is [`Output::shared`].
    ///
    /// # Errors
    /// As [`Client::decrypt`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file is damaged, of another
    /// job, or under other keys; [`Output::check`].
    pub fn decrypt_to(
        &self,
        results: impl AsRef<Path>,
        output: &Output,
        format: Option<TableFormat>,
        types: &[impl AsRef<str>],
    ) -> Result<DecryptedFile, Error> {
        let (path, session) = (results.as_ref(), &*self.session);
        let format = format_of(output.path(), format)?;
        output.prepare(content(format), &*session.observer)?;
        let results = Batches::open(session, path, Role::Results)?.of_keys(self.secret.set, &self.name);
        let schema = output_schema(session.circuit(), types)?;
        let (file, bytes) = output.write(output.access_to_records(), |out| {
            let blame = |error| blame(output.path(), error);
            let mut table = TableWriter::new(out, format, schema.clone()).map_err(blame)?;
            let running = session.begin(Stage::Decrypting);
            let file = self.decrypt_batches((path, results), &running, &schema, |batch| {
                table.write(&batch).map_err(blame)
            })?;
            table.finish().map_err(blame)?;
            Ok(file)
        })?;
        Ok(DecryptedFile { bytes, ..file })
    }

    fn decrypt_batches(
        &self,
        (path, mut results): (&Path, Batches<'_, D>),
        running: &Running<'_>,
        schema: &Schema,
        mut done: impl FnMut(Batch) -> Result<(), Error>,
    ) -> Result<DecryptedFile, Error> {
        let meter = results.meter();
        let mut file = DecryptedFile {
            records: 0,
            batches: 0,
            log2_noise: f64::NEG_INFINITY,
            bytes: 0,
        };
        while let Some((head, ciphertexts)) = results.next()? {
            self.session.check_cancelled()?;
            let total = meter.batches(file.batches + 1, head.last);
            let steps = Steps::new(running, file.batches, total, 1);
            let batch = ResultBatch {
                records: head.records as usize,
                outputs: to_outputs(&self.session.plan, ciphertexts, head.clear),
                keys: head.keys,
            };
            let decrypted = self.decrypt_batch(&batch).map_err(|error| error.blaming(path))?;
            done(table::batch(schema, batch.records, decrypted.values))?;
            steps.step();
            file.records += head.records;
            file.batches += 1;
            file.log2_noise = file.log2_noise.max(decrypted.log2_noise);
        }
        Ok(file)
    }
}
