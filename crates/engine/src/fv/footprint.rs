use ringmill_fv::FvError;

use crate::fv::cost::Costs;
use crate::fv::packed::PackedInputs;
use crate::fv::plan::Plan;
use crate::schedule::memory::{Conditions, Loading, by_wave};

impl Plan {
    /// Bytes of memory predicted while each wave is in progress, with inputs in memory as `loading` says. Those that come
    /// packed wait as [`PackedInputs::loading`](crate::PackedInputs::loading) says in any case. The most of them is
    /// [`MemoryUse::peak`](crate::MemoryUse::peak), unless more is there before the first wave or after the last one.
    ///
    /// # Errors
    /// None for the parameters of a plan.
    pub fn memory_by_wave(&self, loading: Loading) -> Result<Vec<u64>, FvError> {
        let packed = self.packed_inputs();
        let packing = packed.map(|packed| &*packed.packing);
        let maps = self.maps();
        let costs = Costs::new(self.parameters(), self.form(), (maps, packing), maps.count())?;
        let conditions = Conditions {
            threads: self.prediction().threads,
            loading: packed.map_or(loading, PackedInputs::loading),
        };
        let schedule = self.schedule();
        Ok(by_wave(schedule.steps(), schedule.waves(), &costs, conditions))
    }
}
