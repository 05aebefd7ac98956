use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ringmill_circuit::MapId;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Combination, Context, Factor, FvError, Lifted, Raised};
use ringmill_ring::Domain;

use crate::clear::ClearValues;
use crate::encoding::encode;
use crate::inputs::{check_public, clear_input};
use crate::program::encrypted;
use crate::statistics::Meter;
use crate::workers::for_each;
use crate::{
    ClearId, ClearValue, EncryptedInputs, EngineError, EvaluationKeys, Form, Kind, Observer, Operation,
    OutputSource, Plan, Progress, PublicInputs, Statistics, ValueId, Wave,
};

/// One wire of an output port, for all records of a batch.
pub enum OutputValue<D: Device> {
    /// Encrypted.
    Encrypted(Ciphertext<D>),
    /// It depends on public inputs only.
    Clear(ClearValue),
}

/// A value made ready to be a factor of products.
enum Prepared<D: Device> {
    /// For the high form.
    Lifted(Lifted<D>),
    /// For the low form: in evaluation domain.
    Evaluated(Ciphertext<D>),
}

/// The results of an execution.
pub struct Execution<D: Device> {
    /// The wires of each output port, in the circuit's order.
    pub outputs: Vec<Vec<OutputValue<D>>>,
    /// What was done.
    pub statistics: Statistics,
}

/// Carries out a plan on one batch, in the current rayon pool, on a device, without any secret.
///
/// # Errors
/// [`EngineError::OtherParameters`]; [`EngineError::MissingInput`] and the like for inputs that do not
/// fit; [`EngineError::Cancelled`]; [`EngineError::Step`] if the scheme or the device fails.
pub fn execute<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    keys: &EvaluationKeys<D>,
    inputs: EncryptedInputs<D>,
    public: &PublicInputs,
    observer: &dyn Observer,
) -> Result<Execution<D>, EngineError> {
    let start = Instant::now();
    if plan.parameters != *context.parameters() {
        return Err(EngineError::OtherParameters {
            plan: plan.parameters.name().to_string(),
            context: context.parameters().name().to_string(),
        });
    }
    let public = check_public(plan, public)?;
    let inputs = inputs.assign(plan)?;
    keys.check(plan)?;
    let clear = plan
        .clear
        .evaluate(plan.records(), |port, wire| clear_input(&public, port, wire));
    let lifts: Vec<&[i64]> = plan.maps.factors().collect();
    let constants = for_each(lifts.len(), |i| context.factor(lifts[i]))?;
    let mut executor = Executor {
        plan,
        context,
        keys,
        clear,
        constants,
        watch: Watch::new(plan, observer),
        meter: Meter::default(),
        values: plan.steps.iter().map(|_| None).collect(),
        factors: HashMap::new(),
        rotations: HashMap::new(),
    };
    executor.load(inputs)?;
    let mut most = executor.alive();
    for wave in &plan.waves {
        executor.wave(wave)?;
        most = most.max(executor.alive());
        executor.free(wave);
    }
    let outputs = executor.outputs()?;
    Ok(Execution {
        outputs,
        statistics: Statistics {
            tallies: executor.meter.tallies(),
            elapsed: start.elapsed(),
            most_ciphertexts: most,
        },
    })
}

struct Executor<'a, D: Device> {
    plan: &'a Plan,
    context: &'a Context<D>,
    keys: &'a EvaluationKeys<D>,
    clear: ClearValues,
    constants: Vec<Factor<D>>,
    watch: Watch<'a>,
    meter: Meter,
    values: Vec<Option<Arc<Ciphertext<D>>>>,
    factors: HashMap<ValueId, Prepared<D>>,
    /// The rotations of a value by their exponents.
    rotations: HashMap<ValueId, HashMap<u64, Raised<D>>>,
}

