use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringmill_arith::memory::return_freed_memory;
use ringmill_arith::secret;

/// Limbs of freed polynomials, for the next ones: fresh pages from the system cost as much as an operation. A
/// computation that goes down the levels has fewer and fewer limbs, but all of one size, so it takes no more memory than
/// it had at its peak.
#[derive(Debug)]
pub(super) struct Pool {
    /// Words of a limb.
    n: usize,
    kept: Mutex<Vec<Memory>>,
    /// Limbs made so far.
    made: AtomicUsize,
}

impl Pool {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            kept: Mutex::default(),
            made: AtomicUsize::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limbs of any content, first those freed last: they may still be in cache.
    pub(super) fn take(self: &Arc<Self>, count: usize) -> Vec<Limb> {
        let mut kept = self.lock();
        let first = kept.len().saturating_sub(count);
        let mut memories = kept.split_off(first);
        drop(kept);
        memories.resize_with(count, || self.make());
        let limb = |memory| Limb {
            memory,
            pool: Arc::clone(self),
        };
        memories.into_iter().map(limb).collect()
    }

    /// One limb of any content.
    pub(super) fn take_one(self: &Arc<Self>) -> Limb {
        let kept = self.lock().pop();
        Limb {
            memory: kept.unwrap_or_else(|| self.make()),
            pool: Arc::clone(self),
        }
    }

    fn make(&self) -> Memory {
        Memory::new(self.n, self.made.fetch_add(1, Ordering::Relaxed))
    }

    /// Gives all that is kept back to the system.
    pub(super) fn clear(&self) {
        let kept = std::mem::take(&mut *self.lock());
        if !kept.is_empty() {
            drop(kept);
            return_freed_memory();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Words in a cache line of 64 bytes.
const LINE: usize = 8;

/// Cache lines of a page.
const PAGE: usize = 64;

/// The memory of a limb, which begins with a cache line: no vector lies across two.
///
/// Limbs are as long as powers of two. If all began at the same place of a page, equal columns of many limbs would have
/// the same few places in caches and drive each other out; so each limb begins on another line, at the cost of one part
/// in 64 of the memory.
#[derive(Debug, Default)]
struct Memory {
    words: Vec<u64>,
    start: usize,
}

impl Memory {
    /// The memory of the limb of this number.
    fn new(n: usize, number: usize) -> Self {
        let lines = (n / LINE / 64).clamp(1, PAGE);
        let words = vec![0; n + lines * LINE - 1];
        let beyond = words.as_ptr() as usize / size_of::<u64>() % LINE;
        // Limbs made one after the other begin far apart.
        let line = number * 37 % lines;
        let start = (LINE - beyond) % LINE + line * LINE;
        Self { words, start }
    }
}

/// The words of a limb on loan from a pool, which has them back when they are dropped.
pub(super) struct Limb {
    memory: Memory,
    pool: Arc<Pool>,
}

impl Limb {
    /// Overwrites the words.
    pub(super) fn wipe(&mut self) {
        secret::wipe(self);
    }
}

impl Deref for Limb {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        let Memory { words, start } = &self.memory;
        &words[*start..start + self.pool.n]
    }
}

impl DerefMut for Limb {
    fn deref_mut(&mut self) -> &mut [u64] {
        let Memory { words, start } = &mut self.memory;
        &mut words[*start..*start + self.pool.n]
    }
}

impl Drop for Limb {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        self.pool.lock().push(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_are_recycled_and_begin_with_a_cache_line() {
        let pool = Arc::new(Pool::new(24));
        let mut limbs = pool.take(3);
        for (limb, x) in limbs.iter_mut().zip(1..) {
            assert_eq!((limb.len(), limb.as_ptr() as usize % 64), (24, 0));
            limb.fill(x);
        }
        let addresses: Vec<_> = limbs.iter().map(|limb| limb.as_ptr()).collect();
        drop(limbs);
        let again = pool.take(2);
        assert_eq!(again.iter().map(|limb| limb[0]).collect::<Vec<_>>(), [2, 3]);
        let more = [pool.take_one(), pool.take_one()];
        assert_eq!((more[0].as_ptr(), &more[1][..]), (addresses[0], &[0; 24][..]));
        drop((again, more));
        pool.clear();
        assert!(pool.lock().is_empty());
    }

    #[test]
    fn long_limbs_begin_on_all_lines_of_a_page() {
        let n = 1 << 15;
        let memories: Vec<_> = (0..PAGE).map(|number| Memory::new(n, number)).collect();
        let mut lines: Vec<usize> = memories.iter().map(|memory| memory.start / LINE).collect();
        lines.sort_unstable();
        assert_eq!(lines, (0..PAGE).collect::<Vec<_>>());
        for memory in memories {
            let least = memory.start + n;
            assert!((least..=n + n / 64 + LINE).contains(&memory.words.len()));
        }
    }

    #[test]
    fn wiped_limbs_are_zero() {
        let pool = Arc::new(Pool::new(16));
        let mut limbs = pool.take(1);
        limbs[0].fill(7);
        limbs[0].wipe();
        drop(limbs);
        assert_eq!(pool.take(1)[0][..], [0; 16]);
    }
}
