use super::memory::Memory;
use super::register::{CLEAR, ID, VERSION, status};
use super::units::{Stop, Units};
use super::{Configuration, Counter, Descriptor, Fault, Machine, Register};
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
    ring: u64,
    ring_log: u32,
    head: u32,
    tail: u32,
    /// What stopped the core, and the address of the descriptor.
    error: Option<(Fault, u64)>,
    interrupts: u32,
    interrupt: bool,
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
            ring: 0,
            ring_log: 3,
            head: 0,
            tail: 0,
            error: None,
            interrupts: 0,
            interrupt: false,
            bytes_fetched: 0,
        })
    }

    const fn idle(&self) -> bool {
        self.error.is_some() || self.head == self.tail
    }

    fn clear(&mut self) {
        self.units.clear();
        (self.head, self.tail, self.interrupts, self.bytes_fetched) = (0, 0, 0, 0);
        (self.error, self.interrupt) = (None, false);
    }

    /// The address of the next descriptor.
    const fn next(&self) -> u64 {
        let place = self.head & ((1 << self.ring_log) - 1);
        self.ring.wrapping_add(place as u64 * Descriptor::BYTES)
    }

    /// Fetches an instruction and does it.
    fn step(&mut self) -> Result<(), Stop> {
        if self.tail.wrapping_sub(self.head) > 1 << self.ring_log {
            return Err(Fault::Tail.into());
        }
        let words = self.memory.words(self.next(), 4).ok();
        let words = words.and_then(|words| words.try_into().ok());
        let descriptor = Descriptor(words.ok_or(Fault::Descriptor)?);
        self.bytes_fetched += Descriptor::BYTES;
        let instruction = descriptor.instruction()?;
        self.units.run(&instruction, &mut self.memory)?;
        if instruction == super::Instruction::Interrupt {
            self.interrupts = self.interrupts.wrapping_add(1);
            self.interrupt = true;
        }
        Ok(())
    }

    fn status(&self) -> u32 {
        let bit = |holds: bool, bit: u32| if holds { bit } else { 0 };
        bit(self.idle(), status::IDLE)
            | bit(self.error.is_some(), status::STOPPED)
            | bit(self.interrupt, status::INTERRUPT)
    }

    fn read_counter(&self, address: u32) -> Option<u32> {
        if !address.is_multiple_of(4) {
            return None;
        }
        let value = match address & !7 {
            low if low == Counter::BytesRead as u32 => self.units.bytes_read + self.bytes_fetched,
            low if low == Counter::BytesWritten as u32 => self.units.bytes_written,
            low if (Counter::Cycles as u32..Counter::BytesRead as u32).contains(&low) => 0,
            _ => return None,
        };
        Some(half(value, address & 4 != 0))
    }

    fn value(&self, register: Register) -> u32 {
        let (first, bytes) = self.units.window;
        let error_address = self.error.map_or(0, |(_, address)| address);
        match register {
            Register::Id => ID,
            Register::Version => VERSION,
            Register::Shape => self.configuration.shape_register(),
            Register::Words => self.configuration.words_register(),
            Register::Control => 0,
            Register::Status => self.status(),
            Register::Ring => half(self.ring, false),
            Register::RingHigh => half(self.ring, true),
            Register::Tail => self.tail,
            Register::Head => self.head,
            Register::Window => half(first, false),
            Register::WindowHigh => half(first, true),
            Register::WindowSize => half(bytes, false),
            Register::WindowSizeHigh => half(bytes, true),
            Register::Error => self.error.map_or(0, |(fault, _)| fault.code()),
            Register::ErrorAddress => half(error_address, false),
            Register::ErrorAddressHigh => half(error_address, true),
            Register::Interrupts => self.interrupts,
            Register::RingLog => self.ring_log,
        }
    }

    /// Writes a register that an idle core takes; `None` if it does not take the value.
    fn configure(&mut self, register: Register, value: u32) -> Option<()> {
        let (first, bytes) = (&mut self.units.window.0, &mut self.units.window.1);
        match register {
            Register::Ring => set_half(&mut self.ring, value, false),
            Register::RingHigh => set_half(&mut self.ring, value, true),
            Register::Window => set_half(first, value, false),
            Register::WindowHigh => set_half(first, value, true),
            Register::WindowSize => set_half(bytes, value, false),
            Register::WindowSizeHigh => set_half(bytes, value, true),
            Register::RingLog if (3..=16).contains(&value) => self.ring_log = value,
            Register::Control if value == CLEAR => self.clear(),
            _ => return None,
        }
        Some(())
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
        let taken = match Register::at(address) {
            Some(Register::Tail) => {
                self.tail = value;
                Some(())
            }
            Some(Register::Interrupts) => {
                self.interrupt = false;
                Some(())
            }
            Some(register) if self.idle() => self.configure(register, value),
            _ => None,
        };
        taken.ok_or(RtlError::BadRegister { address })
    }

    fn read(&mut self, address: u32) -> Result<u32, RtlError> {
        let value = Register::at(address).map(|register| self.value(register));
        let value = value.or_else(|| self.read_counter(address));
        value.ok_or(RtlError::BadRegister { address })
    }

    fn run(&mut self) -> Result<(), RtlError> {
        while !self.idle() {
            match self.step() {
                Ok(()) => self.head = self.head.wrapping_add(1),
                Err(Stop::Fault(fault)) => self.error = Some((fault, self.next())),
                Err(Stop::Model(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Half of a register of 64 bits.
const fn half(value: u64, high: bool) -> u32 {
    if high { (value >> 32) as u32 } else { value as u32 }
}

const fn set_half(register: &mut u64, value: u32, high: bool) {
    let value = value as u64;
    *register = if high {
        *register & 0xffff_ffff | value << 32
    } else {
        *register & !0xffff_ffff | value
    };
}
