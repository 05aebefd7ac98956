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

#[cfg(test)]
mod tests {
    use super::*;

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
