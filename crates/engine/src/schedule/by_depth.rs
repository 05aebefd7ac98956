//! Schedules for schemes in which every product leads one step down a fixed chain of levels.
//!
//! An input or a product from which so many products follow on the way to an output rests as many steps above
//! the lowest level, wherever it comes from: so the inputs of late products are encrypted at low levels, where
//! they take little, and products are made as low as those that follow them allow. Sums are made at the lowest
//! level of their terms. No noise is followed: what the chain promises is the scheme's to prove.

use ringmill_circuit::Circuit;

use crate::fv::levels::Levels;
use crate::fv::slot_maps::SlotMaps;
use crate::ir::lower::lower;
use crate::ir::program::{Operation, OutputSource, Program, ValueId};
use crate::schedule::memory::{self, Conditions, Loading, Sizes};
use crate::schedule::order::{Most, Urgency, order};
use crate::schedule::sides::orient;
use crate::schedule::steps::Steps;
use crate::{LevelChain, PlanError, Schedule, Side};

/// Products for which factors are made ready at a time, unless asked otherwise.
const PRODUCTS_AT_A_TIME: usize = 64;

/// What an addition of one term costs, and a switch, where a product costs 1.
const TERM: f64 = 0.02;
const SWITCH: f64 = 0.1;

/// Makes schedules by the number of products that follow each other.
#[derive(Debug, Clone)]
pub struct DepthPlanner {
    level_chain: LevelChain,
    products_at_a_time: usize,
}

impl DepthPlanner {
    /// A planner for a scheme with these levels.
    #[must_use]
    pub fn new(level_chain: LevelChain) -> Self {
        Self {
            level_chain,
            products_at_a_time: PRODUCTS_AT_A_TIME,
        }
    }

    /// Prepares operands for a limited number of products at a time, and so keeps memory small.
    #[must_use]
    pub fn with_products_at_a_time(mut self, products: usize) -> Self {
        self.products_at_a_time = products.max(1);
        self
    }

    /// The schedule of a circuit of bits.
    ///
    /// # Errors
    /// [`PlanError::TooDeep`]; [`PlanError::OnlyBits`].
    pub fn plan(&self, circuit: &Circuit) -> Result<Schedule, PlanError> {
        if let Some(kind) = circuit.kinds().iter().find(|kind| !kind.is_bit()) {
            return Err(PlanError::OnlyBits {
                scheme: self.level_chain.name.clone(),
                kind: *kind,
            });
        }
        let program = with_late_terms_outside(lower(circuit)?);
        let levels = self.levels(&program)?;
        let top = self.level_chain.levels.first().copied().unwrap_or(1) as f64;
        let mut steps = Steps::new(&program, &levels, |operation, at, _| {
            weight(operation) * at as f64 / top
        });
        let sides = self.level_chain.sides;
        if sides == Side::DIFFERENT {
            orient(&mut steps.steps);
        }
        let most = Most {
            products: self.products_at_a_time,
            mapped: 1,
        };
        let orders = [Urgency::Late, Urgency::Soon].map(|urgency| {
            let bytes = |level| ByLevel.ciphertext_bytes(level);
            let waves = order(
                &steps.steps,
                &SlotMaps::default(),
                &steps.outputs,
                bytes,
                urgency,
                (most, sides),
            );
            let conditions = Conditions {
                threads: 1,
                loading: Loading::AtOnce,
            };
            let memory = memory::predict(&steps.steps, &steps.outputs, &waves, &ByLevel, conditions);
            (waves, memory.peak)
        });
        let [late, soon] = orders;
        let (waves, _) = if soon.1 < late.1 { soon } else { late };
        let scheme = (&*self.level_chain.name, self.level_chain.records);
        Ok(Schedule::new(
            circuit,
            scheme,
            &program.clear,
            steps,
            (waves, sides),
        ))
    }

