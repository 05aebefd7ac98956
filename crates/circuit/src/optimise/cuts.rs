//! Cuts: small sets of wires that determine another one.

use super::narrow::narrow;
use super::step::Step;
use super::truth::{ARGUMENTS, Truth};
use crate::{Analysis, Circuit, Gate, Wire};

/// How many of the cuts with the shallowest polynomials are kept for each
/// wire, and as many of those whose leaves have the fewest gates before them:
/// these reach back furthest, which wires further on may need.
const KEPT: usize = 4;

/// Wires that determine another one, and how.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// Ascending, at most [`ARGUMENTS`].
    pub(super) leaves: Vec<Wire>,
    /// The wire's value by its leaves.
    pub(super) values: Truth,
    /// The least depth of the wire as a polynomial in the leaves, these as
    /// shallow as they can be.
    pub(super) depth: u32,
    /// The sum of `2^(depth)` over the leaves: the less of it, the fewer leaves
    /// come late.
    pub(super) lateness: u128,
    /// The highest of the leaves' [`levels`].
    level: u32,
}

impl Cut {
    /// A wire determined by itself.
    fn trivial(wire: Wire, depth: u32, level: u32) -> Self {
        Self {
            leaves: vec![wire],
            values: Truth::FIRST,
            depth,
            lateness: lateness(depth),
            level,
        }
    }

    /// Two cuts joined; the depths are not yet known. `None` if there are too
    /// many leaves.
    fn joined(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Option<Self> {
        let mut leaves = Vec::with_capacity(ARGUMENTS);
        let (mut left, mut right) = (self.leaves.as_slice(), other.leaves.as_slice());
        let (mut left_names, mut right_names) = ([0; ARGUMENTS], [0; ARGUMENTS]);
        loop {
            let next = match (left.first(), right.first()) {
                (Some(left), Some(right)) => *left.min(right),
                (Some(leaf), None) | (None, Some(leaf)) => *leaf,
                (None, None) => break,
            };
            let name = leaves.len();
            if name == ARGUMENTS {
                return None;
            }
            leaves.push(next);
            take(next, name, &mut left, self.leaves.len(), &mut left_names);
            take(next, name, &mut right, other.leaves.len(), &mut right_names);
        }
        let left = self.values.renamed(left_names.get(..self.leaves.len())?);
        let right = other.values.renamed(right_names.get(..other.leaves.len())?);
        Some(Self {
            leaves,
            values: left.with(right, operation),
            depth: 0,
            lateness: 0,
            level: self.level.max(other.level),
        })
    }
}

/// Takes `next` off a list of leaves if it is the first there, and notes its
/// name.
fn take(next: Wire, name: usize, rest: &mut &[Wire], length: usize, names: &mut [usize; ARGUMENTS]) {
    if let Some((first, others)) = rest.split_first()
        && *first == next
    {
        if let Some(entry) = names.get_mut(length - rest.len()) {
            *entry = name;
        }
        *rest = others;
    }
}

/// For each wire the most gates on a path to it, where a tree of XORs and NOTs
/// counts as one gate. Wires within such a tree, read only there, have the level
/// of the whole: a cut that takes them as leaves reaches back no further.
fn levels(circuit: &Circuit) -> Vec<u32> {
    let analysis = Analysis::new(circuit);
    let is_sum = |wire: Wire| Step::of(circuit, wire).is_sum();
    // By wire the reader, if it is the only one and both are sums.
    let mut whole: Vec<Option<Wire>> = vec![None; circuit.gates().len()];
    for (wire, gate) in circuit.numbered_gates().filter(|(wire, _)| is_sum(*wire)) {
        for operand in circuit.operands(gate) {
            let once = analysis.wire(operand).is_some_and(|facts| facts.uses == 1);
            if let Some(entry) = whole.get_mut(operand.index()) {
                *entry = (once && is_sum(operand)).then_some(wire);
            }
        }
    }
    let mut levels: Vec<u32> = Vec::with_capacity(circuit.gates().len());
    for (wire, gate) in circuit.numbered_gates() {
        let below = circuit.operands(gate).map(|operand| operand.of(&levels)).max();
        let own = u32::from(wire.of(&whole).is_none());
        levels.push(below.map_or(0, |below| below + own));
    }
    for (wire, _) in circuit.numbered_gates().rev() {
        if let (Some(whole), Some(level)) = (wire.of(&whole), levels.get(wire.index()).copied()) {
            let raised = whole.of(&levels).max(level);
            if let Some(entry) = levels.get_mut(wire.index()) {
                *entry = raised;
            }
        }
    }
    levels
}

/// What a leaf adds to a cut's lateness.
fn lateness(depth: u32) -> u128 {
    1 << depth.min(100)
}

/// How cuts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// By joining those of operands.
    Joined,
    /// So, and by looking for narrow places before products. Slower.
    Narrow,
}

/// The cuts of all wires, and the least depths they make possible.
pub(super) struct Cuts {
    /// By wire; the trivial cut is last, if the wire has one at all.
    pub(super) of: Vec<Vec<Cut>>,
    /// By wire.
    pub(super) least: Vec<u32>,
}

