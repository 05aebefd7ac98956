use crate::{Pipeline, RtlError};

/// The number of bits of a coefficient on the link, in the banks and in the units.
pub(super) const WORD_BITS: u32 = 32;

/// The sizes of a machine, all powers of two, and its pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    log_n: u32,
    log_units: u32,
    log_link: u32,
    pipeline: Pipeline,
}

impl Shape {
    /// The paper's machine: n = 1024, 64 units, a link of 128 bits, shallow pipeline.
    pub const PAPER: Self = Self {
        log_n: 10,
        log_units: 6,
        log_link: 2,
        pipeline: Pipeline::Shallow,
    };

    /// Makes the shape of a machine for polynomials of n coefficients, with this number of butterfly units
    /// and a link that moves `link_words` coefficients per beat. The pipeline is the shallow one.
    ///
    /// # Errors
    /// [`RtlError::BadShape`] unless the following holds: all are powers of two, n is from 64 to 32768, and
    /// there are at least 2 and at most n/4 units. The output reads coefficients j and j + n/2 of a whole
    /// beat in one cycle, so they must be in different banks.
    pub fn new(n: usize, units: usize, link_words: usize) -> Result<Self, RtlError> {
        let bad = |need| RtlError::BadShape {
            n,
            units,
            link_words,
            need,
        };
        if ![n, units, link_words].into_iter().all(usize::is_power_of_two) {
            return Err(bad("all three must be powers of two"));
        }
        if !(64..=32768).contains(&n) {
            return Err(bad("n must be from 64 to 32768"));
        }
        if !(2..=n / 4).contains(&units) {
            return Err(bad("there must be 2 to n/4 units"));
        }
        let shape = Self {
            log_n: n.trailing_zeros(),
            log_units: units.trailing_zeros(),
            log_link: link_words.trailing_zeros(),
            pipeline: Pipeline::Shallow,
        };
        if link_words > units.min(4) {
            return Err(bad(
                "the link moves 1, 2 or 4 words a beat, and at most one for each unit",
            ));
        }
        if shape.log_link > (shape.log_n - 1) % shape.log_banks() {
            return Err(bad(
                "coefficients j and j + n/2 of a beat must be in different banks: log2 of the words a beat \
                 may be (log2(n) - 1) mod log2(2 units) at most",
            ));
        }
        Ok(shape)
    }

    /// The same sizes with another pipeline.
    #[must_use]
    pub const fn with_pipeline(self, pipeline: Pipeline) -> Self {
        Self { pipeline, ..self }
    }

    /// The pipeline.
    #[must_use]
    pub const fn pipeline(&self) -> Pipeline {
        self.pipeline
    }

    /// The number n of coefficients of a polynomial.
    #[must_use]
    pub const fn n(&self) -> usize {
        1 << self.log_n
    }

    /// log2 n, the number of passes of a transform.
    #[must_use]
    pub const fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The number B of butterfly units.
    #[must_use]
    pub const fn units(&self) -> usize {
        1 << self.log_units
    }

    /// log2 of the number of units.
    #[must_use]
    pub const fn log_units(&self) -> u32 {
        self.log_units
    }

    /// The number of memory banks of a buffer: 2B, so that all units can be busy in every cycle.
    #[must_use]
    pub const fn banks(&self) -> usize {
        1 << self.log_banks()
    }

    /// log2 of the number of banks.
    #[must_use]
    pub const fn log_banks(&self) -> u32 {
        self.log_units + 1
    }

    /// The number of words of a bank, and of cycles of a pass.
    #[must_use]
    pub const fn depth(&self) -> usize {
        1 << self.log_depth()
    }

    /// log2 of the words of a bank.
    #[must_use]
    pub const fn log_depth(&self) -> u32 {
        self.log_n - self.log_banks()
    }

    /// The number of coefficients that the link moves per beat.
    #[must_use]
    pub const fn link_words(&self) -> usize {
        1 << self.log_link
    }

    /// log2 of the number of coefficients per beat.
    #[must_use]
    pub const fn log_link(&self) -> u32 {
        self.log_link
    }

    /// The number of bits of a beat.
    #[must_use]
    pub const fn beat_bits(&self) -> u64 {
        (WORD_BITS as u64) << self.log_link
    }

    /// The number of beats of a polynomial on the link.
    #[must_use]
    pub const fn beats(&self) -> usize {
        1 << (self.log_n - self.log_link)
    }

    /// w = log2 2n, the number of bits that a step of Montgomery's reduction removes (algorithm 6).
    #[must_use]
    pub const fn step_bits(&self) -> u32 {
        self.log_n + 1
    }

    /// L, the number of steps of Montgomery's reduction: enough that one subtraction suffices at the end.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        WORD_BITS.div_ceil(self.step_bits())
    }

    /// The cycles of a butterfly unit.
    #[must_use]
    pub const fn unit_latency(&self) -> usize {
        self.pipeline.butterfly(WORD_BITS, self.step_bits(), false) as usize
    }

    /// The number of cycles from the issue of a butterfly to the first one that may read its results: those
    /// of the unit and one for each side of the banks. Deep and narrow: also the memory's output register, and those
    /// of the operands and of the results beside the multiplexers.
    #[must_use]
    pub const fn latency(&self) -> usize {
        let registers = match self.pipeline {
            Pipeline::Shallow => 0,
            Pipeline::Deep | Pipeline::Narrow => 3,
        };
        self.unit_latency() + 2 + registers
    }

    /// The number of jobs that take turns, a cycle each: two where the pipeline is not shallow and longer than a pass.
    #[must_use]
    pub const fn threads(&self) -> usize {
        match self.pipeline {
            Pipeline::Deep | Pipeline::Narrow if self.latency() > self.depth() => 2,
            _ => 1,
        }
    }

    /// The number of cycles from the first read of a job to its last result, for a job of this many turns.
    pub(super) const fn job_cycles(&self, turns: usize) -> usize {
        turns.saturating_sub(1) * self.threads() + self.latency()
    }

    /// The number of words of a unit's factor memory: one factor per cycle for all passes but two with
    /// factor 1, and two words per butterfly for each of two fixed polynomials.
    #[must_use]
    pub const fn factors(&self) -> usize {
        (2 * (self.log_n as usize - 1) + 4) << self.log_depth()
    }
}
