//! Circuits as they are planned in one ring.

use std::borrow::Cow;

use ringmill_arith::Simd;
use ringmill_circuit::{Aggregate, Circuit, Gathered, InputPort};
use ringmill_fv::FvError;
use ringmill_ring::{FermatRing, Slots};

use crate::PlanError;
use crate::fv::slot_steps::SlotSteps;
use crate::ir::lower::{lower, lower_gathered, lower_shared};
use crate::ir::program::Program;

/// A circuit with its program. Totals over the records of a batch depend on the number of slots, so they are added anew for
/// each ring.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    /// The circuit, with totals if there are any. Its first ports are those of the program.
    pub circuit: Cow<'a, Circuit>,
    /// The digest of the circuit without totals.
    pub digest: [u8; 32],
    /// The digest of the aggregates, if there are any.
    pub aggregates: Option<[u8; 32]>,
    pub program: Program,
}

impl<'a> Prepared<'a> {
    /// The circuit as it is.
    pub fn plain(circuit: &'a Circuit) -> Result<Self, PlanError> {
        Ok(Self::of(circuit, lower(circuit)?))
    }

    /// The circuit as it is, of which four records share each slot.
    pub fn shared(circuit: &'a Circuit) -> Result<Self, PlanError> {
        Ok(Self::of(circuit, lower_shared(circuit)?))
    }

    fn of(circuit: &'a Circuit, program: Program) -> Self {
        Self {
            circuit: Cow::Borrowed(circuit),
            digest: circuit.digest(),
            aggregates: None,
            program,
        }
    }

    /// The circuit in a ring, with these aggregates of its outputs, or as it is if there are none.
    pub fn new(circuit: &'a Circuit, aggregates: &[Aggregate], n: usize) -> Result<Self, PlanError> {
        if aggregates.is_empty() {
            return Self::plain(circuit);
        }
        let kernel = Simd::from_environment().map_err(FvError::from)?;
        let steps = SlotSteps::new(&Slots::new(&FermatRing::new(n)?, kernel)?)?;
        let gathered = Gathered::new(circuit, aggregates, &steps.group)?;
        Ok(Self {
            digest: circuit.digest(),
            aggregates: Some(Aggregate::digest(aggregates)),
            program: lower_gathered(&gathered, &steps.steps)?,
            circuit: Cow::Owned(gathered.circuit().clone()),
        })
    }

    /// The input ports of the program.
    pub fn inputs(&self) -> &[InputPort] {
        let inputs = self.circuit.inputs();
        inputs.get(..self.program.inputs.len()).unwrap_or(inputs)
    }
}
