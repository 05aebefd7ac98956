use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::OutputValue;
use ringmill_fv::{Ciphertext, FvError};

use crate::Error;
use crate::batches::{Outputs, Role};
use crate::encryptor::{Encrypted, EncryptedBatch};
use crate::evaluation::{self, Account, EvaluatedFile, Evaluation, Origins, Pairs, PublicInputs, Unpacker};
use crate::files::ResumableOutput;
use crate::keys::{EvaluationKeys, KeySet, PublicKey};
use crate::observer::Observer;
use crate::session::Session;
use crate::signing::SigningKey;

/// The party that evaluates. It holds keys to evaluate with, and nothing that decrypts. A single record that stands for
/// all, packed ([`InputPacking::Broadcast`](crate::InputPacking::Broadcast)), it keeps taken apart until another comes, in
/// a file without a name or in the device's memory.
pub struct Server<D: Device> {
    pub(crate) session: Arc<Session<D>>,
    pub(crate) keys: Arc<EvaluationKeys<D>>,
    /// The name of the keys for messages: their file's, if they are from one.
    pub(crate) name: PathBuf,
    device: String,
    /// The key that files of results are signed with, if they are.
    pub(crate) signing: Option<Arc<SigningKey>>,
    /// The key under which results are encrypted anew, where the plan has that.
    public: Option<Arc<PublicKey<D>>>,
    pub(crate) unpacker: Arc<Unpacker<D>>,
}

/// Encrypted results, in memory.
pub struct Results<D: Device> {
    pub(crate) batches: Vec<ResultBatch<D>>,
    account: Account,
}

/// Encrypted results of a batch.
pub struct ResultBatch<D: Device> {
    pub(crate) records: usize,
    pub(crate) outputs: Outputs<D>,
    /// The keys that they belong to, if that is known.
    pub(crate) keys: Option<KeySet>,
}

impl<D: Device> Results<D> {
    /// Records in it.
    #[must_use]
    pub fn records(&self) -> usize {
        self.batches.iter().map(|batch| batch.records).sum()
    }

    /// The cost of the evaluation.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }
}

impl<D: Device> ResultBatch<D> {
    /// The ciphertexts of all outputs that depend on a private input.
    pub fn ciphertexts(&self) -> impl Iterator<Item = &Ciphertext<D>> {
        self.outputs.iter().flatten().filter_map(|value| match value {
            OutputValue::Encrypted(ciphertext) => Some(ciphertext),
            OutputValue::Clear(_) => None,
        })
    }
}

impl<D: Device> Server<D> {
    pub(crate) fn new(
        session: Arc<Session<D>>,
        keys: Arc<EvaluationKeys<D>>,
        name: &Path,
        device: String,
    ) -> Self {
        Self {
            session,
            keys,
            name: name.to_path_buf(),
            device,
            signing: None,
            public: None,
            unpacker: Arc::new(Unpacker::new()),
        }
    }

    /// The same party, watched by another observer, as [`Job::with_observer`](crate::Job::with_observer).
    #[must_use]
    pub fn with_observer(&self, observer: Arc<dyn Observer>) -> Self {
        Self {
            session: self.session.with_observer(observer),
            keys: Arc::clone(&self.keys),
            name: self.name.clone(),
            device: self.device.clone(),
            signing: self.signing.clone(),
            public: self.public.clone(),
            unpacker: Arc::clone(&self.unpacker),
        }
    }

    /// Gives the server the client's public key, which it needs for plans whose results may be shared
    /// ([`Planning::shared_results`](crate::Planning::shared_results)).
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for the key of another set than the evaluation keys'.
    pub fn with_public_key(self, key: Arc<PublicKey<D>>) -> Result<Self, Error> {
        let own = self.keys.set.map(|set| (set, self.name.clone()));
        KeySet::check(Some(key.set), own.as_ref(), "a public key").map_err(Error::Usage)?;
        let public = Some(key);
        Ok(Self { public, ..self })
    }

