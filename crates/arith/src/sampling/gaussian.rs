use num_bigint::BigUint;
use num_traits::{Float, One, ToPrimitive, Zero};
use zeroize::Zeroizing;

use super::{BLOCK, Stream};
use crate::lanes::Lanes;
use crate::{ArithError, Kernel, Task};

/// Fractional bits of the fixed-point numbers from which the table is computed.
const PRECISION: u32 = 256;

/// Entries that one pass over a block of samples compares with: as many as save most of the reading
/// and writing of counts while they all stay in vector registers.
const PASS: usize = 8;

/// The discrete Gaussian distribution over the integers, centred at 0, sampled in constant time.
///
/// The probability of x is proportional to exp(-x^2 / (2 sigma^2)). Sampling inverts the cumulative
/// distribution of |x|, tabled to 63 bits, and scans the whole table for every sample: no branch,
/// index or address depends on a sample.
///
/// # Distance from the ideal
/// The table's entry k is 2^63 P(|x| <= k) rounded to nearest, from sums exact to 2^-200: an error of
/// 2^-64 at most. It ends where that rounding gives 1, so a tail of mass at most 2^-64 is cut. The
/// statistical distance of a sample from the ideal is therefore at most ([`Gaussian::max`] + 1) 2^-64:
/// below 2^-59 for sigma = 3.2 (|x| <= 29, 9.1 sigma), 2^-56 for 19.4, 2^-54 for 64. For 2^18 coefficients
/// of sigma = 3.2, below 2^-41.
///
/// # Cost
/// One word of randomness and about 9.2 sigma comparisons of 64 bits a sample. On one core with AVX2
/// (EPYC), 131072 samples take 1.0 ms for sigma = 3.2, half of it the randomness, and 4 to 5 ms for 50.
#[derive(Debug, Clone)]
pub struct Gaussian {
    /// The table, each entry less one, because the comparison that vector instructions have is
    /// "greater"; filled up with `i64::MAX`, which no 63-bit number exceeds.
    passes: Vec<[i64; PASS]>,
    /// Entries without what fills up.
    len: usize,
    sigma: f64,
    kernel: Kernel,
}

impl Gaussian {
    /// The distribution of standard deviation parameter `sigma`, from 0.5 to 64, sampled with the kernel
    /// of the environment. (The deviation itself is less than the parameter below about 1: see
    /// [`Gaussian::variance`].)
    ///
    /// # Errors
    /// [`ArithError::BadDeviation`] for any other number; [`ArithError::KernelUnavailable`] as
    /// [`Kernel::from_environment`].
    pub fn new(sigma: f64) -> Result<Self, ArithError> {
        Self::with_kernel(sigma, Kernel::from_environment()?)
    }

    /// As [`Gaussian::new`], with the given kernel. All give the same bits.
    ///
    /// # Errors
    /// [`ArithError::BadDeviation`] as [`Gaussian::new`].
    pub fn with_kernel(sigma: f64, kernel: Kernel) -> Result<Self, ArithError> {
        if !(0.5..=64.0).contains(&sigma) {
            return Err(ArithError::BadDeviation(sigma.to_string()));
        }
        let table = cumulative(sigma);
        let passes = table.chunks(PASS).map(|entries| {
            let mut pass = [i64::MAX; PASS];
            for (place, entry) in pass.iter_mut().zip(entries) {
                *place = entry - 1;
            }
            pass
        });
        Ok(Self {
            passes: passes.collect(),
            len: table.len(),
            sigma,
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
        self.len as i32
    }

    /// The variance of the sampled distribution, from the table.
    #[must_use]
    pub fn variance(&self) -> f64 {
        // E[x^2] = sum over k >= 0 of ((k+1)^2 - k^2) P(|x| > k); the smallest terms first. An entry less
        // one is 2^63 P(|x| <= k) - 1, and what fills up contributes nothing.
        let tails = self.passes.as_flattened().iter().enumerate().rev();
        let sum: f64 = tails
            .map(|(k, &entry)| (2 * k + 1) as f64 * (i64::MAX - entry) as f64)
            .sum();
        sum / 2_f64.powi(63)
    }

    /// Independent samples.
    ///
    /// Sample i is made of word i of the stream: x = (-1)^b #{k : u >= T(k)} for its lowest bit b, its upper
    /// 63 bits u and the table T, so that two calls give what one call on the joined output gives.
    ///
    /// The words are wiped; copies of them in registers and on the stack are not.
    pub fn sample(&self, stream: &mut Stream, out: &mut [i32]) {
        let mut scratch = Zeroizing::new([[0; BLOCK]; 3]);
        for block in out.chunks_mut(BLOCK) {
            stream.fill_words(&mut scratch[0][..block.len()]);
            self.kernel.run(Scan {
                passes: &self.passes,
                scratch: &mut scratch,
                out: block,
            });
        }
    }
}

/// Maps words, the first part of the scratch, to samples: `out[i]` from word i.
///
/// The other parts are its own. It always scans a whole block, so that its loops have a fixed length,
/// and leaves unused what is beyond `out`.
struct Scan<'a> {
    passes: &'a [[i64; PASS]],
    scratch: &'a mut [[u64; BLOCK]; 3],
    /// At most a block.
    out: &'a mut [i32],
}

impl Task for Scan<'_> {
    type Output = ();

