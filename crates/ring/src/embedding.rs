//! The canonical embedding in double precision: the size of an element at each complex root.

use std::sync::{LazyLock, Mutex, PoisonError};

use ringmill_arith::secret::Secret;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use crate::{FermatRing, NegacyclicRing, Ring, RingError};

/// Computes |a(zeta^e)|^2 at every position of evaluation domain, with zeta = exp(2 pi i / conductor), for
/// an element given by its coefficients. The element may be a secret: all memory of the computation is overwritten.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn powers(ring: &Ring, coefficients: &[f64]) -> Result<Secret<Vec<f64>>, RingError> {
    match ring {
        Ring::Fermat(ring) => fermat_powers(ring, coefficients),
        Ring::Negacyclic(ring) => negacyclic_powers(ring, coefficients),
    }
}

fn check<T>(n: usize, coefficients: &[T]) -> Result<(), RingError> {
    if coefficients.len() == n {
        return Ok(());
    }
    Err(RingError::WrongLength {
        expected: n,
        got: coefficients.len(),
    })
}

/// Keeps the plans of transforms, which take longer to make than to carry out.
static PLANNER: LazyLock<Mutex<FftPlanner<f64>>> = LazyLock::new(|| Mutex::new(FftPlanner::new()));

/// The discrete Fourier transform, in place.
fn transform(values: &mut [Complex<f64>]) {
    let plan = {
        let mut planner = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
        planner.plan_fft_forward(values.len())
    };
    let mut scratch = Secret::zeros(plan.get_inplace_scratch_len());
    plan.process_with_scratch(values, &mut scratch);
}

fn fermat_powers(ring: &FermatRing, coefficients: &[f64]) -> Result<Secret<Vec<f64>>, RingError> {
    check(ring.n(), coefficients)?;
    let mut values = Secret::zeros(ring.d() as usize);
    for (&x, &e) in coefficients.iter().zip(ring.exponents()) {
        values[e as usize] = Complex::new(x, 0.0);
    }
    // The sign of the exponent only exchanges conjugate values, which are equally large.
    transform(&mut values);
    let exponents = ring.exponents().iter();
    Ok(Secret::collect(exponents.map(|&e| values[e as usize].norm_sqr())))
}

/// After a_j is multiplied by zeta^(-j), entry k of the transform of length n is the value at
/// zeta^(-(2k+1)).
fn negacyclic_powers(ring: &NegacyclicRing, coefficients: &[f64]) -> Result<Secret<Vec<f64>>, RingError> {
    let n = ring.n();
    check(n, coefficients)?;
    let step = std::f64::consts::PI / n as f64;
    let turned = coefficients.iter().enumerate();
    let turned = turned.map(|(j, &x)| Complex::from_polar(x, -step * j as f64));
    let mut values = Secret::collect(turned);
    transform(&mut values);
    let value = |i| values[(ring.exponent_at(i) / 2) as usize];
    Ok(Secret::collect((0..n).map(|i| value(i).norm_sqr())))
}

/// Lifts an element of R/2, given by coefficients 0 or 1, to coefficients 0, 1 and -1 such that it is small
/// at every root. Returns the lift and its largest power.
///
/// The sign of a coefficient is (-1)^(sum of some of the discrete logarithms of its exponent), with the best
/// of the 2^w choices of logarithms. The empty choice is best for elements of small subrings, such as
/// constants that are equal in many slots: their power stays near their weight. For others an alternating
/// sign keeps the powers near half the number of coefficients 1 and avoids the root where all of them add
/// up. A choice must gain 1 % over those before it, so that rounding never decides.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn small_lift(ring: &FermatRing, element: &[u64]) -> Result<(Vec<i64>, f64), RingError> {
    check(ring.n(), element)?;
    let signs = Signs::new(ring);
    let (mut best, mut least) = (0, f64::INFINITY);
    for choice in (0..1 << ring.weight()).step_by(2) {
        let largest = largest_powers(ring, element, &signs, choice);
        for (choice, power) in (choice..).zip(largest) {
            if power < 0.99 * least {
                (best, least) = (choice, power);
            }
        }
    }
    let terms = element.iter().enumerate();
    let lift = terms
        .map(|(index, &x)| signs.of(index, best) * x as i64)
        .collect();
    Ok((lift, least))
}

