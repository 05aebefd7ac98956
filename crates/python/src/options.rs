use std::path::PathBuf;

use pyo3::prelude::*;
use ringmill::{
    InputKey, InputPacking, Optimise, Planning, Policy, PrimeRule, ProductForm, SecurityLevel, SlotSharing,
};

use crate::error::usage;
use crate::job::Job;

/// How a circuit is planned.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PlanOptions {
    security: u32,
    preset: Option<String>,
    form: Option<String>,
    primes: String,
    records: Option<usize>,
    batch_records: Option<usize>,
    input_key: String,
    packing: Option<String>,
    share_slots: String,
    shared_results: bool,
    further_levels: u32,
    optimise: String,
    memory: Option<u64>,
    spill_directory: Option<PathBuf>,
    recalibrate: bool,
}

/// How a job file is opened.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct OpenOptions {
    memory: Option<u64>,
    spill_directory: Option<PathBuf>,
    allow_insecure: bool,
    /// Whether to order the steps for an evaluation within the memory.
    pub evaluate: bool,
}

impl PlanOptions {
    /// The same for the library.
    pub fn planning(self, py: Python<'_>, after: Option<&Job>) -> PyResult<Planning> {
        let security = match self.security {
            128 => SecurityLevel::Bits128,
            192 => SecurityLevel::Bits192,
            256 => SecurityLevel::Bits256,
            other => {
                let problem = format!("there are no {other} bits of security; there are 128, 192 and 256");
                return Err(usage(py, problem));
            }
        };
        let form = self.form.as_deref().map(|form| {
            let forms = [("bfv", ProductForm::Bfv), ("bgv", ProductForm::Bgv)];
            chosen(py, "form", form, &forms)
        });
        let primes = [
            ("transform", PrimeRule::Transform),
            ("machine", PrimeRule::Machine),
        ];
        let keys = [("public", InputKey::Public), ("secret", InputKey::Secret)];
        let packing = self.packing.as_deref().map(|packing| {
            let packings = [
                ("separate", InputPacking::Separate),
                ("slots", InputPacking::Slots),
                ("broadcast", InputPacking::Broadcast),
            ];
            chosen(py, "packing", packing, &packings)
        });
        let variants = [
            ("auto", Optimise::Auto),
            ("off", Optimise::Off),
            ("products", Optimise::LeastProducts),
            ("depth", Optimise::LeastDepth),
        ];
        let sharings = [
            ("auto", SlotSharing::Auto),
            ("never", SlotSharing::Never),
            ("always", SlotSharing::Always),
        ];
        let mut planning = Planning::new()
            .security(security)
            .preset(self.preset)
            .form(form.transpose()?)
            .prime_rule(chosen(py, "primes", &self.primes, &primes)?)
            .input_key(chosen(py, "input_key", &self.input_key, &keys)?)
            .packing(packing.transpose()?)
            .slot_sharing(chosen(py, "share_slots", &self.share_slots, &sharings)?)
            .shared_results(self.shared_results)
            .further_levels(self.further_levels)
            .optimise(chosen(py, "optimise", &self.optimise, &variants)?)
            .memory(self.memory)
            .spill_directory(self.spill_directory)
            .recalibrate(self.recalibrate);
        if let Some(records) = self.records {
            planning = planning.records(records);
        }
        if let Some(records) = self.batch_records {
            planning = planning.batch_records(records);
        }
        match after {
            Some(job) => job.before(py, planning),
            None => Ok(planning),
        }
    }
}

impl OpenOptions {
    /// The same for the library.
    pub fn planning(self) -> Planning {
        let planning = Planning::new()
            .memory(self.memory)
            .spill_directory(self.spill_directory);
        match self.allow_insecure {
            true => planning.policy(Policy::allow_insecure()),
            false => planning,
        }
    }
}

/// The choice of a name.
fn chosen<T: Copy>(py: Python<'_>, option: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        usage(py, format!("{option}={name:?}: there are {}", names.join(", ")))
    })
}
