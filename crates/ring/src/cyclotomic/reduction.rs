use ringmill_arith::prime::prime_factors;

use super::{Cyclotomic, squarefree_terms, totient};
use crate::RingError;

/// A coefficient, or one word of a coefficient, that reductions add and subtract. Integers wrap;
/// [`Cyclotomic::bound`] tells the caller whether the results fit.
pub trait Coefficient: Copy {
    /// Returns self + factor * other, for the small factors that cyclotomic polynomials have.
    #[must_use]
    fn add_times(self, factor: i32, other: Self) -> Self;
    /// Returns self - other.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Returns self + other.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

macro_rules! wrapping_coefficient {
    ($($integer:ty),*) => {$(
        impl Coefficient for $integer {
            #[inline(always)]
            fn add_times(self, factor: i32, other: Self) -> Self {
                self.wrapping_add(other.wrapping_mul(factor as $integer))
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )*};
}

wrapping_coefficient!(i32, i64);

/// Integers below 2^53 in magnitude, exact.
impl Coefficient for f64 {
    #[inline(always)]
    fn add_times(self, factor: i32, other: Self) -> Self {
        self + f64::from(factor) * other
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// A monic multiple of Phi_m by which a reduction divides: Phi_d(x^(m/d)) for a divisor d of m.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sparse {
    /// The divisor d, a product of distinct primes. The divisor 1 stands for x^m - 1, and the product of all
    /// primes of m for Phi_m itself.
    pub divisor: u64,
    /// The degree of the multiple.
    pub degree: usize,
    /// The terms below the leading one as (exponent, coefficient), ascending.
    pub terms: Vec<(usize, i32)>,
}

impl Sparse {
    fn new(m: u64, divisor: u64) -> Self {
        let primes = match divisor {
            1 => Vec::new(),
            _ => prime_factors(divisor),
        };
        let spacing = (m / divisor) as usize;
        let mut terms = squarefree_terms(&primes);
        terms.pop();
        for (exponent, _) in &mut terms {
            *exponent *= spacing;
        }
        Self {
            divisor,
            degree: totient(divisor, &primes) as usize * spacing,
            terms,
        }
    }

    /// The distance from the leading term to the next one. A reduction can treat this many coefficients at
    /// once, because none of them changes another.
    fn gap(&self) -> usize {
        self.degree - self.terms.last().map_or(0, |&(exponent, _)| exponent)
    }

    /// The number of additions that bring `len` coefficients below the degree.
    fn additions(&self, len: usize) -> usize {
        len.saturating_sub(self.degree) * self.terms.len()
    }
}

/// A way to bring a product of two elements, 2n - 1 coefficients, below the degree of Phi_m: it divides by
/// one or more sparse multiples of Phi_m, of falling degree, the last of which is Phi_m itself. It only adds
/// and subtracts coefficients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    n: usize,
    steps: Vec<Sparse>,
}

impl Reduction {
    /// Paper 4's sparse block method (sec. 3.2.3, eq. 7-10): divides by Phi_m alone, in blocks of at least
    /// [`Cyclotomic::spacing`] coefficients.
    #[must_use]
    pub fn blocks(ring: &Cyclotomic) -> Self {
        Self {
            n: ring.n(),
            steps: vec![Sparse::new(ring.m(), ring.primes().iter().product())],
        }
    }

    /// The folding method: divides first by x^m - 1 or another sparse multiple of Phi_m, then by sparser
    /// ones of lower degree. It takes the sequence with the fewest additions and is never worse than
    /// [`Reduction::blocks`].
    #[must_use]
    pub fn folding(ring: &Cyclotomic) -> Self {
        let length = 2 * ring.n() - 1;
        let primes = ring.primes();
        let mut multiples: Vec<Sparse> = (0..1_u32 << primes.len())
            .map(|subset| {
                let chosen = primes.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
                Sparse::new(ring.m(), chosen.map(|(_, p)| p).product())
            })
            .filter(|multiple| multiple.degree < length)
            .collect();
        multiples.sort_by_key(|multiple| std::cmp::Reverse(multiple.degree));
        let steps = cheapest(&multiples, length);
        Self {
            n: ring.n(),
            steps: steps.into_iter().map(|step| multiples[step].clone()).collect(),
        }
    }

    /// The polynomials by which this reduction divides, in order.
    #[must_use]
    pub fn steps(&self) -> &[Sparse] {
        &self.steps
    }

    /// The number of additions and subtractions of coefficients in one reduction of 2n - 1 coefficients.
    #[must_use]
    pub fn additions(&self) -> usize {
        let mut len = 2 * self.n - 1;
        let mut sum = 0;
        for step in &self.steps {
            sum += step.additions(len);
            len = len.min(step.degree);
        }
        sum
    }

    /// A bound of the magnitudes of the reduced coefficients and of all intermediate ones, given a bound for
    /// each of the product's coefficients. Integers may wrap in between; for them [`Cyclotomic::bound`] is
    /// lower.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are 2n - 1 bounds.
    pub fn growth(&self, bounds: &[f64]) -> Result<f64, RingError> {
        let mut bounds = bounds.to_vec();
        self.check(&bounds, 1)?;
        let mut len = bounds.len();
        let mut largest = bounds.iter().copied().fold(0.0, f64::max);
        for step in &self.steps {
            for top in (step.degree..len).rev() {
                let bound = bounds[top];
                for &(exponent, coefficient) in &step.terms {
                    bounds[top - step.degree + exponent] += f64::from(coefficient.abs()) * bound;
                }
            }
            len = len.min(step.degree);
            largest = bounds.iter().copied().fold(largest, f64::max);
        }
        Ok(largest)
    }

    /// Reduces 2n - 1 coefficients of `words` words each, in place. The first n are the result; the content
    /// of the others is unspecified. Words do not mix, so a coefficient may be a number in pieces or several
    /// numbers.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are (2n - 1) `words` words.
    #[inline(always)]
    pub fn apply<T: Coefficient>(&self, data: &mut [T], words: usize) -> Result<(), RingError> {
        self.check(data, words)?;
        let mut len = 2 * self.n - 1;
        for step in &self.steps {
            divide(step, data, len, words);
            len = len.min(step.degree);
        }
        Ok(())
    }

    fn check<T>(&self, data: &[T], words: usize) -> Result<(), RingError> {
        let expected = (2 * self.n - 1) * words;
        if data.len() == expected {
            return Ok(());
        }
        Err(RingError::WrongLength {
            expected,
            got: data.len(),
        })
    }
}

/// Brings the first `len` coefficients below the degree of `step`. The quotient takes their place (eq. 10a),
/// from the top in blocks as long as the gap, within which no coefficient changes another. Then each term
/// subtracts the whole quotient from the coefficients below (10b).
#[inline(always)]
fn divide<T: Coefficient>(step: &Sparse, data: &mut [T], len: usize, words: usize) {
    let degree = step.degree;
    let mut end = len;
    while end > degree + step.gap() {
        let start = end - step.gap();
        let (low, block) = data[..end * words].split_at_mut(start * words);
        for &(exponent, coefficient) in step.terms.iter().rev() {
            let (first, last) = (start - degree + exponent, end - degree + exponent);
            if last <= degree {
                break;
            }
            let skipped = degree.saturating_sub(first);
            let to = &mut low[(first + skipped) * words..last * words];
            subtract(to, coefficient, &block[skipped * words..]);
        }
        end = start;
    }
    let (low, quotient) = data[..len.max(degree) * words].split_at_mut(degree * words);
    for &(exponent, coefficient) in &step.terms {
        let last = low.len().min(exponent * words + quotient.len());
        subtract(&mut low[exponent * words..last], coefficient, quotient);
    }
}

/// Subtracts a multiple. It uses loops rather than closures, because these are inlined into a kernel's
/// instructions.
#[inline(always)]
fn subtract<T: Coefficient>(to: &mut [T], coefficient: i32, from: &[T]) {
    match coefficient {
        1 => {
            for (x, &y) in to.iter_mut().zip(from) {
                *x = x.minus(y);
            }
        }
        -1 => {
            for (x, &y) in to.iter_mut().zip(from) {
                *x = x.plus(y);
            }
        }
        _ => {
            for (x, &y) in to.iter_mut().zip(from) {
                *x = x.add_times(-coefficient, y);
            }
        }
    }
}

/// The indices of the multiples that reduce `length` coefficients with the fewest additions. The multiples
/// come by falling degree, and the last is Phi_m.
fn cheapest(multiples: &[Sparse], length: usize) -> Vec<usize> {
    // For each multiple: the fewest additions to get below its degree, and the divisor before it.
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(multiples.len());
    for multiple in multiples {
        let direct = (multiple.additions(length), None);
        let later = best
            .iter()
            .zip(multiples)
            .enumerate()
            .map(|(i, (&(cost, _), before))| (cost + multiple.additions(before.degree), Some(i)));
        best.push(later.fold(direct, |a, b| if b.0 < a.0 { b } else { a }));
    }
    let last = multiples.len() - 1;
    let mut steps: Vec<usize> = std::iter::successors(Some(last), |&i| best[i].1).collect();
    steps.reverse();
    steps
}
