//! Devices on cards.

use std::sync::Arc;

use ringmill_ring::Ring;

use super::{Arithmetic, CudaDevice};
use crate::Program;
use crate::machine::card::{Card, cards};
use crate::machine::{KernelTime, Machine, MachineError};

/// Of the memory that a card has free, one part in so many is left to the driver, which needs some for each kernel
/// and stream.
const RESERVE: u64 = 32;

impl CudaDevice {
    /// A device for one ring on a card, counted from 0. Kernels are compiled, or taken from the user's cache; they
    /// compute as suits the card, or as `RINGMILL_CUDA_ARITHMETIC` says: `doubles` or `words`.
    ///
    /// # Errors
    /// As [`Card::open`]; [`MachineError::NoArithmetic`].
    pub fn open(ring: &Ring, index: usize) -> Result<Self, MachineError> {
        Self::on_card(ring, index, Card::open)
    }

    /// As [`CudaDevice::open`], on a card that measures its kernels: [`CudaDevice::profile`].
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
    pub fn open_profiled(ring: &Ring, index: usize) -> Result<Self, MachineError> {
        Self::on_card(ring, index, Card::open_profiled)
    }

    fn on_card(
        ring: &Ring,
        index: usize,
        open: fn(usize, &Program) -> Result<Card, MachineError>,
    ) -> Result<Self, MachineError> {
        let cards = cards()?;
        let found = cards.len();
        let card = cards.get(index).ok_or(MachineError::NoCard { index, found })?;
        let arithmetic = Arithmetic::from_environment(card.capability)?;
        let card = open(index, &Program::of_device(ring, arithmetic))?;
        let free = card.memory()?.free;
        Ok(Self::new(ring, arithmetic, Arc::new(card)).with_memory(free - free / RESERVE))
    }

    /// How long each kernel ran so far, if the card was opened to measure that; else nothing.
    ///
    /// # Errors
    /// If the card failed.
    pub fn profile(&self) -> Result<Vec<KernelTime>, MachineError> {
        self.store.machine().profile()
    }
}
