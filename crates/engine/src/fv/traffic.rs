//! The bytes that parties send each other.

use ringmill_circuit::Visibility;
use ringmill_fv::FvError;

use crate::ir::program::encrypted;
use crate::{InputKey, Plan};

/// Bytes of what parties send each other, without the heads of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Evaluation keys, once.
    pub keys: u64,
    /// A batch of inputs under the key that the plan is for; if they are broadcast, all inputs.
    pub inputs: u64,
    /// A batch of results.
    pub results: u64,
}

impl Plan {
    /// The bytes that parties send each other.
    ///
    /// # Errors
    /// None for the parameters of a plan.
    pub fn traffic(&self) -> Result<Traffic, FvError> {
        let former = self.recipe.former;
        let seeded = self.recipe.input_key == InputKey::Secret && former.is_none();
        let ports = self.schedule.inputs().iter();
        let private = ports.filter(|port| port.visibility == Visibility::Private);
        let levels: Vec<usize> = match self.packed_inputs() {
            Some(packed) => packed.groups().map(|wires| packed.level(&wires, 0)).collect(),
            None => private.flat_map(|port| port.levels().iter().copied()).collect(),
        };
        let inputs = levels
            .into_iter()
            .map(|level| former.map_or(level, |former| former.level))
            .map(|level| self.parameters.ciphertext_bytes(level, seeded));
        let outputs = self.schedule.outputs().iter().map(|port| port.sources.clone());
        let outputs: Vec<_> = outputs.collect();
        let results = encrypted(&outputs).map(|value| {
            let level = self.schedule.steps()[value.index()].level;
            self.parameters.ciphertext_bytes(level, false)
        });
        let keys = 1 + self.galois_exponents().len() as u64;
        Ok(Traffic {
            keys: keys * self.parameters.switching_key_bytes()?,
            inputs: inputs.sum::<Result<u64, _>>()?,
            results: results.sum::<Result<u64, _>>()?,
        })
    }
}
