use std::ops::RangeInclusive;

use ringmill_arith::prime::prime_factors;

use super::{Cyclotomic, MAX_CONDUCTOR, Reduction, totient};

/// A ring of a wanted degree, with the figures by which to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The conductor m.
    pub m: u64,
    /// The degree n of Phi_m.
    pub n: usize,
    /// The number of terms of Phi_m.
    pub weight: usize,
    /// The largest beta with Phi_m(x) = P(x^beta).
    pub spacing: usize,
    /// The degree of Phi_m's factors modulo 2.
    pub order: usize,
    /// The number of these factors: an element holds one bit in each.
    pub slots: usize,
    /// The additions in a reduction by Phi_m alone ([`Reduction::blocks`]).
    pub blocks: usize,
    /// The additions in the best reduction through multiples of Phi_m ([`Reduction::folding`]).
    pub folding: usize,
    /// The divisors d of the multiples Phi_d(x^(m/d)) by which the best reduction divides.
    pub steps: Vec<u64>,
}

impl Candidate {
    /// The additions of the best reduction for each coefficient of the result.
    #[must_use]
    pub fn additions_per_coefficient(&self) -> f64 {
        self.folding as f64 / self.n as f64
    }
}

/// Finds all rings Z\[x\]/Phi_m, m odd and at most 2^17, with a degree in `degrees` and at least `slots`
/// slots modulo 2. The ring with the cheapest reduction for each coefficient comes first. (Paper 4, sec.
/// 3.2.3, searches for the smallest weight instead.)
#[must_use]
pub fn search(degrees: RangeInclusive<usize>, slots: usize) -> Vec<Candidate> {
    let wanted = (3..=MAX_CONDUCTOR).step_by(2).filter(|&m| {
        let phi = totient(m, &prime_factors(m)) as usize;
        degrees.contains(&phi)
    });
    let mut found: Vec<Candidate> = wanted
        .filter_map(|m| Cyclotomic::new(m).ok())
        .filter(|ring| ring.slots() >= slots)
        .map(|ring| describe(&ring))
        .collect();
    found.sort_by(|a, b| {
        let [x, y] = [a, b].map(Candidate::additions_per_coefficient);
        x.total_cmp(&y).then(b.slots.cmp(&a.slots)).then(a.m.cmp(&b.m))
    });
    found
}

fn describe(ring: &Cyclotomic) -> Candidate {
    let folding = Reduction::folding(ring);
    Candidate {
        m: ring.m(),
        n: ring.n(),
        weight: ring.weight(),
        spacing: ring.spacing(),
        order: ring.order_of_two(),
        slots: ring.slots(),
        blocks: Reduction::blocks(ring).additions(),
        folding: folding.additions(),
        steps: folding.steps().iter().map(|step| step.divisor).collect(),
    }
}
