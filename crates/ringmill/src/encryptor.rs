use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_engine::{EncryptedWire, InputKey, InputPacking, InputValues, encrypt_packed, encrypt_ports};
use ringmill_format::Access;
use ringmill_fv::{Ciphertext, Context, FvError, Plaintext};
use ringmill_records::PortShape;

use crate::Error;
use crate::batches::{self, Head, InputCiphertexts, Role, input_ciphertexts, private_ports};
use crate::files::{Content, Output, write_directory};
use crate::keys::{KeySet, PublicKey, SecretKey};
use crate::observer::{Observer, Stage};
use crate::session::{Session, Steps};
use crate::table::{Table, TableReader, shape};
use crate::values::{SecretValues, repeated};

/// A key to encrypt with.
pub(crate) enum Key<D: Device> {
    /// Anybody's.
    Public(Arc<PublicKey<D>>),
    /// Its owner's: ciphertexts take half the space, and have less noise.
    Secret(Arc<SecretKey<D>>),
}

impl<D: Device> Clone for Key<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Public(key) => Self::Public(Arc::clone(key)),
            Self::Secret(key) => Self::Secret(Arc::clone(key)),
        }
    }
}

impl<D: Device> Key<D> {
    /// The set that it is of, if that is known.
    pub fn set(&self) -> Option<KeySet> {
        match self {
            Self::Public(key) => Some(key.set),
            Self::Secret(key) => key.set,
        }
    }

    /// Whether the job's promise holds for the key, as far as whoever encrypts can know.
    fn require_admitted(&self, session: &Session<D>) -> Result<(), Error> {
        match self {
            Self::Public(_) => Ok(()),
            Self::Secret(key) => key.require_admitted(session),
        }
    }

    fn encrypt(
        &self,
        context: &Context<D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, FvError> {
        match self {
            Self::Public(key) => context.encrypt(&key.key, plaintext, level, seed),
            Self::Secret(key) => context.encrypt_with_secret(&key.key, plaintext, level, seed),
        }
    }

    /// Encrypts messages at the highest level, each from a seed derived from a secret, fresh one.
    pub fn encrypt_many(
        &self,
        context: &Context<D>,
        plaintexts: &[Plaintext],
        seed: &Seed,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let level = context.parameters().levels();
        match self {
            Self::Public(key) => context.encrypt_many(&key.key, plaintexts, level, seed),
            Self::Secret(_) => {
                let indexed = plaintexts.par_iter().enumerate();
                let encrypt = |(i, plaintext)| {
                    self.encrypt(context, plaintext, level, &seed.derive("message", i as u64))
                };
                indexed.map(encrypt).collect()
            }
        }
    }
}

/// What to do where there is nothing to encrypt.
const RESULTS: &str = "nothing is encrypted for it; give the file of those results to eval --input";

/// A party that encrypts the private inputs of a job, and can do nothing else.
pub struct Encryptor<D: Device> {
    session: Arc<Session<D>>,
    key: Key<D>,
    /// The ports that it encrypts, in the circuit's order; none if it encrypts all.
    ports: Vec<String>,
}

impl<D: Device> Clone for Encryptor<D> {
    /// Shares the key.
    fn clone(&self) -> Self {
        Self {
            session: Arc::clone(&self.session),
            key: self.key.clone(),
            ports: self.ports.clone(),
        }
    }
}

/// Encrypted records, in memory: batches of as many as a ciphertext has slots.
pub struct Encrypted<D: Device> {
    pub(crate) batches: Vec<EncryptedBatch<D>>,
}

/// A batch of encrypted records.
pub struct EncryptedBatch<D: Device> {
    pub(crate) records: usize,
    pub(crate) inputs: InputCiphertexts<D>,
    pub(crate) keys: Option<KeySet>,
}

impl<D: Device> Clone for EncryptedBatch<D> {
    /// Shares the ciphertexts.
    fn clone(&self) -> Self {
        Self {
            inputs: self.inputs.clone(),
            ..*self
        }
    }
}

impl<D: Device> Clone for Encrypted<D> {
    /// Shares the ciphertexts.
    fn clone(&self) -> Self {
        let batches = self.batches.clone();
        Self { batches }
    }
}

impl<D: Device> Encrypted<D> {
    /// Records in it.
    #[must_use]
    pub fn records(&self) -> usize {
        self.batches.iter().map(|batch| batch.records).sum()
    }

