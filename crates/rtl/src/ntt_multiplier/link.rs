/// The simulated link between the host and the machine.
///
/// Beats of [`super::Shape::link_words`] coefficients wait in a buffer at the machine's side. The machine takes at most
/// one beat from it in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The bandwidth in bits a second.
    pub bits_per_second: u64,
    /// The machine's clock, in cycles a second.
    pub clock_hertz: u64,
    /// The latency from one end to the other, each way, in cycles.
    pub latency: u64,
    /// Whether both directions share the bandwidth.
    pub half_duplex: bool,
    /// The number of beats for which each direction's buffer has room. Beats in transit count.
    pub buffer_beats: u64,
    /// Random stalls, for tests.
    pub stalls: Stalls,
}

/// Random stalls at the machine's streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stalls {
    /// The number of cycles out of 256 in which the link holds back an input beat; at most 255.
    pub input: u8,
    /// The number of cycles out of 256 in which the link does not take a result; at most 255.
    pub output: u8,
    /// The seed that chooses these cycles.
    pub seed: u64,
}

impl Link {
    /// The paper's link: PCIe with 128 bits at 250 MHz, half duplex, and a machine at 200 MHz. The paper's
    /// figures do not include the latency.
    pub const PAPER: Self = Self {
        bits_per_second: 32_000_000_000,
        clock_hertz: 200_000_000,
        latency: 0,
        half_duplex: true,
        buffer_beats: 1024,
        stalls: Stalls {
            input: 0,
            output: 0,
            seed: 0,
        },
    };

    /// The seconds that a number of cycles takes.
    #[must_use]
    pub fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_hertz as f64
    }

    /// The share of the bandwidth that beats of this many bits used in this many cycles: of one direction
    /// or, on a half-duplex link, of both together.
    #[must_use]
    pub fn occupancy(&self, beats: u64, beat_bits: u64, cycles: u64) -> f64 {
        let moved = beats as f64 * beat_bits as f64;
        moved / (self.seconds(cycles) * self.bits_per_second as f64)
    }
}

/// The times of the parts of a job, in cycles since the first beat of its batch entered the link.
// The same as in `shim/link.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobTimes {
    /// The time at which its first beat entered the link.
    pub sent: u64,
    /// The time at which the machine took its last beat.
    pub accepted: u64,
    /// The time at which the machine gave its first result.
    pub first: u64,
    /// The time at which the machine gave its last result.
    pub given: u64,
    /// The time at which its last result arrived at the host.
    pub arrived: u64,
}
