use ringmill_arith::secret::Secret;
use ringmill_circuit::{ByteMap, field, nibble};
use ringmill_ring::{RingError, Rows, Slots};

use crate::ClearValue;

/// How records lie in the slots of a ring.
#[derive(Debug, Clone)]
pub struct Layout {
    rows: Rows,
    /// For each slot whether it holds the square of its byte; empty if none does.
    squared: Vec<bool>,
    /// How a byte is read as the bits of four records, if these share each slot: records 4i to 4i + 3 are in slot i.
    reader: Option<ByteMap>,
}

impl Layout {
    /// Each record has as many slots as its rows have bytes: 1, 2, 4, 8 or 16.
    ///
    /// # Errors
    /// [`RingError::BadRowLength`] for any other number.
    pub fn new(slots: &Slots, bytes: usize) -> Result<Self, RingError> {
        Ok(Self {
            rows: Rows::new(slots, bytes)?,
            squared: Vec::new(),
            reader: None,
        })
    }

    /// Each record has a slot, for bytes that are [`nibble`]s and are tidied.
    ///
    /// The map that tidies has constants of order 3. Where 3 divides d, these are the values of zeta_3 and of its square,
    /// which as factors make no noise larger, in slots whose unit is 1 and 2 modulo 3. With the squares of all bytes
    /// in the latter, the map needs the same root everywhere.
    ///
    /// # Errors
    /// Those of [`Rows::new`].
    pub fn of_nibbles(slots: &Slots) -> Result<Self, RingError> {
        let has_roots = slots.has_roots_of_order_3();
        let units = slots.representatives().iter();
        Ok(Self {
            rows: Rows::new(slots, 1)?,
            squared: units.map(|unit| has_roots && unit % 3 == 2).collect(),
            reader: None,
        })
    }

    /// Four records of bits share each slot, as the bits of a nibble.
    ///
    /// # Errors
    /// Those of [`Rows::new`].
    pub fn shared(slots: &Slots) -> Result<Self, RingError> {
        Ok(Self {
            reader: Some(nibble::reader()),
            ..Self::of_nibbles(slots)?
        })
    }

    /// The slots of each record of the layout, or of each four.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether four records share each slot.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether slots hold bits or bytes of one record each, as they are.
    pub(crate) fn is_plain(&self) -> bool {
        self.reader.is_none() && self.squared.is_empty()
    }

    /// Records in a batch.
    #[must_use]
    pub fn records(&self) -> usize {
        match self.reader {
            Some(_) => nibble::BITS * self.rows.records(),
            None => self.rows.records(),
        }
    }

    /// How often the byte of a slot is squared there.
    pub(crate) fn squarings(&self, slot: usize) -> u8 {
        u8::from(self.squared.get(slot) == Some(&true))
    }

    /// What slots hold for a constant factor of all records, of which there is a byte for each slot.
    pub(crate) fn held_factors(&self, mut factors: Vec<u8>) -> Vec<u8> {
        self.square(&mut factors, 1);
        factors
    }

    /// The byte that each slot holds for rows of bytes, one row after the other.
    pub(crate) fn held_rows(&self, rows: &[u8]) -> Secret<Vec<u8>> {
        let mut held = Secret::zeros(self.rows.slots().len());
        for (byte, slot) in rows.iter().zip(self.rows.slots()) {
            held[*slot as usize] = *byte;
        }
        self.square(&mut held, 1);
        held
    }

    /// The rows of bytes that slots with these bytes hold.
    pub(crate) fn read_rows(&self, held: &mut [u8]) -> ClearValue {
        self.unsquare(held);
        let slots = self.rows.slots().iter();
        ClearValue::Rows(slots.map(|slot| held[*slot as usize]).collect())
    }

    /// The byte that each slot holds for a bit of each record; none if records have slots of their own.
    pub(crate) fn held_bits(&self, value: &ClearValue) -> Option<Secret<Vec<u8>>> {
        let (Some(_), ClearValue::Bits(lanes)) = (&self.reader, value) else {
            return None;
        };
        const SLOTS: usize = u64::BITS as usize / nibble::BITS;
        let word = |slot: usize| lanes.get(slot / SLOTS).copied().unwrap_or(0);
        let nibble = |slot: usize| (word(slot) >> (nibble::BITS * (slot % SLOTS))) as u8;
        let slots = 0..self.rows.records();
        let mut bytes = Secret::new(slots.map(|slot| nibble::embed(nibble(slot))).collect::<Vec<u8>>());
        self.square(&mut bytes, 1);
        Some(bytes)
    }

