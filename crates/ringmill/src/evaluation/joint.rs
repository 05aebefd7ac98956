//! The encrypted inputs of one or several owners, side by side.

use std::collections::VecDeque;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_engine::EncryptedInputs;
use ringmill_format::{FrameReader, HEADER_BYTES, OVERHEAD_BYTES};
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::batches::{Batches, Head, InputCiphertexts, Role, private_ports, to_inputs};
use crate::encryptor::{Encrypted, EncryptedBatch};
use crate::files::{Digest, Meter, is_standard};
use crate::keys::KeySet;
use crate::session::Session;

/// Encrypted batches of all private ports.
pub(super) struct Joint<'a, D: Device> {
    session: &'a Session<D>,
    /// In the order of their first ports, once that is known.
    owners: Vec<Owner<'a, D>>,
    /// Whether there are public records, which say how many records there are if all owners have a single one.
    public: bool,
    begun: bool,
}

/// The part of one owner.
struct Owner<'a, D: Device> {
    /// The file, or a name for what is in memory.
    name: PathBuf,
    source: Source<'a, D>,
    /// The first batch, until it is handed out.
    first: Option<Found<D>>,
    /// Its only record, if that stands for all.
    shared: Option<(EncryptedBatch<D>, Digest)>,
    /// The private ports that it holds, by their numbers.
    ports: Vec<usize>,
    /// Records that were handed out.
    records: u64,
}

/// Where encrypted batches come from.
enum Source<'a, D: Device> {
    File(Box<Batches<'a, D>>),
    Memory(VecDeque<EncryptedBatch<D>>),
}

/// A batch, its digest if it is from a file, and whether it is all that its owner has.
struct Found<D: Device> {
    batch: EncryptedBatch<D>,
    digest: Digest,
    all: bool,
}

impl<'a, D: Device> Joint<'a, D> {
    /// Of files, which must be under the keys of a set, if that is known.
    pub fn open(
        session: &'a Session<D>,
        (set, key): (Option<KeySet>, &Path),
        files: &[PathBuf],
        public: bool,
    ) -> Result<Self, Error> {
        if files.len() > 1 {
            // What cannot be read twice is seen later.
            same_counts(files.iter().map(|path| (&**path, count(path).unwrap_or(1))))?;
        }
        let owners = files.iter().map(|path| {
            let batches = Batches::open_inputs(session, path)?.of_keys(set, key);
            Ok(Owner::new(path.clone(), Source::File(Box::new(batches))))
        });
        Self::new(session, owners.collect::<Result<_, Error>>()?, public)
    }

