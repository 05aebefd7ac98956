//! Powers by classes of roots, far beyond the range of doubles, without logarithms.

use ringmill_arith::secret::Secret;

use super::Values;

/// log2 of the largest power that is told from larger ones.
pub(super) const LARGEST_LOG2: i32 = 1 << 20;

/// What no power is below, in units of about the largest: its square is still a number that a double holds with
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

/// A power for each class of roots: a mantissa times 2^exponent, which all share.
///
/// The exponent is even, from -2^20 to 2^20; the largest mantissa is from 1 to 4. None is below [`LEAST`]: what
/// is, is raised to that, which adds nothing that a logarithm of a sum of all could show. Or else there is
/// no noise, and all mantissas are 0.
///
/// So no product of mantissas underflows. Of a sum, terms below 2^-1022 of the largest are lost: they are below
/// what other classes are raised to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Powers<V: Values> {
    pub exponent: i32,
    pub mantissas: V,
}

impl<V: Values> Powers<V> {
    /// No powers, of as many classes as these values have.
    pub fn none(like: &V) -> Self {
        Self {
            exponent: -LARGEST_LOG2,
            mantissas: like.by_place(|_| 0.0),
        }
    }

    /// The powers of which these are the logarithms, of as many classes as these values have.
    pub fn from_log2(like: &V, mut log2: impl FnMut(usize) -> f64) -> Self {
        let mut exponents = Secret::with_capacity(like.numbers().len());
        let mut mantissas = like.by_place(|place| {
            let Power { mantissa, exponent } = Power::from_log2(log2(place));
            exponents.push(exponent);
            mantissa
        });
        let top = exponents.iter().copied().max().unwrap_or(0);
        for (mantissa, exponent) in mantissas.numbers_mut().iter_mut().zip(exponents.iter()) {
            *mantissa *= power_of_two(exponent - top);
        }
        Self::normal(top, mantissas)
    }

    /// The sum of terms, given their exponents and by class their mantissas: positive, and up to 2^100.
    #[inline(always)]
    pub fn sum<const N: usize>(like: &V, exponents: [i32; N], mantissas: impl Fn(usize) -> [f64; N]) -> Self {
        let top = exponents.into_iter().fold(i32::MIN, i32::max);
        let scales = exponents.map(|exponent| power_of_two(exponent - top));
        Self::normal(
            top,
            like.by_place(|place| {
                let terms = mantissas(place);
                (0..N).map(|term| terms[term] * scales[term]).sum()
            }),
        )
    }

