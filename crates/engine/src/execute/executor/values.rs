//! Where values are: in memory, or in a file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::missing;
use crate::error::Failure;
use crate::execute::codec::Codec;
use crate::execute::inputs::Assigned;
use crate::execute::shelf::{Place, Shelf};
use crate::{EncryptedWire, EngineError, StoredWire, ValueId};

/// Where a value can be had from that is not in its place, or can be had again.
pub(super) enum Source<C> {
    /// The caller's inputs.
    Given(Arc<C>),
    /// The file of the inputs.
    Stored(Arc<dyn StoredWire>),
    /// The file of what was put aside.
    Aside(Place),
}

/// The values of an execution.
pub(super) struct Values<'a, C, K> {
    here: Vec<Option<Arc<C>>>,
    sources: HashMap<ValueId, Source<C>>,
    codec: &'a K,
    directory: Option<&'a Path>,
    shelf: OnceLock<Shelf>,
}

impl<'a, C: Send + Sync, K: Codec<C>> Values<'a, C, K> {
    /// Of so many steps; what is put aside goes into a file in a directory.
    pub fn new(steps: usize, inputs: Assigned<C>, codec: &'a K, directory: Option<&'a Path>) -> Self {
        let source = |wire| match wire {
            EncryptedWire::Here(ciphertext) => Source::Given(ciphertext),
            EncryptedWire::Stored(stored) => Source::Stored(stored),
        };
        Self {
            here: (0..steps).map(|_| None).collect(),
            sources: inputs
                .into_iter()
                .map(|(value, wire)| (value, source(wire)))
                .collect(),
            codec,
            directory,
            shelf: OnceLock::new(),
        }
    }

    /// A value in memory.
    pub fn get(&self, value: ValueId) -> Option<&C> {
        self.here[value.0].as_deref()
    }

    /// The same, shared.
    pub fn share(&self, value: ValueId) -> Option<Arc<C>> {
        self.here[value.0].clone()
    }

    /// Puts a value in its place.
    pub fn set(&mut self, value: ValueId, ciphertext: Arc<C>) {
        // What the caller gave is kept in one place only, so that it can be freed.
        if let Some(Source::Given(_)) = self.sources.get(&value) {
            self.sources.remove(&value);
        }
        self.here[value.0] = Some(ciphertext);
    }

    /// Takes a value away for good.
    pub fn take(&mut self, value: ValueId) -> Option<Arc<C>> {
        if let (Some(Source::Aside(place)), Some(shelf)) = (self.sources.remove(&value), self.shelf.get()) {
            shelf.clear(place);
        }
        self.here[value.0].take()
    }

    /// Ciphertexts in memory.
    pub fn count(&self) -> usize {
        let given = self
            .sources
            .values()
            .filter(|source| matches!(source, Source::Given(_)));
        self.here.iter().flatten().count() + given.count()
    }

    /// A value from where it can be had, as it is there.
    pub fn fetch(&self, value: ValueId) -> Result<Arc<C>, Failure> {
        let bytes = match self.sources.get(&value).ok_or_else(|| missing(value))? {
            Source::Given(ciphertext) => return Ok(Arc::clone(ciphertext)),
            Source::Stored(stored) => stored.read()?,
            Source::Aside(place) => self.shelf()?.read(*place).map_err(|error| self.failure(error))?,
        };
        Ok(Arc::new(self.codec.read(&bytes)?))
    }

    /// Writes a value that is in no file yet; it stays in memory.
    pub fn store(&self, value: ValueId) -> Result<Option<Place>, Failure> {
        let ciphertext = match self.sources.get(&value) {
            Some(Source::Given(ciphertext)) => ciphertext,
            Some(Source::Stored(_) | Source::Aside(_)) => return Ok(None),
            None => self.get(value).ok_or_else(|| missing(value))?,
        };
        let bytes = self.codec.write(ciphertext)?;
        let place = self.shelf()?.put(&bytes).map_err(|error| self.failure(error))?;
        Ok(Some(place))
    }

    /// Drops values that were stored, where they are written if they were not before.
    pub fn drop_stored(&mut self, values: impl Iterator<Item = (ValueId, Option<Place>)>) {
        for (value, place) in values {
            if let Some(place) = place {
                self.sources.insert(value, Source::Aside(place));
            }
            self.here[value.0] = None;
        }
        self.codec.release();
    }

    fn shelf(&self) -> Result<&Shelf, Failure> {
        if let Some(shelf) = self.shelf.get() {
            return Ok(shelf);
        }
        let directory = self.directory.ok_or_else(no_directory)?;
        let shelf = Shelf::new(directory).map_err(|error| self.failure(error))?;
        // Another thread may have been faster: its file is taken.
        Ok(self.shelf.get_or_init(|| shelf))
    }

    fn failure(&self, source: std::io::Error) -> Failure {
        let directory = self.directory.unwrap_or(Path::new(""));
        Box::new(EngineError::Aside {
            directory: directory.to_path_buf(),
            source,
        })
    }
}

fn no_directory() -> EngineError {
    EngineError::BrokenPlan("values are put aside, but there is no directory for them".to_owned())
}
