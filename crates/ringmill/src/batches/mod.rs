//! Files of encrypted records: batch after batch, so that only one is in memory; `docs/formats.md`
//! specifies them.

mod head;
mod shape;
mod stored;

use std::borrow::Borrow;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill_device::Device;
use ringmill_engine::{
    ClearValue, EncryptedInputs, EncryptedWire, OutputSource, OutputValue, Plan, StoredWire,
};
use ringmill_format::{FormatError, expect_end};
use ringmill_fv::{Ciphertext, Context, FvError};

pub use self::head::{Head, Origin, Role};
use self::shape::{clear_outputs, most_bytes, outputs};
pub(crate) use self::shape::{input_ciphertexts, private_ports};
use self::stored::Stored;
pub use self::stored::Temporary;
use crate::Error;
use crate::files::{Digest, Digesting, Input, Meter};
use crate::keys::KeySet;
use crate::session::Session;
use crate::signing::Signature;

/// The wires of all output ports.
pub(crate) type Outputs<D> = Vec<Vec<OutputValue<Ciphertext<D>>>>;

/// Encrypted inputs of a circuit.
pub(crate) type Inputs<D> = EncryptedInputs<Ciphertext<D>>;

/// The ciphertexts of a batch of inputs. Clones share them.
pub(crate) enum InputCiphertexts<D: Device> {
    /// One for each wire.
    Separate(Inputs<D>),
    /// Packed, as the plan says.
    Packed(Arc<Vec<EncryptedWire<Ciphertext<D>>>>),
}

impl<D: Device> Clone for InputCiphertexts<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Separate(inputs) => Self::Separate(inputs.clone()),
            Self::Packed(ciphertexts) => Self::Packed(Arc::clone(ciphertexts)),
        }
    }
}

/// A batch whose ciphertexts stay where they are until they are used.
pub(crate) type StoredBatch = (Head, Vec<Arc<dyn StoredWire>>);

/// A batch: what is said of it, and its ciphertexts.
pub(crate) type Batch<D> = (Head, Vec<Ciphertext<D>>);

/// Appends a batch to a file.
pub(crate) fn write<D: Device>(
    mut out: &mut dyn Write,
    context: &Context<D>,
    head: &Head,
    ciphertexts: &[impl Borrow<Ciphertext<D>>],
) -> Result<(), FvError> {
    head.write(&mut out, context.parameters().hash())?;
    context.write_ciphertexts(out, ciphertexts)
}

/// A file of encrypted records that is being read.
pub(crate) struct Batches<'a, D: Device> {
    session: &'a Session<D>,
    path: PathBuf,
    input: Digesting<Input>,
    stored: Stored,
    role: Role,
    circuit: [u8; 32],
    /// The digest of the plan of another job whose results these are, as the inputs of this one.
    former: Option<Digest>,
    /// The keys that the ciphertexts must belong to, and the file that has them.
    keys: Option<(KeySet, PathBuf)>,
    /// The ports that the first batch of inputs holds: all others must hold the same.
    ports: Option<Vec<String>>,
    next: u32,
    /// Records in the batches that were read.
    records: u64,
    /// Bytes of the file up to the end of the batch that was read last, and the digest of that batch.
    end: u64,
    digest: Digest,
    /// Whether the file may end after any batch.
    partial: bool,
    finished: bool,
}

impl<'a, D: Device> Batches<'a, D> {
    /// Opens a file; - is standard input.
    pub fn open(session: &'a Session<D>, path: &Path, role: Role) -> Result<Self, Error> {
        Ok(Self {
            session,
            path: path.to_path_buf(),
            input: Digesting::new(Input::open(path)?),
            stored: Stored::open(path)?,
            role,
            circuit: session.circuit.digest(),
            former: None,
            keys: None,
            ports: None,
            next: 0,
            records: 0,
            end: 0,
            digest: Digest::default(),
            partial: false,
            finished: false,
        })
    }

    /// Opens a file of private inputs: encrypted for this job, or the results of the job before.
    pub fn open_inputs(session: &'a Session<D>, path: &Path) -> Result<Self, Error> {
        let Some(former) = &session.plan.recipe().former else {
            return Self::open(session, path, Role::Inputs);
        };
        let batches = Self::open(session, path, Role::Results)?;
        Ok(Self {
            circuit: former.circuit,
            former: Some(former.plan),
            ..batches
        })
    }

    /// Sees that all batches belong to the keys in a file, where both say to which set they belong.
    pub fn of_keys(self, set: Option<KeySet>, path: &Path) -> Self {
        let keys = set.map(|set| (set, path.to_path_buf()));
        Self { keys, ..self }
    }