impl<D: Device> Executor<'_, D> {
    /// Puts inputs in their places, at the level that the plan has for them.
    fn load(&mut self, inputs: Vec<(ValueId, Arc<Ciphertext<D>>)>) -> Result<(), EngineError> {
        let placed = for_each(inputs.len(), |i| {
            let (value, ciphertext) = &inputs[i];
            let level = self.plan.steps[value.0].level;
            if ciphertext.level() == level && self.rests(ciphertext) {
                return Ok::<_, EngineError>(Arc::clone(ciphertext));
            }
            let switched = self.meter.time(Kind::Switch, || {
                let switched = self.context.switch_modulus(ciphertext, level)?;
                self.context.transform(switched, Domain::Coefficient)
            });
            Ok(Arc::new(switched.map_err(|source| self.failure(*value, source))?))
        })?;
        for ((value, _), ciphertext) in inputs.iter().zip(placed) {
            self.values[value.0] = Some(ciphertext);
        }
        Ok(())
    }

    /// Whether a ciphertext is in the domain in which values rest: modulus switching and sums cost
    /// least in coefficient domain.
    fn rests(&self, ciphertext: &Ciphertext<D>) -> bool {
        ciphertext.domain(self.context.device()) == Domain::Coefficient
    }

    fn wave(&mut self, wave: &Wave) -> Result<(), EngineError> {
        let factors = for_each(wave.factors.len(), |i| {
            let value = wave.factors[i];
            self.watch.check()?;
            let prepared = self.meter.time(Kind::Prepare, || self.prepare(value));
            prepared.map_err(|source| self.failure(value, source))
        })?;
        self.factors.extend(wave.factors.iter().copied().zip(factors));
        let rotations = for_each(wave.rotations.len(), |i| {
            let (value, exponents) = &wave.rotations[i];
            self.watch.check()?;
            let rotated = self.meter.time(Kind::Rotate, || self.rotate(*value, exponents));
            rotated.map_err(|source| self.failure(*value, source))
        })?;
        let rotated = wave.rotations.iter().map(|(value, _)| *value);
        self.rotations.extend(rotated.zip(rotations));
        let tasks = self.tasks(wave);
        let made = for_each(tasks.len(), |i| {
            let task = &tasks[i];
            self.watch.check()?;
            let made = match task.as_slice() {
                [value] => self.step(*value).map(|made| vec![made]),
                values => self.map_all(values),
            };
            let made = made.map_err(|source| self.failure(task[0], source))?;
            let cost = task.iter().map(|value| self.plan.steps[value.0].cost).sum();
            self.watch.done(task.len(), cost);
            Ok::<_, EngineError>(made)
        })?;
        for (value, made) in tasks.iter().flatten().zip(made.into_iter().flatten()) {
            self.values[value.0] = Some(Arc::new(made));
        }
        Ok(())
    }

    /// The steps of a wave, linear maps of the same operands together: they read the same rotations.
    fn tasks(&self, wave: &Wave) -> Vec<Vec<ValueId>> {
        let mut tasks: Vec<Vec<ValueId>> = Vec::new();
        let mut by_operands: HashMap<Vec<ValueId>, usize> = HashMap::new();
        for value in &wave.steps {
            let Operation::Map { images, .. } = &self.plan.steps[value.0].operation else {
                tasks.push(vec![*value]);
                continue;
            };
            let mut operands: Vec<ValueId> = images.iter().map(|(operand, _)| *operand).collect();
            operands.sort_unstable();
            let task = *by_operands.entry(operands).or_insert_with(|| {
                tasks.push(Vec::new());
                tasks.len() - 1
            });
            tasks[task].push(*value);
        }
        tasks
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

    fn prepare(&self, value: ValueId) -> Result<Prepared<D>, FvError> {
        let ciphertext = self.value(value)?;
        match self.plan.form() {
            Form::High => Ok(Prepared::Lifted(self.context.lift(ciphertext)?)),
            Form::Low => Ok(Prepared::Evaluated(self.context.evaluated(ciphertext)?)),
        }
    }

    fn rotate(&self, value: ValueId, exponents: &[u64]) -> Result<HashMap<u64, Raised<D>>, FvError> {
        let ciphertext = self.value(value)?;
        let decomposed = self.context.decompose(ciphertext)?;
        let rotate = |exponent: &u64| {
            let raised = match exponent {
                1 => self.context.raise(ciphertext)?,
                _ => {
                    let key = self.keys.rotation(*exponent).ok_or(FvError::NoOperands)?;
                    self.context.rotate(&decomposed, key)?
                }
            };
            Ok((*exponent, raised))
        };
        exponents.iter().map(rotate).collect()
    }

    fn step(&self, value: ValueId) -> Result<Ciphertext<D>, FvError> {
        let (context, meter) = (self.context, &self.meter);
        let step = &self.plan.steps[value.0];
        match &step.operation {
            // Inputs are in no wave.
            Operation::Input { .. } => Err(FvError::NoOperands),
            Operation::Product { pairs, terms, clear } => {
                let product = meter.time(Kind::Multiply, || self.multiply(pairs))?;
                let terms = self.values(terms)?;
                let sum = meter.time(Kind::Relinearize, || {
                    let key = self.keys.relinearization();
                    context.relinearize(&product, &terms, key, step.level, Domain::Coefficient)
                })?;
                self.add_clear(sum, *clear)
            }
            Operation::PlainProduct { operand, factor } => meter.time(Kind::Plain, || {
                context.multiply_plain(self.value(*operand)?, &self.encode(*factor)?)
            }),
            Operation::Map { .. } => {
                let made = self.map_all(&[value])?;
                made.into_iter().next().ok_or(FvError::NoOperands)
            }
            Operation::Linear { terms, clear } => self.sum(terms, *clear),
            Operation::Switch { operand } => meter.time(Kind::Switch, || {
                context.switch_modulus(self.value(*operand)?, step.level)
            }),
        }
    }

    fn multiply(&self, pairs: &[(ValueId, ValueId)]) -> Result<Ciphertext<D>, FvError> {
        let (mut lifted, mut evaluated) = (Vec::new(), Vec::new());
        for (a, b) in pairs {
            match (self.factors.get(a), self.factors.get(b)) {
                (Some(Prepared::Lifted(a)), Some(Prepared::Lifted(b))) => lifted.push((a, b)),
                (Some(Prepared::Evaluated(a)), Some(Prepared::Evaluated(b))) => evaluated.push((a, b)),
                _ => return Err(FvError::NoOperands),
            }
        }
        match self.plan.form() {
            Form::High => self.context.multiply_sum(&lifted),
            Form::Low => self.context.multiply_low(&evaluated),
        }
    }

    /// Several linear maps.
    fn map_all(&self, values: &[ValueId]) -> Result<Vec<Ciphertext<D>>, FvError> {
        let (mut combinations, mut clears) = (Vec::new(), Vec::new());
        for value in values {
            let step = &self.plan.steps[value.0];
            if let Operation::Map { images, terms, clear } = &step.operation {
                combinations.push(self.combination(images, terms, step.level)?);
                clears.push(*clear);
            }
        }
        let sums = self.meter.time(Kind::Map, || {
            self.context.combine_all(&combinations, Domain::Coefficient)
        })?;
        let sums = sums.into_iter().zip(clears);
        sums.map(|(sum, clear)| self.add_clear(sum, clear)).collect()
    }

    /// The rotations that a map is a sum of, with their constants.
    fn combination(
        &self,
        images: &[(ValueId, MapId)],
        terms: &[ValueId],
        level: usize,
    ) -> Result<Combination<'_, D>, FvError> {
        let mut rotated = Vec::new();
        for (operand, map) in images {
            let rotations = self.rotations.get(operand).ok_or(FvError::NoOperands)?;
            for term in self.plan.maps.terms(map.index()) {
                let raised = rotations.get(&term.exponent).ok_or(FvError::NoOperands)?;
                rotated.push((raised, term.factor.map(|factor| &self.constants[factor])));
            }
        }
        Ok(Combination {
            terms: rotated,
            addends: self.values(terms)?,
            level,
        })
    }

    /// Adds a value in the clear, if there is one.
    fn add_clear(&self, sum: Ciphertext<D>, clear: Option<ClearId>) -> Result<Ciphertext<D>, FvError> {
        let Some(clear) = clear else {
            return Ok(sum);
        };
        let context = self.context;
        self.meter
            .time(Kind::Plain, || match self.plan.clear.constant(clear) {
                Some(complement) => context.sum_with(&[&sum], complement),
                None => context.add_plain(&sum, &self.encode(clear)?),
            })
    }

    fn sum(&self, terms: &[ValueId], clear: Option<ClearId>) -> Result<Ciphertext<D>, FvError> {
        let values = self.values(terms)?;
        let constant = clear.map(|clear| self.plan.clear.constant(clear));
        match (clear, constant) {
            (Some(clear), Some(None)) => {
                if let [only] = values.as_slice() {
                    return self
                        .meter
                        .time(Kind::Plain, || self.context.add_plain(only, &self.encode(clear)?));
                }
                let sum = self.meter.time(Kind::Sum, || self.context.sum(&values))?;
                self.add_clear(sum, Some(clear))
            }
            (_, complement) => {
                let complement = complement == Some(Some(true));
                self.meter
                    .time(Kind::Sum, || self.context.sum_with(&values, complement))
            }
        }
    }

    fn encode(&self, clear: ClearId) -> Result<ringmill_fv::Plaintext, FvError> {
        encode(self.plan, self.context, self.clear.get(clear))
    }

    /// The results; values that are several outputs are copied.
    fn outputs(&mut self) -> Result<Vec<Vec<OutputValue<D>>>, EngineError> {
        let mut uses: HashMap<ValueId, usize> = HashMap::new();
        let plan = self.plan;
        let sources = || plan.outputs.iter().map(|port| &port.sources);
        for value in sources().flat_map(|sources| encrypted(std::slice::from_ref(sources))) {
            *uses.entry(value).or_default() += 1;
        }
        let mut ports = Vec::new();
        for sources in sources() {
            let mut bits = Vec::with_capacity(sources.len());
            for source in sources {
                bits.push(match source {
                    OutputSource::Clear(clear) => OutputValue::Clear(self.clear.get(*clear).clone()),
                    OutputSource::Encrypted(value) => {
                        let left = uses.entry(*value).or_default();
                        *left = left.saturating_sub(1);
                        let last = *left == 0;
                        OutputValue::Encrypted(self.output(*value, last)?)
                    }
                });
            }
            ports.push(bits);
        }
        Ok(ports)
    }

    fn output(&mut self, value: ValueId, last: bool) -> Result<Ciphertext<D>, EngineError> {
        let shared = if last {
            self.values[value.0].take()
        } else {
            self.values[value.0].clone()
        };
        let shared = shared.ok_or_else(|| missing(value))?;
        match Arc::try_unwrap(shared) {
            Ok(own) => Ok(own),
            Err(shared) => Ok(self.context.sum(&[&shared])?),
        }
    }

    fn value(&self, value: ValueId) -> Result<&Ciphertext<D>, FvError> {
        self.values[value.0].as_deref().ok_or(FvError::NoOperands)
    }

    fn values(&self, terms: &[ValueId]) -> Result<Vec<&Ciphertext<D>>, FvError> {
        terms.iter().map(|term| self.value(*term)).collect()
    }

    fn alive(&self) -> usize {
        self.values.iter().flatten().count()
    }

    fn failure(&self, value: ValueId, source: FvError) -> EngineError {
        let step = &self.plan.steps[value.0];
        EngineError::Step {
            step: value.0,
            operation: step.operation.name(),
            level: step.level,
            source,
        }
    }
}

