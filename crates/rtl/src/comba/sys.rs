//! The C interface of `shim/comba.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

/// A simulated machine, on the C++ side.
#[repr(C)]
pub struct CombaMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The progress of a job (`CombaProgress` of `shim/comba.h`).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct CombaProgress {
    pub cycles: u64,
    pub reads: u64,
    pub writes: u64,
    pub busy: u8,
    pub second: u8,
    pub negative: u8,
}

unsafe extern "C" {
    pub fn ringmill_comba_new(label: *const c_char, length: usize) -> *mut CombaMachine;
    pub fn ringmill_comba_delete(machine: *mut CombaMachine);
    pub fn ringmill_comba_start(machine: *mut CombaMachine, job: *const u32, count: usize) -> i32;
    pub fn ringmill_comba_advance(
        machine: *mut CombaMachine,
        cycles: u64,
        memory: *mut u64,
        words: u64,
        progress: *mut CombaProgress,
    ) -> i32;
    pub fn ringmill_comba_cycles(machine: *const CombaMachine) -> u64;
}
