//! Numbers of any width in beats of 128 bits, without gaps, the lowest bits first.

use ringmill_arith::secret::Secret;

use super::{Beat, Wide};

/// The bits of a beat.
const WIDTH: usize = 128;

/// Puts numbers into beats.
pub struct Packer {
    beats: Secret<Vec<Beat>>,
    bits: usize,
}

impl Packer {
    /// With room for so many beats.
    pub fn new(beats: usize) -> Self {
        Self {
            beats: Secret::with_capacity(beats),
            bits: 0,
        }
    }

    /// Adds the lowest bits of a number, at most 192.
    pub fn add(&mut self, number: Wide, width: u32) {
        let mut place = 0;
        while place < width {
            let (word, shift) = (self.bits / 64, self.bits % 64);
            if self.bits.is_multiple_of(WIDTH) {
                self.beats.push([0; 2]);
            }
            let part = (width - place).min(32).min(64 - shift as u32);
            if let Some(beat) = self.beats.get_mut(word / 2) {
                beat[word % 2] |= number.chunk(place, part) << shift;
            }
            self.bits += part as usize;
            place += part;
        }
    }

    /// Fills the last beat with zeros.
    pub const fn fill(&mut self) {
        self.bits = self.bits.next_multiple_of(WIDTH);
    }

    /// What was put in.
    pub fn finish(self) -> Secret<Vec<Beat>> {
        self.beats
    }
}

/// The number of at most 192 bits from a place on.
pub fn number(beats: &[Beat], from: usize, width: u32) -> Wide {
    let mut number = Wide::default();
    let mut place = 0;
    while place < width {
        let bit = from + place as usize;
        let (word, shift) = (bit / 64, bit % 64);
        let part = (width - place).min(32).min(64 - shift as u32);
        let bits = beats.get(word / 2).map_or(0, |beat| beat[word % 2] >> shift);
        number = number.with_chunk(place, bits & ((1 << part) - 1));
        place += part;
    }
    number
}
