use std::sync::Arc;

use ringmill_arith::{ArithError, Basis, Modulus};
use ringmill_device::DeviceError;
use zerocopy::{Immutable, IntoBytes};

use super::Arithmetic;
use super::cache::Cache;
use super::store::{Constant, Store};
use crate::layout::layout;

/// A prime with the constants of reductions: `Prime` in `kernels/prime.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, IntoBytes, Immutable)]
pub(super) struct Prime {
    q: u64,
    p: f64,
    inverse: f64,
    ratio: u64,
    shift: u64,
    aligned: u64,
}

layout! {
    "kernels/prime.cuh": Prime { q, p, inverse, ratio, shift, aligned }
}

impl Prime {
    /// # Errors
    /// [`ArithError::BadModulus`] if the prime is too large for the kernels.
    fn new(q: &Modulus) -> Result<Self, ArithError> {
        let (value, bits) = (q.value(), q.bits());
        if bits > Arithmetic::MAX_BITS {
            return Err(ArithError::BadModulus(value));
        }
        // The result is below 2^64 because q is above 2^(bits - 1).
        let aligned = ((1u128 << (2 * bits + 1)) / u128::from(value)) << (61 - bits);
        Ok(Self {
            q: value,
            p: value as f64,
            inverse: 1.0 / value as f64,
            // This is also the quotient of 2^64 and q, because q is odd and does not divide 2^64.
            ratio: u64::MAX / value,
            shift: u64::from(bits) - 2,
            aligned: aligned as u64,
        })
    }

    fn words(&self) -> [u64; 6] {
        zerocopy::transmute!(*self)
    }
}

/// The primes of bases in the device's memory.
#[derive(Debug, Default)]
pub(super) struct Primes(Cache<Basis, Constant>);

impl Primes {
    /// Returns an array of [`Prime`], one for each limb.
    pub(super) fn of(&self, store: &Arc<Store>, basis: &Basis) -> Result<Arc<Constant>, DeviceError> {
        self.0.get(basis.clone(), || {
            let mut words = Vec::with_capacity(6 * basis.len());
            for q in basis.moduli() {
                words.extend(Prime::new(q)?.words());
            }
            store.constant(&words)
        })
    }
}