    /// The level of every value: sums at the lowest level of their terms, products one step down from
    /// their factors.
    fn levels(&self, program: &Program) -> Result<Levels, PlanError> {
        let level_chain = &self.level_chain.levels;
        let depth = program.depth();
        let most = level_chain.len().saturating_sub(1);
        let too_deep = || PlanError::TooDeep {
            scheme: self.level_chain.name.clone(),
            most,
            depth,
        };
        if depth as usize > most {
            return Err(too_deep());
        }
        let level = |place: usize| level_chain.get(place).copied().ok_or_else(too_deep);
        // Places of the chain, from the top.
        let mut places: Vec<usize> = Vec::with_capacity(program.operations.len());
        let (mut at, mut made) = (Vec::new(), Vec::new());
        for (operation, later) in program.operations.iter().zip(later_products(program)) {
            let latest = most.saturating_sub(later);
            let (from, to) = match operation {
                Operation::Product { .. } => (latest.saturating_sub(1), latest),
                // As high as it can be: a long sum that is used far below is switched there at once, and not
                // each of its terms.
                Operation::Linear { terms, .. } => {
                    let lowest = terms.iter().map(|term| places[term.0]).max();
                    let lowest = lowest.unwrap_or(latest);
                    (lowest, lowest)
                }
                _ => (latest, latest),
            };
            at.push(level(from)?);
            made.push(level(to)?);
            places.push(to);
        }
        Ok(Levels {
            at,
            made,
            output: level(most)?,
        })
    }
}

/// The most products on a path from each value to an output, its own not counted, where a term that is
/// relinearized with a product counts as its factor: it must be there at the same level.
fn later_products(program: &Program) -> Vec<usize> {
    let mut later = vec![0; program.operations.len()];
    for (index, operation) in program.operations.iter().enumerate().rev() {
        let own = usize::from(matches!(operation, Operation::Product { .. }));
        for operand in operation.operands() {
            later[operand.0] = later[operand.0].max(later[index] + own);
        }
    }
    later
}

/// Takes terms out of sums of products that are no less deep than the sum of the products alone: these would
/// pull the factors down to their own level, and leave the product where the chain does not allow it.
fn with_late_terms_outside(program: Program) -> Program {
    let mut operations: Vec<Operation> = Vec::new();
    let mut depths: Vec<u32> = Vec::new();
    let mut renamed: Vec<ValueId> = Vec::new();
    let mut push = |operation: Operation, depths: &mut Vec<u32>| {
        let depth = operation
            .paths()
            .map(|(operand, own)| depths[operand.0] + own)
            .max();
        depths.push(depth.unwrap_or(0));
        operations.push(operation);
        ValueId(operations.len() - 1)
    };
    for operation in &program.operations {
        let made = match operation.with_operands(|operand| renamed[operand.0]) {
            Operation::Product { pairs, terms, clear } => {
                let factors = pairs.iter().flat_map(|(a, b)| [a, b]);
                let deepest = factors.map(|factor| depths[factor.0]).max().unwrap_or(0);
                let (inside, mut outside): (Vec<_>, Vec<_>) =
                    terms.into_iter().partition(|term| depths[term.0] <= deepest);
                let product = |terms, clear| Operation::Product { pairs, terms, clear };
                if outside.is_empty() {
                    push(product(inside, clear), &mut depths)
                } else {
                    outside.push(push(product(inside, None), &mut depths));
                    push(
                        Operation::Linear {
                            terms: outside,
                            clear,
                        },
                        &mut depths,
                    )
                }
            }
            other => push(other, &mut depths),
        };
        renamed.push(made);
    }
    let rename = |value: &Option<ValueId>| value.map(|value| renamed[value.0]);
    let rename_source = |source: &OutputSource| match source {
        OutputSource::Encrypted(value) => OutputSource::Encrypted(renamed[value.0]),
        clear @ OutputSource::Clear(_) => *clear,
    };
    let inputs = program
        .inputs
        .iter()
        .map(|port| port.iter().map(rename).collect());
    let outputs = program
        .outputs
        .iter()
        .map(|port| port.iter().map(rename_source).collect());
    Program {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        operations,
        ..program
    }
}

/// The work of an operation, that of a product being 1.
fn weight(operation: &Operation) -> f64 {
    match operation {
        Operation::Input { .. } => 0.0,
        Operation::Product { pairs, terms, .. } => 1.0 + TERM * (pairs.len() - 1 + terms.len()) as f64,
        Operation::Linear { terms, .. } => TERM * terms.len() as f64,
        Operation::PlainProduct { .. } | Operation::Map { .. } | Operation::Switch { .. } => SWITCH,
    }
}

/// Sizes to compare orders by: what rests at a level takes as much as the level is high, factors twice that.
struct ByLevel;

impl Sizes for ByLevel {
    fn fixed(&self) -> u64 {
        0
    }

    fn ciphertext_bytes(&self, level: usize) -> u64 {
        level as u64
    }

    fn stored_bytes(&self, level: usize) -> u64 {
        level as u64
    }

    fn factor_bytes(&self, level: usize) -> u64 {
        2 * level as u64
    }

    fn rotation_bytes(&self, _: usize, _: bool) -> u64 {
        0
    }

    fn workspace(&self, _: &Operation, _: usize) -> u64 {
        0
    }
}
