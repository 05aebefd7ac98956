//! The C interface of `shim/karatsuba.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

use super::Beat;

/// A simulated machine, on the C++ side.
#[repr(C)]
pub struct KaratsubaMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Beats in and words out (`KaratsubaJob` of `shim/karatsuba.h`).
#[repr(C)]
pub struct KaratsubaJob {
    pub beats: *const Beat,
    pub count: u64,
    pub words: *mut Beat,
    pub expected: u64,
    pub buffered: u64,
    pub cycles: u64,
}

unsafe extern "C" {
    pub fn ringmill_karatsuba_new(label: *const c_char, length: usize) -> *mut KaratsubaMachine;
    pub fn ringmill_karatsuba_delete(machine: *mut KaratsubaMachine);
    pub fn ringmill_karatsuba_run(machine: *mut KaratsubaMachine, job: *mut KaratsubaJob) -> i32;
    pub fn ringmill_karatsuba_cycles(machine: *const KaratsubaMachine) -> u64;
}
