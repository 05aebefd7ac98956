//! Flattens sums and products and rebuilds them.

use std::collections::{BTreeSet, HashMap};

use super::Measures;
use super::copy::Copy;
use super::step::Step;
use crate::anf::product_depth;
use crate::{Analysis, Builder, Circuit, CircuitError, Wire};

/// The most searches for a common factor among the terms of one sum. It suffices for any sum that people
/// write, and keeps the time linear.
const MOST_FACTORINGS: usize = 256;

/// The most times that the trees of a circuit are rebuilt.
const MOST_REBUILDS: usize = 16;

/// The terms of a sum from which common factors are taken out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Factoring {
    /// Terms whose other factors have the same depth. Sums of early and of late wires stay apart, so that
    /// late wires have few readers, on which further rewriting depends.
    Even,
    /// All terms.
    Any,
}

/// Rewrites a circuit with its trees of XORs and NOTs and its trees of ANDs flattened and balanced. The AND
/// depth of no wire grows.
fn rebuild(circuit: &Circuit, factoring: Factoring) -> Result<Circuit, CircuitError> {
    let trees = Trees::new(circuit);
    let mut copy = Copy::new(circuit);
    for (wire, gate) in circuit.numbered_gates() {
        if wire.of(&trees.inner) || !trees.is_live(wire) {
            continue;
        }
        match Step::new(circuit, wire, gate) {
            Step::And(..) => {
                let mut factors = Vec::new();
                trees.collect_factors(wire, &mut factors);
                let factors = renamed(&copy, &factors);
                let product = copy.builder.and_all(&factors);
                copy.set(wire, product);
            }
            Step::Xor(..) | Step::Not(_) => {
                let sum = trees.sum(wire, &copy);
                let sum = sum.build(&mut copy.builder, factoring);
                copy.set(wire, sum);
            }
            Step::Opaque => copy.write(wire, gate)?,
        }
    }
    copy.finish()
}

/// Rebuilds the trees until nothing becomes shallower or smaller.
pub(super) fn settle(circuit: &Circuit, factoring: Factoring) -> Result<Circuit, CircuitError> {
    let mut best = rebuild(circuit, factoring)?;
    for _ in 0..MOST_REBUILDS {
        let next = rebuild(&best, factoring)?;
        if rank(&next) >= rank(&best) {
            break;
        }
        best = next;
    }
    Ok(best)
}

/// Depth counts first, then ANDs, then XORs, then all gates.
fn rank(circuit: &Circuit) -> (u32, usize, usize, usize) {
    let Measures {
        and_depth,
        and_count,
        xor_count,
    } = Measures::of(circuit);
    (and_depth, and_count, xor_count, circuit.gates().len())
}

/// The new wires for old ones, each only once.
fn renamed(copy: &Copy<'_>, old: &[Wire]) -> Vec<Wire> {
    let new: BTreeSet<Wire> = old.iter().map(|wire| copy.get(*wire)).collect();
    new.into_iter().collect()
}

/// The trees of a circuit.
struct Trees<'a> {
    circuit: &'a Circuit,
    analysis: Analysis,
    /// Whether a wire lies within a larger tree and is read only there.
    inner: Vec<bool>,
}

impl<'a> Trees<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        let analysis = Analysis::new(circuit);
        let mut inner = vec![false; circuit.gates().len()];
        for (wire, gate) in circuit.numbered_gates() {
            if !analysis.wire(wire).is_some_and(|facts| facts.live) {
                continue;
            }
            let step = Step::new(circuit, wire, gate);
            for operand in circuit.operands(gate) {
                let read_once = analysis.wire(operand).is_some_and(|facts| facts.uses == 1);
                let joins = joins(Step::of(circuit, operand), step);
                if let Some(entry) = inner.get_mut(operand.index()) {
                    *entry = read_once && joins;
                }
            }
        }
        Self {
            circuit,
            analysis,
            inner,
        }
    }

    fn is_live(&self, wire: Wire) -> bool {
        self.analysis.wire(wire).is_some_and(|facts| facts.live)
    }

    /// Collects the factors of the product that a wire is. A wire that is no product is its own factor.
    fn collect_factors(&self, wire: Wire, factors: &mut Vec<Wire>) {
        // An explicit stack, because chains of any length occur.
        let mut open = vec![(wire, true)];
        while let Some((wire, is_root)) = open.pop() {
            match Step::of(self.circuit, wire) {
                Step::And(left, right) if is_root || wire.of(&self.inner) => {
                    open.extend([(right, false), (left, false)]);
                }
                _ => factors.push(wire),
            }
        }
    }

    /// The sum that a wire is, in terms of new wires.
    fn sum(&self, wire: Wire, copy: &Copy<'_>) -> Sum {
        let mut sum = Sum::default();
        let mut open = vec![(wire, true)];
        while let Some((wire, is_root)) = open.pop() {
            let inner = is_root || wire.of(&self.inner);
            match Step::of(self.circuit, wire) {
                Step::Xor(left, right) if inner => open.extend([(right, false), (left, false)]),
                Step::Not(operand) if inner => {
                    sum.complement = !sum.complement;
                    open.push((operand, false));
                }
                Step::And(..) if inner => {
                    let mut factors = Vec::new();
                    self.collect_factors(wire, &mut factors);
                    sum.add(renamed(copy, &factors));
                }
                _ => sum.add(vec![copy.get(wire)]),
            }
        }
        sum
    }
}

