//! Fewer products within a given depth.
//!
//! Wherever a function of up to four wires takes fewer products written by
//! [`affine`](super::affine) than the gates that it makes superfluous, it is
//! written so: cut rewriting with classification by affine equivalence (Testa,
//! Soeken, Amarù and De Micheli, "Reducing the multiplicative complexity in
//! logic networks for cryptography and security applications", 2019). What
//! becomes superfluous is counted exactly, by references, as in the recovery of
//! area after mapping to lookup tables, and a wire is left to come later only
//! where that makes no output too deep.

use super::affine::Function;
use super::copy::Copy;
use super::small_cuts::{SmallCut, small_cuts};
use super::step::Step;
use crate::{Circuit, CircuitError, Wire};

/// How often a circuit is written anew at most.
const MOST_ROUNDS: usize = 8;

/// How many wires are looked at to judge one cut, at most.
const MOST_TOUCHED: usize = 200;

/// A circuit with as few products as the rounds find, no deeper than `depth` (or than it is), and never with
/// more.
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

/// A circuit while it is decided how each of its wires is made.
struct Network<'a> {
    circuit: &'a Circuit,
    cuts: Vec<Vec<SmallCut>>,
    /// By wire the cut that it is made by, if not its gate.
    chosen: Vec<Option<usize>>,
    /// By wire how many places read it, of wires that are needed.
    uses: Vec<u32>,
    /// By wire its depth.
    depths: Vec<u32>,
    /// By wire the depth by which it is needed.
    due: Vec<u32>,
}

/// What a choice under trial changes.
#[derive(Default)]
struct Trial {
    /// The uses taken and given, in order.
    changes: Vec<(Wire, bool)>,
    /// Products that are needed no more, less those that are needed newly.
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

    /// By wire the depth by which it is needed for outputs at depth `depth`.
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

    /// Makes a wire by the cut that saves most products, if one does.
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

    /// The depth of a wire made by a cut, or else by its gate.
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

    /// Takes the uses that a wire makes as it is now and gives those that it makes by a cut. A trial that
    /// leads too far counts as a loss.
    fn try_cut(&mut self, wire: Wire, cut: usize) -> Trial {
        let mut trial = Trial::default();
        let cut = self.cuts[wire.index()][cut];
        // First of all the leaves, so that nothing below them is looked at.
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

    /// Gives or takes a use of a wire, and of all that it is made of if it was or becomes superfluous.
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

    /// The same for all that a wire is made of.
    fn shift_operands(&mut self, trial: &mut Trial, wire: Wire, give: bool) {
        trial.saved += i64::from(self.products(wire));
        for operand in self.operands(wire) {
            self.shift(trial, operand, give);
        }
    }

    /// The products that a wire takes by itself.
    fn products(&self, wire: Wire) -> u32 {
        match self.chosen[wire.index()].map(|cut| self.cuts[wire.index()][cut]) {
            Some(cut) => Function::of(cut.table).products(),
            None => u32::from(self.circuit.gates()[wire.index()].is_product()),
        }
    }

    /// The wires that a wire is made of.
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
