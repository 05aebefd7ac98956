use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::clear::ClearValues;
use crate::error::Failure;
use crate::inputs::{Assigned, check_public, clear_input};
use crate::linear_maps::{LinearMaps, NoMaps};
use crate::statistics::Meter;
use crate::workers::for_each;
use crate::{
    ClearValue, Encoding, EncryptedInputs, EngineError, Kind, Observer, PublicInputs, Schedule, Scheme,
    Statistics, ValueId, Wave,
};
use residency::{Hints, residency};
use tasks::tasks;
use watch::Watch;

mod operations;
mod residency;
mod results;
mod tasks;
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
    /// What was done.
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
    public: &PublicInputs,
    observer: &dyn Observer,
) -> Result<Execution<S::Ciphertext>, EngineError> {
    run(schedule, (scheme, &NoMaps), inputs, public, observer)
}

/// The same over a scheme with linear maps.
pub(crate) fn run<S: Scheme, M: LinearMaps<S>>(
    schedule: &Schedule,
    (scheme, maps): (&S, &M),
    inputs: EncryptedInputs<S::Ciphertext>,
    public: &PublicInputs,
    observer: &dyn Observer,
) -> Result<Execution<S::Ciphertext>, EngineError> {
    let start = Instant::now();
    require_scheme(schedule, scheme.encoding())?;
    let public = check_public(schedule, public)?;
    let inputs = inputs.assign(schedule, |ciphertext| scheme.level(ciphertext))?;
    let clear = schedule
        .clear
        .evaluate(schedule.records, |port, wire| clear_input(&public, port, wire));
    let mut executor = Executor {
        schedule,
        scheme,
        maps,
        clear,
        watch: Watch::new(schedule, observer),
        meter: Meter::default(),
        values: schedule.steps.iter().map(|_| None).collect(),
        factors: HashMap::new(),
        rotations: HashMap::new(),
    };
    executor.load(&inputs)?;
    drop(inputs);
    let hints = residency(schedule);
    executor.hint(&hints.before);
    let mut most = executor.alive();
    for (wave, hints) in schedule.waves.iter().zip(&hints.after) {
        executor.wave(wave)?;
        executor.finish()?;
        most = most.max(executor.alive());
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
    match schedule.scheme == encoding.name() && schedule.records == encoding.records() {
        true => Ok(()),
        false => Err(EngineError::OtherParameters {
            plan: schedule.scheme.clone(),
            context: encoding.name().to_string(),
        }),
    }
}

struct Executor<'a, S: Scheme, M: LinearMaps<S>> {
    schedule: &'a Schedule,
    scheme: &'a S,
    maps: &'a M,
    clear: ClearValues,
    watch: Watch<'a>,
    meter: Meter,
    values: Vec<Option<Arc<S::Ciphertext>>>,
    factors: HashMap<ValueId, S::Factor>,
    rotations: HashMap<ValueId, M::Rotations>,
}

impl<S: Scheme, M: LinearMaps<S>> Executor<'_, S, M> {
    /// Puts inputs in their places, at the level that the schedule has for them.
    fn load(&mut self, inputs: &Assigned<S::Ciphertext>) -> Result<(), EngineError> {
        let placed = for_each(inputs.len(), |i| {
            let (value, ciphertext) = &inputs[i];
            let level = self.schedule.steps[value.0].level;
            if self.scheme.is_ready(ciphertext, level) {
                return Ok::<_, EngineError>(Arc::clone(ciphertext));
            }
            let switch = || self.scheme.switch(ciphertext, level);
            let switched = self.meter.time(Kind::Switch, 1, switch);
            Ok(Arc::new(
                switched.map_err(|source| self.failure(*value, source.into()))?,
            ))
        })?;
        for ((value, _), ciphertext) in inputs.iter().zip(placed) {
            self.values[value.0] = Some(ciphertext);
        }
        Ok(())
    }

    fn wave(&mut self, wave: &Wave) -> Result<(), EngineError> {
        let factors = for_each(wave.factors.len(), |i| {
            let value = wave.factors[i];
            self.watch.check()?;
            let made = self.meter.time(Kind::Prepare, 1, || {
                Ok::<_, Failure>(self.scheme.factor(self.value(value)?)?)
            });
            made.map_err(|source| self.failure(value, source))
        })?;
        self.factors.extend(wave.factors.iter().copied().zip(factors));
        let rotations = for_each(wave.rotations.len(), |i| {
            let (value, exponents) = &wave.rotations[i];
            self.watch.check()?;
            let rotated = self.meter.time(Kind::Rotate, 1, || {
                self.maps.rotate(self.value(*value)?, exponents)
            });
            rotated.map_err(|source| self.failure(*value, source))
        })?;
        let rotated = wave.rotations.iter().map(|(value, _)| *value);
        self.rotations.extend(rotated.zip(rotations));
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
            self.values[value.0] = Some(Arc::new(made));
        }
        Ok(())
    }

    /// Waits for the device: so that errors and progress are true, and no more than a wave is in its queue.
    fn finish(&self) -> Result<(), EngineError> {
        let finished = self.meter.time(Kind::Wait, 1, || self.scheme.finish());
        finished.map_err(EngineError::of_scheme)
    }

    /// Tells the scheme which values will not be used for a while, and which soon.
    fn hint(&self, hints: &Hints) {
        let there = |value: &ValueId| self.values[value.0].as_deref();
        hints
            .rest
            .iter()
            .filter_map(there)
            .for_each(|a| self.scheme.rest(a));
        let expected = hints.expect.iter().filter_map(there);
        expected.for_each(|a| self.scheme.expect(a));
    }

    fn free(&mut self, wave: &Wave) {
        for value in &wave.spent_factors {
            self.factors.remove(value);
        }
        for value in &wave.spent_rotations {
            self.rotations.remove(value);
        }
        for value in &wave.spent {
            self.values[value.0] = None;
        }
    }

    fn value(&self, value: ValueId) -> Result<&S::Ciphertext, Failure> {
        let found = self.values[value.0].as_deref();
        found.ok_or_else(|| missing(value).into())
    }

    fn values(&self, terms: &[ValueId]) -> Result<Vec<&S::Ciphertext>, Failure> {
        terms.iter().map(|term| self.value(*term)).collect()
    }

    fn alive(&self) -> usize {
        self.values.iter().flatten().count()
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

/// What a step needs and does not find.
fn missing(value: ValueId) -> EngineError {
    EngineError::BrokenPlan(format!("value {} is not there", value.0))
}
