//! Chooses where to write polynomials instead of gates.

use std::collections::HashMap;

use super::copy::Copy;
use super::cuts::{Cut, Cuts, Search};
use super::step::Step;
use super::truth::Truth;
use crate::anf::Functions;
use crate::{Builder, Circuit, CircuitError, Wire};

/// A circuit with all cuts that allow less depth.
pub(super) struct Cover<'a> {
    circuit: &'a Circuit,
    cuts: Cuts,
    /// For each wire: the depth that gates alone reach, through XORs and NOTs back to ANDs, and from there
    /// with operands as shallow as polynomials make them.
    by_gates: Vec<u32>,
}

/// The way in which a needed wire gets its value.
#[derive(Clone, Copy)]
struct Plan {
    /// The depth by which it is needed.
    due: u32,
    /// The cut that is written as a polynomial, if the wire is not written as its gate.
    cut: Option<usize>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(circuit: &'a Circuit, search: Search) -> Self {
        let cuts = Cuts::new(circuit, search);
        let mut by_gates: Vec<u32> = Vec::with_capacity(circuit.gates().len());
        for (wire, gate) in circuit.numbered_gates() {
            by_gates.push(match Step::new(circuit, wire, gate) {
                Step::And(left, right) => cuts.depth(left).max(cuts.depth(right)) + 1,
                Step::Xor(left, right) => left.of(&by_gates).max(right.of(&by_gates)),
                Step::Not(operand) => operand.of(&by_gates),
                Step::Opaque => cuts.depth(wire),
            });
        }
        Self {
            circuit,
            cuts,
            by_gates,
        }
    }

    /// The least depth of the deepest output.
    pub(super) fn least_depth(&self) -> u32 {
        let depths = self.outputs().map(|wire| self.cuts.depth(wire));
        depths.max().unwrap_or_default()
    }

    /// Builds the circuit at depth `target`, which must be at least the least one.
    pub(super) fn build(&self, target: u32) -> Result<Circuit, CircuitError> {
        let plans = self.plan(target);
        let mut copy = Copy::new(self.circuit);
        let mut families: HashMap<Vec<Wire>, Family> = HashMap::new();
        for ((wire, gate), plan) in self.circuit.numbered_gates().zip(plans) {
            let Some(plan) = plan else { continue };
            match plan.cut.and_then(|cut| self.cuts.of.get(wire.index())?.get(cut)) {
                None => copy.write(wire, gate)?,
                Some(cut) => {
                    let leaves: Vec<Wire> = cut.leaves().iter().map(|leaf| copy.get(*leaf)).collect();
                    let family = families.entry(cut.leaves().to_vec()).or_default();
                    let made = family.make(&mut copy.builder, &leaves, cut.values, plan.due);
                    copy.set(wire, made);
                }
            }
        }
        copy.finish()
    }

    fn outputs(&self) -> impl Iterator<Item = Wire> {
        self.circuit
            .outputs()
            .iter()
            .flat_map(|port| &port.wires)
            .copied()
    }

    /// The plan of each wire; `None` for those that are not needed.
    fn plan(&self, target: u32) -> Vec<Option<Plan>> {
        let mut plans = vec![None; self.circuit.gates().len()];
        for wire in self.outputs() {
            need(&mut plans, wire, target);
        }
        for (wire, gate) in self.circuit.numbered_gates().rev() {
            let Some(due) = wire.of(&plans).map(|plan| plan.due) else {
                continue;
            };
            let choice = self.choose(wire, Step::new(self.circuit, wire, gate), due);
            if let Some(Some(plan)) = plans.get_mut(wire.index()) {
                plan.cut = choice.map(|(index, _)| index);
            }
            match choice {
                Some((_, cut)) => {
                    let spare = due.saturating_sub(cut.depth);
                    for leaf in cut.leaves() {
                        need(&mut plans, *leaf, self.cuts.depth(*leaf) + spare);
                    }
                }
                None => {
                    let own = u32::from(gate.is_product());
                    for operand in self.circuit.operands(gate) {
                        need(&mut plans, operand, due.saturating_sub(own));
                    }
                }
            }
        }
        plans
    }

    /// The cut to write as a polynomial, or `None` if the gate will do.
    ///
    /// If some products of a sum must become polynomials, the whole sum becomes one if possible: that is one
    /// polynomial instead of several.
    fn choose(&self, wire: Wire, step: Step, due: u32) -> Option<(usize, &Cut)> {
        let by_gates = wire.of(&self.by_gates);
        match step {
            Step::Opaque => None,
            Step::And(..) | Step::Xor(..) | Step::Not(_) if by_gates <= due => None,
            Step::And(..) | Step::Xor(..) | Step::Not(_) => {
                let cuts = self.cuts.of.get(wire.index())?;
                let real = cuts.iter().enumerate().take(cuts.len().saturating_sub(1));
                let in_time = real.filter(|(_, cut)| cut.depth <= due);
                in_time.min_by_key(|(_, cut)| (cut.lateness, cut.products))
            }
        }
    }
}

/// Records that a wire is needed at depth `due`.
fn need(plans: &mut [Option<Plan>], wire: Wire, due: u32) {
    if let Some(plan) = plans.get_mut(wire.index()) {
        let earlier = plan.map_or(due, |plan| plan.due.min(due));
        *plan = Some(Plan {
            due: earlier,
            cut: None,
        });
    }
}

/// Functions of the same leaves. A sum of functions that have been made is not made again.
#[derive(Default)]
struct Family {
    /// The coefficients, the first coefficient set beyond the affine ones, and the wire.
    made: Vec<(Truth, usize, Wire)>,
}

impl Family {
    /// The wire of a function, at depth `due` at most.
    fn make(&mut self, builder: &mut Builder, leaves: &[Wire], values: Truth, due: u32) -> Wire {
        let mut rest = values.transformed();
        let mut terms = Vec::new();
        for (coefficients, first, wire) in &self.made {
            if rest.bit(*first) && builder.and_depth(*wire) <= due {
                rest = rest.with(*coefficients, |left, right| left ^ right);
                terms.push(*wire);
            }
        }
        let coefficients = (0..1 << leaves.len()).map(|set| rest.bit(set)).collect();
        let made = Functions::new(builder, leaves).make(&[coefficients]);
        let first = rest.ones(leaves.len()).find(|set| set.count_ones() > 1);
        if let (Some(first), Some(wire)) = (first, made.first()) {
            self.made.push((rest, first, *wire));
        }
        terms.extend(made);
        builder.xor_all(&terms)
    }
}
