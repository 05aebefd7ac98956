use ringmill_arith::{Basis, Modulus};

use super::words::{low, subtract};
use super::{Constants, Shape, WORD};
use crate::RtlError;

/// A scaled coefficient in (-q/2, q/2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaled {
    /// Whether it is negative.
    pub negative: bool,
    /// The words of its magnitude, of 59 bits.
    pub words: Vec<u64>,
    /// Its residues modulo the primes of q.
    pub residues: Vec<u64>,
}

/// The golden model: the steps of the pipeline on its words.
#[derive(Debug, Clone)]
pub struct Model {
    shape: Shape,
    constants: Constants,
}

impl Model {
    /// Makes a pipeline for the primes of Q, those of q first.
    ///
    /// # Errors
    /// As [`Constants::new`].
    pub fn new(shape: Shape, basis: &Basis) -> Result<Self, RtlError> {
        Ok(Self {
            constants: Constants::new(shape, basis)?,
            shape,
        })
    }

    /// The shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The machine of this model: the module and its parameters.
    #[must_use]
    pub fn machine(&self) -> String {
        let (base, total, cores) = (self.shape.base(), self.shape.total(), self.shape.cores());
        format!("multiprecision Base={base} Total={total} Cores={cores}")
    }

    /// The tables.
    #[must_use]
    pub const fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Lifts a coefficient: from its residues modulo the l primes of q to those modulo the L - l others, of the
    /// number in (-q/2, q/2) that it stands for.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] and [`RtlError::OutOfRange`] unless there are l canonical residues.
    pub fn lift(&self, residues: &[u64]) -> Result<Vec<u64>, RtlError> {
        let (base, new) = self.constants.primes.split_at(self.shape.base());
        check(base, residues)?;
        let sum = sum_of_products(residues, &self.constants.lift_sums);
        let quotient = divide(
            &sum,
            &self.constants.lift_reciprocal,
            self.shape.lift_fraction(),
            1,
        );
        let rounded = quotient.first().copied().unwrap_or(0);
        let pieces = [rounded & ((1 << Shape::PRIME) - 1), rounded >> Shape::PRIME];
        let slots: Vec<u64> = residues.iter().copied().chain(pieces).collect();
        Ok((self.shape.base()..)
            .zip(new)
            .zip(&self.constants.lift_residues)
            .map(|((index, _), factors)| self.fold(inner_product(&slots, factors), index))
            .collect())
    }

    /// Scales a coefficient c in (-Q/2, Q/2), given by its residues modulo the L primes of Q: round(2 c / q), reduced
    /// modulo q into (-q/2, q/2).
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] and [`RtlError::OutOfRange`] unless there are L canonical residues.
    pub fn scale(&self, residues: &[u64]) -> Result<Scaled, RtlError> {
        let Constants {
            primes,
            scale_factors,
            scale_sums,
            scale_reciprocal,
            total_rows,
            base_rows,
            powers,
            ..
        } = &self.constants;
        check(primes, residues)?;
        let factors = residues.iter().zip(scale_factors).zip(primes);
        let scaled: Vec<u64> = factors
            .map(|((&x, &factor), prime)| prime.mul(x, factor))
            .collect();
        let (minus, magnitude) = centre(sum_of_products(&scaled, scale_sums), total_rows);
        let quotient = divide(
            &magnitude,
            scale_reciprocal,
            self.shape.scale_fraction(),
            self.shape.quotient_words(),
        );
        let (other_minus, words) = centre(self.barrett(&quotient), base_rows);
        let negative = minus != other_minus;
        let halves: Vec<u64> = words
            .iter()
            .flat_map(|&word| [word & ((1 << Shape::PRIME) - 1), word >> Shape::PRIME])
            .collect();
        let residues = (0..)
            .zip(powers)
            .zip(primes)
            .map(|((index, factors), prime)| {
                let residue = self.fold(inner_product(&halves, factors), index);
                if negative { prime.neg(residue) } else { residue }
            })
            .collect();
        Ok(Scaled {
            negative,
            words,
            residues,
        })
    }

    /// Reduces a sum of products of 30 bits modulo a prime (algorithm 6, lines 6 and 7).
    fn fold(&self, sum: u128, prime: usize) -> u64 {
        let folded = (sum & ((1 << 58) - 1)) + (sum >> 58) * u128::from(self.constants.folds[prime]);
        self.constants.primes[prime].reduce_wide(folded)
    }

    /// Less a multiple of q: below 3 q.
    fn barrett(&self, number: &[u64]) -> Vec<u64> {
        let from = self.shape.modulus_bits() - 4;
        let (first, bit) = ((from / WORD) as usize, from % WORD);
        let upper = |k: usize| u128::from(number.get(first + k).copied().unwrap_or(0));
        let top = ((upper(0) | upper(1) << WORD) >> bit) | (upper(2) << (2 * WORD - bit));
        let quotient = ((top as u64 as u128 * u128::from(self.constants.quotient)) >> 64) as u64;
        // The last row but one is q.
        let modulus = &self.constants.base_rows[1];
        let mut carry = 0;
        let multiple: Vec<u64> = modulus
            .iter()
            .map(|&word| {
                carry += u128::from(word) * u128::from(quotient);
                let word = low(carry);
                carry >>= WORD;
                word
            })
            .collect();
        let mut words = number.to_vec();
        words.resize(self.shape.modulus_words(), 0);
        subtract(&words, &multiple).0
    }
}

