//! The C interface of `shim/tile.cpp`.

use std::ffi::c_char;
use std::marker::{PhantomData, PhantomPinned};

/// Simulated tiles, on the C++ side.
#[repr(C)]
pub struct TileMachine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

unsafe extern "C" {
    pub fn ringmill_tile_new(label: *const c_char, length: usize) -> *mut TileMachine;
    pub fn ringmill_tile_delete(machine: *mut TileMachine);
    pub fn ringmill_tile_write(
        machine: *mut TileMachine,
        target: u32,
        tile: u32,
        address: u32,
        mask: u32,
        words: *const u32,
    ) -> i32;
    pub fn ringmill_tile_read(machine: *mut TileMachine, tile: u32, address: u32, words: *mut u32) -> i32;
    pub fn ringmill_tile_run(machine: *mut TileMachine, length: u32, cycles: *mut u64) -> i32;
    pub fn ringmill_tile_cycles(machine: *const TileMachine) -> u64;
}
