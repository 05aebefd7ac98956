use std::fmt;
use std::ptr::NonNull;

use ringmill_arith::Modulus;

use super::engine::check_words;
use super::{Direction, Engine, sys};
use crate::{RtlError, status};

/// A machine around a transform engine: its verilated SystemVerilog, simulated cycle after cycle.
///
/// It has memory for one polynomial and for the constants of one prime. Any thread may use it, but only one at a
/// time.
pub struct EngineSimulation {
    machine: NonNull<sys::EngineMachine>,
    n: usize,
    modulus: Modulus,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the
// thread that made it (models are verilated without threads).
unsafe impl Send for EngineSimulation {}

impl EngineSimulation {
    /// Makes the machine of an engine and loads the engine's constants.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the machines of [`EngineSimulation::machines`] are in this build;
    /// [`RtlError::Assertion`].
    pub fn new(engine: &impl Engine) -> Result<Self, RtlError> {
        let label = engine.machine();
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_engine_new(label.as_ptr().cast(), label.len()) };
        let Some(machine) = NonNull::new(machine) else {
            return Err(RtlError::MachineNotBuilt { machine: label });
        };
        let simulation = Self {
            machine,
            n: engine.n(),
            modulus: *engine.modulus(),
        };
        let constants = engine.constants();
        // SAFETY: the machine lives as long as `simulation`, which nobody else has. The function reads as many
        // constants as there are, and keeps no pointer.
        let status = unsafe {
            sys::ringmill_engine_load(
                machine.as_ptr(),
                engine.modulus().value(),
                constants.as_ptr(),
                constants.len() as u64,
            )
        };
        simulation.check(status)?;
        Ok(simulation)
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/engines.rs"))
    }

    /// The number of cycles simulated since the machine was made.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        unsafe { sys::ringmill_engine_cycles(self.machine.as_ptr()) }
    }

    /// Writes the words to the machine, has it transform them and reads them back. The result is the number of cycles
    /// that the machine counts for the transform.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::OutOfRange`]; [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn transform(&mut self, direction: Direction, words: &mut [u64]) -> Result<u64, RtlError> {
        check_words(&self.modulus, self.n, words)?;
        let (machine, count) = (self.machine.as_ptr(), words.len() as u64);
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads `count` words, as
        // many as there are, and keeps no pointer.
        let status = unsafe { sys::ringmill_engine_write(machine, words.as_ptr(), count) };
        self.check(status)?;
        let mut cycles = 0;
        let inverse = i32::from(direction == Direction::Inverse);
        // SAFETY: the machine lives as long as self, which is borrowed mutably; `cycles` is written before the call
        // returns, and not later.
        let status = unsafe { sys::ringmill_engine_transform(machine, inverse, &raw mut cycles) };
        self.check(status)?;
        // SAFETY: as above; the function writes at most `count` words.
        let status = unsafe { sys::ringmill_engine_read(machine, words.as_mut_ptr(), count) };
        self.check(status)?;
        Ok(cycles)
    }

    fn check(&self, result: i32) -> Result<(), RtlError> {
        let cycle = self.cycles();
        match result {
            status::DONE => Ok(()),
            status::STUCK => Err(RtlError::Stuck { cycle }),
            _ => Err(RtlError::Assertion { cycle }),
        }
    }
}

impl Drop for EngineSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_engine_delete(self.machine.as_ptr()) }
    }
}

impl fmt::Debug for EngineSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineSimulation")
            .field("n", &self.n)
            .field("modulus", &self.modulus)
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}
