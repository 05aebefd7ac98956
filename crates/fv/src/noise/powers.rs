//! Powers in bins, far beyond the range of doubles, without logarithms.

use std::array;

use ringmill_rlwe::COUNT;

/// log2 of the largest power that is told from larger ones.
pub(super) const LARGEST_LOG2: i32 = 1 << 20;

/// What no power is below, in units of about the last bin's: its square is still a number that a double holds with
/// all its bits.
const LEAST: f64 = power_of_two(-500);

/// 2^k for k up to 1023; 0 below -1022.
pub(super) const fn power_of_two(k: i32) -> f64 {
    if k < -1022 {
        0.0
    } else {
        f64::from_bits(((k + 1023) as u64) << 52)
    }
}

/// One power, mantissa times 2^exponent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Power {
    pub mantissa: f64,
    pub exponent: i32,
}

impl Power {
    /// 2^`log2`. What is larger than the largest, or no number, counts as the largest.
    pub fn from_log2(log2: f64) -> Self {
        let end = f64::from(LARGEST_LOG2);
        // `min` with NaN is the other operand.
        let log2 = log2.min(end);
        if log2 == f64::NEG_INFINITY {
            return Self {
                mantissa: 0.0,
                exponent: -LARGEST_LOG2,
            };
        }
        let log2 = log2.max(-end);
        Self {
            mantissa: (log2 - log2.floor()).exp2(),
            exponent: log2.floor() as i32,
        }
    }
}

/// A power for each bin: a mantissa times 2^exponent, which all bins share.
///
/// The exponent is even, from -2^20 to 2^20; the mantissa of the last bin is from 1 to 4. Powers ascend from bin to
/// bin, as the model's formulas ascend with x, so that this is the largest mantissa. None is below [`LEAST`]: what
/// is, is raised to that, which adds nothing that a logarithm of a sum of bins could show. Or else there is
/// no noise, and all mantissas are 0.
///
/// So no product of mantissas underflows. Of a sum, terms below 2^-1022 of the largest are lost: they are below
/// what other bins are raised to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Powers {
    pub exponent: i32,
    pub mantissas: [f64; COUNT],
}

impl Powers {
    pub const NONE: Self = Self {
        exponent: -LARGEST_LOG2,
        mantissas: [0.0; COUNT],
    };

    /// The powers of which these are the logarithms.
    pub fn from_log2(log2: impl FnMut(usize) -> f64) -> Self {
        let powers: [Power; COUNT] = array::from_fn(log2).map(Power::from_log2);
        let top = powers.iter().map(|power| power.exponent).max().unwrap_or(0);
        Self::normal(
            top,
            powers.map(|power| power.mantissa * power_of_two(power.exponent - top)),
        )
    }

    /// The sum of terms, given their exponents and by bin their mantissas: positive, and up to 2^100.
    #[inline(always)]
    pub fn sum<const N: usize>(exponents: [i32; N], mantissas: impl Fn(usize) -> [f64; N]) -> Self {
        let top = exponents.into_iter().fold(i32::MIN, i32::max);
        let scales = exponents.map(|exponent| power_of_two(exponent - top));
        Self::normal(
            top,
            array::from_fn(|bin| {
                let terms = mantissas(bin);
                (0..N).map(|term| terms[term] * scales[term]).sum()
            }),
        )
    }

