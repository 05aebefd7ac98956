//! Operations that a device does not write itself: it leaves them to another device, or takes them as made of others.
//!
//! The compiler makes every device name every operation. The contract has no definitions, so a device that leaves one
//! out is missing an item (E0046). [`operations!`](crate::operations) has the signatures: a
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
/// The implementation must name every operation, here or elsewhere. A delegated operation runs on the other device
/// alone: if it is made of others there, it does not call those that the delegating device has of its own. A device that
/// wants it to takes the operation with [`provide!`](crate::provide).
///
/// The documentation of the crate `ringmill-cpu` has an example.
#[macro_export]
macro_rules! delegate {
    (self.$inner:tt: $($operation:ident),+ $(,)?) => {
        $crate::operations! { $crate::delegated, [$inner]: $($operation),+ }
    };
}

/// Takes operations that are made of others ([`provided`](crate::provided)): `provide!(multiply_fixed, key_switch);` in
/// an implementation of [`Device`](crate::Device).
#[macro_export]
macro_rules! provide {
    ($($operation:ident),+ $(,)?) => {
        $crate::operations! { $crate::given, []: $($operation),+ }
    };
}

/// One operation, delegated to the device in a field.
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
