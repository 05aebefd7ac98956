//! Tests AIGER: both forms, names, the sums that are found again, and every kind of error.

use std::collections::HashMap;

use ringmill_circuit::aiger::{self, AigerError};
use ringmill_circuit::{BitNameError, Builder, Circuit, Gate, Visibility, Wire, Word, bundled, field};

use crate::common::{all, run, some};

fn read(text: &str) -> Result<Circuit, AigerError> {
    aiger::read(text.as_bytes())
}

/// Names and widths of ports.
type Ports<'a> = Vec<(&'a str, usize)>;

/// The input and the output ports.
fn ports(circuit: &Circuit) -> (Ports<'_>, Ports<'_>) {
    let inputs = circuit.inputs().iter();
    let outputs = circuit.outputs().iter();
    (
        inputs.map(|port| (&*port.name, port.wires.len())).collect(),
        outputs.map(|port| (&*port.name, port.wires.len())).collect(),
    )
}

/// A half adder: its ANDs out of order, its names too, with comments.
const HALF_ADDER: &str = "\
aag 7 2 0 2 3
2
4
6
12
6 13 15
12 2 4
14 3 5
i1 y
o0 sum
i0 x
o1 carry
c
i0 is no symbol here
";

#[test]
fn a_text_by_hand() {
    let circuit = read(HALF_ADDER).unwrap();
    assert_eq!(
        ports(&circuit),
        (vec![("x", 1), ("y", 1)], vec![("sum", 1), ("carry", 1)])
    );
    for record in all(&[1, 1]) {
        let sum = record[0] + record[1];
        assert_eq!(run(&circuit, std::slice::from_ref(&record)), [[sum % 2, sum / 2]]);
    }
    assert_eq!((circuit.and_count(), circuit.xor_count()), (1, 1));
    // Carriage returns, and nothing after the last AND.
    let bare = HALF_ADDER.split("i1").next().unwrap().replace('\n', "\r\n");
    assert_eq!(ports(&read(&bare).unwrap()), (vec![("in", 2)], vec![("out", 2)]));
}

/// The same in binary: 2 is the first input, 4 the second, and the ANDs are 6, 8 and 10. Of 6 = 4 2 the differences
/// are 2 and 2, of 8 = 5 3 they are 3 and 2, of 10 = 9 7 they are 1 and 2.
const BINARY: &[u8] = b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02i0 x\ni1 y\no0 sum\no1 carry\nc\n\xff";

#[test]
fn a_binary_file_by_hand() {
    let (binary, text) = (aiger::read(BINARY).unwrap(), read(HALF_ADDER).unwrap());
    assert_eq!(ports(&binary), ports(&text));
    let records = all(&[1, 1]);
    assert_eq!(run(&binary, &records), run(&text, &records));
    // A difference of two bytes: 130 and 2 lead from 132 down to 0.
    let mut wide = b"aig 66 65 0 1 1\n132\n".to_vec();
    wide.extend([0x82, 0x01, 0x02]);
    let circuit = aiger::read(&*wide).unwrap();
    assert_eq!(ports(&circuit), (vec![("in", 65)], vec![("out", 1)]));
    assert_eq!(run(&circuit, &[vec![u128::MAX >> 63]]), [[0]]);
}

#[test]
fn constants_and_words() {
    let text = "aag 2 2 0 4 0\n2\n4\n1\n0\n3\n4\ni0 a[1]\ni1 a[0]\no0 k\no1 z[7]\no2 z[9]\no3 z[8]\n";
    let circuit = read(text).unwrap();
    assert_eq!(ports(&circuit), (vec![("a", 2)], vec![("k", 1), ("z", 3)]));
    for a in 0..4 {
        // z is 0, the lower bit of a and the complement of the upper one, from the lowest on.
        let z = (a & 1) << 1 | (1 ^ a >> 1) << 2;
        assert_eq!(run(&circuit, &[vec![a]]), [[1, z]]);
    }
}

