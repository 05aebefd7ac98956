use std::fmt;
use std::ptr::NonNull;

use super::program::LANES;
use super::{Conversion, Place, sys};
use crate::{RtlError, status};

/// Tiles: their verilated SystemVerilog, simulated cycle after cycle.
///
/// Any thread may use them, but only one at a time.
pub struct TileSimulation(NonNull<sys::TileMachine>);

/// What tiles made of their coefficients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileResults {
    /// For each coefficient the words of its result.
    pub words: Vec<Vec<u32>>,
    /// The cycles of a program.
    pub cycles: u64,
}

/// What the host writes.
#[derive(Clone, Copy)]
enum Target {
    Program,
    Constants,
    Words { tile: u32, mask: u32 },
}

// SAFETY: a machine is an object on the heap with its own VerilatedContext; nothing in it belongs to the thread that made
// it (models are verilated without threads).
unsafe impl Send for TileSimulation {}

impl TileSimulation {
    /// The tiles that are simulated.
    pub const TILES: usize = 4;

    /// Makes tiles after reset.
    ///
    /// # Errors
    /// [`RtlError::MachineNotBuilt`].
    pub fn new() -> Result<Self, RtlError> {
        let label = format!("tile_conversion Tiles={}", Self::TILES);
        // SAFETY: the function reads `length` bytes of the text, which has as many, and keeps no pointer. It gives a
        // new object that nobody else has, or null.
        let machine = unsafe { sys::ringmill_tile_new(label.as_ptr().cast(), label.len()) };
        let machine = NonNull::new(machine).ok_or(RtlError::MachineNotBuilt { machine: label })?;
        Ok(Self(machine))
    }

    /// The machines in this build: the module and its parameters.
    #[must_use]
    pub const fn machines() -> &'static [&'static str] {
        include!(concat!(env!("OUT_DIR"), "/tiles.rs"))
    }

    /// Converts coefficients, one for each tile at most.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] for more coefficients than tiles; [`RtlError::Stuck`], [`RtlError::Assertion`].
    pub fn convert(
        &mut self,
        conversion: &Conversion,
        coefficients: &[Vec<u32>],
    ) -> Result<TileResults, RtlError> {
        let (expected, got) = (Self::TILES, coefficients.len());
        if got > expected {
            return Err(RtlError::WrongLength { expected, got });
        }
        let program = conversion.program();
        for (address, operation) in program.operations().iter().enumerate() {
            self.write(Target::Program, address, operation.bits())?;
        }
        for (address, &constants) in program.constants().iter().enumerate() {
            self.write(Target::Constants, address, constants)?;
        }
        for (tile, coefficient) in coefficients.iter().enumerate() {
            self.write_words(tile, conversion.input().0, coefficient)?;
            self.write_words(tile, conversion.one(), &[1])?;
        }
        let mut cycles = 0;
        let length = program.operations().len() as u32;
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function writes a number and keeps no
        // pointer.
        let status = unsafe { sys::ringmill_tile_run(self.0.as_ptr(), length, &raw mut cycles) };
        self.check(status)?;
        let (first, count) = conversion.output();
        let words = (0..got).map(|tile| self.read(tile, first, count));
        Ok(TileResults {
            words: words.collect::<Result<_, _>>()?,
            cycles,
        })
    }

    fn write_words(&mut self, tile: usize, first: Place, words: &[u32]) -> Result<(), RtlError> {
        for (place, &word) in (usize::from(first)..).zip(words) {
            let (lane, tile) = (place % LANES, tile as u32);
            let mut triple = [0; LANES];
            triple[lane] = word;
            self.write(
                Target::Words {
                    tile,
                    mask: 1 << lane,
                },
                place / LANES,
                triple,
            )?;
        }
        Ok(())
    }

    fn write(&mut self, target: Target, address: usize, words: [u32; LANES]) -> Result<(), RtlError> {
        let (target, tile, mask) = match target {
            Target::Program => (0, 0, 7),
            Target::Constants => (1, 0, 7),
            Target::Words { tile, mask } => (2, tile, mask),
        };
        let address = address as u32;
        // SAFETY: the machine lives as long as self, which is borrowed mutably. The function reads three words and keeps no
        // pointer.
        let status =
            unsafe { sys::ringmill_tile_write(self.0.as_ptr(), target, tile, address, mask, words.as_ptr()) };
        self.check(status)
    }

    fn read(&mut self, tile: usize, first: Place, count: usize) -> Result<Vec<u32>, RtlError> {
        let first = usize::from(first);
        let mut words = Vec::new();
        for address in first / LANES..(first + count).div_ceil(LANES) {
            let mut triple = [0; LANES];
            // SAFETY: the machine lives as long as self, which is borrowed mutably. The function writes three words and
            // keeps no pointer.
            let status = unsafe {
                sys::ringmill_tile_read(self.0.as_ptr(), tile as u32, address as u32, triple.as_mut_ptr())
            };
            self.check(status)?;
            words.extend(triple);
        }
        Ok(words.into_iter().skip(first % LANES).take(count).collect())
    }

    fn check(&self, result: i32) -> Result<(), RtlError> {
        // SAFETY: the machine lives as long as self; nothing writes to it meanwhile.
        let cycle = unsafe { sys::ringmill_tile_cycles(self.0.as_ptr()) };
        match result {
            status::DONE => Ok(()),
            status::STUCK => Err(RtlError::Stuck { cycle }),
            _ => Err(RtlError::Assertion { cycle }),
        }
    }
}

impl Drop for TileSimulation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted here only; nobody has a copy of the pointer.
        unsafe { sys::ringmill_tile_delete(self.0.as_ptr()) }
    }
}

impl fmt::Debug for TileSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TileSimulation").finish_non_exhaustive()
    }
}