    /// How much is read.
    pub fn meter(&mut self) -> Meter {
        self.input.inner().meter()
    }

    /// The digest of the batch that was read last.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records in the batches that were read.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Bytes of the file up to the end of the batch that was read last.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Opens a file of results that may not have all batches.
    pub fn open_partial(session: &'a Session<D>, path: &Path) -> Result<Self, Error> {
        let batches = Self::open(session, path, Role::Results)?;
        Ok(Self {
            partial: true,
            ..batches
        })
    }

    /// The next batch.
    pub fn next(&mut self) -> Result<Option<Batch<D>>, Error> {
        if self.finished || (self.partial && self.at_end()?) {
            return Ok(None);
        }
        let batch = self.take();
        let (head, ciphertexts) = batch.map_err(|error| Error::in_file(&self.path, error))?;
        self.finish(&head, ciphertexts.len())?;
        Ok(Some((head, ciphertexts)))
    }

    fn finish(&mut self, head: &Head, ciphertexts: usize) -> Result<(), Error> {
        self.check(head, ciphertexts)?;
        self.ports.get_or_insert_with(|| head.ports.clone());
        self.end = self.meter().bytes();
        self.digest = self.input.digest();
        self.finished = head.last;
        self.next += 1;
        self.records += head.records;
        // What follows in a partial file was not finished.
        if head.last && !self.partial {
            self.finish_file()
                .map_err(|error| Error::in_file(&self.path, error.into()))?;
        }
        Ok(())
    }

    /// Behind the last batch of results a signature may follow, and nothing else. That it is right is for whoever knows
    /// the signer's key to see ([`VerifyingKey`](crate::VerifyingKey)).
    fn finish_file(&mut self) -> Result<(), FormatError> {
        if self.role == Role::Results && !self.input.inner().fill_buf()?.is_empty() {
            Signature::read(&mut self.input).map_err(|error| match error {
                FormatError::Truncated | FormatError::BadMagic | FormatError::WrongKind { .. } => {
                    FormatError::Excess("the last batch")
                }
                error => error,
            })?;
        }
        expect_end(&mut self.input, "the last batch")
    }

    /// The next batch of inputs, which stay where they are until they are used: in the file, or as bytes if that is
    /// standard input.
    pub fn next_stored(&mut self) -> Result<Option<StoredBatch>, Error> {
        if self.finished {
            return Ok(None);
        }
        let batch = self.scan();
        let (head, wires) = batch.map_err(|error| Error::in_file(&self.path, error))?;
        self.finish(&head, wires.len())?;
        Ok(Some((head, wires)))
    }

    fn at_end(&mut self) -> Result<bool, Error> {
        let ahead = self.input.inner().fill_buf();
        Ok(ahead.map_err(|error| Error::io(&self.path, error))?.is_empty())
    }

    fn scan(&mut self) -> Result<StoredBatch, FvError> {
        let head = self.take_head()?;
        let meter = self.meter();
        let mut wires: Vec<Arc<dyn StoredWire>> = Vec::new();
        let context = &self.session.context;
        context.scan_ciphertexts(&mut self.input, |head, bytes| {
            if head.parts != 2 {
                return Err(FvError::WrongParts(head.parts));
            }
            wires.push(self.stored.wire(head.level, meter.bytes(), bytes));
            Ok(())
        })?;
        Ok((head, wires))
    }

    fn take(&mut self) -> Result<Batch<D>, FvError> {
        let head = self.take_head()?;
        Ok((head, self.session.context.take_ciphertexts(&mut self.input)?))
    }

    fn take_head(&mut self) -> Result<Head, FvError> {
        let most = most_bytes(&self.session.plan);
        let (head, parameters) = Head::read(&mut self.input, most)?;
        self.session
            .context
            .parameters()
            .check_hash(self.role.name(), &parameters)?;
        Ok(head)
    }