/// An and-inverter graph under construction.
#[derive(Default)]
struct Graph {
    variables: u32,
    ands: Vec<[u32; 3]>,
}

impl Graph {
    fn and(&mut self, left: u32, right: u32) -> u32 {
        self.variables += 1;
        let literal = 2 * self.variables;
        self.ands.push([literal, left.max(right), left.min(right)]);
        literal
    }

    /// One of the two ways in which tools write an XOR.
    fn xor(&mut self, left: u32, right: u32, either: bool) -> u32 {
        let (one, other) = if either {
            (self.and(left, right), self.and(left ^ 1, right ^ 1))
        } else {
            (self.and(left, right ^ 1), self.and(left ^ 1, right))
        };
        self.and(one ^ 1, other ^ 1) ^ u32::from(!either)
    }
}

/// A circuit as text and in binary, with three ANDs for each XOR.
fn written(circuit: &Circuit) -> (Vec<u8>, Vec<u8>) {
    let mut graph = Graph::default();
    let mut literals: HashMap<Wire, u32> = HashMap::new();
    let mut symbols = String::new();
    for port in circuit.inputs() {
        for (bit, wire) in port.wires.iter().enumerate() {
            symbols += &format!("i{} {}[{bit}]\n", graph.variables, port.name);
            graph.variables += 1;
            literals.insert(*wire, 2 * graph.variables);
        }
    }
    let inputs = graph.variables;
    for (wire, gate) in circuit.numbered_gates() {
        let literal = match gate {
            Gate::Input => continue,
            Gate::Constant(value) => u32::from(value),
            Gate::Not(operand) => literals[&operand] ^ 1,
            Gate::And(left, right) => graph.and(literals[&left], literals[&right]),
            Gate::Xor(left, right) => graph.xor(literals[&left], literals[&right], wire.index() % 2 == 0),
            Gate::Value(_) | Gate::Linear(_) => panic!("no bits"),
        };
        literals.insert(wire, literal);
    }
    let mut outputs = Vec::new();
    for port in circuit.outputs() {
        for (bit, wire) in port.wires.iter().enumerate() {
            symbols += &format!("o{} {}[{bit}]\n", outputs.len(), port.name);
            outputs.push(format!("{}\n", literals[wire]));
        }
    }
    let counts = format!(
        "{} {inputs} 0 {} {}\n",
        graph.variables,
        outputs.len(),
        graph.ands.len()
    );
    let mut text = format!("aag {counts}");
    text.extend((1..=inputs).map(|variable| format!("{}\n", 2 * variable)));
    text.extend(outputs.clone());
    // The last first: order does not matter.
    let ands = graph.ands.iter().rev();
    text.extend(ands.map(|[literal, left, right]| format!("{literal} {right} {left}\n")));
    let mut binary = format!("aig {counts}{}", outputs.concat()).into_bytes();
    for [literal, left, right] in graph.ands {
        for mut difference in [literal - left, left - right] {
            while difference > 0x7f {
                binary.push(difference as u8 | 0x80);
                difference >>= 7;
            }
            binary.push(difference as u8);
        }
    }
    binary.extend(symbols.bytes());
    ((text + &symbols).into_bytes(), binary)
}

/// The S-box of AES by its definition, as polynomials.
fn sbox() -> Circuit {
    let substituted = |byte: u8| {
        let inverse = (0..=255)
            .find(|other| field::multiply(byte, *other) == 1)
            .unwrap_or(0);
        (0..5).fold(0x63, |sum, turns| sum ^ inverse.rotate_left(turns))
    };
    let table: Vec<Vec<bool>> = (0..=255)
        .map(|byte| (0..8).map(|bit| substituted(byte) >> bit & 1 == 1).collect())
        .collect();
    assert_eq!(substituted(0x53), 0xed);
    let mut builder = Builder::new();
    let input = builder.input("x", Visibility::Private, 8);
    let output = builder.lookup(&input, &table).unwrap();
    builder.output("y", &output);
    builder.finish().unwrap()
}

