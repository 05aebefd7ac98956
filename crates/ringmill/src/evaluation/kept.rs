use std::path::Path;

use ringmill_device::Device;
use ringmill_format::FormatError;
use ringmill_fv::FvError;

use super::Origins;
use crate::Error;
use crate::batches::{Batch, Batches, Head, Origin};
use crate::files::Meter;
use crate::session::Session;

/// The results that an earlier run has kept; none if it is not gone on from one.
pub struct Kept<'a, D: Device>(Option<KeptFile<'a, D>>);

struct KeptFile<'a, D: Device> {
    session: &'a Session<D>,
    path: &'a Path,
    batches: Batches<'a, D>,
    meter: Meter,
    /// The names of the evaluation keys, the encrypted and the public inputs of this run.
    names: [String; 3],
}

/// A batch that an earlier run has finished.
pub struct KeptBatch<D: Device> {
    pub batch: Batch<D>,
    /// Bytes of the file up to its end; none if it must be written again, because it says wrongly whether it is the last.
    pub end: Option<u64>,
}

impl<'a, D: Device> Kept<'a, D> {
    pub fn open(session: &'a Session<D>, origins: &Origins, path: Option<&'a Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        let mut batches = Batches::open_partial(session, path)?;
        Ok(Self(Some(KeptFile {
            session,
            path,
            meter: batches.meter(),
            batches,
            names: origins.names.clone(),
        })))
    }

    /// The next batch, which must have been made of the same inputs in the same way.
    pub fn next(&mut self, now: &Origin, records: u64, last: bool) -> Result<Option<KeptBatch<D>>, Error> {
        let Some(file) = &mut self.0 else {
            return Ok(None);
        };
        let Some((head, ciphertexts)) = file.next()? else {
            // What will follow is of this run.
            self.0 = None;
            return Ok(None);
        };
        let end = file.meter.bytes();
        if let Some(difference) = file.difference(&head, now, records) {
            return Err(Error::data(
                file.path,
                format!(
                    "batch {} {difference}; give what it was made with, or begin at the first batch: with --force in \
                     place of --resume",
                    head.index
                ),
            ));
        }
        let same = head.last == last;
        if !same {
            // The public inputs end elsewhere now. Then nothing may follow it.
            file.finish()?;
            self.0 = None;
        }
        let end = same.then_some(end);
        let batch = (head, ciphertexts);
        Ok(Some(KeptBatch { batch, end }))
    }

    /// Sees that nothing is left.
    pub fn finish(self) -> Result<(), Error> {
        self.0.map_or(Ok(()), |mut file| file.finish())
    }
}

/// Whether an error is that of a batch in the middle of which a process or the system ended, `whole` bytes after the
/// begin of the file. What does not even begin like a file of ringmill's is somebody else's.
fn is_torn(error: &Error, whole: u64) -> bool {
    let Error::File { source, .. } = error else {
        return false;
    };
    match source {
        FvError::Format(FormatError::Truncated | FormatError::BadChecksum) => true,
        // Where a file was made longer, but nothing was written before the system ended.
        FvError::Format(FormatError::BadMagic) => whole > 0,
        _ => false,
    }
}

impl<D: Device> KeptFile<'_, D> {
    /// The next batch. One that was not written to its end, or was damaged, ends the file: it is evaluated again.
    fn next(&mut self) -> Result<Option<Batch<D>>, Error> {
        let whole = self.meter.bytes();
        match self.batches.next() {
            Err(error) if is_torn(&error, whole) => {
                self.session.observer.note(&format!(
                    "note: {error}; batches from there on are evaluated again"
                ));
                Ok(None)
            }
            batch => batch,
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self.next()? {
            None => Ok(()),
            Some(_) => Err(Error::data(
                self.path,
                "more batches than the inputs have; it is of other inputs",
            )),
        }
    }

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
