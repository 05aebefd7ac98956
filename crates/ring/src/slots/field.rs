/// Primitive polynomials over GF(2); bit i is the coefficient of y^i. Degree 16 serves d | 65535, degree 32
/// serves d with the factor 65537.
const PRIMITIVE_16: u64 = 0x1_100B;
const PRIMITIVE_32: u64 = 0x1_0040_0007;

/// The field polynomial of AES, x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2).
const AES: u64 = 0x11b;

/// The field GF(2^u) of a slot, with an element alpha of order d, AES's field inside it and a normal basis.
/// Only setup uses it.
pub(super) struct Field {
    pub(super) degree: u32,
    polynomial: u64,
    /// Bit i is Tr(y^i), which suffices because the trace is linear.
    traces: u64,
    /// 1, alpha, ..., alpha^(d-1).
    pub(super) powers: Vec<u64>,
    /// theta, the first power of y whose conjugates theta^(2^j) are a basis over GF(2).
    pub(super) normal: u64,
    /// delta, whose conjugates are the dual basis: Tr(delta^(2^j) theta^(2^k)) is 1 for j = k, else 0.
    pub(super) dual: u64,
    /// A root of AES's polynomial, the image of its x: the smallest power of y^((2^u-1)/255), an element of
    /// order 255, that is such a root.
    aes: u64,
}

impl Field {
    pub(super) fn new(d: u64) -> Self {
        let (degree, polynomial) = if d.is_multiple_of(65537) {
            (32, PRIMITIVE_32)
        } else {
            (16, PRIMITIVE_16)
        };
        let mut field = Self {
            degree,
            polynomial,
            traces: 0,
            powers: Vec::new(),
            normal: 1,
            dual: 1,
            aes: 1,
        };
        field.traces = (0..degree)
            .filter(|&i| field.conjugates(1 << i).fold(0, |sum, y| sum ^ y) == 1)
            .fold(0, |t, i| t | 1 << i);
        // y generates the field's group, whose order 2^u - 1 is a multiple of d and of 255.
        let order = (1u64 << degree) - 1;
        let alpha = field.power(2, order / d);
        field.powers = field.powers_of(alpha).take(d as usize).collect();
        // Every finite field has a normal basis, and GF(2^8) lies in this one, so the searches find both.
        let bases = field
            .powers_of(2)
            .find_map(|theta| Some((theta, field.dual_of(theta)?)));
        let roots = field
            .powers_of(field.power(2, order / 255))
            .take(255)
            .find(|&x| field.aes_polynomial(x) == 0);
        (field.normal, field.dual) = bases.unwrap_or((1, 1));
        field.aes = roots.unwrap_or(1);
        field
    }

    /// The element for which a byte of AES stands.
    pub(super) fn byte(&self, byte: u8) -> u64 {
        let terms = self.powers_of(self.aes).take(8).enumerate();
        terms.fold(0, |sum, (i, power)| sum ^ (power * u64::from(byte >> i & 1)))
    }

    /// The coordinates of an element of GF(2^8) with respect to theta, theta^2, ..., theta^128; they repeat
    /// with this period. Bit j is Tr(delta^(2^j) x).
    pub(super) fn coordinates(&self, x: u64) -> u8 {
        let duals = self.conjugates(self.dual).take(8).enumerate();
        duals.fold(0, |bits, (j, dual)| {
            bits | u8::from(self.trace(self.multiply(dual, x))) << j
        })
    }

    pub(super) fn multiply(&self, a: u64, b: u64) -> u64 {
        (0..self.degree).rev().fold(0, |product, i| {
            let doubled = product << 1;
            let reduced = doubled ^ (self.polynomial * (doubled >> self.degree & 1));
            reduced ^ (a * (b >> i & 1))
        })
    }

    pub(super) fn trace(&self, x: u64) -> bool {
        (x & self.traces).count_ones() % 2 == 1
    }

    fn power(&self, base: u64, exponent: u64) -> u64 {
        (0..u64::BITS).rev().fold(1, |power, i| {
            let square = self.multiply(power, power);
            if exponent >> i & 1 == 1 {
                self.multiply(square, base)
            } else {
                square
            }
        })
    }

    /// The endless sequence 1, x, x^2, ....
    fn powers_of(&self, x: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(Some(1), move |&y| Some(self.multiply(y, x)))
    }

    /// The u conjugates x, x^2, x^4, ....
    fn conjugates(&self, x: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(Some(x), |&y| Some(self.multiply(y, y))).take(self.degree as usize)
    }

    fn aes_polynomial(&self, x: u64) -> u64 {
        let terms = self.powers_of(x).take(9).enumerate();
        terms.fold(0, |sum, (i, power)| sum ^ (power * (AES >> i & 1)))
    }

    /// The element whose conjugates are dual to those of `theta`, if these are a basis. It solves Tr(delta
    /// theta^(2^j)) = 1 for j = 0, else 0, which is one linear system for the bits of delta.
    fn dual_of(&self, theta: u64) -> Option<u64> {
        let degree = self.degree;
        // Row j holds Tr(y^i theta^(2^j)) at bit i, and the right side at bit u.
        let row = |(j, conjugate): (u32, u64)| {
            let traces = (0..degree).map(|i| u64::from(self.trace(self.multiply(1 << i, conjugate))) << i);
            traces.fold(u64::from(j == 0) << degree, |row, bit| row | bit)
        };
        let mut rows: Vec<u64> = (0..degree).zip(self.conjugates(theta)).map(row).collect();
        for i in 0..degree as usize {
            let pivot = (i..rows.len()).find(|&j| rows[j] >> i & 1 == 1)?;
            rows.swap(i, pivot);
            let chosen = rows[i];
            for (j, row) in rows.iter_mut().enumerate() {
                if j != i && *row >> i & 1 == 1 {
                    *row ^= chosen;
                }
            }
        }
        Some(
            rows.iter()
                .enumerate()
                .fold(0, |delta, (i, row)| delta | (row >> degree) << i),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_normal_and_its_dual_dual() {
        for d in [65535, 65537] {
            let field = Field::new(d);
            for (j, delta) in field.conjugates(field.dual).enumerate() {
                for (k, theta) in field.conjugates(field.normal).enumerate() {
                    assert_eq!(field.trace(field.multiply(delta, theta)), j == k);
                }
            }
        }
    }

    #[test]
    fn bytes_multiply_as_in_aes_and_coordinates_give_them_back() {
        for d in [65535, 65537] {
            let field = Field::new(d);
            // FIPS 197, sections 4.2 and 4.2.1.
            for (a, b, product) in [(0x57, 0x83, 0xc1), (0x57, 0x13, 0xfe), (0x02, 0x80, 0x1b)] {
                assert_eq!(field.multiply(field.byte(a), field.byte(b)), field.byte(product));
            }
            for byte in 0..=255 {
                let bits = field.coordinates(field.byte(byte));
                let terms = field.conjugates(field.normal).enumerate();
                let sum = terms.fold(0, |sum, (j, theta)| {
                    sum ^ (theta * u64::from(bits >> (j % 8) & 1))
                });
                assert_eq!(sum, field.byte(byte));
            }
        }
    }
}
