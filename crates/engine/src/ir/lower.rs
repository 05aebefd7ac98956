//! From circuits to programs.

use std::collections::HashMap;

use ringmill_circuit::{Analysis, Circuit, Gate, Gathered, Linear, MapId, Move, Visibility, Wire, WireType};

use crate::PlanError;
use crate::ir::clear::{ClearId, ClearProgram};
use crate::ir::fuse::fuse;
use crate::ir::program::{Operation, OutputSource, Program, RecordMove, ValueId};
use crate::ir::tidying::Tidying;

/// Terms of a sum beyond which parts of it are summed first, so that not everything that goes into a
/// long sum has to be kept until its end.
const MOST_TERMS: usize = 32;

/// A wire while lowering: a sum, mod 2, of encrypted values and of one value in the clear.
///
/// Sums stay open, that is without an operation of their own, as long as nothing is lost by it: until
/// they are used by a product or an output, or where several users would each add them up again.
#[derive(Debug, Clone)]
struct Sum {
    /// Ascending, all different.
    terms: Vec<ValueId>,
    clear: ClearId,
}

/// Lowers a circuit to operations on encrypted values.
///
/// * What depends on public inputs only is computed in the clear.
/// * Trees of XOR and NOT whose inner wires have a single use become one [`Operation::Linear`]: equal
///   terms cancel, and all terms in the clear are added up in the clear and added once.
/// * Products with a constant, and gates that no output depends on, vanish.
/// * Sums that contain products or linear maps used nowhere else are one operation with them.
///
/// # Errors
/// [`PlanError::MixedRows`] if the circuit has wires of different sizes.
pub fn lower(circuit: &Circuit) -> Result<Program, PlanError> {
    let outputs = circuit.outputs().len();
    Ok(fuse(Lowering::new(circuit).program(row(circuit)?, outputs)))
}

/// The same for a circuit of bits of which four records share each slot. Products are tidied before they are multiplied
/// again or returned: see [`nibble`](ringmill_circuit::nibble).
///
/// # Errors
/// [`PlanError::CannotShare`] if there is anything but bits in the circuit.
pub(crate) fn lower_shared(circuit: &Circuit) -> Result<Program, PlanError> {
    let bits = circuit.kinds().iter().all(|kind| kind.is_bit());
    if !bits || !circuit.maps().is_empty() {
        return Err(PlanError::CannotShare {
            what: "a circuit with bytes",
        });
    }
    let mut lowering = Lowering::new(circuit);
    lowering.tidying = Some(Tidying::new(circuit, &lowering.analysis));
    let mut program = lowering.program(1, circuit.outputs().len());
    program.maps.push(Tidying::row_map()?);
    program.shared = true;
    Ok(fuse(program))
}

/// The same for a circuit with totals over the records of a batch: what stands for a value of another record becomes an
/// automorphism of the value, in the clear a permutation.
pub(crate) fn lower_gathered(gathered: &Gathered, steps: &[RecordMove]) -> Result<Program, PlanError> {
    let circuit = gathered.circuit();
    let mut lowering = Lowering::new(circuit);
    lowering.moves = gathered.moves().map(|found| (found.wire, found)).collect();
    lowering
        .clear
        .set_moves(steps.iter().map(|step| step.source.clone()).collect());
    let mut program = lowering.program(row(circuit)?, gathered.outputs());
    program.inputs.truncate(gathered.inputs());
    program.moves = steps.iter().map(|step| step.exponent).collect();
    // Without moves that no total needs, so that more is used only once.
    Ok(fuse(program.prune()))
}

/// The slots of a record: those of each of the circuit's wires.
fn row(circuit: &Circuit) -> Result<usize, PlanError> {
    let mut sizes = circuit.kinds().iter().map(|kind| kind.slots());
    let first = sizes.next().unwrap_or(1);
    match sizes.find(|size| *size != first) {
        Some(other) => Err(PlanError::MixedRows {
            sizes: (first.min(other), first.max(other)),
        }),
        None => Ok(first),
    }
}

