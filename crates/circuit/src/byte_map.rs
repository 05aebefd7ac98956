//! Linear maps of bytes.

use crate::field;

/// For each bit of a byte: the constant `d` such that `trace(d byte)` is that bit, the trace being the sum
/// of all conjugates. This is the basis dual to 1, 2, 4, ..., 128.
const DUAL_BASIS: [u8; 8] = [0x29, 0xb0, 0x58, 0x05, 0xa6, 0x53, 0xa4, 0x52];

/// A GF(2)-linear map from bytes to bytes. Every such map is a linearised polynomial `sum_j c_j x^(2^j)`
/// over GF(2^8) with eight coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteMap {
    images: [u8; 8],
}

impl ByteMap {
    /// The map that sends everything to 0.
    pub const ZERO: Self = Self::new([0; 8]);

    /// The identity.
    pub const IDENTITY: Self = Self::new([1, 2, 4, 8, 16, 32, 64, 128]);

    /// The map with these images of 1, 2, 4, ..., 128. They are the columns of its matrix over GF(2); bit 0
    /// of a byte is the first row.
    #[must_use]
    pub const fn new(images: [u8; 8]) -> Self {
        Self { images }
    }

    /// The linear map that agrees with a function on 1, 2, 4, ..., 128. If the function is linear, it is the
    /// function itself.
    #[must_use]
    pub fn of(function: impl Fn(u8) -> u8) -> Self {
        Self::new(std::array::from_fn(|bit| function(1 << bit)))
    }

    /// Multiplication by a constant of GF(2^8).
    #[must_use]
    pub fn multiple(factor: u8) -> Self {
        Self::of(|byte| field::multiply(byte, factor))
    }

    /// The map `x^(2^power)`.
    #[must_use]
    pub fn frobenius(power: u8) -> Self {
        Self::of(|byte| field::frobenius(byte, power))
    }

    /// Extracts bit `index` of a byte as 0 or 1. Bits from the eighth on are 0.
    #[must_use]
    pub fn bit(index: usize) -> Self {
        Self::new(std::array::from_fn(|bit| u8::from(bit == index)))
    }

    /// The map with these coefficients; that of `x^(2^j)` is at `j`.
    #[must_use]
    pub fn from_coefficients(coefficients: [u8; 8]) -> Self {
        Self::of(|byte| {
            let powers = (0..8).map(|power| field::frobenius(byte, power));
            let terms = coefficients.iter().zip(powers);
            terms.fold(0, |sum, (factor, power)| sum ^ field::multiply(*factor, power))
        })
    }

    /// The coefficients of the map as a linearised polynomial; that of `x^(2^j)` is at `j`.
    ///
    /// With the basis dual to the bits, bit `i` of `x` is `trace(d_i x)`, the sum of `(d_i x)^(2^j)`; so
    /// `c_j` is the sum of `image_i d_i^(2^j)`.
    #[must_use]
    pub fn coefficients(self) -> [u8; 8] {
        let mut coefficients = [0; 8];
        for (power, coefficient) in (0..).zip(&mut coefficients) {
            for (image, dual) in self.images.iter().zip(DUAL_BASIS) {
                *coefficient ^= field::multiply(*image, field::frobenius(dual, power));
            }
        }
        coefficients
    }

    /// The images of 1, 2, 4, ..., 128.
    #[must_use]
    pub const fn images(self) -> [u8; 8] {
        self.images
    }

    /// The image of a byte.
    #[must_use]
    pub fn apply(self, byte: u8) -> u8 {
        let mut sum = 0;
        for (bit, image) in self.images.iter().enumerate() {
            sum ^= image & (byte >> bit & 1).wrapping_neg();
        }
        sum
    }

    /// This map applied after another one: `self(first(x))`.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        Self::of(|byte| self.apply(first.apply(byte)))
    }

    /// The map whose image is the sum of both images.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::of(|byte| self.apply(byte) ^ other.apply(byte))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes the image by the definition of a matrix product, row by row.
    fn matrix_product(images: [u8; 8], byte: u8) -> u8 {
        let row = |row: u32| (0..8).fold(0, |sum, bit| sum ^ (images[bit] >> row & 1) & (byte >> bit & 1));
        (0..8).fold(0, |result, place| result | row(place) << place)
    }

    #[test]
    fn dual_basis_picks_bits() {
        let trace = |byte| (0..8).fold(0, |sum, power| sum ^ field::frobenius(byte, power));
        for byte in 0..=u8::MAX {
            for (bit, dual) in DUAL_BASIS.into_iter().enumerate() {
                assert_eq!(trace(field::multiply(dual, byte)), byte >> bit & 1);
            }
        }
    }

    proptest! {
        #[test]
        fn polynomials_agree_with_matrices(images: [u8; 8]) {
            let map = ByteMap::new(images);
            let coefficients = map.coefficients();
            for byte in 0..=u8::MAX {
                let expected = matrix_product(images, byte);
                prop_assert_eq!(map.apply(byte), expected);
                let powers = (0..8).map(|power| field::frobenius(byte, power));
                let terms = powers.zip(coefficients).map(|(power, factor)| field::multiply(power, factor));
                prop_assert_eq!(terms.fold(0, |sum, term| sum ^ term), expected);
            }
            prop_assert_eq!(ByteMap::from_coefficients(coefficients), map);
        }

        #[test]
        fn composition_and_sum(left: [u8; 8], right: [u8; 8]) {
            let (left, right) = (ByteMap::new(left), ByteMap::new(right));
            for byte in 0..=u8::MAX {
                prop_assert_eq!(left.after(right).apply(byte), left.apply(right.apply(byte)));
                prop_assert_eq!(left.plus(right).apply(byte), left.apply(byte) ^ right.apply(byte));
            }
        }
    }

    #[test]
    fn maps_with_names() {
        for byte in 0..=u8::MAX {
            assert_eq!(ByteMap::ZERO.apply(byte), 0);
            assert_eq!(ByteMap::IDENTITY.apply(byte), byte);
            for constant in 0..=u8::MAX {
                let product = field::multiply(byte, constant);
                assert_eq!(ByteMap::multiple(constant).apply(byte), product);
            }
            for index in 0..8 {
                assert_eq!(ByteMap::bit(index).apply(byte), byte >> index & 1);
                let power = u8::try_from(index).unwrap();
                assert_eq!(
                    ByteMap::frobenius(power).apply(byte),
                    field::frobenius(byte, power)
                );
            }
        }
        assert_eq!(ByteMap::bit(8), ByteMap::ZERO);
    }
}
