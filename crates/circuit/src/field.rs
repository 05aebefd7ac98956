//! The field GF(2^8) on bytes, as in AES.
//!
//! Bit `i` of a byte is the coefficient of `x^i`, modulo `x^8 + x^4 + x^3 + x + 1` (FIPS 197, section 4).
//! The sum of two bytes is their XOR. Nothing here looks up a table or branches on a value, so the time that
//! a function takes does not depend on secret bytes.

/// The reduction polynomial, without `x^8`.
const POLYNOMIAL: u8 = 0x1b;

/// The product of two bytes.
#[must_use]
pub const fn multiply(left: u8, right: u8) -> u8 {
    let (mut product, mut shifted, mut bit) = (0, left, 0);
    while bit < 8 {
        product ^= shifted & (right >> bit & 1).wrapping_neg();
        shifted = shifted << 1 ^ POLYNOMIAL & (shifted >> 7).wrapping_neg();
        bit += 1;
    }
    product
}

/// Computes `byte^(2^power)`. The eighth power is the identity again.
#[must_use]
pub const fn frobenius(byte: u8, power: u8) -> u8 {
    let (mut result, mut done) = (byte, 0);
    while done < power % 8 {
        result = multiply(result, result);
        done += 1;
    }
    result
}

/// Computes `byte^254`: the inverse, and 0 for 0. It goes through `x^3`, `x^12`, `x^14` and `x^15`, and
/// takes four products besides squares.
#[must_use]
pub const fn inverse(byte: u8) -> u8 {
    let square = frobenius(byte, 1);
    let power_3 = multiply(byte, square);
    let power_12 = frobenius(power_3, 2);
    let power_14 = multiply(power_12, square);
    let power_15 = multiply(power_12, power_3);
    multiply(frobenius(power_15, 4), power_14)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schoolbook product of polynomials, followed by long division by the field's polynomial.
    fn slow_product(left: u8, right: u8) -> u8 {
        let shifted = (0..8).filter(|bit| right >> bit & 1 == 1);
        let product = shifted.fold(0_u32, |sum, bit| sum ^ u32::from(left) << bit);
        let reduced = (8..16).rev().fold(product, |rest, bit| match rest >> bit & 1 {
            1 => rest ^ 0x11b << (bit - 8),
            _ => rest,
        });
        u8::try_from(reduced).unwrap()
    }

    fn power(byte: u8, exponent: u32) -> u8 {
        (0..exponent).fold(1, |product, _| slow_product(product, byte))
    }

    #[test]
    fn products_are_those_of_polynomials() {
        for left in 0..=u8::MAX {
            for right in 0..=u8::MAX {
                assert_eq!(multiply(left, right), slow_product(left, right));
            }
        }
    }

    #[test]
    fn products_of_the_standard() {
        // FIPS 197, section 4.2.
        assert_eq!(multiply(0x57, 0x83), 0xc1);
        assert_eq!(multiply(0x57, 0x13), 0xfe);
    }

    #[test]
    fn powers_of_every_byte() {
        for byte in 0..=u8::MAX {
            for j in 0..16 {
                assert_eq!(frobenius(byte, j), power(byte, 1 << (j % 8)));
            }
            assert_eq!(inverse(byte), power(byte, 254));
            assert_eq!(multiply(byte, inverse(byte)), u8::from(byte != 0));
        }
    }
}
