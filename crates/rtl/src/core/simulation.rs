use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;

use super::{Configuration, EngineKind, Machine, MemoryTiming, Sizes, sys};
use crate::{RtlError, status};

/// The core itself: its verilated SystemVerilog, simulated cycle after cycle, with a memory behind its bus.
///
/// Any thread may use it, but only one at a time. Its memory keeps what was written until it is overwritten: nothing is
/// wiped when it is dropped.
pub struct Simulation {
    core: NonNull<sys::CoreMachine>,
    configuration: Configuration,
    base: u64,
    bytes: u64,
}

// SAFETY: a core is an object on the heap with its own VerilatedContext; nothing in it belongs to the thread that made
// it (models are verilated without threads).
unsafe impl Send for Simulation {}

impl Simulation {
    /// Makes a core after reset with memory of zeros, as fast as the bus: `bytes` from the address `base` on, both
    /// multiples of 64.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the cores of [`Simulation::configurations`] are in this build;
    /// [`RtlError::BadAddress`] for other memory.
    pub fn new(configuration: Configuration, base: u64, bytes: u64) -> Result<Self, RtlError> {
        let end = base.checked_add(bytes).filter(|end| end.is_multiple_of(64));
        let Some(end) = end.filter(|_| base.is_multiple_of(64)) else {
            return Err(RtlError::BadAddress { address: base });
        };
        let label = configuration.machine();
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let core = unsafe { sys::ringmill_core_new(label.as_ptr().cast(), label.len(), base, end) };
        let Some(core) = NonNull::new(core) else {
            return Err(RtlError::MachineNotBuilt { machine: label });
        };
        Ok(Self {
            core,
            configuration,
            base,
            bytes,
        })
    }

    /// The cores in this build; their other parameters are the defaults for their engine.
    #[must_use]
    pub fn configurations() -> Vec<Configuration> {
        let built = include!(concat!(env!("OUT_DIR"), "/cores.rs"));
        let configurations = built
            .into_iter()
            .map(|(engine, n, units)| Configuration::new(n, units, Sizes::of(engine)));
        configurations.flatten().collect()
    }

    /// The number of cycles simulated since the core was made.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        // SAFETY: the core lives as long as self; nothing writes to it meanwhile.
        unsafe { sys::ringmill_core_cycles(self.core.as_ptr()) }
    }

    /// Makes the memory slower or faster. The core must be idle.
    pub fn set_timing(&mut self, timing: MemoryTiming) {
        let timing = MemoryTiming {
            cycles: timing.cycles.max(1),
            ..timing
        };
        // SAFETY: the core lives as long as self, which is borrowed mutably. The function copies the timing.
        unsafe { sys::ringmill_core_set_timing(self.core.as_ptr(), &raw const timing) }
    }

    /// Makes reads and writes by the core of these addresses fail from now on, as those outside memory do, and no others.
    pub fn break_memory(&mut self, addresses: Range<u64>) {
        let Range { start, end } = addresses;
        // SAFETY: the core lives as long as self, which is borrowed mutably.
        unsafe { sys::ringmill_core_break_memory(self.core.as_ptr(), start, end) }
    }

    /// Checks that words lie in memory.
    fn check_words(&self, address: u64, count: usize) -> Result<(), RtlError> {
        let offset = address.checked_sub(self.base);
        let end = offset.and_then(|offset| offset.checked_add(8 * count as u64));
        match end {
            Some(end) if address.is_multiple_of(8) && end <= self.bytes => Ok(()),
            _ => Err(RtlError::BadAddress { address }),
        }
    }

    fn check(&self, result: i32, address: u32) -> Result<(), RtlError> {
        let cycle = self.cycles();
        match result {
            status::DONE => Ok(()),
            status::STUCK => Err(RtlError::Stuck { cycle }),
            status::BAD_REGISTER => Err(RtlError::BadRegister { address }),
            _ => Err(RtlError::Assertion { cycle }),
        }
    }
}

/// Refuses addresses that the port does not have, or whose lowest bits it would ignore.
const fn check_register(address: u32) -> Result<(), RtlError> {
    if address > 0xff || !address.is_multiple_of(4) {
        return Err(RtlError::BadRegister { address });
    }
    Ok(())
}

impl Machine for Simulation {
    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn memory(&self) -> (u64, u64) {
        (self.base, self.bytes)
    }

    fn write_memory(&mut self, address: u64, words: &[u64]) -> Result<(), RtlError> {
        self.check_words(address, words.len())?;
        // SAFETY: the core lives as long as self, which is borrowed mutably. The function reads as many words as there
        // are, and keeps no pointer.
        unsafe {
            sys::ringmill_core_write_memory(self.core.as_ptr(), address, words.as_ptr(), words.len() as u64);
        }
        Ok(())
    }

    fn read_memory(&mut self, address: u64, words: &mut [u64]) -> Result<(), RtlError> {
        self.check_words(address, words.len())?;
        // SAFETY: the core lives as long as self, which is borrowed mutably. The function writes as many words as there
        // is room for, and keeps no pointer.
        unsafe {
            sys::ringmill_core_read_memory(
                self.core.as_ptr(),
                address,
                words.as_mut_ptr(),
                words.len() as u64,
            );
        }
        Ok(())
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), RtlError> {
        check_register(address)?;
        // SAFETY: the core lives as long as self, which is borrowed mutably.
        let status = unsafe { sys::ringmill_core_write(self.core.as_ptr(), address, value) };
        self.check(status, address)
    }

    fn read(&mut self, address: u32) -> Result<u32, RtlError> {
        check_register(address)?;
        let mut value = 0;
        // SAFETY: the core lives as long as self, which is borrowed mutably; `value` is written before the call returns,
        // and not later.
        let status = unsafe { sys::ringmill_core_read(self.core.as_ptr(), address, &raw mut value) };
        self.check(status, address)?;
        Ok(value)
    }

    fn run(&mut self) -> Result<(), RtlError> {
        // SAFETY: the core lives as long as self, which is borrowed mutably.
        let status = unsafe { sys::ringmill_core_run(self.core.as_ptr()) };
        self.check(status, 0)
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_core_delete(self.core.as_ptr()) }
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("configuration", &self.configuration)
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}
