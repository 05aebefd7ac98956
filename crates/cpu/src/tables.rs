use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use num_bigint::BigUint;
use ringmill_arith::{ArithError, Basis, Conversion, Modulus, Simd};
use ringmill_ring::{Ring, RingError, Transform};

/// Precomputed tables, made when first needed and kept.
#[derive(Debug, Default)]
pub(super) struct Tables {
    transforms: Cache<Modulus, Transform>,
    lifts: Cache<(Basis, Basis), Conversion>,
    divisions: Cache<(BigUint, Basis, Basis), Conversion>,
    corrections: Cache<(BigUint, Basis, Basis), Conversion>,
}

type Cache<K, V> = RwLock<HashMap<K, Arc<V>>>;

/// The cached value, or a new one. Two threads may both make it; the first kept is used.
fn cached<K: Hash + Eq, V, E>(
    cache: &Cache<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V, E>,
) -> Result<Arc<V>, E> {
    let read = cache.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = read.get(&key) {
        return Ok(Arc::clone(value));
    }
    drop(read);
    let value = Arc::new(make()?);
    let mut write = cache.write().unwrap_or_else(PoisonError::into_inner);
    Ok(Arc::clone(write.entry(key).or_insert(value)))
}

impl Tables {
    pub(super) fn transform(
        &self,
        ring: &Ring,
        q: &Modulus,
        kernel: Simd,
    ) -> Result<Arc<Transform>, RingError> {
        cached(&self.transforms, *q, || Transform::new(ring, *q, kernel))
    }

    pub(super) fn lift(&self, kernel: Simd, from: &Basis, to: &Basis) -> Result<Arc<Conversion>, ArithError> {
        cached(&self.lifts, (from.clone(), to.clone()), || {
            Conversion::lift(kernel, 1, from, to)
        })
    }

    pub(super) fn divide(
        &self,
        kernel: Simd,
        t: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Arc<Conversion>, ArithError> {
        let key = (t.clone(), from.clone(), to.clone());
        cached(&self.divisions, key, || {
            Conversion::divide_round(kernel, t, from, to)
        })
    }

    pub(super) fn correction(
        &self,
        kernel: Simd,
        t: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Arc<Conversion>, ArithError> {
        let key = (t.clone(), from.clone(), to.clone());
        cached(&self.corrections, key, || {
            Conversion::correction(kernel, t, from, to)
        })
    }
}
