//! Exact conversions between bases.

mod rescale;

use std::sync::Arc;

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;

use super::CudaDevice;
use super::store::Task;
use crate::machine::Address;

/// What a conversion writes modulo each target prime, for D the product of the source primes and X = [t x]_D, the
/// centred representative in (-D/2, D/2), t being the multiplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// X.
    Lift,
    /// (t y - X) / D, y being the job's own words: division by D with rounding.
    Divide,
    /// -X / D: what a division adds to t y / D.
    Correction,
}

/// A conversion from one basis to another, disjoint one, with its tables on the card.
#[derive(Debug)]
pub(super) struct Conversion {
    from: Basis,
    to: Basis,
    kind: Kind,
}

/// Limbs on the card in coefficient domain: where they begin, and the primes of all that are there, in order.
pub(super) type Limbs<'a> = (Address, &'a Basis);

/// A conversion to be done, of all n columns.
pub(super) struct ConversionJob<'a> {
    pub(super) conversion: &'a Arc<Conversion>,
    /// Holds all source primes, in any order and perhaps with others.
    pub(super) from: Limbs<'a>,
    /// Holds all target primes, in any order and perhaps with others, which are left as they are. No limb
    /// that is written may be read by this or another job, but as its own y.
    pub(super) to: Limbs<'a>,
    /// The y of a division, 0 modulo primes that it lacks; it may be the same as `to`.
    pub(super) own: Option<Limbs<'a>>,
}

impl CudaDevice {
    /// The conversion of this kind, made once.
    ///
    /// # Errors
    /// If a prime is in both bases or too large for the kernels, or there are more than 128 source primes.
    pub(super) fn conversion(
        &self,
        kind: Kind,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Arc<Conversion>, DeviceError> {
        todo!()
    }

    /// Runs conversions, any of them together, in as few launches as their parameters allow.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] if a job's limbs lack a prime; if the card fails.
    pub(super) fn convert(&self, task: &mut Task, jobs: &[ConversionJob<'_>]) -> Result<(), DeviceError> {
        todo!()
    }
}
