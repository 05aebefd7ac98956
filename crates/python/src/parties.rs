//! Jobs and their parties on any device, as objects: Python has no parameters of types.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill::device::Device;
use ringmill::platform::Platform;
use ringmill::{
    Client, DecryptedFile, Encrypted, EncryptedFile, Encryptor, Error, EvaluatedFile, EvaluationKeys, Job,
    KeyFile, NamedCircuit, Observer, Output, Passphrase, Plan, Planning, Point, PublicInputs, PublicKey,
    Records, Results, ResumableOutput, Seed, Server, SigningKey, Table, TableFormat, VerifyingKey,
};

/// Something of a device that other parties of the same device take.
pub type Shared = Arc<dyn Any + Send + Sync>;

fn own<T: Any + Send + Sync>(shared: &Shared) -> Result<Arc<T>, Error> {
    Arc::clone(shared).downcast().map_err(|_| {
        Error::Usage("this belongs to a job on another device; open that job on this device".to_owned())
    })
}

/// A job.
pub trait AnyJob: Send + Sync {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyJob>;
    fn device(&self) -> String;
    fn circuit(&self) -> &NamedCircuit;
    fn plan(&self) -> &Plan;
    fn points(&self) -> (&[Point], usize);
    fn save(&self, output: &Output) -> Result<u64, Error>;
    fn before(&self, planning: Planning) -> Result<Planning, Error>;
    fn cipher_key(&self, key: &[u8]) -> Result<Table, Error>;
    fn client(&self, seed: &Seed) -> Result<Arc<dyn AnyClient>, Error>;
    fn open_client(&self, path: &Path, passphrase: Option<&Passphrase>) -> Result<Arc<dyn AnyClient>, Error>;
    fn open_public_key(&self, path: &Path) -> Result<Shared, Error>;
    fn encryptor(&self, key: &Shared) -> Result<Arc<dyn AnyEncryptor>, Error>;
    fn server(&self, keys: ServerKeys) -> Result<Arc<dyn AnyServer>, Error>;
}

/// What a server is made of.
pub struct ServerKeys {
    pub keys: KeySource,
    pub public: Option<Shared>,
    pub signing: Option<SigningKey>,
}

/// Evaluation keys, or their file.
pub enum KeySource {
    Keys(Shared),
    File(PathBuf),
}

/// A client.
pub trait AnyClient: Send + Sync {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyClient>;
    fn encryptor(&self) -> Arc<dyn AnyEncryptor>;
    fn public_key(&self) -> Option<Shared>;
    fn evaluation_keys(&self) -> Result<Shared, Error>;
    fn save_keys(&self, path: &Path, replace: bool, seal: Option<&Passphrase>)
    -> Result<Vec<KeyFile>, Error>;
    fn decrypt(&self, results: &Shared) -> Result<Records, Error>;
    fn decrypt_to(&self, results: &Path, how: Decrypting) -> Result<DecryptedFile, Error>;
}

/// How a file is decrypted.
pub struct Decrypting {
    pub output: Output,
    pub format: Option<TableFormat>,
    pub types: Vec<String>,
    pub inputs: Option<(Vec<PathBuf>, PublicInputs)>,
    pub signer: Option<VerifyingKey>,
    pub carried: Option<(Table, Vec<String>)>,
}

/// A party that encrypts.
pub trait AnyEncryptor: Send + Sync {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyEncryptor>;
    fn of_ports(&self, ports: &[String]) -> Result<Arc<dyn AnyEncryptor>, Error>;
    fn encrypt(&self, table: &Table) -> Result<(Shared, usize), Error>;
    fn encrypt_to(&self, table: &Table, output: &Output) -> Result<EncryptedFile, Error>;
    fn encrypt_batches_to(&self, table: &Table, directory: &Path) -> Result<EncryptedFile, Error>;
}

/// A server.
pub trait AnyServer: Send + Sync {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyServer>;
    fn evaluate(&self, parts: &[Shared], public: &PublicInputs)
    -> Result<(Shared, ringmill::Account), Error>;
    fn evaluate_to(
        &self,
        inputs: &[PathBuf],
        public: &PublicInputs,
        output: &ResumableOutput,
    ) -> Result<EvaluatedFile, Error>;
}

impl<P: Platform> AnyJob for Job<P> {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyJob> {
        Arc::new(Self::with_observer(self, observer))
    }

    fn device(&self) -> String {
        self.platform().name()
    }

    fn circuit(&self) -> &NamedCircuit {
        self.named_circuit()
    }

    fn plan(&self) -> &Plan {
        self.plan_details()
    }

    fn points(&self) -> (&[Point], usize) {
        Self::points(self)
    }

    fn save(&self, output: &Output) -> Result<u64, Error> {
        output.check(ringmill::files::Content::Binary)?;
        self.write(output)
    }

    fn before(&self, planning: Planning) -> Result<Planning, Error> {
        planning.after(self)
    }

