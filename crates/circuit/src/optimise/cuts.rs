//! Cuts: small sets of wires that determine another one.

use super::narrow::narrow;
use super::step::Step;
use super::truth::{ARGUMENTS, Truth};
use crate::{Analysis, Circuit, Wire};

/// The number of cuts with the shallowest polynomials that are kept for each wire. As many are kept of those
/// whose leaves have the fewest gates before them: these reach back furthest, and later wires may need them.
const KEPT: usize = 4;

/// The number of cuts measured for each of the two, those with the best leaves.
const MEASURED: usize = 3 * KEPT;

/// The number of products whose narrow places bring nothing, after which the search for such places ends.
const MOST_IDLE: usize = 4000;

/// Wires that determine another one, and the function by which they do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    leaves: Leaves,
    /// The wire's value as a function of its leaves.
    pub(super) values: Truth,
    /// The least depth of the wire as a polynomial in the leaves, with these as shallow as possible.
    pub(super) depth: u32,
    /// The number of products in the polynomial.
    pub(super) products: usize,
    /// The lateness of all leaves together.
    pub(super) lateness: u64,
    /// The highest of the leaves' [`levels`].
    level: u32,
}

impl Cut {
    /// The leaves in ascending order, at most [`ARGUMENTS`].
    pub(super) fn leaves(&self) -> &[Wire] {
        self.leaves.as_slice()
    }

    /// The cut in which a wire determines itself.
    fn trivial(wire: Wire, depth: u32, level: u32) -> Self {
        Self {
            leaves: Leaves::new(&[wire]),
            values: Truth::FIRST,
            depth,
            products: 0,
            lateness: lateness([depth].into_iter()),
            level,
        }
    }
}

/// A few wires in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leaves {
    wires: [Wire; ARGUMENTS],
    len: usize,
}

impl Leaves {
    /// Takes the first of these wires.
    fn new(wires: &[Wire]) -> Self {
        let mut leaves = Self {
            wires: [Wire::new(0); ARGUMENTS],
            len: wires.len().min(ARGUMENTS),
        };
        for (leaf, wire) in leaves.wires.iter_mut().zip(wires) {
            *leaf = *wire;
        }
        leaves
    }

    fn as_slice(&self) -> &[Wire] {
        &self.wires[..self.len]
    }

    /// Joins both sets, if the result is small enough.
    fn joined(&self, other: &Self) -> Option<Self> {
        let mut joined = Self::new(&[]);
        let (mut left, mut right) = (self.as_slice(), other.as_slice());
        while let Some(next) = left.first().into_iter().chain(right.first()).min().copied() {
            *joined.wires.get_mut(joined.len)? = next;
            joined.len += 1;
            left = left.strip_prefix(&[next]).unwrap_or(left);
            right = right.strip_prefix(&[next]).unwrap_or(right);
        }
        Some(joined)
    }

    /// Rewrites a function of these wires as one of other wires, which include them.
    fn renamed(&self, values: Truth, others: &Self) -> Truth {
        let mut names = [0; ARGUMENTS];
        for (name, leaf) in names.iter_mut().zip(self.as_slice()) {
            let place = others.as_slice().iter().position(|other| other == leaf);
            *name = place.unwrap_or_default();
        }
        values.renamed(&names[..self.len])
    }
}

/// The sum of 2^(depth), rounded, with exponent and leading bits in one number.
fn lateness(depths: impl Iterator<Item = u32> + Clone) -> u64 {
    let deepest = depths.clone().max().unwrap_or_default();
    let sum: u64 = depths
        .map(|depth| 1 << 40_u32.saturating_sub(deepest - depth))
        .sum();
    let carried = sum.max(1).ilog2().saturating_sub(40);
    (u64::from(deepest + carried) << 41) | sum >> carried
}

/// For each wire: the most gates on a path to it, where a tree of XORs and NOTs counts as one gate. Wires
/// within such a tree that are read only there have the level of the whole tree: a cut with them as leaves
/// reaches back no further.
fn levels(circuit: &Circuit) -> Vec<u32> {
    let analysis = Analysis::new(circuit);
    let is_sum = |wire: Wire| Step::of(circuit, wire).is_sum();
    // For each wire: its reader, if there is only one and both are sums.
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

/// The method of finding cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    /// The most products in a polynomial.
    pub(super) products: usize,
    /// If set, the search not only joins the cuts of operands, but also looks for narrow places of up to
    /// this many wires before products. This is slower.
    pub(super) narrow: Option<usize>,
}

