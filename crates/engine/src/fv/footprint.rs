use ringmill_fv::FvError;

use crate::fv::cost::Costs;
use crate::fv::plan::Plan;
use crate::schedule::memory::{Conditions, Loading, by_wave};

impl Plan {
    /// Bytes of memory predicted while each wave is in progress, with inputs in memory as `loading` says. What is packed waits
    /// in a file in any case. The most of them is [`MemoryUse::peak`](crate::MemoryUse::peak), unless more is there before
    /// the first wave or after the last one.
    ///
    /// # Errors
    /// None for the parameters of a plan.
    pub fn memory_by_wave(&self, loading: Loading) -> Result<Vec<u64>, FvError> {
        let packing = self.packed_inputs().map(|packed| &*packed.packing);
        let maps = self.maps();
        let costs = Costs::new(self.parameters(), self.form(), (maps, packing), maps.count())?;
        let conditions = Conditions {
            threads: self.prediction().threads,
            loading: packing.map_or(loading, |_| Loading::WhenUsed),
        };
        let schedule = self.schedule();
        Ok(by_wave(schedule.steps(), schedule.waves(), &costs, conditions))
    }
}
