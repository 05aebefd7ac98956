//! The canonical embedding, in double precision: how large an element is at each complex root.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use crate::{FermatRing, RingError};

/// |a(zeta^e)|^2 for every unit e in index order, zeta = exp(2 pi i / d), of an element given by
/// its coefficients in the normal basis.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn powers(ring: &FermatRing, coefficients: &[f64]) -> Result<Vec<f64>, RingError> {
    if coefficients.len() != ring.n() {
        return Err(RingError::WrongLength {
            expected: ring.n(),
            got: coefficients.len(),
        });
    }
    let d = ring.d() as usize;
    let mut values = vec![Complex::new(0.0, 0.0); d];
    for (&x, &e) in coefficients.iter().zip(ring.exponents()) {
        values[e as usize].re = x;
    }
    // The sign of the exponent only exchanges conjugate values, which are equally large.
    FftPlanner::new().plan_fft_forward(d).process(&mut values);
    Ok(ring
        .exponents()
        .iter()
        .map(|&e| values[e as usize].norm_sqr())
        .collect())
}

/// A lift of an element of R/2, given by coefficients 0 or 1, to coefficients 0, 1 and -1 that is small
/// at every root, and its largest power.
///
/// The sign of a coefficient is (-1)^(sum of some of the discrete logarithms of its exponent), the best
/// of the 2^w choices of logarithms. None is best for elements of small subrings, such as constants
/// alike in many slots, whose power stays near their weight there; else an alternating sign keeps the
/// powers near half the number of coefficients 1 and avoids the root where all add up.
/// A choice must gain 1 % over those before it, so that the rounding of sums never decides.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn small_lift(ring: &FermatRing, element: &[u64]) -> Result<(Vec<i64>, f64), RingError> {
    let signed = |choice: usize| -> Vec<f64> {
        let sign = |index| {
            if odd_logarithms(ring, index, choice) {
                -1.0
            } else {
                1.0
            }
        };
        let terms = element.iter().enumerate();
        terms.map(|(index, &x)| sign(index) * x as f64).collect()
    };
    let largest = |lift: &[f64]| powers(ring, lift).map(|powers| powers.into_iter().fold(0.0, f64::max));
    let mut best = signed(0);
    let mut least = largest(&best)?;
    for choice in 1..1 << ring.weight() {
        let lift = signed(choice);
        let power = largest(&lift)?;
        if power < 0.99 * least {
            (best, least) = (lift, power);
        }
    }
    Ok((best.into_iter().map(|x| x as i64).collect(), least))
}

/// Whether the chosen discrete logarithms of an index add up to an odd number; bit i of `choice` is for
/// the i-th dimension from the last.
fn odd_logarithms(ring: &FermatRing, index: usize, choice: usize) -> bool {
    let (mut rest, mut sum) = (index, 0);
    for (i, order) in ring.orders().iter().rev().enumerate() {
        sum ^= (rest % order) & (choice >> i);
        rest /= order;
    }
    sum & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slots;
    use ringmill_arith::Kernel;

    #[test]
    fn lifts_are_lifts_and_small() {
        let ring = FermatRing::new(32768).unwrap();
        let slots = Slots::new(&ring, Kernel::Portable).unwrap();
        let bytes: Vec<u8> = (0..2048).map(|i: usize| (i * i / 3) as u8).collect();
        // Measured, with some room: 1, 7.4, 11.7 and, of n / 4 = 8192 on average, 4 n / 2.
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
            let largest = powers(&ring, &lift).unwrap().into_iter().fold(0.0, f64::max);
            assert_eq!(largest, power);
            assert!(power < bound, "{power}");
        }
        assert!(small_lift(&ring, &[1]).is_err());
    }

    #[test]
    fn agrees_with_the_definition() {
        for n in [2048, 65536] {
            let ring = FermatRing::new(n).unwrap();
            let a: Vec<f64> = (0..n).map(|i| ((i * i + 3 * i) % 11) as f64 - 5.0).collect();
            let powers = powers(&ring, &a).unwrap();
            for i in [0, 1, n / 2, n - 1] {
                let k = f64::from(ring.exponents()[i]);
                let (mut re, mut im) = (0.0, 0.0);
                for (&x, &e) in a.iter().zip(ring.exponents()) {
                    let angle =
                        std::f64::consts::TAU * (f64::from(e) * k % ring.d() as f64) / ring.d() as f64;
                    (re, im) = (re + x * angle.cos(), im + x * angle.sin());
                }
                let expected = re * re + im * im;
                assert!(
                    (powers[i] - expected).abs() < 1e-6 * expected.max(1.0),
                    "n = {n} index {i}"
                );
            }
        }
        assert!(super::powers(&FermatRing::new(2048).unwrap(), &[1.0]).is_err());
    }
}