    /// Powers of a sum whose amplitudes add up.
    pub fn of_sum<'a>(terms: impl Iterator<Item = &'a Self>) -> Self {
        let terms: Vec<&Self> = terms.filter(|term| !term.is_none()).collect();
        if let [only] = terms[..] {
            return only.clone();
        }
        let top = terms.iter().map(|term| term.exponent).max();
        let Some(top) = top else {
            return Self::NONE;
        };
        let mut amplitudes = [0.0; COUNT];
        for term in terms {
            // Exponents are even.
            let scale = power_of_two((term.exponent - top) / 2);
            for (amplitude, mantissa) in amplitudes.iter_mut().zip(&term.mantissas) {
                *amplitude += scale * mantissa.sqrt();
            }
        }
        Self::normal(top, amplitudes.map(|amplitude| amplitude * amplitude))
    }

    /// The larger power of both in each bin.
    pub fn most(&self, other: &Self) -> Self {
        let top = self.exponent.max(other.exponent);
        let scales = [self, other].map(|powers| power_of_two(powers.exponent - top));
        Self::normal(
            top,
            array::from_fn(|bin| (scales[0] * self.mantissas[bin]).max(scales[1] * other.mantissas[bin])),
        )
    }

    /// The smaller power of both in each bin.
    pub fn least(&self, other: &Self) -> Self {
        let (low, high) = if self.exponent <= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        // Twice 500 bits are enough for all mantissas to be the larger ones.
        let scale = power_of_two((high.exponent - low.exponent).min(1000));
        Self::normal(
            low.exponent,
            array::from_fn(|bin| low.mantissas[bin].min(scale * high.mantissas[bin])),
        )
    }

    /// Whether there is no noise.
    pub fn is_none(&self) -> bool {
        self.mantissas[COUNT - 1] == 0.0
    }

    /// log2 of the power in a bin.
    pub fn log2(&self, bin: usize) -> f64 {
        f64::from(self.exponent) + self.mantissas[bin].log2()
    }

    /// The sum of all bins, each times its weight, as mantissa and exponent.
    pub fn weighted(&self, weights: &[f64; COUNT]) -> Power {
        let terms = self.mantissas.iter().zip(weights);
        Power {
            mantissa: terms.map(|(mantissa, weight)| mantissa * weight).sum(),
            exponent: self.exponent,
        }
    }

    /// Brings mantissas into their range.
    fn normal(exponent: i32, mantissas: [f64; COUNT]) -> Self {
        let last = mantissas[COUNT - 1];
        if last == 0.0 {
            return Self::NONE;
        }
        let shift = (last.to_bits() >> 52) as i32 - 1023;
        let shift = shift - ((exponent + shift) & 1);
        let exponent = exponent + shift;
        if exponent >= LARGEST_LOG2 {
            return Self {
                exponent: LARGEST_LOG2,
                mantissas: [1.0; COUNT],
            };
        }
        let scale = power_of_two(-shift);
        Self {
            exponent: exponent.max(-LARGEST_LOG2),
            mantissas: mantissas.map(|mantissa| (mantissa * scale).max(LEAST)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_rlwe::tail::{log2_add, log2_sum};

    /// Ascending, `first` in the first bin and `last` in the last.
    fn powers(first: f64, last: f64) -> Powers {
        let at = |bin: usize| first + (last - first) * bin as f64 / (COUNT - 1) as f64;
        Powers::from_log2(at)
    }

    fn close(a: f64, b: f64) -> bool {
        a == b || (a - b).abs() < 1e-9
    }

    /// Sums far apart, near, of odd and of even exponents, and of nothing, against logarithms.
    #[test]
    fn sums_are_those_of_logarithms() {
        let all = [
            powers(-3.0, 3.5),
            powers(-6000.5, -5990.25),
            powers(-6003.0, -5993.0),
            powers(1e4, 1e4),
            powers(-120.0, 90.0),
            Powers::NONE,
        ];
        for a in &all {
            for b in &all {
                let sum = Powers::sum([a.exponent, b.exponent], |bin| {
                    [a.mantissas[bin], b.mantissas[bin]]
                });
                let amplitudes = Powers::of_sum([a, b].into_iter());
                let (least, most) = (a.least(b), a.most(b));
                for bin in 0..COUNT {
                    let (p, q) = (a.log2(bin), b.log2(bin));
                    assert!(
                        close(sum.log2(bin), log2_add(p, q)),
                        "{p} + {q}: {}",
                        sum.log2(bin)
                    );
                    let both = 2.0 * log2_sum([p / 2.0, q / 2.0].into_iter());
                    assert!(
                        close(amplitudes.log2(bin), both),
                        "{p} + {q}: {}",
                        amplitudes.log2(bin)
                    );
                    assert!(
                        close(least.log2(bin), p.min(q)),
                        "{p} or {q}: {}",
                        least.log2(bin)
                    );
                    assert!(close(most.log2(bin), p.max(q)), "{p} or {q}: {}", most.log2(bin));
                }
            }
        }
    }

    /// The sum of three, and a weighted one, against logarithms.
    #[test]
    fn weighted_sums_are_those_of_logarithms() {
        let a = powers(-300.0, -250.5);
        let weights: [f64; COUNT] = array::from_fn(|bin| 1.0 / (bin + 1) as f64);
        let Power { mantissa, exponent } = a.weighted(&weights);
        let expected = log2_sum((0..COUNT).map(|bin| a.log2(bin) + weights[bin].log2()));
        assert!(close(f64::from(exponent) + mantissa.log2(), expected));
        let thrice = Powers::of_sum([&a, &a, &a].into_iter());
        assert!((0..COUNT).all(|bin| close(thrice.log2(bin), a.log2(bin) + 9f64.log2())));
    }

    /// Nothing is rounded down to nothing, and nothing grows beyond the largest power.
    #[test]
    fn both_ends_are_rounded_up() {
        let steep = powers(-4000.0, 0.0);
        assert!(steep.log2(0) == -500.0 && close(steep.log2(COUNT - 1), 0.0));
        let end = f64::from(LARGEST_LOG2);
        for large in [f64::INFINITY, f64::NAN, 2.0 * end, end] {
            let largest = Powers::from_log2(|_| large);
            assert!((0..COUNT).all(|bin| largest.log2(bin) == end), "{large}");
            let twice = Powers::of_sum([&largest, &largest].into_iter());
            assert_eq!(twice, largest);
        }
        let small = Powers::from_log2(|_| -3.0 * end);
        assert!(small.log2(0) == -end && !small.is_none());
        assert!(Powers::from_log2(|_| f64::NEG_INFINITY).is_none());
    }
}
