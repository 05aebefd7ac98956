//! Four bits in a byte, whose products come back.
//!
//! `embed` is a GF(2)-linear map from four bits to GF(2^8), and [`reader`] one from bytes to four bits, such
//! that the product of two embedded nibbles reads as the AND of their bits: a reverse
//! multiplication-friendly embedding (Cascudo, Cramer, Xing and Yuan, "Amortized complexity of
//! information-theoretically secure MPC revisited", CRYPTO 2018) of four bits in degree 8. Sums of products
//! read as the sums of their bits, and an embedded nibble reads as itself. A product of products reads as
//! nothing: before it is multiplied again, a product has to be [`tidied`](tidy), which embeds anew the bits
//! that it reads as.
//!
//! The units are x, x^4, x^16 and x^64, one another's conjugates. So the map that tidies is short:
//! `w z + z^4 + z^8 + z^16 + w z^128`, where w is of order 3. Their sum is 1, so a bit embedded four
//! times is the byte 0 or 1.

use crate::{ByteMap, field};

/// The number of bits in a nibble.
pub const BITS: usize = 4;

/// The images of the four bits: x^(4^j).
const UNITS: [u8; BITS] = [0x02, 0x10, 0x5e, 0x4d];

/// An element of order 3 in GF(2^8).
const ROOT_OF_ORDER_3: u8 = 0xbd;

/// The element whose product with the first unit has the trace 1 in GF(4), and with the others 0.
const DUAL_UNIT: u8 = 0x0e;

/// The byte that stands for the four low bits of a nibble. The time that this takes does not depend on
/// them.
#[must_use]
pub const fn embed(nibble: u8) -> u8 {
    let mut sum = 0;
    let mut bit = 0;
    while bit < BITS {
        sum ^= UNITS[bit] & (nibble >> bit & 1).wrapping_neg();
        bit += 1;
    }
    sum
}

/// The map from a byte, an embedded nibble or a sum of products of two, to the nibble that it reads as.
#[must_use]
pub fn reader() -> ByteMap {
    let tidy = tidy();
    ByteMap::of(|byte| {
        let embedded = tidy.apply(byte);
        let nibbles = 0..1 << BITS;
        // Tidied bytes are embedded nibbles.
        nibbles.fold(
            0,
            |found, nibble| {
                if embed(nibble) == embedded { nibble } else { found }
            },
        )
    })
}

/// A map from embedded nibbles to a bit of each, 0 or 1. It has half the terms of [`reader`], and gives other bytes for
/// bytes that are no embedded nibbles.
#[must_use]
pub fn bit(place: usize) -> ByteMap {
    // The trace to GF(4) of the product with a dual unit.
    let dual = field::frobenius(DUAL_UNIT, (2 * place % 8) as u8);
    let powers = std::array::from_fn(|power| match power % 2 {
        0 => field::frobenius(dual, power as u8),
        _ => 0,
    });
    ByteMap::from_coefficients(powers)
}

/// The map from a byte to the embedded nibble that reads the same.
#[must_use]
pub fn tidy() -> ByteMap {
    let w = ROOT_OF_ORDER_3;
    ByteMap::from_coefficients([w, 0, 1, 1, 1, 0, 0, w])
}

/// The map that moves the bits of embedded nibbles, and of what reads as nibbles, up so many places, the last ones to the
/// first: the units are one another's fourth powers.
#[must_use]
pub fn rotate(places: u8) -> ByteMap {
    ByteMap::frobenius(2 * places)
}

/// Whether a map tidies, and perhaps rotates the bits.
#[must_use]
pub fn is_tidying(map: ByteMap) -> bool {
    (0..BITS as u8).any(|places| map == rotate(places).after(tidy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_read_as_ands_and_sums_as_sums() {
        let reader = reader();
        for a in 0..16 {
            assert_eq!(reader.apply(embed(a)), a);
            for b in 0..16 {
                let product = field::multiply(embed(a), embed(b));
                assert_eq!(reader.apply(product), a & b);
                for c in 0..16 {
                    assert_eq!(reader.apply(product ^ embed(c)), a & b ^ c);
                }
            }
        }
    }

    #[test]
    fn bits_of_embedded_nibbles_take_four_terms() {
        for place in 0..BITS {
            let bit = bit(place);
            assert_eq!(
                bit.coefficients().iter().filter(|factor| **factor != 0).count(),
                4
            );
            for nibble in 0..16 {
                assert_eq!(bit.apply(embed(nibble)), nibble >> place & 1);
            }
        }
    }

    #[test]
    fn fourth_powers_rotate_bits() {
        let reader = reader();
        for (a, b) in (0..=u8::MAX).flat_map(|nibbles| [(nibbles & 15, nibbles >> 4)]) {
            for places in 0..4 {
                let rotated = |nibble: u8| (nibble << places | nibble >> (4 - places)) & 15;
                let rotate = rotate(places);
                assert_eq!(rotate.apply(embed(a)), embed(rotated(a)));
                let product = field::multiply(embed(a), embed(b));
                assert_eq!(reader.apply(rotate.apply(product)), rotated(a & b));
                assert!(is_tidying(rotate.after(tidy())) && !is_tidying(rotate));
            }
        }
    }

    #[test]
    fn tidied_bytes_are_embedded_nibbles() {
        let (reader, tidy) = (reader(), tidy());
        for byte in 0..=u8::MAX {
            assert_eq!(tidy.apply(byte), embed(reader.apply(byte)));
        }
    }

    #[test]
    fn products_must_be_tidied_before_they_are_multiplied() {
        let reader = reader();
        let thrice = |a: u8, b: u8, c: u8| {
            let product = field::multiply(field::multiply(embed(a), embed(b)), embed(c));
            reader.apply(product) == a & b & c
        };
        assert!(!(0..16).all(|a| (0..16).all(|b| (0..16).all(|c| thrice(a, b, c)))));
    }

    #[test]
    fn a_bit_four_times_is_a_bit() {
        assert_eq!([embed(0), embed(15)], [0, 1]);
        assert_eq!(
            field::multiply(ROOT_OF_ORDER_3, field::multiply(ROOT_OF_ORDER_3, ROOT_OF_ORDER_3)),
            1
        );
        for (unit, next) in UNITS.into_iter().zip(UNITS.into_iter().cycle().skip(1)) {
            assert_eq!(field::frobenius(unit, 2), next);
        }
    }
}
