//! From circuits to programs.

use ringmill_circuit::{Analysis, Circuit, Gate, Visibility, Wire};

use crate::clear::{ClearId, ClearProgram};
use crate::program::{Operation, OutputSource, Program, ValueId};

/// Terms of a sum beyond which parts of it are summed first, so that not everything that goes into a
/// long sum has to be kept until its end.
const MOST_TERMS: usize = 32;

/// What a wire is while lowering: a sum, mod 2, of encrypted values and of one value in the clear.
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
#[must_use]
pub fn lower(circuit: &Circuit) -> Program {
    let analysis = Analysis::new(circuit);
    let mut lowering = Lowering::new(circuit);
    for ((wire, gate), facts) in circuit.numbered_gates().zip(analysis.wires()) {
        let sum = if facts.live {
            lowering.gate(wire, gate, facts.uses)
        } else {
            lowering.constant(false)
        };
        lowering.wires.push(sum);
    }
    let outputs = circuit.outputs().iter().map(|port| {
        let sources = port.wires.iter().map(|wire| lowering.output(*wire));
        sources.collect()
    });
    let outputs = outputs.collect();
    let program = Program {
        operations: lowering.operations,
        depths: lowering.depths,
        clear: lowering.clear,
        inputs: lowering.inputs,
        outputs,
    };
    prune(program)
}

/// Removes values that no output depends on. A circuit's live gates may leave some where terms cancel.
fn prune(program: Program) -> Program {
    let mut live = vec![false; program.operations.len()];
    for value in program.encrypted_outputs() {
        live[value.0] = true;
    }
    for (index, operation) in program.operations.iter().enumerate().rev() {
        if live[index] {
            operation.operands().for_each(|operand| live[operand.0] = true);
        }
    }
    let mut count = 0;
    let renamed = live.iter().map(|live| {
        count += usize::from(*live);
        live.then(|| ValueId(count - 1))
    });
    let renamed: Vec<Option<ValueId>> = renamed.collect();
    // Operands and outputs of what is live are live.
    let rename = |value: ValueId| renamed[value.0].unwrap_or(value);
    let operations = program.operations.iter().zip(&live).filter(|(_, live)| **live);
    let depths = program.depths.iter().zip(&live).filter(|(_, live)| **live);
    let rename_source = |source: &OutputSource| match source {
        OutputSource::Encrypted(value) => OutputSource::Encrypted(rename(*value)),
        OutputSource::Clear(clear) => OutputSource::Clear(*clear),
    };
    let rename_input = |value: &Option<ValueId>| value.and_then(|value| renamed[value.0]);
    Program {
        operations: operations
            .map(|(operation, _)| operation.with_operands(rename))
            .collect(),
        depths: depths.map(|(depth, _)| *depth).collect(),
        inputs: program
            .inputs
            .iter()
            .map(|port| port.iter().map(rename_input).collect())
            .collect(),
        outputs: program
            .outputs
            .iter()
            .map(|port| port.iter().map(rename_source).collect())
            .collect(),
        clear: program.clear,
    }
}

struct Lowering {
    operations: Vec<Operation>,
    depths: Vec<u32>,
    clear: ClearProgram,
    inputs: Vec<Vec<Option<ValueId>>>,
    /// For each input wire its visibility, port and bit.
    origins: Vec<Option<(Visibility, usize, usize)>>,
    wires: Vec<Sum>,
}

impl Lowering {
    fn new(circuit: &Circuit) -> Self {
        let mut origins = vec![None; circuit.gates().len()];
        for (index, port) in circuit.inputs().iter().enumerate() {
            for (bit, wire) in port.wires.iter().enumerate() {
                origins[wire.index()] = Some((port.visibility, index, bit));
            }
        }
        Self {
            operations: Vec::new(),
            depths: Vec::new(),
            clear: ClearProgram::default(),
            inputs: circuit
                .inputs()
                .iter()
                .map(|port| vec![None; port.wires.len()])
                .collect(),
            origins,
            wires: Vec::with_capacity(circuit.gates().len()),
        }
    }

