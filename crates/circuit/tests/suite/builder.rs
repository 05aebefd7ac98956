//! Tests simplification, sharing and pruning in the builder.

use std::collections::HashSet;

use ringmill_circuit::{Analysis, Builder, Circuit, CircuitError, Gate, PortValues, Visibility, Wire, Word};

/// A builder with two private bits.
fn two_inputs() -> (Builder, Wire, Wire) {
    let mut builder = Builder::new();
    let word = builder.input("xy", Visibility::Private, 2);
    (builder, word.wires()[0], word.wires()[1])
}

/// Evaluates the only output port of a circuit on bits for one word of records.
fn evaluate(circuit: &Circuit, inputs: &[&[u64]]) -> Vec<u64> {
    let lanes = |port: &&[u64]| PortValues::Bits(port.iter().map(|word| vec![*word]).collect());
    let inputs: Vec<PortValues> = inputs.iter().map(lanes).collect();
    let outputs = circuit.evaluate(&inputs).unwrap();
    assert_eq!(outputs.len(), 1);
    outputs[0].as_bits().unwrap().iter().map(|lane| lane[0]).collect()
}

/// Checks that no simplification rule applies to any remaining gate.
fn assert_simplified(circuit: &Circuit) {
    let gates = circuit.gates();
    let analysis = Analysis::new(circuit);
    let mut seen = HashSet::new();
    for (wire, gate) in circuit.numbered_gates() {
        if gate == Gate::Input {
            continue;
        }
        assert!(analysis.wire(wire).unwrap().live, "{wire} is dead");
        for operand in circuit.operands(gate) {
            assert!(!matches!(gates[operand.index()], Gate::Constant(_)));
        }
        let normal = match gate {
            Gate::Xor(left, right) | Gate::And(left, right) => {
                assert_ne!(left, right);
                assert_ne!(gates[left.index()], Gate::Not(right));
                assert_ne!(gates[right.index()], Gate::Not(left));
                assert!(left < right);
                gate
            }
            Gate::Not(operand) => {
                assert!(!matches!(gates[operand.index()], Gate::Not(_)));
                gate
            }
            _ => gate,
        };
        assert!(seen.insert(normal), "{gate:?} is there twice");
    }
}

#[test]
fn each_rule() {
    let (mut b, x, y) = two_inputs();
    let zero = b.constant(false);
    let one = b.constant(true);
    let not_x = b.not(x);
    let sum = b.xor(x, y);
    let product = b.and(x, y);

    assert_eq!(b.constant(false), zero);
    assert_eq!(b.not(zero), one);
    assert_eq!(b.not(one), zero);
    assert_eq!(b.not(not_x), x);
    assert_eq!(b.not(x), not_x);
    assert_eq!(b.xor(x, x), zero);
    assert_eq!(b.and(x, x), x);
    for (left, right) in [(x, zero), (zero, x)] {
        assert_eq!(b.xor(left, right), x);
        assert_eq!(b.and(left, right), zero);
    }
    for (left, right) in [(x, one), (one, x)] {
        assert_eq!(b.xor(left, right), not_x);
        assert_eq!(b.and(left, right), x);
    }
    for (left, right) in [(x, not_x), (not_x, x)] {
        assert_eq!(b.xor(left, right), one);
        assert_eq!(b.and(left, right), zero);
    }
    for (left, right) in [(zero, zero), (one, one)] {
        assert_eq!(b.xor(left, right), zero);
        assert_eq!(b.and(left, right), left);
    }
    for (left, right) in [(zero, one), (one, zero)] {
        assert_eq!(b.xor(left, right), one);
        assert_eq!(b.and(left, right), zero);
    }
    for (left, right) in [(x, y), (y, x)] {
        assert_eq!(b.xor(left, right), sum);
        assert_eq!(b.and(left, right), product);
    }
}