    /// Powers of a sum whose amplitudes add up.
    pub fn of_sum<'a>(like: &V, terms: impl Iterator<Item = &'a Self>) -> Self
    where
        V: 'a,
    {
        let half = |exponent: i32| power_of_two(exponent / 2);
        // Exponents are even.
        Self::of_terms(like, terms, half, f64::sqrt, |amplitude| amplitude * amplitude)
    }

    /// Powers of a sum of independent terms.
    pub fn of_independent<'a>(like: &V, terms: impl Iterator<Item = &'a Self>) -> Self
    where
        V: 'a,
    {
        Self::of_terms(like, terms, power_of_two, |power| power, |power| power)
    }

    /// Adds up a function of the terms' mantissas, each in units that `scale` makes of its exponent.
    fn of_terms<'a>(
        like: &V,
        terms: impl Iterator<Item = &'a Self>,
        scale: impl Fn(i32) -> f64,
        function: impl Fn(f64) -> f64,
        inverse: impl Fn(f64) -> f64,
    ) -> Self
    where
        V: 'a,
    {
        let terms: Vec<&Self> = terms.filter(|term| !term.is_none()).collect();
        if let [only] = terms[..] {
            return only.clone();
        }
        let top = terms.iter().map(|term| term.exponent).max();
        let Some(top) = top else {
            return Self::none(like);
        };
        let mut sums = like.by_place(|_| 0.0);
        for term in terms {
            let scale = scale(term.exponent - top);
            for (sum, mantissa) in sums.numbers_mut().iter_mut().zip(term.mantissas.numbers()) {
                *sum += scale * function(*mantissa);
            }
        }
        sums.numbers_mut().iter_mut().for_each(|sum| *sum = inverse(*sum));
        Self::normal(top, sums)
    }

    /// The larger power of both in each class.
    pub fn most(&self, other: &Self) -> Self {
        let top = self.exponent.max(other.exponent);
        let scales = [self, other].map(|powers| power_of_two(powers.exponent - top));
        let [own, others] = [self, other].map(|powers| powers.mantissas.numbers());
        let most = |place: usize| (scales[0] * own[place]).max(scales[1] * others[place]);
        Self::normal(top, self.mantissas.by_place(most))
    }

    /// The smaller power of both in each class.
    pub fn least(&self, other: &Self) -> Self {
        let (low, high) = if self.exponent <= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        // Twice 500 bits are enough for all mantissas to be the larger ones.
        let scale = power_of_two((high.exponent - low.exponent).min(1000));
        let (lows, highs) = (low.mantissas.numbers(), high.mantissas.numbers());
        let least = |place: usize| lows[place].min(scale * highs[place]);
        Self::normal(low.exponent, self.mantissas.by_place(least))
    }

    /// Whether there is no noise.
    pub fn is_none(&self) -> bool {
        self.mantissas.largest() == 0.0
    }

    /// log2 of the power of a class.
    pub fn log2(&self, place: usize) -> f64 {
        f64::from(self.exponent) + self.mantissas.numbers()[place].log2()
    }

    /// log2 of the largest power.
    pub fn largest_log2(&self) -> f64 {
        f64::from(self.exponent) + self.mantissas.largest().log2()
    }

    /// Brings mantissas into their range.
    pub fn normal(exponent: i32, mut mantissas: V) -> Self {
        let largest = mantissas.largest();
        if largest == 0.0 {
            return Self::none(&mantissas);
        }
        let shift = (largest.to_bits() >> 52) as i32 - 1023;
        let shift = shift - ((exponent + shift) & 1);
        let exponent = exponent + shift;
        if exponent >= LARGEST_LOG2 {
            return Self {
                exponent: LARGEST_LOG2,
                mantissas: mantissas.by_place(|_| 1.0),
            };
        }
        let scale = power_of_two(-shift);
        for mantissa in mantissas.numbers_mut() {
            *mantissa = (*mantissa * scale).max(LEAST);
        }
        Self {
            exponent: exponent.max(-LARGEST_LOG2),
            mantissas,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_rlwe::COUNT;
    use ringmill_rlwe::tail::{log2_add, log2_sum};

    const LIKE: [f64; COUNT] = [0.0; COUNT];

    /// Ascending, `first` in the first bin and `last` in the last.
    fn powers(first: f64, last: f64) -> Powers<[f64; COUNT]> {
        let at = |bin: usize| first + (last - first) * bin as f64 / (COUNT - 1) as f64;
        Powers::from_log2(&LIKE, at)
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
            Powers::none(&LIKE),
        ];
        for a in &all {
            for b in &all {
                let sum = Powers::sum(&LIKE, [a.exponent, b.exponent], |bin| {
                    [a.mantissas[bin], b.mantissas[bin]]
                });
                let amplitudes = Powers::of_sum(&LIKE, [a, b].into_iter());
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

    /// The sum of three, and of three that are independent, against logarithms.
    #[test]
    fn sums_of_many_are_those_of_logarithms() {
        let a = powers(-300.0, -250.5);
        let thrice = Powers::of_sum(&LIKE, [&a, &a, &a].into_iter());
        assert!((0..COUNT).all(|bin| close(thrice.log2(bin), a.log2(bin) + 9f64.log2())));
        let thrice = Powers::of_independent(&LIKE, [&a, &a, &a].into_iter());
        assert!((0..COUNT).all(|bin| close(thrice.log2(bin), a.log2(bin) + 3f64.log2())));
    }

    /// Nothing is rounded down to nothing, and nothing grows beyond the largest power.
    #[test]
    fn both_ends_are_rounded_up() {
        let steep = powers(-4000.0, 0.0);
        assert!(steep.log2(0) == -500.0 && close(steep.log2(COUNT - 1), 0.0));
        let end = f64::from(LARGEST_LOG2);
        for large in [f64::INFINITY, f64::NAN, 2.0 * end, end] {
            let largest = Powers::from_log2(&LIKE, |_| large);
            assert!((0..COUNT).all(|bin| largest.log2(bin) == end), "{large}");
            let twice = Powers::of_sum(&LIKE, [&largest, &largest].into_iter());
            assert_eq!(twice, largest);
        }
        let small = Powers::from_log2(&LIKE, |_| -3.0 * end);
        assert!(small.log2(0) == -end && !small.is_none());
        assert!(Powers::from_log2(&LIKE, |_| f64::NEG_INFINITY).is_none());
    }
}
