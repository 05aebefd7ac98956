use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ringmill_arith::sampling::Seed;
use ringmill_circuit::Circuit;
use ringmill_device::Device as _;
use ringmill_engine::{Plan, Point};
use ringmill_format::Access;
use ringmill_fv::Parameters;

use crate::Error;
use crate::circuits::{NamedCircuit, source};
use crate::client::Client;
use crate::encryptor::Encryptor;
use crate::files::Output;
use crate::job_file::JobFile;
use crate::keys::{EvaluationKeys, Passphrase, PublicKey, SecretKey};
use crate::observer::{Observer, Running, Shared, Stage};
use crate::planning::{Planning, warn_if_insecure};
use crate::platform::{Cpu, Platform};
use crate::server::Server;
use crate::session::Session;
use crate::table::Table;
use crate::units::bytes;

/// A circuit, how it is evaluated, and on which platform: what all parties agree on. It holds no secret.
///
/// Parties on different machines agree by the job file that [`Job::save`] writes and [`Job::open`] reads: the plan
/// follows from it.
pub struct Job<P: Platform = Cpu> {
    platform: Arc<P>,
    /// The circuit that is evaluated: the variant that the plan is for.
    circuit: Arc<NamedCircuit>,
    plan: Arc<Plan>,
    /// The variants that there were to choose from, and which the plan is for.
    points: Vec<Point>,
    chosen: usize,
    observer: Shared,
    /// The parameters on a device, once a party needs them.
    session: Prepared<P::Device>,
}

/// What is made once a party needs it. Jobs that differ in their observers share it.
type Prepared<D> = Arc<Mutex<Option<Arc<Session<D>>>>>;

impl Job {
    /// Plans a circuit with the defaults of [`Planning`], on this machine's processor.
    ///
    /// # Errors
    /// As [`Planning::plan_on`].
    pub fn plan(circuit: &NamedCircuit) -> Result<Self, Error> {
        Planning::new().plan(circuit)
    }

    /// Opens the job of a file, on this machine's processor.
    ///
    /// # Errors
    /// As [`JobFile::open`] and [`Planning::open_on`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Planning::new().open(&JobFile::open(path)?)
    }
}

impl<P: Platform> Job<P> {
    pub(crate) fn new(platform: &Arc<P>, circuit: NamedCircuit, plan: Plan, observer: &Shared) -> Self {
        warn_if_insecure(plan.parameters(), &**observer);
        Self {
            platform: Arc::clone(platform),
            circuit: Arc::new(circuit),
            plan: Arc::new(plan),
            points: Vec::new(),
            chosen: 0,
            observer: Arc::clone(observer),
            session: Arc::default(),
        }
    }

    pub(crate) fn with_points(mut self, points: Vec<Point>, chosen: usize) -> Self {
        self.points = points;
        self.chosen = chosen;
        self
    }

    /// The same job on another platform: what was planned for one is right on all.
    #[must_use]
    pub fn on<Q: Platform>(&self, platform: &Arc<Q>) -> Job<Q> {
        Job {
            platform: Arc::clone(platform),
            circuit: Arc::clone(&self.circuit),
            plan: Arc::clone(&self.plan),
            points: self.points.clone(),
            chosen: self.chosen,
            observer: Arc::clone(&self.observer),
            session: Arc::default(),
        }
    }

    /// The same job, watched by another observer: so are the parties that it makes. Parties have this method too, so that calls
    /// at the same time can be watched, and stopped, one by one.
    #[must_use]
    pub fn with_observer(&self, observer: Arc<dyn Observer>) -> Self {
        Self {
            session: Arc::clone(&self.session),
            observer,
            ..self.on(&self.platform)
        }
    }