    /// Its batches.
    #[must_use]
    pub fn into_batches(self) -> Vec<EncryptedBatch<D>> {
        self.batches
    }
}

/// Counts of a file of encrypted inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EncryptedFile {
    /// Records.
    pub records: usize,
    /// Batches of them.
    pub batches: usize,
    /// Ciphertexts in all.
    pub ciphertexts: usize,
    /// Bytes of the file.
    pub bytes: u64,
}

impl<D: Device> Encryptor<D> {
    pub(crate) fn public(session: Arc<Session<D>>, key: Arc<PublicKey<D>>) -> Result<Self, Error> {
        if session.plan.recipe().input_key == InputKey::Secret {
            return Err(Error::Usage(
                "the parameters were made for inputs encrypted with the secret key; give --secret-key, or make \
                 parameters with --input-key public"
                    .to_owned(),
            ));
        }
        Ok(Self::new(session, Key::Public(key)))
    }

    pub(crate) const fn secret(session: Arc<Session<D>>, key: Arc<SecretKey<D>>) -> Self {
        Self::new(session, Key::Secret(key))
    }

    /// The same party, watched by another observer, as [`Job::with_observer`](crate::Job::with_observer).
    #[must_use]
    pub fn with_observer(&self, observer: Arc<dyn Observer>) -> Self {
        Self {
            session: self.session.with_observer(observer),
            ..self.clone()
        }
    }

    const fn new(session: Arc<Session<D>>, key: Key<D>) -> Self {
        let ports = Vec::new();
        Self { session, key, ports }
    }

    /// Encrypts only some of the private ports, in any order: the others come from other owners, who encrypt them under
    /// the same key. Tables need the columns of these ports only. [`Server::evaluate_joint`](crate::Server::evaluate_joint)
    /// puts the parts together.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there are none, if one is not a private port or is named twice,
    /// and if the plan packs several ports into a ciphertext.
    pub fn of_ports(self, ports: &[impl AsRef<str>]) -> Result<Self, Error> {
        let (plan, name) = (&self.session.plan, &self.session.circuit.name);
        let usage = |problem: String| Err(Error::Usage(problem));
        if plan.packed_inputs().is_some() {
            return usage(format!(
                "the parameters were made for inputs of several ports in a ciphertext (--packing {}), which one owner \
                 encrypts together; make parameters with --packing separate",
                if self.is_broadcast() { "broadcast" } else { "slots" }
            ));
        }
        let all: Vec<&str> = private_ports(plan, &[]).map(|port| &*port.name).collect();
        let wanted: Vec<&str> = ports.iter().map(AsRef::as_ref).collect();
        for (index, port) in wanted.iter().enumerate() {
            if !all.contains(port) {
                return usage(format!(
                    "{name} has no private port {port:?}; the private ports are {}",
                    all.join(", ")
                ));
            }
            if wanted.iter().take(index).any(|before| before == port) {
                return usage(format!("port {port:?} is named twice; name each port once"));
            }
        }
        if wanted.is_empty() {
            return usage(format!(
                "no port is named; the private ports are {}",
                all.join(", ")
            ));
        }
        // Of all ports, files say nothing.
        let some = wanted.len() < all.len();
        let ports = all.iter().filter(|port| some && wanted.contains(port));
        let ports = ports.map(|port| (*port).to_owned()).collect();
        Ok(Self { ports, ..self })
    }

    /// Encrypts a table of the private inputs, all in memory. A table of one record stands for all records of the
    /// public inputs and of other owners, if there are any.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the table does not suit the circuit;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io); if the device fails.
    pub fn encrypt(&self, table: &Table) -> Result<Encrypted<D>, Error> {
        let mut batches = Vec::new();
        self.each_batch(self.read(table)?, |_, batch| {
            batches.push(batch);
            Ok(())
        })?;
        Ok(Encrypted { batches })
    }

