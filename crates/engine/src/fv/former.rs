//! Jobs that go on with the results of others.

use std::io::{Read, Write};

use ringmill_format::{FormatError, Put, Take};
use ringmill_fv::NOISE_BINS;

use crate::Plan;
use crate::fv::plan::Prediction;

/// Bits of deviation that a level adds in the chain of products that results must bear: for sums of up to four values
/// between products.
pub(crate) const SUMS: f64 = 1.0;

/// log2 of a power of noise, n coefficients together, with which nothing can be decrypted.
const MOST_LOG2: f64 = 64.0;

/// Results of a plan that are the private inputs of another: what the other has to know of them. A plan follows from
/// this too, so recipes hold it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormerResults {
    /// The digest of the circuit whose results they are: of the variant that is evaluated.
    pub circuit: [u8; 32],
    /// SHA-256 of the frame of that plan's recipe.
    pub plan: [u8; 32],
    /// Their level.
    pub level: usize,
    /// The most products on a path to one of them, those of still earlier plans included.
    pub depth: u32,
    /// log2 of the power of their noise in each bin of the roots: the most that any of them has. Minus infinity for none.
    pub log2_powers: [f64; NOISE_BINS],
}

impl FormerResults {
    /// Bytes in a frame.
    pub(crate) const BYTES: u64 = 32 + 32 + 4 + 4 + 8 * NOISE_BINS as u64;

    pub(crate) fn put(&self, out: &mut impl Write) -> Result<(), FormatError> {
        out.put_bytes(&self.circuit)?;
        out.put_bytes(&self.plan)?;
        out.put_u32(self.level as u32)?;
        out.put_u32(self.depth)?;
        self.log2_powers.iter().try_for_each(|power| out.put_f64(*power))
    }

    /// Reads what [`FormerResults::put`] wrote, of parameters with so many levels.
    pub(crate) fn take(input: &mut impl Read, levels: usize) -> Result<Self, FormatError> {
        let (circuit, plan) = (input.take_array()?, input.take_array()?);
        let (level, depth) = (input.take_u32()? as usize, input.take_u32()?);
        let mut log2_powers = [0.0; NOISE_BINS];
        for power in &mut log2_powers {
            *power = f64::from_bits(u64::from_le_bytes(input.take_array()?));
        }
        let bad = |problem: &str| FormatError::BadValue {
            field: "results of the job before",
            problem: problem.to_owned(),
        };
        if !(1..=levels).contains(&level) {
            return Err(bad("a level that the parameters do not have"));
        }
        if log2_powers
            .iter()
            .any(|power| power.is_nan() || *power > MOST_LOG2)
        {
            return Err(bad("noise that no results have"));
        }
        Ok(Self {
            circuit,
            plan,
            level,
            depth,
            log2_powers,
        })
    }
}

impl Plan {
    /// What a plan that goes on with the results of this one has to know of them; `plan` is SHA-256 of the frame of this
    /// plan's recipe. None if a result is a value in the clear, if the plan drowns the noise of results, or if slots hold
    /// anything but a record's bits or bytes as they are.
    #[must_use]
    pub fn results(&self, plan: [u8; 32]) -> Option<FormerResults> {
        let is_fit = !self.recipe().flooding && self.layout().is_plain();
        let log2_powers = *self.result_powers().filter(|_| is_fit)?;
        let Prediction {
            output_level, depth, ..
        } = *self.prediction();
        let recipe = self.recipe();
        Some(FormerResults {
            circuit: recipe.variant.map_or(recipe.circuit, |variant| variant.digest),
            plan,
            level: output_level,
            depth: depth + recipe.former.map_or(0, |former| former.depth),
            log2_powers,
        })
    }
}
