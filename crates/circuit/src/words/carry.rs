//! Carries of a sum at the least AND depth.
//!
//! With `p = x + y` and `g = x y` at each position, a carry goes on as `c' = g + p c`. Generating and
//! propagating exclude each other, so the OR of the textbooks is an XOR here, which is free of depth. The
//! same holds over a span of positions with `P`, the product of its `p`, and `G`, the carry that arises
//! within. Because `p` itself has no depth, carries out of `2^d - 1` positions come at depth `d`: `G` of the
//! upper `2^(d-1)` positions is ready at depth `d`, and their `P` at depth `d - 1`, as is the carry out of
//! the `2^(d-1) - 1` positions below. That meets the lower bound from the degree of the polynomial, which is
//! one more than the number of positions.
//!
//! If the operands come at different depths, for instance out of a multiplier's columns, dynamic programming
//! over these depths cuts the spans.

use std::collections::HashMap;

use crate::{Builder, Wire};

/// Spans up to this length are cut at the best of all places. Longer ones are cut only at a power of two
/// below the upper end, which is best if all operands have the same depth.
const EXHAUSTIVE_CUTS: usize = 64;

/// The carries that the caller wants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The carry into every position and the one out of the last.
    All,
    /// The carry into every position; the last entry is a copy of the one before.
    Inner,
    /// Only the carry out of the last position.
    Last,
}

/// The carries `c[0]` to `c[n]` of adding `n` bits `x`, `n` bits `y` and the carry `c[0]`. The deepest
/// wanted carry has the least possible depth; the others may be as deep if that saves gates. At unwanted
/// positions the entry is `c[0]`.
pub(super) fn carries(
    builder: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry: Wire,
    wanted: Wanted,
) -> Vec<Wire> {
    let width = x.len().min(y.len());
    let mut network = Network::new(builder, x, y, carry);
    let (first, last) = match wanted {
        Wanted::All => (1, width),
        Wanted::Inner => (1, width.saturating_sub(1)),
        Wanted::Last => (width.max(1), width),
    };
    let depths = (first..=last).map(|end| network.least.generate(0, end + 1));
    let budget = depths.max().unwrap_or_default();
    let mut carries = vec![carry; width + 1];
    // The loop starts from the top, so that the spans that must be shallow exist when positions with time to
    // spare look for something to build on.
    for (end, entry) in carries.iter_mut().enumerate().take(last + 1).skip(first).rev() {
        *entry = network.generate(0, end + 1, budget);
    }
    carries
}

/// One position of the chain.
#[derive(Clone, Copy)]
struct Position {
    x: Wire,
    y: Wire,
    /// Their sum.
    propagate: Wire,
}

/// The positions, with the incoming carry as an additional one below: it generates and does not propagate.
/// Spans are half open, `lo..hi` with `lo < hi`.
struct Network<'a> {
    builder: &'a mut Builder,
    carry: Wire,
    positions: Vec<Position>,
    least: LeastDepths,
    generated: HashMap<(usize, usize), Wire>,
    propagated: HashMap<(usize, usize), Wire>,
}

impl<'a> Network<'a> {
    fn new(builder: &'a mut Builder, x: &[Wire], y: &[Wire], carry: Wire) -> Self {
        let mut positions = vec![Position {
            x: carry,
            y: carry,
            propagate: carry,
        }];
        for (x, y) in x.iter().zip(y) {
            let propagate = builder.xor(*x, *y);
            positions.push(Position {
                x: *x,
                y: *y,
                propagate,
            });
        }
        let least = LeastDepths::new(builder, &positions);
        Self {
            builder,
            carry,
            positions,
            least,
            generated: HashMap::new(),
            propagated: HashMap::new(),
        }
    }

    /// The carry that arises within a span, at depth `budget` at most, which must be possible.
    fn generate(&mut self, lo: usize, hi: usize, budget: u32) -> Wire {
        if let Some(wire) = self.built(&self.generated, lo, hi, budget) {
            return wire;
        }
        let top = hi.checked_sub(1).and_then(|top| self.positions.get(top)).copied();
        let wire = match (top, self.cut(lo, hi, budget)) {
            (None, _) => self.carry,
            (Some(_), None) if lo == 0 => self.carry,
            (Some(top), None) => self.builder.and(top.x, top.y),
            (Some(top), Some(cut)) if cut + 1 == hi => {
                // The majority of x, y and the carry with one AND.
                let below = self.generate(lo, cut, budget.saturating_sub(1));
                let differs = self.builder.xor(top.y, below);
                let change = self.builder.and(top.propagate, differs);
                self.builder.xor(top.y, change)
            }
            (Some(_), Some(cut)) => {
                let below = self.generate(lo, cut, budget.saturating_sub(1));
                let above = self.generate(cut, hi, budget);
                let propagate = self.propagate(cut, hi, budget.saturating_sub(1));
                let through = self.builder.and(propagate, below);
                self.builder.xor(above, through)
            }
        };
        self.generated.insert((lo, hi), wire);
        wire
    }

    /// Whether a carry passes through all of a span that does not contain position 0, at depth `budget` at
    /// most.
    fn propagate(&mut self, lo: usize, hi: usize, budget: u32) -> Wire {
        if let Some(wire) = self.built(&self.propagated, lo, hi, budget) {
            return wire;
        }
        let below = budget.saturating_sub(1);
        let fits =
            |cut: &usize| self.least.propagate(lo, *cut) <= below && self.least.propagate(*cut, hi) <= below;
        let cost = |cut: &usize| self.propagate_cost(lo, *cut, below) + self.propagate_cost(*cut, hi, below);
        let wire = match cuts(lo, hi).filter(fits).min_by_key(cost) {
            Some(cut) => {
                let lower = self.propagate(lo, cut, below);
                let upper = self.propagate(cut, hi, below);
                self.builder.and(lower, upper)
            }
            None => self
                .positions
                .get(lo)
                .map_or(self.carry, |position| position.propagate),
        };
        self.propagated.insert((lo, hi), wire);
        wire
    }