    fn check(&self, head: &Head, ciphertexts: usize) -> Result<(), Error> {
        let fail = |problem: String| Err(Error::data(&self.path, problem));
        let name = &self.session.circuit.name;
        if head.role != self.role {
            let mend = match (head.role, self.former) {
                (Role::Results, _) => {
                    "; to go on with results, plan their job with --further-levels, and this one with --after"
                }
                (Role::Inputs, Some(_)) => ", of the job that this one was planned after",
                (Role::Inputs, None) => "",
            };
            return fail(format!(
                "{} where {} are needed{mend}",
                head.role.name(),
                self.role.name()
            ));
        }
        if let Some(plan) = self.former {
            let same = head.origin.is_some_and(|origin| origin.plan == plan);
            if head.circuit != self.circuit || !same {
                return fail(format!(
                    "results of another job than the one that {name} was planned after; plan it again with --after and \
                     that job"
                ));
            }
        } else if head.circuit != self.circuit {
            return fail(format!("{} of another circuit than {name}", head.role.name()));
        }
        KeySet::check(head.keys, self.keys.as_ref(), head.role.name()).or_else(fail)?;
        // Encrypted apart, a later batch is alone in its file.
        let alone = self.next == 0 && head.last && head.role == Role::Inputs;
        if head.index != self.next && !alone {
            return fail(format!("batch {} where {} should be", head.index, self.next));
        }
        let plan = &self.session.plan;
        if head.records == 0 || head.records > plan.records() as u64 {
            return fail(format!(
                "{} records in a batch of at most {}",
                head.records,
                plan.records()
            ));
        }
        self.check_ports(&head.ports).or_else(fail)?;
        let (expected, clear) = match self.role {
            _ if self.former.is_some() => (input_ciphertexts(plan, &[]), 0),
            Role::Inputs => (input_ciphertexts(plan, &head.ports), 0),
            Role::Results => {
                let clear = clear_outputs(plan).count();
                (outputs(plan) - clear, clear)
            }
        };
        if (ciphertexts, head.clear.len()) != (expected, clear) {
            return fail(format!(
                "{ciphertexts} ciphertexts and {} clear values in a batch, where {name} has {expected} and {clear}",
                head.clear.len()
            ));
        }
        Ok(())
    }

    /// Sees that a batch holds ports of the circuit, in order, and the same as the batches before it.
    fn check_ports(&self, ports: &[String]) -> Result<(), String> {
        let plan = &self.session.plan;
        if self.ports.as_ref().is_some_and(|before| before != ports) {
            return Err("a batch of other ports than the first one holds".to_owned());
        }
        if ports.is_empty() {
            return Ok(());
        }
        let name = &self.session.circuit.name;
        if plan.packed_inputs().is_some() {
            return Err(format!(
                "{} of some ports of {name}, which are packed together by this plan",
                self.role.name()
            ));
        }
        if private_ports(plan, ports).map(|port| &port.name).ne(ports) {
            return Err(format!(
                "{} of the ports {}, which are not private ports of {name} in order",
                self.role.name(),
                ports.join(", ")
            ));
        }
        Ok(())
    }
}

/// Encrypted inputs from the ciphertexts of a batch, which holds these ports or all.
pub(crate) fn to_inputs<D: Device>(
    plan: &Plan,
    ports: &[String],
    wires: Vec<Arc<dyn StoredWire>>,
) -> InputCiphertexts<D> {
    let mut wires = wires.into_iter().map(EncryptedWire::Stored);
    if plan.packed_inputs().is_some() {
        return InputCiphertexts::Packed(Arc::new(wires.collect()));
    }
    let mut inputs = EncryptedInputs::new();
    for port in private_ports(plan, ports) {
        inputs.insert_wires(&*port.name, wires.by_ref().take(port.width));
    }
    InputCiphertexts::Separate(inputs)
}

/// Outputs as they come in files: ciphertexts, and values in the clear.
pub(crate) fn from_outputs<D: Device>(outputs: Outputs<D>) -> (Vec<Ciphertext<D>>, Vec<Vec<u8>>) {
    let (mut ciphertexts, mut clear) = (Vec::new(), Vec::new());
    for value in outputs.into_iter().flatten() {
        match value {
            OutputValue::Encrypted(ciphertext) => ciphertexts.push(ciphertext),
            OutputValue::Clear(ClearValue::Rows(bytes)) => clear.push(bytes),
            OutputValue::Clear(ClearValue::Bits(words)) => {
                clear.push(words.iter().flat_map(|word| word.to_le_bytes()).collect());
            }
        }
    }
    (ciphertexts, clear)
}

/// Outputs from what [`from_outputs`] made of them.
pub(crate) fn to_outputs<D: Device>(
    plan: &Plan,
    ciphertexts: Vec<Ciphertext<D>>,
    clear: Vec<Vec<u8>>,
) -> Outputs<D> {
    let (mut ciphertexts, mut clear) = (ciphertexts.into_iter(), clear.into_iter());
    let ports = plan.schedule().outputs().iter().map(|port| {
        let values = port.sources.iter().filter_map(|source| match source {
            OutputSource::Encrypted(_) => ciphertexts.next().map(OutputValue::Encrypted),
            OutputSource::Clear(_) => clear.next().map(|bytes| {
                OutputValue::Clear(if port.kind.is_bit() {
                    let (words, _) = bytes.as_chunks();
                    ClearValue::Bits(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
                } else {
                    ClearValue::Rows(bytes)
                })
            }),
        });
        values.collect()
    });
    ports.collect()
}
