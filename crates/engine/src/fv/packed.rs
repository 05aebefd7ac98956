//! Private inputs that come packed, several wires in a ciphertext.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use ringmill_circuit::{InputPort, Visibility};
use ringmill_ring::{Alike, FermatRing, Halving, Packing, Slots};

use crate::error::PlanError;
use crate::fv::layout::Layout;
use crate::ir::program::Program;
use crate::schedule::Schedule;

/// How the wires of private inputs come in ciphertexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InputPacking {
    /// One in each: most bytes, and no work.
    #[default]
    Separate,
    /// Up to 16 wires of bits in one, or two of bytes. The evaluator takes them apart with nearly one key switch a wire.
    Slots,
    /// A single record stands for all, as a key or a query does. Hundreds of wires come in one ciphertext. The evaluator
    /// takes them apart once for all batches.
    Broadcast,
}

/// The noise of one step of unpacking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNoise {
    /// k of x -> x^k, all applications of its automorphism together.
    pub exponent: u64,
    /// How often its automorphism is applied.
    pub times: usize,
    /// The power of its factors.
    pub power: f64,
}

/// What unpacking does to the noise of inputs.
#[derive(Debug, Clone)]
pub(crate) struct Unpacking {
    pub steps: Vec<StepNoise>,
    /// Whether outputs may be sums of inputs, whose noise is the same at many roots, so that their coefficients are
    /// larger.
    pub alike_outputs: bool,
}

impl Unpacking {
    pub fn new(packing: &Packing, program: &Program) -> Self {
        let (steps, depths) = (packing.halvings().iter(), program.depths());
        let step = |halving: &Halving| StepNoise {
            exponent: halving.whole_exponent(),
            times: halving.times(),
            power: halving.power(),
        };
        Self {
            steps: steps.map(step).collect(),
            alike_outputs: program.encrypted_outputs().any(|value| depths[value.0] == 0),
        }
    }

    /// The roots at which the noise of an input is the same.
    pub fn roots_alike(&self) -> f64 {
        (1 << self.steps.len()) as f64
    }
}

/// One wire of a private port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedWire {
    /// Its port, among all input ports of the schedule.
    pub port: usize,
    /// Its place in the port.
    pub wire: usize,
    /// The level at which the schedule wants it.
    pub level: usize,
}

/// The wires of private inputs in the order in which they are packed: those that are needed at the highest levels
/// first, so that others are taken apart at lower ones.
#[derive(Debug, Clone)]
pub struct PackedInputs {
    pub(crate) packing: Arc<Packing>,
    wires: Vec<PackedWire>,
    top: usize,
}

impl PackedInputs {
    pub(crate) fn new(packing: Arc<Packing>, schedule: &Schedule, top: usize) -> Self {
        let ports = schedule.inputs().iter().enumerate();
        let private = ports.filter(|(_, port)| port.visibility == Visibility::Private);
        let wires = private.flat_map(|(port, plan)| {
            let levels = plan.levels().iter().enumerate();
            levels.map(move |(wire, &level)| PackedWire { port, wire, level })
        });
        let mut wires: Vec<PackedWire> = wires.collect();
        wires.sort_by_key(|wire| Reverse(wire.level));
        Self { packing, wires, top }
    }

    /// The wires in order: the first [`Packing::capacity`] in the first ciphertext, and so on.
    pub(crate) fn wires(&self) -> &[PackedWire] {
        &self.wires
    }

    /// How many ciphertexts a batch of inputs has.
    #[must_use]
    pub fn ciphertexts(&self) -> usize {
        self.wires.len().div_ceil(self.packing.capacity())
    }

    /// The wires of each ciphertext.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let capacity = self.packing.capacity();
        let starts = (0..self.wires.len()).step_by(capacity);
        starts.map(move |start| start..(start + capacity).min(self.wires.len()))
    }

    /// The level of a node above these wires: one more than the highest that is needed, where there is one, so that the
    /// rounding there is far below what the wires may have. That of a wire itself.
    pub(crate) fn level(&self, wires: &Range<usize>, depth: usize) -> usize {
        let highest = self.wires.get(wires.start).map_or(1, |wire| wire.level);
        if depth == self.packing.halvings().len() {
            highest
        } else {
            above(highest, self.top)
        }
    }

    /// The wires of both halves of a node at a depth; the second half may be empty.
    pub(crate) fn halves(&self, wires: &Range<usize>, depth: usize) -> [Range<usize>; 2] {
        let size = self.packing.capacity() >> (depth + 1);
        let middle = (wires.start + size).min(wires.end);
        [wires.start..middle, middle..wires.end]
    }

    /// All nodes of the trees that are taken apart: their level, how often the automorphism is applied, and the halves
    /// with wires.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let mut waiting: Vec<(Range<usize>, usize)> = self.groups().map(|wires| (wires, 0)).collect();
        std::iter::from_fn(move || {
            loop {
                let (wires, depth) = waiting.pop()?;
                let Some(halving) = self.packing.halvings().get(depth) else {
                    continue;
                };
                let halves = self
                    .halves(&wires, depth)
                    .into_iter()
                    .filter(|half| !half.is_empty());
                let before = waiting.len();
                waiting.extend(halves.map(|half| (half, depth + 1)));
                let halves = waiting.len() - before;
                return Some((self.level(&wires, depth), halving.times(), halves));
            }
        })
    }

    /// The automorphisms for which keys are needed.
    #[must_use]
    pub fn exponents(&self) -> BTreeSet<u64> {
        let steps = self.packing.halvings().iter();
        steps.map(|step| step.exponent()).collect()
    }
}

/// The level at which inputs are taken apart that are needed at a level.
pub(crate) fn above(level: usize, top: usize) -> usize {
    (level + 1).min(top)
}

/// How a circuit's private inputs are packed, if they are.
pub(crate) fn packing(
    inputs: &[InputPort],
    row: usize,
    ring: &FermatRing,
    (slots, layout): (&Slots, &Layout),
    packing: InputPacking,
) -> Result<Option<Packing>, PlanError> {
    let alike = match packing {
        InputPacking::Separate => return Ok(None),
        InputPacking::Slots => Alike::Slots,
        InputPacking::Broadcast => Alike::Records,
    };
    let private = inputs
        .iter()
        .filter(|port| port.visibility == Visibility::Private);
    let wires = private.clone().map(|port| port.wires.len()).sum();
    let bytes = private.clone().any(|port| !port.kind.is_bit());
    let mut places = vec![0; slots.len()];
    for (index, slot) in layout.rows().slots().iter().enumerate() {
        places[*slot as usize] = index % row;
    }
    // Whether an automorphism leaves all values as they are: it moves none, or within the same place of all rows, and
    // squares bytes as often as what slots hold differs. Bits are never in rows.
    let fixed = |exponent: u64| {
        slots.action(exponent).is_ok_and(|action| {
            let moves = action.source.iter().map(|from| *from as usize).enumerate();
            let mut moves = moves.zip(&action.frobenius);
            moves.all(|((to, from), squarings)| {
                let alike = match alike {
                    Alike::Slots => from == to,
                    Alike::Records => places[from] == places[to],
                };
                let arrived = layout.squarings(from) + squarings % 8;
                alike && (!bytes || (8 + arrived - layout.squarings(to)) % 8 == 0)
            })
        })
    };
    Ok(Some(Packing::new(ring, alike, fixed, wires)))
}
