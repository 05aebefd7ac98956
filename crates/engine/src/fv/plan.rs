use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill_circuit::{PRESENT, PortValues};
use ringmill_fv::{NOISE_BINS, Parameters};

use crate::error::{PlanError, Rejection};
use crate::fv::layout::Layout;
use crate::fv::packed::PackedInputs;
use crate::fv::product_form::ProductForm;
use crate::fv::recipe::Recipe;
use crate::fv::rules::{Demand, LIMIT};
use crate::fv::slot_maps::SlotMaps;
use crate::ir::program::{OutputSource, ValueId};
use crate::schedule::Schedule;
use crate::schedule::memory::MemoryUse;

/// How a circuit is evaluated over FV: parameters, the level of everything, the order, and what to
/// expect. Made by [`crate::Planner`], carried out by [`Plan::execute`].
///
/// A plan is a promise: however it came about, every predicted noise is a finite number below what decryption
/// bears, with the reserve kept, and the probability of failure is at most what was asked for.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) parameters: Parameters,
    pub(crate) recipe: Recipe,
    pub(crate) layout: Layout,
    pub(crate) maps: Arc<SlotMaps>,
    packed: Option<PackedInputs>,
    pub(crate) demand: Demand,
    pub(crate) schedule: Schedule,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) rejected: Vec<Rejection>,
    // Private, so that there is no way to a plan but `Plan::new`.
    noises: Vec<f64>,
    result_powers: Option<[f64; NOISE_BINS]>,
    prediction: Prediction,
}

/// The parts of a plan, before it is checked.
pub(crate) struct Draft {
    pub parameters: Parameters,
    pub recipe: Recipe,
    pub layout: Layout,
    pub maps: Arc<SlotMaps>,
    pub packed: Option<PackedInputs>,
    pub schedule: Schedule,
    /// Where values are put aside, if any are.
    pub directory: Option<PathBuf>,
    /// What was asked of the noise.
    pub demand: Demand,
    pub noises: Vec<f64>,
    /// log2 of the most power of any result's noise in each bin of the roots.
    pub result_powers: [f64; NOISE_BINS],
    pub prediction: Prediction,
}

/// The predictions of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// log2 of the magnitude that the noise of all outputs stays below with the probability asked for: finite,
    /// or negative infinity if no output is encrypted. With flooding, that of the encryption of zero is in it, and not
    /// that of the flood.
    pub log2_noise: f64,
    /// Bits by which flooding raises that; 0 without it.
    pub flooding: f64,
    /// Bits between that noise, flooded, and the most with which decryption works; infinite if no output is encrypted.
    pub margin: f64,
    /// Bits of that margin which are kept because noise after many products has heavier tails than the
    /// model's.
    pub reserve: f64,
    /// log2 of the probability that a decryption fails, at most, by the bound and its reserve: what was asked for; negative
    /// infinity if no output is encrypted.
    pub log2_failure: f64,
    /// Bits that the choice of a lower level may add to the noise at each operation.
    pub tolerance: f64,
    /// Seconds, all threads together, for a batch; with unpacking, unless that is once for all.
    pub work: f64,
    /// The same to take packed inputs apart: for each batch, or once for all if they are broadcast.
    pub unpacking: f64,
    /// The level of encrypted outputs.
    pub output_level: usize,
    /// Most products on a path to an output.
    pub depth: u32,
    /// Memory with this many steps in progress.
    pub memory: MemoryUse,
    /// Steps in progress at a time for which memory was predicted.
    pub threads: usize,
}

impl Prediction {
    /// Seconds from begin to end.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.work / self.threads.max(1) as f64
    }
}

impl Draft {
    /// Checks what a plan promises. Every comparison is one that NaN fails.
    fn check(&self) -> Result<(), PlanError> {
        let Prediction {
            log2_noise: noise,
            flooding,
            margin,
            reserve,
            log2_failure: failure,
            work,
            ..
        } = self.prediction;
        let require = |holds: bool, what: String| holds.then_some(()).ok_or(PlanError::Broken(what));
        for (step, noise) in self.noises.iter().enumerate() {
            require(
                noise.is_finite() && *noise <= LIMIT,
                format!("noise 2^{noise} after step {step}"),
            )?;
        }
        let sources = self.schedule.outputs().iter().flat_map(|port| &port.sources);
        let encrypted = sources.filter_map(|source| match source {
            OutputSource::Encrypted(value) => self.noises.get(value.index()),
            OutputSource::Clear(_) => None,
        });
        let worst = encrypted.copied().fold(f64::NEG_INFINITY, f64::max);
        require(
            (noise == worst || self.recipe.flooding && noise >= worst) && margin == LIMIT - flooding - noise,
            format!("noise at most 2^{noise} with {margin} bits of margin, where outputs have 2^{worst}"),
        )?;
        require(
            (flooding > 0.0) == self.recipe.flooding && flooding.is_finite(),
            format!("{flooding} bits of flooding"),
        )?;
        require(
            reserve >= 0.0 && reserve.is_finite() && margin >= reserve,
            format!("{margin} bits of margin, {reserve} of them in reserve"),
        )?;
        require(
            failure <= self.recipe.log2_failure,
            format!(
                "failure 2^{failure}, where 2^{} was asked for",
                self.recipe.log2_failure
            ),
        )?;
        require(work >= 0.0 && work.is_finite(), format!("{work} seconds of work"))
    }
}

