//! A plan under given parameters.

use ringmill_fv::Parameters;
use ringmill_ring::Packing;

use crate::error::PlanError;
use crate::fv::cost::Costs;
use crate::fv::levels::Levels;
use crate::fv::noises::Noises;
use crate::fv::packed::{InputPacking, PackedInputs, Unpacking, above, waiting};
use crate::fv::placed::Placed;
use crate::fv::plan::{Draft, Plan, Prediction};
use crate::fv::planner::Planner;
use crate::fv::predict::Predictor;
use crate::fv::prepared::Prepared;
use crate::fv::product_form::ProductForm;
use crate::fv::recipe::Recipe;
use crate::fv::rules::Demand;
use crate::ir::program::{Program, encrypted};
use crate::schedule::Schedule;
use crate::schedule::memory::{self, Conditions, Loading, MemoryUse, Sizes};
use crate::schedule::order::{Most, Urgency, Wave, is_input, order};
use crate::schedule::sides::{Side, orient};
use crate::schedule::spill::spill;
use crate::schedule::steps::Steps;

/// Bits that the choice of a lower level may add to the noise at each operation: the more, the earlier
/// limbs are dropped, but the more of them are needed in the end. The first tells whether there is hope.
const TOLERANCES: [f64; 6] = [0.1, 2.0, 1.0, 0.5, 0.2, 0.02];

/// Bits missing with the first tolerance beyond which no other is tried.
const HOPELESS: f64 = 4.0;

/// How much is made ready in a wave, where memory suffices.
const LARGEST: Most = most(256, 16);

/// The same where it does not, the first that keeps to the limit.
const AT_A_TIME: [Most; 4] = [LARGEST, most(64, 8), most(16, 8), most(4, 4)];

/// Bytes of memory that nobody minds: the fastest order is taken if it needs no more.
const MODEST: u64 = 1 << 30;

/// What an order that takes less memory may take of the fastest one's time.
const ABOUT: f64 = 1.01;

/// The least products in a wave for each thread where an order is chosen for its memory, though there is enough.
const PRODUCTS_A_THREAD: usize = 8;

/// The same in the end.
const SMALLEST: Most = most(1, 1);

const fn most(products: usize, mapped: usize) -> Most {
    Most { products, mapped }
}

/// Steps in order, and the memory that they take so.
type Ordered = (Vec<Wave>, MemoryUse);

/// The order that takes less memory.
fn lesser(a: Ordered, b: Ordered) -> Ordered {
    if b.1.peak < a.1.peak { b } else { a }
}

/// A program, parameters and a form.
pub(crate) struct Selection<'a> {
    planner: &'a Planner,
    prepared: &'a Prepared<'a>,
    program: &'a Program,
    placed: &'a Placed,
    parameters: &'a Parameters,
    form: ProductForm,
    predictor: Predictor,
    costs: Costs,
}

/// Levels and steps for one tolerance.
struct Choice {
    tolerance: f64,
    output_level: usize,
    steps: Steps,
    noises: Noises,
}

/// How far from fitting all tolerances were.
struct Lack {
    /// Bits missing with the best.
    missing: f64,
    /// Products in a row after which noise was still within the limit.
    held: u32,
}

impl Default for Lack {
    fn default() -> Self {
        Self {
            missing: f64::INFINITY,
            held: 0,
        }
    }
}

impl<'a> Selection<'a> {
    pub fn new(
        planner: &'a Planner,
        prepared: &'a Prepared<'a>,
        placed: &'a Placed,
        parameters: &'a Parameters,
        form: ProductForm,
    ) -> Result<Self, PlanError> {
        let (program, records) = (&prepared.program, placed.layout.records());
        if records < planner.records {
            return Err(PlanError::TooFewRecords {
                name: parameters.name().to_string(),
                records,
                wanted: planner.records,
            });
        }
        let packing = placed.packing.as_deref();
        let demand = Demand {
            unpacking: packing.map(|packing| Unpacking::new(packing, program)),
            ..planner.demand(program)
        };
        Ok(Self {
            planner,
            prepared,
            program,
            placed,
            parameters,
            form,
            predictor: Predictor::new(parameters, form, demand, placed.maps.powers()),
            costs: Costs::new(
                parameters,
                form,
                (&placed.maps, packing),
                program.maps.len() + program.moves.len(),
            )?,
        })
    }

    /// The plan that is predicted to take the least time.
    pub fn plan(self) -> Result<Plan, PlanError> {
        self.plan_among(&TOLERANCES)
    }

