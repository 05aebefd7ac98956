use super::{Buffers, Half, Model, Operation, Schedule, Shape};
use crate::RtlError;
use crate::ntt_engine::Unit;
use crate::ntt_engine::engine::check_words;

/// Products in Z_q\[x\]/f for a monic f of degree n = N / 2, by the engine's operations alone.
///
/// The product c = a b has degree below N, so a cyclic transform of N points gives it. With
/// m = floor(x^(2n) / f) the quotient of c by f is the high half of (high half of c) m, and the remainder
/// is c less the quotient times f: four transforms, three products, three inverse transforms and a difference
/// (the paper's section 5.2). A high half stays where it is and so counts as x^n times what it should; as x^n
/// is (-1)^j at omega^j, the constants make up for it, and for the 1 / N that no inverse transform multiplies
/// by.
#[derive(Debug, Clone)]
pub struct RingMultiplier {
    model: Model,
}

/// An operation of a product.
type Step = (Operation, Half, bool, Buffers);

impl RingMultiplier {
    /// The number of cycles between two operations.
    const START: u64 = 2;

    /// The buffers: a and the product, b and what follows, the values of m and of f.
    const A: usize = 0;
    const B: usize = 1;
    const RECIPROCAL: usize = 2;
    const DIVISOR: usize = 3;

    /// Makes the machine for f, given by its n coefficients below the leading one.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] unless the prime is 1 modulo N; [`RtlError::WrongLength`] and
    /// [`RtlError::OutOfRange`] unless f has n canonical residues.
    pub fn new(shape: Shape, unit: Unit, unit_latency: u64, f: &[u64]) -> Result<Self, RtlError> {
        let (q, n) = (*unit.modulus(), shape.n() / 2);
        check_words(&q, n, f)?;
        let scale = q.inv(q.reduce(shape.n() as u64)).unwrap_or(0);
        let schedule = Schedule::new(shape, unit_latency);
        // Differences are of N c / R and such: the correction is R / N.
        let mut model = Model::new(schedule, unit, 4, unit.raise(scale))?;
        let mut divisor = f.to_vec();
        divisor.push(1);
        for (buffer, polynomial) in [(Self::RECIPROCAL, reciprocal(&unit, f)), (Self::DIVISOR, divisor)] {
            for (index, &coefficient) in polynomial.iter().enumerate() {
                model.set(buffer, shape.coefficient_place(index), coefficient);
            }
            model.run(Operation::Forward, Half::Both, false, Buffers::in_place(buffer));
            let reversed = buffer == Self::RECIPROCAL;
            let values: Vec<u64> = (0..shape.n())
                .map(|j| model.get(buffer, shape.value_place(j)))
                .collect();
            for (j, &value) in values.iter().enumerate() {
                let constant = unit.raise(q.mul(value, scale));
                let constant = if j % 2 == 0 { constant } else { q.neg(constant) };
                let at = if reversed { (shape.n() - j) % shape.n() } else { j };
                model.set(buffer, shape.value_place(at), constant);
            }
        }
        Ok(Self { model })
    }

    /// The constants of the engine, as [`Model::constants`].
    #[must_use]
    pub fn constants(&self) -> &[u64] {
        self.model.constants()
    }

    /// The words that the host writes to addresses 2N and 3N on: the constants of m and f in the places of
    /// coefficients.
    #[must_use]
    pub fn ring_constants(&self) -> [Vec<u64>; 2] {
        let shape = self.model.schedule().shape();
        [Self::RECIPROCAL, Self::DIVISOR].map(|buffer| {
            let word = |index| self.model.get(buffer, shape.coefficient_place(index));
            (0..shape.n()).map(word).collect()
        })
    }

    /// The operations of a product in their order. After an odd number of inverse transforms index x is in the
    /// place of -x.
    #[must_use]
    fn steps() -> [Step; 11] {
        use Operation::{Difference, Forward, Inverse, Product};
        let buffers = |source, operand, destination| Buffers {
            source,
            operand,
            destination,
        };
        let (a, b) = (Buffers::in_place(Self::A), Buffers::in_place(Self::B));
        [
            (Forward, Half::Low, false, a),
            (Forward, Half::Low, false, b),
            (Product, Half::Both, false, buffers(Self::A, Self::B, Self::A)),
            (Inverse, Half::Both, false, a),
            (Forward, Half::High, true, buffers(Self::A, Self::A, Self::B)),
            (
                Product,
                Half::Both,
                false,
                buffers(Self::B, Self::RECIPROCAL, Self::B),
            ),
            (Inverse, Half::Both, false, b),
            (Forward, Half::High, false, b),
            (
                Product,
                Half::Both,
                false,
                buffers(Self::B, Self::DIVISOR, Self::B),
            ),
            (Inverse, Half::Both, false, b),
            (Difference, Half::Both, false, buffers(Self::A, Self::B, Self::A)),
        ]
    }

    /// The number of cycles of a product by an engine with this schedule, from its first read to its last write.
    #[must_use]
    pub fn cycles(schedule: &Schedule) -> u64 {
        let steps = Self::steps();
        let operations: u64 = steps.iter().map(|step| schedule.cycles(step.0)).sum();
        operations + (steps.len() as u64 - 1) * Self::START
    }

    /// Multiplies two elements, n canonical residues each, as the machine does.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::OutOfRange`].
    pub fn multiply(&self, a: &[u64], b: &[u64]) -> Result<Vec<u64>, RtlError> {
        let (shape, mut model) = (self.model.schedule().shape(), self.model.clone());
        for (buffer, words) in [(Self::A, a), (Self::B, b)] {
            check_words(model.unit().modulus(), shape.n() / 2, words)?;
            for (index, &word) in words.iter().enumerate() {
                model.set(buffer, shape.coefficient_place(index), word);
            }
        }
        for (operation, half, reversed, buffers) in Self::steps() {
            model.run(operation, half, reversed, buffers);
        }
        let word =
            |index: usize| model.get(Self::A, shape.coefficient_place((shape.n() - index) % shape.n()));
        Ok((0..shape.n() / 2).map(word).collect())
    }
}

/// The coefficients of floor(x^(2n) / f), by long division.
fn reciprocal(unit: &Unit, f: &[u64]) -> Vec<u64> {
    let (q, n) = (unit.modulus(), f.len());
    let terms: Vec<(usize, u64)> = f
        .iter()
        .copied()
        .enumerate()
        .filter(|&(_, term)| term != 0)
        .collect();
    let mut rest = vec![0; 2 * n + 1];
    rest[2 * n] = 1;
    for top in (n..=2 * n).rev() {
        let quotient = rest[top];
        for &(exponent, term) in &terms {
            let at = top - n + exponent;
            rest[at] = q.sub(rest[at], q.mul(quotient, term));
        }
    }
    rest.split_off(n)
}