impl Plan {
    /// The plan of a draft that keeps what plans promise.
    ///
    /// # Errors
    /// [`PlanError::Broken`].
    pub(crate) fn new(draft: Draft) -> Result<Self, PlanError> {
        draft.check()?;
        let sources = draft.schedule.outputs().iter().flat_map(|port| &port.sources);
        let clear = sources
            .clone()
            .any(|source| matches!(source, OutputSource::Clear(_)));
        Ok(Self {
            result_powers: (!clear).then_some(draft.result_powers),
            parameters: draft.parameters,
            recipe: draft.recipe,
            layout: draft.layout,
            maps: draft.maps,
            packed: draft.packed,
            demand: draft.demand,
            schedule: draft.schedule,
            directory: draft.directory,
            rejected: Vec::new(),
            noises: draft.noises,
            prediction: draft.prediction,
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How products are computed.
    #[must_use]
    pub fn form(&self) -> ProductForm {
        self.recipe.form
    }

    /// How records lie in slots.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Records in a batch.
    #[must_use]
    pub fn records(&self) -> usize {
        self.layout.records()
    }

    /// The public input that says which records of a batch there are, namely the first ones: its name, and its values for
    /// so many records. `None` if the plan has no totals, and so no need of it.
    #[must_use]
    pub fn present(&self, records: usize) -> Option<(String, PortValues)> {
        self.recipe.aggregates?;
        let bits: Vec<bool> = (0..self.records()).map(|record| record < records).collect();
        let lane = bits.chunks(64).map(|bits| {
            let bits = (0..).zip(bits);
            bits.fold(0, |word, (place, bit)| word | u64::from(*bit) << place)
        });
        Some((PRESENT.to_owned(), PortValues::Bits(vec![lane.collect()])))
    }

    /// The linear maps as automorphisms and constants.
    #[must_use]
    pub fn maps(&self) -> &SlotMaps {
        &self.maps
    }

    /// How the private inputs are packed, if they are.
    #[must_use]
    pub fn packed_inputs(&self) -> Option<&PackedInputs> {
        self.packed.as_ref()
    }

    /// The automorphisms for which Galois keys are needed.
    #[must_use]
    pub fn galois_exponents(&self) -> BTreeSet<u64> {
        let mut exponents = self.maps.exponents();
        exponents.extend(self.packed.iter().flat_map(PackedInputs::exponents));
        exponents
    }

    /// Where values are put aside, if any are.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The steps and their order.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The predicted noise of a value: log2 of the magnitude that it exceeds with less than the probability
    /// planned for.
    #[must_use]
    pub fn noise(&self, value: ValueId) -> f64 {
        self.noises[value.0]
    }

    /// The amplitude of the noise that outputs of a level are flooded with before they are returned: its logarithm, for
    /// `Context::flood`. None if the plan has no flooding.
    #[must_use]
    pub fn log2_flood(&self, level: usize) -> Option<u32> {
        let Prediction {
            log2_noise, flooding, ..
        } = self.prediction;
        let step = self.parameters.log2_q(level) - (self.parameters.t() as f64).log2();
        // The bits beyond the bound are one more than hide it, so that rounding down leaves enough.
        let log2 = (step + log2_noise + flooding - 1.0).floor();
        (self.recipe.flooding && log2 >= 0.0).then_some(log2 as u32)
    }

    /// log2 of the most power of any result's noise in each bin of the roots; none if a result is a value in the clear.
    pub(crate) fn result_powers(&self) -> Option<&[f64; NOISE_BINS]> {
        self.result_powers.as_ref()
    }

    /// The predictions.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The parameter sets that were not taken, and why.
    #[must_use]
    pub fn rejected(&self) -> &[Rejection] {
        &self.rejected
    }
}
