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
mod parties;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Parameters};

pub use batches::{Encoding, Head};
pub use parties::{MessageClient, MessageEncryptor};
#[cfg(feature = "fuzzing")]
pub(crate) use rows::{NumberRows, RowFormat};

use crate::encryptor::Key;
use crate::keys::{self, KeySet, Passphrase, PublicKey, SecretKey};
use crate::observer::{Running, Shared, Stage};
use crate::planning::warn_if_insecure;
use crate::platform::{Cpu, Platform};
use crate::{Error, Observer};

/// Parameters for messages, on a platform.
pub struct MessageJob<D: Device> {
    session: Arc<MessageSession<D>>,
}

/// The part that all parties share.
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
