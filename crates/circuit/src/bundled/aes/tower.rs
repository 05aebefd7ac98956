//! GF(2^8) as a tower of quadratic extensions.
//!
//! GF(4) is `GF(2)[w] / (w^2 + w + 1)`, GF(16) is `GF(4)[z] / (z^2 + z + w)`, and GF(256) is
//! `GF(16)[y] / (y^2 + y + c)` for a constant `c`. In each field the low half of the bits is the constant
//! term.

use super::linear::ByteMap;

/// A tower, and maps between it and the bytes of AES.
pub(super) struct Tower {
    /// The constant of the last extension.
    constant: u8,
    /// The map from polynomials modulo `x^8 + x^4 + x^3 + x + 1` to the tower.
    pub(super) enter: ByteMap,
    /// The map back.
    pub(super) leave: ByteMap,
}

impl Tower {
    /// Chooses, among all constants and all isomorphisms, those with the lightest maps.
    pub(super) fn cheapest() -> Self {
        let constants = (1..16_u8).filter(|constant| is_irreducible(*constant));
        let towers = constants.flat_map(|constant| {
            let roots = (0..=u8::MAX).filter(move |root| is_root(*root, constant));
            roots.map(move |root| Self::with_root(constant, root))
        });
        let cheapest = towers.min_by_key(|tower| tower.enter.weight() + tower.leave.weight());
        // There are always towers to choose from, so this one never arises.
        cheapest.unwrap_or_else(|| Self::with_root(0, 0))
    }

    /// Makes the tower whose isomorphism sends `x` to `root`.
    fn with_root(constant: u8, root: u8) -> Self {
        let power = |bit: u8| (0..bit.trailing_zeros()).fold(1, |power, _| multiply(power, root, constant));
        let enter = ByteMap::new(power);
        let leave = enter.inverse();
        Self {
            constant,
            enter,
            leave,
        }
    }

    /// The part of the norm of `a y + b` that is linear over GF(2), `c a^2 + b^2`; the remaining part is
    /// `a b`.
    pub(super) fn norm_squares(&self) -> ByteMap {
        ByteMap::new(|element| {
            let (a, b) = (element >> 4, element & 15);
            multiply16(multiply16(a, a), self.constant) ^ multiply16(b, b)
        })
    }
}

/// Whether `y^2 + y + c` has no root.
fn is_irreducible(constant: u8) -> bool {
    (0..16).all(|root| multiply16(root, root) ^ root != constant)
}

/// Whether an element is a root of AES's polynomial.
fn is_root(element: u8, constant: u8) -> bool {
    let power = |exponent: u32| (0..exponent).fold(1, |power, _| multiply(power, element, constant));
    [8, 4, 3, 1, 0]
        .into_iter()
        .fold(0, |sum, exponent| sum ^ power(exponent))
        == 0
}

/// The product in GF(256).
fn multiply(left: u8, right: u8, constant: u8) -> u8 {
    let (a, b, c, d) = (left >> 4, left & 15, right >> 4, right & 15);
    let high = multiply16(a, c);
    let low = multiply16(b, d) ^ multiply16(high, constant);
    let middle = multiply16(a, d) ^ multiply16(b, c) ^ high;
    middle << 4 | low
}

/// The product in GF(16).
fn multiply16(left: u8, right: u8) -> u8 {
    let (a, b, c, d) = (left >> 2, left & 3, right >> 2, right & 3);
    let high = multiply4(a, c);
    let low = multiply4(b, d) ^ multiply4(high, 2);
    let middle = multiply4(a, d) ^ multiply4(b, c) ^ high;
    middle << 2 | low
}

/// The product in GF(4).
fn multiply4(left: u8, right: u8) -> u8 {
    let (a, b, c, d) = (left >> 1, left & 1, right >> 1, right & 1);
    let high = a & c;
    let low = b & d ^ high;
    let middle = a & d ^ b & c ^ high;
    middle << 1 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maps_are_isomorphisms() {
        let tower = Tower::cheapest();
        // The product modulo AES's polynomial, by shifting and adding.
        let product = |left: u8, right: u8| {
            (0..8).rev().fold(0_u8, |sum, bit| {
                let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
                doubled ^ if right >> bit & 1 == 1 { left } else { 0 }
            })
        };
        for left in 0..=u8::MAX {
            assert_eq!(tower.leave.apply(tower.enter.apply(left)), left);
            for right in 0..=u8::MAX {
                let (x, y) = (tower.enter.apply(left), tower.enter.apply(right));
                assert_eq!(
                    multiply(x, y, tower.constant),
                    tower.enter.apply(product(left, right))
                );
            }
        }
    }
}
