//! The layout in memory of what kernels share with the host.
//!
//! A structure is written twice, in Rust and in C++. [`layout!`] ties the two together: in Rust it has no padding
//! (`zerocopy` proves that when it derives [`IntoBytes`]) and all its fields are listed; beside the structure in C++
//! stand its size and the offset of each field, which the compiler for GPUs and the emulator's compiler assert; and a
//! test compares these numbers with those of the structure in Rust.

use zerocopy::{Immutable, IntoBytes};

/// A structure that [`layout!`] ties to one in C++.
pub(crate) trait KernelLayout: IntoBytes + Immutable {}

/// Ties structures of a module to those of the same names in a file of this crate. Once a module.
macro_rules! layout {
    ($($file:literal: $name:ident { $($field:ident),* $(,)? })*) => {
        $(
            impl crate::layout::KernelLayout for $name {}
            // All fields are listed: otherwise this pattern is an error.
            const _: fn($name) = |$name { $($field: _),* }| ();
        )*

        #[cfg(test)]
        mod layout {
            use super::*;

            #[test]
            fn in_rust_and_in_cpp_it_is_the_same() {
                $(
                    let mut expected = format!("SIZE({}, {})\n", stringify!($name), size_of::<$name>());
                    $(
                        let (name, field) = (stringify!($name), stringify!($field));
                        let at = std::mem::offset_of!($name, $field);
                        expected += &format!("FIELD({name}, {field}, {at})\n");
                    )*
                    let file = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $file));
                    assert!(file.contains(&expected), "{} must assert\n{expected}", $file);
                )*
            }
        }
    };
}

pub(crate) use layout;