    fn gate(&mut self, wire: Wire, gate: Gate, uses: usize) -> Sum {
        match gate {
            Gate::Input => self.input(wire),
            Gate::Constant(value) => self.constant(value),
            Gate::Not(operand) => {
                let Sum { terms, clear } = self.wires[operand.index()].clone();
                let clear = self.clear.not(clear);
                self.close_if_shared(Sum { terms, clear }, uses)
            }
            Gate::Xor(left, right) => {
                let sum = self.xor(left, right);
                self.close_if_shared(sum, uses)
            }
            Gate::And(left, right) => self.and(left, right),
            // Planners refuse circuits with rows.
            Gate::Value(_) | Gate::Linear(_) => self.constant(false),
        }
    }

    fn constant(&mut self, value: bool) -> Sum {
        self.in_the_clear(|clear| clear.constant(value))
    }

    fn in_the_clear(&mut self, make: impl FnOnce(&mut ClearProgram) -> ClearId) -> Sum {
        let clear = make(&mut self.clear);
        Sum {
            terms: Vec::new(),
            clear,
        }
    }

    fn atom(&mut self, value: ValueId) -> Sum {
        let clear = self.clear.constant(false);
        Sum {
            terms: vec![value],
            clear,
        }
    }

    fn input(&mut self, wire: Wire) -> Sum {
        match self.origins[wire.index()] {
            Some((Visibility::Private, port, bit)) => {
                let value = self.append(Operation::Input { port, bit });
                self.inputs[port][bit] = Some(value);
                self.atom(value)
            }
            Some((Visibility::Public, port, bit)) => self.in_the_clear(|clear| clear.input(port, bit)),
            // Circuits list every input gate in a port.
            None => self.constant(false),
        }
    }

    fn xor(&mut self, left: Wire, right: Wire) -> Sum {
        for wire in [left, right] {
            let terms = |wire: Wire| self.wires[wire.index()].terms.len();
            if terms(left) + terms(right) > MOST_TERMS && terms(wire) > 1 {
                self.close(wire);
            }
        }
        let (left, right) = (&self.wires[left.index()], &self.wires[right.index()]);
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

    fn and(&mut self, left: Wire, right: Wire) -> Sum {
        match (self.close(left), self.close(right)) {
            (OutputSource::Clear(a), OutputSource::Clear(b)) => self.in_the_clear(|clear| clear.and(a, b)),
            (OutputSource::Encrypted(operand), OutputSource::Clear(factor))
            | (OutputSource::Clear(factor), OutputSource::Encrypted(operand)) => {
                match self.clear.value(factor) {
                    Some(false) => self.constant(false),
                    Some(true) => self.atom(operand),
                    None => {
                        let value = self.append(Operation::PlainProduct { operand, factor });
                        self.atom(value)
                    }
                }
            }
            (OutputSource::Encrypted(left), OutputSource::Encrypted(right)) if left == right => {
                self.atom(left)
            }
            (OutputSource::Encrypted(left), OutputSource::Encrypted(right)) => {
                let value = self.append(Operation::Product { left, right });
                self.atom(value)
            }
        }
    }

    fn output(&mut self, wire: Wire) -> OutputSource {
        self.close(wire)
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
            [term] if self.clear.value(sum.clear) == Some(false) => OutputSource::Encrypted(*term),
            _ => {
                let value = self.append_sum(&sum);
                self.wires[wire.index()] = self.atom(value);
                OutputSource::Encrypted(value)
            }
        }
    }

    fn append_sum(&mut self, sum: &Sum) -> ValueId {
        let clear = Some(sum.clear).filter(|clear| self.clear.value(*clear) != Some(false));
        self.append(Operation::Linear {
            terms: sum.terms.clone(),
            clear,
        })
    }

