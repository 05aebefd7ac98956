//! The C interface of `shim/ntt_multiplier.cpp`.

use std::marker::{PhantomData, PhantomPinned};

use super::{JobTimes, Link};

/// A simulated machine, on the C++ side.
#[repr(C)]
pub struct Machine {
    _opaque: [u8; 0],
    _not_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
}

/// `LinkSettings` of `shim/link.h`.
#[repr(C)]
pub struct LinkSettings {
    bits_per_second: u64,
    clock_hertz: u64,
    latency: u64,
    buffer_beats: u64,
    half_duplex: u64,
    input_stalls: u64,
    output_stalls: u64,
    seed: u64,
}

impl From<&Link> for LinkSettings {
    fn from(link: &Link) -> Self {
        Self {
            // None of these may be 0, or nothing would ever move.
            bits_per_second: link.bits_per_second.max(1),
            clock_hertz: link.clock_hertz.max(1),
            latency: link.latency,
            buffer_beats: link.buffer_beats.max(1),
            half_duplex: link.half_duplex.into(),
            input_stalls: link.stalls.input.into(),
            output_stalls: link.stalls.output.into(),
            seed: link.stalls.seed,
        }
    }
}

/// `Transfer` of `shim/machine.h`.
#[repr(C)]
pub struct Transfer {
    pub input: *const u32,
    pub output: *mut u32,
    pub times: *mut JobTimes,
    pub jobs: u64,
    pub input_packet: u64,
    pub output_packet: u64,
    pub cycles: u64,
}

unsafe extern "C" {
    pub fn ringmill_ntt_multiplier_new(
        log_n: u32,
        log_units: u32,
        log_link: u32,
        pipeline: u32,
    ) -> *mut Machine;
    pub fn ringmill_machine_delete(machine: *mut Machine);
    pub fn ringmill_machine_reset(machine: *mut Machine);
    pub fn ringmill_machine_step(machine: *mut Machine, cycles: u64) -> i32;
    pub fn ringmill_machine_read(machine: *mut Machine, address: u32, value: *mut u32) -> i32;
    pub fn ringmill_machine_write(machine: *mut Machine, address: u32, value: u32) -> i32;
    pub fn ringmill_machine_transfer(
        machine: *mut Machine,
        link: *const LinkSettings,
        transfer: *mut Transfer,
    ) -> i32;
    pub fn ringmill_machine_cycles(machine: *const Machine) -> u64;
}
