//! Registers, as `docs/machines/ntt-multiplier.md` describes them.

/// The registers by byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Register {
    /// Reads [`ID`].
    Id = 0x00,
    /// Reads [`VERSION`].
    Version = 0x04,
    /// The [`Shape`](super::Shape): w, log2 of the words per beat, units and n, eight bits each from the
    /// top.
    Shape = 0x08,
    /// Bit 0 clears counters and errors.
    Control = 0x0c,
    /// Bit 0: idle. Bit 1: a packet had the wrong length. Bit 2: configuration was written while busy.
    Status = 0x10,
    /// The prime.
    Modulus = 0x14,
    /// The [`Mode`] of the input stream.
    Mode = 0x18,
    /// The number of products of a job: 1 or 2.
    Products = 0x1c,
    /// The cycles since the counters were cleared, low half.
    CyclesLow = 0x20,
    /// The high half of these cycles.
    CyclesHigh = 0x24,
    /// The number of jobs done.
    Jobs = 0x28,
    /// The number of beats taken.
    InputBeats = 0x2c,
    /// The number of beats given.
    OutputBeats = 0x30,
    /// The cycles in which the units were busy.
    ComputeCycles = 0x34,
    /// The cycles in which the link offered a beat and the machine did not take it.
    InputStalls = 0x38,
    /// The cycles in which the machine offered a result and the link did not take it.
    OutputStalls = 0x3c,
    /// The cycles from the first read to the last result of the last job.
    Latency = 0x40,
}

/// The value of [`Register::Id`]: "RMNT".
pub const ID: u32 = 0x524d_4e54;

/// The version of the registers that this host knows.
pub const VERSION: u32 = 1;

/// The bits of [`Register::Status`].
pub mod status {
    /// The machine is idle.
    pub const IDLE: u32 = 1;
    /// A packet had the wrong length.
    pub const BAD_PACKET: u32 = 2;
    /// Configuration was written while the machine was busy.
    pub const BUSY_WRITE: u32 = 4;
}

/// The content of the input stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    /// Jobs.
    Run = 0,
    /// The factors of incoming coefficients: n words.
    LoadInputScale = 1,
    /// The factors of outgoing coefficients: n words.
    LoadOutputScale = 2,
    /// All factor memories.
    LoadFactors = 3,
    /// The fixed polynomials in the factor memories: n words each.
    LoadOperands = 4,
}