impl Cuts {
    pub(super) fn new(circuit: &Circuit, search: Search) -> Self {
        let count = circuit.gates().len();
        let mut cuts = Self {
            of: Vec::with_capacity(count),
            least: Vec::with_capacity(count),
        };
        let levels = levels(circuit);
        for (wire, gate) in circuit.numbered_gates() {
            let step = Step::new(circuit, wire, gate);
            let mut candidates = match step {
                Step::Xor(left, right) => cuts.joined(left, right, |left, right| left ^ right),
                Step::And(left, right) => cuts.joined(left, right, |left, right| left & right),
                Step::Not(operand) => cuts.complements(operand),
                Step::Opaque => Vec::new(),
            };
            let operands = circuit.operands(gate).map(|operand| cuts.depth(operand)).max();
            let by_gate = operands.unwrap_or_default() + u32::from(matches!(gate, Gate::And(..)));
            if search == Search::Narrow && matches!(step, Step::And(..)) {
                let least = candidates.iter().map(|cut| cut.depth).fold(by_gate, u32::min);
                candidates.extend(cuts.narrow(circuit, wire, least, &levels));
            }
            let level = wire.of(&levels);
            cuts.push(wire, candidates, by_gate, level);
        }
        cuts
    }

    /// The least depth of a wire seen so far.
    pub(super) fn depth(&self, wire: Wire) -> u32 {
        wire.of(&self.least)
    }

    fn cuts(&self, wire: Wire) -> &[Cut] {
        self.of.get(wire.index()).map_or(&[], Vec::as_slice)
    }

    fn joined(&self, left: Wire, right: Wire, operation: impl Fn(u64, u64) -> u64) -> Vec<Cut> {
        let mut joined: Vec<Cut> = Vec::with_capacity(self.cuts(left).len() * self.cuts(right).len());
        for left in self.cuts(left) {
            for right in self.cuts(right) {
                let Some(cut) = left.joined(right, &operation) else {
                    continue;
                };
                if joined.iter().all(|earlier| earlier.leaves != cut.leaves) {
                    joined.push(self.measured(cut));
                }
            }
        }
        joined
    }

    /// A cut that is sure to make a product shallower than `least` or, so that
    /// products of the same wires have a cut in common, as shallow.
    fn narrow(&self, circuit: &Circuit, wire: Wire, least: u32, levels: &[u32]) -> Option<Cut> {
        let deepest = ARGUMENTS.ilog2();
        let limits = [least.checked_sub(deepest + 1), least.checked_sub(deepest)];
        let mut found = limits
            .into_iter()
            .flatten()
            .filter_map(|limit| narrow(circuit, &self.least, wire, limit));
        let (leaves, values) = found.next()?;
        let level = leaves.iter().map(|leaf| leaf.of(levels)).max()?;
        let cut = Cut {
            leaves,
            values,
            depth: 0,
            lateness: 0,
            level,
        };
        Some(self.measured(cut))
    }

    /// With its depth and lateness.
    fn measured(&self, mut cut: Cut) -> Cut {
        cut.depth = self.polynomial_depth(&cut);
        cut.lateness = cut.leaves.iter().map(|leaf| lateness(self.depth(*leaf))).sum();
        cut
    }

    fn complements(&self, operand: Wire) -> Vec<Cut> {
        let complement = |cut: &Cut| Cut {
            values: cut.values.not(),
            ..cut.clone()
        };
        self.cuts(operand).iter().map(complement).collect()
    }

    /// The least depth of a cut's polynomial: `d` with `2^d` at least the sum
    /// of `2^(depth)` over the factors of each product.
    fn polynomial_depth(&self, cut: &Cut) -> u32 {
        let depths: Vec<u32> = cut.leaves.iter().map(|leaf| self.depth(*leaf)).collect();
        // Leaves far above the deepest one count as much as one 2^50 times
        // shallower: there are but eight.
        let base = depths
            .iter()
            .copied()
            .max()
            .unwrap_or_default()
            .saturating_sub(50);
        let weights: Vec<u64> = depths
            .iter()
            .map(|depth| 1 << depth.saturating_sub(base))
            .collect();
        let mut sums = [0_u64; 1 << ARGUMENTS];
        for (argument, weight) in weights.iter().enumerate() {
            let (known, rest) = sums.split_at_mut(1 << argument);
            for (sum, below) in rest.iter_mut().zip(known) {
                *sum = *below + weight;
            }
        }
        let products = cut.values.transformed();
        let heaviest = products.ones(weights.len()).filter_map(|set| sums.get(set)).max();
        let heaviest = heaviest.copied().unwrap_or_default();
        if heaviest == 0 {
            0
        } else {
            base + heaviest.next_power_of_two().trailing_zeros()
        }
    }

    /// Keeps the best cuts of a wire.
    fn push(&mut self, wire: Wire, mut cuts: Vec<Cut>, by_gate: u32, level: u32) {
        cuts.sort_by_key(|cut| (cut.depth, cut.lateness, cut.leaves.len()));
        let mut reaching = cuts.split_off(KEPT.min(cuts.len()));
        reaching.sort_by_key(|cut| (cut.level, cut.leaves.len()));
        cuts.extend(reaching.into_iter().take(KEPT));
        let least = cuts.first().map_or(by_gate, |cut| cut.depth.min(by_gate));
        cuts.push(Cut::trivial(wire, least, level));
        self.of.push(cuts);
        self.least.push(least);
    }
}
