//! Logarithms of sums and of Gaussian tails.

use std::f64::consts::{LOG2_E, PI};

/// log2(2^a + 2^b); minus infinity is the logarithm of 0.
#[must_use]
pub fn log2_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a >= b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY {
        return high;
    }
    if low == high {
        return high + 1.0;
    }
    high + (low - high).exp2().ln_1p() * LOG2_E
}

/// log2 of the sum of the powers of two of all terms.
#[must_use]
pub fn log2_sum(terms: impl Iterator<Item = f64>) -> f64 {
    // The sum in units of the largest term so far.
    let (mut largest, mut sum) = (f64::NEG_INFINITY, 0.0);
    for term in terms {
        if term == largest {
            sum += 1.0;
        } else if term > largest {
            sum = sum * (largest - term).exp2() + 1.0;
            largest = term;
        } else {
            sum += (term - largest).exp2();
        }
    }
    largest + f64::log2(sum)
}

/// log2 of the complementary error function of x >= 0, to about 10^-12 relative for x up to 10^9.
///
/// Below 2 one less the power series of erf, beyond the continued fraction
/// erfc(x) = exp(-x^2) / sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))))
/// (Abramowitz and Stegun, 7.1.6 and 7.1.14).
#[must_use]
pub fn log2_erfc(x: f64) -> f64 {
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..60 {
            term *= 2.0 * x * x / f64::from(2 * k + 1);
            sum += term;
        }
        return (1.0 - 2.0 / PI.sqrt() * (-x * x).exp() * sum).log2();
    }
    let fraction = (1..120).rev().fold(x, |rest, k| x + f64::from(k) / 2.0 / rest);
    -x * x * LOG2_E - 0.5 * PI.log2() - fraction.log2()
}

/// The x with log2 erfc(x) = `log2_tail`; 0 for tails of at least 1.
#[must_use]
pub fn inverse_log2_erfc(log2_tail: f64) -> f64 {
    if log2_tail >= 0.0 {
        return 0.0;
    }
    // erfc(x) <= exp(-x^2)
    let (mut low, mut high) = (0.0, (-log2_tail / LOG2_E).sqrt());
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if log2_erfc(middle) > log2_tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_logarithms() {
        assert_eq!(log2_add(3.0, 3.0), 4.0);
        assert!((log2_add(0.0, 1.0) - 3f64.log2()).abs() < 1e-15);
        assert_eq!(log2_add(-2800.0, -2800.0), -2799.0);
        assert_eq!(log2_add(-2800.0, 100.0), 100.0);
        let nothing = f64::NEG_INFINITY;
        assert_eq!(log2_add(nothing, -5.0), -5.0);
        assert_eq!(log2_add(nothing, nothing), nothing);
        assert_eq!(log2_add(f64::INFINITY, f64::INFINITY), f64::INFINITY);
        assert_eq!(log2_add(f64::INFINITY, nothing), f64::INFINITY);
    }

    #[test]
    fn sums_logarithms() {
        let nothing = f64::NEG_INFINITY;
        for terms in [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 3.0, 1.0]] {
            assert!((log2_sum(terms.into_iter()) - 14f64.log2()).abs() < 1e-14);
        }
        assert_eq!(log2_sum([].into_iter()), nothing);
        assert_eq!(log2_sum([nothing; 3].into_iter()), nothing);
        assert_eq!(log2_sum([nothing, 4.0, nothing, 4.0].into_iter()), 5.0);
        assert_eq!(
            log2_sum([f64::INFINITY, 1.0, f64::INFINITY].into_iter()),
            f64::INFINITY
        );
        // Terms whose powers no double holds.
        assert_eq!(log2_sum([1e6; 1024].into_iter()), 1e6 + 10.0);
        assert_eq!(log2_sum([-5000.0, 5000.0].into_iter()), 5000.0);
    }

    /// Values of erfc from tables: Python's `math.erfc`, and `mpmath` for the last.
    #[test]
    fn erfc_has_its_known_values() {
        let known = [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (1.9, 0.007_209_570_764_752_524),
            (2.0, 0.004_677_734_981_047_266),
            (2.5, 0.000_406_952_017_444_958_9),
            (5.0, 1.537_459_794_428_035e-12),
            (10.0, 2.088_487_583_762_545e-45),
            (26.0, 5.663_192_408_856_143e-296),
        ];
        for (x, erfc) in known {
            assert!((log2_erfc(x) - f64::log2(erfc)).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn inverse_inverts() {
        for tail in [-0.01, -1.0, -20.0, -79.0, -2000.0] {
            assert!((log2_erfc(inverse_log2_erfc(tail)) - tail).abs() < 1e-8 * tail.abs());
        }
        assert_eq!(inverse_log2_erfc(0.0), 0.0);
        assert_eq!(inverse_log2_erfc(7.0), 0.0);
    }
}
