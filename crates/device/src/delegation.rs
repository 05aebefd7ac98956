//! Operations that a device does not write itself: left to another device, or made of others.
//!
//! The compiler sees that no operation comes past a device without being named. The contract has no definitions, so a
//! device that names one too few is missing an item (E0046). [`operations!`](crate::operations) has the signatures: a
//! name that it lacks matches no rule, and a signature that differs from the contract's does not fit the trait (E0053).

/// Whether some method of a formatted trait has a body: an empty one, or one that ends in a line of its own.
const fn has_a_body(mut text: &[u8]) -> bool {
    while let [_, rest @ ..] = text {
        if matches!(text, [b'{', b'}', ..] | [b'\n', b' ', b' ', b' ', b' ', b'}', ..]) {
            return true;
        }
        text = rest;
    }
    false
}

const _: () = assert!(
    !has_a_body(include_bytes!("contract.rs")),
    "an operation with a body in the contract would come past devices that delegate: put it into `provided`"
);

/// Leaves operations to a device in a field: `delegate!(self.cpu: upload, download);` in an implementation of
/// [`Device`](crate::Device) whose polynomials are that device's.
///
/// All of them have to be named, here or otherwise. An operation that the device takes over and others are made of,
/// at the other device, is not taken over in those: a device that wants that takes them with
/// [`provide!`](crate::provide).
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use ringmill_device::{CpuDevice, CpuPoly, Device, DeviceError, delegate};
///
/// /// Counts batches of products.
/// struct Counting {
///     cpu: CpuDevice,
///     batches: AtomicUsize,
/// }
///
/// impl Device for Counting {
///     type Poly = CpuPoly;
///
///     fn name(&self) -> String {
///         format!("counting {}", self.cpu.name())
///     }
///
///     fn products(
///         &self,
///         batch: Vec<CpuPoly>,
///         factors: &[&CpuPoly],
///     ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
///         self.batches.fetch_add(1, Ordering::Relaxed);
///         self.cpu.products(batch, factors)
///     }
///
///     delegate!(self.cpu: ring, memory, basis, domain, upload, download, copy, wipe, finish, rest, expect);
///     delegate!(self.cpu: restrict, join, transform, sum, sub, negate, dot, dots, automorphism);
///     delegate!(self.cpu: lift, lifts, scale, rescale, decompose, words, raise);
///     delegate!(self.cpu: word_switch, key_switch, rotate);
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ringmill_arith::Kernel;
/// use ringmill_device::{Basis, Domain, Ring};
/// use ringmill_ring::NegacyclicRing;
///
/// let ring = Ring::from(NegacyclicRing::new(64)?);
/// let cpu = CpuDevice::new(&ring, Kernel::from_environment()?);
/// let device = Counting { cpu, batches: AtomicUsize::new(0) };
/// let basis = Basis::new(&ring.primes(1 << 50, 1, &[])?)?;
/// let a = device.upload(&basis, Domain::Coefficient, &[3; 64])?;
/// let one = device.upload(&basis, Domain::Evaluation, &[1; 64])?;
/// let products = device.products(vec![a], &[&one])?;
/// assert_eq!(device.download(&products[0][0])?, [3; 64]);
/// assert_eq!(device.batches.into_inner(), 1);
/// # Ok(())
/// # }
/// ```
///
/// A device that forgets one, here `rotate`, does not compile:
///
/// ```compile_fail,E0046
/// # use ringmill_device::{CpuDevice, CpuPoly, Device, delegate};
/// struct Forgetful(CpuDevice);
///
/// impl Device for Forgetful {
///     type Poly = CpuPoly;
///
///     delegate!(self.0: ring, name, memory, basis, domain, upload, download, copy, wipe, finish, rest, expect);
///     delegate!(self.0: restrict, join, transform, sum, sub, negate, dot, dots, products, automorphism);
///     delegate!(self.0: lift, lifts, scale, rescale, decompose, words, raise);
///     delegate!(self.0: word_switch, key_switch);
/// }
/// ```
#[macro_export]
macro_rules! delegate {
    (self.$inner:tt: $($operation:ident),+ $(,)?) => {
        $crate::operations! { $crate::delegated, [$inner]: $($operation),+ }
    };
}

/// Takes operations as they are made of others ([`provided`](crate::provided)): `provide!(products, key_switch);` in
/// an implementation of [`Device`](crate::Device).
#[macro_export]
macro_rules! provide {
    ($($operation:ident),+ $(,)?) => {
        $crate::operations! { $crate::given, []: $($operation),+ }
    };
}

/// One operation, left to the device in a field.
#[doc(hidden)]
#[macro_export]
macro_rules! delegated {
    ([$inner:tt] fn $name:ident $(<$life:lifetime>)? ($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $name $(<$life>)? (&self $(, $argument: $type)*) -> $result {
            $crate::Device::$name(&self.$inner $(, $argument)*)
        }
    };
}

/// One operation, made of others.
#[doc(hidden)]
#[macro_export]
macro_rules! given {
    ([] fn $name:ident ($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&self $(, $argument: $type)*) -> $result {
            $crate::provided::$name(self $(, $argument)*)
        }
    };
}
