//! A fast hash of ids.

use std::hash::{BuildHasherDefault, Hasher};

/// Makes [`IdHasher`]s.
pub(crate) type BuildIdHasher = BuildHasherDefault<IdHasher>;

/// Hashes small integers that the planner itself numbers, in a few cycles each. It does not keep those who choose the
/// integers from making them collide.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

/// Odd, without a pattern: 2^64 over the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, id: usize) {
        self.0 = (self.0.rotate_left(5) ^ id as u64).wrapping_mul(FACTOR);
    }

    fn finish(&self) -> u64 {
        // Tables take the lowest bits, which are products of the lowest alone.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hash;

    use super::*;

    /// Lists of neighbouring ids rarely share the bits that a table of their number looks at.
    #[test]
    fn neighbours_are_told_apart() {
        let hash = |ids: [usize; 3]| {
            let mut hasher = IdHasher::default();
            ids.hash(&mut hasher);
            hasher.finish()
        };
        let places = (0..32).flat_map(|a| (0..32).flat_map(move |b| (0..32).map(move |c| [a, b, c])));
        let all: Vec<u64> = places.map(hash).collect();
        let whole: HashSet<u64> = all.iter().copied().collect();
        assert_eq!(whole.len(), 32768);
        // Of 32768 balls thrown into as many bins, 63 % of the bins get one.
        let low: HashSet<u64> = all.iter().map(|hash| hash % 32768).collect();
        assert!(low.len() > 18_000, "{}", low.len());
        let high: HashSet<u64> = all.iter().map(|hash| hash >> 57).collect();
        assert_eq!(high.len(), 128);
    }
}
