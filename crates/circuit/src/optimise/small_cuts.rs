//! Cuts of up to four wires, chosen for the products that they save.

use super::affine::{ARGUMENTS, Function};
use super::step::Step;
use crate::{Analysis, Circuit, Wire};

/// The number of cuts that are kept for a wire in addition to the wire itself.
const KEPT: usize = 10;

/// The weight of a product in the flow of products to a wire.
const UNIT: u64 = 1 << 20;

/// A few wires that determine another one, and the function by which they do.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallCut {
    leaves: [Wire; ARGUMENTS],
    len: usize,
    /// The wire's values as a function of its leaves.
    pub(super) table: u16,
    /// The products of the function, and its share in those before its leaves.
    flow: u64,
}

impl SmallCut {
    /// The leaves in ascending order.
    pub(super) fn leaves(&self) -> &[Wire] {
        &self.leaves[..self.len]
    }

    fn trivial(wire: Wire, flow: u64) -> Self {
        Self {
            leaves: [wire; ARGUMENTS],
            len: 1,
            table: 0xaaaa,
            flow,
        }
    }

    /// Joins the leaves of two cuts, if they are few enough; the caller fills in the rest.
    fn joined(&self, other: &Self) -> Option<Self> {
        let mut joined = Self::trivial(Wire::new(0), 0);
        joined.len = 0;
        let (mut left, mut right) = (self.leaves(), other.leaves());
        while let Some(next) = left.first().into_iter().chain(right.first()).min().copied() {
            *joined.leaves.get_mut(joined.len)? = next;
            joined.len += 1;
            left = left.strip_prefix(&[next]).unwrap_or(left);
            right = right.strip_prefix(&[next]).unwrap_or(right);
        }
        Some(joined)
    }

    /// The values as a function of other leaves, which include these.
    fn table_by(&self, leaves: &[Wire]) -> u16 {
        let mut places = [0; ARGUMENTS];
        for (place, leaf) in places.iter_mut().zip(self.leaves()) {
            *place = leaves.iter().position(|other| other == leaf).unwrap_or_default();
        }
        let own = |m: usize| {
            let bits = places[..self.len].iter().enumerate();
            bits.fold(0, |own, (bit, place)| own | (m >> place & 1) << bit)
        };
        (0..1 << ARGUMENTS).fold(0, |table, m| table | (self.table >> own(m) & 1) << m)
    }
}

/// The cuts of each wire of a circuit, joined from those of its operands as in mapping to lookup tables. The
/// cuts with the least flow are kept.
pub(super) fn small_cuts(circuit: &Circuit) -> Vec<Vec<SmallCut>> {
    let analysis = Analysis::new(circuit);
    let mut all: Vec<Vec<SmallCut>> = Vec::with_capacity(circuit.gates().len());
    for ((wire, gate), facts) in circuit.numbered_gates().zip(analysis.wires()) {
        let step = Step::new(circuit, wire, gate);
        let mut cuts = match step {
            Step::Xor(left, right) => pairs(&all[left.index()], &all[right.index()], |a, b| a ^ b),
            Step::And(left, right) => pairs(&all[left.index()], &all[right.index()], |a, b| a & b),
            Step::Not(operand) => {
                let complement = |cut: &SmallCut| SmallCut {
                    table: !cut.table,
                    ..*cut
                };
                all[operand.index()].iter().map(complement).collect()
            }
            Step::Opaque => Vec::new(),
        };
        for cut in &mut cuts {
            let leaves = cut.leaves().iter().map(|leaf| own_flow(&all, *leaf));
            cut.flow = leaves.sum::<u64>() + UNIT * u64::from(Function::of(cut.table).products());
        }
        cuts.sort_by_key(|cut| (cut.flow, cut.len, cut.leaves));
        cuts.truncate(KEPT);
        let flow = cuts.first().map_or(0, |cut| cut.flow) / facts.uses.max(1) as u64;
        cuts.push(SmallCut::trivial(wire, flow));
        all.push(cuts);
    }
    all
}

/// The flow to a wire, shared by all its readers.
fn own_flow(all: &[Vec<SmallCut>], wire: Wire) -> u64 {
    all[wire.index()].last().map_or(0, |cut| cut.flow)
}

fn pairs(left: &[SmallCut], right: &[SmallCut], operation: impl Fn(u16, u16) -> u16) -> Vec<SmallCut> {
    let mut joined: Vec<SmallCut> = Vec::with_capacity(left.len() * right.len());
    for left in left {
        for right in right {
            let Some(mut cut) = left.joined(right) else {
                continue;
            };
            if joined.iter().all(|earlier| earlier.leaves() != cut.leaves()) {
                cut.table = operation(left.table_by(cut.leaves()), right.table_by(cut.leaves()));
                joined.push(cut);
            }
        }
    }
    joined
}
