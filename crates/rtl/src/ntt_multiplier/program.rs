use ringmill_arith::secret::Secret;
use ringmill_arith::{Modulus, prime};
use ringmill_ring::Ring;

use super::{Montgomery, Pass, Schedule, Shape, Work};
use crate::RtlError;

/// The words that the host loads into a machine for one prime: scale factors and the factor memories. All
/// words are times R ([`Montgomery::raise`]).
///
/// psi is [`prime::root_of_unity`]`(q, 2n)` and omega its square. The values of a fixed polynomial f are in
/// the machine's order: position i holds f(psi^(2 r + 1)), with r being i with its log2 n bits reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineProgram {
    schedule: Schedule,
    unit: Montgomery,
    input_scale: Vec<u32>,
    output_scale: Vec<u32>,
    /// The words of all units, address after address. The fixed polynomials in them may be secret keys.
    factors: Secret<Vec<u32>>,
}

impl MachineProgram {
    /// Makes the program of a prime, in which the fixed polynomials are 0.
    ///
    /// # Errors
    /// [`RtlError::BadModulus`] if the machine cannot compute modulo the prime.
    pub fn new(shape: Shape, modulus: &Modulus) -> Result<Self, RtlError> {
        let unit = Montgomery::new(shape, modulus)?;
        let n = shape.n() as u64;
        let psi = prime::root_of_unity(modulus, 2 * n)?;
        // psi^-1 = psi^(2n-1), and n^-1 is (q - 1)/n negated.
        let (psi_inverse, n_inverse) = (
            modulus.pow(psi, 2 * n - 1),
            modulus.neg((modulus.value() - 1) / n),
        );
        let mut program = Self {
            schedule: Schedule::new(shape),
            unit,
            input_scale: raised_powers(&unit, 1, psi, shape.n()),
            output_scale: raised_powers(&unit, n_inverse, psi_inverse, shape.n()),
            factors: Secret::zeros(shape.factors() * shape.units()),
        };
        program.fill_transforms(modulus.mul(psi, psi), modulus.mul(psi_inverse, psi_inverse))?;
        Ok(program)
    }

    /// For each position of the machine's order: the position of a ring's evaluation domain that holds the
    /// same value. Values go to the machine as `values[positions[i]]`.
    ///
    /// # Errors
    /// [`RtlError::WrongRing`] unless the ring is Z\[x\]/(x^n + 1), with the machine's n.
    pub fn positions(shape: Shape, ring: &Ring) -> Result<Vec<usize>, RtlError> {
        if ring.n() != shape.n() || ring.as_fermat().is_some() {
            return Err(RtlError::WrongRing { n: shape.n() });
        }
        let mut positions = vec![0; shape.n()];
        for position in 0..shape.n() {
            let r = (ring.value_exponent(position) / 2) as usize;
            positions[reverse(r, shape.log_n())] = position;
        }
        Ok(positions)
    }

