use std::ops::Range;

use super::register::{CLEAR, ID, Register, VERSION, status};
use super::units::ALIGNMENT;
use super::{Counter, Descriptor, Fault, Instruction, Machine};
use crate::RtlError;

/// The host's side of a core: it configures the core, keeps the ring, and reports why the core stopped.
///
/// The ring lies at the beginning of the memory, the window is the rest ([`Driver::data`]).
#[derive(Debug)]
pub struct Driver<M> {
    machine: M,
    ring: u64,
    ring_log: u32,
    data: Range<u64>,
    /// The descriptors written since the core was cleared.
    tail: u32,
    /// The conversions among them.
    conversions: u32,
}

impl<M: Machine> Driver<M> {
    /// log2 of the number of descriptors of a ring that serves any program.
    pub const RING_LOG: u32 = 8;

    /// Takes over a core: checks that it is the one that the host was built for, clears it and sets up a ring of
    /// 2^`ring_log` descriptors, 3 to 16.
    ///
    /// # Errors
    /// [`RtlError::WrongMachine`] if its registers say something else than its configuration;
    /// [`RtlError::MemoryFull`] if the ring does not fit; [`RtlError::BadRegister`] for another ring, and if the core is
    /// busy.
    pub fn new(mut machine: M, ring_log: u32) -> Result<Self, RtlError> {
        identify(&mut machine)?;
        let (base, bytes) = machine.memory();
        let size = Descriptor::BYTES
            .checked_shl(ring_log)
            .unwrap_or(0)
            .max(ALIGNMENT);
        let ring = base.checked_next_multiple_of(size).unwrap_or(u64::MAX);
        let (first, end) = (ring.saturating_add(size), base.saturating_add(bytes));
        if first > end {
            return Err(RtlError::MemoryFull { bytes: size });
        }
        machine.set(Register::Control, CLEAR)?;
        machine.set_wide(Register::Ring, ring)?;
        machine.set(Register::RingLog, ring_log)?;
        machine.set_wide(Register::Window, first)?;
        machine.set_wide(Register::WindowSize, end - first)?;
        Ok(Self {
            machine,
            ring,
            ring_log,
            data: first..end,
            tail: 0,
            conversions: 0,
        })
    }

    /// The core and its memory.
    #[must_use]
    pub const fn machine(&self) -> &M {
        &self.machine
    }

    /// The same, to read and write memory and counters. Its ring is this driver's.
    pub const fn machine_mut(&mut self) -> &mut M {
        &mut self.machine
    }

    /// The addresses that instructions may use.
    #[must_use]
    pub const fn data(&self) -> &Range<u64> {
        &self.data
    }

    /// Runs a program and waits until it is done. The program may be longer than the ring.
    ///
    /// # Errors
    /// [`RtlError::Core`] if the core stopped. The driver has cleared it then: all buffers and slots are empty, and the
    /// rest of the program is not done.
    pub fn run(&mut self, program: &[Instruction]) -> Result<(), RtlError> {
        let mut rest = program;
        while !rest.is_empty() {
            let head = self.machine.get(Register::Head)?;
            let room = (1_usize << self.ring_log).saturating_sub(self.tail.wrapping_sub(head) as usize);
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.submit(now)?;
            rest = later;
            self.finish()?;
        }
        Ok(())
    }

    /// Writes descriptors into the ring, which has room for them, and moves the tail.
    fn submit(&mut self, program: &[Instruction]) -> Result<(), RtlError> {
        for &instruction in program {
            let place = u64::from(self.tail) & ((1 << self.ring_log) - 1);
            let address = self.ring + place * Descriptor::BYTES;
            self.machine
                .write_memory(address, &Descriptor::from(instruction).0)?;
            self.tail = self.tail.wrapping_add(1);
            if matches!(instruction, Instruction::Convert { .. }) {
                self.conversions = self.conversions.wrapping_add(1);
            }
        }
        self.machine.set(Register::Tail, self.tail)
    }

    /// Lets the core do what is in the ring.
    fn finish(&mut self) -> Result<(), RtlError> {
        self.machine.run()?;
        let state = self.machine.get(Register::Status)?;
        if state & status::STOPPED != 0 {
            let error = self.error()?;
            self.clear()?;
            return Err(error);
        }
        if state & status::IDLE == 0 {
            let cycle = self.machine.counter(Counter::Cycles)?;
            return Err(RtlError::Stuck { cycle });
        }
        Ok(())
    }

    /// The conversions of all programs since the core was cleared.
    #[must_use]
    pub const fn conversions(&self) -> u32 {
        self.conversions
    }

    /// Takes the slots that have doubtful columns from the core's queue: the number of the conversion, among those since
    /// the core was cleared, and the slot in its strip.
    ///
    /// # Errors
    /// [`RtlError::BadRegister`] if the core has no such registers.
    pub fn doubts(&mut self) -> Result<Vec<(u32, u32)>, RtlError> {
        let mut doubts = Vec::new();
        while self.machine.get(Register::Doubts)? != 0 {
            let conversion = self.machine.get(Register::DoubtConversion)?;
            let slot = self.machine.get(Register::DoubtSlot)?;
            self.machine.set(Register::Doubts, 0)?;
            doubts.push((conversion, slot));
        }
        Ok(doubts)
    }

    /// Clears the core. Its buffers and slots are empty then; ring and window stay.
    ///
    /// # Errors
    /// [`RtlError::BadRegister`] if the core is busy.
    pub fn clear(&mut self) -> Result<(), RtlError> {
        (self.tail, self.conversions) = (0, 0);
        self.machine.set(Register::Control, CLEAR)
    }

    /// Why the core stopped.
    fn error(&mut self) -> Result<RtlError, RtlError> {
        let code = self.machine.get(Register::Error)?;
        let address = self.machine.read_wide(Register::ErrorAddress as u32)?;
        let Some(fault) = Fault::of(code) else {
            let cycle = self.machine.counter(Counter::Cycles)?;
            return Ok(RtlError::Reported { status: code, cycle });
        };
        // The ring holds the last descriptors: the instruction is the last one with this place.
        let place = (address.wrapping_sub(self.ring) / Descriptor::BYTES) as u32;
        let last = self.tail.wrapping_sub(1);
        let back = last.wrapping_sub(place) & ((1 << self.ring_log) - 1);
        Ok(RtlError::Core {
            fault,
            instruction: last.wrapping_sub(back).into(),
            address,
        })
    }
}

/// Checks that the registers say what the configuration does.
fn identify(machine: &mut impl Machine) -> Result<(), RtlError> {
    let configuration = *machine.configuration();
    let expected = [
        (Register::Id, ID),
        (Register::Version, VERSION),
        (Register::Shape, configuration.shape_register()),
        (Register::Words, configuration.words_register()),
        (Register::Conversion, configuration.conversion_register()),
    ];
    for (register, expected) in expected {
        let got = machine.get(register)?;
        if got != expected {
            return Err(RtlError::WrongMachine {
                address: register as u32,
                expected,
                got,
            });
        }
    }
    Ok(())
}
