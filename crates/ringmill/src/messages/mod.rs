//! Messages of numbers: rows of integers modulo t, in the slots or the coefficients of a polynomial.
//!
//! A program computes on messages in slots, slot by slot and by rotations; `docs/command-line.md` has the language.
//!
//! ```
//! use ringmill::Seed;
//! use ringmill::messages::{Columns, MessageJob};
//!
//! # fn main() -> Result<(), ringmill::Error> {
//! let job = MessageJob::plan("w: public; r = a * b + 3 * a; d = inner(a, w)")?;
//! let client = job.client(&Seed::random()?)?;
//! let server = job.server(client.evaluation_keys()?)?;
//!
//! let inputs = Columns::new().with("a", vec![vec![1, 2, 3]]).with("b", vec![vec![4, 5, 65536]]);
//! let weights = Columns::new().with("w", vec![vec![10, 0, 7]]);
//! let results = server.evaluate(client.encrypt_inputs(&inputs)?, &weights)?;
//! let decrypted = client.decrypt_results(&results)?;
//! assert_eq!(decrypted.columns.get("r").unwrap(), [vec![7, 16, 6]]);
//! assert_eq!(decrypted.columns.get("d").unwrap(), [vec![10 + 21]]);
//! # Ok(())
//! # }
//! ```
//!
//! Without a program they are encrypted and decrypted:
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
mod columns;
mod cost;
mod evaluation;
mod inputs;
mod noise;
mod parties;
mod plan;
mod planning;
mod program_file;
mod public;
mod results;
mod rows;
mod server;
mod trial;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Parameters};

pub use batches::{Encoding, Head};
pub use columns::Columns;
pub use cost::MessageCosts;
pub use inputs::RowTotals;
pub(crate) use noise::LOG2_FAILURE;
pub use parties::{MessageClient, MessageEncryptor};
pub use plan::{MessagePlan, MessageTraffic};
pub use planning::{DEFAULT_MODULUS, MessagePlanning};
pub use program_file::RowsHead;
pub(crate) use program_file::take_program;
#[cfg(feature = "fuzzing")]
pub(crate) use program_file::write_program;
pub use results::{DecryptedRows, DecryptedRowsFile};
pub use ringmill_expression::{MessageInput, MessageOutput, MessageProgram};
#[cfg(feature = "fuzzing")]
pub(crate) use rows::{NumberRows, RowFormat};
pub use server::MessageServer;
pub use trial::MessageTrial;

use crate::encryptor::Key;
use crate::files::{Content, Output};
use crate::keys::{self, EvaluationKeys, KeySet, Passphrase, PublicKey, SecretKey};
use crate::observer::{Running, Shared, Stage};
use crate::planning::warn_if_insecure;
use crate::platform::{Cpu, Platform};
use crate::{Error, JobFile, Observer, Policy};

/// Parameters for messages, on a platform.
pub struct MessageJob<D: Device> {
    session: Arc<MessageSession<D>>,
}

/// The part that all parties share.
struct MessageSession<D: Device> {
    context: Context<D>,
    observer: Shared,
    /// What is computed on messages, if anything.
    plan: Option<MessagePlan>,
}

impl<D: Device> MessageSession<D> {
    /// The program and its plan.
    fn plan(&self) -> Result<&MessagePlan, Error> {
        self.plan.as_ref().ok_or_else(|| {
            Error::Usage(
                "these parameters have no program: their messages are encrypted and decrypted only; plan one with \
                 `ringmill plan --integers`"
                    .to_owned(),
            )
        })
    }
}

/// Encrypted inputs or results of a program, in memory.
pub struct EncryptedRows<D: Device> {
    head: RowsHead,
    /// Row by row, a message for each name.
    ciphertexts: Vec<Ciphertext<D>>,
}

impl<D: Device> EncryptedRows<D> {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.head.rows()
    }

    /// The inputs or outputs in each row.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.head.names
    }
}

/// Encrypted messages, in memory.
pub struct EncryptedMessages<D: Device> {
    encoding: Encoding,
    /// Numbers in each.
    lengths: Vec<usize>,
    ciphertexts: Vec<Ciphertext<D>>,
    /// The keys that they belong to, if that is known.
    keys: Option<KeySet>,
}

