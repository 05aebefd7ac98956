//! Registers, as `docs/machines/ntt-multiplier.md` describes them.

/// The registers by byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Register {
    /// [`ID`].
    Id = 0x00,
    /// [`VERSION`].
    Version = 0x04,
    /// [`Shape`](super::Shape): w, log2 of words a beat, units and n, eight bits each from the top.
    Shape = 0x08,
    /// Bit 0 clears counters and errors.
    Control = 0x0c,
    /// Bit 0: idle. Bit 1: a packet had the wrong length. Bit 2: configuration was written while busy.
    Status = 0x10,
    /// The prime.
    Modulus = 0x14,
    /// [`Mode`].
    Mode = 0x18,
    /// Products of a job: 1 or 2.
    Products = 0x1c,
    /// Cycles since the counters were cleared, low half.
    CyclesLow = 0x20,
    /// High half.
    CyclesHigh = 0x24,
    /// Jobs done.
    Jobs = 0x28,
    /// Beats taken.
    InputBeats = 0x2c,
    /// Beats given.
    OutputBeats = 0x30,
    /// Cycles in which the units were busy.
    ComputeCycles = 0x34,
    /// Cycles in which a beat was offered and not taken.
    InputStalls = 0x38,
    /// Cycles in which a result was offered and not taken.
    OutputStalls = 0x3c,
    /// Cycles from the first read to the last result of the last job.
    Latency = 0x40,
}

/// What [`Register::Id`] reads: "RMNT".
pub const ID: u32 = 0x524d_4e54;

/// The version of the registers that this host knows.
pub const VERSION: u32 = 1;

/// Bits of [`Register::Status`].
pub mod status {
    /// Nothing is under way.
    pub const IDLE: u32 = 1;
    /// A packet had the wrong length.
    pub const BAD_PACKET: u32 = 2;
    /// Configuration was written while the machine was busy.
    pub const BUSY_WRITE: u32 = 4;
}

/// What the input stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    /// Jobs.
    Run = 0,
    /// The factors of the coefficients as they come in: n words.
    LoadInputScale = 1,
    /// The factors of the coefficients as they go out: n words.
    LoadOutputScale = 2,
    /// All factor memories.
    LoadFactors = 3,
    /// The fixed polynomials in them: n words each.
    LoadOperands = 4,
}
