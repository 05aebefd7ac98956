use std::fmt;
use std::ptr::NonNull;

use ringmill_arith::secret::Secret;

use super::{Beat, Shape, sys};
use crate::{RtlError, status};

/// The machine itself: its verilated SystemVerilog, simulated cycle after cycle, on a link that gives and takes a beat in
/// every cycle.
///
/// Any thread may use it, but only one at a time.
pub struct KaratsubaSimulation(NonNull<sys::KaratsubaMachine>);

/// What the machine made of beats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulated {
    /// The words.
    pub words: Secret<Vec<Beat>>,
    /// The cycles from the first beat to the last word in the result buffer.
    pub buffered: u64,
    /// The cycles from the first beat to the last word on the link.
    pub cycles: u64,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the thread that made
// it (models are verilated without threads).
unsafe impl Send for KaratsubaSimulation {}

impl KaratsubaSimulation {
    /// Makes the machine of a shape, after reset.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the machines of [`KaratsubaSimulation::machines`] are in this build.
    pub fn new(shape: Shape) -> Result<Self, RtlError> {
        let label = shape.machine();
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_karatsuba_new(label.as_ptr().cast(), label.len()) };
        let machine = NonNull::new(machine).ok_or(RtlError::MachineNotBuilt { machine: label })?;
        Ok(Self(machine))
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/karatsubas.rs"))
    }

    /// Sends the beats of whole groups of pieces, and takes the words.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn run(&mut self, beats: &[Beat]) -> Result<Simulated, RtlError> {
        let mut words = Secret::<Vec<Beat>>::zeros(Shape::results(beats.len())?);
        let mut job = sys::KaratsubaJob {
            beats: beats.as_ptr(),
            count: beats.len() as u64,
            words: words.as_mut_ptr(),
            expected: words.len() as u64,
            buffered: 0,
            cycles: 0,
        };
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads `count` beats, writes
        // `expected` words, which are there, and keeps no pointer.
        let status = unsafe { sys::ringmill_karatsuba_run(self.0.as_ptr(), &raw mut job) };
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        let cycle = unsafe { sys::ringmill_karatsuba_cycles(self.0.as_ptr()) };
        match status {
            status::DONE => Ok(Simulated {
                words,
                buffered: job.buffered,
                cycles: job.cycles,
            }),
            status::STUCK => Err(RtlError::Stuck { cycle }),
            _ => Err(RtlError::Assertion { cycle }),
        }
    }
}

impl Drop for KaratsubaSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_karatsuba_delete(self.0.as_ptr()) }
    }
}

impl fmt::Debug for KaratsubaSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KaratsubaSimulation").finish_non_exhaustive()
    }
}
