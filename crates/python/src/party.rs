//! The parties of a job, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringmill::{EncryptedFile, Output, Passphrase, ResumableOutput, VerifyingKey};

use crate::parties::{AnyClient, AnyEncryptor, AnyServer, Decrypting, Shared};
use crate::report::account;
use crate::table::{Public, Table, Unpacked, named, unpacked};
use crate::watch::Watch;

/// A public key.
#[pyclass(frozen)]
pub struct PublicKey(pub Shared);

/// Evaluation keys.
#[pyclass(frozen)]
pub struct EvaluationKeys(pub Shared);

/// Encrypted records.
#[pyclass(frozen)]
pub struct Encrypted {
    value: Shared,
    #[pyo3(get)]
    records: usize,
}

/// Encrypted results.
#[pyclass(frozen)]
pub struct Results {
    value: Shared,
    account: ringmill::Account,
}

#[pymethods]
impl Results {
    /// What the evaluation cost.
    fn account<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        account(py, &self.account)
    }
}

/// The party that owns the secret.
#[pyclass(frozen)]
pub struct Client {
    inner: Arc<dyn AnyClient>,
    watch: Arc<Watch>,
}

impl Client {
    pub fn new(inner: Arc<dyn AnyClient>, watch: &Arc<Watch>) -> Self {
        let watch = Arc::clone(watch);
        Self { inner, watch }
    }
}

/// How a file is decrypted.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct DecryptOptions {
    replace: bool,
    shared: bool,
    format: Option<String>,
    types: Vec<String>,
    inputs: Option<Vec<PathBuf>>,
    public: Public,
    signed_by: Option<PathBuf>,
    carry: Option<(Py<Table>, Vec<String>)>,
}

#[pymethods]
impl Client {
    fn encryptor(&self) -> Encryptor {
        Encryptor::new(self.inner.encryptor(), &self.watch)
    }

    #[getter]
    fn public_key(&self) -> Option<PublicKey> {
        self.inner.public_key().map(PublicKey)
    }

    fn evaluation_keys(&self, py: Python<'_>) -> PyResult<EvaluationKeys> {
        let inner = Arc::clone(&self.inner);
        let keys = self.watch.attend(py, move |observer| {
            inner.with_observer(observer).evaluation_keys()
        })?;
        Ok(EvaluationKeys(keys))
    }

    /// Writes all keys into a directory; path and bytes of each file.
    fn save_keys(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        replace: bool,
        passphrase: Option<String>,
    ) -> PyResult<Vec<(PathBuf, u64)>> {
        let inner = Arc::clone(&self.inner);
        let files = self.watch.attend(py, move |observer| {
            let passphrase = passphrase.map(Passphrase::new).transpose()?;
            inner
                .with_observer(observer)
                .save_keys(&directory, replace, passphrase.as_ref())
        })?;
        Ok(files.into_iter().map(|file| (file.path, file.bytes)).collect())
    }

    /// Decrypts results: their columns, and the records packed.
    fn decrypt<'py>(&self, py: Python<'py>, results: Py<Results>) -> PyResult<Unpacked<'py>> {
        let (inner, results) = (Arc::clone(&self.inner), Arc::clone(&results.get().value));
        let records = self.watch.attend(py, move |observer| {
            inner.with_observer(observer).decrypt(&results)
        })?;
        unpacked(py, &records)
    }

    /// Decrypts a file of results into a table.
    fn decrypt_to<'py>(
        &self,
        py: Python<'py>,
        results: PathBuf,
        output: PathBuf,
        options: DecryptOptions,
    ) -> PyResult<Bound<'py, PyDict>> {
        let inner = Arc::clone(&self.inner);
        let format = options.format.as_deref().map(|name| named(py, name));
        let format = format.transpose()?;
        let public = options.public.inputs();
        let carried = options.carry.map(|(table, names)| (table.get().0.clone(), names));
        let signed_by = options.signed_by;
        let (inputs, types) = (options.inputs, options.types);
        let output = Output::new(output)
            .replacing(options.replace)
            .shared(options.shared);
        let file = self.watch.attend(py, move |observer| {
            let how = Decrypting {
                output,
                format,
                types,
                inputs: inputs.map(|inputs| (inputs, public)),
                signer: signed_by.map(VerifyingKey::open).transpose()?,
                carried,
            };
            inner.with_observer(observer).decrypt_to(&results, how)
        })?;
        let counts = PyDict::new(py);
        counts.set_item("records", file.records)?;
        counts.set_item("batches", file.batches)?;
        counts.set_item("log2_noise", file.log2_noise)?;
        counts.set_item("bytes", file.bytes)?;
        Ok(counts)
    }
}

