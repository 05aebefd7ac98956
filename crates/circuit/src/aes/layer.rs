//! The maps between the inversions of AES, in either direction.

use super::{BLOCK_BYTES, Block, COLUMN_BYTES};
use crate::{ByteMap, field};

/// The constant that the S-box adds after its linear map.
pub(super) const CONSTANT: u8 = 0x63;

/// The constant that the inverse S-box adds after its linear map: [`inverse_affine`] of [`CONSTANT`].
const INVERSE_CONSTANT: u8 = 0x05;

/// The linear part of the S-box after the inversion (FIPS 197, section 5.1.1).
pub(super) fn affine(byte: u8) -> u8 {
    (0..5).fold(0, |sum, count| sum ^ byte.rotate_left(count))
}

/// The inverse of [`affine`] (FIPS 197, section 5.3.2).
pub(super) fn inverse_affine(byte: u8) -> u8 {
    byte.rotate_left(1) ^ byte.rotate_left(3) ^ byte.rotate_left(6)
}

#[derive(Clone, Copy)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

/// A linear map of bytes and the constant added to its image.
pub(super) struct Affine {
    pub(super) map: ByteMap,
    pub(super) constant: u8,
}

impl Affine {
    fn new(map: ByteMap, constant: u8) -> Self {
        Self { map, constant }
    }

    /// The image squared.
    pub(super) fn squared(&self) -> Self {
        let square = ByteMap::frobenius(1);
        Self::new(square.after(self.map), square.apply(self.constant))
    }
}

impl Direction {
    /// The position from which ShiftRows or its inverse takes the byte at `target`.
    pub(super) fn shift_source(self, target: usize) -> usize {
        let row = target % COLUMN_BYTES;
        let back = match self {
            Self::Encrypt => row * COLUMN_BYTES,
            Self::Decrypt => BLOCK_BYTES - row * COLUMN_BYTES,
        };
        (target + back) % BLOCK_BYTES
    }

    /// Applies ShiftRows or its inverse.
    pub(super) fn shift(self, state: Block) -> Block {
        std::array::from_fn(|target| state[self.shift_source(target)])
    }

    /// The four terms of the byte at `target` in MixColumns or its inverse: the position of a byte, always
    /// of one column, and its factor.
    pub(super) fn mix_sources(self, target: usize) -> [(usize, u8); COLUMN_BYTES] {
        let factors = match self {
            Self::Encrypt => [2, 3, 1, 1],
            Self::Decrypt => [14, 11, 13, 9],
        };
        let (row, column) = (target % COLUMN_BYTES, target / COLUMN_BYTES);
        std::array::from_fn(|distance| {
            let source = (row + distance) % COLUMN_BYTES;
            (COLUMN_BYTES * column + source, factors[distance])
        })
    }

    /// Applies MixColumns or its inverse.
    pub(super) fn mix(self, state: Block) -> Block {
        std::array::from_fn(|target| {
            let terms = self.mix_sources(target).into_iter();
            terms.fold(0, |sum, (source, factor)| {
                sum ^ field::multiply(state[source], factor)
            })
        })
    }

    /// The map to the next inversion, without the round key, from the block or from a byte of the result of
    /// MixColumns or its inverse.
    pub(super) fn into_inversion(self) -> Affine {
        match self {
            Self::Encrypt => Affine::new(ByteMap::IDENTITY, 0),
            Self::Decrypt => Affine::new(ByteMap::of(inverse_affine), INVERSE_CONSTANT),
        }
    }

    /// The map from an inversion, without the round key, to the byte that MixColumns or its inverse takes,
    /// or to the block.
    pub(super) fn out_of_inversion(self) -> Affine {
        match self {
            Self::Encrypt => Affine::new(ByteMap::of(affine), CONSTANT),
            Self::Decrypt => Affine::new(ByteMap::IDENTITY, 0),
        }
    }

    /// The map from one inversion to the next, without the round key, through a term of MixColumns or its
    /// inverse with this factor. Because the factors add up to 1, the constant is that of all four terms.
    pub(super) fn between(self, factor: u8) -> Affine {
        let (before, after) = (self.out_of_inversion(), self.into_inversion());
        let map = after.map.after(ByteMap::multiple(factor)).after(before.map);
        Affine::new(map, after.map.apply(before.constant) ^ after.constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_inverse() {
        let state: Block = std::array::from_fn(|index| u8::try_from(15 * index + 3).unwrap());
        let (there, back) = (Direction::Encrypt, Direction::Decrypt);
        assert_eq!(back.shift(there.shift(state)), state);
        assert_eq!(back.mix(there.mix(state)), state);
        assert_eq!(inverse_affine(CONSTANT), INVERSE_CONSTANT);
        for byte in 0..=u8::MAX {
            assert_eq!(inverse_affine(affine(byte)), byte);
        }
    }

    #[test]
    fn mixing_as_published() {
        // FIPS 197, appendix B: the first column in round 1.
        let mut state = [0; 16];
        state[..4].copy_from_slice(&[0xd4, 0xbf, 0x5d, 0x30]);
        assert_eq!(Direction::Encrypt.mix(state)[..4], [0x04, 0x66, 0x81, 0xe5]);
    }

    #[test]
    fn factors_add_up_to_one() {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let factors = direction.mix_sources(0).map(|(_, factor)| factor);
            assert_eq!(factors.into_iter().fold(0, |sum, factor| sum ^ factor), 1);
        }
    }
}
