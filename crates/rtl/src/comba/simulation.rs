use std::fmt;
use std::ptr::NonNull;

use super::numbers::words;
use super::sys::CombaProgress;
use super::{Computed, Image, sys};
use crate::{RtlError, status};

/// A machine itself: its verilated SystemVerilog before a memory of words, simulated cycle after cycle.
///
/// Any thread may use it, but only one at a time.
pub struct CombaSimulation(NonNull<sys::CombaMachine>);

/// What a simulated machine made of an encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulated {
    /// The result.
    pub computed: Computed,
    /// The cycles from the start to the last word.
    pub cycles: u64,
    /// The words that were read.
    pub reads: u64,
    /// The words that were written.
    pub writes: u64,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the thread that made
// it (models are verilated without threads).
unsafe impl Send for CombaSimulation {}

impl CombaSimulation {
    /// Cycles between two reports of progress.
    const STRIDE: u64 = 1 << 14;

    /// Makes a machine, of [`super::Shape::machine`] or [`super::SystolicShape::machine`], after reset.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the machines of [`CombaSimulation::machines`] are in this build.
    pub fn new(label: &str) -> Result<Self, RtlError> {
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_comba_new(label.as_ptr().cast(), label.len()) };
        let machine = NonNull::new(machine).ok_or_else(|| RtlError::MachineNotBuilt {
            machine: label.to_owned(),
        })?;
        Ok(Self(machine))
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/combas.rs"))
    }

    /// Encrypts what is in an image made for the machine's shape, in at most so many cycles. `progress` gets the number of
    /// cycles from time to time.
    ///
    /// # Errors
    /// [`RtlError::WrongResult`] if the machine found its sum negative; [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn encrypt(
        &mut self,
        mut image: Image,
        most: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Simulated, RtlError> {
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads as many words as the
        // job has and keeps no pointer.
        let status =
            unsafe { sys::ringmill_comba_start(self.0.as_ptr(), image.job.as_ptr(), image.job.len()) };
        self.check(status)?;
        let mut at = CombaProgress {
            busy: 1,
            ..CombaProgress::default()
        };
        while at.busy != 0 {
            if at.cycles > most {
                return Err(RtlError::Stuck { cycle: self.cycles() });
            }
            let (memory, count) = (image.memory.as_mut_ptr(), image.memory.len() as u64);
            // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads and writes as many
            // words of the memory as it has, and the progress, and keeps no pointer.
            let status = unsafe {
                sys::ringmill_comba_advance(self.0.as_ptr(), Self::STRIDE, memory, count, &raw mut at)
            };
            self.check(status)?;
            progress(at.cycles);
        }
        if at.negative != 0 {
            return Err(RtlError::WrongResult);
        }
        let corrected = at.second != 0;
        let computed = Computed {
            words: words(&image.residue(corrected), image.words()),
            corrected,
        };
        Ok(Simulated {
            computed,
            cycles: at.cycles,
            reads: at.reads,
            writes: at.writes,
        })
    }

    /// The number of cycles simulated since the machine was made.
    fn cycles(&self) -> u64 {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        unsafe { sys::ringmill_comba_cycles(self.0.as_ptr()) }
    }

    fn check(&self, result: i32) -> Result<(), RtlError> {
        match result {
            status::DONE => Ok(()),
            _ => Err(RtlError::Assertion { cycle: self.cycles() }),
        }
    }
}

impl Drop for CombaSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_comba_delete(self.0.as_ptr()) }
    }
}

impl fmt::Debug for CombaSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CombaSimulation")
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}