/// A party that encrypts.
#[pyclass(frozen)]
pub struct Encryptor {
    inner: Arc<dyn AnyEncryptor>,
    watch: Arc<Watch>,
}

impl Encryptor {
    pub fn new(inner: Arc<dyn AnyEncryptor>, watch: &Arc<Watch>) -> Self {
        let watch = Arc::clone(watch);
        Self { inner, watch }
    }
}

#[pymethods]
impl Encryptor {
    fn of_ports(&self, py: Python<'_>, ports: Vec<String>) -> PyResult<Self> {
        let inner = Arc::clone(&self.inner);
        let inner = self
            .watch
            .attend(py, move |observer| inner.with_observer(observer).of_ports(&ports))?;
        Ok(Self::new(inner, &self.watch))
    }

    fn encrypt(&self, py: Python<'_>, table: Py<Table>) -> PyResult<Encrypted> {
        let (inner, table) = (Arc::clone(&self.inner), table.get().0.clone());
        let (value, records) = self
            .watch
            .attend(py, move |observer| inner.with_observer(observer).encrypt(&table))?;
        Ok(Encrypted { value, records })
    }

    fn encrypt_to<'py>(
        &self,
        py: Python<'py>,
        table: Py<Table>,
        output: PathBuf,
        replace: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (inner, table) = (Arc::clone(&self.inner), table.get().0.clone());
        let output = Output::new(output).replacing(replace);
        let file = self.watch.attend(py, move |observer| {
            inner.with_observer(observer).encrypt_to(&table, &output)
        })?;
        encrypted(py, file)
    }

    /// Encrypts a table into a new directory, each batch into a file.
    fn encrypt_batches_to<'py>(
        &self,
        py: Python<'py>,
        table: Py<Table>,
        directory: PathBuf,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (inner, table) = (Arc::clone(&self.inner), table.get().0.clone());
        let encrypt = move |observer| {
            inner
                .with_observer(observer)
                .encrypt_batches_to(&table, &directory)
        };
        encrypted(py, self.watch.attend(py, encrypt)?)
    }
}

fn encrypted(py: Python<'_>, file: EncryptedFile) -> PyResult<Bound<'_, PyDict>> {
    let counts = PyDict::new(py);
    counts.set_item("records", file.records)?;
    counts.set_item("batches", file.batches)?;
    counts.set_item("ciphertexts", file.ciphertexts)?;
    counts.set_item("bytes", file.bytes)?;
    Ok(counts)
}

/// The party that evaluates.
#[pyclass(frozen)]
pub struct Server {
    inner: Arc<dyn AnyServer>,
    watch: Arc<Watch>,
}

impl Server {
    pub fn new(inner: Arc<dyn AnyServer>, watch: &Arc<Watch>) -> Self {
        let watch = Arc::clone(watch);
        Self { inner, watch }
    }
}

#[pymethods]
impl Server {
    fn evaluate(&self, py: Python<'_>, parts: Vec<Py<Encrypted>>, public: Public) -> PyResult<Results> {
        let inner = Arc::clone(&self.inner);
        let parts: Vec<Shared> = parts.iter().map(|part| Arc::clone(&part.get().value)).collect();
        let public = public.inputs();
        let evaluate = move |observer| inner.with_observer(observer).evaluate(&parts, &public);
        let (value, account) = self.watch.attend(py, evaluate)?;
        Ok(Results { value, account })
    }

    fn evaluate_to<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<PathBuf>,
        public: Public,
        output: PathBuf,
        existing: (bool, bool),
    ) -> PyResult<Bound<'py, PyDict>> {
        let inner = Arc::clone(&self.inner);
        let public = public.inputs();
        let (replace, resume) = existing;
        let output = ResumableOutput::from(Output::new(output).replacing(replace)).resuming(resume);
        let evaluate = move |observer| {
            inner
                .with_observer(observer)
                .evaluate_to(&inputs, &public, &output)
        };
        let file = self.watch.attend(py, evaluate)?;
        let counts = account(py, &file.account)?;
        counts.set_item("records", file.records)?;
        counts.set_item("batches", file.batches)?;
        counts.set_item("taken_over", file.taken_over)?;
        counts.set_item("ciphertexts", file.ciphertexts)?;
        counts.set_item("bytes", file.bytes)?;
        Ok(counts)
    }
}
