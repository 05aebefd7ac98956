//! Exact conversions between bases.

mod launch;
mod lift;
mod multiples;
mod rescale;
mod source;
#[cfg(test)]
#[cfg(feature = "emulator")]
mod tests;
mod words;

use std::sync::Arc;

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::DeviceError;

use super::CudaDevice;
use super::cache::Cache;
use super::store::Constant;
use crate::gpu::Address;
pub(super) use source::Missing;
use source::{Places, Sources, residue};
use words::Cut;

/// The number of targets whose weights lie together: `TOGETHER` in `kernels/convert.cuh`.
const TOGETHER: usize = 2;

/// The value that a conversion writes modulo each target prime. D is the product of the source primes, t the
/// multiplier, and X = [t x]_D the centred representative in (-D/2, D/2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ConversionKind {
    /// X.
    Lift,
    /// (t y - X) / D, with y the job's own words: division by D with rounding.
    Divide,
    /// -X / D: the term that a division adds to t y / D.
    Correction,
}

/// A conversion from one basis to another, disjoint one, with its tables on the GPU.
#[derive(Debug)]
pub(super) struct Conversion {
    sources: Sources,
    to: Basis,
    tables: Tables,
}

/// The tables of a conversion's targets.
#[derive(Debug)]
struct Tables {
    primes: Arc<Constant>,
    /// Factors: the weights of every [`TOGETHER`] targets, source by source; then those of v; then, for a
    /// division, those of the words from which it starts.
    words: Constant,
    /// The position at which the factors of v begin.
    turns: usize,
    /// The position at which the last factors begin.
    own: usize,
}

/// Limbs on the GPU in coefficient domain: their address, and the basis of all limbs that are there, in
/// order.
pub(super) type Limbs<'a> = (Address, &'a Basis);

/// A conversion to be done on all n columns.
pub(super) struct ConversionJob<'a> {
    /// A result of [`CudaDevice::conversion`].
    pub(super) conversion: &'a Arc<Conversion>,
    /// The source limbs: all source primes, in any order and possibly with others.
    pub(super) from: Limbs<'a>,
    /// The target limbs: all target primes, in any order and possibly with others, which stay as they are.
    /// This job may read a limb that it writes only as its own y, and no other job may read it.
    pub(super) to: Limbs<'a>,
    /// The y of a division, 0 modulo primes that it lacks; it may be the same as `to`. `None` for other
    /// kinds.
    pub(super) own: Option<Limbs<'a>>,
}

/// The conversions made so far, and tables for them.
#[derive(Debug, Default)]
pub(super) struct Conversions {
    made: Cache<(ConversionKind, BigUint, Basis, Basis), Conversion>,
    places: Cache<Places, Constant>,
    /// Quotients modulo every prime of a basis.
    ratios: Cache<(BigUint, BigUint, Basis), Constant>,
    /// The tables of polynomials for word decomposition.
    sources: Cache<Basis, Sources>,
    /// The tables of digits; the key is their basis, bits and number, and the words of integers.
    cuts: Cache<(Basis, u32, usize, usize), Cut>,
}

impl CudaDevice {
    /// Returns the conversion of this kind, which it makes once.
    ///
    /// # Errors
    /// Errors arise if a prime is in both bases or too large for the kernels, or if there are more than 128
    /// source primes.
    pub(super) fn conversion(
        &self,
        kind: ConversionKind,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Arc<Conversion>, DeviceError> {
        let key = (kind, multiplier.clone(), from.clone(), to.clone());
        self.conversions
            .made
            .get(key, || Conversion::new(self, kind, multiplier, from, to))
    }
}

impl Conversion {
    fn new(
        device: &CudaDevice,
        kind: ConversionKind,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Self, DeviceError> {
        // This checks that the bases are disjoint.
        from.concat(to)?;
        Ok(Self {
            sources: Sources::new(device, from, multiplier)?,
            to: to.clone(),
            tables: Tables::new(device, kind, multiplier, from, to)?,
        })
    }
}

impl Tables {
    fn new(
        device: &CudaDevice,
        kind: ConversionKind,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Self, DeviceError> {
        let product = from.product();
        let cofactors: Vec<BigUint> = from.moduli().iter().map(|q| &product / q.value()).collect();
        let (mut weights, mut turns, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let encode = |q: &Modulus, w, table: &mut Vec<u64>| device.arithmetic.encode(q, w, table);
        // To subtract X and divide by D, every term of X is multiplied by -1/D.
        let fold = |q: &Modulus| match q.inv(q.neg(residue(&product, q))) {
            Some(inverse) if kind != ConversionKind::Lift => inverse,
            _ => 1,
        };
        for targets in to.moduli().chunks(TOGETHER) {
            for cofactor in &cofactors {
                for k in 0..TOGETHER {
                    // The last target fills up the group.
                    let q = &targets[k.min(targets.len() - 1)];
                    encode(q, q.mul(residue(cofactor, q), fold(q)), &mut weights);
                }
            }
        }
        for q in to.moduli() {
            encode(q, q.mul(q.neg(residue(&product, q)), fold(q)), &mut turns);
            if kind == ConversionKind::Divide {
                encode(q, q.mul(residue(multiplier, q), q.neg(fold(q))), &mut own);
            }
        }
        let (turns_at, own_at) = (weights.len(), weights.len() + turns.len());
        Ok(Self {
            primes: device.primes.of(&device.store, to)?,
            words: device.store.constant(&[weights, turns, own].concat())?,
            turns: turns_at,
            own: own_at,
        })
    }
}