    /// The one with this tolerance.
    pub fn plan_exactly(self, tolerance: f64) -> Result<Plan, PlanError> {
        self.plan_among(&[tolerance])
    }

    /// Whether noise allows any plan.
    ///
    /// # Errors
    /// [`PlanError::DoesNotFit`].
    pub fn fits(mut self) -> Result<(), PlanError> {
        let mut lack = Lack::default();
        for tolerance in TOLERANCES {
            let (_, over) = self.choice(tolerance, &mut lack);
            if over <= 0.0 {
                return Ok(());
            }
            if over > HOPELESS {
                break;
            }
        }
        Err(self.shortfall(&lack))
    }

    fn plan_among(mut self, tolerances: &[f64]) -> Result<Plan, PlanError> {
        let mut best: Option<(f64, Choice)> = None;
        let mut lack = Lack::default();
        for &tolerance in tolerances {
            let (choice, over) = self.choice(tolerance, &mut lack);
            if best.is_none() && over > HOPELESS {
                break;
            }
            if over > 0.0 {
                continue;
            }
            let work: f64 = choice.steps.steps.iter().map(|step| step.cost).sum();
            match &best {
                Some((least, best)) if *least <= work => {
                    // More careful choices take more still.
                    if tolerance < best.tolerance {
                        break;
                    }
                }
                _ => best = Some((work, choice)),
            }
        }
        match best {
            Some((_, choice)) => self.ordered(choice),
            None => Err(self.shortfall(&lack)),
        }
    }

    /// Levels and steps with a tolerance, and the bits by which they are over the limit.
    fn choice(&mut self, tolerance: f64, lack: &mut Lack) -> (Choice, f64) {
        let levels = Levels::choose(self.program, &mut self.predictor, tolerance);
        let steps = Steps::new(self.program, &levels, |operation, at, level| {
            let work = self.costs.operation(operation, at, level);
            self.planner.calibration.seconds(&work, self.parameters.n())
        });
        let noises = Noises::new(&steps.steps, encrypted(&steps.outputs), &mut self.predictor);
        let worst = noises.worst(&self.predictor);
        let over = worst.map_or(f64::NEG_INFINITY, |noise| {
            let noise = self.predictor.noise(noise);
            self.predictor
                .rules()
                .excess(self.program.depth(), noises.inherited, noise)
                + self.planner.room
        });
        let output = worst.map(|noise| (noise, levels.output));
        let over = over.max(self.predictor.lacks_further(self.program.depth(), output));
        lack.missing = lack.missing.min(over);
        lack.held = lack.held.max(noises.held(&steps.steps, &self.predictor));
        let choice = Choice {
            tolerance,
            output_level: levels.output,
            steps,
            noises,
        };
        (choice, over)
    }

    fn shortfall(&mut self, lack: &Lack) -> PlanError {
        let depth = self.program.depth() + self.predictor.further();
        let lacking = (lack.held, lack.missing);
        self.predictor.shortfall(self.parameters, depth, lacking).into()
    }

    /// Orders the steps: as is fastest, or else in the first way that keeps to the memory limit, or else with values
    /// put aside.
    fn ordered(self, mut choice: Choice) -> Result<Plan, PlanError> {
        if self.form.sides() == Side::DIFFERENT {
            orient(&mut choice.steps.steps);
        }
        let limit = self.planner.memory.unwrap_or(u64::MAX);
        let fastest = self.wide(&choice.steps, LARGEST);
        if fastest.1.peak <= limit.min(MODEST) {
            return self.finish(choice, fastest);
        }
        if let Some(order) = self.thrifty(&choice.steps, fastest, limit) {
            return self.finish(choice, order);
        }
        let wide = |most| self.wide(&choice.steps, most);
        let frugal = |most| self.order(&choice.steps, Urgency::Frugal, most);
        let smallest = lesser(wide(SMALLEST), frugal(SMALLEST));
        if smallest.1.peak <= limit {
            let mut orders = AT_A_TIME.iter().flat_map(|most| [wide(*most), frugal(*most)]);
            let order = orders.find(|order| order.1.peak <= limit).unwrap_or(smallest);
            return self.finish(choice, order);
        }
        let order = self.aside(&choice.steps, smallest.1.peak, limit)?;
        self.finish(choice, order)
    }

