//! The C interface of `shim/engine.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

/// A simulated machine around an engine, on the C++ side.
#[repr(C)]
pub struct EngineMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

unsafe extern "C" {
    pub fn ringmill_engine_new(label: *const c_char, length: usize) -> *mut EngineMachine;
    pub fn ringmill_engine_delete(machine: *mut EngineMachine);
    pub fn ringmill_engine_load(
        machine: *mut EngineMachine,
        modulus: u64,
        constants: *const u64,
        count: u64,
    ) -> i32;
    pub fn ringmill_engine_write(machine: *mut EngineMachine, words: *const u64, count: u64) -> i32;
    pub fn ringmill_engine_read(machine: *mut EngineMachine, words: *mut u64, count: u64) -> i32;
    pub fn ringmill_engine_transform(machine: *mut EngineMachine, inverse: i32, cycles: *mut u64) -> i32;
    pub fn ringmill_engine_cycles(machine: *const EngineMachine) -> u64;
}
