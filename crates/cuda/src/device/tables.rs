//! Small tables that kernels look up by limb.

use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;

use super::CudaDevice;
use super::cache::Cache;
use super::store::Constant;

/// Words in the device's memory.
#[derive(Debug, Default)]
pub(super) struct Tables {
    places: Cache<(Basis, Basis), Constant>,
    factors: Cache<(Basis, BigUint), Constant>,
}

impl CudaDevice {
    /// For each prime of `basis` the number of its limb in `among`.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`].
    pub(super) fn places(&self, basis: &Basis, among: &Basis) -> Result<Arc<Constant>, DeviceError> {
        let key = (basis.clone(), among.clone());
        self.tables.places.get(key, |(basis, among)| {
            let place = |q| Some(among.position(q)? as u64);
            let places = basis.moduli().iter();
            let places = places.map(|q| place(q).ok_or(DeviceError::MissingLimb(q.value())));
            self.store.constant(&places.collect::<Result<Vec<_>, _>>()?)
        })
    }

    /// A number as a factor modulo each prime.
    pub(super) fn factors(&self, basis: &Basis, number: &BigUint) -> Result<Arc<Constant>, DeviceError> {
        let key = (basis.clone(), number.clone());
        self.tables.factors.get(key, |(basis, number)| {
            let mut words = Vec::with_capacity(self.arithmetic.factor_words() * basis.len());
            for q in basis.moduli() {
                let residue = (number % q.value()).to_u64().unwrap_or(0); // below q
                self.arithmetic.encode(q, residue, &mut words);
            }
            self.store.constant(&words)
        })
    }
}
