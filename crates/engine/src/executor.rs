use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Domain, FvError, Lifted, RelinearizationKey};

use crate::clear::ClearValues;
use crate::cost::Costs;
use crate::inputs::check_public;
use crate::program::encrypted;
use crate::statistics::Meter;
use crate::workers::for_each;
use crate::{
    ClearId, EncryptedInputs, EngineError, Kind, Observer, Operation, OutputSource, Plan, Progress,
    PublicInputs, Statistics, ValueId, Wave,
};

/// One bit of an output port, for all records of a batch.
pub enum OutputBit<D: Device> {
    /// Encrypted.
    Encrypted(Ciphertext<D>),
    /// It depends on public inputs only: one bit for each slot.
    Clear(Vec<bool>),
}

/// The results of an execution.
pub struct Execution<D: Device> {
    /// The bits of each output port, in the circuit's order.
    pub outputs: Vec<Vec<OutputBit<D>>>,
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
    key: &RelinearizationKey<D>,
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
    let clear = plan
        .clear
        .evaluate(plan.slots().div_ceil(64), |port, bit| &public[port][bit]);
    let mut executor = Executor {
        plan,
        context,
        key,
        clear,
        costs: Costs::new(&plan.parameters)?,
        watch: Watch::new(plan, observer),
        meter: Meter::default(),
        values: plan.steps.iter().map(|_| None).collect(),
        lifted: HashMap::new(),
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
    key: &'a RelinearizationKey<D>,
    clear: ClearValues,
    costs: Costs,
    watch: Watch<'a>,
    meter: Meter,
    values: Vec<Option<Arc<Ciphertext<D>>>>,
    lifted: HashMap<ValueId, Lifted<D>>,
}

impl<D: Device> Executor<'_, D> {
    /// Puts inputs in their places, at the level that the plan has for them.
    fn load(&mut self, inputs: Vec<(ValueId, Arc<Ciphertext<D>>)>) -> Result<(), EngineError> {
        let placed = for_each(inputs.len(), |i| {
            let (value, ciphertext) = &inputs[i];
            let level = self.plan.steps[value.0].level;
            if ciphertext.level() == level {
                return Ok::<_, EngineError>(Arc::clone(ciphertext));
            }
            let switched = self
                .meter
                .time(Kind::Switch, || self.context.switch_modulus(ciphertext, level));
            Ok(Arc::new(switched.map_err(|source| self.failure(*value, source))?))
        })?;
        for ((value, _), ciphertext) in inputs.iter().zip(placed) {
            self.values[value.0] = Some(ciphertext);
        }
        Ok(())
    }

    fn wave(&mut self, wave: &Wave) -> Result<(), EngineError> {
        let lifted = for_each(wave.lifts.len(), |i| {
            let value = wave.lifts[i];
            self.watch.check()?;
            let lifted = self
                .meter
                .time(Kind::Lift, || self.context.lift(self.value(value)?));
            let lifted = lifted.map_err(|source| self.failure(value, source))?;
            self.watch
                .done(0, self.costs.lift(self.plan.steps[value.0].level));
            Ok::<_, EngineError>(lifted)
        })?;
        self.lifted.extend(wave.lifts.iter().copied().zip(lifted));
        let made = for_each(wave.steps.len(), |i| {
            let value = wave.steps[i];
            self.watch.check()?;
            let made = self.step(value).map_err(|source| self.failure(value, source))?;
            self.watch.done(1, self.plan.steps[value.0].cost);
            Ok::<_, EngineError>(made)
        })?;
        for (value, made) in wave.steps.iter().zip(made) {
            self.values[value.0] = Some(Arc::new(made));
        }
        Ok(())
    }

    fn free(&mut self, wave: &Wave) {
        for value in &wave.spent_lifts {
            self.lifted.remove(value);
        }
        for value in &wave.spent {
            self.values[value.0] = None;
        }
    }

    fn step(&self, value: ValueId) -> Result<Ciphertext<D>, FvError> {
        let (context, meter) = (self.context, &self.meter);
        let step = &self.plan.steps[value.0];
        match &step.operation {
            // Inputs are in no wave.
            Operation::Input { .. } => Err(FvError::NoOperands),
            Operation::Product { left, right } => {
                let product = meter.time(Kind::Multiply, || {
                    context.multiply(self.lift(*left)?, self.lift(*right)?)
                })?;
                meter.time(Kind::Relinearize, || {
                    context.relinearize(&product, &[], self.key, step.level, Domain::Coefficient)
                })
            }
            Operation::PlainProduct { operand, factor } => meter.time(Kind::Plain, || {
                context.multiply_plain(self.value(*operand)?, &self.encode(*factor)?)
            }),
            Operation::Linear { terms, clear } => self.sum(terms, *clear),
            Operation::Switch { operand } => meter.time(Kind::Switch, || {
                context.switch_modulus(self.value(*operand)?, step.level)
            }),
        }
    }

    fn sum(&self, terms: &[ValueId], clear: Option<ClearId>) -> Result<Ciphertext<D>, FvError> {
        let (context, meter) = (self.context, &self.meter);
        let values: Vec<&Ciphertext<D>> = terms
            .iter()
            .map(|term| self.value(*term))
            .collect::<Result<_, _>>()?;
        let constant = clear.map(|clear| self.plan.clear.value(clear));
        match (clear, constant) {
            (Some(clear), Some(None)) => {
                let plaintext = meter.time(Kind::Plain, || self.encode(clear))?;
                if let [only] = values.as_slice() {
                    return meter.time(Kind::Plain, || context.add_plain(only, &plaintext));
                }
                let sum = meter.time(Kind::Sum, || context.sum(&values))?;
                meter.time(Kind::Plain, || context.add_plain(&sum, &plaintext))
            }
            (_, complement) => {
                let complement = complement == Some(Some(true));
                meter.time(Kind::Sum, || context.sum_with(&values, complement))
            }
        }
    }

    fn encode(&self, clear: ClearId) -> Result<ringmill_fv::Plaintext, FvError> {
        self.context.encode(&self.clear.bits(clear, self.plan.slots()))
    }

    /// The results; values that are several outputs are copied.
    fn outputs(&mut self) -> Result<Vec<Vec<OutputBit<D>>>, EngineError> {
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
                    OutputSource::Clear(clear) => OutputBit::Clear(self.clear.bits(*clear, plan.slots())),
                    OutputSource::Encrypted(value) => {
                        let left = uses.entry(*value).or_default();
                        *left = left.saturating_sub(1);
                        let last = *left == 0;
                        OutputBit::Encrypted(self.output(*value, last)?)
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

    fn lift(&self, value: ValueId) -> Result<&Lifted<D>, FvError> {
        self.lifted.get(&value).ok_or(FvError::NoOperands)
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
            weight_total: plan.prediction.cost,
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