    /// Writes the job file.
    ///
    /// It holds the circuit, unless that has rows of bytes and comes neither with the library nor from a file: then
    /// whoever opens the file has to know the circuit too ([`JobFile::with_circuit`]).
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io); also if the file exists.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let output = Output::new(path.as_ref());
        output.prepare(crate::files::Content::Binary, &*self.observer)?;
        self.write(&output)?;
        Ok(())
    }

    /// Writes the job file as [`Job::save`]; its size in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn write(&self, output: &Output) -> Result<u64, Error> {
        let parameters = self.parameters();
        let content = |mut out: &mut dyn Write| {
            parameters.write(&mut out)?;
            self.plan.recipe().write(&mut out, parameters)?;
            if !self.circuit.steps.is_empty() {
                source::write(&self.circuit.steps, parameters.hash(), out)?;
            }
            Ok(())
        };
        Ok(output.write(Access::Public, content)?.1)
    }

    /// The name of the circuit.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.circuit.name
    }

    /// The circuit that is evaluated: perhaps an optimised variant of the one that was planned, with the same ports.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit.circuit
    }

    /// The circuit with its name and, if it begins with a block cipher, what is known of that.
    #[must_use]
    pub fn named_circuit(&self) -> &NamedCircuit {
        &self.circuit
    }

    /// The plan: parameters, levels, order and predictions.
    #[must_use]
    pub fn plan_details(&self) -> &Plan {
        &self.plan
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.plan.parameters()
    }

    /// The variants of the circuit that there were to choose from, and the place of the one chosen; none if the job was
    /// opened from a file.
    #[must_use]
    pub fn points(&self) -> (&[Point], usize) {
        (&self.points, self.chosen)
    }

    /// The platform.
    #[must_use]
    pub const fn platform(&self) -> &Arc<P> {
        &self.platform
    }

    /// The private inputs that the key of the circuit's block cipher stands for, as a table of one record.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the circuit does not begin with a bundled cipher, or if the key
    /// has the wrong length.
    pub fn cipher_key(&self, key: &[u8]) -> Result<Table, Error> {
        let Some(cipher) = self.circuit.cipher() else {
            return Err(Error::Usage(format!(
                "the circuit {} takes no cipher's key; give its private inputs with --input FILE",
                self.name()
            )));
        };
        let bytes = cipher.private_bytes(key).map_err(Error::Usage)?;
        Ok(Table::binary_secret(bytes))
    }

    /// Makes the keys of a client from a seed: of its first secret under which the plan's noise keeps its margin at every
    /// root. Whoever knows the seed can decrypt: take [`Seed::random`], unless keys must be the same again. What is
    /// encrypted always takes fresh randomness.
    ///
    /// # Errors
    /// [`ErrorKind::NoParameters`](crate::ErrorKind::NoParameters) if no secret does; if the device cannot be used, or
    /// fails.
    pub fn client(&self, seed: &Seed) -> Result<Client<P::Device>, Error> {
        Client::generate(self.session()?, seed)
    }

    /// Opens a client from the file of its secret key, which may have been made for another job of the same parameters.
    /// Before the client encrypts or makes evaluation keys, it sees whether this job's promise holds for the key.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io); if the device
    /// cannot be used, or fails.
    pub fn open_client(&self, secret_key: impl AsRef<Path>) -> Result<Client<P::Device>, Error> {
        self.open_secret(secret_key.as_ref(), None)
    }

    /// As [`Job::open_client`], with a secret key that is under a passphrase.
    ///
    /// # Errors
    /// As [`Job::open_client`]; also if the passphrase is not the one of the key.
    pub fn open_sealed_client(
        &self,
        secret_key: impl AsRef<Path>,
        passphrase: &Passphrase,
    ) -> Result<Client<P::Device>, Error> {
        self.open_secret(secret_key.as_ref(), Some(passphrase))
    }

    fn open_secret(&self, path: &Path, passphrase: Option<&Passphrase>) -> Result<Client<P::Device>, Error> {
        let session = self.session()?;
        let secret = SecretKey::open(path, &session.context, passphrase)?;
        Ok(Client::new(session, secret))
    }

    /// Opens the file of a public key: [`Job::encryptor`] and
    /// [`Server::with_public_key`](crate::Server::with_public_key) take it.
    ///
    /// # Errors
    /// As [`Job::open_client`].
    pub fn open_public_key(&self, public_key: impl AsRef<Path>) -> Result<Arc<PublicKey<P::Device>>, Error> {
        let key = PublicKey::open(public_key.as_ref(), &self.session()?.context)?;
        Ok(Arc::new(key))
    }

    /// A party that encrypts with a client's public key.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the plan counts on the little noise of the secret key.
    pub fn encryptor(&self, key: Arc<PublicKey<P::Device>>) -> Result<Encryptor<P::Device>, Error> {
        Encryptor::public(self.session()?, key)
    }

    /// Opens a party that encrypts, from the file of a public key.
    ///
    /// # Errors
    /// As [`Job::encryptor`] and [`Job::open_client`].
    pub fn open_encryptor(&self, public_key: impl AsRef<Path>) -> Result<Encryptor<P::Device>, Error> {
        self.encryptor(self.open_public_key(public_key)?)
    }

    /// A party that evaluates with a client's evaluation keys, which several may share.
    ///
    /// # Errors
    /// If the device cannot be used, or fails.
    pub fn server(
        &self,
        keys: impl Into<Arc<EvaluationKeys<P::Device>>>,
    ) -> Result<Server<P::Device>, Error> {
        Ok(Server::new(
            self.session()?,
            keys.into(),
            Path::new("the evaluation key"),
            self.platform.name(),
        ))
    }

    /// Opens a party that evaluates, from the file of evaluation keys.
    ///
    /// # Errors
    /// As [`Job::open_client`].
    pub fn open_server(&self, evaluation_key: impl AsRef<Path>) -> Result<Server<P::Device>, Error> {
        let session = self.session()?;
        let keys = Arc::new(EvaluationKeys::open(evaluation_key.as_ref(), &session.context)?);
        Ok(Server::new(
            session,
            keys,
            evaluation_key.as_ref(),
            self.platform.name(),
        ))
    }

    /// Computes the tables of the parameters on a device, if no party needed them before. Notes if the device has less
    /// memory than an evaluation will take.
    ///
    /// # Errors
    /// If the device cannot be used, or fails.
    pub fn prepare(&self) -> Result<(), Error> {
        self.session().map(|_| ())
    }

    fn session(&self) -> Result<Arc<Session<P::Device>>, Error> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = &*session {
            return Ok(session.with_observer(Arc::clone(&self.observer)));
        }
        let made = Arc::new(self.new_session()?);
        *session = Some(Arc::clone(&made));
        Ok(made)
    }

    fn new_session(&self) -> Result<Session<P::Device>, Error> {
        let context = {
            let _running = Running::begin(&*self.observer, Stage::Tables);
            self.platform.context(self.plan.parameters().clone())?
        };
        let needed = self.plan.prediction().memory.peak;
        match context.device().memory() {
            Some(memory) if memory < needed => self.observer.note(&format!(
                "note: an evaluation of {} takes about {}, and {} has {}; what does not fit is kept in the host's memory",
                self.name(),
                bytes(needed),
                context.device().name(),
                bytes(memory)
            )),
            _ => (),
        }
        Ok(Session {
            circuit: Arc::clone(&self.circuit),
            plan: Arc::clone(&self.plan),
            context: Arc::new(context),
            observer: Arc::clone(&self.observer),
        })
    }
}
