use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringmill::platform::{DeviceName, Platform, PlatformTask};
use ringmill::{Error, JobFile, Loading, NamedCircuit, Output, Passphrase, Planning, Seed, SigningKey};

use crate::circuit::Circuit;
use crate::error::{raise, usage};
use crate::options::{OpenOptions, PlanOptions};
use crate::parties::{AnyJob, KeySource, ServerKeys};
use crate::party::{Client, Encryptor, EvaluationKeys, PublicKey, Server};
use crate::report;
use crate::table::Table;
use crate::watch::Watch;

/// A circuit and its plan.
#[pyclass(frozen)]
pub struct Job {
    inner: Arc<dyn AnyJob>,
    watch: Arc<Watch>,
}

/// Where a job comes from.
enum Source {
    Circuit(Box<NamedCircuit>),
    File(PathBuf, bool),
}

struct Begin(Planning, Source);

impl PlatformTask for Begin {
    type Output = Arc<dyn AnyJob>;
    type Error = Error;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, Error> {
        let Self(planning, source) = self;
        Ok(Arc::new(match source {
            Source::Circuit(circuit) => planning.plan_on(platform, &circuit)?,
            Source::File(path, false) => planning.open_on(platform, &JobFile::open(path)?)?,
            Source::File(path, true) => planning.open_to_evaluate_on(platform, &JobFile::open(path)?)?,
        }))
    }
}

fn begin(
    py: Python<'_>,
    planning: Planning,
    source: Source,
    device: &str,
    reporter: Py<PyAny>,
) -> PyResult<Job> {
    let device: DeviceName = device.parse().map_err(|problem: String| usage(py, problem))?;
    let watch = Watch::new(reporter);
    let inner = watch.attend(py, move |observer| {
        let planning = planning.observer(Arc::clone(&observer));
        device.open(&*observer)?.run(Begin(planning, source))
    })?;
    Ok(Job { inner, watch })
}

/// Plans a circuit for a device. A reporter makes, for each call, a handler that is told what happens.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    circuit: Py<Circuit>,
    options: PlanOptions,
    after: Option<Py<Job>>,
    device: &str,
    reporter: Py<PyAny>,
) -> PyResult<Job> {
    let planning = options.planning(py, after.as_ref().map(Py::get))?;
    let source = Source::Circuit(Box::new(circuit.get().0.clone()));
    begin(py, planning, source, device, reporter)
}

/// Opens a job file.
#[pyfunction]
pub fn open(
    py: Python<'_>,
    path: PathBuf,
    options: OpenOptions,
    device: &str,
    reporter: Py<PyAny>,
) -> PyResult<Job> {
    let source = Source::File(path, options.evaluate);
    begin(py, options.planning(), source, device, reporter)
}

impl Job {
    /// Has another job go on with the results of this one.
    pub fn before(&self, py: Python<'_>, planning: Planning) -> PyResult<Planning> {
        self.inner.before(planning).map_err(|error| raise(py, &error))
    }
}

#[pymethods]
impl Job {
    #[getter]
    fn circuit(&self) -> Circuit {
        Circuit(self.inner.circuit().clone())
    }

    #[getter]
    fn device(&self) -> String {
        self.inner.device()
    }

    /// What the plan says: parameters, predictions, sizes.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report::of_plan(py, self.inner.plan())
    }

    /// The plan in words.
    fn explain(&self) -> String {
        self.inner.plan().explain()
    }

    /// The variants that there were to choose from.
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        report::points(py, self.inner.points())
    }

    /// The steps in the order in which they are done: operation, depth, limbs, log2 of the noise, seconds on one thread.
    fn steps(&self) -> Vec<(&'static str, u32, usize, f64, f64)> {
        report::steps(self.inner.plan())
    }

    /// Bytes of memory predicted while each wave of steps is in progress.
    fn memory(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        let memory = self.inner.plan().memory_by_wave(Loading::AtOnce);
        memory.map_err(|error| raise(py, &error.into()))
    }

    /// Writes the job file; its bytes.
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> PyResult<u64> {
        let inner = Arc::clone(&self.inner);
        let output = Output::new(path).replacing(replace);
        self.watch
            .attend(py, move |observer| inner.with_observer(observer).save(&output))
    }

    /// The private inputs that a cipher's key stands for.
    fn cipher_key(&self, py: Python<'_>, key: Vec<u8>) -> PyResult<Table> {
        let table = self.inner.cipher_key(&key);
        table.map(Table).map_err(|error| raise(py, &error))
    }

    fn client(&self, py: Python<'_>, seed: Option<[u8; 32]>) -> PyResult<Client> {
        let inner = Arc::clone(&self.inner);
        let client = self.watch.attend(py, move |observer| {
            let seed = seed.map_or_else(Seed::random, |seed| Ok(Seed::from_bytes(seed)))?;
            inner.with_observer(observer).client(&seed)
        })?;
        Ok(Client::new(client, &self.watch))
    }

    fn open_client(&self, py: Python<'_>, path: PathBuf, passphrase: Option<String>) -> PyResult<Client> {
        let inner = Arc::clone(&self.inner);
        let client = self.watch.attend(py, move |observer| {
            let passphrase = passphrase.map(Passphrase::new).transpose()?;
            inner
                .with_observer(observer)
                .open_client(&path, passphrase.as_ref())
        })?;
        Ok(Client::new(client, &self.watch))
    }

    fn open_public_key(&self, py: Python<'_>, path: PathBuf) -> PyResult<PublicKey> {
        let inner = Arc::clone(&self.inner);
        let key = self.watch.attend(py, move |observer| {
            inner.with_observer(observer).open_public_key(&path)
        })?;
        Ok(PublicKey(key))
    }

    fn encryptor(&self, py: Python<'_>, key: Py<PublicKey>) -> PyResult<Encryptor> {
        let inner = Arc::clone(&self.inner);
        let key = Arc::clone(&key.get().0);
        let encryptor = self
            .watch
            .attend(py, move |observer| inner.with_observer(observer).encryptor(&key))?;
        Ok(Encryptor::new(encryptor, &self.watch))
    }

    /// A server with evaluation keys, or with those of a file.
    fn server(
        &self,
        py: Python<'_>,
        keys: Option<Py<EvaluationKeys>>,
        path: Option<PathBuf>,
        public: Option<Py<PublicKey>>,
        signing: Option<PathBuf>,
    ) -> PyResult<Server> {
        let inner = Arc::clone(&self.inner);
        let keys = match (keys, path) {
            (Some(keys), _) => KeySource::Keys(Arc::clone(&keys.get().0)),
            (None, path) => KeySource::File(path.unwrap_or_default()),
        };
        let public = public.map(|key| Arc::clone(&key.get().0));
        let server = self.watch.attend(py, move |observer| {
            let signing = signing.map(SigningKey::open).transpose()?;
            inner.with_observer(observer).server(ServerKeys {
                keys,
                public,
                signing,
            })
        })?;
        Ok(Server::new(server, &self.watch))
    }
}
