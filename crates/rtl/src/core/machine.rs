use super::{Configuration, Counter, Register};
use crate::RtlError;

/// A core and its memory, as a host sees them: the golden model, a simulation or a card.
pub trait Machine: Send {
    /// The parameters that the core was built with.
    fn configuration(&self) -> &Configuration;

    /// The first address of the memory and its size, in bytes.
    fn memory(&self) -> (u64, u64);

    /// Writes words of 64 bits to memory; the address is a multiple of 8.
    ///
    /// # Errors
    /// [`RtlError::BadAddress`] if the words do not lie in memory.
    fn write_memory(&mut self, address: u64, words: &[u64]) -> Result<(), RtlError>;

    /// Reads words of 64 bits from memory; the address is a multiple of 8.
    ///
    /// # Errors
    /// [`RtlError::BadAddress`] if the words do not lie in memory.
    fn read_memory(&mut self, address: u64, words: &mut [u64]) -> Result<(), RtlError>;

    /// Writes the register at a byte address.
    ///
    /// # Errors
    /// [`RtlError::BadRegister`] if the core does not take the value now.
    fn write(&mut self, address: u32, value: u32) -> Result<(), RtlError>;

    /// Reads the register at a byte address.
    ///
    /// # Errors
    /// [`RtlError::BadRegister`] if there is none.
    fn read(&mut self, address: u32) -> Result<u32, RtlError>;

    /// Lets the core work until it is idle, or an error has stopped it and what had begun has ended.
    ///
    /// # Errors
    /// If the machine gets stuck, or cannot do what the core would.
    fn run(&mut self) -> Result<(), RtlError>;

    /// Reads a register.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn get(&mut self, register: Register) -> Result<u32, RtlError> {
        self.read(register as u32)
    }

    /// Writes a register.
    ///
    /// # Errors
    /// As [`Machine::write`].
    fn set(&mut self, register: Register, value: u32) -> Result<(), RtlError> {
        self.write(register as u32, value)
    }

    /// Reads the quantity of 64 bits whose low half is at a byte address.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn read_wide(&mut self, address: u32) -> Result<u64, RtlError> {
        let [low, high] = [self.read(address)?, self.read(address + 4)?];
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// Writes the quantity of 64 bits whose low half is at this register.
    ///
    /// # Errors
    /// As [`Machine::write`].
    fn set_wide(&mut self, register: Register, value: u64) -> Result<(), RtlError> {
        self.write(register as u32, value as u32)?;
        self.write(register as u32 + 4, (value >> 32) as u32)
    }

    /// Reads a counter.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn counter(&mut self, counter: Counter) -> Result<u64, RtlError> {
        self.read_wide(counter as u32)
    }
}
