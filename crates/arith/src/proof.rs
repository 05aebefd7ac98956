//! Known answers that a kernel must give before it is trusted.
//!
//! Vector code that is right on one processor may be wrong on another: we, the compiler or the machine may be at fault,
//! and nobody who tested the code could see it. So the first use of a kernel in a process runs its loops on a few
//! numbers, edge cases among them, and compares the results with those of [`Simd::Portable`].

use std::sync::{Mutex, PoisonError};

use crate::lanes::Lanes;
use crate::prime::primes_below;
use crate::sampling::{Gaussian, Seed, Stream};
use crate::{ArithError, Basis, Conversion, Modulus, Simd, WithSimd};

/// The kernels that a layer has proven, and the results.
#[derive(Debug)]
pub struct Proofs<E>(Mutex<Vec<(Simd, Result<(), E>)>>);

impl<E: Clone> Proofs<E> {
    /// No kernel has been proven yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The result for a kernel. The first call runs `prove`; calls at the same time wait for it.
    ///
    /// # Errors
    /// Those of the first call.
    pub fn get(&self, kernel: Simd, prove: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, result)) = known.iter().find(|(k, _)| *k == kernel) {
            return result.clone();
        }
        let result = prove();
        known.push((kernel, result.clone()));
        result
    }
}

impl<E: Clone> Default for Proofs<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl Simd {
    /// Checks that the kernel computes the same as [`Simd::Portable`]: sums of products, conversions and samples. A
    /// process does so once, which takes milliseconds.
    ///
    /// # Errors
    /// [`ArithError::WrongKernel`] if it does not.
    pub fn prove(self) -> Result<(), ArithError> {
        static PROOFS: Proofs<ArithError> = Proofs::new();
        PROOFS.get(self, || self.proven_by(first_difference))
    }

    /// Succeeds if `difference` finds nothing: it names the first operation in which a kernel differs from
    /// [`Simd::Portable`].
    ///
    /// # Errors
    /// [`ArithError::WrongKernel`], with the next best kernel for which `difference` finds nothing; the errors of
    /// `difference` itself.
    pub fn proven_by<E: From<ArithError>>(
        self,
        difference: impl Fn(Self) -> Result<Option<&'static str>, E>,
    ) -> Result<(), E> {
        let Some(operation) = difference(self)? else {
            return Ok(());
        };
        let mut others = Self::available();
        others.retain(|&k| k != self);
        let right = |k: &Self| matches!(difference(*k), Ok(None));
        let instead = others.into_iter().rfind(right).unwrap_or(Self::Portable);
        Err(E::from(ArithError::WrongKernel {
            kernel: self.name(),
            operation,
            instead: instead.name(),
        }))
    }
}

/// The first operation in which a kernel differs.
fn first_difference(kernel: Simd) -> Result<Option<&'static str>, ArithError> {
    if kernel == Simd::Portable {
        return Ok(None);
    }
    let primes = primes_below(1 << 50, 256, 6, &[])?;
    let outcome = |k: Simd| {
        let (a, b) = (numbers(&primes[0], 3), numbers(&primes[0], 5));
        k.run(Sums {
            q: &primes[0],
            a: &a,
            b: &b,
        })
    };
    if outcome(kernel) != outcome(Simd::Portable) {
        return Ok(Some("sums of products"));
    }
    if conversions(kernel, &primes)? != conversions(Simd::Portable, &primes)? {
        return Ok(Some("conversions between bases"));
    }
    if samples(kernel)? != samples(Simd::Portable)? {
        return Ok(Some("Gaussian samples"));
    }
    Ok(None)
}

const LEN: usize = 64;

/// Residues, the edges among them.
fn numbers(q: &Modulus, seed: u64) -> [u64; LEN] {
    let p = q.value();
    let edges = [0, 1, p - 1, p / 2, p / 2 + 1];
    std::array::from_fn(|i| match edges.get(i.wrapping_sub(seed as usize)) {
        Some(&edge) => edge,
        None => q.pow(seed, 1000 + i as u64),
    })
}

/// For each pair of residues a (a b + b b) + a b, and (a + b, a - b).
struct Sums<'a> {
    q: &'a Modulus,
    a: &'a [u64; LEN],
    b: &'a [u64; LEN],
}

