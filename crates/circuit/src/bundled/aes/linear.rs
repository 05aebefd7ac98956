//! Linear maps on bytes, in software and with few XORs.

use crate::{Builder, Wire, Word};

/// A map on bytes that is linear over GF(2), given by the images of 1, 2, 4, ..., 128.
#[derive(Clone, Copy)]
pub(super) struct ByteMap([u8; 8]);

impl ByteMap {
    /// The linear map that agrees with `map` on single bits.
    pub(super) fn new(map: impl Fn(u8) -> u8) -> Self {
        Self(std::array::from_fn(|bit| map(1 << bit)))
    }

    /// The image of a byte.
    pub(super) fn apply(&self, byte: u8) -> u8 {
        let columns = self.0.iter().zip(0..);
        let present = columns.filter(|(_, bit)| byte >> bit & 1 == 1);
        present.fold(0, |sum, (column, _)| sum ^ column)
    }

    /// The inverse of a map that has one.
    pub(super) fn inverse(&self) -> Self {
        let source = |image: u8| (0..=u8::MAX).find(|byte| self.apply(*byte) == image);
        Self::new(|bit| source(bit).unwrap_or_default())
    }

    /// This map followed by another.
    pub(super) fn then(&self, next: &Self) -> Self {
        Self(self.0.map(|column| next.apply(column)))
    }

    /// The number of bits set in the columns: about the cost of the map.
    pub(super) fn weight(&self) -> u32 {
        self.0.iter().map(|column| column.count_ones()).sum()
    }

    /// Builds the map on wires. As long as two result bits share a pair of terms, the pair that most of them
    /// share is summed first (Paar's greedy method).
    pub(super) fn build(&self, builder: &mut Builder, byte: &Word) -> Word {
        let mut terms: Vec<Wire> = byte.wires().to_vec();
        let mut rows: Vec<Vec<usize>> = (0..8)
            .map(|row| {
                let columns = self.0.iter().enumerate();
                let present = columns.filter(|(_, column)| **column >> row & 1 == 1);
                present.map(|(index, _)| index).collect()
            })
            .collect();
        while let Some((left, right)) = most_shared(&rows, terms.len()) {
            let pair = [left, right].map(|term| terms.get(term).copied());
            let [Some(first), Some(second)] = pair else { break };
            let sum = terms.len();
            terms.push(builder.xor(first, second));
            for row in rows
                .iter_mut()
                .filter(|row| row.contains(&left) && row.contains(&right))
            {
                row.retain(|term| *term != left && *term != right);
                row.push(sum);
            }
        }
        let bits = rows.iter().map(|row| {
            let wires: Vec<Wire> = row.iter().filter_map(|term| terms.get(*term)).copied().collect();
            builder.xor_all(&wires)
        });
        Word::new(bits.collect())
    }
}

/// The first pair of terms that the most rows have, if at least two rows have one.
fn most_shared(rows: &[Vec<usize>], terms: usize) -> Option<(usize, usize)> {
    let mut best = (1, None);
    for left in 0..terms {
        for right in left + 1..terms {
            let both = |row: &&Vec<usize>| row.contains(&left) && row.contains(&right);
            let count = rows.iter().filter(both).count();
            if count > best.0 {
                best = (count, Some((left, right)));
            }
        }
    }
    best.1
}
