use ringmill_arith::Modulus;

use super::Configuration;
use crate::RtlError;
use crate::ntt_engine::dedicated_read::{self, DedicatedRead, Operation};
use crate::ntt_engine::xor_banks::{self, Dimension, RingKind, XorBanks};
use crate::ntt_engine::{Direction, Engine, Unit};

/// The engine of a core's transform unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EngineKind {
    /// Banks whose number is a XOR of index bits: transforms of a Fermat ring.
    #[default]
    XorBanks,
    /// A bank for each unit: cyclic transforms, with constants of one prime at a time. Values lie in the order
    /// [`dedicated_read::Shape::value_order`]; an inverse transform leaves coefficient -i mod n in the place of i.
    DedicatedRead,
}

impl EngineKind {
    /// Its number in the core's parameters and in the register WORDS.
    #[must_use]
    pub const fn value(self) -> u8 {
        match self {
            Self::XorBanks => 0,
            Self::DedicatedRead => 1,
        }
    }
}

/// The sizes of a core's engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EngineShape {
    XorBanks(xor_banks::Shape),
    DedicatedRead(dedicated_read::Shape),
}

impl EngineShape {
    /// The engine for n points with these units.
    ///
    /// # Errors
    /// [`RtlError::BadEngine`].
    pub(super) fn new(kind: EngineKind, n: usize, units: usize) -> Result<Self, RtlError> {
        Ok(match kind {
            EngineKind::XorBanks => Self::XorBanks(xor_banks::Shape::new(n, units, RingKind::Fermat)?),
            EngineKind::DedicatedRead => Self::DedicatedRead(dedicated_read::Shape::new(n, units)?),
        })
    }

    pub(super) const fn n(&self) -> usize {
        match self {
            Self::XorBanks(shape) => shape.n(),
            Self::DedicatedRead(shape) => shape.n(),
        }
    }

    pub(super) const fn units(&self) -> usize {
        match self {
            Self::XorBanks(shape) => shape.units(),
            Self::DedicatedRead(shape) => shape.units(),
        }
    }

    /// The places of words, if they are those of XOR banks.
    pub(super) const fn xor_banks(&self) -> Option<&xor_banks::Shape> {
        match self {
            Self::XorBanks(shape) => Some(shape),
            Self::DedicatedRead(_) => None,
        }
    }

    /// The fields of an index that automorphisms move; none where there are no automorphisms.
    pub(super) fn dimensions(&self) -> Vec<Dimension> {
        match self {
            Self::XorBanks(shape) => shape.dimensions(),
            Self::DedicatedRead(_) => Vec::new(),
        }
    }

    /// The constants of a prime. With XOR banks for each dimension of order m, m Gauss sums and m/2 powers, in both
    /// directions; with dedicated reads the engine's.
    pub(super) fn constants(&self) -> usize {
        match self {
            Self::XorBanks(shape) => shape
                .dimensions()
                .iter()
                .map(|dimension| 3 * dimension.order())
                .sum(),
            Self::DedicatedRead(shape) => shape.constants(),
        }
    }

    /// The cycles of a transform from its first read to its last write, with units of this latency.
    pub(super) fn cycles(&self, unit_latency: u64, direction: Direction) -> u64 {
        match *self {
            Self::XorBanks(shape) => xor_banks::Schedule::new(shape, unit_latency).cycles(direction),
            Self::DedicatedRead(shape) => {
                let operation = match direction {
                    Direction::Forward => Operation::Forward,
                    Direction::Inverse => Operation::InverseScaled,
                };
                dedicated_read::Schedule::new(shape, unit_latency + LATE).cycles(operation)
            }
        }
    }

    /// The cycles between the start of the transform unit and its first read.
    pub(super) const fn start(&self) -> u64 {
        match self {
            Self::XorBanks(_) => 3,
            Self::DedicatedRead(_) => 2,
        }
    }
}

/// The cycles by which the limb memory answers later than banks of the engine with dedicated reads alone. Its units
/// count as slower by them.
const LATE: u64 = 1;

/// The golden model of a core's engine for one prime.
#[derive(Debug, Clone)]
pub(super) enum SlotEngine {
    XorBanks(XorBanks),
    DedicatedRead(DedicatedRead),
}

impl SlotEngine {
    /// Makes the engine and computes its constants.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] if the engine cannot compute modulo this prime; [`RtlError::Ring`] for a ring
    /// that the software does not have.
    pub(super) fn new(configuration: &Configuration, modulus: &Modulus) -> Result<Self, RtlError> {
        let (sizes, latency) = (configuration.sizes(), configuration.unit_latency());
        Ok(match *configuration.engine() {
            EngineShape::XorBanks(shape) => {
                Self::XorBanks(XorBanks::new(shape, modulus, sizes.width, sizes.word, latency)?)
            }
            EngineShape::DedicatedRead(shape) => {
                let unit = Unit::new(modulus, sizes.width, sizes.word)?;
                Self::DedicatedRead(DedicatedRead::new(shape, unit, latency + LATE)?)
            }
        })
    }

    /// Makes the engine with constants that are given, as many as it has, whatever they are.
    pub(super) fn with_constants(configuration: &Configuration, unit: Unit, constants: Vec<u64>) -> Self {
        let latency = configuration.unit_latency();
        match *configuration.engine() {
            EngineShape::XorBanks(shape) => {
                Self::XorBanks(XorBanks::with_constants(shape, unit, latency, constants))
            }
            EngineShape::DedicatedRead(shape) => {
                let engine = DedicatedRead::with_constants(shape, unit, latency + LATE, constants);
                Self::DedicatedRead(engine)
            }
        }
    }

    /// The constants in the order of their addresses.
    pub(super) fn constants(&self) -> &[u64] {
        match self {
            Self::XorBanks(engine) => engine.constants(),
            Self::DedicatedRead(engine) => engine.constants(),
        }
    }

    /// The arithmetic of its units.
    pub(super) const fn unit(&self) -> &Unit {
        match self {
            Self::XorBanks(engine) => engine.unit(),
            Self::DedicatedRead(engine) => engine.unit(),
        }
    }

    /// Transforms n canonical residues as the core does, which leaves them where they are.
    ///
    /// # Errors
    /// As [`Engine::transform`].
    pub(super) fn transform(&self, direction: Direction, words: &mut [u64]) -> Result<(), RtlError> {
        match self {
            Self::XorBanks(engine) => engine.transform(direction, words),
            Self::DedicatedRead(engine) => {
                engine.transform(direction, words)?;
                // The port of the engine's own machine puts coefficients in order, the core has none.
                if let (Direction::Inverse, Some(rest)) = (direction, words.get_mut(1..)) {
                    rest.reverse();
                }
                Ok(())
            }
        }
    }
}
