use ringmill_arith::Modulus;

use super::{Buffers, Half, Model, Operation, Schedule, Shape};
use crate::RtlError;
use crate::ntt_engine::engine::check_words;
use crate::ntt_engine::{Direction, Engine, Unit};

/// A machine with one buffer: transforms of N points.
///
/// Words are coefficients in natural order, or values in the engine's ([`Shape::value_order`]).
#[derive(Debug, Clone)]
pub struct DedicatedRead {
    model: Model,
}

impl DedicatedRead {
    /// The buffer.
    const BUFFER: Buffers = Buffers::in_place(0);

    /// Makes the engine for a prime; `unit_latency` is that of its butterfly units.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] unless the prime is 1 modulo N.
    pub fn new(shape: Shape, unit: Unit, unit_latency: u64) -> Result<Self, RtlError> {
        Ok(Self {
            model: Model::new(Schedule::new(shape, unit_latency), unit, 1, 0)?,
        })
    }

    /// Makes the engine with constants that are given, whatever they are: in the order of their addresses, as many as
    /// [`Shape::constants`] says.
    pub(crate) fn with_constants(shape: Shape, unit: Unit, unit_latency: u64, constants: Vec<u64>) -> Self {
        Self {
            model: Model::with_constants(Schedule::new(shape, unit_latency), unit, 1, constants),
        }
    }

    /// The arithmetic of its units.
    #[must_use]
    pub const fn unit(&self) -> &Unit {
        self.model.unit()
    }

    /// The schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        self.model.schedule()
    }

    const fn operation(direction: Direction) -> Operation {
        match direction {
            Direction::Forward => Operation::Forward,
            Direction::Inverse => Operation::InverseScaled,
        }
    }
}

impl Engine for DedicatedRead {
    fn machine(&self) -> String {
        let (unit, n, units) = (self.model.unit(), self.n(), self.units());
        let (width, word) = (unit.width(), unit.word());
        format!("dedicated_read_machine N={n} Units={units} Width={width} Word={word}")
    }

    fn n(&self) -> usize {
        self.schedule().shape().n()
    }

    fn units(&self) -> usize {
        self.schedule().shape().units()
    }

    fn modulus(&self) -> &Modulus {
        self.model.unit().modulus()
    }

    fn constants(&self) -> &[u64] {
        self.model.constants()
    }

    fn cycles(&self, direction: Direction) -> u64 {
        self.schedule().cycles(Self::operation(direction))
    }

    fn transform(&self, direction: Direction, words: &mut [u64]) -> Result<(), RtlError> {
        let (shape, n) = (self.schedule().shape(), self.n());
        check_words(self.modulus(), n, words)?;
        let mut model = self.model.clone();
        for (index, &word) in words.iter().enumerate() {
            model.set(0, shape.coefficient_place(index), word);
        }
        model.run(Self::operation(direction), Half::Both, false, Self::BUFFER);
        for (index, word) in words.iter_mut().enumerate() {
            // The inverse transform leaves coefficient x in the place of -x.
            let index = match direction {
                Direction::Forward => index,
                Direction::Inverse => (n - index) % n,
            };
            *word = model.get(0, shape.coefficient_place(index));
        }
        Ok(())
    }
}
