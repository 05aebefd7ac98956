use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::{ArithError, Basis, Modulus};
use ringmill_device::DeviceError;
use zerocopy::{Immutable, IntoBytes};

use super::Limbs;
use crate::device::CudaDevice;
use crate::device::store::Constant;
use crate::gpu::Address;
use crate::layout::layout;

/// The most sources of a conversion: `MOST_SOURCES` in `kernels/columns.cuh`.
pub(super) const MOST: usize = 128;
/// The most sources for which blocks need little memory: `FEW_SOURCES` there.
const FEW: usize = 40;
/// The place of a missing limb: `NOWHERE` in `kernels/convert.cuh`.
const NOWHERE: u64 = u64::MAX;

/// `Source` in `kernels/columns.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, IntoBytes, Immutable)]
pub(super) struct Source {
    words: Address,
    places: Address,
    primes: Address,
    scale: Address,
    cofactors: Address,
    count: u32,
    width: u32,
}

layout! {
    "kernels/columns.cuh": Source { words, places, primes, scale, cofactors, count, width }
}

/// The tables of the sources of conversions, for kernels.
#[derive(Debug)]
pub(super) struct Sources {
    basis: Basis,
    primes: Arc<Constant>,
    /// Scale factors, followed by cofactors.
    tables: Constant,
    scale_words: usize,
    /// The number of words of the product.
    width: usize,
}

impl Sources {
    /// Makes the tables of t x, with t the multiplier.
    ///
    /// # Errors
    /// [`ArithError::WrongLength`] for more than [`MOST`] primes; another error if a prime is too large for
    /// the kernels.
    pub(super) fn new(device: &CudaDevice, basis: &Basis, multiplier: &BigUint) -> Result<Self, DeviceError> {
        if basis.len() > MOST {
            let (expected, got) = (MOST, basis.len());
            return Err(ArithError::WrongLength { expected, got }.into());
        }
        let primes = device.primes.of(&device.store, basis)?;
        let product = basis.product();
        let cofactors: Vec<BigUint> = basis.moduli().iter().map(|q| &product / q.value()).collect();
        let mut tables = Vec::new();
        for (q, cofactor) in basis.moduli().iter().zip(&cofactors) {
            // The primes of a basis are distinct, so every cofactor is invertible.
            let inverse = q.inv(residue(cofactor, q)).unwrap_or(0);
            let scale = q.mul(residue(multiplier, q), inverse);
            device.arithmetic.encode(q, scale, &mut tables);
        }
        let scale_words = tables.len();
        let rows: Vec<Vec<u64>> = cofactors
            .iter()
            .chain([&product])
            .map(BigUint::to_u64_digits)
            .collect();
        let width = product.iter_u64_digits().len();
        for j in 0..width {
            tables.extend(rows.iter().map(|row| row.get(j).copied().unwrap_or(0)));
        }
        Ok(Self {
            basis: basis.clone(),
            primes,
            tables: device.store.constant(&tables)?,
            scale_words,
            width,
        })
    }

    /// The number of words of the sources' product.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether there are so many sources that only the kernels for many can handle them.
    pub(super) fn many(&self) -> bool {
        self.basis.len() > FEW
    }

    /// Describes these sources at an address.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] if a prime is not there.
    pub(super) fn at(&self, device: &CudaDevice, (words, basis): Limbs<'_>) -> Result<Source, DeviceError> {
        Ok(Source {
            words,
            places: device.places(&self.basis, basis, Missing::Refused)?,
            primes: self.primes.address(),
            scale: self.tables.address(),
            cofactors: self.tables.address() + 8 * self.scale_words as u64,
            count: self.basis.len() as u32,
            width: self.width as u32,
        })
    }
}

/// The treatment of primes that a basis lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::device) enum Missing {
    /// They are an error.
    Refused,
    /// Zeros stand for their limbs.
    Zero,
}

/// The basis whose limbs are wanted, the basis that holds them, and whether all must be there.
pub(super) type Places = (Basis, Basis, Missing);

impl CudaDevice {
    /// The table of the places of a basis' limbs among those of another basis.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] if a limb is not there but must be.
    pub(in crate::device) fn places(
        &self,
        of: &Basis,
        among: &Basis,
        missing: Missing,
    ) -> Result<Address, DeviceError> {
        let key = (of.clone(), among.clone(), missing);
        let table = self.conversions.places.get(key, || {
            let place = |q: &Modulus| match (among.position(q), missing) {
                (Some(place), _) => Ok(place as u64),
                (None, Missing::Zero) => Ok(NOWHERE),
                (None, Missing::Refused) => Err(DeviceError::MissingLimb(q.value())),
            };
            let places = of.moduli().iter().map(place).collect::<Result<Vec<_>, _>>()?;
            self.store.constant(&places)
        })?;
        // The device keeps the table as long as it exists.
        Ok(table.address())
    }
}

/// x modulo a prime.
pub(super) fn residue(x: &BigUint, q: &Modulus) -> u64 {
    (x % q.value()).to_u64().unwrap_or(0)
}
