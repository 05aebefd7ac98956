use super::{Cost, Step};

/// Paper 3's machine of 256 tiles ("an architecture for homomorphic function evaluation by a parallel cached NTT"): q of
/// 41 primes, Q of 84, n = 2^15, transforms of 2^16 points, 209 MHz. Computation only: the paper leaves memory out of
/// its tables 3 and 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileMachine;

/// How often an operation does each of the machine's primitives (table 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    ntt: u64,
    intt: u64,
    additions: u64,
    products: u64,
    large_crt: u64,
    large_crt_extended: u64,
    small_crt: u64,
    divisions: u64,
}

/// Table 3.
const ADDITION: u64 = 133;
const ADDITION_OF_POINTS: u64 = 261;
const PRODUCT: u64 = 273;
const NTT: u64 = 4_964;
const INTT: u64 = 5_237;
const SMALL_CRT: u64 = 209_920;
const LARGE_CRT: u64 = 1_178_368;
const LARGE_CRT_EXTENDED: u64 = 2_414_218;
const DIVISION: u64 = 3_666_304;

const PRIMES_OF_Q: u64 = 41;
const PRIMES: u64 = 84;
const YASHE_DIGITS: u64 = 22;

impl Counts {
    fn steps(self) -> Vec<Step> {
        let step = |name, cycles, times| {
            let cost = Cost {
                cycles: cycles * times,
                ..Cost::default()
            };
            Step::new(name, cost)
        };
        vec![
            step("NTT", NTT, self.ntt),
            step("INTT", INTT, self.intt),
            step("additions", ADDITION_OF_POINTS, self.additions),
            step("products", PRODUCT, self.products),
            step("large-CRT of q", LARGE_CRT, self.large_crt),
            step("large-CRT of Q", LARGE_CRT_EXTENDED, self.large_crt_extended),
            step("small-CRT", SMALL_CRT, self.small_crt),
            step("divide and round", DIVISION, self.divisions),
        ]
    }
}

impl TileMachine {
    /// Hz.
    pub const CLOCK: u64 = 209_000_000;

    /// AND and XOR gates of SIMON-64/128 (section 5).
    pub const SIMON_GATES: (u64, u64) = (44 * 32, 44 * 96);

    /// Cycles of YASHE.ADD: one addition for each prime of q.
    #[must_use]
    pub const fn yashe_addition() -> u64 {
        PRIMES_OF_Q * ADDITION
    }

    /// YASHE.MULT: a product modulo each prime of Q with its reduction, the conversions, and the key switch of 22 digits
    /// modulo each prime of q with its reduction (section 5).
    #[must_use]
    pub fn yashe_multiplication() -> Vec<Step> {
        let counts = Counts {
            ntt: PRIMES * 4 + PRIMES_OF_Q * (YASHE_DIGITS + 2),
            intt: PRIMES * 3 + PRIMES_OF_Q * 3,
            additions: PRIMES + PRIMES_OF_Q * YASHE_DIGITS,
            products: PRIMES * 3 + PRIMES_OF_Q * (YASHE_DIGITS + 2),
            large_crt_extended: 1,
            small_crt: 1,
            divisions: 1,
            ..Counts::default()
        };
        counts.steps()
    }

    /// LTV.MULT at level 0, as table 6 counts it.
    #[must_use]
    pub fn ltv_multiplication() -> Vec<Step> {
        let counts = Counts {
            ntt: 244,
            intt: 164,
            additions: 3_280,
            products: 3_280,
            large_crt: 2,
            ..Counts::default()
        };
        counts.steps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(steps: &[Step]) -> u64 {
        steps.iter().map(|step| step.cost.cycles).sum()
    }

    /// Table 6 has the same counts.
    #[test]
    fn the_steps_are_the_papers() {
        let steps = TileMachine::yashe_multiplication();
        let times = |at: usize, each: u64| steps.get(at).map(|step| step.cost.cycles / each);
        assert_eq!(times(0, NTT), Some(1_320));
        assert_eq!(times(1, INTT), Some(375));
        assert_eq!(times(2, ADDITION_OF_POINTS), Some(986));
        assert_eq!(times(3, PRODUCT), Some(1_236));
    }

    #[test]
    fn a_multiplication_takes_the_papers_time() {
        // Table 4: 74.51 ms at 209 MHz.
        let (ours, paper) = (cycles(&TileMachine::yashe_multiplication()), 15_572_590_u64);
        assert!(ours.abs_diff(paper) * 50 < paper, "{ours}");
        let (ands, xors) = TileMachine::SIMON_GATES;
        let simon = (ands * paper + xors * TileMachine::yashe_addition()) as f64 / TileMachine::CLOCK as f64;
        assert!((simon - 105.0).abs() < 0.5, "{simon}");
        // 25.83 us.
        let addition = TileMachine::yashe_addition() as f64 / TileMachine::CLOCK as f64;
        assert!((addition - 25.83e-6).abs() < 0.5e-6, "{addition}");
    }
}
