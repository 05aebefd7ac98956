use ringmill_circuit::{Circuit, Visibility};
use ringmill_fv::{KeySwitching, Parameters, ParametersSpec, SecurityLevel, presets};

use crate::cost::Costs;
use crate::error::{PlanError, Rejection, Shortfall};
use crate::levels::{Levels, unswitched};
use crate::lower::lower;
use crate::memory;
use crate::order::{Urgency, order};
use crate::plan::{InputPlan, OutputPlan, Plan, Prediction, slots};
use crate::predict::{InputKey, Predictor};
use crate::program::{Program, ValueId};
use crate::steps::Steps;

/// What each switch may add to the noise, in bits of deviation: the first that leaves the outputs
/// decryptable is taken. The more, the earlier limbs are dropped.
const TOLERANCES: [f64; 10] = [4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.005, 0.0];

/// Limbs beyond the fewest possible that are tried: with more of them values may be switched down more
/// carelessly, which can be cheaper.
const SPARE_LIMBS: usize = 2;

/// Bits of the largest limbs that vector kernels can take.
const LARGEST_LIMB: f64 = 50.0;

/// Products in a wave, the first that keeps to the memory limit.
const PRODUCTS_AT_A_TIME: [usize; 5] = [256, 64, 16, 4, 1];

/// Makes plans for circuits.
///
/// ```
/// use ringmill_circuit::simon;
/// use ringmill_engine::Planner;
/// use ringmill_fv::SecurityLevel;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plan = Planner::new(SecurityLevel::Bits128).plan(&simon::decrypt_circuit()?)?;
/// assert_eq!(plan.parameters().n(), 32768);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Planner {
    security: SecurityLevel,
    slots: usize,
    threads: usize,
    memory: Option<u64>,
    log2_failure: f64,
    inputs: InputKey,
}

impl Planner {
    /// A planner for this security level: any number of slots and bytes of memory, the threads of the
    /// current rayon pool, and a probability of 2^-64 that any output bit is wrong.
    #[must_use]
    pub fn new(security: SecurityLevel) -> Self {
        Self {
            security,
            slots: 1,
            threads: rayon::current_num_threads(),
            memory: None,
            log2_failure: -64.0,
            inputs: InputKey::Public,
        }
    }

    /// Wants at least so many slots, that is records in a batch.
    #[must_use]
    pub fn with_slots(mut self, slots: usize) -> Self {
        self.slots = slots;
        self
    }

    /// Plans for so many steps in progress at a time.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Keeps the predicted memory below so many bytes.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Allows any output bit of a batch to be wrong with this probability.
    #[must_use]
    pub fn with_log2_failure(mut self, log2_failure: f64) -> Self {
        self.log2_failure = log2_failure;
        self
    }

    /// Plans for inputs encrypted under this key; [`InputKey::Public`] otherwise. Inputs encrypted under
    /// the public key must not be given to a plan for the secret one.
    #[must_use]
    pub fn with_input_key(mut self, inputs: InputKey) -> Self {
        self.inputs = inputs;
        self
    }

    /// Plans with the smallest preset of the security level that fits, and with as few of its limbs as
    /// the circuit needs.
    ///
    /// # Errors
    /// [`PlanError::NothingFits`] with the reason for each preset; [`PlanError::TooMuchMemory`].
    pub fn plan(&self, circuit: &Circuit) -> Result<Plan, PlanError> {
        let program = lower(circuit);
        let mut rejected = Vec::new();
        for spec in family(self.security)? {
            let parameters = Parameters::new(&spec)?;
            match self.select(circuit, &program, &parameters) {
                Ok(plan) => {
                    let mut plan = self.shrink(circuit, &program, &spec, plan)?;
                    plan.rejected.splice(0..0, rejected);
                    return Ok(plan);
                }
                Err(PlanError::TooMuchMemory { needed, limit }) => {
                    return Err(PlanError::TooMuchMemory { needed, limit });
                }
                Err(error) => rejected.push(Rejection {
                    name: spec.name,
                    reason: error.to_string(),
                }),
            }
        }
        Err(PlanError::NothingFits {
            bits: self.security.bits(),
            rejected,
        })
    }

    /// Plans with exactly these parameters, secure or not.
    ///
    /// # Errors
    /// [`PlanError::DoesNotFit`], [`PlanError::TooFewSlots`], [`PlanError::NotBinary`],
    /// [`PlanError::HasRows`], [`PlanError::TooMuchMemory`].
    pub fn plan_with(&self, circuit: &Circuit, parameters: &Parameters) -> Result<Plan, PlanError> {
        let program = lower(circuit);
        match self.select(circuit, &program, parameters) {
            Err(PlanError::DoesNotFit(mut shortfall)) => {
                shortfall.needed = self.needed(circuit, &program, parameters.n())?;
                Err(PlanError::DoesNotFit(shortfall))
            }
            other => other,
        }
    }

