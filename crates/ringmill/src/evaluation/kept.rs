use std::path::Path;

use ringmill_device::Device;

use super::Origins;
use crate::Error;
use crate::batches::{Batch, Batches, Head, Origin};
use crate::session::Session;

/// The results that an earlier run has kept; none if it is not gone on from one.
pub struct Kept<'a, D: Device>(Option<KeptFile<'a, D>>);

struct KeptFile<'a, D: Device> {
    path: &'a Path,
    batches: Batches<'a, D>,
    /// The names of the evaluation keys, the encrypted and the public inputs of this run.
    names: [String; 3],
}

impl<'a, D: Device> Kept<'a, D> {
    pub fn open(session: &'a Session<D>, origins: &Origins, path: Option<&'a Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        Ok(Self(Some(KeptFile {
            path,
            batches: Batches::open_partial(session, path)?,
            names: origins.names.clone(),
        })))
    }

    /// The next batch, which must have been made of the same inputs in the same way.
    pub fn next(&mut self, now: &Origin, records: u64) -> Result<Option<Batch<D>>, Error> {
        let Some(file) = &mut self.0 else {
            return Ok(None);
        };
        let Some((head, ciphertexts)) = file.batches.next()? else {
            return Ok(None);
        };
        match file.difference(&head, now, records) {
            None => Ok(Some((head, ciphertexts))),
            Some(difference) => Err(Error::data(
                file.path,
                format!(
                    "batch {} {difference}; give what it was made with, or begin at the first batch: with --force in \
                     place of --resume",
                    head.index
                ),
            )),
        }
    }

    /// Sees that nothing is left.
    pub fn finish(self) -> Result<(), Error> {
        let Some(mut file) = self.0 else {
            return Ok(());
        };
        match file.batches.next()? {
            None => Ok(()),
            Some(_) => Err(Error::data(
                file.path,
                "more batches than the inputs have; it is of other inputs",
            )),
        }
    }
}

impl<D: Device> KeptFile<'_, D> {
    /// Names the first difference between a kept batch and the one that this run would make.
    fn difference(&self, head: &Head, now: &Origin, records: u64) -> Option<String> {
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
                origin.evaluation_key == now.evaluation_key,
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
