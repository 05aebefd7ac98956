use super::{Batch, Counters, Link, Shape};

/// The work that a machine did for a device, in all jobs so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of polynomials multiplied.
    pub jobs: u64,
    /// The number of their products.
    pub products: u64,
    /// The number of programs or fixed polynomials loaded.
    pub loads: u64,
    /// The cycles from the first beat of each batch on the link to its last one off it.
    pub cycles: u64,
    /// The cycles among these in which the butterfly units had a job.
    pub compute_cycles: u64,
    /// The number of beats of jobs that the machine took.
    pub input_beats: u64,
    /// The number of beats of results that the machine gave.
    pub output_beats: u64,
    /// The cycles in which the machine kept a beat waiting.
    pub input_stalls: u64,
    /// The cycles in which the link kept a result waiting.
    pub output_stalls: u64,
    /// The cycles from the first read to the last result of the last job.
    pub latency: u32,
}

impl Statistics {
    pub(super) fn add(&mut self, batch: &Batch, products: usize, counters: &Counters) {
        let jobs = batch.times.len() as u64;
        self.jobs += jobs;
        self.products += jobs * products as u64;
        self.cycles += batch.cycles;
        self.compute_cycles += u64::from(counters.compute_cycles);
        self.input_beats += u64::from(counters.input_beats);
        self.output_beats += u64::from(counters.output_beats);
        self.input_stalls += u64::from(counters.input_stalls);
        self.output_stalls += u64::from(counters.output_stalls);
        self.latency = counters.latency;
    }

    /// The work done since earlier statistics of the same machine.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            jobs: self.jobs - before.jobs,
            products: self.products - before.products,
            loads: self.loads - before.loads,
            cycles: self.cycles - before.cycles,
            compute_cycles: self.compute_cycles - before.compute_cycles,
            input_beats: self.input_beats - before.input_beats,
            output_beats: self.output_beats - before.output_beats,
            input_stalls: self.input_stalls - before.input_stalls,
            output_stalls: self.output_stalls - before.output_stalls,
            latency: self.latency,
        }
    }

    /// The share of a link's bandwidth that was used while there were jobs.
    #[must_use]
    pub fn occupancy(&self, link: &Link, shape: Shape) -> f64 {
        let beats = if link.half_duplex {
            self.input_beats + self.output_beats
        } else {
            self.input_beats.max(self.output_beats)
        };
        link.occupancy(beats, shape.beat_bits(), self.cycles)
    }
}
