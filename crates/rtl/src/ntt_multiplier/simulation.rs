use std::fmt;
use std::ptr::{self, NonNull};

use super::register::Register;
use super::sys;
use super::{JobTimes, Link, Shape};
use crate::{Pipeline, RtlError, status};

/// The machine itself: its verilated SystemVerilog, simulated cycle after cycle at the end of a [`Link`].
///
/// It has its own memory. Any thread may use it, but only one at a time.
pub struct Simulation {
    machine: NonNull<sys::Machine>,
    shape: Shape,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the
// thread that made it (models are verilated without threads).
unsafe impl Send for Simulation {}

/// The results of a batch of packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The results' words, packet after packet.
    pub words: Vec<u32>,
    /// The times of the parts of each job.
    pub times: Vec<JobTimes>,
    /// The number of cycles from the first beat on the link to the last one off it.
    pub cycles: u64,
}

impl Simulation {
    /// Makes a machine after reset.
    ///
    /// # Errors
    /// [`RtlError::NotBuilt`]: only the shapes of [`Simulation::shapes`] are in this build.
    pub fn new(shape: Shape) -> Result<Self, RtlError> {
        // SAFETY: takes numbers only; gives a new object that nobody else has, or null.
        let machine = unsafe {
            sys::ringmill_ntt_multiplier_new(
                shape.log_n(),
                shape.log_units(),
                shape.log_link(),
                shape.pipeline().value(),
            )
        };
        match NonNull::new(machine) {
            Some(machine) => Ok(Self { machine, shape }),
            None => Err(RtlError::NotBuilt {
                n: shape.n(),
                units: shape.units(),
                link_words: shape.link_words(),
                pipeline: shape.pipeline(),
            }),
        }
    }

    /// The shapes in this build, as the build script lists them.
    #[must_use]
    pub fn shapes() -> Vec<Shape> {
        let built = include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
        let shapes = built.into_iter().filter_map(|(n, units, link, pipeline)| {
            let shape = Shape::new(n, units, link).ok()?;
            Some(shape.with_pipeline(pipeline))
        });
        shapes.collect()
    }

    /// The machine's shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of cycles simulated since the machine was made.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        unsafe { sys::ringmill_machine_cycles(self.machine.as_ptr()) }
    }

    /// Resets the machine, which keeps the contents of its memories.
    pub fn reset(&mut self) {
        // SAFETY: the machine lives as long as self, which is borrowed mutably.
        unsafe { sys::ringmill_machine_reset(self.machine.as_ptr()) }
    }

    /// Simulates this many cycles.
    ///
    /// # Errors
    /// [`RtlError::Assertion`] if an assertion in the machine's source fails.
    pub fn step(&mut self, cycles: u64) -> Result<(), RtlError> {
        // SAFETY: the machine lives as long as self, which is borrowed mutably.
        let status = unsafe { sys::ringmill_machine_step(self.machine.as_ptr(), cycles) };
        self.check(status, 0)
    }

    /// Reads a register over AXI4-Lite.
    ///
    /// # Errors
    /// [`RtlError::BadRegister`], [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn read(&mut self, register: Register) -> Result<u32, RtlError> {
        let (mut value, address) = (0, register as u32);
        // SAFETY: the machine lives as long as self, which is borrowed mutably; `value` is written before
        // the call returns, and not later.
        let status = unsafe { sys::ringmill_machine_read(self.machine.as_ptr(), address, &raw mut value) };
        self.check(status, address)?;
        Ok(value)
    }

    /// Writes a register over AXI4-Lite.
    ///
    /// # Errors
    /// Those of [`Simulation::read`].
    pub fn write(&mut self, register: Register, value: u32) -> Result<(), RtlError> {
        let address = register as u32;
        // SAFETY: the machine lives as long as self, which is borrowed mutably.
        let status = unsafe { sys::ringmill_machine_write(self.machine.as_ptr(), address, value) };
        self.check(status, address)
    }

    /// Streams packets of `packet` words in, back to back, and streams one of `results` polynomials out for
    /// each of them.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] if the words are not whole packets or the packets not whole beats;
    /// [`RtlError::Stuck`], [`RtlError::BadPacket`], [`RtlError::Assertion`].
    pub fn transfer(
        &mut self,
        link: &Link,
        words: &[u32],
        packet: usize,
        results: usize,
    ) -> Result<Batch, RtlError> {
        let beat = self.shape.link_words();
        if packet == 0 || !packet.is_multiple_of(beat) || !words.len().is_multiple_of(packet) {
            return Err(RtlError::WrongLength {
                expected: words.len().next_multiple_of(packet.max(1).next_multiple_of(beat)),
                got: words.len(),
            });
        }
        let jobs = words.len() / packet;
        let mut batch = Batch {
            words: vec![0; jobs * results * self.shape.n()],
            times: vec![JobTimes::default(); jobs],
            cycles: 0,
        };
        let mut transfer = sys::Transfer {
            input: words.as_ptr(),
            output: batch.words.as_mut_ptr(),
            times: batch.times.as_mut_ptr(),
            jobs: jobs as u64,
            input_packet: (packet / beat) as u64,
            output_packet: (results * self.shape.beats()) as u64,
            cycles: 0,
        };
        let settings = sys::LinkSettings::from(link);
        // SAFETY: the machine lives as long as self, which is borrowed mutably. It reads jobs * input_packet
        // beats from `input`, which has as many (checked above), and writes at most jobs * output_packet
        // beats to `output` and one entry for each job to `times`: their lengths. It keeps no pointer.
        let status = unsafe {
            sys::ringmill_machine_transfer(self.machine.as_ptr(), ptr::from_ref(&settings), &raw mut transfer)
        };
        self.check(status, 0)?;
        batch.cycles = transfer.cycles;
        Ok(batch)
    }

    fn check(&self, result: i32, address: u32) -> Result<(), RtlError> {
        match result {
            status::DONE => Ok(()),
            status::STUCK => Err(RtlError::Stuck { cycle: self.cycles() }),
            status::BAD_PACKET => Err(RtlError::BadPacket { cycle: self.cycles() }),
            status::ASSERTION => Err(RtlError::Assertion { cycle: self.cycles() }),
            _ => Err(RtlError::BadRegister { address }),
        }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_machine_delete(self.machine.as_ptr()) }
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("shape", &self.shape)
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}
