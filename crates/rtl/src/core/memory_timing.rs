/// How fast the memory of a simulated core is, in cycles of the core (`CoreTiming` of `shim/core.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct MemoryTiming {
    /// Cycles from an address to its first data, and from the last of a write's data to its response.
    pub latency: u64,
    /// Reads and writes together move at most `bytes` in every `cycles`; 0: as much as the bus can.
    pub bytes: u64,
    /// See `bytes`; at least 1.
    pub cycles: u64,
    /// Of a hundred cycles those in which a channel pauses, at random.
    pub pauses: u64,
}

impl MemoryTiming {
    /// A memory as fast as the bus.
    pub const FAST: Self = Self {
        latency: 1,
        bytes: 0,
        cycles: 1,
        pauses: 0,
    };

    /// What the processor of paper 1 got of its DDR3 in products: 32 bytes every 23.9 cycles of 200 MHz, which is 268 MB/s.
    #[must_use]
    pub const fn ddr3(megahertz: u64) -> Self {
        Self::at_clock(268, 120, megahertz)
    }

    /// What the same DDR3 gave paper 1's sum of ciphertexts: two reads and a write of 32 bytes in 29 cycles of 200 MHz,
    /// which is 662 MB/s.
    #[must_use]
    pub const fn ddr3_sum(megahertz: u64) -> Self {
        Self::at_clock(662, 120, megahertz)
    }

    /// A channel of DDR4-2400: 19,200 MB/s. The latency of 100 ns is an assumption.
    #[must_use]
    pub const fn ddr4(megahertz: u64) -> Self {
        Self::at_clock(19_200, 100, megahertz)
    }

    /// A pseudo-channel of HBM2: 14,400 MB/s. The latency of 150 ns is an assumption.
    #[must_use]
    pub const fn hbm2(megahertz: u64) -> Self {
        Self::at_clock(14_400, 150, megahertz)
    }

    /// A memory of so many MB/s, with a latency of 100 ns.
    #[must_use]
    pub const fn of_bandwidth(megabytes: u64, megahertz: u64) -> Self {
        Self::at_clock(megabytes, 100, megahertz)
    }

    const fn at_clock(megabytes: u64, nanoseconds: u64, megahertz: u64) -> Self {
        Self {
            latency: (nanoseconds * megahertz).div_ceil(1000),
            bytes: megabytes,
            cycles: megahertz,
            pauses: 0,
        }
    }
}