/// Adds bit by bit: the carry is `a b + carry (a + b)`, an OR in the graph.
fn ripple_adder(width: usize) -> Circuit {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, width);
    let b = builder.input("b", Visibility::Private, width);
    let (mut sum, mut carry) = (Vec::new(), builder.constant(false));
    for (a, b) in a.wires().iter().zip(b.wires()) {
        let (differ, both) = (builder.xor(*a, *b), builder.and(*a, *b));
        sum.push(builder.xor(differ, carry));
        let passed = builder.and(differ, carry);
        carry = builder.or_all(&[both, passed]);
    }
    sum.push(carry);
    builder.output("sum", &Word::new(sum));
    builder.finish().unwrap()
}

#[test]
fn sums_are_found_again() {
    let mut circuits: Vec<(Circuit, usize)> =
        ["add32", "less32", "max32", "hamming64", "multiply8", "equal32"]
            .map(|name| bundled::circuit(name).unwrap().unwrap())
            .map(|circuit| (circuit.clone(), circuit.and_count()))
            .to_vec();
    circuits.push((sbox(), sbox().and_count()));
    // The first bit has no carry; the others need no AND for the OR.
    circuits.push((ripple_adder(32), 2 * 32 - 1));
    for (circuit, most) in circuits {
        let (text, binary) = written(&circuit);
        let [text, binary] = [text, binary].map(|bytes| aiger::read(&*bytes).unwrap());
        assert_eq!(ports(&text), ports(&circuit));
        let measures = |circuit: &Circuit| (circuit.and_depth(), circuit.and_count(), circuit.xor_count());
        assert_eq!(measures(&text), measures(&binary));
        assert!(text.and_depth() <= circuit.and_depth());
        assert!(text.and_count() <= most, "{} ANDs, not {most}", text.and_count());
        let widths: Vec<usize> = circuit.inputs().iter().map(|port| port.wires.len()).collect();
        let records = some(&widths, 500);
        let expected = run(&circuit, &records);
        assert!(run(&text, &records) == expected && run(&binary, &records) == expected);
    }
}

/// Multiplexers, among them those whose products are read elsewhere, and terms that exclude each other through
/// further factors.
#[test]
fn choices_and_exclusive_terms() {
    // s ? a : b, with inputs s, a and b.
    let choice = "aag 6 3 0 1 3\n2\n4\n6\n13\n8 2 4\n10 3 6\n12 9 11\n";
    let chosen = |record: u128| {
        if record & 1 == 1 {
            record >> 1 & 1
        } else {
            record >> 2
        }
    };
    let circuit = read(choice).unwrap();
    assert_eq!((circuit.and_count(), circuit.and_depth()), (1, 1));
    let both = choice.replace(" 0 1 3\n2\n4\n6\n13\n", " 0 3 3\n2\n4\n6\n13\n8\n10\n");
    let shared = read(&both).unwrap();
    assert_eq!(shared.and_count(), 2);
    // s a or (!s b) c, of inputs s, a, b and c.
    let longer = "aag 8 4 0 1 4\n2\n4\n6\n8\n17\n10 2 4\n12 3 6\n14 12 8\n16 11 15\n";
    let exclusive = read(longer).unwrap();
    assert_eq!((exclusive.and_count(), exclusive.and_depth()), (3, 2));
    // a !(a b) is a + a b.
    let implied = read("aag 4 2 0 2 2\n2\n4\n6\n8\n6 2 4\n8 2 7\n").unwrap();
    assert_eq!(implied.and_count(), 1);
    for record in 0..16 {
        let short = record % 8;
        assert_eq!(run(&circuit, &[vec![short]]), [[chosen(short)]]);
        let products = (short & short >> 1 & 1) << 1 | (!short & short >> 2 & 1) << 2;
        assert_eq!(run(&shared, &[vec![short]]), [[chosen(short) | products]]);
        let terms = if record & 1 == 1 {
            record >> 1
        } else {
            record >> 2 & record >> 3
        };
        assert_eq!(run(&exclusive, &[vec![record]]), [[terms & 1]]);
        let (a, b) = (record & 1, record >> 1 & 1);
        assert_eq!(
            run(&implied, &[vec![record % 4]]),
            [[a & b | (a & !(a & b)) << 1]]
        );
    }
}

