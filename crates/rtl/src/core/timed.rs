use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringmill_arith::Basis;
use ringmill_device::{
    Device, DeviceError, Digits, GroupedKey, Pair, SwitchingKey, Tensor, delegate, provide,
};
use ringmill_ring::Domain;

use super::{Configuration, Counts, MemoryTiming, Operation};
use crate::RtlError;

type Result<T, E = DeviceError> = std::result::Result<T, E>;

/// A device that computes on another one and records what it is asked to do, so that the time of a whole job on a core
/// can be told ([`OperationLog::counts`]).
///
/// Operations that move polynomials between host and device, copies, and views of limbs are not recorded.
#[derive(Debug)]
pub struct Timed<D> {
    inner: D,
    log: Arc<OperationLog>,
}

impl<D> Timed<D> {
    /// The device that computes.
    pub const fn inner(&self) -> &D {
        &self.inner
    }

    /// Records in a log what the device does.
    #[must_use]
    pub const fn new(inner: D, log: Arc<OperationLog>) -> Self {
        Self { inner, log }
    }
}

/// Operations, and how often each was done.
#[derive(Debug, Default)]
pub struct OperationLog(Mutex<HashMap<Operation, u64>>);

impl OperationLog {
    fn lock(&self) -> MutexGuard<'_, HashMap<Operation, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, operation: Operation) {
        *self.lock().entry(operation).or_default() += 1;
    }

    /// Forgets all operations.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// What was recorded so far; it begins anew.
    #[must_use]
    pub fn take(&self) -> Self {
        Self(Mutex::new(std::mem::take(&mut *self.lock())))
    }

    /// Has these operations in place of those that it had.
    pub fn replace(&self, operations: Vec<(Operation, u64)>) {
        *self.lock() = operations.into_iter().collect();
    }

    /// The operations so far, each with how often it was done, in no order.
    #[must_use]
    pub fn operations(&self) -> Vec<(Operation, u64)> {
        let log = self.lock();
        log.iter()
            .map(|(operation, &times)| (operation.clone(), times))
            .collect()
    }

    /// The counters of a core that does all of them, one after the other, each with its operands and results in memory.
    ///
    /// # Errors
    /// As [`Operation::counts`].
    pub fn counts(&self, configuration: Configuration, memory: MemoryTiming) -> Result<Counts, RtlError> {
        let mut sum = Counts::default();
        for (operation, times) in self.operations() {
            sum += operation.counts(configuration, memory)?.times(times);
        }
        Ok(sum)
    }
}

impl<D: Device> Timed<D> {
    fn add(&self, operation: Operation) {
        self.log.add(operation);
    }

    fn basis_of(&self, a: &D::Poly) -> Basis {
        self.inner.basis(a).clone()
    }

    /// The basis and the domain of a polynomial.
    fn kind(&self, a: &D::Poly) -> (Basis, Domain) {
        (self.basis_of(a), self.inner.domain(a))
    }
}

impl<D: Device> Device for Timed<D> {
    type Poly = D::Poly;

    delegate!(
        self.inner: ring, name, memory, narrow_transform_time, basis, domain, upload, download, copy, wipe, finish, hint_idle, prefetch, release,
        restrict, concat_limbs
    );

    provide!(rotated_sums);

    fn transform(&self, a: D::Poly, to: Domain) -> Result<D::Poly> {
        let (basis, from) = self.kind(&a);
        if from != to {
            self.add(Operation::Transform { basis, to });
        }
        self.inner.transform(a, to)
    }

    fn sum(&self, terms: &[&D::Poly]) -> Result<D::Poly> {
        if let [first, _, ..] = terms {
            self.add(Operation::Sum {
                basis: self.basis_of(first),
                terms: terms.len(),
            });
        }
        self.inner.sum(terms)
    }

    fn sub(&self, a: &D::Poly, b: &D::Poly) -> Result<D::Poly> {
        let basis = self.basis_of(a);
        self.add(Operation::Subtract { basis });
        self.inner.sub(a, b)
    }

    fn negate(&self, a: &D::Poly) -> Result<D::Poly> {
        let basis = self.basis_of(a);
        self.add(Operation::Negate { basis });
        self.inner.negate(a)
    }

    fn inner_product(&self, pairs: &[(&D::Poly, &D::Poly)], to: Domain) -> Result<D::Poly> {
        self.record_products(&[pairs.to_vec()], to);
        self.inner.inner_product(pairs, to)
    }