    /// The machine's shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.schedule.shape()
    }

    /// The schedule that gives the factors their order.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The arithmetic modulo the prime.
    #[must_use]
    pub const fn unit(&self) -> &Montgomery {
        &self.unit
    }

    /// The factors psi^j by which the machine scales incoming coefficients j.
    #[must_use]
    pub fn input_scale(&self) -> &[u32] {
        &self.input_scale
    }

    /// The factors psi^-j / n by which the machine scales outgoing coefficients j.
    #[must_use]
    pub fn output_scale(&self) -> &[u32] {
        &self.output_scale
    }

    /// All factor memories: the words of units 0, 1, ... for address 0, then for address 1, ...
    #[must_use]
    pub fn factors(&self) -> &[u32] {
        &self.factors
    }

    /// The part of the factor memories that holds fixed polynomial 0 or 1, in the same order.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`] if there is no such polynomial.
    pub fn operand(&self, which: usize) -> Result<&[u32], RtlError> {
        let (first, words) = self.operand_region(which)?;
        Ok(&self.factors[first..first + words])
    }

    /// Makes these values fixed polynomial 0 or 1: n canonical residues in the machine's order.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`], [`RtlError::WrongLength`], [`RtlError::OutOfRange`].
    pub fn set_operand(&mut self, which: usize, values: &[u64]) -> Result<(), RtlError> {
        self.operand_region(which)?;
        require_residues(self.unit.modulus(), self.shape().n(), values.iter().copied())?;
        let pass = Pass {
            work: Work::Product(which),
            bit: 0,
            gap: 0,
        };
        self.fill(&pass, |index, half| values[index + half]);
        Ok(())
    }

    /// The start of a fixed polynomial in [`MachineProgram::factors`], and its number of words.
    fn operand_region(&self, which: usize) -> Result<(usize, usize), RtlError> {
        if which > 1 {
            return Err(RtlError::BadProducts(which + 1));
        }
        let pass = Pass {
            work: Work::Product(which),
            bit: 0,
            gap: 0,
        };
        let first = self.schedule.first_factor(&pass) * self.shape().units();
        Ok((first, self.shape().n()))
    }

    /// Fills in the factors of both transforms.
    fn fill_transforms(&mut self, omega: u64, omega_inverse: u64) -> Result<(), RtlError> {
        let modulus = *self.unit.modulus();
        let log_n = self.shape().log_n();
        let (forward, back) = (
            powers(&modulus, 1, omega, self.shape().n()),
            powers(&modulus, 1, omega_inverse, self.shape().n()),
        );
        for pass in self.schedule.passes(1)? {
            let bit = pass.bit;
            match pass.work {
                Work::Forward => self.fill(&pass, |index, _| {
                    let j = index & ((1 << bit) - 1);
                    forward[j << (log_n - 1 - bit)]
                }),
                Work::Inverse(_) => self.fill(&pass, |index, _| {
                    let block = reverse(index >> (bit + 1), log_n - 1 - bit);
                    back[block << bit]
                }),
                Work::Product(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the factors of a pass: `factor(index, cycle)` is for the butterfly with U at this index, in
    /// the first or second cycle of its slot. A factor of a difference is negated if a unit has its words in
    /// reversed order.
    fn fill(&mut self, pass: &Pass, factor: impl Fn(usize, usize) -> u64) {
        let (units, cycles) = (self.shape().units(), pass.turns_per_slot());
        let first = self.schedule.first_factor(pass);
        for time in 0..self.shape().depth() {
            for (unit, slot) in self.schedule.slots(pass, time).enumerate() {
                for cycle in 0..cycles {
                    let is_difference = cycle + 1 == cycles;
                    let value = factor(slot.index, cycle);
                    let value = if slot.reversed && is_difference {
                        self.unit.modulus().neg(value)
                    } else {
                        value
                    };
                    let address = first + time * cycles + cycle;
                    self.factors[address * units + unit] = self.unit.raise(value);
                }
            }
        }
    }
}

/// Checks that there are exactly this many words and that they are canonical residues.
pub(super) fn require_residues(
    modulus: &Modulus,
    expected: usize,
    mut words: impl ExactSizeIterator<Item = u64>,
) -> Result<(), RtlError> {
    let got = words.len();
    if got != expected {
        return Err(RtlError::WrongLength { expected, got });
    }
    let modulus = modulus.value();
    let offending = words.by_ref().enumerate().find(|&(_, word)| word >= modulus);
    offending.map_or(Ok(()), |(index, word)| {
        Err(RtlError::OutOfRange { modulus, index, word })
    })
}

/// Reverses the lowest bits of a number.
fn reverse(value: usize, bits: u32) -> usize {
    (0..bits).fold(0, |result, bit| result << 1 | value >> bit & 1)
}

/// The sequence first, first base, first base^2, ...
fn powers(modulus: &Modulus, first: u64, base: u64, count: usize) -> Vec<u64> {
    std::iter::successors(Some(first), |&power| Some(modulus.mul(power, base)))
        .take(count)
        .collect()
}

fn raised_powers(unit: &Montgomery, first: u64, base: u64, count: usize) -> Vec<u32> {
    let powers = powers(unit.modulus(), first, base, count);
    powers.into_iter().map(|power| unit.raise(power)).collect()
}