    /// Of parts in memory.
    pub fn of(session: &'a Session<D>, parts: Vec<Encrypted<D>>, public: bool) -> Result<Self, Error> {
        let owners = parts.into_iter().enumerate().map(|(index, part)| {
            let name = PathBuf::from(format!("encrypted inputs {}", index + 1));
            let records = part.records() as u64;
            (records, Owner::new(name, Source::Memory(part.batches.into())))
        });
        let owners: Vec<(u64, Owner<'_, D>)> = owners.collect();
        same_counts(owners.iter().map(|(records, owner)| (&*owner.name, *records)))?;
        Self::new(
            session,
            owners.into_iter().map(|(_, owner)| owner).collect(),
            public,
        )
    }

    fn new(session: &'a Session<D>, owners: Vec<Owner<'a, D>>, public: bool) -> Result<Self, Error> {
        if owners.is_empty() {
            return Err(Error::Usage("no encrypted inputs are given".to_owned()));
        }
        Ok(Self {
            session,
            owners,
            public,
            begun: false,
        })
    }

    /// Whether a single record stands for all public ones.
    pub fn is_shared(&self) -> bool {
        self.begun && self.owners.iter().all(|owner| owner.shared.is_some())
    }

    /// How much is read of what says how many batches there are, if that is read from somewhere.
    pub fn meter(&mut self) -> Option<Meter> {
        let mut owners = self.owners.iter_mut().filter(|owner| owner.shared.is_none());
        match &mut owners.next()?.source {
            Source::File(batches) => Some(batches.meter()),
            Source::Memory(_) => None,
        }
    }

    /// The next batch of all ports; again and again if it is a single record that stands for all.
    pub fn next(&mut self) -> Result<Option<(EncryptedBatch<D>, Digest)>, Error> {
        if !self.begun {
            self.begin()?;
            self.begun = true;
        }
        let mut parts = Vec::new();
        for owner in &mut self.owners {
            parts.push(owner.next(self.session)?);
        }
        self.same_records(&parts)?;
        // Those that stand for all never end; the others end together.
        let Some(parts) = parts.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        self.joined(parts).map(Some)
    }

    /// Reads the first batch of each, which says what ports it holds.
    fn begin(&mut self) -> Result<(), Error> {
        let names: Vec<&str> = private_ports(&self.session.plan, &[])
            .map(|port| &*port.name)
            .collect();
        for owner in &mut self.owners {
            owner.first = owner.source.read(self.session)?;
            let holds = |name: &str| owner.first.as_ref().is_none_or(|first| first.holds(name));
            let held = names.iter().enumerate().filter(|(_, name)| holds(name));
            owner.ports = held.map(|(index, _)| index).collect();
        }
        self.each_port_once(&names)?;
        self.owners.sort_by(|a, b| a.ports.cmp(&b.ports));
        // Results of another job are in the slot of their record only.
        let fresh = self.session.plan.recipe().former.is_none();
        let single = |owner: &Owner<'_, D>| fresh && owner.first.as_ref().is_some_and(Found::is_single);
        if self.public || !self.owners.iter().all(single) {
            for owner in &mut self.owners {
                if single(owner) {
                    let first = owner.first.take();
                    owner.shared = first.map(|first| (first.batch, first.digest));
                }
            }
        }
        Ok(())
    }

    /// Sees that each private port is in one part, and no more.
    fn each_port_once(&self, names: &[&str]) -> Result<(), Error> {
        for (port, name) in names.iter().enumerate() {
            let holders = self.owners.iter().filter(|owner| owner.ports.contains(&port));
            let holders: Vec<String> = holders.map(Owner::display).collect();
            let problem = match &*holders {
                [_] => continue,
                [] => format!(
                    "the private port {name:?} is not in {}; give the file of its owner too, with another --input",
                    self.names()
                ),
                [one, other, ..] => format!(
                    "the private port {name:?} is in {one} and in {other}; each port must come once, from one owner \
                     (encrypt --ports)"
                ),
            };
            return Err(Error::Usage(problem));
        }
        Ok(())
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.owners.iter().map(Owner::display).collect();
        names.join(", ")
    }

    /// Sees that all parts have a batch of as many records, or none.
    fn same_records(&self, parts: &[Option<(EncryptedBatch<D>, Digest)>]) -> Result<(), Error> {
        let parts = self.owners.iter().zip(parts);
        let mut counted = parts.filter(|(owner, _)| owner.shared.is_none());
        let records =
            |part: &Option<(EncryptedBatch<D>, Digest)>| part.as_ref().map_or(0, |(batch, _)| batch.records);
        let Some((first, part)) = counted.next() else {
            return Ok(());
        };
        match counted.find(|(_, other)| records(other) != records(part)) {
            None => Ok(()),
            Some((other, _)) => Err(different_counts(
                (&first.name, first.records),
                (&other.name, other.records),
            )),
        }
    }

    /// Puts the parts of a batch together.
    fn joined(&self, parts: Vec<(EncryptedBatch<D>, Digest)>) -> Result<(EncryptedBatch<D>, Digest), Error> {
        if let [(batch, digest)] = &*parts {
            return Ok((batch.clone(), *digest));
        }
        let digest = joint_digest(parts.iter().map(|(_, digest)| digest));
        let mut all = EncryptedInputs::new();
        let (mut records, mut keys): (usize, Option<(KeySet, PathBuf)>) = (1, None);
        for (owner, (part, _)) in self.owners.iter().zip(parts) {
            KeySet::check(part.keys, keys.as_ref(), Role::Inputs.name())
                .map_err(|problem| Error::data(&owner.name, problem))?;
            keys = keys.or(part.keys.map(|set| (set, owner.name.clone())));
            if owner.shared.is_none() {
                records = part.records;
            }
            // Where inputs are packed, one part holds all.
            if let InputCiphertexts::Separate(inputs) = part.inputs {
                all.append(inputs);
            }
        }
        let batch = EncryptedBatch {
            records,
            inputs: InputCiphertexts::Separate(all),
            keys: keys.map(|(set, _)| set),
        };
        Ok((batch, digest))
    }
}

impl<'a, D: Device> Owner<'a, D> {
    const fn new(name: PathBuf, source: Source<'a, D>) -> Self {
        Self {
            name,
            source,
            first: None,
            shared: None,
            ports: Vec::new(),
            records: 0,
        }
    }

