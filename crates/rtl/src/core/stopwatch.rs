use std::collections::BTreeMap;

use super::registers::{Registers, Written, half};
use super::{
    Configuration, ConversionTable, Counter, Counts, Descriptor, Fault, Instruction, Machine, MemoryTiming,
    Register, Tables, Timing,
};
use crate::RtlError;

/// A core that takes its time and computes nothing: its counters are those of the [`Timing`] model for the programs that
/// are run on it.
///
/// Its memory keeps what is written four words at a time, which are descriptors; all else that is written is dropped, and
/// what is read is 0. So it is as large as is wanted. Only the form of descriptors is checked: other faults depend on
/// words, or a driver does not make them.
#[derive(Debug)]
pub struct Stopwatch {
    configuration: Configuration,
    timing: Timing,
    bytes: u64,
    registers: Registers,
    ring: BTreeMap<u64, Descriptor>,
    tables: Tables,
    counts: Counts,
}

impl Stopwatch {
    /// Makes a core with so many bytes of memory from address 0 on.
    ///
    /// # Errors
    /// As [`Timing::new`].
    pub fn new(configuration: Configuration, timing: MemoryTiming, bytes: u64) -> Result<Self, RtlError> {
        Ok(Self {
            configuration,
            timing: Timing::new(configuration, timing)?,
            bytes,
            registers: Registers::new(&configuration),
            ring: BTreeMap::new(),
            tables: Tables::default(),
            counts: Counts::default(),
        })
    }

    /// The program in the ring, up to a fault.
    fn program(&mut self) -> (Vec<Instruction>, Result<(), Fault>) {
        let mut program = Vec::new();
        while !self.registers.idle() {
            let instruction = self.registers.next().and_then(|address| {
                let descriptor = self.ring.get(&address).ok_or(Fault::Descriptor)?;
                descriptor.instruction()
            });
            match instruction {
                Ok(instruction) => program.push(instruction),
                Err(fault) => return (program, Err(fault)),
            }
            self.registers.head = self.registers.head.wrapping_add(1);
        }
        (program, Ok(()))
    }

    fn check(&self, address: u64, words: usize) -> Result<(), RtlError> {
        let end = address.checked_add(8 * words as u64);
        match end {
            Some(end) if address.is_multiple_of(8) && end <= self.bytes => Ok(()),
            _ => Err(RtlError::BadAddress { address }),
        }
    }
}

impl Machine for Stopwatch {
    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn memory(&self) -> (u64, u64) {
        (0, self.bytes)
    }

    fn write_memory(&mut self, address: u64, words: &[u64]) -> Result<(), RtlError> {
        self.check(address, words.len())?;
        if let Some(&head) = words.first().filter(|_| words.len() == ConversionTable::WORDS) {
            self.tables.write(address, head);
        }
        if let Ok(words) = words.try_into() {
            self.ring.insert(address, Descriptor(words));
        }
        Ok(())
    }

    fn read_memory(&mut self, address: u64, words: &mut [u64]) -> Result<(), RtlError> {
        self.check(address, words.len())?;
        words.fill(0);
        Ok(())
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), RtlError> {
        let written = Register::at(address).and_then(|register| self.registers.write(register, value));
        if written.ok_or(RtlError::BadRegister { address })? == Written::Clear {
            self.counts = Counts::default();
        }
        Ok(())
    }

    fn read(&mut self, address: u32) -> Result<u32, RtlError> {
        let value = Register::at(address).map(|register| self.registers.read(register));
        let counter = || Some(half(self.counts.get(Counter::at(address)?), address & 4 != 0));
        value.or_else(counter).ok_or(RtlError::BadRegister { address })
    }

    fn run(&mut self) -> Result<(), RtlError> {
        let (program, end) = self.program();
        self.counts += self.timing.run(&program, &mut self.tables)?;
        for _ in program.iter().filter(|&&i| i == Instruction::Interrupt) {
            self.registers.raise_interrupt();
        }
        if let Err(fault) = end {
            self.registers.stop(fault);
        }
        Ok(())
    }
}
