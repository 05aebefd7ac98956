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

use crate::ByteMap;

/// The number of bits in a nibble.
pub const BITS: usize = 4;

/// The images of the four bits: x^(4^j).
const UNITS: [u8; BITS] = [0x02, 0x10, 0x5e, 0x4d];

/// An element of order 3 in GF(2^8).
const ROOT_OF_ORDER_3: u8 = 0xbd;

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

/// The map from a byte to the embedded nibble that reads the same.
#[must_use]
pub fn tidy() -> ByteMap {
    let w = ROOT_OF_ORDER_3;
    ByteMap::from_coefficients([w, 0, 1, 1, 1, 0, 0, w])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field;

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
