use ringmill_arith::secret::Secret;
use ringmill_circuit::{ByteMap, field, nibble};
use ringmill_ring::{RingError, Rows, Slots};

use crate::ClearValue;

/// How records lie in the slots of a ring.
#[derive(Debug, Clone)]
pub struct Layout {
    rows: Rows,
    shared: Option<Shared>,
}

/// Slots that four records share: records 4i to 4i + 3 are in slot i.
#[derive(Debug, Clone)]
struct Shared {
    /// For each slot whether it holds the square of its byte.
    squared: Vec<bool>,
    reader: ByteMap,
}

impl Layout {
    /// Each record has as many slots as its rows have bytes: 1, 2, 4, 8 or 16.
    ///
    /// # Errors
    /// [`RingError::BadRowLength`] for any other number.
    pub fn new(slots: &Slots, bytes: usize) -> Result<Self, RingError> {
        Ok(Self {
            rows: Rows::new(slots, bytes)?,
            shared: None,
        })
    }

    /// Four records of bits share each slot.
    ///
    /// The map that tidies has constants of order 3. Where 3 divides d, these are the values of zeta_3 and of its square,
    /// which as factors make no noise larger, in slots whose unit is 1 and 2 modulo 3. With the squares of all bytes
    /// in the latter, the map needs the same root everywhere.
    ///
    /// # Errors
    /// Those of [`Rows::new`].
    pub fn shared(slots: &Slots) -> Result<Self, RingError> {
        let has_roots = slots.has_roots_of_order_3();
        let units = slots.representatives().iter();
        Ok(Self {
            rows: Rows::new(slots, 1)?,
            shared: Some(Shared {
                squared: units.map(|unit| has_roots && unit % 3 == 2).collect(),
                reader: nibble::reader(),
            }),
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
        self.shared.is_some()
    }

    /// Records in a batch.
    #[must_use]
    pub fn records(&self) -> usize {
        match self.shared {
            Some(_) => nibble::BITS * self.rows.records(),
            None => self.rows.records(),
        }
    }

    /// What slots hold for a constant factor of all records, of which there is a byte for each slot.
    pub(crate) fn held_factors(&self, mut factors: Vec<u8>) -> Vec<u8> {
        if let Some(shared) = &self.shared {
            shared.square(&mut factors, 1);
        }
        factors
    }

    /// The byte that each slot holds for a bit of each record; none if records have slots of their own.
    pub(crate) fn held_bits(&self, value: &ClearValue) -> Option<Secret<Vec<u8>>> {
        let (Some(shared), ClearValue::Bits(lanes)) = (&self.shared, value) else {
            return None;
        };
        const SLOTS: usize = u64::BITS as usize / nibble::BITS;
        let word = |slot: usize| lanes.get(slot / SLOTS).copied().unwrap_or(0);
        let nibble = |slot: usize| (word(slot) >> (nibble::BITS * (slot % SLOTS))) as u8;
        let slots = 0..self.rows.records();
        let mut bytes = Secret::new(slots.map(|slot| nibble::embed(nibble(slot))).collect::<Vec<u8>>());
        shared.square(&mut bytes, 1);
        Some(bytes)
    }

    /// The bits of all records that slots with these bytes hold; none if records have slots of their own.
    pub(crate) fn read_bits(&self, bytes: &mut [u8]) -> Option<ClearValue> {
        let shared = self.shared.as_ref()?;
        // The eighth square is the byte again.
        shared.square(bytes, 7);
        let read = |word: u64, byte: &u8| word << nibble::BITS | u64::from(shared.reader.apply(*byte));
        let words = bytes.chunks(u64::BITS as usize / nibble::BITS);
        Some(ClearValue::Bits(
            words.map(|bytes| bytes.iter().rev().fold(0, read)).collect(),
        ))
    }
}

impl Shared {
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
            let shared = layout.shared.as_ref().unwrap();
            assert_eq!(
                shared.squared.contains(&true),
                n == 8192,
                "3 divides d for n = 8192"
            );
            for (slot, byte) in held.iter().enumerate() {
                let bits =
                    (0..4).map(|place| lanes[(4 * slot + place) / 64] >> ((4 * slot + place) % 64) & 1);
                let nibble = bits.rev().fold(0, |nibble, bit| nibble << 1 | bit as u8);
                let squares = u8::from(shared.squared[slot]);
                assert_eq!(*byte, field::frobenius(nibble::embed(nibble), squares));
            }
            assert_eq!(layout.read_bits(&mut held), Some(value));
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
