use std::path::{Path, PathBuf};

use ringmill_circuit::PortValues;
use ringmill_device::Device;
use ringmill_engine::InputValues;
use sha2::{Digest as _, Sha256};

use super::joint::Joint;
use super::public::{PublicInputs, PublicReader};
use crate::Error;
use crate::batches::{Head, Origin};
use crate::encryptor::{Encrypted, EncryptedBatch};
use crate::files::{Digest, Meter};
use crate::keys::KeySet;
use crate::server::Server;
use crate::session::Session;
use crate::values::repeated;

/// The inputs of a batch.
pub(crate) struct Pair<D: Device> {
    pub private: EncryptedBatch<D>,
    pub public: InputValues,
    /// The digest of the encrypted inputs, if they are from a file.
    digest: Digest,
}

/// What all results of a run share: everything that determines them but their inputs.
pub(crate) struct Origins {
    /// Of the file of the evaluation keys, where that is known.
    evaluation_key: Option<Digest>,
    plan: Digest,
    /// The names of the evaluation keys, the encrypted and the public inputs, for messages.
    names: [String; 3],
}

impl Origins {
    /// Of inputs in files, evaluated with these keys.
    pub fn new<D: Device>(
        server: &Server<D>,
        private: &[PathBuf],
        public: &PublicInputs,
    ) -> Result<Self, Error> {
        let key = server.keys.digest(&server.session.context)?;
        let origins = Self::unknown(&server.session, private, public)?;
        let [_, private, public] = origins.names;
        Ok(Self {
            evaluation_key: Some(key),
            names: [server.name.display().to_string(), private, public],
            ..origins
        })
    }

    /// Of inputs in files, whatever keys they were evaluated with.
    pub fn unknown<D: Device>(
        session: &Session<D>,
        private: &[PathBuf],
        public: &PublicInputs,
    ) -> Result<Self, Error> {
        let public = public.path().unwrap_or(Path::new("none"));
        Ok(Self {
            evaluation_key: None,
            plan: session.plan_digest()?,
            names: ["none".to_owned(), names(private), public.display().to_string()],
        })
    }

    /// The origin of the results of a batch; without an evaluation key where that is not known.
    pub fn of<D: Device>(&self, pair: &Pair<D>) -> Origin {
        Origin {
            evaluation_key: self.evaluation_key.unwrap_or_default(),
            plan: self.plan,
            private: pair.digest,
            public: public_digest(&pair.public),
        }
    }

    /// Names the first difference between a batch of results and that which these inputs make.
    pub fn difference(&self, head: &Head, now: &Origin, records: u64) -> Option<String> {
        let [evaluation_key, private, public] = &self.names;
        if head.records != records {
            return Some(format!(
                "has {} records where that of the inputs has {}; it is of other inputs",
                head.records, records
            ));
        }
        let Some(origin) = &head.origin else {
            return Some("does not say what it was made with, being of an earlier version".to_owned());
        };
        [
            (
                self.evaluation_key.is_none_or(|key| origin.evaluation_key == key),
                format!("was made with another evaluation key than {evaluation_key}"),
            ),
            (origin.plan == now.plan, "was made by another plan".to_owned()),
            (
                origin.private == now.private,
                format!("is of other encrypted inputs than {private}"),
            ),
            (
                origin.public == now.public,
                format!("is of other public inputs than {public}"),
            ),
        ]
        .into_iter()
        .find_map(|(same, difference)| (!same).then_some(difference))
    }
}

/// The names of files, for messages.
pub(super) fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// Encrypted and public batches side by side.
pub(crate) struct Pairs<'a, D: Device> {
    private: Joint<'a, D>,
    public: Option<PublicReader>,
    /// The only public record, if that stands for all encrypted ones.
    single: Option<InputValues>,
    begun: bool,
}

impl<'a, D: Device> Pairs<'a, D> {
    const fn new(private: Joint<'a, D>, public: Option<PublicReader>) -> Self {
        Self {
            private,
            public,
            single: None,
            begun: false,
        }
    }

    /// Of files of encrypted inputs, which must be under the keys of a set, if that is known.
    pub fn open(
        session: &'a Session<D>,
        keys: (Option<KeySet>, &Path),
        private: &[PathBuf],
        public: &PublicInputs,
    ) -> Result<Self, Error> {
        let public = public.read(session)?;
        let private = Joint::open(session, keys, private, public.is_some())?;
        Ok(Self::new(private, public))
    }

