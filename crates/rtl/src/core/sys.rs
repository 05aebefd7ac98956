//! The C interface of `shim/core.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

use super::MemoryTiming;

/// A simulated core and its memory, on the C++ side.
#[repr(C)]
pub struct CoreMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

unsafe extern "C" {
    pub fn ringmill_core_new(label: *const c_char, length: usize, begin: u64, end: u64) -> *mut CoreMachine;
    pub fn ringmill_core_delete(core: *mut CoreMachine);
    pub fn ringmill_core_set_timing(core: *mut CoreMachine, timing: *const MemoryTiming);
    pub fn ringmill_core_break_memory(core: *mut CoreMachine, begin: u64, end: u64);
    pub fn ringmill_core_write_memory(core: *mut CoreMachine, address: u64, words: *const u64, count: u64);
    pub fn ringmill_core_read_memory(core: *const CoreMachine, address: u64, words: *mut u64, count: u64);
    pub fn ringmill_core_write(core: *mut CoreMachine, address: u32, value: u32) -> i32;
    pub fn ringmill_core_read(core: *mut CoreMachine, address: u32, value: *mut u32) -> i32;
    pub fn ringmill_core_run(core: *mut CoreMachine) -> i32;
    pub fn ringmill_core_cycles(core: *const CoreMachine) -> u64;
}