/// Refuses what is not a canonical residue for each prime.
pub(super) fn check(primes: &[Modulus], residues: &[u64]) -> Result<(), RtlError> {
    if residues.len() != primes.len() {
        return Err(RtlError::WrongLength {
            expected: primes.len(),
            got: residues.len(),
        });
    }
    let wrong = (0..)
        .zip(residues.iter().zip(primes))
        .find(|(_, (word, prime))| **word >= prime.value());
    wrong.map_or(Ok(()), |(index, (&word, prime))| {
        Err(RtlError::OutOfRange {
            modulus: prime.value(),
            index,
            word,
        })
    })
}

/// The words of the sum of residues times long constants (algorithm 4).
fn sum_of_products(residues: &[u64], constants: &[Vec<u64>]) -> Vec<u64> {
    let words = constants.first().map_or(0, Vec::len);
    let mut sum = 0;
    (0..words)
        .map(|k| {
            for (&residue, constant) in residues.iter().zip(constants) {
                sum += u128::from(residue) * u128::from(constant[k]);
            }
            let word = low(sum);
            sum >>= WORD;
            word
        })
        .collect()
}

/// The sum of products of 30 bits.
fn inner_product(lhs: &[u64], rhs: &[u64]) -> u128 {
    lhs.iter()
        .zip(rhs)
        .map(|(&x, &y)| u128::from(x) * u128::from(y))
        .sum()
}

/// Subtracts each multiple of the modulus where that leaves no borrow, and centres (algorithm 5): the sign, and the
/// magnitude.
fn centre(mut number: Vec<u64>, rows: &[Vec<u64>]) -> (bool, Vec<u64>) {
    let Some((half, multiples)) = rows.split_last() else {
        return (false, number);
    };
    for multiple in multiples {
        let (less, borrow) = subtract(&number, multiple);
        if !borrow {
            number = less;
        }
    }
    let negative = !subtract(&number, half).1;
    match multiples.last() {
        Some(modulus) if negative => (true, subtract(modulus, &number).0),
        _ => (false, number),
    }
}

/// The words of the product with a reciprocal, from the fraction's end on, rounded by the fraction's highest bit.
fn divide(number: &[u64], reciprocal: &[u64], fraction: usize, count: usize) -> Vec<u64> {
    let mut sum = 0;
    let mut words = Vec::with_capacity(count);
    for column in 0..2 * fraction + count {
        let first = (column + 1).saturating_sub(reciprocal.len());
        for i in first..number.len().min(column + 1) {
            sum += u128::from(number[i]) * u128::from(reciprocal[column - i]);
        }
        let word = low(sum);
        sum >>= WORD;
        if column >= 2 * fraction {
            words.push(word);
        } else if column + 1 == 2 * fraction {
            sum += u128::from(word >> (WORD - 1));
        }
    }
    words
}