    // No lanes: plain loops over arrays, which the compiler turns into the vector comparisons that
    // the kernel's instructions allow.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let [words, uniform, counts] = self.scratch;
        for (u, word) in uniform.iter_mut().zip(&*words) {
            *u = word >> 1;
        }
        counts.fill(0);
        for pass in self.passes {
            for (count, &u) in counts.iter_mut().zip(&*uniform) {
                // Signed, because vector instructions compare signed words.
                let above = pass.iter().map(|&entry| i64::from(u as i64 > entry));
                *count += above.sum::<i64>() as u64;
            }
        }
        for ((x, count), word) in self.out.iter_mut().zip(counts).zip(words) {
            // Negation by the bit: count or !count + 1.
            let bit = (*word & 1) as i32;
            *x = (*count as i32 ^ -bit) + bit;
        }
    }
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
mod tests {
    use super::*;
    use crate::sampling::Seed;

    // From a separate implementation of the specifications (Python, with its own ChaCha20); the seed
    // is 32 bytes of 1.
    const GOLDEN_1: [i32; 8] = [1, -1, -1, 0, 1, -1, 1, 0];
    const GOLDEN_3: [i32; 8] = [4, -3, -3, -1, 3, -4, 3, 0];
    const GOLDEN_50: [i32; 8] = [60, -47, -54, -14, 54, -58, 44, -3];

    fn stream(fill: u8) -> Stream {
        Stream::new(&Seed::from_bytes([fill; 32]))
    }

    fn samples(sigma: f64, fill: u8, count: usize) -> Vec<i32> {
        let mut out = vec![0; count];
        Gaussian::new(sigma).unwrap().sample(&mut stream(fill), &mut out);
        out
    }

    #[test]
    fn refuses_deviations_out_of_range() {
        for bad in [0.0, -3.2, 0.499, 64.001, f64::NAN, f64::INFINITY] {
            assert!(matches!(Gaussian::new(bad), Err(ArithError::BadDeviation(_))));
        }
        for good in [0.5, 64.0] {
            assert!(Gaussian::new(good).is_ok());
        }
    }

    /// Expected values computed from the definition with Python's `decimal` at 120 digits: the number
    /// of entries, the first, all folded by f <- 3 f + entry mod 2^64, and the variance.
    #[test]
    fn table_is_exact_to_the_last_bit() {
        for (sigma, len, first, fold, variance) in [
            (
                0.5,
                4,
                7_254_834_264_339_792_149,
                2_145_902_647_626_586_704,
                0.215_012_675_088_138_48,
            ),
            (
                3.2,
                29,
                1_149_872_835_429_265_944,
                14_343_368_884_437_191_966,
                10.24,
            ),
            (
                19.4,
                178,
                189_669_746_050_188_221,
                8_995_976_749_039_221_333,
                376.36,
            ),
            (
                64.0,
                586,
                57_493_641_771_463_300,
                9_620_680_675_266_471_403,
                4096.0,
            ),
        ] {
            let gaussian = Gaussian::new(sigma).unwrap();
            let entries: Vec<u64> = cumulative(sigma).iter().map(|&e| e as u64).collect();
            assert_eq!((entries.len(), entries[0]), (len, first));
            assert_eq!(gaussian.max(), len as i32);
            let folded = entries
                .iter()
                .fold(0_u64, |f, e| f.wrapping_mul(3).wrapping_add(*e));
            assert_eq!(folded, fold);
            assert!((gaussian.variance() / variance - 1.0).abs() < 1e-14, "{sigma}");
        }
    }