    /// The place to cut a span so that its carry comes in time, with an estimated minimum of new gates;
    /// `None` for a single position.
    fn cut(&self, lo: usize, hi: usize, budget: u32) -> Option<usize> {
        let below = budget.saturating_sub(1);
        let fits = |cut: &usize| self.least.generate(lo, *cut) <= below && self.least.top(*cut, hi, budget);
        let cost = |cut: &usize| {
            let lower = self.generate_cost(lo, *cut, below);
            if *cut + 1 == hi {
                return lower;
            }
            let upper = self.generate_cost(*cut, hi, budget);
            lower + upper + self.propagate_cost(*cut, hi, below)
        };
        cuts(lo, hi).filter(fits).min_by_key(cost)
    }

    /// The approximate number of gates for the carry of a span.
    fn generate_cost(&self, lo: usize, hi: usize, budget: u32) -> usize {
        match self.built(&self.generated, lo, hi, budget) {
            Some(_) => 0,
            None => hi - lo,
        }
    }

    /// The approximate number of gates for the product over a span.
    fn propagate_cost(&self, lo: usize, hi: usize, budget: u32) -> usize {
        match self.built(&self.propagated, lo, hi, budget) {
            Some(_) => 0,
            None => hi - lo - 1,
        }
    }

    /// The wire of a span, if there is one that is shallow enough.
    fn built(
        &self,
        built: &HashMap<(usize, usize), Wire>,
        lo: usize,
        hi: usize,
        budget: u32,
    ) -> Option<Wire> {
        let wire = built.get(&(lo, hi)).copied();
        wire.filter(|wire| self.builder.and_depth(*wire) <= budget)
    }
}

/// The places at which a span may be cut, in ascending order.
fn cuts(lo: usize, hi: usize) -> impl Iterator<Item = usize> {
    let length = hi - lo;
    let (all, powers) = if length <= EXHAUSTIVE_CUTS {
        (lo + 1..hi, 0..0)
    } else {
        (0..0, 0..usize::BITS - (length - 1).leading_zeros())
    };
    all.chain(powers.rev().map(move |power| hi - (1 << power)))
}

/// The least possible AND depths of spans.
struct LeastDepths {
    /// For each position: the depth of the deeper of `x` and `y`.
    operands: Vec<u32>,
    /// The entry of `lo..hi` is at `lo * stride + hi`.
    generate: Vec<u32>,
    propagate: Vec<u32>,
    stride: usize,
}

impl LeastDepths {
    fn new(builder: &Builder, positions: &[Position]) -> Self {
        let stride = positions.len() + 1;
        let operands = positions.iter().map(|position| {
            let (x, y) = (builder.and_depth(position.x), builder.and_depth(position.y));
            x.max(y)
        });
        let mut least = Self {
            operands: operands.collect(),
            generate: vec![u32::MAX; stride * stride],
            propagate: vec![u32::MAX; stride * stride],
            stride,
        };
        for (lo, position) in positions.iter().enumerate() {
            let carry = builder.and_depth(position.x);
            let generate = if lo == 0 { carry } else { least.operand(lo) + 1 };
            // Position 0 does not propagate, because nothing lies below it.
            let propagate = match lo {
                0 => u32::MAX,
                _ => builder.and_depth(position.propagate),
            };
            least.set(lo, lo + 1, generate, propagate);
        }
        for length in 2..stride {
            for lo in 0..stride - length {
                least.fill(lo, lo + length);
            }
        }
        least
    }

    /// Computes a span of two positions or more from shorter ones.
    fn fill(&mut self, lo: usize, hi: usize) {
        let mut generate = u32::MAX;
        let mut propagate = u32::MAX;
        for cut in cuts(lo, hi) {
            let below = self.generate(lo, cut).saturating_add(1);
            let through = if cut + 1 == hi {
                self.operand(cut) + 1
            } else {
                self.generate(cut, hi)
                    .max(self.propagate(cut, hi).saturating_add(1))
            };
            generate = generate.min(below.max(through));
            let halves = self.propagate(lo, cut).max(self.propagate(cut, hi));
            propagate = propagate.min(halves.saturating_add(1));
        }
        self.set(lo, hi, generate, propagate);
    }

    /// Whether the part `cut..hi` of a span can do its share of a carry with depth `budget`.
    fn top(&self, cut: usize, hi: usize, budget: u32) -> bool {
        if cut + 1 == hi {
            return self.operand(cut) < budget;
        }
        self.generate(cut, hi) <= budget && self.propagate(cut, hi) < budget
    }

    fn generate(&self, lo: usize, hi: usize) -> u32 {
        self.generate
            .get(lo * self.stride + hi)
            .copied()
            .unwrap_or(u32::MAX)
    }

    fn propagate(&self, lo: usize, hi: usize) -> u32 {
        self.propagate
            .get(lo * self.stride + hi)
            .copied()
            .unwrap_or(u32::MAX)
    }

    fn operand(&self, position: usize) -> u32 {
        self.operands.get(position).copied().unwrap_or_default()
    }

    fn set(&mut self, lo: usize, hi: usize, generate: u32, propagate: u32) {
        let place = lo * self.stride + hi;
        if let Some(entry) = self.generate.get_mut(place) {
            *entry = generate;
        }
        if let Some(entry) = self.propagate.get_mut(place) {
            *entry = propagate;
        }
    }
}
