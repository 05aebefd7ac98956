//! Registers, as `docs/machines/core.md` describes them.

/// The registers by byte address. A quantity of 64 bits has its upper half four bytes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Register {
    /// Reads [`ID`].
    Id = 0x00,
    /// Reads [`VERSION`].
    Version = 0x04,
    /// log2 n, log2 of the units, buffers and slots, eight bits each.
    Shape = 0x08,
    /// Width, word, log2 of a beat's bytes, and the engine's number, eight bits each.
    Words = 0x0c,
    /// [`CLEAR`] empties buffers, slots, queues, error and counters; head and tail are 0.
    Control = 0x10,
    /// The bits of [`status`].
    Status = 0x14,
    /// The address of the ring, low half.
    Ring = 0x18,
    /// Its high half.
    RingHigh = 0x1c,
    /// The descriptors written since the core was cleared, modulo 2^32.
    Tail = 0x20,
    /// The descriptors handed to units since then.
    Head = 0x24,
    /// The first address of the window, low half.
    Window = 0x28,
    /// Its high half.
    WindowHigh = 0x2c,
    /// The bytes of the window, low half.
    WindowSize = 0x30,
    /// Their high half.
    WindowSizeHigh = 0x34,
    /// The code of the [`Fault`](super::Fault), or 0.
    Error = 0x38,
    /// The address of its descriptor, low half.
    ErrorAddress = 0x3c,
    /// Its high half.
    ErrorAddressHigh = 0x40,
    /// The interrupts raised; a write takes the interrupt back.
    Interrupts = 0x44,
    /// log2 of the ring's number of descriptors, 3 to 16.
    RingLog = 0x48,
    /// The slots with doubtful columns that wait to be read; a write takes the first from the queue.
    Doubts = 0xe0,
    /// The number of the conversion of the first, from 0 on since the core was cleared.
    DoubtConversion = 0xe4,
    /// The slot of the first, in its strip.
    DoubtSlot = 0xe8,
    /// Tables, and places of the queue of doubts, eight bits each.
    Conversion = 0xec,
}

impl Register {
    const ALL: [Self; 23] = [
        Self::Id,
        Self::Version,
        Self::Shape,
        Self::Words,
        Self::Control,
        Self::Status,
        Self::Ring,
        Self::RingHigh,
        Self::Tail,
        Self::Head,
        Self::Window,
        Self::WindowHigh,
        Self::WindowSize,
        Self::WindowSizeHigh,
        Self::Error,
        Self::ErrorAddress,
        Self::ErrorAddressHigh,
        Self::Interrupts,
        Self::RingLog,
        Self::Doubts,
        Self::DoubtConversion,
        Self::DoubtSlot,
        Self::Conversion,
    ];

    /// The register at a byte address.
    #[must_use]
    pub fn at(address: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&register| register as u32 == address)
    }
}

/// The value of [`Register::Id`]: "RMCO".
pub const ID: u32 = 0x524d_434f;

/// The version of the registers that this host knows.
pub const VERSION: u32 = 3;

/// What is written to [`Register::Control`].
pub const CLEAR: u32 = 1;

/// The bits of [`Register::Status`].
pub mod status {
    /// Nothing is fetched, queued or in work.
    pub const IDLE: u32 = 1;
    /// An error stopped the core.
    pub const STOPPED: u32 = 2;
    /// The interrupt is raised.
    pub const INTERRUPT: u32 = 4;
}

/// The counters by the address of their low word; the high word is four bytes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Counter {
    /// Cycles in which the core is not idle.
    Cycles = 0x50,
    /// Cycles in which the load unit works.
    Load = 0x58,
    /// Cycles in which the store unit works.
    Store = 0x60,
    /// Cycles in which the transform unit works.
    Transform = 0x68,
    /// Cycles in which the vector unit works.
    Vector = 0x70,
    /// Cycles in which the next load waits for its buffer.
    LoadWaits = 0x78,
    /// Cycles in which the next store waits for its buffer.
    StoreWaits = 0x80,
    /// Cycles in which the next transform waits for its buffers.
    TransformWaits = 0x88,
    /// Cycles in which the next vector instruction waits for its buffers.
    VectorWaits = 0x90,
    /// Cycles in which no descriptor is there, while head and tail differ.
    Starved = 0x98,
    /// Cycles in which the next instruction waits for a place in its unit's queue.
    Full = 0xa0,
    /// Cycles in which a wait, an interrupt or constants hold the next instruction.
    Held = 0xa8,
    /// Cycles in which the load unit works and no data comes.
    ReadStalled = 0xb0,
    /// Cycles in which the store unit offers data that is not taken.
    WriteStalled = 0xb8,
    /// Bytes of limbs, constants and descriptors that were read.
    BytesRead = 0xc0,
    /// Bytes of limbs that were written.
    BytesWritten = 0xc8,
    /// Cycles in which the conversion unit works.
    Conversion = 0xd0,
    /// Cycles in which the next conversion waits for its buffers.
    ConversionWaits = 0xd8,
}

impl Counter {
    /// All counters, by address.
    pub const ALL: [Self; 18] = [
        Self::Cycles,
        Self::Load,
        Self::Store,
        Self::Transform,
        Self::Vector,
        Self::LoadWaits,
        Self::StoreWaits,
        Self::TransformWaits,
        Self::VectorWaits,
        Self::Starved,
        Self::Full,
        Self::Held,
        Self::ReadStalled,
        Self::WriteStalled,
        Self::BytesRead,
        Self::BytesWritten,
        Self::Conversion,
        Self::ConversionWaits,
    ];

    /// The counter one of whose halves is at a byte address.
    #[must_use]
    pub fn at(address: u32) -> Option<Self> {
        let low = address & !4;
        let found = Self::ALL.into_iter().find(|&counter| counter as u32 == low);
        found.filter(|_| address.is_multiple_of(4))
    }

    /// Its place among all.
    pub(super) const fn index(self) -> usize {
        (self as usize - Self::Cycles as usize) / 8
    }
}
