use num_bigint::BigUint;
use num_traits::{Float, One, ToPrimitive, Zero};

use super::Stream;
use crate::lanes::{Halves, Lanes};
use crate::secret::Secret;
use crate::{ArithError, Simd, WithSimd};

/// Fractional bits of the fixed-point numbers from which the table is computed.
const PRECISION: u32 = 256;

/// Samples drawn at once: 1 KiB of randomness.
const BLOCK: usize = 256;

/// Vectors scanned together: each entry of the table is read once for all of them, and they stay in
/// registers.
const GROUP: usize = 4;

/// The discrete Gaussian distribution over the integers, centred at 0, sampled in constant time.
///
/// The probability of x is proportional to exp(-x^2 / (2 sigma^2)). Each |x| owns a number m(|x|) of the
/// 2^63 values of a uniform word, its probability to 63 bits, and the whole table is scanned for every
/// sample: no branch, index or address depends on a sample, except as told below.
///
/// # Two tables
/// 31 bits nearly always decide, and twice as many lanes compare them as would compare 63. So the values
/// are dealt out in two parts. Of the 2^31 upper halves ("prefixes"), |x| owns floor(m(|x|) / 2^32), in
/// order of |x|; for these the lower half does not matter and is not drawn. The few prefixes that remain,
/// R and above, are undecided: there the lower halves are drawn, and |x| owns m(|x|) mod 2^32 words, in
/// order again. Together that is m(|x|): the distribution is that of one table of 63 bits, to the last bit.
///
/// # Specification
/// A block of up to 256 samples draws as many half words (one more for an odd number), the lower half of
/// a word of the stream before the upper one. Sample i has the sign of the lowest bit of half word i, and
/// the prefix of the other 31. If some prefix of the block is undecided, the block draws as many half words
/// again, the lower halves of the samples, used or not. Two calls give what one call on the joined output
/// gives, if they are cut at a multiple of 256.
///
/// # What the running time reveals
/// The running time reveals whether some prefix of a block was undecided. This happens to one block in 760000 for
/// sigma = 3.2 and to one in 40000 for 64, whatever the samples of other blocks are. It does not reveal which of the 256
/// samples it was. Decided samples are independent of the event. An undecided one, given the event, is spread about
/// evenly over the values that own words there, and harder to guess than before. So the event reveals nothing of use.
///
/// # Distance from the ideal
/// The sum of m up to k is 2^63 P(|x| <= k) rounded to nearest, from sums exact to 2^-200: an error of
/// 2^-64 at most. It ends where that rounding gives 1, so a tail of mass at most 2^-64 is cut. The
/// statistical distance of a sample from the ideal is therefore at most ([`Gaussian::max`] + 1) 2^-64:
/// below 2^-59 for sigma = 3.2 (|x| <= 29, 9.1 sigma), 2^-56 for 19.4, 2^-54 for 64. For 2^18 coefficients
/// of sigma = 3.2, below 2^-41.
///
/// # Cost
/// Half a word of randomness and about 6.2 sigma comparisons of 32 bits a sample. On one core with AVX2
/// (EPYC), 1024 samples take 2.5 microseconds for sigma = 3.2, most of it the randomness.
#[derive(Debug, Clone)]
pub struct Gaussian {
    /// Where the prefixes of each |x| but the largest end, less one, because the comparison that vector
    /// instructions have is "greater". An |x| so rare that neither it nor a larger one owns a prefix has
    /// no entry.
    prefixes: Vec<i32>,
    /// The last decided prefix, R - 1.
    decided: i32,
    /// Where the words of each |x| but the largest end among the undecided ones.
    rest: Vec<i64>,
    sigma: f64,
    variance: f64,
    kernel: Simd,
}

impl Gaussian {
    /// The distribution of standard deviation parameter `sigma`, from 0.5 to 64, sampled with the kernel
    /// of the environment. (The deviation itself is less than the parameter below about 1: see
    /// [`Gaussian::variance`].)
    ///
    /// # Errors
    /// [`ArithError::BadDeviation`] for any other number; [`ArithError::KernelUnavailable`] as for
    /// [`Simd::from_environment`].
    pub fn new(sigma: f64) -> Result<Self, ArithError> {
        Self::with_kernel(sigma, Simd::from_environment()?)
    }

    /// The same as [`Gaussian::new`], with the given kernel. All kernels give the same bits.
    ///
    /// # Errors
    /// [`ArithError::BadDeviation`] as for [`Gaussian::new`].
    pub fn with_kernel(sigma: f64, kernel: Simd) -> Result<Self, ArithError> {
        if !(0.5..=64.0).contains(&sigma) {
            return Err(ArithError::BadDeviation(sigma.to_string()));
        }
        let table = cumulative(sigma);
        let (prefixes, decided, rest) = deal(&table);
        Ok(Self {
            prefixes,
            decided,
            rest,
            sigma,
            variance: variance(&table),
            kernel,
        })
    }

