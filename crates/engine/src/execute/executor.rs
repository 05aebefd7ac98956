use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ringmill_circuit::Visibility;

use crate::error::Failure;
use crate::execute::codec::{Codec, NoCodec};
use crate::execute::inputs::{check_side, clear_input};
use crate::execute::linear_maps::{LinearMaps, NoMaps};
use crate::execute::statistics::Meter;
use crate::execute::workers::for_each;
use crate::ir::clear::ClearValues;
use crate::{
    ClearValue, Encoding, EncryptedInputs, EngineError, InputValues, Observer, OperationKind, Schedule,
    Scheme, Side, Statistics, ValueId, Wave,
};
use clear_terms::ClearTerms;
use residency::{Hints, residency};
use tasks::tasks;
use values::Values;
use watch::Watch;

mod clear_terms;
mod operations;
mod residency;
mod results;
mod tasks;
mod values;
mod watch;

/// One wire of an output port, for all records of a batch.
pub enum OutputValue<C> {
    /// Encrypted.
    Encrypted(C),
    /// It depends on public inputs only.
    Clear(ClearValue),
}

/// The results of an execution.
pub struct Execution<C> {
    /// The wires of each output port, in the circuit's order.
    pub outputs: Vec<Vec<OutputValue<C>>>,
    /// The statistics.
    pub statistics: Statistics,
}

/// Carries out a schedule on one batch, in the current rayon pool, over a scheme without linear maps and
/// without any secret.
///
/// # Errors
/// [`EngineError::OtherParameters`]; [`EngineError::MissingInput`] and the like for inputs that do not
/// fit; [`EngineError::Cancelled`]; [`EngineError::Step`] if the scheme fails.
pub fn execute<S: Scheme>(
    schedule: &Schedule,
    scheme: &S,
    inputs: EncryptedInputs<S::Ciphertext>,
    public: &InputValues,
    observer: &dyn Observer,
) -> Result<Execution<S::Ciphertext>, EngineError> {
    let parts = Parts {
        scheme,
        maps: &NoMaps,
        codec: &NoCodec,
        directory: None,
    };
    run(schedule, &parts, inputs, public, observer)
}

/// The state of an execution.
pub(crate) struct Parts<'a, S, M, K> {
    pub scheme: &'a S,
    pub maps: &'a M,
    pub codec: &'a K,
    /// Where values are put aside.
    pub directory: Option<&'a Path>,
}

/// The same over a scheme that may have linear maps, and ciphertexts in files.
pub(crate) fn run<S: Scheme, M: LinearMaps<S>, K: Codec<S::Ciphertext>>(
    schedule: &Schedule,
    parts: &Parts<'_, S, M, K>,
    inputs: EncryptedInputs<S::Ciphertext>,
    public: &InputValues,
    observer: &dyn Observer,
) -> Result<Execution<S::Ciphertext>, EngineError> {
    let start = Instant::now();
    let (scheme, maps) = (parts.scheme, parts.maps);
    require_scheme(schedule, scheme.encoding())?;
    let public = check_side(schedule, Visibility::Public, public)?;
    let inputs = inputs.assign(schedule, |ciphertext| scheme.level(ciphertext))?;
    let clear = schedule
        .clear
        .evaluate(schedule.records, |port, wire| clear_input(&public, port, wire));
    let mut executor = Executor {
        schedule,
        scheme,
        maps,
        clear,
        shared_terms: HashMap::new(),
        watch: Watch::new(schedule, observer),
        meter: Meter::default(),
        values: Values::new(schedule.steps.len(), inputs, parts.codec, parts.directory),
        factors: HashMap::new(),
        rotations: HashMap::new(),
    };
    let hints = residency(schedule);
    executor.hint(&hints.before);
    let mut most = executor.values.count();
    for (wave, hints) in schedule.waves.iter().zip(&hints.after) {
        executor.put_aside(&wave.aside)?;
        executor.bring(&wave.brought)?;
        executor.wave(wave)?;
        executor.finish()?;
        most = most.max(executor.values.count());
        executor.free(wave);
        executor.hint(hints);
    }
    let outputs = executor.outputs()?;
    executor.finish()?;
    Ok(Execution {
        outputs,
        statistics: Statistics {
            tallies: executor.meter.tallies(),
            elapsed: start.elapsed(),
            most_ciphertexts: most,
        },
    })
}

/// Refuses a schedule that was made for another parameter set.
pub(crate) fn require_scheme(schedule: &Schedule, encoding: &impl Encoding) -> Result<(), EngineError> {
    if schedule.scheme == encoding.name() && schedule.records == encoding.records() {
        return Ok(());
    }
    Err(EngineError::OtherParameters {
        plan: schedule.scheme.clone(),
        context: encoding.name().to_string(),
    })
}

struct Executor<'a, S: Scheme, M: LinearMaps<S>, K> {
    schedule: &'a Schedule,
    scheme: &'a S,
    maps: &'a M,
    clear: ClearValues,
    /// Those of the present wave.
    shared_terms: ClearTerms<S::Ciphertext>,
    watch: Watch<'a>,
    meter: Meter,
    values: Values<'a, S::Ciphertext, K>,
    factors: HashMap<(ValueId, Side), S::PreparedOperand>,
    rotations: HashMap<ValueId, M::Rotations>,
}