    /// Of the orders within the limit that take about as long as the fastest of them, the one that takes the least
    /// memory; waves are large enough to keep all threads busy.
    fn thrifty(&self, steps: &Steps, fastest: Ordered, limit: u64) -> Option<Ordered> {
        let busy = |most: &&Most| most.products >= PRODUCTS_A_THREAD * self.planner.threads;
        let frugal = |most: &Most| self.order(steps, Urgency::Frugal, *most);
        let orders = [fastest].into_iter();
        let orders = orders.chain(AT_A_TIME.iter().filter(busy).map(frugal));
        let work = |order: Ordered| (self.work(&order.0, steps), order);
        let fitting = orders.filter(|order| order.1.peak <= limit).map(work);
        let fitting: Vec<(f64, Ordered)> = fitting.collect();
        let least = fitting
            .iter()
            .map(|(work, _)| *work)
            .fold(f64::INFINITY, f64::min);
        let about_as_fast = fitting.into_iter().filter(|(work, _)| *work <= ABOUT * least);
        about_as_fast
            .map(|(_, order)| order)
            .min_by_key(|(_, memory)| memory.peak)
    }

    /// The order in which the fewest bytes are put aside and brought again so that memory keeps to the limit;
    /// `least` is what the steps need if nothing is put aside.
    fn aside(&self, steps: &Steps, least: u64, limit: u64) -> Result<Ordered, PlanError> {
        let too_much = |needed: u64| PlanError::TooMuchMemory {
            needed: needed.div_ceil(1 << 20),
            limit: limit >> 20,
            aside: self.planner.directory.is_some(),
        };
        if self.planner.directory.is_none() {
            return Err(too_much(least));
        }
        let spilled = |most, urgency, limit| {
            let (waves, _) = self.order(steps, urgency, most);
            let (waves, needed) = spill(
                &steps.steps,
                &steps.outputs,
                waves,
                &self.costs,
                (self.conditions(steps), limit),
            );
            let memory = self.memory(steps, &waves);
            (needed, (waves, memory))
        };
        let urgencies = [Urgency::Frugal, Urgency::Late, Urgency::Soon];
        let orders = AT_A_TIME
            .iter()
            .chain([&SMALLEST])
            .flat_map(|most| urgencies.map(|urgency| spilled(*most, urgency, limit)));
        let fitting = orders
            .filter(|(needed, _)| *needed <= limit)
            .map(|(_, order)| order);
        let best = fitting.min_by_key(|(_, memory)| memory.written + memory.read);
        best.ok_or_else(|| {
            let needed = urgencies.map(|urgency| spilled(SMALLEST, urgency, 0).0);
            too_much(needed.into_iter().min().unwrap_or(least))
        })
    }

    /// Large waves, in the way that takes less memory.
    fn wide(&self, steps: &Steps, most: Most) -> Ordered {
        lesser(
            self.order(steps, Urgency::Late, most),
            self.order(steps, Urgency::Soon, most),
        )
    }

    fn order(&self, steps: &Steps, urgency: Urgency, most: Most) -> Ordered {
        let bytes = |level| self.costs.ciphertext_bytes(level);
        let waves = order(
            &steps.steps,
            &self.placed.maps,
            &steps.outputs,
            bytes,
            urgency,
            (most, self.form.sides()),
        );
        let memory = self.memory(steps, &waves);
        (waves, memory)
    }

    fn memory(&self, steps: &Steps, waves: &[Wave]) -> MemoryUse {
        let conditions = self.conditions(steps);
        let memory = memory::predict(&steps.steps, &steps.outputs, waves, &self.costs, conditions);
        match (self.placed.packing.as_deref(), conditions.loading) {
            (Some(packing), Loading::AtOnce) => {
                let unpacking = self.unpacking_memory(steps, packing);
                if unpacking.peak < memory.peak {
                    return memory;
                }
                MemoryUse {
                    written: memory.written,
                    read: memory.read,
                    ciphertexts: memory.ciphertexts,
                    ..unpacking
                }
            }
            _ => memory,
        }
    }

    fn conditions(&self, steps: &Steps) -> Conditions {
        let loading = match (self.planner.packing, self.placed.packing.as_deref()) {
            (InputPacking::Slots, Some(packing)) => {
                waiting(&self.unpacking_memory(steps, packing), self.planner.memory)
            }
            // A single record's wires stay for all batches, for which memory would be short.
            (InputPacking::Broadcast, _) => Loading::WhenUsed,
            _ => self.planner.loading,
        };
        Conditions {
            threads: self.planner.threads,
            loading,
        }
    }