    #[test]
    fn golden_numbers() {
        assert_eq!(samples(1.0, 1, 8), GOLDEN_1);
        assert_eq!(samples(3.2, 1, 8), GOLDEN_3);
        assert_eq!(samples(50.0, 1, 8), GOLDEN_50);
    }

    #[test]
    fn kernels_and_cuts_agree_with_a_plain_scan() {
        for sigma in [0.5, 3.2, 19.4, 64.0] {
            for kernel in Kernel::available() {
                let gaussian = Gaussian::with_kernel(sigma, kernel).unwrap();
                let table = cumulative(sigma);
                let mut out = [0; 1501];
                let (first, second) = out.split_at_mut(701);
                let mut pieces = stream(8);
                gaussian.sample(&mut pieces, first);
                gaussian.sample(&mut pieces, second);
                let mut words = [0; 1501];
                stream(8).fill_words(&mut words);
                for (x, w) in out.iter().zip(words) {
                    let size = table.partition_point(|&e| e <= (w >> 1) as i64) as i32;
                    assert_eq!(*x, if w & 1 == 1 { -size } else { size });
                }
            }
        }
    }

    /// Words at both ends and at the steps of the table.
    #[test]
    fn extreme_words_give_extreme_samples() {
        let gaussian = Gaussian::new(3.2).unwrap();
        let threshold = cumulative(3.2)[4] as u64;
        let mut scratch = [[0; BLOCK]; 3];
        scratch[0][..5].copy_from_slice(&[0, u64::MAX, u64::MAX - 1, threshold << 1, (threshold - 1) << 1]);
        let mut out = [7; 5];
        gaussian.kernel.run(Scan {
            passes: &gaussian.passes,
            scratch: &mut scratch,
            out: &mut out,
        });
        assert_eq!(out, [0, -29, 29, 5, 4]);
    }

    /// Thresholds: mean and variance within 5 of their standard errors; chi-square within 6 standard
    /// deviations of its mean.
    #[test]
    fn samples_fit_the_distribution() {
        const COUNT: usize = 1 << 20;
        for (sigma, fill) in [(0.5_f64, 11), (3.2, 12), (19.4, 13), (64.0, 14)] {
            let gaussian = Gaussian::new(sigma).unwrap();
            let out = samples(sigma, fill, COUNT);
            let (count, variance) = (COUNT as f64, gaussian.variance());

            let mean = out.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "{sigma}: {mean}");
            let second = out.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / count;
            let fourth = out.iter().map(|&x| f64::from(x).powi(4)).sum::<f64>() / count;
            let error = ((fourth - variance * variance) / count).sqrt();
            assert!((second - variance).abs() < 5.0 * error, "{sigma}: {second}");

            // The ideal probabilities, straight from the definition; bins of at least 20 expected.
            let density = |x: i32| (-f64::from(x).powi(2) / (2.0 * sigma * sigma)).exp();
            let total: f64 = (-1000..=1000).map(density).sum();
            let (mut statistic, mut bins, mut binned) = (0.0, 0.0, 0);
            for x in -gaussian.max()..=gaussian.max() {
                let expected = count * density(x) / total;
                if expected >= 20.0 {
                    let seen = out.iter().filter(|&&y| y == x).count();
                    statistic += (seen as f64 - expected).powi(2) / expected;
                    bins += 1.0;
                    binned += seen;
                }
            }
            let freedom: f64 = bins - 1.0;
            assert!(
                statistic < freedom + 6.0 * (2.0 * freedom).sqrt(),
                "{sigma}: {statistic}"
            );
            // What is outside the bins is rarer than one in a thousand.
            assert!(COUNT - binned < COUNT / 1000, "{sigma}: {binned}");
        }
    }
}
