//! The contract, operation by operation.

use ringmill_arith::Basis;
use ringmill_device::{Device, DeviceError, Digits};
use ringmill_ring::{Domain, Ring};

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
        todo!()
    }

    fn join(&self, parts: &[&CudaPoly]) -> Result<CudaPoly, DeviceError> {
        todo!()
    }

    fn transform(&self, a: CudaPoly, to: Domain) -> Result<CudaPoly, DeviceError> {
        todo!()
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
        todo!()
    }

    fn dots(
        &self,
        sums: &[Vec<(&CudaPoly, &CudaPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        todo!()
    }

    fn automorphism(&self, a: &CudaPoly, exponent: u64) -> Result<CudaPoly, DeviceError> {
        todo!()
    }

    fn lift(&self, a: &CudaPoly, extension: &Basis, to: Domain) -> Result<CudaPoly, DeviceError> {
        todo!()
    }

    fn scale(&self, c: &CudaPoly, t: u64, keep: usize) -> Result<CudaPoly, DeviceError> {
        todo!()
    }

    fn rescale(&self, a: &CudaPoly, to: &Basis, domain: Domain) -> Result<CudaPoly, DeviceError> {
        todo!()
    }

    fn decompose(&self, a: &CudaPoly, digits: &Digits) -> Result<Vec<CudaPoly>, DeviceError> {
        todo!()
    }

    fn words(&self, a: &CudaPoly, bits: u32, over: &Basis) -> Result<Vec<CudaPoly>, DeviceError> {
        todo!()
    }
}