    fn cipher_key(&self, key: &[u8]) -> Result<Table, Error> {
        Self::cipher_key(self, key)
    }

    fn client(&self, seed: &Seed) -> Result<Arc<dyn AnyClient>, Error> {
        Ok(Arc::new(Self::client(self, seed)?))
    }

    fn open_client(&self, path: &Path, passphrase: Option<&Passphrase>) -> Result<Arc<dyn AnyClient>, Error> {
        Ok(Arc::new(match passphrase {
            Some(passphrase) => self.open_sealed_client(path, passphrase)?,
            None => Self::open_client(self, path)?,
        }))
    }

    fn open_public_key(&self, path: &Path) -> Result<Shared, Error> {
        Ok(Self::open_public_key(self, path)?)
    }

    fn encryptor(&self, key: &Shared) -> Result<Arc<dyn AnyEncryptor>, Error> {
        Ok(Arc::new(Self::encryptor(self, own(key)?)?))
    }

    fn server(&self, keys: ServerKeys) -> Result<Arc<dyn AnyServer>, Error> {
        let mut server = match keys.keys {
            KeySource::Keys(keys) => Self::server(self, own::<EvaluationKeys<P::Device>>(&keys)?)?,
            KeySource::File(path) => self.open_server(path)?,
        };
        if let Some(public) = keys.public {
            server = server.with_public_key(own::<PublicKey<P::Device>>(&public)?)?;
        }
        if let Some(key) = keys.signing {
            server = server.signing_with(key);
        }
        Ok(Arc::new(server))
    }
}

impl<D: Device + 'static> AnyClient for Client<D> {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyClient> {
        Arc::new(Self::with_observer(self, observer))
    }

    fn encryptor(&self) -> Arc<dyn AnyEncryptor> {
        Arc::new(Self::encryptor(self))
    }

    fn public_key(&self) -> Option<Shared> {
        Some(Self::public_key(self)?)
    }

    fn evaluation_keys(&self) -> Result<Shared, Error> {
        Ok(Arc::new(Self::evaluation_keys(self)?))
    }

    fn save_keys(
        &self,
        path: &Path,
        replace: bool,
        seal: Option<&Passphrase>,
    ) -> Result<Vec<KeyFile>, Error> {
        match seal {
            Some(passphrase) => self.save_sealed_keys(path, replace, passphrase),
            None => Self::save_keys(self, path, replace),
        }
    }

    fn decrypt(&self, results: &Shared) -> Result<Records, Error> {
        Self::decrypt(self, &*own::<Results<D>>(results)?)
    }

    fn decrypt_to(&self, results: &Path, how: Decrypting) -> Result<DecryptedFile, Error> {
        let mut decryption = self.decryption(results);
        if let Some((inputs, public)) = how.inputs {
            decryption = decryption.of_joint_inputs(&inputs, public);
        }
        if let Some(signer) = how.signer {
            decryption = decryption.signed_by(signer);
        }
        if let Some((table, columns)) = how.carried {
            decryption = decryption.carrying(table, columns);
        }
        decryption.to(&how.output, how.format, &how.types)
    }
}

impl<D: Device + 'static> AnyEncryptor for Encryptor<D> {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyEncryptor> {
        Arc::new(Self::with_observer(self, observer))
    }

    fn of_ports(&self, ports: &[String]) -> Result<Arc<dyn AnyEncryptor>, Error> {
        Ok(Arc::new(Self::of_ports(self.clone(), ports)?))
    }

    fn encrypt(&self, table: &Table) -> Result<(Shared, usize), Error> {
        let encrypted = Self::encrypt(self, table)?;
        let records = encrypted.records();
        Ok((Arc::new(encrypted), records))
    }

    fn encrypt_to(&self, table: &Table, output: &Output) -> Result<EncryptedFile, Error> {
        Self::encrypt_to(self, table, output)
    }

    fn encrypt_batches_to(&self, table: &Table, directory: &Path) -> Result<EncryptedFile, Error> {
        Self::encrypt_batches_to(self, table, directory)
    }
}

impl<D: Device + 'static> AnyServer for Server<D> {
    fn with_observer(&self, observer: Arc<dyn Observer>) -> Arc<dyn AnyServer> {
        Arc::new(Self::with_observer(self, observer))
    }

    fn evaluate(
        &self,
        parts: &[Shared],
        public: &PublicInputs,
    ) -> Result<(Shared, ringmill::Account), Error> {
        let parts = parts.iter().map(|part| Ok((*own::<Encrypted<D>>(part)?).clone()));
        let results = self.evaluate_joint(parts.collect::<Result<_, Error>>()?, public)?;
        let account = results.account().clone();
        Ok((Arc::new(results), account))
    }

    fn evaluate_to(
        &self,
        inputs: &[PathBuf],
        public: &PublicInputs,
        output: &ResumableOutput,
    ) -> Result<EvaluatedFile, Error> {
        self.evaluate_joint_to(inputs, public, output)
    }
}