    /// Memory at the end of taking inputs apart, if all wires are there while each thread makes the last of them.
    fn unpacking_memory(&self, steps: &Steps, packing: &Packing) -> MemoryUse {
        let inputs = || steps.steps.iter().filter(|step| is_input(step));
        let highest = inputs().map(|step| step.level).max().unwrap_or(1);
        let at = above(highest, self.parameters.levels());
        let values = inputs().map(|step| self.costs.ciphertext_bytes(step.level)).sum();
        let splitting = self.planner.threads as u64 * self.costs.splitting_bytes(packing, at);
        let workspace = splitting + self.costs.split_factors_bytes(packing);
        let fixed = self.costs.fixed();
        MemoryUse {
            peak: fixed + values + workspace,
            values,
            workspace,
            fixed,
            ..MemoryUse::default()
        }
    }

    fn finish(self, choice: Choice, (waves, memory): Ordered) -> Result<Plan, PlanError> {
        let Choice {
            tolerance,
            output_level,
            steps,
            noises,
        } = choice;
        let (predictor, depth) = (&self.predictor, self.program.depth());
        let (rules, worst) = (predictor.rules(), noises.worst(predictor));
        let noise = worst.map_or(f64::NEG_INFINITY, |worst| predictor.bound(worst));
        let failure = worst.map_or(f64::NEG_INFINITY, |_| rules.demand().log2_failure);
        let bounds = noises.steps.iter().map(|noise| predictor.bound(*noise)).collect();
        let layout = &self.placed.layout;
        let scheme = (self.parameters.name(), layout.records());
        let (work, unpacked) = (self.work(&waves, &steps), self.conditions(&steps).loading);
        let schedule = Schedule::new(
            &self.prepared.circuit,
            scheme,
            &self.program.clear,
            steps,
            (waves, self.form.sides()),
        );
        let packing = self.placed.packing.clone();
        let top = self.parameters.levels();
        let packed = packing.map(|packing| PackedInputs::new(packing, &schedule, top, unpacked));
        let unpacking = packed.as_ref().map_or(0.0, |packed| {
            let unpacking = self.costs.unpacking(packed);
            self.planner.calibration.seconds(&unpacking, self.parameters.n())
        });
        let prediction = Prediction {
            log2_noise: noise,
            flooding: rules.flooding(),
            margin: rules.limit() - noise,
            reserve: predictor.reserve(depth, noises.inherited, worst),
            log2_failure: failure,
            tolerance,
            work: match self.planner.packing {
                InputPacking::Slots => work + unpacking,
                InputPacking::Separate | InputPacking::Broadcast => work,
            },
            unpacking,
            output_level,
            depth,
            memory,
            threads: self.planner.threads,
        };
        Plan::new(Draft {
            parameters: self.parameters.clone(),
            recipe: Recipe {
                circuit: self.prepared.digest,
                variant: None,
                aggregates: self.prepared.aggregates,
                form: self.form,
                tolerance,
                input_key: self.planner.inputs,
                log2_failure: self.planner.log2_failure,
                flooding: self.planner.flooding,
                packing: self.planner.packing,
                former: self.planner.former,
                further: self.planner.further,
                shared: self.program.shared,
            },
            layout: layout.clone(),
            maps: self.placed.maps.clone(),
            packed,
            schedule,
            directory: (memory.written > 0)
                .then(|| self.planner.directory.clone())
                .flatten(),
            demand: rules.demand().clone(),
            noises: bounds,
            result_powers: noises.result_powers(predictor),
            prediction,
        })
    }

    /// Seconds of all waves on one thread.
    fn work(&self, waves: &[Wave], steps: &Steps) -> f64 {
        let preparation: f64 = waves.iter().map(|wave| self.preparation(wave, steps)).sum();
        preparation + steps.steps.iter().map(|step| step.cost).sum::<f64>()
    }

    /// Seconds of making a wave's factors and rotations ready.
    fn preparation(&self, wave: &Wave, steps: &Steps) -> f64 {
        let level = |value: &crate::ValueId| steps.steps[value.0].level;
        let factors = wave
            .factors
            .iter()
            .map(|(value, side)| self.costs.factor(level(value), *side));
        let rotations = wave.rotations.iter().map(|(value, exponents)| {
            let level = level(value);
            let moved = exponents.iter().filter(|exponent| **exponent != 1).count();
            self.costs.decompose(level) + self.costs.rotate(level) * moved as f64
        });
        let seconds = |work| self.planner.calibration.seconds(&work, self.parameters.n());
        factors.chain(rotations).map(seconds).sum()
    }
}