    fn append(&mut self, operation: Operation) -> ValueId {
        let depth = operation
            .operands()
            .map(|operand| self.depths[operand.0])
            .max()
            .unwrap_or(0);
        self.depths
            .push(depth + u32::from(matches!(operation, Operation::Product { .. })));
        self.operations.push(operation);
        ValueId(self.operations.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use ringmill_circuit::{Builder, simon};

    use super::*;

    #[test]
    fn simon_rounds_become_one_product_and_one_sum_per_bit() {
        let program = lower(&simon::decrypt_circuit().unwrap());
        // The first round's ANDs are public.
        assert_eq!((program.depth(), program.products()), (43, 43 * 32));
        let sums = program.operations.iter().filter_map(|op| match op {
            Operation::Linear { terms, .. } => Some(terms.len()),
            _ => None,
        });
        let mut count = [0; 7];
        sums.for_each(|terms| count[terms] += 1);
        // Of the state: the first round adds public bits to the key's; the second has a product, a
        // state bit and a key bit; the others have four terms; in the last the three terms of a round
        // key that is used only once are added at once. Of the key schedule: sums of two in 40 rounds
        // and of three in all of these but the last.
        assert_eq!(count, [0, 32, 40 * 32, 40 * 32, 41 * 32, 0, 32]);
        assert!(
            !program
                .operations
                .iter()
                .any(|op| matches!(op, Operation::PlainProduct { .. }))
        );
    }

    #[test]
    fn equal_terms_cancel_and_the_clear_part_is_one_term() {
        let mut builder = Builder::new();
        let a = builder.input("a", Visibility::Private, 3);
        let p = builder.input("p", Visibility::Public, 2);
        let (a, p) = (a.wires().to_vec(), p.wires().to_vec());
        let x = builder.xor(a[0], p[0]);
        let y = builder.xor(x, a[1]);
        let z = builder.xor(a[0], p[1]);
        let z = builder.not(z);
        let sum = builder.xor(y, z);
        let nothing = builder.xor(sum, a[1]);
        builder.output("sum", &ringmill_circuit::Word::new(vec![sum, nothing]));
        let program = lower(&builder.finish().unwrap());
        assert!(program.products() == 0);
        let sums: Vec<_> = program
            .operations
            .iter()
            .filter(|op| matches!(op, Operation::Linear { .. }))
            .collect();
        assert!(
            matches!(sums.as_slice(), [Operation::Linear { terms, clear: Some(_) }] if terms.len() == 1),
            "{sums:?}"
        );
        assert!(matches!(program.outputs[0][1], OutputSource::Clear(_)));
        assert!(program.inputs[0][2].is_none(), "the unused bit is not an input");
    }

    #[test]
    fn constants_behind_the_builders_back_vanish() {
        use ringmill_circuit::{InputPort, Kind, OutputPort};
        let wire = Wire::new;
        let gates = vec![
            Gate::Input,
            Gate::Constant(true),
            Gate::And(wire(0), wire(1)),
            Gate::Xor(wire(2), wire(2)),
            Gate::And(wire(2), wire(3)),
            Gate::And(wire(0), wire(0)),
        ];
        let inputs = vec![InputPort {
            name: "a".into(),
            visibility: Visibility::Private,
            kind: Kind::Bit,
            wires: vec![wire(0)],
        }];
        let outputs = vec![OutputPort {
            name: "x".into(),
            kind: Kind::Bit,
            wires: vec![wire(4), wire(5), wire(2)],
        }];
        let program = lower(&Circuit::new(gates, inputs, outputs).unwrap());
        assert_eq!(program.operations.len(), 1);
        let input = OutputSource::Encrypted(ValueId(0));
        assert!(matches!(program.outputs[0].as_slice(),
            [OutputSource::Clear(zero), a, b] if program.clear.value(*zero) == Some(false) && *a == input && *b == input));
    }

    #[test]
    fn long_sums_are_cut() {
        let mut builder = Builder::new();
        let a = builder.input("a", Visibility::Private, 100);
        let sum = a
            .wires()
            .iter()
            .copied()
            .reduce(|x, y| builder.xor(x, y))
            .unwrap();
        builder.output("sum", &ringmill_circuit::Word::new(vec![sum]));
        let program = lower(&builder.finish().unwrap());
        let terms = program.operations.iter().map(|op| op.operands().count());
        assert_eq!(terms.max(), Some(MOST_TERMS));
    }
}
