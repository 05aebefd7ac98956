//! The contract, operation by operation.

use ringmill_arith::Basis;
use ringmill_device::{Device, DeviceError, Digits, Pair, SwitchingKey, WordKey};
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

    fn basis<'a>(&self, a: &'a CudaPoly) -> &'a Basis {
        a.basis()
    }

    fn domain(&self, a: &CudaPoly) -> Domain {
        a.domain()
    }

    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<CudaPoly, DeviceError> {
        let expected = basis.len() * self.n();
        if words.len() != expected {
            return Err(DeviceError::WrongLength {
                expected,
                got: words.len(),
            });
        }
        for (limb, q) in words.chunks_exact(self.n()).zip(basis.moduli()) {
            if let Some((index, &word)) = limb.iter().enumerate().find(|&(_, &word)| word >= q.value()) {
                let modulus = q.value();
                return Err(DeviceError::OutOfRange { modulus, index, word });
            }
        }
        // Sees that the kernels can compute modulo all of them.
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
        // A card that fails here fails everywhere: its memory is lost with the context.
        let _ = self.store.wipe(a.words());
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.store.finish()
    }

    fn rest(&self, a: &CudaPoly) {
        self.store.rest(a.words());
    }

    fn expect(&self, a: &CudaPoly) {
        self.store.expect(a.words());
    }

    fn restrict(&self, a: &CudaPoly, to: &Basis) -> Result<CudaPoly, DeviceError> {
        self.restricted(a, to)
    }

    fn join(&self, parts: &[&CudaPoly]) -> Result<CudaPoly, DeviceError> {
        self.joined(parts)
    }

    fn transform(&self, a: CudaPoly, to: Domain) -> Result<CudaPoly, DeviceError> {
        self.transformed(a, to)
    }

    fn sum(&self, terms: &[&CudaPoly]) -> Result<CudaPoly, DeviceError> {
        let terms: Vec<_> = terms.iter().map(|&term| (term, false)).collect();
        self.signed_sum(&terms)
    }

    fn sub(&self, a: &CudaPoly, b: &CudaPoly) -> Result<CudaPoly, DeviceError> {
        self.signed_sum(&[(a, false), (b, true)])
    }

    fn negate(&self, a: &CudaPoly) -> Result<CudaPoly, DeviceError> {
        self.signed_sum(&[(a, true)])
    }

    fn dot(&self, pairs: &[(&CudaPoly, &CudaPoly)], to: Domain) -> Result<CudaPoly, DeviceError> {
        self.dots_of(&[pairs.to_vec()], 1, to)?
            .pop()
            .ok_or(DeviceError::NoOperands)
    }

    fn dots(
        &self,
        sums: &[Vec<(&CudaPoly, &CudaPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        self.dots_of(sums, multiplier, to)
    }

    fn products(
        &self,
        batch: Vec<CudaPoly>,
        factors: &[&CudaPoly],
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        self.products_of(batch, factors)
    }

    fn automorphism(&self, a: &CudaPoly, exponent: u64) -> Result<CudaPoly, DeviceError> {
        self.moved(a, exponent)
    }

    fn lift(&self, a: &CudaPoly, extension: &Basis, to: Domain) -> Result<CudaPoly, DeviceError> {
        self.lifts(&[a], extension, to)?
            .pop()
            .ok_or(DeviceError::NoOperands)
    }

    fn lifts(
        &self,
        polys: &[&CudaPoly],
        extension: &Basis,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        self.lift_all(polys, extension, to)
    }

    fn scale(&self, c: &CudaPoly, t: u64, keep: usize) -> Result<CudaPoly, DeviceError> {
        self.scale_down(c, t, keep)
    }

    fn rescale(&self, a: &CudaPoly, to: &Basis, domain: Domain) -> Result<CudaPoly, DeviceError> {
        self.rescale_all(&[a], to, domain)?
            .pop()
            .ok_or(DeviceError::NoOperands)
    }

    fn decompose(&self, a: &CudaPoly, digits: &Digits) -> Result<Vec<CudaPoly>, DeviceError> {
        self.digits_of(a, digits)
    }

    fn words(&self, a: &CudaPoly, bits: u32, over: &Basis) -> Result<Vec<CudaPoly>, DeviceError> {
        self.words_over(a, bits, over)
    }

    fn word_switch(
        &self,
        batch: &[&CudaPoly],
        key: &WordKey<CudaPoly>,
        domain: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        self.words_switched(batch, key, domain)
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
        let basis = a.basis();
        self.key_switched(a, addends, Switch { basis, digits, key }, (to, domain))
    }

    fn rotate(
        &self,
        first: &CudaPoly,
        parts: &[CudaPoly],
        digits: &Digits,
        key: &SwitchingKey<CudaPoly>,
        exponent: u64,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let basis = first.basis();
        self.rotated(first, parts, Switch { basis, digits, key }, exponent)
    }
}
