//! The conformance suite notices a device in which one operation flips one bit, or fails for the
//! wrong reason.

#![allow(clippy::unwrap_used)] // a test stops where it fails, in its helpers too

use std::sync::atomic::{AtomicU64, Ordering};

use ringmill_arith::{Basis, Kernel};
use ringmill_device::conformance::{Failure, Operation, check};
use ringmill_device::{CpuDevice, CpuPoly, Device, DeviceError, Digits, Pair, SwitchingKey, WordKey};
use ringmill_ring::{Domain, FermatRing, NegacyclicRing, Ring};

/// A CPU device with a fault.
struct Faulty {
    device: CpuDevice,
    operation: Operation,
    /// The only call with the fault, counted from 0; all if `None`.
    only: Option<u64>,
    calls: AtomicU64,
    /// Instead of flipping a bit: whether errors are all called [`DeviceError::NoOperands`].
    confused: bool,
}

type Poly = Result<CpuPoly, DeviceError>;

impl Faulty {
    /// A flipped bit in some word, if this call of this operation is the faulty one.
    fn flip(&self, operation: Operation, result: Poly) -> Poly {
        if operation != self.operation {
            return result;
        }
        if self.confused {
            return result.map_err(|_| DeviceError::NoOperands);
        }
        let a = result?;
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.only.is_some_and(|only| only != call) {
            return Ok(a);
        }
        let (basis, domain) = (self.device.basis(&a), self.device.domain(&a));
        let mut words = self.device.download(&a)?;
        let at = (call as usize + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % words.len();
        let q = basis.moduli()[at / self.ring().n()].value();
        // q - 1 is even: the lowest bit that is set may be taken away from any word but 0.
        let x = &mut words[at];
        *x = if *x ^ 1 < q { *x ^ 1 } else { *x & (*x - 1) };
        self.device.upload(basis, domain, &words)
    }

    /// The same in the last of several polynomials.
    fn flip_last(
        &self,
        operation: Operation,
        results: Result<Vec<CpuPoly>, DeviceError>,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let mut results = match results {
            Err(error) => return self.flip(operation, Err(error)).map(|_| Vec::new()),
            Ok(results) => results,
        };
        if let Some(last) = results.pop() {
            results.push(self.flip(operation, Ok(last))?);
        }
        Ok(results)
    }

    /// The same in the second of two polynomials.
    fn flip_second(
        &self,
        operation: Operation,
        result: Result<Pair<CpuPoly>, DeviceError>,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        match result {
            Err(error) => self
                .flip(operation, Err(error))
                .map(|a| (self.device.copy(&a).unwrap(), a)),
            Ok((b, c)) => Ok((b, self.flip(operation, Ok(c))?)),
        }
    }
}

impl Device for Faulty {
    type Poly = CpuPoly;

