use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use ringmill_device::DeviceError;

/// The time for which a thread waits for a value that another one makes. A value takes a fraction of a millisecond; what
/// takes longer may wait for memory that this thread holds.
const PATIENCE: Duration = Duration::from_millis(5);

/// Values that are made when they are first needed, and kept.
#[derive(Debug)]
pub(super) struct Cache<K, V> {
    values: RwLock<HashMap<K, Arc<V>>>,
    /// What threads are making now.
    making: Mutex<HashSet<K>>,
    /// Notified whenever one is done.
    done: Condvar,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self {
            values: RwLock::default(),
            making: Mutex::default(),
            done: Condvar::default(),
        }
    }
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    /// Returns the kept value, or makes one. All threads want the same values when they begin a level: one makes each, the
    /// others wait for it. If that takes too long, several may make it; the first value kept is used.
    pub(super) fn get(
        &self,
        key: K,
        make: impl FnOnce() -> Result<V, DeviceError>,
    ) -> Result<Arc<V>, DeviceError> {
        self.get_within(PATIENCE, key, make)
    }

    /// Does the same with this patience.
    fn get_within(
        &self,
        patience: Duration,
        key: K,
        make: impl FnOnce() -> Result<V, DeviceError>,
    ) -> Result<Arc<V>, DeviceError> {
        if let Some(found) = self.found(&key) {
            return Ok(found);
        }
        let turn = self.turn(&key, patience);
        let made = self.made(key, make);
        drop(turn);
        made
    }

    /// Makes a value if there is none and no thread is making it. Threads that need the same values offer to make each
    /// before they get them, so that they share the work instead of waiting for one of them to do it all.
    pub(super) fn offer(
        &self,
        key: K,
        make: impl FnOnce() -> Result<V, DeviceError>,
    ) -> Result<(), DeviceError> {
        if self.found(&key).is_none()
            && let Some(_turn) = self.turn(&key, Duration::ZERO)
        {
            self.made(key, make)?;
        }
        Ok(())
    }

    /// The kept value, or one that is made and kept. The first one kept is used.
    fn made(&self, key: K, make: impl FnOnce() -> Result<V, DeviceError>) -> Result<Arc<V>, DeviceError> {
        if let Some(found) = self.found(&key) {
            return Ok(found);
        }
        let made = Arc::new(make()?);
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(values.entry(key).or_insert(made)))
    }

    /// The kept value, if there is one.
    pub(super) fn found(&self, key: &K) -> Option<Arc<V>> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get(key).cloned()
    }

    /// Waits while another thread makes this value, for a moment; none if it makes it still.
    fn turn(&self, key: &K, patience: Duration) -> Option<Turn<'_, K, V>> {
        let making = self.making();
        let waited = self
            .done
            .wait_timeout_while(making, patience, |making| making.contains(key));
        let (mut making, _) = waited.unwrap_or_else(PoisonError::into_inner);
        making.insert(key.clone()).then(|| Turn {
            cache: self,
            key: key.clone(),
        })
    }

    fn making(&self) -> MutexGuard<'_, HashSet<K>> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's turn to make a value. When it ends, whether there is a value or not, others go on.
struct Turn<'a, K: Hash + Eq + Clone, V> {
    cache: &'a Cache<K, V>,
    key: K,
}

impl<K: Hash + Eq + Clone, V> Drop for Turn<'_, K, V> {
    fn drop(&mut self) {
        self.cache.making().remove(&self.key);
        self.cache.done.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_makes_a_value_and_the_others_get_it() {
        let cache = Cache::default();
        let turn = cache.turn(&1, PATIENCE);
        assert!(turn.is_some());
        let patient = Duration::from_secs(600);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| cache.get_within(patient, 1, || Ok("late")).unwrap());
            cache.values.write().unwrap().insert(1, Arc::new("made"));
            drop(turn);
            assert_eq!(*waiting.join().unwrap(), "made");
        });
        assert_eq!(*cache.get(1, || Ok("again")).unwrap(), "made");
        assert!(cache.making().is_empty());
    }

    #[test]
    fn a_value_is_offered_once() {
        let cache = Cache::default();
        let turn = cache.turn(&1, PATIENCE);
        // Another thread makes it: nothing to do, and no wait.
        cache.offer(1, || Err(DeviceError::NoOperands)).unwrap();
        assert!(cache.found(&1).is_none());
        drop(turn);
        cache.offer(1, || Ok("offered")).unwrap();
        cache.offer(1, || Err(DeviceError::NoOperands)).unwrap();
        assert_eq!(*cache.get(1, || Ok("again")).unwrap(), "offered");
        assert!(cache.making().is_empty());
    }

    #[test]
    fn nobody_waits_for_ever_or_for_a_value_that_failed() {
        let cache = Cache::default();
        // Made by another thread that waits for this one.
        let turn = cache.turn(&1, PATIENCE);
        assert_eq!(*cache.get(1, || Ok("own")).unwrap(), "own");
        drop(turn);
        let failed = cache.get(2, || Err(DeviceError::NoOperands));
        assert_eq!(failed.err(), Some(DeviceError::NoOperands));
        assert_eq!(*cache.get(2, || Ok("then")).unwrap(), "then");
        assert!(cache.making().is_empty());
    }
}
