use std::path::Path;

use ringmill_device::Device;
use ringmill_format::FormatError;
use ringmill_fv::FvError;

use super::Origins;
use crate::Error;
use crate::batches::{Batch, Batches, Origin};
use crate::files::Digest;
use crate::session::Session;

/// The results that an earlier run has kept; none if it is not gone on from one.
pub struct Kept<'a, D: Device>(Option<KeptFile<'a, D>>);

struct KeptFile<'a, D: Device> {
    session: &'a Session<D>,
    path: &'a Path,
    batches: Batches<'a, D>,
    origins: &'a Origins,
}

/// A batch that an earlier run has finished.
pub struct KeptBatch<D: Device> {
    pub batch: Batch<D>,
    /// The digest of its frames.
    pub digest: Digest,
    /// Bytes of the file up to its end; none if it must be written again, because it says wrongly whether it is the last.
    pub end: Option<u64>,
}

impl<'a, D: Device> Kept<'a, D> {
    pub fn open(
        session: &'a Session<D>,
        origins: &'a Origins,
        path: Option<&'a Path>,
    ) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        let batches = Batches::open_partial(session, path)?;
        Ok(Self(Some(KeptFile {
            session,
            path,
            batches,
            origins,
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
        let (end, digest) = (file.batches.end(), file.batches.digest());
        if let Some(difference) = file.origins.difference(&head, now, records) {
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
        Ok(Some(KeptBatch {
            batch: (head, ciphertexts),
            digest,
            end: same.then_some(end),
        }))
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
        let whole = self.batches.end();
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
}