    fn ring(&self) -> &Ring {
        self.device.ring()
    }
    fn name(&self) -> String {
        "faulty".to_owned()
    }
    fn basis<'a>(&self, a: &'a CpuPoly) -> &'a Basis {
        self.device.basis(a)
    }
    fn domain(&self, a: &CpuPoly) -> Domain {
        self.device.domain(a)
    }
    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Poly {
        self.flip(Operation::Upload, self.device.upload(basis, domain, words))
    }
    fn download(&self, a: &CpuPoly) -> Result<Vec<u64>, DeviceError> {
        self.device.download(a)
    }
    fn copy(&self, a: &CpuPoly) -> Poly {
        self.flip(Operation::Copy, self.device.copy(a))
    }
    fn wipe(&self, a: CpuPoly) {
        self.device.wipe(a);
    }
    fn restrict(&self, a: &CpuPoly, to: &Basis) -> Poly {
        self.flip(Operation::Restrict, self.device.restrict(a, to))
    }
    fn join(&self, parts: &[&CpuPoly]) -> Poly {
        self.flip(Operation::Join, self.device.join(parts))
    }
    fn words(&self, a: &CpuPoly, bits: u32, over: &Basis) -> Result<Vec<CpuPoly>, DeviceError> {
        self.flip_last(Operation::Words, self.device.words(a, bits, over))
    }
    fn word_switch(
        &self,
        batch: &[&CpuPoly],
        key: &WordKey<CpuPoly>,
        domain: Domain,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        self.flip_last(Operation::WordSwitch, self.device.word_switch(batch, key, domain))
    }
    fn transform(&self, a: CpuPoly, to: Domain) -> Poly {
        self.flip(Operation::Transform, self.device.transform(a, to))
    }
    fn sum(&self, terms: &[&CpuPoly]) -> Poly {
        self.flip(Operation::Sum, self.device.sum(terms))
    }
    fn sub(&self, a: &CpuPoly, b: &CpuPoly) -> Poly {
        self.flip(Operation::Sub, self.device.sub(a, b))
    }
    fn negate(&self, a: &CpuPoly) -> Poly {
        self.flip(Operation::Negate, self.device.negate(a))
    }
    fn dot(&self, pairs: &[(&CpuPoly, &CpuPoly)], to: Domain) -> Poly {
        self.flip(Operation::Dot, self.device.dot(pairs, to))
    }
    fn automorphism(&self, a: &CpuPoly, exponent: u64) -> Poly {
        self.flip(Operation::Automorphism, self.device.automorphism(a, exponent))
    }
    fn lift(&self, a: &CpuPoly, extension: &Basis, to: Domain) -> Poly {
        self.flip(Operation::Lift, self.device.lift(a, extension, to))
    }
    fn scale(&self, c: &CpuPoly, t: u64, keep: usize) -> Poly {
        self.flip(Operation::Scale, self.device.scale(c, t, keep))
    }
    fn dots(
        &self,
        sums: &[Vec<(&CpuPoly, &CpuPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        self.flip_last(Operation::Dots, self.device.dots(sums, multiplier, to))
    }
    fn products(&self, batch: Vec<CpuPoly>, factors: &[&CpuPoly]) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        let mut results = match self.device.products(batch, factors) {
            Err(error) => return self.flip(Operation::Products, Err(error)).map(|_| Vec::new()),
            Ok(results) => results,
        };
        if let Some(last) = results.pop() {
            results.push(self.flip_last(Operation::Products, Ok(last))?);
        }
        Ok(results)
    }
    fn rescale(&self, a: &CpuPoly, to: &Basis, domain: Domain) -> Poly {
        self.flip(Operation::Rescale, self.device.rescale(a, to, domain))
    }
    fn raise(&self, a: &CpuPoly, digits: &Digits) -> Poly {
        self.flip(Operation::Raise, self.device.raise(a, digits))
    }
    fn decompose(&self, a: &CpuPoly, digits: &Digits) -> Result<Vec<CpuPoly>, DeviceError> {
        self.flip_last(Operation::Decompose, self.device.decompose(a, digits))
    }
    fn key_switch(
        &self,
        a: &CpuPoly,
        addends: &[Pair<&CpuPoly>],
        digits: &Digits,
        key: &SwitchingKey<CpuPoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let result = self.device.key_switch(a, addends, digits, key, to, domain);
        self.flip_second(Operation::KeySwitch, result)
    }
    fn rotate(
        &self,
        first: &CpuPoly,
        parts: &[CpuPoly],
        digits: &Digits,
        key: &SwitchingKey<CpuPoly>,
        exponent: u64,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let result = self.device.rotate(first, parts, digits, key, exponent);
        self.flip_second(Operation::Rotate, result)
    }
}

/// A small ring of each kind.
fn rings() -> [Ring; 2] {
    [
        FermatRing::new(2048).unwrap().into(),
        NegacyclicRing::new(1024).unwrap().into(),
    ]
}

/// A faulty device with the fastest kernel.
fn faulty(ring: &Ring, operation: Operation, only: Option<u64>, confused: bool) -> Faulty {
    Faulty {
        device: CpuDevice::new(ring, Kernel::from_environment().unwrap()),
        operation,
        only,
        calls: AtomicU64::new(0),
        confused,
    }
}

/// Operations whose results may have a flipped bit: all but the one without results.
fn with_results() -> impl Iterator<Item = Operation> {
    Operation::ALL.into_iter().filter(|&o| o != Operation::Wipe)
}

