use ringmill_circuit::PortValues;
use ringmill_device::Device;
use ringmill_engine::InputValues;
use sha2::{Digest as _, Sha256};

use super::{Job, Public};
use crate::batches::{Batches, Inputs, Origin, Role, to_inputs};
use crate::error::CliError;
use crate::input::{Digest, Digesting, Meter};
use crate::keys::KeySet;
use crate::session::Session;

/// The inputs of a batch.
pub struct Pair<D: Device> {
    pub records: u64,
    pub private: Inputs<D>,
    pub public: InputValues,
    /// The keys that results belong to, if that is known.
    pub keys: Option<KeySet>,
    /// What results are made of.
    pub origin: Origin,
}

/// A batch of encrypted inputs.
struct Private<D: Device> {
    records: u64,
    inputs: Inputs<D>,
    keys: Option<KeySet>,
    digest: Digest,
}

impl<D: Device> Clone for Private<D> {
    fn clone(&self) -> Self {
        Self {
            inputs: self.inputs.clone(),
            ..*self
        }
    }
}

/// Encrypted and public batches side by side.
pub struct Pairs<'a, D: Device> {
    session: &'a Session<D>,
    private: Batches<'a, D>,
    public: Option<Public<'a>>,
    /// The set that the evaluation keys are of, if that is known, and their digest.
    set: Option<KeySet>,
    evaluation_key: Digest,
    plan: Digest,
    /// The first encrypted batch, if it is a single record for all.
    shared: Option<Private<D>>,
    begun: bool,
}

impl<'a, D: Device> Pairs<'a, D> {
    pub fn open(job: Job<'a, D>) -> Result<Self, CliError> {
        let (session, set) = (job.session, job.evaluator.set);
        let private = Batches::open(session, job.private, Role::Inputs)?;
        Ok(Self {
            session,
            private: private.of_keys(set, job.evaluation_key),
            public: job.public,
            set,
            evaluation_key: job.evaluator.digest,
            plan: plan_digest(session)?,
            shared: None,
            begun: false,
        })
    }

    /// How much is read of what says how many batches there are.
    pub fn meter(&mut self) -> Meter {
        match (&self.shared, &self.public) {
            (Some(_), Some(public)) => public.meter.clone(),
            _ => self.private.meter(),
        }
    }

    pub fn next(&mut self) -> Result<Option<Pair<D>>, CliError> {
        let private = self.next_private()?;
        let Some(public) = &mut self.public else {
            return Ok(private.map(|private| {
                let records = private.records;
                self.pair(private, records, InputValues::new())
            }));
        };
        let values = public.batches.next().transpose()?;
        match (private, values) {
            (Some(private), Some((found, values)))
                if private.records == found as u64 || self.shared.is_some() =>
            {
                Ok(Some(self.pair(private, found as u64, values)))
            }
            (None, None) => Ok(None),
            (Some(_), None) if self.shared.is_some() => Ok(None),
            (private, values) => Err(CliError::data(
                public.path,
                format!(
                    "{} public records where {} are encrypted; both must be the same records, or a single one \
                     encrypted for all",
                    values.map_or("no more".to_owned(), |(records, _)| records.to_string()),
                    private.map_or("no more".to_owned(), |private| private.records.to_string()),
                ),
            )),
        }
    }

    fn pair(&self, private: Private<D>, records: u64, public: InputValues) -> Pair<D> {
        let origin = Origin {
            evaluation_key: self.evaluation_key,
            plan: self.plan,
            private: private.digest,
            public: public_digest(&public),
        };
        Pair {
            records,
            private: private.inputs,
            public,
            keys: self.set.or(private.keys),
            origin,
        }
    }

    /// The next encrypted batch; again and again if it is a single record.
    fn next_private(&mut self) -> Result<Option<Private<D>>, CliError> {
        if let Some(shared) = &self.shared {
            return Ok(Some(shared.clone()));
        }
        let Some((head, wires)) = self.private.next_stored()? else {
            return Ok(None);
        };
        let private = Private {
            records: head.records,
            inputs: to_inputs(&self.session.plan, wires),
            keys: head.keys,
            digest: self.private.digest(),
        };
        let single = !self.begun && head.last && head.records == 1;
        self.begun = true;
        if single && self.public.is_some() {
            self.shared = Some(private.clone());
        }
        Ok(Some(private))
    }
}

/// The digest of a plan as it is in files.
fn plan_digest(session: &Session<impl Device>) -> Result<Digest, CliError> {
    let plan = &session.plan;
    let mut out = Digesting::new(std::io::sink());
    plan.recipe().write(&mut out, plan.parameters())?;
    Ok(out.digest())
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