    /// Refuses to begin without the keys that the plan needs.
    pub(crate) fn require_keys(&self) -> Result<(), Error> {
        if self.session.plan.recipe().flooding && self.public.is_none() {
            return Err(Error::Usage(
                "the parameters were made for results that may be shared; give the public key too, with --public-key"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Encrypts outputs anew and drowns their noise, if the plan has that.
    pub(crate) fn flood(&self, outputs: &mut Outputs<D>) -> Result<(), Error> {
        self.require_keys()?;
        let (session, seed) = (&*self.session, Seed::random()?);
        let Some(public) = self.public.as_ref().filter(|_| session.plan.recipe().flooding) else {
            return Ok(());
        };
        let encrypted = outputs.iter_mut().flatten().filter_map(|value| match value {
            OutputValue::Encrypted(ciphertext) => Some(ciphertext),
            OutputValue::Clear(_) => None,
        });
        let encrypted: Vec<_> = encrypted.enumerate().collect();
        encrypted.into_par_iter().try_for_each(|(index, ciphertext)| {
            let Some(amplitude) = session.plan.log2_flood(ciphertext.level()) else {
                return Err(FvError::BadLevel {
                    level: ciphertext.level(),
                    levels: session.context.parameters().levels(),
                });
            };
            let seed = seed.derive("output", index as u64);
            *ciphertext = session.context.flood(&public.key, ciphertext, amplitude, &seed)?;
            Ok(())
        })?;
        Ok(session.context.device().finish()?)
    }

    /// Signs files of results with a key: a proof of who evaluated, not that it was done right.
    #[must_use]
    pub fn signing_with(self, key: SigningKey) -> Self {
        let signing = Some(Arc::new(key));
        Self { signing, ..self }
    }

    /// The name of the device that computes.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Evaluates a circuit without public inputs on encrypted records.
    ///
    /// # Errors
    /// As [`Server::evaluate_with`].
    pub fn evaluate(&self, encrypted: Encrypted<D>) -> Result<Results<D>, Error> {
        self.evaluate_with(encrypted, &PublicInputs::none())
    }

    /// Evaluates a circuit on encrypted records and public inputs. Both must be the same number of records, unless a
    /// single one was encrypted, for all.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if public inputs are missing, or if the records were encrypted
    /// under other keys; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the public inputs do not suit the
    /// circuit; if the device fails; [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn evaluate_with(&self, encrypted: Encrypted<D>, public: &PublicInputs) -> Result<Results<D>, Error> {
        self.evaluate_joint(vec![encrypted], public)
    }

    /// Evaluates a circuit on encrypted records of several owners: each part holds some of the private ports
    /// ([`Encryptor::of_ports`](crate::Encryptor::of_ports)), all together hold each once. Row by row they are of the same
    /// records, in the same order; the single record of an owner stands for all.
    ///
    /// ```
    /// use ringmill::{Job, PublicInputs, Seed, Table, circuits};
    ///
    /// # fn main() -> Result<(), ringmill::Error> {
    /// let job = Job::plan(&circuits::by_name("and8")?)?;
    /// let client = job.client(&Seed::random()?)?;
    /// let one = client.encryptor().of_ports(&["a"])?.encrypt(&Table::csv("a\n12\n255\n"))?;
    /// let other = client.encryptor().of_ports(&["b"])?.encrypt(&Table::csv("b\n10\n7\n"))?;
    /// let server = job.server(client.evaluation_keys()?)?;
    /// let results = server.evaluate_joint(vec![one, other], &PublicInputs::none())?;
    /// assert_eq!(client.decrypt(&results)?.to_csv()?, "and\n8\n7\n");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Server::evaluate_with`]; [`ErrorKind::Usage`](crate::ErrorKind::Usage) if a private port is missing or comes
    /// twice; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the parts are not as many records.
    pub fn evaluate_joint(
        &self,
        parts: Vec<Encrypted<D>>,
        public: &PublicInputs,
    ) -> Result<Results<D>, Error> {
        let count = parts.iter().map(|part| part.batches.len()).max().unwrap_or(0);
        let mut pairs = Pairs::of(self, parts, public)?;
        let mut evaluation = self.evaluation();
        let mut batches = Vec::new();
        let mut next = pairs.next()?;
        while let Some(pair) = next {
            self.session.check_cancelled()?;
            // Before the evaluation, so that the observer hears which batch is the last.
            next = pairs.next()?;
            let last = next.is_none();
            let read = batches.len() + if last { 1 } else { 2 };
            let total = pairs
                .meter()
                .map_or(Some(count), |meter| meter.batches(read, last));
            evaluation.expect(total);
            batches.push(evaluation.batch(pair.private, &pair.public)?);
        }
        Ok(Results {
            batches,
            account: evaluation.finish(),
        })
    }

    /// Begins to evaluate batch by batch, with one account of all.
    #[must_use]
    pub fn evaluation(&self) -> Evaluation<'_, D> {
        Evaluation::new(self)
    }

    /// Evaluates a file of encrypted inputs into a file of results, with one batch in memory at a time, and each input
    /// from its first use on. If a batch fails, those before it are kept, and the same call with
    /// [`ResumableOutput::resuming`] goes on from there; if all were finished, it only sees that they are of these
    /// inputs. `-` is standard input.
    ///
    /// # Errors
    /// As [`Server::evaluate_with`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file is damaged, of
    /// another job, or under other keys; [`Error::Kept`] if batches were kept.
    pub fn evaluate_to(
        &self,
        encrypted: impl AsRef<Path>,
        public: &PublicInputs,
        output: &ResumableOutput,
    ) -> Result<EvaluatedFile, Error> {
        self.evaluate_joint_to(&[encrypted], public, output)
    }

    /// As [`Server::evaluate_to`], for files of several owners: each holds some of the private ports, all together hold
    /// each once, as in [`Server::evaluate_joint`]. The order of the files makes no difference.
    ///
    /// # Errors
    /// As [`Server::evaluate_to`] and [`Server::evaluate_joint`].
    pub fn evaluate_joint_to(
        &self,
        encrypted: &[impl AsRef<Path>],
        public: &PublicInputs,
        output: &ResumableOutput,
    ) -> Result<EvaluatedFile, Error> {
        let files: Vec<PathBuf> = encrypted.iter().map(|path| path.as_ref().to_path_buf()).collect();
        evaluation::evaluate_to(self, &files, public, output)
    }

    /// The origin that all results of a run share.
    pub(crate) fn origins(&self, private: &[PathBuf], public: &PublicInputs) -> Result<Origins, Error> {
        Origins::new(self, private, public)
    }

    /// The bytes of the file of the evaluation keys.
    ///
    /// # Errors
    /// If the device fails.
    pub fn evaluation_key_bytes(&self) -> Result<u64, Error> {
        crate::keys::bytes(|out| self.keys.write(out, &self.session.context))
    }

    /// Refuses records under other keys: their results would be noise.
    pub(crate) fn check_keys(&self, batch: &EncryptedBatch<D>) -> Result<(), Error> {
        let own = self.keys.set.map(|set| (set, self.name.clone()));
        KeySet::check(batch.keys, own.as_ref(), Role::Inputs.name()).map_err(Error::Usage)
    }
}
