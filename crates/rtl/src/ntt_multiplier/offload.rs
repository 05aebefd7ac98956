use super::{JobTimes, Link};

/// The cost and gain of offloading the products of one polynomial, counted as in the paper's section V, in
/// seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offload {
    /// The time of the same products in software, on one thread.
    pub software: f64,
    /// The time from the first word on the link to the last one in the machine.
    pub input: f64,
    /// The time from the machine's first read to its last result.
    pub compute: f64,
    /// The time from the machine's first word of the results to the last one at the host.
    pub output: f64,
    /// The time from the first word on the link to the last one back. It is less than the three together if
    /// output begins before the computation ends.
    pub latency: f64,
    /// The time between the ends of two polynomials of many.
    pub period: f64,
}

impl Offload {
    /// The paper's figures for the two products of an encryption: 46.4 us in SEAL, 1 + 1.3 + 2 us with the
    /// machine. The paper's throughput, "almost 800K" a second, is of single products.
    pub const PAPER: Self = Self {
        software: 46.4e-6,
        input: 1e-6,
        compute: 1.3e-6,
        output: 2e-6,
        latency: 4.3e-6,
        period: 1.25e-6,
    };

    /// Combines the times of a single job, the cycles of its computation, and the times of many jobs. Of the
    /// latter it uses the middle half, because the input of the first ones and the output of the last ones
    /// have the link to themselves. Returns `None` unless there are at least three of many.
    #[must_use]
    pub fn new(
        link: &Link,
        software: f64,
        alone: &JobTimes,
        compute: u32,
        many: &[JobTimes],
    ) -> Option<Self> {
        let (from, to) = (many.len() / 4, many.len() * 3 / 4);
        let (first, last) = (many.get(from)?, many.get(to)?);
        let periods = Some(to - from).filter(|&periods| periods > 1)?;
        Some(Self {
            software,
            // Both ends are included.
            input: link.seconds(alone.accepted - alone.sent + 1),
            compute: link.seconds(compute.into()),
            output: link.seconds(alone.arrived - alone.first + 1),
            latency: link.seconds(alone.arrived - alone.sent + 1),
            period: link.seconds(last.arrived - first.arrived) / periods as f64,
        })
    }

    /// The factor by which one polynomial's products arrive sooner.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.software / self.latency
    }

    /// The factor by which more polynomials are multiplied in a second.
    #[must_use]
    pub fn throughput_speedup(&self) -> f64 {
        self.software / self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_a_stated_clock() {
        let link = Link {
            clock_hertz: 100_000_000,
            ..Link::PAPER
        };
        let at = |sent| JobTimes {
            sent,
            accepted: sent + 9,
            first: sent + 20,
            given: sent + 29,
            arrived: sent + 39,
        };
        let many = [at(0), at(10), at(30), at(40), at(90)];
        let offload = Offload::new(&link, 4e-6, &at(5), 12, &many).unwrap();
        let cycles = |seconds: f64| (seconds * 1e8).round() as u64;
        let parts = [
            offload.input,
            offload.compute,
            offload.output,
            offload.latency,
            offload.period,
        ];
        assert_eq!(parts.map(cycles), [10, 12, 20, 40, 15]);
        assert_eq!((offload.speedup() * 1e6).round(), 1e7);
        assert_eq!(Offload::new(&link, 4e-6, &at(5), 12, &many[..2]), None);
        assert!((Offload::PAPER.speedup() - 10.8).abs() < 0.05);
    }
}