/// The error of a text, and what it says.
fn complaint(text: &str) -> (AigerError, String) {
    let error = read(text).unwrap_err();
    let said = error.to_string();
    (error, said)
}

#[test]
fn header_errors() {
    use AigerError as E;
    assert!(matches!(complaint("").0, E::NotAiger { found } if found.is_empty()));
    assert!(matches!(complaint("2 6\n2 2 2\n").0, E::NotAiger { found } if found == "2"));
    for counts in ["1 1 0 1", "1 1 0 1 0 0 0 0 0 0", ""] {
        assert!(matches!(
            complaint(&format!("aag {counts}\n2\n2\n")).0,
            E::HeaderLength { .. }
        ));
    }
    for number in ["-1", "+1", "x", "4294967296"] {
        let error = complaint(&format!("aag {number} 1 0 1 0\n2\n2\n")).0;
        assert!(matches!(error, E::NotANumber { line: 1, found } if found == number));
    }
    let (error, said) = complaint("aag 2 1 1 1 0\n2\n4 2\n4\n");
    assert!(matches!(error, E::Latches { latches: 1 }) && said.contains("registers"));
    let (error, said) = complaint("aag 1 1 0 1 0 0 1\n2\n2\n2\n");
    assert!(matches!(error, E::Properties { properties: 1 }) && said.contains("assertions"));
    // Version 1.9 without them is a circuit.
    read("aag 1 1 0 1 0 0 0 0 0\n2\n2\n").unwrap();
    assert!(matches!(complaint("aag 1 1 0 0 0\n2\n").0, E::NoOutputs));
    let error = complaint("aig 4294967295 4294967295 0 1 0\n2\n").0;
    assert!(matches!(error, E::TooManyInputs { inputs: u32::MAX, .. }));
    let error = complaint("aig 4294967295 0 0 1 4294967295\n2\n").0;
    assert!(matches!(error, E::TooManyAnds { ands: u32::MAX, .. }));
    for counts in ["aag 1 1 0 1 1", "aig 3 1 0 1 1"] {
        let error = complaint(&format!("{counts}\n2\n2\n4 2 2\n")).0;
        assert!(matches!(error, E::VariableCount { found: 2, .. }));
    }
}