fn missing(value: ValueId) -> EngineError {
    EngineError::BrokenPlan(format!("value {} is not there", value.0))
}

/// Progress, and whether to go on.
struct Watch<'a> {
    observer: &'a dyn Observer,
    done: AtomicUsize,
    weight: Mutex<f64>,
    total: usize,
    weight_total: f64,
}

impl<'a> Watch<'a> {
    fn new(plan: &Plan, observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            done: AtomicUsize::new(0),
            weight: Mutex::new(0.0),
            total: plan.waves.iter().map(|wave| wave.steps.len()).sum(),
            weight_total: plan.steps.iter().map(|step| step.cost).sum(),
        }
    }

    fn check(&self) -> Result<(), EngineError> {
        if self.observer.cancelled() {
            return Err(EngineError::Cancelled {
                done: self.done.load(Ordering::Relaxed),
                total: self.total,
            });
        }
        Ok(())
    }

    fn done(&self, steps: usize, weight: f64) {
        let mut weight_done = self.weight.lock().unwrap_or_else(PoisonError::into_inner);
        *weight_done += weight;
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let progress = Progress {
            done,
            total: self.total,
            weight_done: *weight_done,
            weight_total: self.weight_total,
        };
        // Told while the lock is held, so that progress never seems to go back.
        self.observer.progress(progress);
    }
}