    /// The bits of all records that slots with these bytes hold; none if records have slots of their own.
    pub(crate) fn read_bits(&self, bytes: &mut [u8]) -> Option<ClearValue> {
        let reader = self.reader.as_ref()?;
        self.unsquare(bytes);
        let read = |word: u64, byte: &u8| word << nibble::BITS | u64::from(reader.apply(*byte));
        let words = bytes.chunks(u64::BITS as usize / nibble::BITS);
        Some(ClearValue::Bits(
            words.map(|bytes| bytes.iter().rev().fold(0, read)).collect(),
        ))
    }

    /// Makes bytes of what squared slots hold of them.
    fn unsquare(&self, bytes: &mut [u8]) {
        // The eighth square is the byte again.
        self.square(bytes, 7);
    }

    /// Squares the bytes of slots that hold squares so many times.
    fn square(&self, bytes: &mut [u8], times: u8) {
        for (byte, squared) in bytes.iter_mut().zip(&self.squared) {
            if *squared {
                *byte = field::frobenius(*byte, times);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ringmill_arith::Simd;
    use ringmill_ring::FermatRing;

    use super::*;

    fn layout(n: usize) -> Layout {
        let ring = FermatRing::new(n).unwrap();
        Layout::shared(&Slots::new(&ring, Simd::from_environment().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn slots_hold_four_records_each_in_order() {
        for n in [4096, 8192] {
            let layout = layout(n);
            let slots = layout.rows().records();
            assert_eq!(layout.records(), 4 * slots);
            let lanes: Vec<u64> = (1..=layout.records() as u64 / 64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect();
            let value = ClearValue::Bits(lanes.clone());
            let mut held = layout.held_bits(&value).unwrap();
            assert_eq!(
                layout.squared.contains(&true),
                n == 8192,
                "3 divides d for n = 8192"
            );
            for (slot, byte) in held.iter().enumerate() {
                let bits =
                    (0..4).map(|place| lanes[(4 * slot + place) / 64] >> ((4 * slot + place) % 64) & 1);
                let nibble = bits.rev().fold(0, |nibble, bit| nibble << 1 | bit as u8);
                let squares = layout.squarings(slot);
                assert_eq!(*byte, field::frobenius(nibble::embed(nibble), squares));
            }
            assert_eq!(layout.read_bits(&mut held), Some(value));
        }
    }

    #[test]
    fn bytes_are_squared_in_slots_of_one_kind() {
        for (n, squares) in [(4096, false), (8192, true)] {
            let ring = FermatRing::new(n).unwrap();
            let slots = Slots::new(&ring, Simd::from_environment().unwrap()).unwrap();
            let layout = Layout::of_nibbles(&slots).unwrap();
            assert!(!layout.is_shared());
            assert_eq!(layout.records(), slots.len());
            let rows: Vec<u8> = (0..slots.len()).map(|i| (i * 151 / 8) as u8).collect();
            let mut held = layout.held_rows(&rows);
            let squarings = (0..slots.len()).map(|slot| layout.squarings(slot));
            assert_eq!(squarings.clone().any(|times| times == 1), squares);
            let expected = rows.iter().zip(squarings);
            let expected: Vec<u8> = expected
                .map(|(byte, times)| field::frobenius(*byte, times))
                .collect();
            assert_eq!(held[..], expected);
            assert_eq!(layout.read_rows(&mut held), ClearValue::Rows(rows));
        }
    }

    #[test]
    fn missing_records_are_zeros_and_rows_have_slots_of_their_own() {
        let layout = layout(4096);
        let held = layout.held_bits(&ClearValue::Bits(vec![u64::MAX])).unwrap();
        assert!(held[..16].iter().all(|byte| *byte == 1) && held[16..].iter().all(|byte| *byte == 0));
        assert!(layout.held_bits(&ClearValue::Rows(vec![1])).is_none());
    }
}