    /// The smallest larger dimension with a preset that fits.
    fn needed(&self, circuit: &Circuit, program: &Program, n: usize) -> Result<Option<usize>, PlanError> {
        for spec in family(self.security)?.into_iter().filter(|spec| spec.n > n) {
            if self.select(circuit, program, &Parameters::new(&spec)?).is_ok() {
                return Ok(Some(spec.n));
            }
        }
        Ok(None)
    }

    /// The cheapest plan with fewer limbs, of the same size or, where too few of these are left, of the
    /// largest.
    fn shrink(
        &self,
        circuit: &Circuit,
        program: &Program,
        spec: &ParametersSpec,
        full: Plan,
    ) -> Result<Plan, PlanError> {
        let mut best = full;
        let mut rejected = Vec::new();
        let mut plans = Vec::new();
        for limbs in (1..spec.limbs.count).rev() {
            let fewer = with_limbs(spec, limbs);
            let mut selected = self.select(circuit, program, &Parameters::new(&fewer)?);
            if selected.is_err()
                && let Some(wide) = self.widened(&fewer)
            {
                selected = self.select(circuit, program, &wide);
            }
            match selected {
                Ok(plan) => plans.push(plan),
                Err(error) => {
                    rejected.push(Rejection {
                        name: fewer.name,
                        reason: error.to_string(),
                    });
                    break;
                }
            }
        }
        for plan in plans.into_iter().rev().take(1 + SPARE_LIMBS) {
            let (worse, reason) = if plan.prediction.cost < best.prediction.cost {
                (
                    std::mem::replace(&mut best, plan),
                    "needs more limbs, and more work",
                )
            } else {
                (
                    plan,
                    "fits, but needs more work as limbs cannot be dropped as early",
                )
            };
            rejected.push(Rejection {
                name: worse.parameters.name().to_string(),
                reason: reason.to_string(),
            });
        }
        best.rejected = rejected;
        Ok(best)
    }

    /// The same number of limbs, as large as they can be, if that is secure.
    fn widened(&self, spec: &ParametersSpec) -> Option<Parameters> {
        let mut wide = spec.clone();
        wide.name = format!("{}-wide", spec.name);
        // A hair less than those of P, whose product must not be less than a digit.
        wide.limbs.bits = LARGEST_LIMB - 0.001;
        if let Some(special) = &mut wide.special {
            special.bits = LARGEST_LIMB;
        }
        let special = wide.special.map_or(0, |special| special.count);
        let total = LARGEST_LIMB * (wide.limbs.count + special) as f64;
        self.security.budget(wide.n).filter(|budget| total <= *budget)?;
        Parameters::new(&wide).ok()
    }

    /// The plan with the most careless switching that fits.
    fn select(
        &self,
        circuit: &Circuit,
        program: &Program,
        parameters: &Parameters,
    ) -> Result<Plan, PlanError> {
        let mut wires = circuit
            .numbered_gates()
            .map(|(wire, _)| wire)
            .zip(circuit.kinds());
        if let Some((wire, _)) = wires.find(|(_, kind)| !kind.is_bit()) {
            return Err(PlanError::HasRows { wire });
        }
        if parameters.t() != 2 {
            return Err(PlanError::NotBinary {
                name: parameters.name().to_string(),
                t: parameters.t(),
            });
        }
        if slots(parameters) < self.slots {
            return Err(PlanError::TooFewSlots {
                name: parameters.name().to_string(),
                slots: slots(parameters),
                wanted: self.slots,
            });
        }
        let ciphertexts = program.encrypted_outputs().count();
        let mut predictor = Predictor::new(parameters, self.inputs, self.log2_failure, ciphertexts);
        let costs = Costs::new(parameters)?;
        let over = over_limit(program, &mut predictor);
        let mut missing = over;
        if over <= 0.0 {
            missing = f64::INFINITY;
            for tolerance in TOLERANCES {
                let levels = Levels::choose(program, &mut predictor, tolerance);
                let steps = Steps::new(program, &levels, &mut predictor, &costs);
                let over = steps.noise.map_or(f64::NEG_INFINITY, |noise| {
                    predictor.bound(noise) - predictor.limit()
                });
                if over <= 0.0 {
                    return self.finish(
                        circuit,
                        program,
                        parameters,
                        steps,
                        (&predictor, &costs),
                        (&levels, tolerance),
                    );
                }
                missing = missing.min(over);
            }
        }
        let depth = program.depth();
        let (fitting, growth) = predictor.fitting_depth(depth);
        if missing > growth {
            // Beyond 1 noise multiplies itself and says nothing of q any more.
            missing = growth * f64::from(depth.saturating_sub(fitting).max(1));
        }
        Err(PlanError::DoesNotFit(Box::new(Shortfall {
            name: parameters.name().to_string(),
            n: parameters.n(),
            log2_q: parameters.log2_q(parameters.levels()),
            missing,
            depth,
            fitting,
            needed: None,
        })))
    }

