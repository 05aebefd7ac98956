use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use ringmill_device::DeviceError;

/// Values that are made when they are first needed, and kept.
#[derive(Debug)]
pub(super) struct Cache<K, V>(RwLock<HashMap<K, Arc<V>>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Hash + Eq, V> Cache<K, V> {
    /// Returns the kept value, or makes one. Two threads may both make it; the first value kept is used.
    pub(super) fn get(
        &self,
        key: K,
        make: impl FnOnce() -> Result<V, DeviceError>,
    ) -> Result<Arc<V>, DeviceError> {
        let read = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(&key) {
            return Ok(Arc::clone(found));
        }
        drop(read);
        let made = Arc::new(make()?);
        let mut write = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(write.entry(key).or_insert(made)))
    }
}
