//! Automorphisms.

use ringmill_device::DeviceError;
use ringmill_ring::{Domain, Ring};
use zerocopy::{Immutable, IntoBytes};

use super::linear::THREADS;
use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// An automorphism as a map of indices: `Map` in `kernels/map.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, IntoBytes, Immutable)]
pub(super) struct Map {
    kind: u32,
    log_n: u32,
    factor: u32,
    tops: u32,
}

impl Map {
    const LOGARITHMS: u32 = 1;
    const VALUES: u32 = 2;
    const SIGNED: u32 = 3;

    /// The map of x -> x.
    pub(super) const IDENTITY: Self = Self {
        kind: 0,
        log_n: 0,
        factor: 0,
        tops: 0,
    };

    /// Makes the map of x -> x^`exponent` in one domain.
    ///
    /// # Errors
    /// [`ringmill_ring::RingError::NotAUnit`] if the exponent is not a unit modulo the conductor.
    pub(super) fn new(ring: &Ring, exponent: u64, domain: Domain) -> Result<Self, DeviceError> {
        let inverse = ring.inverse(exponent)?;
        let exponent = exponent % ring.conductor();
        let factor = match domain {
            Domain::Coefficient => inverse,
            Domain::Evaluation => exponent,
        };
        // All these numbers are below the conductor, which is below 2^32.
        let (kind, factor, tops) = match (ring.as_fermat(), domain) {
            (Some(ring), _) => {
                let logarithms = ring.index_of(factor).unwrap_or(0); // a unit has one
                (Self::LOGARITHMS, logarithms as u64, tops(ring.orders()))
            }
            (None, Domain::Evaluation) => (Self::VALUES, factor, 0),
            (None, Domain::Coefficient) => (Self::SIGNED, factor, 0),
        };
        Ok(Self {
            kind,
            log_n: ring.n().trailing_zeros(),
            factor: factor as u32,
            tops,
        })
    }
}

/// The highest bit of each logarithm in an index. The last group, whose order comes last, has the lowest
/// bits.
fn tops(orders: &[usize]) -> u32 {
    let mut end = 1;
    orders.iter().rev().fold(0, |tops, &order| {
        end *= order as u32;
        tops | (end / 2)
    })
}

/// `MoveParameters` in `kernels/limbs.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct MoveParameters {
    from: Address,
    to: Address,
    primes: Address,
    n: u64,
    map: Map,
}

layout! {
    "kernels/map.cuh": Map { kind, log_n, factor, tops }
    "kernels/limbs.cuh": MoveParameters { from, to, primes, n, map }
}

impl CudaDevice {
    /// Applies x -> x^exponent in either domain.
    pub(super) fn moved(&self, a: &CudaPoly, exponent: u64) -> Result<CudaPoly, DeviceError> {
        let map = Map::new(&self.ring, exponent, a.domain())?;
        let primes = self.primes.of(&self.store, a.basis())?;
        let result = self.allocate(a.basis(), a.domain())?;
        let mut task = self.store.task();
        let parameters = MoveParameters {
            from: task.read(a.words())?,
            to: task.write(result.words())?,
            primes: primes.address(),
            n: self.n() as u64,
            map,
        };
        let grid = [self.n().div_ceil(THREADS), a.basis().len(), 1];
        // SAFETY: the structure is the kernel's; both polynomials have n words for each limb, and the primes live as
        // long as the device.
        unsafe { task.launch(&self.entry("move"), grid, THREADS as u32, &parameters)? };
        Ok(result)
    }
}
