use super::{JobTimes, Link};

/// What offloading the products of one polynomial takes and saves, as the paper's section V counts
/// it. In seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offload {
    /// The same products in software, on one thread.
    pub software: f64,
    /// From the first word on the link to the last one in the machine.
    pub input: f64,
    /// From the machine's first read to its last result.
    pub compute: f64,
    /// From the first word of the results that the machine gives to the last one at the host.
    pub output: f64,
    /// From the first word on the link to the last one back: less than the three together where output
    /// begins before the computation ends.
    pub latency: f64,
    /// Between the ends of two polynomials of many.
    pub period: f64,
}

impl Offload {
    /// The paper's figures for the two products of an encryption: 46.4 us in SEAL, 1 + 1.3 + 2 us with the
    /// machine. Its throughput, "almost 800K" a second, is of single products.
    pub const PAPER: Self = Self {
        software: 46.4e-6,
        input: 1e-6,
        compute: 1.3e-6,
        output: 2e-6,
        latency: 4.3e-6,
        period: 1.25e-6,
    };

    /// From the times of a job alone, the cycles of its computation, and the times of many jobs: of their
    /// middle half, as the first ones' input and the last ones' output have the link for themselves. `None`
    /// unless there are at least three of many.
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
            // Both ends included.
            input: link.seconds(alone.accepted - alone.sent + 1),
            compute: link.seconds(compute.into()),
            output: link.seconds(alone.arrived - alone.first + 1),
            latency: link.seconds(alone.arrived - alone.sent + 1),
            period: link.seconds(last.arrived - first.arrived) / periods as f64,
        })
    }

    /// How much sooner one polynomial's products are there.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.software / self.latency
    }

    /// How many more polynomials a second.
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
