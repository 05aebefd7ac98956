use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::PortValues;
use ringmill_device::Device;
use ringmill_engine::{InputValues, OutputValue, decrypt_outputs};
use ringmill_fv::{Ciphertext, FvError};
use ringmill_records::TableFormat;

use crate::Error;
use crate::batches::Role;
use crate::decryption::{DecryptedFile, Decryption};
use crate::encryptor::{Encrypted, EncryptedBatch, EncryptedFile, Encryptor, ciphertexts};
use crate::files::Output;
use crate::keys::{self, EvaluationKeys, KeyDirectory, KeyFile, KeySet, Passphrase, PublicKey, SecretKey};
use crate::observer::{Observer, Stage};
use crate::records::Records;
use crate::server::{ResultBatch, Results};
use crate::session::{Session, Steps};
use crate::table::{Table, output_schema};
use crate::totals::Totals;
use crate::values;

/// The party that owns the secret: it encrypts inputs, makes keys for others, and decrypts results.
pub struct Client<D: Device> {
    pub(crate) session: Arc<Session<D>>,
    pub(crate) secret: Arc<SecretKey<D>>,
    /// The public key of the same set, if it was made together with the secret one.
    public: Option<Arc<PublicKey<D>>>,
    /// Where evaluation keys come from, if they must be the same again.
    seed: Option<Seed>,
}

/// Results of a batch in the clear.
#[derive(Clone)]
#[non_exhaustive]
pub struct Decrypted {
    /// The values of all slots, port by port; those beyond the batch's records are of no record. Totals of the batch are in
    /// all slots.
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

impl<D: Device> Client<D> {
    pub(crate) fn generate(session: Arc<Session<D>>, seed: &Seed) -> Result<Self, Error> {
        session.require_fresh("its keys are those of that job, and no others would do")?;
        let (secret, public) = {
            let _running = session.begin(Stage::Keys);
            keys::generate(&session.context, Some(&session.plan), seed)?
        };
        Ok(Self {
            session,
            secret: Arc::new(secret),
            public: Some(Arc::new(public)),
            seed: Some(seed.derive("evaluation keys", 0)),
        })
    }

    /// The owner of a secret key, which may have been made for another job of the same parameters.
    pub(crate) fn new(session: Arc<Session<D>>, secret: SecretKey<D>) -> Self {
        Self {
            session,
            secret: Arc::new(secret),
            public: None,
            seed: None,
        }
    }

    /// The same party, watched by another observer, as [`Job::with_observer`](crate::Job::with_observer).
    #[must_use]
    pub fn with_observer(&self, observer: Arc<dyn Observer>) -> Self {
        Self {
            session: self.session.with_observer(observer),
            secret: Arc::clone(&self.secret),
            public: self.public.clone(),
            seed: self.seed.clone(),
        }
    }

    /// The public key; none if the client was opened from the file of its secret key alone.
    #[must_use]
    pub fn public_key(&self) -> Option<Arc<PublicKey<D>>> {
        self.public.clone()
    }

    /// Bits by which the worst output of the plan is below what decryption bears less the reserve for rare runs, with its
    /// noise followed for this secret key: at least 0 for every key that the job admits. As secret as the key, so show it to
    /// nobody.
    ///
    /// # Errors
    /// If the device fails.
    pub fn spare_noise_bits(&self) -> Result<f64, Error> {
        let session = &self.session;
        let powers = session.context.secret_powers(&self.secret.key)?;
        Ok(session.plan.admission().spare_bits(&powers)?)
    }

    /// Makes the keys that a server evaluates with.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) for a secret key from a file under which the job's results would be
    /// wrong too often; if there is no randomness; if the device fails.
    pub fn evaluation_keys(&self) -> Result<EvaluationKeys<D>, Error> {
        let session = &*self.session;
        self.secret.require_admitted(session)?;
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
        self.save(directory.as_ref(), replace, None)
    }

    /// As [`Client::save_keys`], with the secret key under a passphrase.
    ///
    /// # Errors
    /// As [`Client::save_keys`].
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
        // Before keys are made, which takes long.
        let directory = KeyDirectory::open(directory, replace, &*self.session.observer)?;
        let Some(public) = &self.public else {
            return Err(Error::Usage(format!(
                "{}: the public key was not made here; keys are written when they are made",
                self.secret.name.display()
            )));
        };
        let evaluation = self.evaluation_keys()?;
        let context = &self.session.context;
        directory.save(context, (&self.secret, public), Some(&evaluation), passphrase)
    }

    /// The bytes of the file of the secret key.
    ///
    /// # Errors
    /// If the device fails.
    pub fn secret_key_bytes(&self) -> Result<u64, Error> {
        keys::bytes(|out| self.secret.write(out, &self.session.context, None))
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

    /// Decrypts results. Totals of several batches are added up here, so that there is one record for all.
    ///
    /// # Errors
    /// [`ErrorKind::WrongResult`](crate::ErrorKind::WrongResult) if the noise is found to be too large;
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for results under other keys; if the device fails.
    pub fn decrypt(&self, results: &Results<D>) -> Result<Records, Error> {
        let session = &*self.session;
        let schema = output_schema(&session.circuit, &[] as &[&str])?;
        let running = session.begin(Stage::Decrypting);
        let (mut batches, mut totals) = (Vec::new(), Totals::of(&session.circuit));
        for (index, batch) in results.batches.iter().enumerate() {
            session.check_cancelled()?;
            let steps = Steps::new(&running, index, Some(results.batches.len()), 1);
            let decrypted = self.decrypt_batch(batch)?;
            match &mut totals {
                Some(totals) => totals.add_batch(batch.records as u64, &decrypted.values)?,
                None => batches.push(values::batch(&schema, batch.records, decrypted.values)),
            }
            steps.step();
        }
        batches.extend(totals.and_then(Totals::finish));
        Ok(Records { schema, batches })
    }

    /// Decrypts the results of a batch, and measures their noise.
    ///
    /// # Errors
    /// As [`Client::decrypt`].
    pub fn decrypt_batch(&self, batch: &ResultBatch<D>) -> Result<Decrypted, Error> {
        let own = self.secret.set.map(|set| (set, self.secret.name.clone()));
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

    /// Decrypts a file of results into a table: [`Client::decryption`] with no more than that.
    ///
    /// # Errors
    /// As [`Decryption::to`].
    pub fn decrypt_to(
        &self,
        results: impl AsRef<Path>,
        output: &Output,
        format: Option<TableFormat>,
        types: &[impl AsRef<str>],
    ) -> Result<DecryptedFile, Error> {
        self.decryption(results).to(output, format, types)
    }

    /// Begins to decrypt a file of results; says what they must be.
    #[must_use]
    pub fn decryption(&self, results: impl AsRef<Path>) -> Decryption<'_, D> {
        Decryption::new(self, results.as_ref())
    }
}