/// The cuts of all wires, and the least depths that they make possible.
pub(super) struct Cuts {
    /// The cuts of each wire; the trivial cut, if the wire has one, is last.
    pub(super) of: Vec<Vec<Cut>>,
    /// The least depth of each wire.
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
        let mut idle = 0;
        for (wire, gate) in circuit.numbered_gates() {
            let step = Step::new(circuit, wire, gate);
            let mut candidates = match step {
                Step::Xor(left, right) => cuts.joined(left, right, search, |left, right| left ^ right),
                Step::And(left, right) => cuts.joined(left, right, search, |left, right| left & right),
                Step::Not(operand) => cuts.complements(operand),
                Step::Opaque => Vec::new(),
            };
            let operands = circuit.operands(gate).map(|operand| cuts.depth(operand)).max();
            let by_gate = operands.unwrap_or_default() + u32::from(gate.is_product());
            if let Some(width) = search.narrow
                && matches!(step, Step::And(..))
                && idle < MOST_IDLE
            {
                let least = candidates.iter().map(|cut| cut.depth).fold(by_gate, u32::min);
                let found = cuts.narrow(circuit, wire, least, width, &levels);
                let found = found.filter(|cut| cut.products <= search.products);
                idle = if found.is_some() { 0 } else { idle + 1 };
                candidates.extend(found);
            }
            let level = wire.of(&levels);
            cuts.push(wire, candidates, by_gate, level);
        }
        cuts
    }

    /// The least depth of a wire found so far.
    pub(super) fn depth(&self, wire: Wire) -> u32 {
        wire.of(&self.least)
    }

    fn cuts(&self, wire: Wire) -> &[Cut] {
        self.of.get(wire.index()).map_or(&[], Vec::as_slice)
    }

    fn joined(
        &self,
        left: Wire,
        right: Wire,
        search: Search,
        operation: impl Fn(u64, u64) -> u64,
    ) -> Vec<Cut> {
        let mut pairs: Vec<(Cut, [&Cut; 2])> = Vec::new();
        for left in self.cuts(left) {
            for right in self.cuts(right) {
                let Some(leaves) = left.leaves.joined(&right.leaves) else {
                    continue;
                };
                if pairs.iter().all(|(earlier, _)| earlier.leaves != leaves) {
                    let depths = leaves.as_slice().iter().map(|leaf| self.depth(*leaf));
                    let cut = Cut {
                        leaves,
                        lateness: lateness(depths),
                        level: left.level.max(right.level),
                        ..*left
                    };
                    pairs.push((cut, [left, right]));
                }
            }
        }
        if pairs.len() > 2 * MEASURED {
            pairs.sort_by_key(|(cut, _)| (cut.lateness, cut.leaves.len));
            if let Some(others) = pairs.get_mut(MEASURED..) {
                others.sort_by_key(|(cut, _)| (cut.level, cut.leaves.len));
            }
            pairs.truncate(2 * MEASURED);
        }
        let measured = pairs.into_iter().map(|(cut, [left, right])| {
            let left = left.leaves.renamed(left.values, &cut.leaves);
            let right = right.leaves.renamed(right.values, &cut.leaves);
            self.measured(Cut {
                values: left.with(right, &operation),
                ..cut
            })
        });
        measured.filter(|cut| cut.products <= search.products).collect()
    }

    /// Finds a cut of at most `width` leaves that is sure to make a product shallower than `least`, or as
    /// shallow, so that products of the same wires have a cut in common.
    fn narrow(&self, circuit: &Circuit, wire: Wire, least: u32, width: usize, levels: &[u32]) -> Option<Cut> {
        let deepest = width.ilog2();
        let limits = [least.checked_sub(deepest + 1), least.checked_sub(deepest)];
        let mut found = limits
            .into_iter()
            .flatten()
            .filter_map(|limit| narrow(circuit, &self.least, wire, limit, width));
        let (leaves, values) = found.next()?;
        let depths = leaves.iter().map(|leaf| self.depth(*leaf));
        Some(self.measured(Cut {
            lateness: lateness(depths),
            level: leaves.iter().map(|leaf| leaf.of(levels)).max()?,
            leaves: Leaves::new(&leaves),
            values,
            depth: 0,
            products: 0,
        }))
    }

    /// Adds the depth and the products of the cut's polynomial.
    fn measured(&self, mut cut: Cut) -> Cut {
        let coefficients = cut.values.transformed();
        cut.depth = self.polynomial_depth(cut.leaves(), coefficients);
        let products = coefficients
            .ones(cut.leaves.len)
            .filter(|set| set.count_ones() > 1);
        cut.products = products.count();
        cut
    }

    fn complements(&self, operand: Wire) -> Vec<Cut> {
        let complement = |cut: &Cut| Cut {
            values: cut.values.not(),
            ..*cut
        };
        self.cuts(operand).iter().map(complement).collect()
    }

    /// The least depth of a polynomial: `d` with `2^d` at least the sum of `2^(depth)` over the factors of
    /// each product.
    fn polynomial_depth(&self, leaves: &[Wire], coefficients: Truth) -> u32 {
        let depths: Vec<u32> = leaves.iter().map(|leaf| self.depth(*leaf)).collect();
        // Leaves far shallower than the deepest one count as much as one that is 2^50 times shallower: there
        // are only eight.
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
        let heaviest = coefficients
            .ones(weights.len())
            .filter_map(|set| sums.get(set))
            .max();
        let heaviest = heaviest.copied().unwrap_or_default();
        if heaviest == 0 {
            0
        } else {
            base + heaviest.next_power_of_two().trailing_zeros()
        }
    }

    /// Keeps the best cuts of a wire.
    fn push(&mut self, wire: Wire, mut cuts: Vec<Cut>, by_gate: u32, level: u32) {
        cuts.sort_by_key(|cut| (cut.depth, cut.lateness, cut.leaves.len));
        let mut reaching = cuts.split_off(KEPT.min(cuts.len()));
        reaching.sort_by_key(|cut| (cut.level, cut.leaves.len));
        cuts.extend(reaching.into_iter().take(KEPT));
        let least = cuts.first().map_or(by_gate, |cut| cut.depth.min(by_gate));
        cuts.push(Cut::trivial(wire, least, level));
        self.of.push(cuts);
        self.least.push(least);
    }
}
