//! Implements the contract, operation by operation.

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::{
    Device, DeviceError, Digits, GroupedKey, Pair, SwitchingKey, Tensor, provide, provided, refusals,
};
use ringmill_ring::{Domain, Ring};

use super::key_sums::Switch;
use super::{CudaDevice, CudaPoly};

impl Device for CudaDevice {
    type Poly = CudaPoly;

    fn ring(&self) -> &Ring {
        &self.ring
    }

    fn name(&self) -> String {
        format!(
            "cuda ({}, {})",
            self.store.machine().name(),
            self.arithmetic.name()
        )
    }

    fn memory(&self) -> Option<u64> {
        self.store.capacity().ok()
    }

    fn narrow_transform_time(&self) -> f64 {
        1.0
    }

    fn basis<'a>(&self, a: &'a CudaPoly) -> &'a Basis {
        a.basis()
    }

    fn domain(&self, a: &CudaPoly) -> Domain {
        a.domain()
    }

    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<CudaPoly, DeviceError> {
        refusals::upload(self, basis, words)?;
        // This checks that the kernels can compute modulo all primes.
        self.primes.of(&self.store, basis)?;
        let result = self.allocate(basis, domain)?;
        self.store.task().upload(words, result.words())?;
        Ok(result)
    }

    fn download(&self, a: &CudaPoly) -> Result<Vec<u64>, DeviceError> {
        self.store.task().download(a.words())
    }

    fn copy(&self, a: &CudaPoly) -> Result<CudaPoly, DeviceError> {
        let result = self.allocate(a.basis(), a.domain())?;
        let words = a.words();
        self.store
            .task()
            .copy((words, 0), (result.words(), 0), words.len())?;
        Ok(result)
    }

    fn wipe(&self, a: CudaPoly) {
        // If the GPU fails here, it fails everywhere: its memory is lost with the context.
        let _ = self.store.wipe(a.words());
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.store.finish()
    }

    fn hint_idle(&self, a: &CudaPoly) {
        self.store.hint_idle(a.words());
    }

    fn prefetch(&self, a: &CudaPoly) {
        self.store.prefetch(a.words());
    }

    fn restrict(&self, a: &CudaPoly, to: &Basis) -> Result<CudaPoly, DeviceError> {
        refusals::restrict(self, a, to)?;
        self.restricted(a, to)
    }

    fn concat_limbs(&self, parts: &[&CudaPoly]) -> Result<CudaPoly, DeviceError> {
        let basis = refusals::concat_limbs(self, parts)?;
        self.joined(parts, &basis)
    }

    fn transform(&self, a: CudaPoly, to: Domain) -> Result<CudaPoly, DeviceError> {
        self.transformed(a, to)
    }

    fn sum(&self, terms: &[&CudaPoly]) -> Result<CudaPoly, DeviceError> {
        refusals::sum(self, terms)?;
        let terms: Vec<_> = terms.iter().map(|&term| (term, false)).collect();
        self.signed_sum(&terms)
    }

    fn sub(&self, a: &CudaPoly, b: &CudaPoly) -> Result<CudaPoly, DeviceError> {
        refusals::sub(self, a, b)?;
        self.signed_sum(&[(a, false), (b, true)])
    }

    fn negate(&self, a: &CudaPoly) -> Result<CudaPoly, DeviceError> {
        self.signed_sum(&[(a, true)])
    }

    fn inner_products(
        &self,
        sums: &[Vec<(&CudaPoly, &CudaPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let basis = refusals::inner_products(self, sums)?;
        self.dots_of(basis, sums, multiplier, to)
    }

    fn multiply_fixed(
        &self,
        batch: Vec<CudaPoly>,
        factors: &[&CudaPoly],
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        self.products_of(batch, factors)
    }

    fn automorphism(&self, a: &CudaPoly, exponent: u64) -> Result<CudaPoly, DeviceError> {
        refusals::automorphism(self, exponent)?;
        self.moved(a, exponent)
    }

    fn lifts(
        &self,
        polys: &[&CudaPoly],
        extension: &Basis,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let basis = refusals::lifts(self, polys, extension)?;
        self.lift_all(polys, extension, &basis, to)
    }

    fn scale(&self, c: &CudaPoly, t: u64, keep: usize) -> Result<CudaPoly, DeviceError> {
        let (q, b) = refusals::scale(self, c, keep)?;
        self.scale_down(c, t, &q, &b)
    }

    fn rescale(&self, a: &CudaPoly, to: &Basis, domain: Domain) -> Result<CudaPoly, DeviceError> {
        self.rescale_all(&[a], to, domain)?
            .pop()
            .ok_or(DeviceError::NoOperands)
    }

    fn decompose(&self, a: &CudaPoly, digits: &Digits) -> Result<Vec<CudaPoly>, DeviceError> {
        refusals::decompose(self, a, digits)?;
        self.digits_of(a, digits)
    }

    fn decompose_base_two(
        &self,
        a: &CudaPoly,
        bits: u32,
        over: &Basis,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        refusals::decompose_base_two(bits)?;
        self.base_two_digits(a, bits, over)
    }

    fn key_switch_grouped(
        &self,
        batch: &[&CudaPoly],
        key: &GroupedKey<CudaPoly>,
        domain: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let used = refusals::key_switch_grouped(self, batch, key)?;
        self.words_switched(batch, key, &used, domain)
    }

    fn key_switch(
        &self,
        a: &CudaPoly,
        addends: &[Pair<&CudaPoly>],
        digits: &Digits,
        key: &SwitchingKey<CudaPoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let elements = &refusals::key_switch(self, a, addends, digits, key)?;
        let basis = a.basis();
        let switch = Switch {
            basis,
            digits,
            elements,
            further: BigUint::from(1u32),
        };
        self.key_switched(a, addends, &switch, to, domain)
    }

    fn relinearize(
        &self,
        tensor: &Tensor<'_, CudaPoly>,
        addends: &[Pair<&CudaPoly>],
        digits: &Digits,
        key: &SwitchingKey<CudaPoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let (elements, wide) = &refusals::relinearize(self, tensor, addends, digits, key)?;
        let basis = tensor.third.basis();
        let extended = digits.extended(basis)?;
        let Some(further) = wide.moduli().strip_prefix(extended.moduli()) else {
            return provided::relinearize(self, tensor, addends, digits, key, to, domain);
        };
        let switch = Switch {
            basis,
            digits,
            elements,
            further: further.iter().map(Modulus::value).product(),
        };
        self.relinearized(tensor, addends, (&switch, wide), to, domain)
    }

    fn rotate(
        &self,
        first: &CudaPoly,
        parts: &[CudaPoly],
        digits: &Digits,
        key: &SwitchingKey<CudaPoly>,
        exponent: u64,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let elements = &refusals::rotate(self, first, parts, digits, key, exponent)?;
        let basis = first.basis();
        let switch = Switch {
            basis,
            digits,
            elements,
            further: BigUint::from(1u32),
        };
        self.rotated(first, parts, &switch, exponent)
    }

    provide!(release, inner_product, lift, extend_by_p, rotated_sums);
}