/// Counts of a file of messages, encrypted or decrypted.
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

    /// Plans a program over messages with the defaults of [`MessagePlanning`], on this machine's processor.
    ///
    /// # Errors
    /// As [`MessagePlanning::plan`].
    pub fn plan(program: &str) -> Result<Self, Error> {
        Self::of_plan(&Cpu, MessagePlanning::new().plan(program)?, Arc::new(()))
    }

    /// Opens the job of a file, with or without a program, on this machine's processor.
    ///
    /// # Errors
    /// As [`JobFile::open`] and [`JobFile::message_job`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        JobFile::open(path)?.message_job(&Cpu, &Policy::default(), Arc::new(()))
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
        Self::begin(platform, parameters, None, observer)
    }

    /// Takes a planned program on a platform.
    ///
    /// # Errors
    /// As [`MessageJob::new`].
    pub fn of_plan(
        platform: &impl Platform<Device = D>,
        plan: MessagePlan,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, Error> {
        Self::begin(platform, plan.parameters().clone(), Some(plan), observer)
    }

    fn begin(
        platform: &impl Platform<Device = D>,
        parameters: Parameters,
        plan: Option<MessagePlan>,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, Error> {
        warn_if_insecure(&parameters, &*observer);
        let context = platform.context(parameters)?;
        Ok(Self {
            session: Arc::new(MessageSession {
                context,
                observer,
                plan,
            }),
        })
    }

    /// The program and its plan; none where messages are encrypted and decrypted only.
    #[must_use]
    pub fn plan_details(&self) -> Option<&MessagePlan> {
        self.session.plan.as_ref()
    }

    /// Writes the job file of a program.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) without a program; [`ErrorKind::Io`](crate::ErrorKind::Io), also if
    /// the file exists.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let output = Output::new(path.as_ref());
        output.prepare(Content::Binary, &*self.session.observer)?;
        self.session.plan()?.write(&output)?;
        Ok(())
    }

    /// A party that evaluates with a client's evaluation keys.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) without a program, and for keys that lack one that it needs.
    pub fn server(&self, keys: EvaluationKeys<D>) -> Result<MessageServer<D>, Error> {
        MessageServer::new(Arc::clone(&self.session), keys, Path::new("the evaluation key"))
    }

    /// Opens a party that evaluates, from the file of evaluation keys.
    ///
    /// # Errors
    /// As [`MessageJob::server`] and [`MessageJob::open_client`].
    pub fn open_server(&self, evaluation_key: impl AsRef<Path>) -> Result<MessageServer<D>, Error> {
        let path = evaluation_key.as_ref();
        let keys = EvaluationKeys::open(path, &self.session.context)?;
        MessageServer::new(Arc::clone(&self.session), keys, path)
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
        let (secret, public) = keys::generate(&self.session.context, None, seed)?;
        Ok(MessageClient {
            session: Arc::clone(&self.session),
            secret: Arc::new(secret),
            public: Some(Arc::new(public)),
            seed: Some(seed.derive("evaluation keys", 0)),
            name: PathBuf::from("the secret key"),
        })
    }

    /// Opens a client from the file of its secret key.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open_client(&self, secret_key: impl AsRef<Path>) -> Result<MessageClient<D>, Error> {
        self.open_secret(secret_key.as_ref(), None)
    }

    /// As [`MessageJob::open_client`], with a secret key that is under a passphrase.
    ///
    /// # Errors
    /// As [`MessageJob::open_client`]; also if the passphrase is not the one of the key.
    pub fn open_sealed_client(
        &self,
        secret_key: impl AsRef<Path>,
        passphrase: &Passphrase,
    ) -> Result<MessageClient<D>, Error> {
        self.open_secret(secret_key.as_ref(), Some(passphrase))
    }

    fn open_secret(&self, path: &Path, passphrase: Option<&Passphrase>) -> Result<MessageClient<D>, Error> {
        Ok(MessageClient {
            session: Arc::clone(&self.session),
            secret: Arc::new(SecretKey::open(path, &self.session.context, passphrase)?),
            public: None,
            seed: None,
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
