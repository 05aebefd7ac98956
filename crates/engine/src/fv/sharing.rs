//! The choice between slots for each record and shared ones, by the time that a table takes.

use crate::error::{PlanError, Rejection};
use crate::fv::packed::InputPacking;
use crate::fv::plan::Plan;
use crate::fv::planner::Planner;

/// Whether four records of bits share each slot.
///
/// A slot is a field of 2^16 or 2^32 elements, and a bit takes two of them. Four bits fit, embedded as a
/// [`nibble`](ringmill_circuit::nibble), if each product is followed by a linear map before the next. A batch then has
/// four times as many records and takes about twice as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SlotSharing {
    /// Where it is predicted to take less time for a table, or where a single batch must have room for more records than
    /// there are slots.
    #[default]
    Auto,
    /// Each record has a slot, or as many as a row of its bytes takes.
    Never,
    /// Four records share each slot. Circuits with bytes, totals, inputs packed in slots and jobs that go on with others'
    /// results are refused.
    Always,
}

impl Planner {
    /// A plan with slots of their own for all records, or with shared ones, whichever takes less time for the table.
    pub(crate) fn in_slots(
        &self,
        plan: impl Fn(&Self) -> Result<Plan, PlanError>,
    ) -> Result<Plan, PlanError> {
        let with = |sharing| self.clone().with_slot_sharing(sharing).with_room(&plan);
        match self.sharing {
            SlotSharing::Never => return with(SlotSharing::Never),
            SlotSharing::Always => {
                self.require_sharing()?;
                return with(SlotSharing::Always);
            }
            SlotSharing::Auto => {}
        }
        let own = with(SlotSharing::Never);
        let fits_one = own.as_ref().is_ok_and(|own| self.batches(own) == 1);
        let one_is_enough = self.records == 1 && (fits_one || own.is_err());
        if one_is_enough || self.require_sharing().is_err() {
            return own;
        }
        Ok(match (own, with(SlotSharing::Always)) {
            (own, Err(_)) => own?,
            (Err(_), Ok(shared)) => shared,
            (Ok(own), Ok(mut shared)) if self.seconds_for_all(&shared) < self.seconds_for_all(&own) => {
                shared.rejected.insert(0, self.slower(&own, &shared));
                shared
            }
            (Ok(mut own), Ok(shared)) => {
                own.rejected.insert(0, self.slower(&shared, &own));
                own
            }
        })
    }

    /// Refuses plans in which records cannot share slots, whatever the circuit.
    pub(crate) fn require_sharing(&self) -> Result<(), PlanError> {
        let obstacles = [
            (!self.aggregates.is_empty(), "totals over the records"),
            (
                self.packing == InputPacking::Slots,
                "inputs that are packed in slots",
            ),
            (self.former.is_some(), "results of another job as inputs"),
            (self.further > 0, "results that other jobs go on with"),
        ];
        match obstacles.into_iter().find(|(is_there, _)| *is_there) {
            Some((_, what)) => Err(PlanError::CannotShare { what }),
            None => Ok(()),
        }
    }

    /// Batches of the table; 1 if it is not known.
    pub(crate) fn batches(&self, plan: &Plan) -> usize {
        self.table.unwrap_or(1).div_ceil(plan.records().max(1))
    }

    /// Seconds predicted for all batches.
    pub(crate) fn seconds_for_all(&self, plan: &Plan) -> f64 {
        plan.prediction().seconds() * self.batches(plan) as f64
    }

    /// Why a plan in another ring or layout is not taken.
    pub(crate) fn slower(&self, plan: &Plan, choice: &Plan) -> Rejection {
        Rejection {
            name: plan.parameters().name().to_owned(),
            reason: format!(
                "fits{}, but is predicted to take {:.3} s for {} batches where the choice takes {:.3} s for {}",
                match (plan.layout().is_shared(), choice.layout().is_shared()) {
                    (true, false) => " with four records in a slot",
                    (false, true) => " with a slot for each record",
                    _ => "",
                },
                self.seconds_for_all(plan),
                self.batches(plan),
                self.seconds_for_all(choice),
                self.batches(choice)
            ),
        }
    }
}