struct Lowering<'a> {
    circuit: &'a Circuit,
    analysis: Analysis,
    operations: Vec<Operation>,
    clear: ClearProgram,
    inputs: Vec<Vec<Option<ValueId>>>,
    /// For each input wire its visibility, port and place in the port.
    origins: Vec<Option<(Visibility, usize, usize)>>,
    /// The input wires that stand for values of other records.
    moves: HashMap<Wire, Move>,
    wires: Vec<Sum>,
    /// Where records share slots.
    tidying: Option<Tidying>,
}

impl<'a> Lowering<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        let mut origins = vec![None; circuit.gates().len()];
        for (index, port) in circuit.inputs().iter().enumerate() {
            for (place, wire) in port.wires.iter().enumerate() {
                origins[wire.index()] = Some((port.visibility, index, place));
            }
        }
        Self {
            circuit,
            analysis: Analysis::new(circuit),
            operations: Vec::new(),
            clear: ClearProgram::new(circuit.maps()),
            inputs: circuit
                .inputs()
                .iter()
                .map(|port| vec![None; port.wires.len()])
                .collect(),
            origins,
            moves: HashMap::new(),
            wires: Vec::with_capacity(circuit.gates().len()),
            tidying: None,
        }
    }

    /// Lowers all gates, and so many output ports.
    fn program(mut self, row: usize, outputs: usize) -> Program {
        let circuit = self.circuit;
        for (wire, gate) in circuit.numbered_gates() {
            let facts = self.analysis.wires()[wire.index()];
            let sum = if facts.live {
                let sum = self.gate(wire, gate);
                let is_due = |tidying: &Tidying| tidying.is_due(wire);
                let sum = match self.tidying.as_ref().is_some_and(is_due) {
                    true => self.tidied(sum),
                    false => sum,
                };
                self.close_if_shared(sum, facts.uses)
            } else {
                self.in_the_clear(|clear| clear.bit(false))
            };
            self.wires.push(sum);
        }
        let outputs = circuit.outputs().iter().take(outputs).map(|port| {
            let sources = port.wires.iter().map(|wire| self.output(*wire, port.kind));
            sources.collect()
        });
        let outputs = outputs.collect();
        Program {
            operations: self.operations,
            maps: circuit.maps().to_vec(),
            moves: Vec::new(),
            row,
            shared: false,
            clear: self.clear,
            inputs: self.inputs,
            outputs,
        }
    }

    fn gate(&mut self, wire: Wire, gate: Gate) -> Sum {
        match gate {
            Gate::Input => self.input(wire),
            Gate::Constant(value) => self.in_the_clear(|clear| clear.bit(value)),
            Gate::Value(index) => {
                let bytes = self.circuit.values()[index as usize].clone();
                self.in_the_clear(|clear| clear.row(bytes))
            }
            Gate::Not(operand) => {
                let Sum { terms, clear } = self.wires[operand.index()].clone();
                let clear = self.clear.not(clear);
                Sum { terms, clear }
            }
            Gate::Xor(left, right) => self.xor(left, right),
            Gate::And(left, right) => self.and(left, right),
            Gate::Linear(index) => {
                let circuit = self.circuit;
                self.linear(&circuit.linears()[index as usize])
            }
        }
    }

    fn in_the_clear(&mut self, make: impl FnOnce(&mut ClearProgram) -> ClearId) -> Sum {
        let clear = make(&mut self.clear);
        Sum {
            terms: Vec::new(),
            clear,
        }
    }

    fn atom(&mut self, value: ValueId) -> Sum {
        let clear = self.clear.bit(false);
        Sum {
            terms: vec![value],
            clear,
        }
    }

    fn input(&mut self, wire: Wire) -> Sum {
        if let Some(moved) = self.moves.get(&wire).copied() {
            return self.moved(moved);
        }
        match self.origins[wire.index()] {
            Some((Visibility::Private, port, place)) => {
                let value = self.append(Operation::Input { port, wire: place });
                self.inputs[port][place] = Some(value);
                self.atom(value)
            }
            Some((Visibility::Public, port, place)) => {
                let kind = self.circuit.kinds()[wire.index()];
                self.in_the_clear(|clear| clear.input(port, place, kind))
            }
            // Circuits list every input gate in a port.
            None => self.in_the_clear(|clear| clear.bit(false)),
        }
    }

    /// A value of another record.
    fn moved(&mut self, moved: Move) -> Sum {
        match self.close(moved.source) {
            OutputSource::Clear(value) => self.in_the_clear(|clear| clear.moved(value, moved.step)),
            OutputSource::Encrypted(value) => {
                let map = self.circuit.maps().len() + moved.step;
                let value = self.append(Operation::Map {
                    images: vec![(value, MapId::new(map as u32))],
                    terms: Vec::new(),
                    clear: None,
                });
                self.atom(value)
            }
        }
    }

    fn xor(&mut self, left: Wire, right: Wire) -> Sum {
        for wire in [left, right] {
            let terms = |wire: Wire| self.wires[wire.index()].terms.len();
            if terms(left) + terms(right) > MOST_TERMS && terms(wire) > 1 {
                self.close(wire);
            }
        }
        let (left, right) = (
            self.wires[left.index()].clone(),
            self.wires[right.index()].clone(),
        );
        self.add(&left, &right)
    }

    fn add(&mut self, left: &Sum, right: &Sum) -> Sum {
        let clear = self.clear.xor(left.clear, right.clear);
        let only = |a: &Sum, b: &Sum| {
            let terms = a.terms.iter().copied();
            terms
                .filter(|term| b.terms.binary_search(term).is_err())
                .collect::<Vec<_>>()
        };
        let mut terms = only(left, right);
        terms.extend(only(right, left));
        terms.sort_unstable();
        Sum { terms, clear }
    }

    /// Images of encrypted values make one operation; terms that no map changes stay in the open sum.
    fn linear(&mut self, linear: &Linear) -> Sum {
        let (mut images, mut clear) = (Vec::new(), Vec::new());
        let mut sum = self.in_the_clear(|clear| clear.bit(false));
        for (operand, map) in &linear.terms {
            let row_map = &self.circuit.maps()[map.index()];
            if row_map.is_zero() {
                continue;
            }
            if row_map.is_identity() && self.circuit.kind(*operand) == Some(linear.kind) {
                let term = self.wires[operand.index()].clone();
                sum = self.add(&sum, &term);
                continue;
            }
            match self.close(*operand) {
                OutputSource::Clear(value) => clear.push((value, *map)),
                OutputSource::Encrypted(value) if row_map.is_identity() => {
                    let term = self.atom(value);
                    sum = self.add(&sum, &term);
                }
                OutputSource::Encrypted(value) => images.push((value, *map)),
            }
        }
        if !clear.is_empty() {
            let clear = self.in_the_clear(|program| program.linear(clear, linear.kind));
            sum = self.add(&sum, &clear);
        }
        if !images.is_empty() {
            let value = self.append(Operation::Map {
                images,
                terms: Vec::new(),
                clear: None,
            });
            let image = self.atom(value);
            sum = self.add(&sum, &image);
        }
        sum
    }

    fn and(&mut self, left: Wire, right: Wire) -> Sum {
        let kind = self.circuit.kinds()[left.index()];
        match (self.tidied_wire(left), self.tidied_wire(right)) {
            (OutputSource::Clear(a), OutputSource::Clear(b)) => self.in_the_clear(|clear| clear.and(a, b)),
            (OutputSource::Encrypted(operand), OutputSource::Clear(factor))
            | (OutputSource::Clear(factor), OutputSource::Encrypted(operand)) => {
                match self.clear.constant(factor) {
                    Some(false) => self.in_the_clear(|clear| clear.bit(false)),
                    Some(true) => self.atom(operand),
                    None => {
                        let value = self.append(Operation::PlainProduct { operand, factor });
                        self.atom(value)
                    }
                }
            }
            (OutputSource::Encrypted(a), OutputSource::Encrypted(b)) if a == b && kind.is_bit() => {
                self.atom(a)
            }
            (OutputSource::Encrypted(a), OutputSource::Encrypted(b)) => {
                let value = self.append(Operation::Product {
                    pairs: vec![(a, b)],
                    terms: Vec::new(),
                    clear: None,
                });
                self.atom(value)
            }
        }
    }

    fn output(&mut self, wire: Wire, kind: WireType) -> OutputSource {
        match self.tidied_wire(wire) {
            // A zero bit may stand for any zero, but not in results.
            OutputSource::Clear(clear) if self.clear.constant(clear) == Some(false) => {
                OutputSource::Clear(self.clear.zero(kind))
            }
            source => source,
        }
    }

    /// A sum that several users would each add up again gets an operation of its own. One term costs
    /// its users nothing.
    fn close_if_shared(&mut self, sum: Sum, uses: usize) -> Sum {
        if uses <= 1 || sum.terms.len() <= 1 {
            return sum;
        }
        let value = self.append_sum(&sum);
        self.atom(value)
    }

    /// One value for a wire, making it if it is an open sum.
    fn close(&mut self, wire: Wire) -> OutputSource {
        let sum = self.wires[wire.index()].clone();
        match sum.terms.as_slice() {
            [] => OutputSource::Clear(sum.clear),
            [term] if self.clear.constant(sum.clear) == Some(false) => OutputSource::Encrypted(*term),
            _ => {
                let value = self.append_sum(&sum);
                self.wires[wire.index()] = self.atom(value);
                OutputSource::Encrypted(value)
            }
        }
    }

    /// One value for a wire that is multiplied or returned.
    fn tidied_wire(&mut self, wire: Wire) -> OutputSource {
        let sum = self.wires[wire.index()].clone();
        self.wires[wire.index()] = self.tidied(sum);
        self.close(wire)
    }

    /// A sum of embedded nibbles that reads the same, where records share slots.
    fn tidied(&mut self, sum: Sum) -> Sum {
        let Some(tidying) = &self.tidying else {
            return sum;
        };
        let (untidy, mut terms): (Vec<ValueId>, Vec<ValueId>) =
            sum.terms.iter().partition(|term| tidying.is_untidy(**term));
        let value = match untidy.as_slice() {
            [] => return sum,
            [value] => *value,
            _ => self.append(Operation::Linear {
                terms: untidy,
                clear: None,
            }),
        };
        let tidied = self.tidied_value(value);
        // It may be among the terms already.
        match terms.binary_search(&tidied) {
            Ok(place) => drop(terms.remove(place)),
            Err(place) => terms.insert(place, tidied),
        }
        Sum {
            terms,
            clear: sum.clear,
        }
    }

    fn tidied_value(&mut self, value: ValueId) -> ValueId {
        let known = |tidying: &Tidying| tidying.known(value).ok_or(tidying.operation(value));
        match self.tidying.as_ref().map(known) {
            None => value,
            Some(Ok(known)) => known,
            Some(Err(operation)) => {
                let tidied = self.append(operation);
                self.tidying
                    .iter_mut()
                    .for_each(|tidying| tidying.remember(value, tidied));
                tidied
            }
        }
    }

    fn append_sum(&mut self, sum: &Sum) -> ValueId {
        let clear = Some(sum.clear).filter(|clear| self.clear.constant(*clear) != Some(false));
        self.append(Operation::Linear {
            terms: sum.terms.clone(),
            clear,
        })
    }

    fn append(&mut self, operation: Operation) -> ValueId {
        self.tidying
            .iter_mut()
            .for_each(|tidying| tidying.note(&operation));
        self.operations.push(operation);
        ValueId(self.operations.len() - 1)
    }
}

#[cfg(test)]
mod tests;
