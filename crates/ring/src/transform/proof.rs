//! Known answers of transforms, which a kernel must give before it is trusted: see [`Simd::prove`].

use ringmill_arith::{Modulus, Proofs, Simd};

use super::Transform;
use crate::{FermatRing, NegacyclicRing, Ring, RingError};

/// Checks, at a kernel's first use in a process, that it transforms as [`Simd::Portable`] does.
///
/// # Errors
/// [`ringmill_arith::ArithError::WrongKernel`] if it does not.
pub(crate) fn prove(kernel: Simd) -> Result<(), RingError> {
    static PROOFS: Proofs<RingError> = Proofs::new();
    kernel.prove()?;
    PROOFS.get(kernel, || kernel.proven_by(first_difference))
}

/// Names the first transform in which a kernel differs. For each kind of vectors there are primes that it
/// accepts.
fn first_difference(kernel: Simd) -> Result<Option<&'static str>, RingError> {
    if kernel == Simd::Portable {
        return Ok(None);
    }
    let (fermat, negacyclic) = (FermatRing::new(2048)?, NegacyclicRing::new(1024)?);
    let cases: [(&str, Ring, u32); 4] = [
        ("transforms of Fermat rings", fermat.into(), 50),
        (
            "transforms of x^n + 1 modulo primes of 50 bits",
            negacyclic.into(),
            50,
        ),
        (
            "transforms of x^n + 1 modulo primes of 30 bits",
            negacyclic.into(),
            30,
        ),
        (
            "transforms of x^n + 1 modulo primes of 31 bits",
            negacyclic.into(),
            31,
        ),
    ];
    for (operation, ring, bits) in cases {
        let q = ring.primes(1 << bits, 1, &[])?[0];
        if outcome(&ring, q, kernel)? != outcome(&ring, q, Simd::Portable)? {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}

/// Values, coefficients and a product with a fixed factor, of coefficients that include edge cases.
fn outcome(ring: &Ring, q: Modulus, kernel: Simd) -> Result<[Vec<u64>; 3], RingError> {
    let transform = Transform::unproven(ring, q, kernel)?;
    let p = q.value();
    let mut a: Vec<u64> = (0..ring.n() as u64).map(|i| q.mul(i * i + 1, p / 3)).collect();
    a[..8].copy_from_slice(&[0, 1, p - 1, p / 2, p / 2 + 1, p - 1, p - 1, 0]);
    let mut values = a.clone();
    transform.evaluate(&mut values)?;
    let mut coefficients = a.clone();
    transform.interpolate(&mut coefficients)?;
    transform.products(&mut a, &[&transform.prepare(&values)?], &mut [])?;
    Ok([values, coefficients, a])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::ArithError;
    use ringmill_arith::lanes::shapes::{Fault, Shape};

    /// The error names a wrong kernel of either kind and the operation; nothing is made for such a kernel.
    #[test]
    fn wrong_kernels_are_refused() {
        let ring = NegacyclicRing::new(64).unwrap();
        let q = ring.primes(1 << 30, 1, &[]).unwrap()[0];
        for (fault, expected) in [
            (Fault::Product, "sums of products"),
            (Fault::Spare, "transforms of x^n + 1 modulo primes of 30 bits"),
            (Fault::Narrow, "transforms of x^n + 1 modulo primes of 31 bits"),
        ] {
            let wrong = Simd::Shape(Shape::Faulty(fault));
            let refusal = Transform::new(&ring.into(), q, wrong).err();
            let Some(RingError::Arith(ArithError::WrongKernel { operation, .. })) = refusal else {
                panic!("{fault:?}: {refusal:?}")
            };
            assert_eq!(operation, expected);
        }
    }

    #[test]
    fn right_kernels_are_proven() {
        for kernel in Simd::tested() {
            let start = std::time::Instant::now();
            assert_eq!(first_difference(kernel), Ok(None), "{kernel:?}");
            println!("{}: {:?}", kernel.name(), start.elapsed());
        }
    }

    /// Transforms also show the errors that the lowest layer shows in sums.
    #[test]
    fn wrong_products_are_seen() {
        let wrong = Simd::Shape(Shape::Faulty(Fault::Product));
        let difference = first_difference(wrong).unwrap();
        assert_eq!(difference, Some("transforms of Fermat rings"));
    }
}
