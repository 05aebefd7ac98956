//! The conformance suite notices a device in which one operation flips one bit, or fails for the
//! wrong reason.

use std::sync::atomic::{AtomicU64, Ordering};

use ringmill_arith::Simd;
use ringmill_conformance::{Failure, Operation, check};
use ringmill_cpu::{CpuDevice, CpuPoly};
use ringmill_device::{Device, DeviceError, Pair, delegate, operations, provide};
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

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

/// What an operation gives, one polynomial of which can be spoilt.
trait Results {
    fn victim(&mut self) -> Option<&mut CpuPoly>;
}

impl Results for CpuPoly {
    fn victim(&mut self) -> Option<&mut CpuPoly> {
        Some(self)
    }
}

/// The last.
impl<T: Results> Results for Vec<T> {
    fn victim(&mut self) -> Option<&mut CpuPoly> {
        self.last_mut()?.victim()
    }
}

/// The second.
impl Results for Pair<CpuPoly> {
    fn victim(&mut self) -> Option<&mut CpuPoly> {
        Some(&mut self.1)
    }
}

impl Faulty {
    /// What an operation gave, spoilt if this is the faulty call of the faulty operation.
    fn done<T: Results>(&self, name: &str, result: Result<T, DeviceError>) -> Result<T, DeviceError> {
        if name != self.operation.name() {
            return result;
        }
        if self.confused {
            return result.map_err(|_| DeviceError::NoOperands);
        }
        let mut results = result?;
        if let Some(victim) = results.victim() {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            if self.only.is_none_or(|only| only == call) {
                *victim = self.flipped(victim, call)?;
            }
        }
        Ok(results)
    }

    /// A polynomial with a flipped bit in some word.
    fn flipped(&self, a: &CpuPoly, call: u64) -> Result<CpuPoly, DeviceError> {
        let (basis, domain) = (self.device.basis(a), self.device.domain(a));
        let mut words = self.device.download(a)?;
        let at = (call as usize + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % words.len();
        let q = basis.moduli()[at / self.ring().n()].value();
        // q - 1 is even: the lowest bit that is set may be taken away from any word but 0.
        let x = &mut words[at];
        *x = if *x ^ 1 < q { *x ^ 1 } else { *x & (*x - 1) };
        self.device.upload(basis, domain, &words)
    }
}

/// An operation of the CPU device, perhaps spoilt.
macro_rules! spoilt {
    ([] fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&self, $($argument: $type),*) -> $result {
            self.done(stringify!($name), self.device.$name($($argument),*))
        }
    };
}

impl Device for Faulty {
    type Poly = CpuPoly;

    fn name(&self) -> String {
        "faulty".to_owned()
    }

    delegate!(self.device: ring, memory, narrow_transform_time, basis, domain, download, wipe, finish, hint_idle, prefetch, release);

    operations!(spoilt, []: upload, copy, restrict, concat_limbs, transform, sum, sub, negate, inner_product, inner_products, multiply_fixed);
    operations!(spoilt, []: automorphism, lift, lifts, scale, rescale, extend_by_p, decompose, decompose_base_two);
    operations!(spoilt, []: key_switch_grouped, key_switch, relinearize, rotate, rotated_sums);
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
        device: CpuDevice::new(ring, Simd::from_environment().unwrap()),
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
        Operation::ConcatLimbs,
        Operation::Sum,
        Operation::Sub,
        Operation::InnerProduct,
        Operation::InnerProducts,
        Operation::MultiplyFixed,
        Operation::Lift,
        Operation::Lifts,
        Operation::Scale,
        Operation::Decompose,
        Operation::DecomposeBaseTwo,
        Operation::KeySwitchGrouped,
        Operation::KeySwitch,
        Operation::Relinearize,
        Operation::Rotate,
    ] {
        let failure = check(&faulty(&ring, operation, None, true), 3).unwrap_err();
        assert!(matches!(failure, Failure::Error { .. }), "{failure}");
        assert_eq!(failure.operation(), Some(operation), "{failure}");
    }
}

/// Takes all operations that are made of others, and those left from a CPU device.
struct Provided(CpuDevice);

impl Device for Provided {
    type Poly = CpuPoly;

    provide!(
        memory,
        narrow_transform_time,
        finish,
        hint_idle,
        prefetch,
        release,
        inner_product,
        multiply_fixed,
        lift,
        extend_by_p,
        key_switch_grouped,
        key_switch,
        relinearize,
        rotate,
        rotated_sums
    );

    delegate!(self.0: ring, name, basis, domain, upload, download, copy, wipe, restrict, concat_limbs, transform);
    delegate!(self.0: sum, sub, negate, inner_products, automorphism, lifts, scale, rescale, decompose, decompose_base_two);
}

#[test]
fn provided_operations_conform() {
    for ring in rings() {
        let device = Provided(CpuDevice::new(&ring, Simd::from_environment().unwrap()));
        check(&device, 4).unwrap();
    }
}