impl<S: Scheme, M: LinearMaps<S>, K: Codec<S::Ciphertext>> Executor<'_, S, M, K> {
    /// Writes values into the file and drops them.
    fn put_aside(&mut self, values: &[ValueId]) -> Result<(), EngineError> {
        if values.is_empty() {
            return Ok(());
        }
        let places = for_each(values.len(), |i| {
            self.watch.check()?;
            let stored = self
                .meter
                .time(OperationKind::Aside, 1, || self.values.store(values[i]));
            stored.map_err(|source| self.failure(values[i], source))
        })?;
        self.values.drop_stored(values.iter().copied().zip(places));
        Ok(())
    }

    /// Brings values that are not in their places; inputs at the level that the schedule has for them.
    fn bring(&mut self, values: &[ValueId]) -> Result<(), EngineError> {
        let brought = for_each(values.len(), |i| {
            self.watch.check()?;
            let ciphertext = self.fetch(values[i]);
            ciphertext.map_err(|source| self.failure(values[i], source))
        })?;
        for (value, ciphertext) in values.iter().zip(brought) {
            self.values.set(*value, ciphertext);
        }
        Ok(())
    }

    fn fetch(&self, value: ValueId) -> Result<Arc<S::Ciphertext>, Failure> {
        let level = self.schedule.steps[value.0].level;
        let ciphertext = self
            .meter
            .time(OperationKind::Bring, 1, || self.values.fetch(value))?;
        if self.scheme.is_ready(&ciphertext, level) {
            return Ok(ciphertext);
        }
        let switch = || self.scheme.switch(&ciphertext, level);
        Ok(Arc::new(self.meter.time(OperationKind::Switch, 1, switch)?))
    }

    fn wave(&mut self, wave: &Wave) -> Result<(), EngineError> {
        let factors = for_each(wave.factors.len(), |i| {
            let (value, side) = wave.factors[i];
            self.watch.check()?;
            let made = self.meter.time(OperationKind::Prepare, 1, || {
                Ok::<_, Failure>(self.scheme.factor(self.value(value)?, side)?)
            });
            made.map_err(|source| self.failure(value, source))
        })?;
        self.factors.extend(wave.factors.iter().copied().zip(factors));
        let rotations = for_each(wave.rotations.len(), |i| {
            let (value, exponents) = &wave.rotations[i];
            self.watch.check()?;
            let rotated = self.meter.time(OperationKind::Rotate, 1, || {
                self.maps.rotate(self.value(*value)?, exponents)
            });
            rotated.map_err(|source| self.failure(*value, source))
        })?;
        let rotated = wave.rotations.iter().map(|(value, _)| *value);
        self.rotations.extend(rotated.zip(rotations));
        self.shared_terms = self.shared_terms(wave)?;
        let tasks = tasks(self.schedule, wave, self.scheme.together());
        let made = for_each(tasks.len(), |i| {
            let task = &tasks[i];
            self.watch.check()?;
            let made = self.make(task).map_err(|source| self.failure(task[0], source))?;
            let cost = task.iter().map(|value| self.schedule.steps[value.0].cost).sum();
            self.watch.done(task.len(), cost);
            Ok::<_, EngineError>(made)
        })?;
        for (value, made) in tasks.iter().flatten().zip(made.into_iter().flatten()) {
            self.values.set(*value, Arc::new(made));
        }
        Ok(())
    }

    /// Waits for the device: so that errors and progress are true, and no more than a wave is in its queue.
    fn finish(&self) -> Result<(), EngineError> {
        let finished = self.meter.time(OperationKind::Wait, 1, || self.scheme.finish());
        finished.map_err(EngineError::of_scheme)
    }

    /// Tells the scheme which values will not be used for a while, and which soon.
    fn hint(&self, hints: &Hints) {
        let there = |value: &ValueId| self.values.get(*value);
        hints
            .idle
            .iter()
            .filter_map(there)
            .for_each(|a| self.scheme.hint_idle(a));
        let expected = hints.prefetch.iter().filter_map(there);
        expected.for_each(|a| self.scheme.prefetch(a));
    }

    fn free(&mut self, wave: &Wave) {
        self.shared_terms.clear();
        for factor in &wave.spent_factors {
            self.factors.remove(factor);
        }
        for value in &wave.spent_rotations {
            self.rotations.remove(value);
        }
        for value in &wave.spent {
            self.values.take(*value);
        }
    }

    fn value(&self, value: ValueId) -> Result<&S::Ciphertext, Failure> {
        let found = self.values.get(value);
        found.ok_or_else(|| missing(value).into())
    }

    fn values(&self, terms: &[ValueId]) -> Result<Vec<&S::Ciphertext>, Failure> {
        terms.iter().map(|term| self.value(*term)).collect()
    }

    fn failure(&self, value: ValueId, source: Failure) -> EngineError {
        let step = &self.schedule.steps[value.0];
        EngineError::Step {
            step: value.0,
            operation: step.operation.name(),
            level: step.level,
            source,
        }
    }
}

/// The error of a step that does not find its operand.
fn missing(value: ValueId) -> EngineError {
    EngineError::BrokenPlan(format!("value {} is not there", value.0))
}