    fn display(&self) -> String {
        self.name.display().to_string()
    }

    fn next(&mut self, session: &Session<D>) -> Result<Option<(EncryptedBatch<D>, Digest)>, Error> {
        if let Some((batch, digest)) = &self.shared {
            return Ok(Some((batch.clone(), *digest)));
        }
        let found = match self.first.take() {
            Some(first) => Some(first),
            None => self.source.read(session)?,
        };
        let found = found.map(|found| (found.batch, found.digest));
        self.records += found.as_ref().map_or(0, |(batch, _)| batch.records as u64);
        Ok(found)
    }
}

impl<D: Device> Source<'_, D> {
    fn read(&mut self, session: &Session<D>) -> Result<Option<Found<D>>, Error> {
        Ok(match self {
            Self::File(batches) => batches.next_stored()?.map(|(head, wires)| Found {
                batch: EncryptedBatch {
                    records: head.records as usize,
                    inputs: to_inputs(&session.plan, &head.ports, wires),
                    keys: head.keys,
                },
                digest: batches.digest(),
                all: head.last && head.index == 0,
            }),
            Self::Memory(batches) => batches.pop_front().map(|batch| Found {
                batch,
                digest: [0; 32],
                all: batches.is_empty(),
            }),
        })
    }
}

impl<D: Device> Found<D> {
    /// Whether it is a single record that stands for all.
    const fn is_single(&self) -> bool {
        self.all && self.batch.records == 1
    }

    fn holds(&self, port: &str) -> bool {
        match &self.batch.inputs {
            InputCiphertexts::Separate(inputs) => inputs.port(port).is_some(),
            InputCiphertexts::Packed(_) => true,
        }
    }
}

/// The digest of the parts of a batch, in the order of their ports.
fn joint_digest<'a>(digests: impl ExactSizeIterator<Item = &'a Digest>) -> Digest {
    let mut hash = Sha256::new_with_prefix(b"ringmill joint inputs 1");
    hash.update((digests.len() as u64).to_le_bytes());
    digests.for_each(|digest| hash.update(digest));
    hash.finalize().into()
}

/// Compares how many records all have before anything is computed.
fn same_counts<'a>(counts: impl Iterator<Item = (&'a Path, u64)>) -> Result<(), Error> {
    let mut several = counts.filter(|(_, records)| *records > 1);
    let Some((first, records)) = several.next() else {
        return Ok(());
    };
    match several.find(|(_, other)| *other != records) {
        None => Ok(()),
        Some((other, found)) => Err(different_counts((first, records), (other, found))),
    }
}

fn different_counts((first, records): (&Path, u64), (other, found): (&Path, u64)) -> Error {
    Error::data(
        other,
        format!(
            "{found} records where {} has {records}; owners must encrypt the same records in the same order, or a \
             single one that stands for all",
            first.display()
        ),
    )
}

/// The records of a file, by the heads of its batches; none if it is no file that can be read again, or is damaged.
fn count(path: &Path) -> Option<u64> {
    if is_standard(path) || !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = BufReader::new(std::fs::File::open(path).ok()?);
    let mut records: u64 = 0;
    loop {
        let (head, _) = Head::read(&mut file, u64::from(u32::MAX)).ok()?;
        records = records.checked_add(head.records)?;
        if head.last {
            return Some(records);
        }
        let length = FrameReader::new(&mut file).ok()?.header().length;
        let rest = length.checked_add(OVERHEAD_BYTES - HEADER_BYTES)?;
        file.seek_relative(i64::try_from(rest).ok()?).ok()?;
    }
}
