//! Reduces products within a given depth.
//!
//! If [`affine`](super::affine) can write a function of up to four wires with fewer products than the gates
//! that this makes superfluous, it does: cut rewriting with classification by affine equivalence (Testa,
//! Soeken, Amarù and De Micheli, "Reducing the multiplicative complexity in logic networks for cryptography
//! and security applications", 2019). References count superfluous gates exactly, as in the recovery of area
//! after mapping to lookup tables. A wire may become deeper only where that makes no output too deep.

use super::affine::Function;
use super::copy::Copy;
use super::small_cuts::{SmallCut, small_cuts};
use super::step::Step;
use crate::{Circuit, CircuitError, Wire};

/// The most times that a circuit is rewritten.
const MOST_ROUNDS: usize = 8;

/// The most wires that are visited to judge one cut.
const MOST_TOUCHED: usize = 200;

/// Finds a circuit with as few products as the rounds can reach, no deeper than `depth` (or than it is), and
/// never with more products.
pub(super) fn shrink(circuit: &Circuit, depth: u32) -> Result<Circuit, CircuitError> {
    let depth = depth.max(circuit.and_depth());
    let mut best = circuit.clone();
    for _ in 0..MOST_ROUNDS {
        let next = Network::new(&best, depth).rewritten()?;
        if next.and_count() >= best.and_count() {
            break;
        }
        best = next;
    }
    Ok(best)
}

/// A circuit during the decision of how to make each of its wires.
struct Network<'a> {
    circuit: &'a Circuit,
    cuts: Vec<Vec<SmallCut>>,
    /// For each wire: the cut that makes it, or `None` for its gate.
    chosen: Vec<Option<usize>>,
    /// For each wire: the number of places that read it, in wires that are needed.
    uses: Vec<u32>,
    /// The depth of each wire.
    depths: Vec<u32>,
    /// The depth by which each wire is needed.
    due: Vec<u32>,
}

/// The changes of a choice under trial.
#[derive(Default)]
struct Trial {
    /// The uses removed and added, in order.
    changes: Vec<(Wire, bool)>,
    /// The number of products no longer needed, less that of those newly needed.
    saved: i64,
}

impl<'a> Network<'a> {
    fn new(circuit: &'a Circuit, depth: u32) -> Self {
        let analysis = crate::Analysis::new(circuit);
        let facts = analysis.wires();
        let mut network = Self {
            circuit,
            cuts: small_cuts(circuit),
            chosen: vec![None; facts.len()],
            uses: facts.iter().map(|facts| facts.uses as u32).collect(),
            depths: facts.iter().map(|facts| facts.and_depth).collect(),
            due: Vec::new(),
        };
        network.due = network.due(depth);
        network
    }

    /// For each wire: the depth by which it is needed for outputs at depth `depth`.
    fn due(&self, depth: u32) -> Vec<u32> {
        let mut due = vec![depth; self.circuit.gates().len()];
        for (wire, gate) in self.circuit.numbered_gates().rev() {
            if self.uses[wire.index()] > 0 {
                let before = due[wire.index()].saturating_sub(u32::from(gate.is_product()));
                for operand in self.circuit.operands(gate) {
                    due[operand.index()] = due[operand.index()].min(before);
                }
            }
        }
        due
    }

    fn rewritten(mut self) -> Result<Circuit, CircuitError> {
        for (wire, gate) in self.circuit.numbered_gates() {
            self.depths[wire.index()] = self.depth_by(wire, None);
            let step = Step::new(self.circuit, wire, gate);
            if self.uses[wire.index()] > 0 && step != Step::Opaque {
                self.improve(wire);
            }
        }
        let mut copy = Copy::new(self.circuit);
        for (wire, gate) in self.circuit.numbered_gates() {
            if self.uses[wire.index()] == 0 {
                continue;
            }
            match self.chosen[wire.index()].map(|cut| self.cuts[wire.index()][cut]) {
                None => copy.write(wire, gate)?,
                Some(cut) => {
                    let leaves: Vec<Wire> = cut.leaves().iter().map(|leaf| copy.get(*leaf)).collect();
                    let made = Function::of(cut.table).build(&mut copy.builder, &leaves);
                    copy.set(wire, made);
                }
            }
        }
        copy.finish()
    }

