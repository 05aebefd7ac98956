//! The C interface of `shim/resident.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

use super::Beat;

/// A simulated machine, on the C++ side.
#[repr(C)]
pub struct ResidentMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

/// A key (`ResidentKey` of `shim/resident.h`).
#[repr(C)]
pub struct ResidentKey {
    pub modulus: [u64; 3],
    pub reciprocal: u64,
    pub beats: *const Beat,
    pub count: u64,
}

/// Jobs in and results out (`ResidentJobs` of `shim/resident.h`).
#[repr(C)]
pub struct ResidentJobs {
    pub beats: *const Beat,
    pub count: u64,
    pub results: *mut Beat,
    pub expected: u64,
    pub each: u64,
    pub cycles: u64,
}

unsafe extern "C" {
    pub fn ringmill_resident_new(label: *const c_char, length: usize) -> *mut ResidentMachine;
    pub fn ringmill_resident_delete(machine: *mut ResidentMachine);
    pub fn ringmill_resident_load(machine: *mut ResidentMachine, key: *const ResidentKey) -> i32;
    pub fn ringmill_resident_run(machine: *mut ResidentMachine, jobs: *mut ResidentJobs) -> i32;
    pub fn ringmill_resident_cycles(machine: *const ResidentMachine) -> u64;
}
