use std::collections::VecDeque;

use super::register::{CLEAR, ID, Register, VERSION, status};
use super::{Configuration, Descriptor, Fault};

/// The registers of a model of the core, and its place in the ring.
#[derive(Debug)]
pub(super) struct Registers {
    shape: u32,
    words: u32,
    ring: u64,
    ring_log: u32,
    /// The first byte of the window and its bytes.
    pub(super) window: (u64, u64),
    pub(super) head: u32,
    pub(super) tail: u32,
    /// What stopped the core, and the address of the descriptor.
    pub(super) error: Option<(Fault, u64)>,
    interrupts: u32,
    interrupt: bool,
    conversion: u32,
    /// The conversions so far.
    pub(super) conversions: u32,
    /// The slots with doubtful columns: the number of the conversion, and the slot in its strip.
    doubts: VecDeque<(u32, u32)>,
}

/// What a write to a register does beyond the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Register,
    /// The core is cleared.
    Clear,
}

impl Registers {
    pub(super) fn new(configuration: &Configuration) -> Self {
        Self {
            shape: configuration.shape_register(),
            words: configuration.words_register(),
            ring: 0,
            ring_log: 3,
            window: (0, 0),
            head: 0,
            tail: 0,
            error: None,
            interrupts: 0,
            interrupt: false,
            conversion: configuration.conversion_register(),
            conversions: 0,
            doubts: VecDeque::new(),
        }
    }

    /// Whether nothing is to be done.
    pub(super) const fn idle(&self) -> bool {
        self.error.is_some() || self.head == self.tail
    }

    /// The address of the next descriptor; none if the tail is more than a ring ahead.
    pub(super) fn next(&self) -> Result<u64, Fault> {
        if self.tail.wrapping_sub(self.head) > 1 << self.ring_log {
            return Err(Fault::Tail);
        }
        Ok(self.place())
    }

    const fn place(&self) -> u64 {
        let place = self.head & ((1 << self.ring_log) - 1);
        self.ring.wrapping_add(place as u64 * Descriptor::BYTES)
    }

    /// Stops the core at the next descriptor.
    pub(super) const fn stop(&mut self, fault: Fault) {
        self.error = Some((fault, self.place()));
    }

    pub(super) const fn raise_interrupt(&mut self) {
        self.interrupts = self.interrupts.wrapping_add(1);
        self.interrupt = true;
    }

    /// Puts a slot with doubtful columns of the last conversion into the queue.
    ///
    /// # Errors
    /// [`Fault::Doubts`] if there is no place.
    pub(super) fn doubt(&mut self, slot: usize) -> Result<(), Fault> {
        let [_, places, ..] = self.conversion.to_le_bytes();
        if self.doubts.len() >= places.into() {
            return Err(Fault::Doubts);
        }
        self.doubts
            .push_back((self.conversions.wrapping_sub(1), slot as u32));
        Ok(())
    }

    fn status(&self) -> u32 {
        let bit = |holds: bool, bit: u32| if holds { bit } else { 0 };
        bit(self.idle(), status::IDLE)
            | bit(self.error.is_some(), status::STOPPED)
            | bit(self.interrupt, status::INTERRUPT)
    }

    pub(super) fn read(&self, register: Register) -> u32 {
        let (first, bytes) = self.window;
        let error_address = self.error.map_or(0, |(_, address)| address);
        match register {
            Register::Id => ID,
            Register::Version => VERSION,
            Register::Shape => self.shape,
            Register::Words => self.words,
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
            Register::Doubts => self.doubts.len() as u32,
            Register::DoubtConversion => self.doubts.front().map_or(0, |doubt| doubt.0),
            Register::DoubtSlot => self.doubts.front().map_or(0, |doubt| doubt.1),
            Register::Conversion => self.conversion,
        }
    }

    /// Writes a register; `None` if it does not take the value now.
    pub(super) fn write(&mut self, register: Register, value: u32) -> Option<Written> {
        match register {
            Register::Tail => self.tail = value,
            Register::Interrupts => self.interrupt = false,
            Register::Doubts => drop(self.doubts.pop_front()),
            _ if !self.idle() => return None,
            Register::Control if value == CLEAR => {
                (self.head, self.tail, self.interrupts) = (0, 0, 0);
                (self.error, self.interrupt) = (None, false);
                self.doubts.clear();
                self.conversions = 0;
                return Some(Written::Clear);
            }
            Register::RingLog if (3..=16).contains(&value) => self.ring_log = value,
            Register::Ring => set_half(&mut self.ring, value, false),
            Register::RingHigh => set_half(&mut self.ring, value, true),
            Register::Window => set_half(&mut self.window.0, value, false),
            Register::WindowHigh => set_half(&mut self.window.0, value, true),
            Register::WindowSize => set_half(&mut self.window.1, value, false),
            Register::WindowSizeHigh => set_half(&mut self.window.1, value, true),
            _ => return None,
        }
        Some(Written::Register)
    }
}

/// Half of a quantity of 64 bits.
pub(super) const fn half(value: u64, high: bool) -> u32 {
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
