use super::{Cost, Step};

/// Paper 1's processor: Sinha Roy et al., "HEPCloud: an FPGA-based multicore processor for FV somewhat homomorphic
/// function evaluation", with 16 cores on a Virtex 6 and its own parameters (n = 2^15, transforms of N = 2^16 points, 41
/// primes of q and 84 of Q, 21 digits of 59 bits).
///
/// Computation takes a cycle of 100 MHz. Memory is counted in words of 256 bits, eight residues each: every operation on
/// a residue polynomial reads its operands from memory and writes its result there (section 5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HepCloud;

const PRIMES_OF_Q: u64 = 41;
const PRIMES: u64 = 84;
const DIGITS: u64 = 21;

/// Coefficients of a polynomial, and points of a transform.
const COEFFICIENTS: u64 = 1 << 15;
const POINTS: u64 = 1 << 16;

/// Words of memory that hold a residue polynomial.
const POLYNOMIAL: u64 = COEFFICIENTS / 8;
const TRANSFORMED: u64 = POINTS / 8;

/// Table 2.
const NTT: u64 = 47_795;
const INTT: u64 = 51_909;
const POINTWISE: u64 = 4_096;
const PRODUCT: u64 = 361_376;

/// Section 5.1: conversions of four coefficients on one of the two cores.
const CONVERTERS: u64 = 2;
const LIFT_OF_FOUR: u64 = 2_016;
const SCALE_OF_FOUR: u64 = 4_744;
const SCALE_AND_RESIDUES_OF_FOUR: u64 = 5_387;

/// "Slightly more than 4,096" (section 5): what the operations by value of a relinearization must take beyond it, for
/// section 5.3's sum of 117,792,672 cycles to hold. It comes out whole: 1,260 cycles over 45 operations.
const FILL: u64 = 28;

/// Section 5.5: the memory reads 1.97 Gb/s by words of 256 bits. By binary gigabits these are 24.2 cycles of 200 MHz a
/// word.
const READ_BITS_PER_SECOND: f64 = 1.97 * (1 << 30) as f64;

/// Two words read and one written, in cycles of the memory: all that an addition needs for eight residues, in order of
/// their addresses (table 3: 9,740,288 cycles for FV.Add).
const TWO_READS_AND_A_WRITE: u64 = 29;

const fn cost(cycles: u64, reads: u64, writes: u64) -> Cost {
    Cost {
        cycles,
        reads,
        writes,
    }
}

const fn ntt() -> Cost {
    cost(NTT, TRANSFORMED, TRANSFORMED)
}

const fn intt() -> Cost {
    cost(INTT, TRANSFORMED, TRANSFORMED)
}

/// An operation by value on N points.
const fn pointwise() -> Cost {
    cost(POINTWISE + FILL, 2 * TRANSFORMED, TRANSFORMED)
}

/// One on the n coefficients of a reduced polynomial.
const fn half_pointwise() -> Cost {
    cost(POINTWISE / 2 + FILL, 2 * POLYNOMIAL, POLYNOMIAL)
}

/// Conversions of polynomials: four coefficients at a time, on both cores.
const fn conversion(polynomials: u64, of_four: u64, reads: u64, writes: u64) -> Cost {
    let fours = polynomials * COEFFICIENTS / 4 / CONVERTERS;
    cost(fours * of_four, polynomials * reads, polynomials * writes)
}

impl HepCloud {
    /// Hz of computation.
    pub const CLOCK: u64 = 100_000_000;

    /// Hz of memory.
    pub const MEMORY_CLOCK: u64 = 200_000_000;

    /// Bits of a word of memory.
    pub const WORD_BITS: u64 = 256;

    /// AND gates of SIMON-64/128 (section 5.4).
    pub const SIMON_ANDS: u64 = 44 * 32;

    /// FV.Add: two residue polynomials for each prime of q, 32 coefficients a cycle.
    #[must_use]
    pub fn addition() -> Vec<Step> {
        let polynomial = cost(COEFFICIENTS / 32, 2 * POLYNOMIAL, POLYNOMIAL);
        vec![Step::new("additions", polynomial * (2 * PRIMES_OF_Q))]
    }

