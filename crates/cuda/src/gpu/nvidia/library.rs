//! Functions of shared libraries that may be missing.

use std::ffi::{OsStr, c_int};

use libloading::Library;

/// The result of the functions: 0, or an error code.
///
/// It is a number rather than an enum, because libraries newer than this source may return unknown values.
pub(super) type Code = c_int;

/// Declares a structure of functions of a library, and a way to find them in it.
macro_rules! functions {
    (
        $(#[$about:meta])*
        struct $table:ident { $($name:ident = $symbol:literal($($argument:ty),*);)* }
    ) => {
        $(#[$about])*
        pub(super) struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $crate::gpu::nvidia::library::Code,)*
        }

        impl $table {
            /// Finds the functions.
            ///
            /// # Safety
            /// The library's functions of these names must have these types, and the library must stay
            /// loaded.
            unsafe fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller vouches for the types.
                    $($name: *unsafe { library.get($symbol) }?,)*
                })
            }
        }
    };
}
pub(super) use functions;

/// Opens a library of NVIDIA's by a path, or by a name for which the loader looks. The error is the loader's
/// reason.
pub(super) fn open(name: impl AsRef<OsStr>) -> Result<Library, String> {
    // SAFETY: what is run on loading are the initializers of NVIDIA's driver or compiler, which ask for nothing.
    unsafe { Library::new(name.as_ref()) }.map_err(|error| reason(&error))
}

/// The loader's message, which names the library.
pub(super) fn reason(error: &libloading::Error) -> String {
    use std::error::Error;
    error
        .source()
        .map_or_else(|| error.to_string(), |source| source.to_string())
}
