use std::fmt;
use std::ptr::NonNull;

use super::model::check;
use super::{Constants, Model, Scaled, Shape, sys};
use crate::{RtlError, status};

/// The pipeline itself: its verilated SystemVerilog, simulated cycle after cycle.
///
/// Any thread may use it, but only one at a time.
pub struct ConversionSimulation {
    machine: NonNull<sys::ConversionMachine>,
    shape: Shape,
    constants: Constants,
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the
// thread that made it (models are verilated without threads).
unsafe impl Send for ConversionSimulation {}

impl ConversionSimulation {
    /// Makes the machine of a model and loads its tables.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`]: only the machines of [`ConversionSimulation::machines`] are in this build;
    /// [`RtlError::Assertion`].
    pub fn new(model: &Model) -> Result<Self, RtlError> {
        let label = model.machine();
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_conversion_new(label.as_ptr().cast(), label.len()) };
        let Some(machine) = NonNull::new(machine) else {
            return Err(RtlError::MachineNotBuilt { machine: label });
        };
        let simulation = Self {
            machine,
            shape: model.shape(),
            constants: model.constants().clone(),
        };
        let entries = simulation.constants.entries(simulation.shape);
        // SAFETY: the machine lives as long as `simulation`, which nobody else has. The function reads as many
        // entries as there are, and keeps no pointer.
        let status = unsafe {
            sys::ringmill_conversion_load(machine.as_ptr(), entries.as_ptr(), entries.len() as u64)
        };
        simulation.check(status)?;
        Ok(simulation)
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/conversions.rs"))
    }

    /// The number of cycles simulated since the machine was made.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        unsafe { sys::ringmill_conversion_cycles(self.machine.as_ptr()) }
    }

    /// Lifts coefficients, each given by its residues modulo the primes of q, to those modulo the other primes. The
    /// result has the number of cycles, too, from the first residue's arrival to the last one that leaves.
    ///
    /// # Errors
    /// As [`Model::lift`]; [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn lift(&mut self, coefficients: &[Vec<u64>]) -> Result<(Vec<Vec<u64>>, u64), RtlError> {
        let (base, total) = (self.shape.base(), self.shape.total());
        let (scaled, cycles) = self.run(false, coefficients, base, total - base)?;
        let residues = scaled.into_iter().map(|coefficient| coefficient.residues);
        Ok((residues.collect(), cycles))
    }

    /// Scales coefficients, each given by its residues modulo the primes of Q. The result has the number of cycles, too.
    ///
    /// # Errors
    /// As [`Model::scale`]; [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn scale(&mut self, coefficients: &[Vec<u64>]) -> Result<(Vec<Scaled>, u64), RtlError> {
        self.run(true, coefficients, self.shape.total(), self.shape.base())
    }

    /// Converts coefficients of `from` residues to such of `to`. A lift has no words.
    fn run(
        &mut self,
        scale: bool,
        coefficients: &[Vec<u64>],
        from: usize,
        to: usize,
    ) -> Result<(Vec<Scaled>, u64), RtlError> {
        for coefficient in coefficients {
            check(&self.constants.primes[..from], coefficient)?;
        }
        let (input, count) = (coefficients.concat(), coefficients.len());
        let per_number = if scale { self.shape.modulus_words() } else { 0 };
        let mut residues = vec![0; count * to];
        let mut words = vec![0; count * per_number];
        let mut negatives = vec![0_u8; count];
        let mut conversion = sys::Conversion {
            input: input.as_ptr(),
            residues: residues.as_mut_ptr(),
            words: words.as_mut_ptr(),
            negatives: negatives.as_mut_ptr(),
            coefficients: count as u64,
            input_residues: from as u64,
            output_residues: to as u64,
            output_words: per_number as u64,
            cycles: 0,
        };
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads coefficients *
        // input_residues words of `input`, writes coefficients times what it says into the others, which have as many
        // words, and keeps no pointer.
        let status = unsafe {
            sys::ringmill_conversion_run(self.machine.as_ptr(), i32::from(scale), &raw mut conversion)
        };
        self.check(status)?;
        let scaled = (0..count).map(|i| Scaled {
            negative: negatives[i] != 0,
            words: words[i * per_number..(i + 1) * per_number].to_vec(),
            residues: residues[i * to..(i + 1) * to].to_vec(),
        });
        Ok((scaled.collect(), conversion.cycles))
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

impl Drop for ConversionSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_conversion_delete(self.machine.as_ptr()) }
    }
}

impl fmt::Debug for ConversionSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversionSimulation")
            .field("shape", &self.shape)
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}
