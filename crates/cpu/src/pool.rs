use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringmill_arith::secret;
use ringmill_device::MOST_RETAINED;

/// Memory of freed polynomials, by size: fresh pages from the system cost as much as an operation.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    words: usize,
    by_size: HashMap<usize, Vec<Vec<u64>>>,
}

/// Words kept in all.
const LIMIT: usize = MOST_RETAINED as usize / 8;

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words of any content.
    pub(super) fn take(self: &Arc<Self>, len: usize) -> Words {
        let mut kept = self.lock();
        let found = kept.by_size.get_mut(&len).and_then(Vec::pop);
        if found.is_some() {
            kept.words -= len;
        }
        drop(kept);
        Words {
            words: found.unwrap_or_else(|| vec![0; len]),
            pool: Arc::clone(self),
        }
    }

    /// Gives all that is kept back to the system.
    pub(super) fn clear(&self) {
        let kept = std::mem::take(&mut *self.lock());
        drop(kept);
    }

    /// Keeps freed words; where that is too much, all other sizes are given up first: a computation
    /// that goes down the levels does not come back to them soon.
    fn give(&self, words: Vec<u64>) {
        let len = words.len();
        let mut kept = self.lock();
        if kept.words + len > LIMIT {
            let own = kept.by_size.remove(&len).unwrap_or_default();
            let others = std::mem::take(&mut kept.by_size);
            kept.words = own.len() * len;
            kept.by_size.insert(len, own);
            if kept.words + len > LIMIT {
                return;
            }
            drop(others);
        }
        kept.words += len;
        kept.by_size.entry(len).or_default().push(words);
    }
}

/// Words on loan from a pool, which has them back when they are dropped.
pub(super) struct Words {
    words: Vec<u64>,
    pool: Arc<Pool>,
}

impl Words {
    /// Overwrites the words and gives them back.
    pub(super) fn wipe(mut self) {
        secret::wipe(&mut self.words);
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.words
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.words));
    }
}
