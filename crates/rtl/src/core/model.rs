use super::memory::Memory;
use super::registers::{Registers, Written, half};
use super::units::{Stop, Units};
use super::{Configuration, Counter, Descriptor, Fault, Instruction, Machine, Register};
use crate::RtlError;

/// The golden model of the core: its registers, its ring, and its instructions one after another, each by its
/// definition.
///
/// The model has no time: it works when [`Machine::run`] is called, and all counters of cycles are 0. It computes with
/// the constants that a program loads, as the core does. It differs from a core in two ways: after an error nothing that
/// follows is done, and constants of a modulus that is not prime make [`Machine::run`] fail.
#[derive(Debug)]
pub struct Model {
    configuration: Configuration,
    memory: Memory,
    units: Units,
    registers: Registers,
    bytes_fetched: u64,
}

impl Model {
    /// Makes a core with empty memory: `bytes` from the address `base` on, both multiples of 64.
    ///
    /// # Errors
    /// [`RtlError::BadAddress`] for other memory.
    pub fn new(configuration: Configuration, base: u64, bytes: u64) -> Result<Self, RtlError> {
        for address in [base, bytes] {
            if !address.is_multiple_of(64) {
                return Err(RtlError::BadAddress { address });
            }
        }
        Ok(Self {
            configuration,
            memory: Memory::new(base, bytes),
            units: Units::new(configuration),
            registers: Registers::new(&configuration),
            bytes_fetched: 0,
        })
    }

    /// Fetches an instruction and does it.
    fn step(&mut self) -> Result<(), Stop> {
        let words = self.memory.words(self.registers.next()?, 4).ok();
        let words = words.and_then(|words| words.try_into().ok());
        let descriptor = Descriptor(words.ok_or(Fault::Descriptor)?);
        self.bytes_fetched += Descriptor::BYTES;
        let instruction = descriptor.instruction()?;
        let doubts = self
            .units
            .run(&instruction, self.registers.window, &mut self.memory)?;
        if matches!(instruction, Instruction::Convert { .. }) {
            self.registers.conversions = self.registers.conversions.wrapping_add(1);
        }
        for slot in doubts {
            self.registers.doubt(slot)?;
        }
        if instruction == Instruction::Interrupt {
            self.registers.raise_interrupt();
        }
        Ok(())
    }

    fn read_counter(&self, address: u32) -> Option<u32> {
        let value = match Counter::at(address)? {
            Counter::BytesRead => self.units.bytes_read + self.bytes_fetched,
            Counter::BytesWritten => self.units.bytes_written,
            _ => 0,
        };
        Some(half(value, address & 4 != 0))
    }
}

impl Machine for Model {
    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn memory(&self) -> (u64, u64) {
        (self.memory.base(), self.memory.bytes())
    }

    fn write_memory(&mut self, address: u64, words: &[u64]) -> Result<(), RtlError> {
        self.memory
            .words_mut(address, words.len())?
            .copy_from_slice(words);
        Ok(())
    }

    fn read_memory(&mut self, address: u64, words: &mut [u64]) -> Result<(), RtlError> {
        words.copy_from_slice(self.memory.words(address, words.len())?);
        Ok(())
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), RtlError> {
        let written = Register::at(address).and_then(|register| self.registers.write(register, value));
        if written.ok_or(RtlError::BadRegister { address })? == Written::Clear {
            self.units.clear();
            self.bytes_fetched = 0;
        }
        Ok(())
    }

    fn read(&mut self, address: u32) -> Result<u32, RtlError> {
        let value = Register::at(address).map(|register| self.registers.read(register));
        let value = value.or_else(|| self.read_counter(address));
        value.ok_or(RtlError::BadRegister { address })
    }

    fn run(&mut self) -> Result<(), RtlError> {
        while !self.registers.idle() {
            match self.step() {
                Ok(()) => self.registers.head = self.registers.head.wrapping_add(1),
                Err(Stop::Fault(fault)) => self.registers.stop(fault),
                Err(Stop::Model(error)) => return Err(error),
            }
        }
        Ok(())
    }
}