    /// Encrypts a table of the private inputs into a file, with one batch in memory at a time.
    ///
    /// # Errors
    /// As [`Encryptor::encrypt`]; [`Output::check`].
    pub fn encrypt_to(&self, table: &Table, output: &Output) -> Result<EncryptedFile, Error> {
        output.prepare(Content::Binary, &*self.session.observer)?;
        let table = self.read(table)?;
        let mut file = EncryptedFile::default();
        let ((), bytes) = output.write(Access::Public, |out| {
            self.each_batch(table, |last, batch| {
                let ciphertexts = self.write_batch(&mut *out, file.batches as u32, last, &batch)?;
                file.ciphertexts += ciphertexts;
                file.records += batch.records;
                file.batches += 1;
                Ok(())
            })
        })?;
        Ok(EncryptedFile { bytes, ..file })
    }

    /// Encrypts a table of the private inputs into a new directory, each batch into a file of its own that can be evaluated
    /// apart from the others, with one batch in memory at a time. The order of their names is that of the records. The
    /// directory is there when all of them are.
    ///
    /// # Errors
    /// As [`Encryptor::encrypt`]; [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory is there already.
    pub fn encrypt_batches_to(
        &self,
        table: &Table,
        directory: impl AsRef<Path>,
    ) -> Result<EncryptedFile, Error> {
        let table = self.read(table)?;
        write_directory(directory.as_ref(), |directory| {
            let mut all = EncryptedFile::default();
            self.each_batch(table, |_, batch| {
                let output = Output::new(directory.join(format!("{:06}.ct", all.batches)));
                let index = all.batches as u32;
                let written =
                    output.write(Access::Public, |out| self.write_batch(out, index, true, &batch))?;
                let (ciphertexts, bytes) = written;
                all.ciphertexts += ciphertexts;
                all.records += batch.records;
                all.batches += 1;
                all.bytes += bytes;
                Ok(())
            })?;
            Ok(all)
        })
    }

    /// Encrypts the private inputs of a batch: for each port the values of as many records as the plan has slots.
    ///
    /// # Errors
    /// If a port is missing or has values of another shape; if the device fails.
    pub fn encrypt_values(&self, records: usize, values: &InputValues) -> Result<EncryptedBatch<D>, Error> {
        self.session.require_fresh(RESULTS)?;
        self.key.require_admitted(&self.session)?;
        let running = self.session.begin(Stage::Encrypting);
        let steps = Steps::new(&running, 0, Some(1), self.ciphertexts());
        let repeated = if self.is_broadcast() {
            self.require_single(records == 1)?;
            Some(SecretValues(repeated(values, self.session.plan.records())))
        } else {
            None
        };
        let values = repeated.as_ref().map_or(values, |repeated| &repeated.0);
        self.encrypt_batch(records, values, &Seed::random()?, &steps)
    }

    fn read(&self, table: &Table) -> Result<TableReader, Error> {
        self.session.require_fresh(RESULTS)?;
        self.key.require_admitted(&self.session)?;
        let ports = self.session.circuit().inputs().iter();
        let ports = ports.filter(|port| port.visibility == Visibility::Private && self.has(&port.name));
        let shapes: Vec<PortShape> = ports
            .map(|port| shape(&port.name, port.kind, port.wires.len()))
            .collect();
        let usual = self.session.circuit.input_types();
        table.read_ports(&shapes, &usual, self.session.plan.records())
    }

    /// Whether it encrypts a private port.
    fn has(&self, port: &str) -> bool {
        self.ports.is_empty() || self.ports.iter().any(|own| own == port)
    }

    /// Ciphertexts of a batch.
    fn ciphertexts(&self) -> usize {
        input_ciphertexts(&self.session.plan, &self.ports)
    }

    /// Whether the plan has a single record of private inputs for all.
    fn is_broadcast(&self) -> bool {
        self.session.plan.recipe().packing == InputPacking::Broadcast
    }

