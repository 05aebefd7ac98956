//! The jobs of files.

use std::sync::Arc;

use ringmill_engine::Planner;

use super::{Planning, level};
use crate::Error;
use crate::job::Job;
use crate::job_file::JobFile;
use crate::platform::{Cpu, Platform};
use crate::units::bytes;

impl Planning {
    /// Opens the job of a file on this machine's processor.
    ///
    /// # Errors
    /// As [`Planning::open_on`].
    pub fn open(&self, file: &JobFile) -> Result<Job, Error> {
        self.open_on(&Arc::new(Cpu), file)
    }

    /// Opens the job of a file: its parameters and its recipe decide the plan, so that all parties have the same; of
    /// these options only the policy and the observer count.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file has no plan, is of another circuit, or if the policy
    /// refuses it.
    pub fn open_on<P: Platform>(&self, platform: &Arc<P>, file: &JobFile) -> Result<Job<P>, Error> {
        self.open_file(platform, file, false)
    }

    /// The same for whoever evaluates: the steps are put into an order that keeps to the memory, with the spill
    /// directory's help if there is one. A note says how much will be put aside there.
    ///
    /// # Errors
    /// As [`Planning::open_on`]; [`ErrorKind::NoParameters`](crate::ErrorKind::NoParameters) if no order fits the
    /// memory.
    pub fn open_to_evaluate_on<P: Platform>(
        &self,
        platform: &Arc<P>,
        file: &JobFile,
    ) -> Result<Job<P>, Error> {
        let job = self.open_file(platform, file, true)?;
        let aside = job.plan_details().prediction().memory;
        if let (Some(directory), true) = (&self.spill_directory, aside.written > 0) {
            self.observer.note(&format!(
                "note: memory has no room for all values; each batch puts about {} aside in {}, and reads {} from there",
                bytes(aside.written),
                directory.display(),
                bytes(aside.read)
            ));
        }
        Ok(job)
    }

    fn open_file<P: Platform>(
        &self,
        platform: &Arc<P>,
        file: &JobFile,
        limited: bool,
    ) -> Result<Job<P>, Error> {
        let (circuit, parameters, recipe) = file.parts(&self.policy)?;
        let (mut circuit, original) = (circuit.clone(), circuit.circuit.clone());
        let of_file = |name: &str, error| Error::plan_of_file(file.path(), name, error);
        if recipe.variant.is_some() {
            let evaluated = self.optimising(|tell| {
                let evaluated = recipe.evaluated(&original, tell)?;
                Ok(evaluated.into_owned())
            });
            circuit.circuit = evaluated.map_err(|error| of_file(&circuit.name, error))?;
        }
        let planner = Planner::new(level(parameters))
            .with_loading(self.loading)
            .with_aggregates(circuit.aggregates());
        let exactly = |planner: &Planner| planner.plan_exactly(&circuit.circuit, parameters, recipe);
        let plan = if limited {
            self.within(planner, &**platform, exactly)
        } else {
            exactly(&planner)
        };
        let plan = plan.map_err(|error| of_file(&circuit.name, error))?;
        Ok(Job::new(platform, circuit, plan, &self.observer))
    }
}
