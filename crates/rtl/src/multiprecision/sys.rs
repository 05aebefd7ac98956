//! The C interface of `shim/conversion.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

use super::table::Entry;

/// A simulated pipeline, on the C++ side.
#[repr(C)]
pub struct ConversionMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Coefficients in and out (`Conversion` of `shim/conversion.h`).
#[repr(C)]
pub struct Conversion {
    pub input: *const u64,
    pub residues: *mut u64,
    pub words: *mut u64,
    pub negatives: *mut u8,
    pub coefficients: u64,
    pub input_residues: u64,
    pub output_residues: u64,
    pub output_words: u64,
    pub cycles: u64,
}

unsafe extern "C" {
    pub fn ringmill_conversion_new(label: *const c_char, length: usize) -> *mut ConversionMachine;
    pub fn ringmill_conversion_delete(machine: *mut ConversionMachine);
    pub fn ringmill_conversion_load(
        machine: *mut ConversionMachine,
        entries: *const Entry,
        count: u64,
    ) -> i32;
    pub fn ringmill_conversion_run(
        machine: *mut ConversionMachine,
        scale: i32,
        conversion: *mut Conversion,
    ) -> i32;
    pub fn ringmill_conversion_cycles(machine: *const ConversionMachine) -> u64;
}