impl WithSimd for Sums<'_> {
    type Output = [[u64; LEN]; 3];

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        let mut out = [[0; LEN]; 3];
        let factor = L::encode_factor(self.q, self.a[7]);
        for c in (0..LEN).step_by(L::WIDTH) {
            // SAFETY: all have LEN words, a multiple of the width; two products fit a sum; the caller saw the
            // instructions.
            unsafe {
                let (field, factor) = (L::field(self.q), L::factor(&factor));
                let a = L::load(field, self.a.as_ptr().add(c));
                let b = L::load(field, self.b.as_ptr().add(c));
                let sum = L::sum_mul(L::sum_mul(L::sum_zero(field), a, b), b, b);
                let sum = L::sum_reduce(field, sum).reduce_lazy(field).mul(field, factor);
                let sum = sum.reduce_lazy(field).add(field, b.mul(field, factor));
                let (up, down) = L::butterfly_unit(field, a, b);
                sum.store(field, out[0].as_mut_ptr().add(c));
                up.store(field, out[1].as_mut_ptr().add(c));
                down.store(field, out[2].as_mut_ptr().add(c));
            }
        }
        out
    }
}

/// A lift and a rounded division.
fn conversions(kernel: Simd, primes: &[Modulus]) -> Result<[Vec<u64>; 2], ArithError> {
    let (from, to) = primes.split_at(primes.len() / 2);
    let source: Vec<[u64; LEN]> = from.iter().zip(2..).map(|(q, seed)| numbers(q, seed)).collect();
    let source: Vec<&[u64]> = source.iter().map(<[u64; LEN]>::as_slice).collect();
    let (from, to) = (Basis::new(from)?, Basis::new(to)?);
    let run = |conversion: Conversion| {
        let own = to.moduli().iter().zip(11..).map(|(q, seed)| numbers(q, seed));
        let mut own: Vec<[u64; LEN]> = own.collect();
        let mut target: Vec<&mut [u64]> = own.iter_mut().map(<[u64; LEN]>::as_mut_slice).collect();
        conversion.run(&source, &mut target)?;
        Ok(own.concat())
    };
    Ok([
        run(Conversion::unproven_lift(kernel, &from, &to)?)?,
        run(Conversion::unproven_division(kernel, &from, &to)?)?,
    ])
}

fn samples(kernel: Simd) -> Result<[i32; 100], ArithError> {
    let mut out = [0; 100];
    Gaussian::with_kernel(3.2, kernel)?.sample(&mut Stream::new(&Seed::from_bytes([7; 32])), &mut out);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::shapes::{Fault, Shape};

    #[test]
    fn right_kernels_are_proven() {
        for kernel in Simd::tested() {
            let start = std::time::Instant::now();
            assert_eq!(first_difference(kernel), Ok(None), "{kernel:?}");
            println!("{}: {:?}", kernel.name(), start.elapsed());
        }
    }

    #[test]
    fn wrong_kernels_are_refused() {
        let next = Simd::available().last().map(|k| k.name());
        for (fault, expected) in [
            (Fault::Product, "sums of products"),
            (Fault::Sum, "sums of products"),
            (Fault::Fraction, "conversions between bases"),
        ] {
            let wrong = Simd::Shape(Shape::Faulty(fault));
            let Err(refusal) = wrong.prove() else {
                panic!("{fault:?} is not seen");
            };
            let ArithError::WrongKernel {
                kernel,
                operation,
                instead,
            } = &refusal
            else {
                panic!("{refusal}")
            };
            assert_eq!((*kernel, *operation, Some(*instead)), ("faulty", expected, next));
            let message = refusal.to_string();
            let mend = format!("RINGMILL_KERNEL={instead}");
            assert!(message.contains(&mend) && message.contains("report"), "{message}");
            // And nothing is made for it.
            let primes = primes_below(1 << 50, 256, 2, &[]).unwrap();
            let [from, to] = [0, 1].map(|i| Basis::new(&primes[i..=i]).unwrap());
            assert_eq!(Conversion::lift(wrong, 1, &from, &to).err(), Some(refusal));
        }
    }
}