/// Whether a gate that only one other gate reads becomes part of that gate's tree: a sum in a sum, a product
/// in a product, and a product as a term of a sum.
fn joins(inner: Step, outer: Step) -> bool {
    match (inner, outer) {
        (Step::Xor(..) | Step::Not(_) | Step::And(..), Step::Xor(..) | Step::Not(_)) => true,
        (Step::And(..), Step::And(..)) => true,
        (Step::Xor(..) | Step::Not(_), Step::And(..)) => false,
        (Step::Opaque, _) | (_, Step::Opaque) => false,
    }
}

/// A sum over GF(2) of products, each of which is an ascending list of factors.
#[derive(Default)]
struct Sum {
    complement: bool,
    terms: Vec<Vec<Wire>>,
}

impl Sum {
    /// Adds a term. [`build`](Self::build) drops equal ones.
    fn add(&mut self, factors: Vec<Wire>) {
        self.terms.push(factors);
    }

    /// Drops terms that occur an even number of times.
    fn cancel(&mut self) {
        let mut odd: HashMap<Vec<Wire>, bool> = HashMap::new();
        for term in &self.terms {
            *odd.entry(term.clone()).or_default() ^= true;
        }
        self.terms
            .retain(|term| odd.insert(term.clone(), false).unwrap_or_default());
    }

    fn build(mut self, builder: &mut Builder, factoring: Factoring) -> Wire {
        self.cancel();
        for _ in 0..MOST_FACTORINGS {
            if !self.factor(builder, factoring) {
                break;
            }
        }
        let terms: Vec<Wire> = self
            .terms
            .iter()
            .map(|factors| builder.and_all(factors))
            .collect();
        let sum = builder.xor_all(&terms);
        if self.complement { builder.not(sum) } else { sum }
    }

    /// Takes the common factors out of two terms if this makes the sum no deeper, and returns whether it
    /// did.
    fn factor(&mut self, builder: &mut Builder, factoring: Factoring) -> bool {
        let mut seen: HashMap<Wire, usize> = HashMap::new();
        let products = self
            .terms
            .iter()
            .enumerate()
            .filter(|(_, factors)| factors.len() > 1);
        let mut pair = None;
        'search: for (index, factors) in products {
            for factor in factors {
                if let Some(earlier) = seen.insert(*factor, index)
                    && let Some(term) = self.common(earlier, index, builder, factoring)
                {
                    pair = Some((earlier, index, term));
                    break 'search;
                }
            }
        }
        let Some((earlier, later, (common, rests))) = pair else {
            return false;
        };
        let rests = rests.map(|rest| builder.and_all(&rest));
        let rest = builder.xor(rests[0], rests[1]);
        let mut factors: BTreeSet<Wire> = common.into_iter().collect();
        factors.insert(rest);
        self.terms.remove(later);
        if let Some(term) = self.terms.get_mut(earlier) {
            *term = factors.into_iter().collect();
        }
        true
    }

    /// The common factors of two terms and the rest of each. `None` if the product of the factors with the
    /// sum of the rests would be deeper than the terms.
    fn common(
        &self,
        left: usize,
        right: usize,
        builder: &Builder,
        factoring: Factoring,
    ) -> Option<(Vec<Wire>, [Vec<Wire>; 2])> {
        let (left, right) = (self.terms.get(left)?, self.terms.get(right)?);
        let common: Vec<Wire> = left
            .iter()
            .filter(|factor| right.contains(factor))
            .copied()
            .collect();
        let rests = [left, right].map(|term| {
            let rest = term.iter().filter(|factor| !common.contains(factor));
            rest.copied().collect::<Vec<Wire>>()
        });
        let depth = |factors: &[Wire]| product_depth(factors.iter().map(|wire| builder.and_depth(*wire)));
        let [first, second] = rests.each_ref().map(|rest| depth(rest));
        if factoring == Factoring::Even && first != second {
            return None;
        }
        let rest = first.max(second);
        let with_common = common.iter().map(|wire| builder.and_depth(*wire)).chain([rest]);
        let deepest = depth(left).max(depth(right));
        (product_depth(with_common) <= deepest).then_some((common, rests))
    }
}
