//! Looks up constants at an encrypted index.

use crate::anf::{Functions, coefficients};
use crate::{Builder, CircuitError, Word};

impl Builder {
    /// The entry of a table of constants at an unsigned index. The bits of an entry come least significant
    /// first; all entries have the same width. Beyond the table's end the entries are 0. A table without
    /// entries gives a word without bits.
    ///
    /// Every bit of the entry is a polynomial in the bits of the index, of degree at most their number `k`.
    /// Its AND depth is `log2 k`, rounded up, which is the least possible for almost every table. The number
    /// of ANDs doubles with each bit of the index or, for narrow entries, with every second bit.
    ///
    /// # Errors
    ///
    /// * [`CircuitError::TableTooLong`]: the index cannot name all entries.
    /// * [`CircuitError::TableEntryWidth`]: entries of different widths.
    pub fn lookup(&mut self, index: &Word, table: &[Vec<bool>]) -> Result<Word, CircuitError> {
        let width = table.first().map_or(0, Vec::len);
        check(index, table, width)?;
        // Index bits beyond those that name an entry make the entry 0. 2^k does not overflow for the `k`
        // bits that name entries in memory.
        let useful = (usize::BITS - table.len().saturating_sub(1).leading_zeros()) as usize;
        let (low, high) = index.wires().split_at(useful.min(index.width()));
        let functions: Vec<Vec<bool>> = (0..width)
            .map(|bit| {
                let values = table
                    .iter()
                    .map(|entry| entry.get(bit).copied().unwrap_or_default());
                let padded = values.chain(std::iter::repeat(false));
                coefficients(padded.take(1 << low.len()).collect())
            })
            .collect();
        let entry = Word::new(Functions::new(self, low).make(&functions));
        let beyond = self.or_all(high);
        let within = self.not(beyond);
        Ok(self.mask(within, &entry))
    }
}

fn check(index: &Word, table: &[Vec<bool>], width: usize) -> Result<(), CircuitError> {
    let index_bits = index.width();
    if index_bits < usize::BITS as usize && table.len() > 1 << index_bits {
        return Err(CircuitError::TableTooLong {
            entries: table.len(),
            index_bits,
        });
    }
    match table.iter().position(|entry| entry.len() != width) {
        None => Ok(()),
        Some(entry) => Err(CircuitError::TableEntryWidth {
            entry,
            expected: width,
            found: table.get(entry).map_or(0, Vec::len),
        }),
    }
}
