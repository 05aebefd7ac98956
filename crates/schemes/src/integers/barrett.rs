use num_bigint::BigUint;
use num_traits::One;

/// Reduction modulo a fixed number by two multiplications: paper 5, algorithm 2 (Barrett's with Dhem's parameters).
///
/// With m the modulus's bits, x < 2^(m + e), alpha = e + 1 and beta = -2:
///
/// ```text
/// sigma = floor(floor(x / 2^(m + beta)) c / 2^(alpha - beta)),     c = floor(2^(m + alpha) / modulus)
/// x / modulus - sigma < 1 + x / 2^(m + alpha) + 2^(m + beta) / modulus <= 1 + 1/2 + 1/2
/// ```
///
/// so that the floor of x / modulus is sigma or sigma + 1, and one subtraction is left. (The paper's alpha >= m
/// serves products of two residues, e = m; a sum of products by short factors has a small e, and with it short
/// multiplications.)
#[derive(Debug, Clone)]
pub struct Barrett {
    modulus: BigUint,
    bits: u64,
    alpha: u64,
    constant: BigUint,
}

const MINUS_BETA: u64 = 2;

/// Bits from which a reciprocal is found by Newton's iteration, not by division.
const DIVISION_BITS: u64 = 1 << 13;

impl Barrett {
    /// For numbers of at most `excess` bits more than the modulus, which must not be zero.
    #[must_use]
    pub fn new(modulus: &BigUint, excess: u64) -> Self {
        let alpha = excess + 1;
        Self {
            modulus: modulus.clone(),
            bits: modulus.bits(),
            alpha,
            constant: reciprocal(modulus, alpha),
        }
    }

    /// The modulus.
    #[must_use]
    pub const fn modulus(&self) -> &BigUint {
        &self.modulus
    }

    /// `x` modulo the modulus. Larger numbers than were promised take a division, which is slow.
    #[must_use]
    pub fn reduce(&self, x: &BigUint) -> BigUint {
        if x.bits() >= self.bits + self.alpha || self.bits <= MINUS_BETA {
            return x % &self.modulus;
        }
        let high = x >> (self.bits - MINUS_BETA);
        let quotient = (high * &self.constant) >> (self.alpha + MINUS_BETA);
        let rest = x - quotient * &self.modulus;
        if rest >= self.modulus {
            rest - &self.modulus
        } else {
            rest
        }
    }
}

/// floor(2^(m + bits) / d), m being the bits of d.
///
/// Newton's iteration doubles the correct bits of a reciprocal: with r of 2^(m + h) / d,
/// 2^(m + n) / d is near 2^(n - h) 2r - d r^2 / 2^(m + 2h - n). The last steps make it exact.
fn reciprocal(d: &BigUint, bits: u64) -> BigUint {
    let m = d.bits();
    if bits <= DIVISION_BITS {
        // Digits of d below the quotient's hardly count: the correction is of one or two.
        let cut = m.saturating_sub(bits + 64);
        let estimate = (BigUint::one() << (m - cut + bits)) / (d >> cut);
        return corrected(d, bits, estimate);
    }
    let cut = m.saturating_sub(bits + 64);
    let (top, m) = (d >> cut, m - cut);
    let half = bits / 2 + 32;
    let r = reciprocal(&top, half);
    let square = &r * &r * &top;
    let estimate = ((r << 1_u32) << (bits - half)) - (square >> (m + 2 * half - bits));
    corrected(d, bits, estimate)
}

/// The exact quotient from one that is wrong by little.
fn corrected(d: &BigUint, bits: u64, mut quotient: BigUint) -> BigUint {
    let target = BigUint::one() << (d.bits() + bits);
    let mut product = &quotient * d;
    while product > target {
        quotient -= 1_u32;
        product -= d;
    }
    while &target - &product >= *d {
        quotient += 1_u32;
        product += d;
    }
    quotient
}