    /// Makes a wire by the cut that saves the most products, if any cut saves some.
    fn improve(&mut self, wire: Wire) {
        let mut best: Option<(i64, u32, usize)> = None;
        for cut in 0..self.cuts[wire.index()].len().saturating_sub(1) {
            let depth = self.depth_by(wire, Some(cut));
            if depth > self.due[wire.index()] {
                continue;
            }
            let trial = self.try_cut(wire, cut);
            self.undo(&trial);
            let better = best.is_none_or(|(saved, at, _)| (trial.saved, at) > (saved, depth));
            let shallower = trial.saved == 0 && depth < self.depths[wire.index()];
            if better && (trial.saved > 0 || shallower) {
                best = Some((trial.saved, depth, cut));
            }
        }
        if let Some((_, depth, cut)) = best {
            self.try_cut(wire, cut);
            self.chosen[wire.index()] = Some(cut);
            self.depths[wire.index()] = depth;
        }
    }

    /// The depth of a wire made by a cut, or otherwise by its gate.
    fn depth_by(&self, wire: Wire, cut: Option<usize>) -> u32 {
        match cut.map(|cut| self.cuts[wire.index()][cut]) {
            Some(cut) => {
                let mut depths = [0; super::affine::ARGUMENTS];
                for (depth, leaf) in depths.iter_mut().zip(cut.leaves()) {
                    *depth = self.depths[leaf.index()];
                }
                Function::of(cut.table).depth(&depths[..cut.leaves().len()])
            }
            None => {
                let gate = self.circuit.gates()[wire.index()];
                let operands = self.circuit.operands(gate);
                let deepest = operands.map(|operand| self.depths[operand.index()]).max();
                deepest.unwrap_or_default() + u32::from(gate.is_product())
            }
        }
    }

    /// Removes the uses that a wire currently makes and adds those that it makes by a cut. A trial that
    /// leads too far counts as a loss.
    fn try_cut(&mut self, wire: Wire, cut: usize) -> Trial {
        let mut trial = Trial::default();
        let cut = self.cuts[wire.index()][cut];
        // The leaves come first, so that nothing below them is visited.
        for leaf in cut.leaves() {
            self.shift(&mut trial, *leaf, true);
        }
        self.shift_operands(&mut trial, wire, false);
        trial.saved -= i64::from(Function::of(cut.table).products());
        if trial.changes.len() > MOST_TOUCHED {
            trial.saved = i64::MIN;
        }
        trial
    }

    fn undo(&mut self, trial: &Trial) {
        for (wire, given) in trial.changes.iter().rev() {
            let uses = &mut self.uses[wire.index()];
            *uses = if *given { *uses - 1 } else { *uses + 1 };
        }
    }

    /// Adds or removes a use of a wire, and the uses of its operands if it was or becomes superfluous.
    fn shift(&mut self, trial: &mut Trial, wire: Wire, give: bool) {
        let mut open = vec![wire];
        while let Some(wire) = open.pop() {
            let uses = &mut self.uses[wire.index()];
            let settled = if give { *uses > 0 } else { *uses > 1 };
            *uses = if give { *uses + 1 } else { *uses - 1 };
            trial.changes.push((wire, give));
            if !settled && trial.changes.len() <= MOST_TOUCHED {
                let products = i64::from(self.products(wire));
                trial.saved += if give { -products } else { products };
                open.extend(self.operands(wire));
            }
        }
    }

    /// Does the same for all operands of a wire.
    fn shift_operands(&mut self, trial: &mut Trial, wire: Wire, give: bool) {
        trial.saved += i64::from(self.products(wire));
        for operand in self.operands(wire) {
            self.shift(trial, operand, give);
        }
    }

    /// The number of products that a wire itself takes.
    fn products(&self, wire: Wire) -> u32 {
        match self.chosen[wire.index()].map(|cut| self.cuts[wire.index()][cut]) {
            Some(cut) => Function::of(cut.table).products(),
            None => u32::from(self.circuit.gates()[wire.index()].is_product()),
        }
    }

    /// The wires from which a wire is made.
    fn operands(&self, wire: Wire) -> Vec<Wire> {
        match self.chosen[wire.index()].map(|cut| self.cuts[wire.index()][cut]) {
            Some(cut) => cut.leaves().to_vec(),
            None => self
                .circuit
                .operands(self.circuit.gates()[wire.index()])
                .collect(),
        }
    }
}