#[test]
fn body_errors() {
    use AigerError as E;
    let huge = "aag 16000000 1000000 0 1 15000000\n2\n";
    let error = complaint(huge).0;
    assert!(matches!(
        error,
        E::Ends {
            wanted: "input",
            number: 2,
            ..
        }
    ));
    let right = "aag 4 2 0 1 2\n2\n4\n8\n6 2 4\n8 6 3\n";
    read(right).unwrap();
    let wrong = |from: &str, to: &str| {
        assert_eq!(right.matches(from).count(), 1, "{from:?} is not one place");
        complaint(&right.replace(from, to)).0
    };
    assert!(matches!(
        wrong("8 6 3\n", ""),
        E::Ends {
            wanted: "AND",
            number: 2,
            declared: 2
        }
    ));
    assert!(matches!(
        wrong("8\n6 2 4\n8 6 3\n", ""),
        E::Ends {
            wanted: "output",
            number: 1,
            ..
        }
    ));
    let error = wrong("6 2 4", "6 2");
    assert!(matches!(
        error,
        E::LineLength {
            line: 5,
            expected: 3,
            found: 2,
            ..
        }
    ));
    assert!(matches!(wrong("6 2 4", "6 2 x"), E::NotANumber { line: 5, .. }));
    let error = wrong("6 2 4", "6 2 10");
    assert!(matches!(
        error,
        E::LiteralOutOfRange {
            line: 5,
            literal: 10,
            limit: 9
        }
    ));
    for (from, to, line, literal) in [("6 2 4", "7 2 4", 5, 7), ("\n4\n", "\n0\n", 3, 0)] {
        let error = wrong(from, to);
        assert!(matches!(error, E::NotAVariable { line: l, literal: n } if (l, n) == (line, literal)));
    }
    for (from, to, line) in [
        ("8 6 3", "6 6 3", 6),
        ("\n4\n", "\n2\n", 3),
        ("6 2 4", "4 2 4", 5),
    ] {
        assert!(matches!(wrong(from, to), E::DefinedTwice { line: l, .. } if l == line));
    }
    let gap = "aag 5 2 0 1 2\n2\n4\n8\n6 2 4\n8 10 3\n";
    assert!(matches!(complaint(gap).0, E::Undefined { line: 6, literal: 10 }));
    assert!(matches!(
        complaint("aag 2 1 0 1 0\n2\n5\n").0,
        E::Undefined { line: 3, literal: 5 }
    ));
    assert!(matches!(wrong("6 2 4", "6 2 6"), E::Cycle { line: 5 }));
    assert!(matches!(wrong("6 2 4", "6 2 9"), E::Cycle { .. }));
    // Also where no output depends on it.
    assert!(matches!(
        complaint("aag 3 1 0 1 2\n2\n2\n4 6 2\n6 4 2\n").0,
        E::Cycle { .. }
    ));
    assert!(matches!(
        aiger::read(&b"aag 1 1 0 1 0\n\xff\n2\n"[..]),
        Err(E::NotText { line: 2 })
    ));
}

#[test]
fn errors_in_binary() {
    use AigerError as E;
    let read = |differences: &[u8]| {
        let bytes = [b"aig 2 1 0 1 1\n4\n", differences].concat();
        aiger::read(&*bytes)
    };
    assert!(read(&[2, 0]).is_ok());
    for differences in [&[0, 0][..], &[5, 0], &[2, 3], &[0xff, 0xff, 0xff, 0xff, 0x0f, 0]] {
        assert!(
            matches!(read(differences), Err(E::BadDifference { number: 1 })),
            "{differences:?}"
        );
    }
    let endless = [0xff; 20];
    for differences in [&[][..], &[2], &[0x82], &endless] {
        assert!(matches!(
            read(differences),
            Err(E::Ends {
                wanted: "AND",
                number: 1,
                declared: 1
            })
        ));
    }
}

#[test]
fn symbol_errors() {
    use AigerError as E;
    let read = |symbols: &str| read(&format!("aag 2 2 0 2 0\n2\n4\n4\n2\n{symbols}")).map(|_| ());
    read("\ni0 a\ni1 a b\no1 y\no0 z\nc").unwrap();
    for line in ["2", "l0 x", "b0 x", "i x", "ix y", "i0", "comment", "4 2 2"] {
        let error = read(&format!("{line}\n")).unwrap_err();
        assert!(matches!(error, E::NotASymbol { .. }), "{line}");
    }
    for (symbols, place) in [
        ("i2 x\n", "i2"),
        ("o0 x\no0 y\n", "o0"),
        ("i4294967295 x", "i4294967295"),
    ] {
        let error = read(symbols).unwrap_err();
        assert!(matches!(error, E::SymbolPlace { symbol } if symbol == place));
    }
    let error = read("i1 x\n").unwrap_err();
    assert!(matches!(
        error,
        E::SomeNamed {
            direction: "input",
            number: 0
        }
    ));
    let error = read("i0 x\ni1 x\n").unwrap_err();
    assert!(matches!(
        error,
        E::BitNames(BitNameError::Twice {
            direction: "input",
            ..
        })
    ));
}