    /// Orders the steps.
    fn finish(
        &self,
        circuit: &Circuit,
        program: &Program,
        parameters: &Parameters,
        steps: Steps,
        (predictor, costs): (&Predictor, &Costs),
        (levels, tolerance): (&Levels, f64),
    ) -> Result<Plan, PlanError> {
        let mut least = u64::MAX;
        let limit = self.memory.unwrap_or(u64::MAX);
        for most_products in PRODUCTS_AT_A_TIME {
            let orders = [Urgency::Late, Urgency::Soon].map(|urgency| {
                let waves = order(&steps.steps, &steps.outputs, urgency, most_products);
                let memory = memory::predict(&steps.steps, &waves, costs, self.threads);
                (waves, memory)
            });
            let [late, soon] = orders;
            let (waves, memory) = if soon.1.peak < late.1.peak { soon } else { late };
            least = least.min(memory.peak);
            if memory.peak > limit {
                continue;
            }
            let lifts = waves.iter().flat_map(|wave| &wave.lifts);
            let lifts: f64 = lifts.map(|value| costs.lift(steps.steps[value.0].level)).sum();
            let noise = steps
                .noise
                .map_or(f64::NEG_INFINITY, |noise| predictor.bound(noise));
            let prediction = Prediction {
                noise,
                margin: predictor.limit() - noise,
                failure: steps
                    .noise
                    .map_or(f64::NEG_INFINITY, |noise| predictor.failure(noise)),
                tolerance,
                cost: lifts + steps.steps.iter().map(|step| step.cost).sum::<f64>(),
                output_level: levels.output,
                depth: program.depth(),
                memory,
                threads: self.threads,
            };
            return Ok(Plan {
                parameters: parameters.clone(),
                inputs: input_plans(circuit, &steps),
                outputs: output_plans(circuit, &steps),
                clear: program.clear.clone(),
                steps: steps.steps,
                waves,
                prediction,
                rejected: Vec::new(),
            });
        }
        Err(PlanError::TooMuchMemory {
            needed: least.div_ceil(1 << 20),
            limit: limit >> 20,
        })
    }
}

/// Bits by which the noise would be too large even if nothing was switched down.
fn over_limit(program: &Program, predictor: &mut Predictor) -> f64 {
    let noise = unswitched(program, predictor);
    let worst = predictor.worst(program.encrypted_outputs().map(|value| noise[value.0]));
    worst.map_or(f64::NEG_INFINITY, |worst| {
        predictor.bound(worst) - predictor.limit()
    })
}

fn input_plans(circuit: &Circuit, steps: &Steps) -> Vec<InputPlan> {
    let level = |value: &Option<ValueId>| value.map_or(1, |value| steps.steps[value.0].level);
    let ports = circuit.inputs().iter().zip(&steps.inputs);
    let plans = ports.map(|(port, values)| InputPlan {
        name: port.name.clone(),
        visibility: port.visibility,
        width: port.wires.len(),
        values: values.clone(),
        levels: match port.visibility {
            Visibility::Private => values.iter().map(level).collect(),
            Visibility::Public => Vec::new(),
        },
    });
    plans.collect()
}

fn output_plans(circuit: &Circuit, steps: &Steps) -> Vec<OutputPlan> {
    let ports = circuit.outputs().iter().zip(&steps.outputs);
    let plans = ports.map(|(port, sources)| OutputPlan {
        name: port.name.clone(),
        sources: sources.clone(),
    });
    plans.collect()
}

/// The binary presets of a security level, the smallest ring first.
fn family(security: SecurityLevel) -> Result<Vec<ParametersSpec>, PlanError> {
    let prefix = format!("fv{}-", security.bits());
    let names = presets::names()
        .into_iter()
        .filter(|name| name.starts_with(&prefix));
    let specs: Result<Vec<_>, _> = names.map(|name| presets::spec(&name)).collect();
    let mut specs = specs?;
    specs.retain(|spec| spec.t == 2);
    specs.sort_by_key(|spec| spec.n);
    Ok(specs)
}

/// The same with fewer limbs, and with special primes for no more than those.
fn with_limbs(spec: &ParametersSpec, limbs: usize) -> ParametersSpec {
    let mut fewer = spec.clone();
    fewer.name = format!("{}-q{limbs}", spec.name);
    fewer.limbs.count = limbs;
    if let (KeySwitching::Hybrid { digit_limbs }, Some(special)) = (spec.key_switching, &mut fewer.special) {
        fewer.key_switching = KeySwitching::Hybrid {
            digit_limbs: digit_limbs.min(limbs),
        };
        special.count = special.count.min(limbs);
    }
    fewer
}