    fn require_single(&self, single: bool) -> Result<(), Error> {
        if single || !self.is_broadcast() {
            return Ok(());
        }
        Err(Error::Usage(
            "the parameters were made for one record of private inputs that stands for all, and these are more; make \
             parameters with --packing separate"
                .to_owned(),
        ))
    }

    /// Encrypts batch after batch, and says of each whether it is the last one.
    fn each_batch(
        &self,
        mut table: TableReader,
        mut done: impl FnMut(bool, EncryptedBatch<D>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let seed = Seed::random()?;
        let (session, meter) = (&*self.session, table.meter());
        let mut index = 0;
        let mut next = table.next().transpose()?;
        let ports = if self.ports.is_empty() {
            "private port"
        } else {
            "port of --ports"
        };
        table.note_extra(&*session.observer, ports, "encrypted");
        let running = session.begin(Stage::Encrypting);
        while let Some((records, values)) = next {
            let mut values = SecretValues(values);
            session.check_cancelled()?;
            next = table.next().transpose()?;
            let last = next.is_none();
            self.require_single(last && records == 1)?;
            if index == 0 && last && records == 1 {
                // It may be used for many.
                values = SecretValues(repeated(&values.0, session.plan.records()));
            }
            let total = meter.batches(index + if last { 1 } else { 2 }, last);
            let steps = Steps::new(&running, index, total, self.ciphertexts());
            let seed = seed.derive("batch", index as u64);
            done(last, self.encrypt_batch(records, &values.0, &seed, &steps)?)?;
            index += 1;
        }
        Ok(())
    }

    fn encrypt_batch(
        &self,
        records: usize,
        values: &InputValues,
        seed: &Seed,
        steps: &Steps<'_>,
    ) -> Result<EncryptedBatch<D>, Error> {
        let (plan, context) = (&self.session.plan, &self.session.context);
        let encoding = plan.encoding(context);
        let encrypt = |plaintext: &Plaintext, level, seed: &Seed| {
            let ciphertext = self.key.encrypt(context, plaintext, level, seed);
            steps.step();
            ciphertext
        };
        let inputs = match plan.packed_inputs() {
            None => {
                let wanted = |port: &str| self.has(port);
                let inputs = encrypt_ports(plan.schedule(), &encoding, wanted, values, seed, encrypt)?;
                InputCiphertexts::Separate(inputs)
            }
            Some(_) => {
                let packed = encrypt_packed(plan, &encoding, values, seed, encrypt)?;
                let packed = packed.into_iter().map(|wire| EncryptedWire::Here(Arc::new(wire)));
                InputCiphertexts::Packed(Arc::new(packed.collect()))
            }
        };
        context.device().finish()?;
        Ok(EncryptedBatch {
            records,
            inputs,
            keys: self.key.set(),
        })
    }

    /// Appends a batch to a file; the number of its ciphertexts.
    fn write_batch(
        &self,
        out: &mut dyn Write,
        index: u32,
        last: bool,
        batch: &EncryptedBatch<D>,
    ) -> Result<usize, Error> {
        let session = &*self.session;
        let head = Head {
            circuit: session.circuit.digest(),
            role: Role::Inputs,
            last,
            index,
            records: batch.records as u64,
            keys: batch.keys,
            origin: None,
            clear: Vec::new(),
            ports: self.ports.clone(),
        };
        let ciphertexts = ciphertexts(session, &batch.inputs);
        batches::write(out, &session.context, &head, &ciphertexts)?;
        Ok(ciphertexts.len())
    }
}

/// The ciphertexts of all private ports in order, or all that are packed, if they are in memory.
pub(crate) fn ciphertexts<D: Device>(
    session: &Session<D>,
    inputs: &InputCiphertexts<D>,
) -> Vec<Arc<Ciphertext<D>>> {
    let inputs = match inputs {
        InputCiphertexts::Separate(inputs) => inputs,
        InputCiphertexts::Packed(packed) => {
            return packed.iter().filter_map(EncryptedWire::here).cloned().collect();
        }
    };
    let ports = private_ports(&session.plan, &[]);
    let wires = ports.flat_map(|port| inputs.port(&port.name).unwrap_or_default());
    wires.filter_map(EncryptedWire::here).cloned().collect()
}
