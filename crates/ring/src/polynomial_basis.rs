//! Converts between the normal basis and 1, x, ..., x^(n-1) modulo Phi_d. Other software and the papers'
//! machines use the latter.
//!
//! For squarefree d, Phi_d is the product of (x^e - 1)^mu(d/e) over the divisors e of d. So multiplying or
//! dividing a power series by Phi_d takes one linear pass for each divisor, and division with remainder
//! takes two such rounds. No product of large polynomials is needed.

use ringmill_arith::Modulus;

use crate::{FermatRing, RingError};

/// Converts an element from the normal basis to coefficients of 1, x, ..., x^(n-1), modulo q.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn from_normal(ring: &FermatRing, q: &Modulus, normal: &[u64]) -> Result<Vec<u64>, RingError> {
    let (n, d) = (ring.n(), ring.d() as usize);
    check(n, normal)?;
    let mut dividend = vec![0; d];
    for (&x, &e) in normal.iter().zip(ring.exponents()) {
        dividend[e as usize] = x;
    }
    // Phi_d is palindromic: the reversed quotient is the reversed dividend over Phi_d, as a series.
    let mut quotient: Vec<u64> = dividend.iter().rev().take(d - n).copied().collect();
    apply_phi(ring, q, &mut quotient, false);
    quotient.reverse();
    quotient.resize(n.max(d - n), 0);
    apply_phi(ring, q, &mut quotient, true);
    let pairs = dividend.iter().zip(&quotient).take(n);
    Ok(pairs.map(|(&x, &y)| q.sub(x, y)).collect())
}

/// Converts an element from coefficients of 1, x, ..., x^(n-1) to the normal basis, modulo q.
///
/// # Errors
/// [`RingError::WrongLength`] unless there are n coefficients.
pub fn to_normal(ring: &FermatRing, q: &Modulus, polynomial: &[u64]) -> Result<Vec<u64>, RingError> {
    check(ring.n(), polynomial)?;
    let mut full = polynomial.to_vec();
    full.resize(ring.d() as usize, 0);
    ring.fold_with(&full, |a, b| q.sub(a, b))
}

fn check(n: usize, a: &[u64]) -> Result<(), RingError> {
    if a.len() == n {
        return Ok(());
    }
    Err(RingError::WrongLength {
        expected: n,
        got: a.len(),
    })
}

/// Multiplies (or divides) a truncated power series by Phi_d.
fn apply_phi(ring: &FermatRing, q: &Modulus, series: &mut [u64], multiply: bool) {
    let primes: Vec<usize> = ring.orders().iter().map(|m| m + 1).collect();
    for subset in 0..1u32 << primes.len() {
        let chosen = primes.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
        let e: usize = chosen.map(|(_, p)| p).product();
        // mu(d/e) is 1 if the subset leaves out an even number of primes.
        let numerator = (primes.len() as u32 - subset.count_ones()).is_multiple_of(2);
        // The signs of (x^e - 1) = -(1 - x^e) cancel: numerator and denominator have equally many factors.
        if numerator == multiply {
            for i in (e..series.len()).rev() {
                series[i] = q.sub(series[i], series[i - e]);
            }
        } else {
            for i in e..series.len() {
                series[i] = q.add(series[i], series[i - e]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::prime;

    #[test]
    fn bases_agree_at_a_root_and_convert_back() {
        for n in FermatRing::DIMENSIONS {
            let ring = FermatRing::new(n).unwrap();
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let zeta = prime::root_of_unity(&q, ring.d()).unwrap();
            let normal: Vec<u64> = (0..n as u64).map(|i| q.pow(i + 2, 5)).collect();
            let polynomial = from_normal(&ring, &q, &normal).unwrap();
            let horner = polynomial
                .iter()
                .rev()
                .fold(0, |sum, &c| q.add(q.mul(sum, zeta), c));
            let terms = normal.iter().zip(ring.exponents());
            let direct = terms.fold(0, |s, (&x, &e)| q.add(s, q.mul(x, q.pow(zeta, e.into()))));
            assert_eq!(horner, direct, "n = {n}");
            assert_eq!(to_normal(&ring, &q, &polynomial).unwrap(), normal, "n = {n}");
        }
    }

    /// Compares products modulo Phi_d with long multiplication and division, for the smallest ring.
    #[test]
    fn products_agree_with_long_division_by_phi() {
        let ring = FermatRing::new(2048).unwrap();
        let (n, q) = (ring.n(), ring.primes(1 << 50, 1, &[]).unwrap()[0]);
        // Phi_d as the series 1 * Phi_d; its leading coefficient is 1.
        let mut phi = vec![0; n + 1];
        phi[0] = 1;
        apply_phi(&ring, &q, &mut phi, true);
        assert_eq!(phi[n], 1);
        let a: Vec<u64> = (0..n as u64).map(|i| q.pow(i + 3, 7)).collect();
        let b: Vec<u64> = (0..n as u64).map(|i| q.pow(i + 5, 9)).collect();
        let mut product = vec![0; 2 * n];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                product[i + j] = q.add(product[i + j], q.mul(x, y));
            }
        }
        for i in (n..2 * n).rev() {
            let lead = product[i];
            for (j, &c) in phi.iter().enumerate() {
                product[i - n + j] = q.sub(product[i - n + j], q.mul(lead, c));
            }
        }
        let transform =
            crate::Transform::new(&ring.clone().into(), q, ringmill_arith::Simd::Portable).unwrap();
        let [mut x, mut y] = [&a, &b].map(|p| to_normal(&ring, &q, p).unwrap());
        transform.evaluate(&mut x).unwrap();
        transform.evaluate(&mut y).unwrap();
        x.iter_mut().zip(&y).for_each(|(x, &y)| *x = q.mul(*x, y));
        transform.interpolate(&mut x).unwrap();
        assert_eq!(from_normal(&ring, &q, &x).unwrap(), product[..n]);
    }
}