#[test]
fn a_flipped_bit_is_found_in_each_operation() {
    for ring in rings() {
        for operation in with_results() {
            let failure = check(&faulty(&ring, operation, None, false), 1).unwrap_err();
            assert_eq!(failure.operation(), Some(operation), "{failure}");
            assert!(
                matches!(failure, Failure::Word { .. } | Failure::Total { .. }),
                "{failure}"
            );
            assert!(failure.to_string().starts_with(operation.name()));
        }
    }
}

#[test]
fn a_flipped_bit_is_found_in_a_single_call() {
    let [ring, _] = rings();
    for operation in with_results() {
        // Of what is uploaded, only some is compared as it is.
        let calls = if operation == Operation::Upload {
            [0, 1]
        } else {
            [0, 3]
        };
        for only in calls {
            let failure = check(&faulty(&ring, operation, Some(only), false), 2);
            assert!(failure.is_err(), "{operation}, call {only}");
        }
    }
}

#[test]
fn a_wrong_error_is_found() {
    let [ring, _] = rings();
    // All whose errors the contract names.
    for operation in [
        Operation::Upload,
        Operation::Restrict,
        Operation::Join,
        Operation::Sum,
        Operation::Sub,
        Operation::Dot,
        Operation::Dots,
        Operation::Products,
        Operation::Lift,
        Operation::Scale,
        Operation::Decompose,
        Operation::Words,
        Operation::WordSwitch,
        Operation::KeySwitch,
        Operation::Rotate,
    ] {
        let failure = check(&faulty(&ring, operation, None, true), 3).unwrap_err();
        assert!(matches!(failure, Failure::Error { .. }), "{failure}");
        assert_eq!(failure.operation(), Some(operation), "{failure}");
    }
}

/// The contract's own key switching, rotation and the like, with none of a device's.
struct Provided(CpuDevice);

macro_rules! forward {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> $result { self.0.$name($($arg),*) })*
    };
}

impl Device for Provided {
    type Poly = CpuPoly;

    fn basis<'a>(&self, a: &'a CpuPoly) -> &'a Basis {
        self.0.basis(a)
    }

    forward! {
        name() -> String;
        domain(a: &CpuPoly) -> Domain;
        upload(basis: &Basis, domain: Domain, words: &[u64]) -> Poly;
        download(a: &CpuPoly) -> Result<Vec<u64>, DeviceError>;
        copy(a: &CpuPoly) -> Poly;
        wipe(a: CpuPoly) -> ();
        restrict(a: &CpuPoly, to: &Basis) -> Poly;
        join(parts: &[&CpuPoly]) -> Poly;
        words(a: &CpuPoly, bits: u32, over: &Basis) -> Result<Vec<CpuPoly>, DeviceError>;
        transform(a: CpuPoly, to: Domain) -> Poly;
        sum(terms: &[&CpuPoly]) -> Poly;
        sub(a: &CpuPoly, b: &CpuPoly) -> Poly;
        negate(a: &CpuPoly) -> Poly;
        dot(pairs: &[(&CpuPoly, &CpuPoly)], to: Domain) -> Poly;
        automorphism(a: &CpuPoly, exponent: u64) -> Poly;
        lift(a: &CpuPoly, extension: &Basis, to: Domain) -> Poly;
        scale(c: &CpuPoly, t: u64, keep: usize) -> Poly;
        dots(
            sums: &[Vec<(&CpuPoly, &CpuPoly)>],
            multiplier: u64,
            to: Domain
        ) -> Result<Vec<CpuPoly>, DeviceError>;
        rescale(a: &CpuPoly, to: &Basis, domain: Domain) -> Poly;
        decompose(a: &CpuPoly, digits: &Digits) -> Result<Vec<CpuPoly>, DeviceError>;
    }

    fn ring(&self) -> &Ring {
        self.0.ring()
    }
}

#[test]
fn provided_operations_conform() {
    for ring in rings() {
        let device = Provided(CpuDevice::new(&ring, Kernel::from_environment().unwrap()));
        check(&device, 4).unwrap();
    }
}