    /// The parameter.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The largest absolute value that can be sampled.
    #[must_use]
    pub fn max(&self) -> i32 {
        self.rest.len() as i32
    }

    /// The variance of the sampled distribution, from the table.
    #[must_use]
    pub const fn variance(&self) -> f64 {
        self.variance
    }

    /// Fills `out` with independent samples, as specified above.
    ///
    /// The function wipes the randomness, but not copies of it in registers and on the stack.
    pub fn sample(&self, stream: &mut Stream, out: &mut [i32]) {
        let mut buffer = Secret::new([0; BLOCK]);
        let halves = buffer.array_mut();
        for block in out.chunks_mut(BLOCK) {
            // Whole words.
            let drawn = block.len().next_multiple_of(2);
            stream.fill_halves(&mut halves[..drawn]);
            // What is no sample's must not look undecided.
            halves[block.len()..].fill(0);
            let decided = self.kernel.run(Scan {
                ends: &self.prefixes,
                decided: self.decided,
                halves,
                out: block,
            });
            if !decided {
                self.settle(stream, halves, block);
            }
        }
    }

    /// Draws the lower halves of a block and replaces its samples with undecided prefixes. Every sample
    /// takes the same steps, decided or not.
    #[cold]
    fn settle(&self, stream: &mut Stream, uppers: &[u32; BLOCK], out: &mut [i32]) {
        let mut lowers = Secret::new([0; BLOCK]);
        stream.fill_halves(&mut lowers[..out.len().next_multiple_of(2)]);
        for ((x, &upper), &lower) in out.iter_mut().zip(uppers).zip(&*lowers) {
            let prefix = (upper >> 1) as i32;
            let word = i64::from(prefix) << 32 | i64::from(lower);
            let size: i32 = self.rest.iter().map(|&end| i32::from(word >= end)).sum();
            let sign = -((upper & 1) as i32);
            let undecided = -i32::from(prefix > self.decided);
            *x ^= (*x ^ ((size ^ sign) - sign)) & undecided;
        }
    }
}

/// Maps half words to samples and returns whether the prefixes decided them all.
struct Scan<'a> {
    ends: &'a [i32],
    decided: i32,
    halves: &'a [u32; BLOCK],
    /// At most a block.
    out: &'a mut [i32],
}

impl WithSimd for Scan<'_> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> bool {
        let group = GROUP * L::Halves::WIDTH;
        let (whole, part) = (self.out.len() / group * group, self.out.len() % group);
        assert!(self.out.len() <= self.halves.len(), "more samples than a block");
        // SAFETY: the caller saw the kernel's instructions. A group begins at a multiple of its size
        // below the length of `out`, and a block is a multiple of every group: so a group's half words
        // lie within the block, and the samples of a whole group within `out`; those of a last
        // unfinished one go to an array of the largest size.
        unsafe {
            let mut above = L::Halves::splat(0);
            for start in (0..whole).step_by(group) {
                let to = self.out.as_mut_ptr().add(start).cast();
                above = above.or(self.scan::<L::Halves>(start, to));
            }
            if part > 0 {
                let mut last = Secret::new([0_u32; GROUP * 16]);
                above = above.or(self.scan::<L::Halves>(whole, last.as_mut_ptr()));
                for (x, &sample) in self.out[whole..].iter_mut().zip(&*last) {
                    *x = sample as i32;
                }
            }
            !above.any()
        }
    }
}

impl Scan<'_> {
    /// Makes a group of samples from the half words at `start`; bits of the result are set if some
    /// prefix is undecided.
    ///
    /// # Safety
    /// The machine must have the vector's instructions; a group of half words lies at `start`, and `to`
    /// is valid for as many.
    #[inline(always)]
    unsafe fn scan<V: Halves>(&self, start: usize, to: *mut u32) -> V {
        // SAFETY: the caller's promises.
        unsafe {
            let from = self.halves.as_ptr().add(start);
            let (mut prefixes, mut sizes) = ([V::splat(0); GROUP], [V::splat(0); GROUP]);
            for (i, prefix) in prefixes.iter_mut().enumerate() {
                *prefix = V::load(from.add(i * V::WIDTH)).halve();
            }
            for &end in self.ends {
                let end = V::splat(end as u32);
                for i in 0..GROUP {
                    // "Above" is -1.
                    sizes[i] = sizes[i].sub(prefixes[i].above(end));
                }
            }
            let (decided, mut above) = (V::splat(self.decided as u32), V::splat(0));
            for i in 0..GROUP {
                above = above.or(prefixes[i].above(decided));
                // Negation by the lowest bit: the size or !size + 1.
                let half = V::load(from.add(i * V::WIDTH));
                let sign = V::splat(0).sub(half.and(V::splat(1)));
                sizes[i].xor(sign).sub(sign).store(to.add(i * V::WIDTH));
            }
            above
        }
    }
}

