//! Private inputs that come packed, several wires in a ciphertext.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use ringmill_circuit::{InputPort, Visibility};
use ringmill_ring::{Alike, FermatRing, Packing, Slots, Split};

use crate::error::PlanError;
use crate::fv::layout::Layout;
use crate::ir::program::Program;
use crate::schedule::Schedule;
use crate::schedule::memory::{Loading, MemoryUse};

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

/// What unpacking does to the noise of inputs.
#[derive(Debug, Clone)]
pub(crate) struct Unpacking {
    /// How nodes are taken apart, from the root.
    pub splits: Vec<Split>,
    /// The roots at which the noise of an input is the same.
    pub roots_alike: f64,
    /// Whether outputs may be sums of inputs, whose noise is the same at many roots, so that their coefficients are
    /// larger.
    pub alike_outputs: bool,
}

impl Unpacking {
    pub fn new(packing: &Packing, program: &Program) -> Self {
        let depths = program.depths();
        Self {
            splits: packing.splits().to_vec(),
            roots_alike: packing.capacity() as f64,
            alike_outputs: program.encrypted_outputs().any(|value| depths[value.0] == 0),
        }
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
    loading: Loading,
}

/// Where wires wait that take so much memory when they were taken apart: there, if they are few and memory is not limited to
/// less than twice that, or else in a file.
pub(crate) fn waiting(unpacked: &MemoryUse, limit: Option<u64>) -> Loading {
    if unpacked.values <= 128 << 20 && limit.is_none_or(|limit| unpacked.peak <= limit / 2) {
        Loading::AtOnce
    } else {
        Loading::WhenUsed
    }
}

impl PackedInputs {
    /// For a schedule of parameters with `top` levels, whose memory is predicted for inputs that wait as `loading` says.
    pub(crate) fn new(packing: Arc<Packing>, schedule: &Schedule, top: usize, loading: Loading) -> Self {
        let ports = schedule.inputs().iter().enumerate();
        let private = ports.filter(|(_, port)| port.visibility == Visibility::Private);
        let wires = private.flat_map(|(port, plan)| {
            let levels = plan.levels().iter().enumerate();
            levels.map(move |(wire, &level)| PackedWire { port, wire, level })
        });
        let mut wires: Vec<PackedWire> = wires.collect();
        wires.sort_by_key(|wire| Reverse(wire.level));
        Self {
            packing,
            wires,
            top,
            loading,
        }
    }

    /// Where wires should wait that were taken apart: in memory from the beginning, or in a file until they are used.
    #[must_use]
    pub fn loading(&self) -> Loading {
        self.loading
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
        if depth == self.packing.splits().len() {
            highest
        } else {
            above(highest, self.top)
        }
    }

    /// The wires of all children of a node; the last ones may be empty.
    pub(crate) fn children(&self, wires: &Range<usize>, split: &Split) -> impl Iterator<Item = Range<usize>> {
        let (leaves, wires) = (split.leaves(), wires.clone());
        let start = move |child: usize| (wires.start + child * leaves).min(wires.end);
        (0..split.children()).map(move |child| start(child)..start(child + 1))
    }

    /// All nodes of the trees that are taken apart: their level, how, and the children with wires.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (usize, &Split, usize)> + '_ {
        let mut waiting: Vec<(Range<usize>, usize)> = self.groups().map(|wires| (wires, 0)).collect();
        std::iter::from_fn(move || {
            loop {
                let (wires, depth) = waiting.pop()?;
                let Some(split) = self.packing.splits().get(depth) else {
                    continue;
                };
                let before = waiting.len();
                let children = self.children(&wires, split).filter(|child| !child.is_empty());
                waiting.extend(children.map(|child| (child, depth + 1)));
                let children = waiting.len() - before;
                return Some((self.level(&wires, depth), split, children));
            }
        })
    }

    /// The automorphisms for which keys are needed.
    #[must_use]
    pub fn exponents(&self) -> BTreeSet<u64> {
        exponents(&self.packing).collect()
    }
}

/// The automorphisms of a packing for which keys are needed.
pub(crate) fn exponents(packing: &Packing) -> impl Iterator<Item = u64> {
    let automorphisms = packing.splits().iter().flat_map(Split::automorphisms);
    automorphisms.map(|automorphism| automorphism.exponent)
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
