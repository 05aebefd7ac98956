//! General cyclotomic rings Z\[x\]/Phi_m, m odd, which have no transform of their own. Paper 4 encrypts over
//! them.
//!
//! * [`Cyclotomic`]: Phi_m as a sparse list of terms, and the slots modulo 2 that m determines.
//! * [`Reduction`]: brings products back into the ring, by the paper's sparse blocks or by folding.
//! * [`search()`]: finds the rings of a wanted degree, with the weight of Phi_m, their slots and the cost of
//!   reduction.
//! * [`Batching`]: puts a bit in each slot modulo 2, by the idempotents of the Chinese remainder theorem.

mod batching;
mod binary;
mod reduction;
mod search;

pub use batching::Batching;
pub use reduction::{Coefficient, Reduction, Sparse};
pub use search::{Candidate, search};

use ringmill_arith::prime::prime_factors;

use crate::RingError;

/// The largest conductor that [`Cyclotomic`] accepts: 2^17.
pub const MAX_CONDUCTOR: u64 = 1 << 17;

/// The ring Z\[x\]/Phi_m for an odd m from 3 to 2^17. Elements are the coefficients of 1, x, ..., x^(n-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cyclotomic {
    m: u64,
    primes: Vec<u64>,
    terms: Vec<(usize, i32)>,
}

impl Cyclotomic {
    /// Makes the ring of conductor m.
    ///
    /// # Errors
    /// [`RingError::BadConductor`] unless m is odd, at least 3 and at most [`MAX_CONDUCTOR`].
    pub fn new(m: u64) -> Result<Self, RingError> {
        if !(3..=MAX_CONDUCTOR).contains(&m) || m.is_multiple_of(2) {
            return Err(RingError::BadConductor { m });
        }
        let primes = prime_factors(m);
        let spacing = (m / primes.iter().product::<u64>()) as usize;
        let terms = squarefree_terms(&primes)
            .into_iter()
            .map(|(exponent, coefficient)| (exponent * spacing, coefficient))
            .collect();
        Ok(Self { m, primes, terms })
    }

    /// The conductor m: the order of x.
    #[must_use]
    pub const fn m(&self) -> u64 {
        self.m
    }

    /// The dimension n = phi(m), the degree of Phi_m.
    #[must_use]
    pub fn n(&self) -> usize {
        totient(self.m, &self.primes) as usize
    }

    /// The terms of Phi_m as (exponent, coefficient), by ascending exponent. No coefficient is 0, and the
    /// last term is (n, 1).
    #[must_use]
    pub fn terms(&self) -> &[(usize, i32)] {
        &self.terms
    }

    /// The number of terms of Phi_m: its Hamming weight.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.terms.len()
    }

    /// The beta of paper 4, eq. 7: the largest number with Phi_m(x) = P(x^beta). It is m divided by the
    /// product of its primes.
    #[must_use]
    pub fn spacing(&self) -> usize {
        (self.m / self.primes.iter().product::<u64>()) as usize
    }

    /// The order of 2 modulo m: the degree of Phi_m's factors modulo 2.
    #[must_use]
    pub fn order_of_two(&self) -> usize {
        order_of_two(self.m)
    }

    /// The number of factors of Phi_m modulo 2. An element holds one bit in each.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.n() / self.order_of_two()
    }

    /// x^0 modulo Phi_m, from which [`Power::advance`] goes on to higher powers.
    #[must_use]
    pub fn unit(&self) -> Power<'_> {
        let mut coefficients = vec![0; self.n()];
        coefficients[0] = 1;
        Power {
            ring: self,
            coefficients,
        }
    }

    /// The exact bound of the reduced coefficients' magnitudes, given a bound for each of a polynomial's
    /// coefficients. For coefficient k it sums `bounds[i]` times the magnitude of coefficient k of x^i
    /// modulo Phi_m; the result is the largest of these sums. Each bound takes time n.
    #[must_use]
    pub fn bound(&self, bounds: &[f64]) -> f64 {
        let (mut sums, mut power) = (vec![0.0; self.n()], self.unit());
        for bound in bounds {
            for (sum, &x) in sums.iter_mut().zip(power.coefficients()) {
                *sum += bound * f64::from(x.abs());
            }
            power.advance();
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The distinct primes of m, in ascending order.
    pub(crate) fn primes(&self) -> &[u64] {
        &self.primes
    }
}

/// A power of x modulo Phi_m.
#[derive(Debug, Clone)]
pub struct Power<'a> {
    ring: &'a Cyclotomic,
    coefficients: Vec<i32>,
}

impl Power<'_> {
    /// The n coefficients of this power.
    #[must_use]
    pub fn coefficients(&self) -> &[i32] {
        &self.coefficients
    }

    /// Advances to the next power.
    pub fn advance(&mut self) {
        self.coefficients.rotate_right(1);
        let top = std::mem::take(&mut self.coefficients[0]);
        if top != 0 {
            for &(exponent, coefficient) in &self.ring.terms[..self.ring.weight() - 1] {
                self.coefficients[exponent] -= top * coefficient;
            }
        }
    }
}

fn totient(m: u64, primes: &[u64]) -> u64 {
    primes.iter().fold(m, |phi, p| phi / p * (p - 1))
}

fn order_of_two(m: u64) -> usize {
    let powers = std::iter::successors(Some(2 % m), |power| Some(power * 2 % m));
    1 + powers.take_while(|&power| power != 1).count()
}

/// The terms of Phi_d in ascending order, where d is the product of these primes (x - 1 if there are none).
///
/// Phi_d is the product of (1 - x^e)^mu(d/e) over the divisors e of d, up to a sign for d = 1. As a power
/// series up to the middle it takes one pass for each e; the other half is its mirror image. Coefficients of
/// the series in between may wrap; those of Phi_d do not.
fn squarefree_terms(primes: &[u64]) -> Vec<(usize, i32)> {
    if primes.is_empty() {
        return vec![(0, -1), (1, 1)];
    }
    let degree: u64 = primes.iter().map(|p| p - 1).product();
    let degree = degree as usize;
    let mut half = vec![0_i64; degree / 2 + 1];
    half[0] = 1;
    for subset in 0..1_u32 << primes.len() {
        let chosen = primes.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
        let e = chosen.map(|(_, &p)| p as usize).product();
        if (primes.len() as u32 - subset.count_ones()).is_multiple_of(2) {
            for i in (e..half.len()).rev() {
                half[i] = half[i].wrapping_sub(half[i - e]);
            }
        } else {
            for i in e..half.len() {
                half[i] = half[i].wrapping_add(half[i - e]);
            }
        }
    }
    (0..=degree)
        .map(|i| (i, half[i.min(degree - i)] as i32))
        .filter(|&(_, coefficient)| coefficient != 0)
        .collect()
}

#[cfg(test)]
mod tests;
