//! Linear maps of rows.

use std::collections::BTreeMap;

use crate::{ByteMap, CircuitError, WireType};

/// The number of a [`RowMap`] in a circuit's table of maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapId(u32);

impl MapId {
    /// The map at `index` of the table.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The index in the table.
    #[must_use]
    pub const fn index(self) -> usize {
        // This is lossless wherever the standard library runs with pointers of at least 32 bits.
        self.0 as usize
    }
}

/// One term of a [`RowMap`]: `out[target] += factor * in[source]^(2^frobenius)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapEntry {
    /// The byte of the result to which the term is added.
    pub target: usize,
    /// The byte of the operand that is read.
    pub source: usize,
    /// The number of times that this byte is squared, below 8.
    pub frobenius: u8,
    /// The factor in GF(2^8) of the resulting power.
    pub factor: u8,
}

/// A GF(2)-linear map from rows of bytes to rows of bytes, as a sum of products of Frobenius powers with
/// constants. Applied to a bit, it treats the bit as a row of one byte, 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowMap {
    from: usize,
    to: usize,
    entries: Vec<MapEntry>,
}

impl RowMap {
    /// Makes the sum of these terms, from rows of `from` bytes to rows of `to` bytes. It adds up terms for
    /// the same target, source and power, and drops terms that are 0.
    ///
    /// # Errors
    /// [`CircuitError::RowLength`] for a row with no or too many bytes; [`CircuitError::MapEntry`] for a
    /// term outside the rows or beyond the seventh squaring.
    pub fn new(
        from: usize,
        to: usize,
        entries: impl IntoIterator<Item = MapEntry>,
    ) -> Result<Self, CircuitError> {
        for bytes in [from, to] {
            if !WireType::Row(bytes).has_valid_size() {
                return Err(CircuitError::RowLength { bytes });
            }
        }
        let mut factors: BTreeMap<(usize, usize, u8), u8> = BTreeMap::new();
        for entry in entries {
            if entry.target >= to || entry.source >= from || entry.frobenius >= 8 {
                return Err(CircuitError::MapEntry { entry, from, to });
            }
            *factors
                .entry((entry.target, entry.source, entry.frobenius))
                .or_default() ^= entry.factor;
        }
        let nonzero = factors.into_iter().filter(|(_, factor)| *factor != 0);
        Ok(Self {
            from,
            to,
            entries: nonzero
                .map(|((target, source, frobenius), factor)| MapEntry {
                    target,
                    source,
                    frobenius,
                    factor,
                })
                .collect(),
        })
    }

    /// Makes the sum of maps of single bytes, given as `(target, source, map)`: each takes byte `source` of
    /// the operand and adds its image to byte `target` of the result.
    ///
    /// # Errors
    /// Those of [`RowMap::new`].
    pub fn from_blocks(
        from: usize,
        to: usize,
        blocks: impl IntoIterator<Item = (usize, usize, ByteMap)>,
    ) -> Result<Self, CircuitError> {
        let entries = blocks.into_iter().flat_map(|(target, source, map)| {
            let coefficients = (0..).zip(map.coefficients());
            coefficients.map(move |(frobenius, factor)| MapEntry {
                target,
                source,
                frobenius,
                factor,
            })
        });
        Self::new(from, to, entries)
    }

    /// Applies the same map to each byte of a row, in place.
    ///
    /// # Errors
    /// [`CircuitError::RowLength`] for a row with no or too many bytes.
    pub fn bytewise(bytes: usize, map: ByteMap) -> Result<Self, CircuitError> {
        Self::from_blocks(bytes, bytes, (0..bytes).map(|byte| (byte, byte, map)))
    }

    /// Moves byte `sources[i]` of the operand to position `i`, and applies the same map to each byte. The
    /// result is as long as the list.
    ///
    /// # Errors
    /// Those of [`RowMap::new`].
    pub fn permutation(from: usize, sources: &[usize], map: ByteMap) -> Result<Self, CircuitError> {
        let blocks = sources.iter().enumerate();
        let blocks = blocks.map(|(target, source)| (target, *source, map));
        Self::from_blocks(from, sources.len(), blocks)
    }

    /// The number of bytes of the rows to which the map is applied.
    #[must_use]
    pub fn from(&self) -> usize {
        self.from
    }

    /// The number of bytes of the resulting rows.
    #[must_use]
    pub fn to(&self) -> usize {
        self.to
    }

    /// The terms by target, then source, then power. Each triple occurs once, with a factor other than 0.
    #[must_use]
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    /// Whether the map sends everything to 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the map is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let unchanged = |(index, entry): (usize, &MapEntry)| {
            (entry.target, entry.source, entry.frobenius, entry.factor) == (index, index, 0, 1)
        };
        self.from == self.to
            && self.entries.len() == self.to
            && self.entries.iter().enumerate().all(unchanged)
    }

    /// The map as maps of single bytes `(target, source, map)`; each pair of positions occurs at most once.
    #[must_use]
    pub fn blocks(&self) -> Vec<(usize, usize, ByteMap)> {
        let same_block = |a: &MapEntry, b: &MapEntry| (a.target, a.source) == (b.target, b.source);
        let blocks = self.entries.chunk_by(same_block);
        blocks
            .filter_map(|entries| {
                let first = entries.first()?;
                let mut coefficients = [0; 8];
                for entry in entries {
                    if let Some(coefficient) = coefficients.get_mut(usize::from(entry.frobenius)) {
                        *coefficient = entry.factor;
                    }
                }
                Some((
                    first.target,
                    first.source,
                    ByteMap::from_coefficients(coefficients),
                ))
            })
            .collect()
    }

    /// The image of a row; its length is [`to`](Self::to). Missing bytes of the row count as 0.
    #[must_use]
    pub fn apply(&self, row: &[u8]) -> Vec<u8> {
        let mut result = vec![0; self.to];
        for (target, source, map) in self.blocks() {
            if let (Some(sum), Some(byte)) = (result.get_mut(target), row.get(source)) {
                *sum ^= map.apply(*byte);
            }
        }
        result
    }

    /// This map applied after another one: `self(first(row))`.
    ///
    /// # Errors
    /// [`CircuitError::MapShape`] if `first` does not give rows as long as this map takes.
    pub fn after(&self, first: &Self) -> Result<Self, CircuitError> {
        if self.from != first.to {
            return Err(CircuitError::MapShape {
                left: (self.from, self.to),
                right: (first.from, first.to),
            });
        }
        let inner = first.blocks();
        let outer = self.blocks().into_iter();
        let blocks = outer.flat_map(|(target, middle, outer)| {
            let read = inner
                .iter()
                .filter(move |(inner_target, ..)| *inner_target == middle);
            read.map(move |(_, source, inner)| (target, *source, outer.after(*inner)))
        });
        Self::from_blocks(first.from, self.to, blocks)
    }

    /// The map whose image is the sum of both images.
    ///
    /// # Errors
    /// [`CircuitError::MapShape`] if the two do not take and give rows of the same lengths.
    pub fn plus(&self, other: &Self) -> Result<Self, CircuitError> {
        if (self.from, self.to) != (other.from, other.to) {
            return Err(CircuitError::MapShape {
                left: (self.from, self.to),
                right: (other.from, other.to),
            });
        }
        let entries = self.entries.iter().chain(&other.entries).copied();
        Self::new(self.from, self.to, entries)
    }
}