    fn inner_products(
        &self,
        sums: &[Vec<(&D::Poly, &D::Poly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<D::Poly>> {
        self.record_products(sums, to);
        self.inner.inner_products(sums, multiplier, to)
    }

    fn multiply_fixed(&self, batch: Vec<D::Poly>, factors: &[&D::Poly]) -> Result<Vec<Vec<D::Poly>>> {
        if let Some(first) = batch.first() {
            self.add(Operation::MultiplyFixed {
                basis: self.basis_of(first),
                batch: batch.len(),
                factors: factors.len(),
            });
        }
        self.inner.multiply_fixed(batch, factors)
    }

    fn automorphism(&self, a: &D::Poly, exponent: u64) -> Result<D::Poly> {
        let (basis, domain) = self.kind(a);
        self.add(Operation::Automorphism {
            basis,
            domain,
            moves: exponent != 1,
        });
        self.inner.automorphism(a, exponent)
    }

    fn lift(&self, a: &D::Poly, extension: &Basis, to: Domain) -> Result<D::Poly> {
        self.record_lifts(&[a], extension, to);
        self.inner.lift(a, extension, to)
    }

    fn lifts(&self, polys: &[&D::Poly], extension: &Basis, to: Domain) -> Result<Vec<D::Poly>> {
        self.record_lifts(polys, extension, to);
        self.inner.lifts(polys, extension, to)
    }

    fn scale(&self, c: &D::Poly, t: u64, keep: usize) -> Result<D::Poly> {
        let basis = self.basis_of(c);
        self.add(Operation::Scale { basis, keep });
        self.inner.scale(c, t, keep)
    }

    fn rescale(&self, a: &D::Poly, to: &Basis, domain: Domain) -> Result<D::Poly> {
        let (from, to_kind) = (self.kind(a), (to.clone(), domain));
        self.add(Operation::Rescale { from, to: to_kind });
        self.inner.rescale(a, to, domain)
    }

    fn decompose(&self, a: &D::Poly, digits: &Digits) -> Result<Vec<D::Poly>> {
        self.add(Operation::Decompose {
            from: self.kind(a),
            digits: digits.clone(),
        });
        self.inner.decompose(a, digits)
    }

    fn decompose_base_two(&self, a: &D::Poly, bits: u32, over: &Basis) -> Result<Vec<D::Poly>> {
        self.add(Operation::DecomposeBaseTwo {
            from: self.kind(a),
            bits,
            over: over.clone(),
        });
        self.inner.decompose_base_two(a, bits, over)
    }

    fn key_switch_grouped(
        &self,
        batch: &[&D::Poly],
        key: &GroupedKey<D::Poly>,
        domain: Domain,
    ) -> Result<Vec<D::Poly>> {
        if let Some(first) = batch.first() {
            self.add(Operation::KeySwitchGrouped {
                from: self.kind(first),
                batch: batch.len(),
                bits: key.bits,
                auxiliary: key.auxiliary.clone(),
                groups: key.groups.iter().map(|group| group.limbs.clone()).collect(),
                to: domain,
            });
        }
        self.inner.key_switch_grouped(batch, key, domain)
    }

    fn extend_by_p(&self, a: &D::Poly, digits: &Digits) -> Result<D::Poly> {
        let from = self.kind(a);
        if let Ok(extended) = digits.extended(&from.0) {
            let to = (extended, from.1);
            self.add(Operation::Rescale { from, to });
        }
        self.inner.extend_by_p(a, digits)
    }

    fn key_switch(
        &self,
        a: &D::Poly,
        addends: &[Pair<&D::Poly>],
        digits: &Digits,
        key: &SwitchingKey<D::Poly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<D::Poly>> {
        self.add(Operation::KeySwitch {
            from: self.kind(a),
            addends: self.domains(addends),
            digits: digits.clone(),
            to: (to.clone(), domain),
        });
        self.inner.key_switch(a, addends, digits, key, to, domain)
    }

    fn relinearize(
        &self,
        tensor: &Tensor<'_, D::Poly>,
        addends: &[Pair<&D::Poly>],
        digits: &Digits,
        key: &SwitchingKey<D::Poly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<D::Poly>> {
        if let Some(&(first, _)) = tensor.sums.iter().flatten().next() {
            self.add(Operation::Relinearize {
                third: self.kind(tensor.third),
                wide: self.basis_of(first),
                sums: numbered(&tensor.sums),
                addends: self.domains(addends),
                digits: digits.clone(),
                to: (to.clone(), domain),
            });
        }
        self.inner.relinearize(tensor, addends, digits, key, to, domain)
    }

    fn rotate(
        &self,
        first: &D::Poly,
        parts: &[D::Poly],
        digits: &Digits,
        key: &SwitchingKey<D::Poly>,
        exponent: u64,
    ) -> Result<Pair<D::Poly>> {
        self.add(Operation::Rotate {
            first: self.kind(first),
            digits: digits.clone(),
            moves: exponent != 1,
        });
        self.inner.rotate(first, parts, digits, key, exponent)
    }
}

impl<D: Device> Timed<D> {
    fn record_lifts(&self, polys: &[&D::Poly], extension: &Basis, to: Domain) {
        if let Some(first) = polys.first() {
            self.add(Operation::Lifts {
                basis: self.basis_of(first),
                extension: extension.clone(),
                polys: polys.len(),
                to,
            });
        }
    }

    fn domains(&self, addends: &[Pair<&D::Poly>]) -> Vec<Pair<Domain>> {
        let domains = |pair: &Pair<&D::Poly>| (self.inner.domain(pair.0), self.inner.domain(pair.1));
        addends.iter().map(domains).collect()
    }

    fn record_products(&self, sums: &[Vec<(&D::Poly, &D::Poly)>], to: Domain) {
        let Some(&(first, _)) = sums.iter().flatten().next() else {
            return;
        };
        self.add(Operation::InnerProducts {
            basis: self.basis_of(first),
            sums: numbered(sums),
            to,
        });
    }
}

/// The operands of sums of products by their numbers among all that differ.
fn numbered<P>(sums: &[Vec<(&P, &P)>]) -> Vec<Vec<(usize, usize)>> {
    let mut operands: Vec<*const P> = Vec::new();
    let mut number = |a: &P| {
        let found = operands.iter().position(|&other| std::ptr::eq(other, a));
        found.unwrap_or_else(|| {
            operands.push(a);
            operands.len() - 1
        })
    };
    let sums = sums.iter().map(|pairs| {
        let pairs = pairs.iter().map(|&(a, b)| (number(a), number(b)));
        pairs.collect()
    });
    sums.collect()
}
