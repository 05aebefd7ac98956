use std::collections::HashMap;
use std::sync::Mutex;

/// Memory of freed polynomials, by size: fresh pages from the system cost as much as an operation.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<HashMap<usize, Vec<Vec<u64>>>>);

/// Bytes kept of each size; what is beyond is given back to the system.
const KEPT: usize = 256 << 20;

impl Pool {
    /// Words of any content.
    pub(super) fn take(&self, len: usize) -> Vec<u64> {
        let mut pool = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = pool.get_mut(&len).and_then(Vec::pop);
        drop(pool);
        kept.unwrap_or_else(|| vec![0; len])
    }

    pub(super) fn give(&self, words: Vec<u64>) {
        let len = words.len();
        let mut pool = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = pool.entry(len).or_default();
        if (kept.len() + 1) * len * 8 <= KEPT {
            kept.push(words);
        }
    }
}
