use std::fmt;
use std::ptr::NonNull;

use ringmill_arith::secret::Secret;

use super::{Beat, Shape, sys};
use crate::{RtlError, status};

/// The machine itself: its verilated SystemVerilog, simulated cycle after cycle, on a link that gives and takes a beat in
/// every cycle.
///
/// Any thread may use it, but only one at a time.
pub struct ResidentSimulation {
    machine: NonNull<sys::ResidentMachine>,
    shape: Shape,
    loaded: bool,
}

/// What the machine made of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulated {
    /// The beats of all results.
    pub results: Secret<Vec<Beat>>,
    /// The cycles from the first beat in to the last one out.
    pub cycles: u64,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the thread that made
// it (models are verilated without threads).
unsafe impl Send for ResidentSimulation {}

impl ResidentSimulation {
    /// Makes the machine of a shape, after reset.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the machines of [`ResidentSimulation::machines`] are in this build.
    pub fn new(shape: Shape) -> Result<Self, RtlError> {
        let label = shape.machine();
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_resident_new(label.as_ptr().cast(), label.len()) };
        let machine = NonNull::new(machine).ok_or(RtlError::MachineNotBuilt { machine: label })?;
        Ok(Self {
            machine,
            shape,
            loaded: false,
        })
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/residents.rs"))
    }

    /// Sends a key, in place of the one before.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::Assertion`].
    pub fn load(&mut self, beats: &[Beat]) -> Result<(), RtlError> {
        let (expected, got) = (Shape::KEY_BEATS, beats.len());
        if got != expected {
            return Err(RtlError::WrongLength { expected, got });
        }
        let key = sys::ResidentKey {
            modulus: self.shape.modulus().0,
            reciprocal: self.shape.reciprocal(),
            beats: beats.as_ptr(),
            count: got as u64,
        };
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads the key and its `count`
        // beats, which are there, and keeps no pointer.
        let status = unsafe { sys::ringmill_resident_load(self.machine.as_ptr(), &raw const key) };
        self.loaded = status == status::DONE;
        self.check(status)
    }

    /// Sends the beats of whole jobs, and takes their results.
    ///
    /// # Errors
    /// [`RtlError::BadKaratsuba`] without a key; [`RtlError::WrongLength`], [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn run(&mut self, beats: &[Beat]) -> Result<Simulated, RtlError> {
        if !self.loaded {
            return Err(RtlError::BadKaratsuba {
                need: "a key before jobs",
            });
        }
        let each = self.shape.result_beats();
        let mut results = Secret::<Vec<Beat>>::zeros(Shape::jobs(beats)? * each);
        let mut jobs = sys::ResidentJobs {
            beats: beats.as_ptr(),
            count: beats.len() as u64,
            results: results.as_mut_ptr(),
            expected: results.len() as u64,
            each: each as u64,
            cycles: 0,
        };
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads `count` beats, writes
        // `expected` ones, which are there, and keeps no pointer.
        let status = unsafe { sys::ringmill_resident_run(self.machine.as_ptr(), &raw mut jobs) };
        self.check(status)?;
        let cycles = jobs.cycles;
        Ok(Simulated { results, cycles })
    }

    fn check(&self, status: i32) -> Result<(), RtlError> {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        let cycle = unsafe { sys::ringmill_resident_cycles(self.machine.as_ptr()) };
        match status {
            status::DONE => Ok(()),
            status::STUCK => Err(RtlError::Stuck { cycle }),
            _ => Err(RtlError::Assertion { cycle }),
        }
    }
}

impl Drop for ResidentSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_resident_delete(self.machine.as_ptr()) }
    }
}

impl fmt::Debug for ResidentSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResidentSimulation")
            .field("shape", &self.shape.machine())
            .finish_non_exhaustive()
    }
}