/// An expression over two bits, to be built and to be computed directly.
#[derive(Clone, Debug)]
enum Expression {
    Bit(usize),
    Constant(bool),
    Not(Box<Expression>),
    Xor(Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
}

impl Expression {
    fn build(&self, b: &mut Builder, bits: [Wire; 2]) -> Wire {
        match self {
            Self::Bit(index) => bits[*index],
            Self::Constant(value) => b.constant(*value),
            Self::Not(inner) => {
                let inner = inner.build(b, bits);
                b.not(inner)
            }
            Self::Xor(left, right) => {
                let (left, right) = (left.build(b, bits), right.build(b, bits));
                b.xor(left, right)
            }
            Self::And(left, right) => {
                let (left, right) = (left.build(b, bits), right.build(b, bits));
                b.and(left, right)
            }
        }
    }

    fn value(&self, bits: [bool; 2]) -> bool {
        match self {
            Self::Bit(index) => bits[*index],
            Self::Constant(value) => *value,
            Self::Not(inner) => !inner.value(bits),
            Self::Xor(left, right) => left.value(bits) != right.value(bits),
            Self::And(left, right) => left.value(bits) && right.value(bits),
        }
    }
}

/// Combines all pairs of the given expressions by both operations.
fn combinations(operands: &[Expression]) -> Vec<Expression> {
    let mut all = Vec::new();
    for left in operands {
        for right in operands {
            let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
            all.push(Expression::Xor(left.clone(), right.clone()));
            all.push(Expression::And(left, right));
        }
    }
    all
}

fn with_negations(mut expressions: Vec<Expression>) -> Vec<Expression> {
    let negations: Vec<_> = expressions
        .iter()
        .map(|inner| Expression::Not(Box::new(inner.clone())))
        .collect();
    expressions.extend(negations);
    expressions
}

#[test]
fn all_small_expressions_keep_their_meaning() {
    let leaves = with_negations(vec![
        Expression::Bit(0),
        Expression::Bit(1),
        Expression::Constant(false),
        Expression::Constant(true),
    ]);
    let inner = with_negations(combinations(&leaves[..6]));
    let mut operands = leaves;
    operands.extend(inner);
    let outer = with_negations(combinations(&operands));
    assert_eq!(outer.len(), 4 * 152 * 152);
    for expression in outer {
        let (mut b, x, y) = two_inputs();
        let result = expression.build(&mut b, [x, y]);
        b.output("result", &Word::new(vec![result]));
        let circuit = b.finish().unwrap();
        assert_simplified(&circuit);
        // The four records are the four assignments.
        let found = evaluate(&circuit, &[&[0b1010, 0b1100]])[0];
        for record in 0..4 {
            let bits = [record & 1 == 1, record & 2 == 2];
            let expected = expression.value(bits);
            assert_eq!(found >> record & 1 == 1, expected, "{expression:?}");
        }
    }
}

#[test]
fn finish_drops_dead_gates_and_keeps_inputs_and_order() {
    let mut b = Builder::new();
    let x = b.input("x", Visibility::Private, 2);
    let unread = b.input("unread", Visibility::Public, 3);
    let (x0, x1) = (x.wires()[0], x.wires()[1]);
    let dead = b.and(x0, unread.wires()[2]);
    let sum = b.xor(x0, x1);
    let _ = b.and(dead, sum);
    let result = b.and(sum, x1);
    b.output("result", &Word::new(vec![result]));
    let circuit = b.finish().unwrap();
    let wire = Wire::new;
    assert_eq!(circuit.inputs()[1].name, "unread");
    assert_eq!(circuit.inputs()[1].wires, [wire(2), wire(3), wire(4)]);
    assert_eq!(
        circuit.gates()[5..],
        [Gate::Xor(wire(0), wire(1)), Gate::And(wire(1), wire(5))]
    );
    assert_eq!(circuit.outputs()[0].wires, [wire(6)]);
}

#[test]
fn inputs_may_come_late() {
    let mut b = Builder::new();
    let x = b.input("x", Visibility::Private, 1);
    let not_x = b.not_word(&x);
    let _dead = b.constant(true);
    let y = b.input("y", Visibility::Private, 1);
    let both = b.and_words(&not_x, &y).unwrap();
    b.output("both", &both);
    let circuit = b.finish().unwrap();
    assert_eq!(evaluate(&circuit, &[&[0b0011], &[0b0101]]), [0b0100]);
}

#[test]
fn words_rotate_like_integers() {
    for width in [1_usize, 5, 32] {
        let mut b = Builder::new();
        let word = b.input("word", Visibility::Private, width);
        for count in 0..2 * width {
            let left = word.rotate_left(count);
            let right = word.rotate_right(count);
            for bit in 0..width {
                assert_eq!(left.wires()[(bit + count) % width], word.wires()[bit]);
                assert_eq!(right.wires()[bit], word.wires()[(bit + count) % width]);
            }
        }
        assert_eq!(b.xor_words(&word, &word).unwrap().width(), width);
    }
    let empty = Word::new(vec![]);
    assert_eq!(empty.rotate_left(3), empty);
    assert_eq!(empty.rotate_right(3), empty);
}

#[test]
fn words_split_and_join() {
    let word = Word::new((0..8).map(Wire::new).collect());
    let [low, high] = word.split();
    assert_eq!(low.wires(), &word.wires()[..4]);
    assert_eq!(low.concat(&high), word);
    let pieces: [Word; 5] = word.split();
    let widths = pieces.each_ref().map(Word::width);
    assert_eq!(widths, [2, 2, 2, 2, 0]);
    let none: [Word; 0] = word.split();
    assert!(none.is_empty());
}

#[test]
fn words_of_different_widths_do_not_combine() {
    let mut b = Builder::new();
    let narrow = b.input("narrow", Visibility::Private, 2);
    let wide = b.input("wide", Visibility::Private, 3);
    let expected = CircuitError::WidthMismatch { left: 2, right: 3 };
    assert_eq!(b.xor_words(&narrow, &wide), Err(expected.clone()));
    assert_eq!(b.and_words(&narrow, &wide), Err(expected));
}

#[test]
fn finish_reports_what_was_declared_wrongly() {
    assert_eq!(Builder::new().finish(), Err(CircuitError::NoOutputs));

    let mut b = Builder::new();
    let word = b.input("a", Visibility::Private, 1);
    b.input("a", Visibility::Public, 1);
    b.output("o", &word);
    let port = "a".into();
    assert_eq!(b.finish(), Err(CircuitError::DuplicatePortName { port }));

    let mut b = Builder::new();
    let word = b.input("a", Visibility::Private, 0);
    let one = b.constant_word([true]);
    b.output("o", &one.concat(&word));
    let port = "a".into();
    assert_eq!(b.finish(), Err(CircuitError::EmptyPort { port }));
}

#[test]
fn finish_reports_foreign_wires() {
    let foreign = Wire::new(9);
    let (mut b, x, _) = two_inputs();
    let sum = b.xor(x, foreign);
    b.output("o", &Word::new(vec![sum]));
    assert_eq!(
        b.finish(),
        Err(CircuitError::ForwardReference {
            gate: sum,
            operand: foreign
        })
    );

    let (mut b, ..) = two_inputs();
    b.output("o", &Word::new(vec![foreign]));
    assert_eq!(
        b.finish(),
        Err(CircuitError::WireOutOfRange {
            port: "o".into(),
            wire: foreign,
            wires: 2
        })
    );
}

#[test]
fn gates_are_counted_as_they_come() {
    let mut builder = Builder::new();
    assert_eq!(builder.gate_count(), 0);
    let a = builder.input("a", Visibility::Private, 2);
    let product = builder.and(a.wires()[0], a.wires()[1]);
    assert_eq!(builder.gate_count(), 3);
    // An equal gate is the same one.
    assert_eq!(builder.and(a.wires()[1], a.wires()[0]), product);
    assert_eq!(builder.gate_count(), 3);
}
