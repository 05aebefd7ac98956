use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use ringmill_device::DeviceError;

/// Things that are made once, by what they are made for.
///
/// They stay as long as the device, since kernels may still read them: only what there is a few of for a parameter
/// set is kept here.
#[derive(Debug)]
pub(super) struct Cache<K, V>(RwLock<HashMap<K, Arc<V>>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// What was made for this key, or is now.
    pub(super) fn get(
        &self,
        key: K,
        make: impl FnOnce(&K) -> Result<V, DeviceError>,
    ) -> Result<Arc<V>, DeviceError> {
        let read = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(&key) {
            return Ok(Arc::clone(found));
        }
        drop(read);
        let made = Arc::new(make(&key)?);
        let mut write = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(write.entry(key).or_insert(made)))
    }
}