/// Deals the 2^63 words out to the values of |x|, of which each owns those between an entry of the table
/// and the one before: as [`Gaussian`] keeps them, the prefixes, the last decided one, and the rest.
fn deal(table: &[i64]) -> (Vec<i32>, i32, Vec<i64>) {
    let starts = std::iter::once(0).chain(table.iter().copied());
    // The largest |x| owns what is left.
    let ends = table.iter().map(|&end| end as u64).chain([1 << 63]);
    let owned: Vec<u64> = starts.zip(ends).map(|(start, end)| end - start as u64).collect();

    let whole = owned.iter().map(|m| (m >> 32) as i64);
    let undecided: i64 = whole.clone().sum();
    let prefixes = partial_sums(0, whole).take_while(|&end| end < undecided);
    let parts = owned[..table.len()].iter().map(|m| i64::from(*m as u32));
    (
        prefixes.map(|end| (end - 1) as i32).collect(),
        (undecided - 1) as i32,
        partial_sums(undecided << 32, parts).collect(),
    )
}

/// The sums of a start and of the first 1, 2, ... terms.
fn partial_sums(start: i64, terms: impl Iterator<Item = i64>) -> impl Iterator<Item = i64> {
    terms.scan(start, |sum, term| {
        *sum += term;
        Some(*sum)
    })
}

/// The variance of the distribution that a table describes.
fn variance(table: &[i64]) -> f64 {
    // E[x^2] = sum over k >= 0 of ((k+1)^2 - k^2) P(|x| > k); the smallest terms first.
    let tails = table.iter().enumerate().rev();
    let sum: f64 = tails
        .map(|(k, &entry)| (2 * k + 1) as f64 * ((1 << 63) - entry as u64) as f64)
        .sum();
    sum / 2_f64.powi(63)
}

/// The table of [`Gaussian`]: entry k is 2^63 P(|x| <= k) to nearest, for all k where that is below 2^63.
/// Positive (the first is at least 2^63 / 161) and not decreasing.
///
/// Fixed-point numbers of 256 fractional bits, every operation rounded down. With a = 1 / (2 sigma^2) <= 2
/// and rho(k) = exp(-a k^2): rho(k + 1) = rho(k) r(k), r(k) = exp(-a)^(2k + 1). All factors are at most 1,
/// so absolute errors only add up. exp(-a) is off by less than 2^-245 (under 100 terms of at most 2, and
/// what sigma's square inverted is off), r(k) by (2k + 2) times that, rho(k) by (k + 1)^2 times that, and
/// the sums over the at most 1210 values above 2^-256 by less than 2^-210.
fn cumulative(sigma: f64) -> Vec<i64> {
    // sigma = mantissa * 2^exponent exactly, the exponent between -53 and -46.
    let (mantissa, exponent, _) = sigma.integer_decode();
    let numerator = BigUint::one() << (i64::from(PRECISION) - 2 * i64::from(exponent) - 1);
    let step = exp_of_minus(&(numerator / BigUint::from(mantissa).pow(2)));
    let square = (&step * &step) >> PRECISION;

    // Partial sums: entry k is rho(-k) + ... + rho(k).
    let mut sums = Vec::new();
    let mut sum = BigUint::zero();
    let (mut rho, mut ratio) = (BigUint::one() << PRECISION, step);
    while !rho.is_zero() {
        sum += &rho << u32::from(!sums.is_empty());
        sums.push(sum.clone());
        rho = (rho * &ratio) >> PRECISION;
        ratio = (ratio * &square) >> PRECISION;
    }
    sums.iter()
        // 2^63 part / sum to nearest: floor((2^64 part + sum) / (2 sum)).
        .map(|part| ((part << 64_u32) + &sum) / (&sum << 1_u32))
        // Where 2^63 - 1 is no longer enough, no 63-bit number reaches the entry.
        .map_while(|entry| entry.to_i64())
        .collect()
}

/// exp(-a) for a fixed-point 0 <= a <= 2, by its power series.
fn exp_of_minus(a: &BigUint) -> BigUint {
    let (mut plus, mut minus) = (BigUint::zero(), BigUint::zero());
    let mut term = BigUint::one() << PRECISION;
    let mut n = 0_u32;
    while !term.is_zero() {
        *(if n.is_multiple_of(2) {
            &mut plus
        } else {
            &mut minus
        }) += &term;
        n += 1;
        term = ((term * a) >> PRECISION) / n;
    }
    plus - minus
}

#[cfg(test)]
mod tests;
