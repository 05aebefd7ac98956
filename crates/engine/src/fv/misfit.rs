//! Circuits for which there is no room, and by how much.

use std::fmt;

use thiserror::Error;

use crate::PlanError;

/// By how much a circuit does not fit a parameter set.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "noise too large with {name} (n = {n}, log2 q = {log2_q:.0}): about {missing:.0} bits of q are missing for {depth} levels of products; \
     at most about {fitting} levels fit{}",
    advice(*needed)
)]
pub struct Shortfall {
    /// Name of the parameters.
    pub name: String,
    /// Dimension of the ring.
    pub n: usize,
    /// Bits of q.
    pub log2_q: f64,
    /// Bits by which q is too small; estimated from the levels that do not fit where these are many. In the low
    /// form finer levels may be lacking rather than bits.
    pub missing: f64,
    /// Levels of products of the circuit.
    pub depth: u32,
    /// Levels of products that would fit: of the circuit as far as it was followed, at most of a chain of squarings
    /// without sums between.
    pub fitting: u32,
    /// The smallest dimension with a preset of the same security that fits, if it was looked for and
    /// found.
    pub needed: Option<usize>,
}

fn advice(needed: Option<usize>) -> String {
    needed.map_or_else(String::new, |n| format!("; a ring of n = {n} would do"))
}

impl From<Shortfall> for PlanError {
    fn from(shortfall: Shortfall) -> Self {
        Self::DoesNotFit(Box::new(shortfall))
    }
}

/// Why no ring of a security level has room for a circuit.
#[derive(Debug, Clone, PartialEq)]
pub struct Misfit {
    /// Bits of security asked for.
    pub bits: u32,
    /// Products in a row in the circuit; with totals, over the records of a batch of the largest ring.
    pub depth: u32,
    /// Products in a row without totals, if there are any.
    pub without_totals: Option<u32>,
    /// Whether the optimiser has looked for a shallower circuit, and this is the shallowest: see
    /// [`PlanError::after_optimising`].
    pub optimised: bool,
    /// All rings, the smallest first.
    pub rings: Vec<RingMisfit>,
}

/// Why a ring has no room for a circuit.
#[derive(Debug, Clone, PartialEq)]
pub struct RingMisfit {
    /// Dimension of the ring.
    pub n: usize,
    /// The obstacle with the parameters that come closest.
    pub obstacle: Obstacle,
}

/// The reasons why a circuit does not fit a ring.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// Noise.
    Noise {
        /// Products in a row that fit, about.
        fitting: u32,
        /// Bits of q that are missing, about.
        missing: f64,
    },
    /// A batch holds too few records.
    Records {
        /// Records in a batch.
        records: usize,
        /// Records wanted.
        wanted: usize,
    },
    /// The security level leaves no room for any parameters.
    Security,
    /// Anything else, in words.
    Other(String),
}

impl Obstacle {
    /// Takes from an error of planning what it says of a ring.
    pub(crate) fn of(error: &PlanError) -> Self {
        match error {
            PlanError::DoesNotFit(shortfall) => Self::Noise {
                fitting: shortfall.fitting,
                missing: shortfall.missing,
            },
            PlanError::TooFewRecords { records, wanted, .. } => Self::Records {
                records: *records,
                wanted: *wanted,
            },
            other => Self::Other(other.to_string()),
        }
    }

    /// How close the circuit came to fitting: the more products, the closer.
    pub(crate) fn closeness(&self) -> Option<u32> {
        match self {
            Self::Noise { fitting, .. } => Some(*fitting),
            _ => None,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noise { fitting, missing } => {
                write!(
                    f,
                    "about {fitting} in a row fit, {missing:.0} bits of q are missing"
                )
            }
            Self::Records { records, wanted } => {
                write!(f, "a batch holds {records} records, {wanted} are wanted")
            }
            Self::Security => write!(f, "too small for this security"),
            Self::Other(reason) => write!(f, "{reason}"),
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            bits,
            depth,
            without_totals,
            optimised,
            rings,
        } = self;
        let circuit = if *optimised {
            "the circuit, optimised,"
        } else {
            "the circuit"
        };
        writeln!(
            f,
            "{circuit} has {depth} products in a row, and no ring of {bits} bits of security has room for it:"
        )?;
        for RingMisfit { n, obstacle } in rings {
            writeln!(f, "  n = {n:<6}  {obstacle}")?;
        }
        let has = |wanted: fn(&Obstacle) -> bool| rings.iter().any(|ring| wanted(&ring.obstacle));
        if has(|obstacle| matches!(obstacle, Obstacle::Records { .. })) {
            writeln!(f, "Smaller batches may fit (--batch-records).")?;
        }
        if let Some(own) = without_totals {
            writeln!(
                f,
                "Without the totals over all records it has {own}. Totals of narrower numbers, or in place of max and min a \
                 count or a sum, have fewer; a result for each record, added up after decryption, has none of them."
            )?;
        }
        let optimise = if *optimised {
            ""
        } else {
            "have it optimised (--optimise), or "
        };
        write!(
            f,
            "It needs fewer products in a row: {optimise}cut it into parts that fit, evaluated one after the other, \
             the results of each decrypted and encrypted anew by the owner of the key."
        )
    }
}

impl PlanError {
    /// The same error where the optimiser has done what it can, so that it is no advice any more.
    #[must_use]
    pub fn after_optimising(mut self) -> Self {
        if let Self::NothingFits(misfit) = &mut self {
            misfit.optimised = true;
        }
        self
    }
}