    /// Of encrypted inputs in memory.
    pub fn of(
        server: &'a Server<D>,
        private: Vec<Encrypted<D>>,
        public: &PublicInputs,
    ) -> Result<Self, Error> {
        let session = &*server.session;
        let public = public.read(session)?;
        for batch in private.iter().flat_map(|part| &part.batches) {
            server.check_keys(batch)?;
        }
        let private = Joint::of(session, private, public.is_some())?;
        Ok(Self::new(private, public))
    }

    /// How much is read of what says how many batches there are, if that is read from somewhere.
    pub fn meter(&mut self) -> Option<Meter> {
        match &self.public {
            Some(public) if self.private.is_shared() => Some(public.meter()),
            _ => self.private.meter(),
        }
    }

    pub fn next(&mut self) -> Result<Option<Pair<D>>, Error> {
        let private = self.private.next()?;
        let shared = self.private.is_shared();
        let Some(public) = &mut self.public else {
            return Ok(private.map(|(private, digest)| Pair {
                private,
                public: InputValues::new(),
                digest,
            }));
        };
        let encrypted = private.as_ref().map(|(batch, _)| batch.records);
        let mut values = match &self.single {
            Some(single) => encrypted.map(|records| (records, repeated(single, records))),
            None => public.next()?,
        };
        // Batches are full, but for the last: a first one of a single record is all.
        if let (false, false, Some(records @ 2..), Some((1, _))) = (self.begun, shared, encrypted, &values) {
            self.single = values.map(|(_, values)| values);
            values = self
                .single
                .as_ref()
                .map(|single| (records, repeated(single, records)));
        }
        self.begun = true;
        match (private, values) {
            (Some((private, digest)), Some((found, values))) if private.records == found || shared => {
                Ok(Some(Pair {
                    private: EncryptedBatch {
                        records: found,
                        ..private
                    },
                    public: values,
                    digest,
                }))
            }
            (None, None) => Ok(None),
            (Some(_), None) if shared => Ok(None),
            (private, values) => Err(Error::data(
                public.path(),
                format!(
                    "{} public records where {} are encrypted; both must be the same records, or one of \
                     them a single one, which stands for all",
                    values.map_or("no more".to_owned(), |(records, _)| records.to_string()),
                    private.map_or("no more".to_owned(), |(private, _)| private.records.to_string()),
                ),
            )),
        }
    }
}

/// The digest of public inputs: of each port its name, whether it has rows, and its wires; lists and texts after their
/// lengths.
fn public_digest(public: &InputValues) -> Digest {
    let mut hash = Sha256::new_with_prefix(b"ringmill public inputs 1");
    let number = |hash: &mut Sha256, number: usize| hash.update((number as u64).to_le_bytes());
    number(&mut hash, public.len());
    for (name, values) in public {
        number(&mut hash, name.len());
        hash.update(name);
        match values {
            PortValues::Bits(lanes) => {
                hash.update([0]);
                number(&mut hash, lanes.len());
                for lane in lanes {
                    number(&mut hash, lane.len());
                    lane.iter().for_each(|word| hash.update(word.to_le_bytes()));
                }
            }
            PortValues::Rows(rows) => {
                hash.update([1]);
                number(&mut hash, rows.len());
                for row in rows {
                    number(&mut hash, row.len());
                    hash.update(row);
                }
            }
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_inputs_are_told_apart() {
        let bits = |lanes: &[&[u64]]| PortValues::Bits(lanes.iter().map(|lane| lane.to_vec()).collect());
        let rows = |rows: &[&[u8]]| PortValues::Rows(rows.iter().map(|row| row.to_vec()).collect());
        let cases: [&[(&str, PortValues)]; 9] = [
            &[],
            &[("a", bits(&[&[1, 2]]))],
            &[("a", bits(&[&[1], &[2]]))],
            &[("a", bits(&[&[2, 1]]))],
            &[("b", bits(&[&[1, 2]]))],
            &[("a", rows(&[&[1, 2]]))],
            &[("a", rows(&[&[1], &[2]]))],
            &[("a", bits(&[])), ("b", bits(&[&[1, 2]]))],
            &[("a", bits(&[&[1, 2]])), ("b", bits(&[]))],
        ];
        let inputs = cases.map(|ports| {
            let ports = ports
                .iter()
                .map(|(name, values)| ((*name).to_owned(), values.clone()));
            ports.collect::<InputValues>()
        });
        let mut digests = inputs.map(|inputs| public_digest(&inputs)).to_vec();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 9);
    }
}