/// The largest powers at a root of two lifts: with the signs of an even choice and of the one after it. One transform makes
/// both, as the real and the imaginary part of what is transformed; values of a real element at conjugate roots are
/// conjugate.
fn largest_powers(ring: &FermatRing, element: &[u64], signs: &Signs, choice: usize) -> [f64; 2] {
    let d = ring.d() as usize;
    let mut values = vec![Complex::default(); d];
    for (index, (&x, &e)) in element.iter().zip(ring.exponents()).enumerate() {
        let part = |choice| (signs.of(index, choice) * x as i64) as f64;
        values[e as usize] = Complex::new(part(choice), part(choice + 1));
    }
    transform(&mut values);
    let mut largest = [0.0_f64; 2];
    for &e in ring.exponents() {
        let (x, y) = (values[e as usize], values[d - e as usize].conj());
        for (largest, value) in largest.iter_mut().zip([x + y, x - y]) {
            *largest = largest.max(value.norm_sqr() / 4.0);
        }
    }
    largest
}

/// By index, the dimensions in which the discrete logarithm is odd: bit i stands for the i-th dimension from the last.
struct Signs(Vec<usize>);

impl Signs {
    fn new(ring: &FermatRing) -> Self {
        let odd = |mut index: usize| {
            let orders = ring.orders().iter().rev().enumerate();
            orders.fold(0, |odd, (i, order)| {
                let logarithm = index % order;
                index /= order;
                odd | (logarithm & 1) << i
            })
        };
        Self((0..ring.n()).map(odd).collect())
    }

    /// 1, or -1 if the sum of the chosen logarithms is odd.
    fn of(&self, index: usize, choice: usize) -> i64 {
        1 - 2 * i64::from((self.0[index] & choice).count_ones() & 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slots;
    use ringmill_arith::Simd;

    #[test]
    fn lifts_are_lifts_and_small() {
        let ring = FermatRing::new(32768).unwrap();
        let slots = Slots::new(&ring, Simd::Portable).unwrap();
        let bytes: Vec<u8> = (0..2048).map(|i: usize| (i * i / 3) as u8).collect();
        // These bounds are measured values with some room: 1, 7.4, 11.7 and, of n / 4 = 8192 on average, 4 n
        // / 2.
        let cases = [
            (vec![0x01; 2048], 1.01),
            (vec![0x02; 2048], 8.0),
            (vec![0x63; 2048], 12.0),
            (bytes, 90_000.0),
        ];
        for (bytes, bound) in cases {
            let element = slots.encode_bytes(&bytes).unwrap();
            let (lift, power) = small_lift(&ring, &element).unwrap();
            let same = |(&x, &bit): (&i64, &u64)| x.unsigned_abs() == bit;
            assert!(lift.iter().zip(&element).all(same));
            let lift: Vec<f64> = lift.iter().map(|&x| x as f64).collect();
            let largest = fermat_powers(&ring, &lift)
                .unwrap()
                .iter()
                .copied()
                .fold(0.0, f64::max);
            assert!((largest / power - 1.0).abs() < 1e-9, "{largest} {power}");
            assert!(power < bound, "{power}");
        }
        assert!(small_lift(&ring, &[1]).is_err());
    }

    #[test]
    fn agrees_with_the_definition() {
        let rings = [
            Ring::from(FermatRing::new(2048).unwrap()),
            FermatRing::new(65536).unwrap().into(),
            NegacyclicRing::new(64).unwrap().into(),
            NegacyclicRing::new(4096).unwrap().into(),
        ];
        for ring in rings {
            let n = ring.n();
            let a: Vec<f64> = (0..n).map(|i| ((i * i + 3 * i) % 11) as f64 - 5.0).collect();
            let powers = powers(&ring, &a).unwrap();
            for i in [0, 1, n / 2, n - 1] {
                let k = ring.value_exponent(i);
                let (mut re, mut im) = (0.0, 0.0);
                for (j, &x) in a.iter().enumerate() {
                    let turn = ring.coefficient_exponent(j) * k % ring.conductor();
                    let angle = std::f64::consts::TAU * turn as f64 / ring.conductor() as f64;
                    (re, im) = (re + x * angle.cos(), im + x * angle.sin());
                }
                let expected = re * re + im * im;
                assert!(
                    (powers[i] - expected).abs() < 1e-6 * expected.max(1.0),
                    "n = {n} index {i}"
                );
            }
            assert!(super::powers(&ring, &[1.0]).is_err());
        }
    }
}