    /// FV.Mult, by the steps of section 5.3.
    #[must_use]
    pub fn multiplication() -> Vec<Step> {
        let (of_q, all) = (PRIMES_OF_Q * POLYNOMIAL, PRIMES * POLYNOMIAL);
        let added = (PRIMES - PRIMES_OF_Q) * POLYNOMIAL;
        vec![
            Step::new("Lift q->Q", conversion(4, LIFT_OF_FOUR, of_q, added)),
            Step::new("PolyArithmetic Q", Self::tensor()),
            Step::new(
                "Lift Q->q, ResPol",
                conversion(2, SCALE_AND_RESIDUES_OF_FOUR, all, of_q),
            ),
            // Four digits of 59 bits fill a word.
            Step::new(
                "Lift Q->q, WordDecomp",
                conversion(1, SCALE_OF_FOUR, all, DIGITS * COEFFICIENTS / 4),
            ),
            Step::new("FV.Relin", Self::relinearization()),
        ]
    }

    /// Four products modulo each prime of Q and a sum of two.
    fn tensor() -> Cost {
        // Four transforms, three products, a difference and three transforms back: their words, the paper's own cycles.
        let parts = ntt() * 4 + pointwise() * 3 + half_pointwise() + intt() * 3;
        let product = Cost {
            cycles: PRODUCT,
            ..parts
        };
        // The paper counts the sum without what fills the pipeline.
        let sum = cost(POINTWISE / 2, 2 * POLYNOMIAL, POLYNOMIAL);
        product * (4 * PRIMES) + sum * PRIMES
    }

    /// For each prime of q and each half of the result: transforms of the digits, their products with the key and the
    /// sum, a transform back, the reduction modulo the ring's polynomial, and the addition.
    fn relinearization() -> Cost {
        let sum = ntt() * DIGITS + pointwise() * (DIGITS + DIGITS - 1) + intt();
        let reduction = ntt() * 2 + pointwise() * 2 + half_pointwise() + intt() * 2;
        (sum + reduction + half_pointwise()) * (2 * PRIMES_OF_Q)
    }

    /// Cycles of the memory for steps whose words are far apart: the stated rate, for reads and writes alike.
    #[must_use]
    pub fn memory_cycles(cost: Cost) -> u64 {
        let word = Self::WORD_BITS as f64 / READ_BITS_PER_SECOND * Self::MEMORY_CLOCK as f64;
        (cost.accesses() as f64 * word) as u64
    }

    /// Cycles of the memory for an addition: in order of addresses, two reads and a write take 29.
    #[must_use]
    pub const fn memory_cycles_in_order(cost: Cost) -> u64 {
        cost.writes * TWO_READS_AND_A_WRITE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(steps: &[Step]) -> Cost {
        steps.iter().map(|step| step.cost).sum()
    }

    #[test]
    fn the_sums_are_the_papers() {
        let steps = HepCloud::multiplication();
        let cycles: Vec<_> = steps.iter().map(|step| step.cost.cycles).collect();
        // Section 5.3.
        assert_eq!(
            cycles,
            [33_030_144, 121_594_368, 44_130_304, 19_431_424, 117_792_672]
        );
        // Table 3.
        assert_eq!(total(&steps).cycles, 335_978_912);
        assert_eq!(total(&HepCloud::addition()).cycles, 83_968);
    }

    #[test]
    fn the_memory_is_the_papers() {
        let addition = total(&HepCloud::addition());
        assert_eq!(HepCloud::memory_cycles_in_order(addition), 9_740_288);
        let multiplication = total(&HepCloud::multiplication());
        assert_eq!(multiplication.accesses() / 100_000, 1_949);
        let (cycles, paper) = (HepCloud::memory_cycles(multiplication), 4_663_738_368);
        assert!(cycles.abs_diff(paper) * 20 < paper, "{cycles}");
        // 26.67 s in all, and 37,551 s for SIMON's ANDs.
        let seconds = 335_978_912_f64 / HepCloud::CLOCK as f64 + paper as f64 / HepCloud::MEMORY_CLOCK as f64;
        assert!((seconds - 26.67).abs() < 0.02, "{seconds}");
        assert!((26.67 * HepCloud::SIMON_ANDS as f64 - 37_551.0).abs() < 1.0);
    }
}
