//! Tests Bristol Fashion and Bristol Format: round trips, and every kind of error.

use proptest::prelude::*;
use ringmill_circuit::bristol::{self, BristolError, Ports};
use ringmill_circuit::{
    Builder, Circuit, CircuitError, Gate, InputPort, OutputPort, PortValues, Visibility, Wire, WireType,
    simon,
};

fn read(text: &str) -> Result<Circuit, BristolError> {
    bristol::read(text.as_bytes(), &Ports::default())
}

fn written(circuit: &Circuit) -> String {
    let mut text = Vec::new();
    bristol::write(circuit, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn bits(number: u32, width: usize) -> Vec<bool> {
    (0..width).map(|bit| number >> bit & 1 == 1).collect()
}

/// One bit of each operation: y0 = (a b, a + b), y1 = (1 + a, 1, b).
const FASHION: &str = "\
6 9
2 1 1
2 2 3

2 1 0 1 4 AND
2 1 0 1 5 XOR
1 1 0 6 INV
1 1 1 7 EQ
1 1 1 8 EQW
1 1 0 2 EQ

";

#[test]
fn reads_every_operation() {
    // Wire 2 is of no use, and wire 3 does not exist yet: the nine wires are inputs 0 and 1, gates 2 and 4
    // to 8.
    assert!(matches!(
        read(FASHION),
        Err(BristolError::WireCount {
            line: 1,
            declared: 9,
            found: 8
        })
    ));
    let circuit = read(
        &FASHION
            .replace("6 9", "7 9")
            .replace("EQ\n\n", "EQ\n1 1 2 3 EQW\n"),
    )
    .unwrap();
    let ports: Vec<_> = circuit
        .inputs()
        .iter()
        .map(|port| (port.name.as_str(), port.visibility))
        .collect();
    assert_eq!(ports, [("x0", Visibility::Private), ("x1", Visibility::Private)]);
    let names: Vec<_> = circuit.outputs().iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["y0", "y1"]);
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let output = circuit.evaluate_record(&[vec![a], vec![b]]).unwrap();
        assert_eq!(output, [vec![a & b, a ^ b], vec![!a, true, b]]);
    }
}

#[test]
fn reads_several_ands_at_once() {
    let circuit = read("1 6\n1 4\n1 2\n4 2 0 2 1 3 4 5 MAND\n").unwrap();
    for number in 0..16 {
        let record = bits(number, 4);
        let output = circuit.evaluate_record(std::slice::from_ref(&record)).unwrap();
        assert_eq!(output, [vec![record[0] & record[1], record[2] & record[3]]]);
    }
}

#[test]
fn reads_the_older_format() {
    let text = "3 6\r\n2 1 1\r\n\r\n2 1 0 1 3 XOR\r\n2 1 3 2 4 AND\r\n1 1 4 5 INV\r\n\r\n";
    let circuit = read(text).unwrap();
    let widths: Vec<_> = circuit.inputs().iter().map(|port| port.wires.len()).collect();
    assert_eq!(widths, [2, 1]);
    for number in 0..8 {
        let record = bits(number, 3);
        let output = circuit
            .evaluate_record(&[record[..2].to_vec(), record[2..].to_vec()])
            .unwrap();
        assert_eq!(output, [vec![!((record[0] ^ record[1]) & record[2])]]);
    }
    // The second input may be absent, and so may the gates.
    assert_eq!(read("0 2\n2 0 1\n").unwrap().inputs().len(), 1);
}

#[test]
fn ports_are_named() {
    let ports = Ports {
        inputs: vec![
            ("a".into(), Visibility::Public),
            ("b".into(), Visibility::Private),
        ],
        outputs: vec!["sum".into()],
    };
    let text = "1 3\n2 1 1\n1 1\n2 1 0 1 2 XOR\n";
    let circuit = bristol::read(text.as_bytes(), &ports).unwrap();
    assert_eq!(circuit.inputs()[0].name, "a");
    assert_eq!(circuit.inputs()[0].visibility, Visibility::Public);
    assert_eq!(circuit.inputs()[1].name, "b");
    assert_eq!(circuit.outputs()[0].name, "sum");

    let refused = |ports: &Ports| bristol::read(text.as_bytes(), ports).unwrap_err();
    let short = Ports {
        inputs: ports.inputs[..1].to_vec(),
        outputs: Vec::new(),
    };
    let error = refused(&short);
    assert!(matches!(
        error,
        BristolError::PortCount {
            direction: "input",
            named: 1,
            found: 2
        }
    ));
    let long = Ports {
        inputs: Vec::new(),
        outputs: vec!["a".into(), "b".into()],
    };
    let error = refused(&long);
    assert!(matches!(
        error,
        BristolError::PortCount {
            direction: "output",
            named: 2,
            found: 1
        }
    ));
    let twice = Ports {
        inputs: vec![ports.inputs[0].clone(); 2],
        outputs: Vec::new(),
    };
    let error = refused(&twice);
    assert!(matches!(
        error,
        BristolError::Circuit(CircuitError::DuplicatePortName { .. })
    ));
}

/// Changes one place of a correct text and returns the resulting error.
fn complaint(from: &str, to: &str) -> BristolError {
    let right = "3 6\n2 1 2\n1 2\n\n2 1 0 1 3 XOR\n1 1 3 4 INV\n2 1 4 2 5 AND\n";
    read(right).unwrap();
    assert_eq!(right.matches(from).count(), 1, "{from:?} is not one place");
    read(&right.replace(from, to)).unwrap_err()
}

#[test]
fn header_errors() {
    use BristolError as E;
    assert!(matches!(read(""), Err(E::HeaderEnds { .. })));
    assert!(matches!(
        read("\n \n3 6\n"),
        Err(E::HeaderEnds {
            wanted: "input widths"
        })
    ));
    // Cut off within the header: an older file would have three numbers.
    assert!(matches!(
        read("3 6\n1 2\n"),
        Err(E::HeaderLength {
            line: 2,
            expected: 3,
            found: 2
        })
    ));
    let error = complaint("3 6\n", "3\n");
    assert!(matches!(
        error,
        E::HeaderLength {
            line: 1,
            expected: 2,
            found: 1
        }
    ));
    let error = complaint("2 1 2\n", "3 1 2\n");
    assert!(matches!(
        error,
        E::HeaderLength {
            line: 2,
            expected: 4,
            found: 3
        }
    ));
    let error = complaint("2 1 2\n", "4000000000 1 2\n");
    assert!(matches!(
        error,
        E::HeaderLength {
            line: 2,
            expected: 4_000_000_001,
            found: 3
        }
    ));
    let error = complaint("\n1 2\n", "\n1 0\n");
    assert!(matches!(error, E::EmptyValue { line: 3 }));
    let error = complaint("\n1 2\n", "\n0\n");
    assert!(matches!(error, E::NoOutputs { line: 3 }));
    let error = complaint("\n1 2\n", "\n1 7\n");
    assert!(matches!(
        error,
        E::TooManyOutputs {
            line: 3,
            outputs: 7,
            wires: 6
        }
    ));
    for number in ["-3", "+3", "4294967296", "x", "3.0"] {
        let error = complaint("3 6\n", &format!("{number} 6\n"));
        assert!(matches!(error, E::NotANumber { line: 1, found } if found == number));
    }
    let error = bristol::read(&b"3 6\n\xff\xfe\n"[..], &Ports::default()).unwrap_err();
    assert!(matches!(error, E::NotText { line: 2 }));
}

#[test]
fn counts_that_do_not_fit() {
    use BristolError as E;
    let error = complaint("3 6\n", "4 6\n");
    assert!(matches!(
        error,
        E::MissingGates {
            line: 1,
            declared: 4,
            found: 3
        }
    ));
    let error = complaint("3 6\n", "4294967295 6\n");
    assert!(matches!(
        error,
        E::MissingGates {
            line: 1,
            declared: u32::MAX,
            found: 3
        }
    ));
    let error = complaint("3 6\n", "2 6\n");
    assert!(matches!(error, E::TrailingText { line: 7, found, declared: 2 } if found == "2"));
    let error = complaint("5 AND\n", "5 AND\n\n# end\n");
    assert!(matches!(error, E::TrailingText { line: 9, found, declared: 3 } if found == "#"));
    for wires in ["7", "4294967295"] {
        let error = complaint("3 6\n", &format!("3 {wires}\n"));
        assert!(matches!(
            error,
            E::WireCount {
                line: 1,
                found: 6,
                ..
            }
        ));
    }
    let error = complaint("3 6\n", "3 5\n");
    assert!(matches!(
        error,
        E::WireOutOfRange {
            line: 7,
            wire: 5,
            wires: 5
        }
    ));
    let error = complaint("3 6\n", "3 2\n");
    assert!(matches!(
        error,
        E::WireCount {
            line: 1,
            declared: 2,
            found: 3
        }
    ));
    let error = complaint("2 1 2\n", "2 1 4000000000\n");
    assert!(matches!(
        error,
        E::TooManyInputs {
            line: 2,
            bits: 4_000_000_001,
            ..
        }
    ));
}

#[test]
fn gates_that_do_not_fit() {
    use BristolError as E;
    let error = complaint("2 1 0 1 3 XOR", "2 1 0 4 3 XOR");
    assert!(matches!(error, E::ForwardReference { line: 5, wire: 4 }));
    let error = complaint("2 1 0 1 3 XOR", "2 1 0 3 3 XOR");
    assert!(matches!(error, E::ForwardReference { line: 5, wire: 3 }));
    let error = complaint("2 1 0 1 3 XOR", "2 1 0 6 3 XOR");
    assert!(matches!(
        error,
        E::WireOutOfRange {
            line: 5,
            wire: 6,
            wires: 6
        }
    ));
    let error = complaint("1 1 3 4 INV", "1 1 3 3 INV");
    assert!(matches!(error, E::WrittenTwice { line: 6, wire: 3 }));
    let error = complaint("1 1 3 4 INV", "1 1 3 2 EQW");
    assert!(matches!(error, E::WrittenTwice { line: 6, wire: 2 }));
    let error = complaint("1 1 3 4 INV", "1 1 3 4 EQ");
    assert!(matches!(error, E::NotABit { line: 6, found: 3 }));
    for (operation, found) in [("4 NOT", "NOT"), ("4 inv", "inv"), ("4", "4"), ("", "3")] {
        let error = complaint("1 1 3 4 INV", &format!("1 1 3 {operation}"));
        assert!(matches!(error, E::UnknownOperation { line: 6, found: word } if word == found));
    }
    for shape in [
        "2 1 3 3 4 INV",
        "1 1 3 4 AND",
        "2 1 3 3 4 EQW",
        "3 1 0 1 2 4 MAND",
        "0 0 MAND",
        "0 1 4 EQ",
    ] {
        assert!(matches!(
            complaint("1 1 3 4 INV", shape),
            E::GateShape { line: 6, .. }
        ));
    }
    for (shape, announced) in [
        ("1 1 3 INV", 2),
        ("1 1 3 3 4 INV", 2),
        ("INV", 2),
        ("1 INV", 2),
        ("4000000000 4000000000 3 INV", 8_000_000_000),
    ] {
        let error = complaint("1 1 3 4 INV", shape);
        assert!(matches!(error, E::GateLength { line: 6, announced: n, .. } if n == announced));
    }
    let error = complaint("1 1 3 4 INV", "1 1 three 4 INV");
    assert!(matches!(error, E::NotANumber { line: 6, .. }));
    // Both products are simultaneous.
    let error = read("1 4\n1 2\n1 2\n4 2 0 2 1 1 2 3 MAND\n").unwrap_err();
    assert!(matches!(error, E::ForwardReference { line: 4, wire: 2 }));
}

#[test]
fn reading_and_writing_failures_are_passed_on() {
    struct Broken;
    impl std::io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("cable cut"))
        }
    }
    let circuit = read(
        FASHION
            .replace("6 9", "6 8")
            .replace("2 2 3", "1 4")
            .replace("8 EQW", "3 EQW")
            .as_str(),
    );
    let error = bristol::write(&circuit.unwrap(), Broken).unwrap_err();
    assert_eq!(error.to_string(), "the circuit file: disk full");
    assert!(matches!(
        bristol::read(Broken, &Ports::default()),
        Err(BristolError::Io(_))
    ));
}

#[test]
fn outputs_come_last_and_are_copied_where_they_must() {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 2);
    let one = builder.constant_word([true]);
    let sum = builder.xor(a.wires()[0], a.wires()[1]);
    let sum = ringmill_circuit::Word::new(vec![sum]);
    builder.output("early", &sum);
    builder.output("mixed", &a.concat(&sum).concat(&one));
    let circuit = builder.finish().unwrap();
    let expected = "\
5 7
1 2
2 1 4

1 1 1 6 EQ
2 1 0 1 2 XOR
1 1 0 3 EQW
1 1 1 4 EQW
1 1 2 5 EQW
";
    assert_eq!(written(&circuit), expected);
}

#[test]
fn simon_survives_the_round_trip() {
    for circuit in [
        simon::encrypt_circuit().unwrap(),
        simon::decrypt_circuit().unwrap(),
    ] {
        let ports = Ports {
            inputs: vec![
                ("block".into(), Visibility::Public),
                ("key".into(), Visibility::Private),
            ],
            outputs: vec!["block".into()],
        };
        let again = bristol::read(written(&circuit).as_bytes(), &ports).unwrap();
        assert_eq!(again, circuit);
    }
}

/// Circuits with gates of all kinds, including dead ones, and outputs of any kind.
fn circuits() -> impl Strategy<Value = Circuit> {
    let gates = prop::collection::vec((0..5_u8, any::<u32>(), any::<u32>()), 0..40);
    let outputs = prop::collection::vec(any::<prop::sample::Index>(), 1..6);
    (1..6_u32, gates, outputs).prop_map(|(inputs, choices, outputs)| {
        let mut gates = vec![Gate::Input; inputs as usize];
        for (index, (kind, left, right)) in (inputs..).zip(choices) {
            let wire = |choice: u32| Wire::new(choice % index);
            gates.push(match kind {
                0 => Gate::Constant(left % 2 == 1),
                1 => Gate::Not(wire(left)),
                2 => Gate::Xor(wire(left), wire(right)),
                _ => Gate::And(wire(left), wire(right)),
            });
        }
        let input = |(name, range): (&str, std::ops::Range<u32>)| InputPort {
            name: name.into(),
            visibility: Visibility::Private,
            kind: WireType::Bit,
            wires: range.map(Wire::new).collect(),
        };
        let halves = [("x0", 0..inputs / 2), ("x1", inputs / 2..inputs)];
        let inputs = halves
            .into_iter()
            .filter(|(_, range)| !range.is_empty())
            .map(input)
            .collect();
        let output = |index: prop::sample::Index| Wire::new(index.index(gates.len()) as u32);
        let wires = outputs.into_iter().map(output).collect();
        let outputs = vec![OutputPort {
            name: "y0".into(),
            kind: WireType::Bit,
            wires,
        }];
        Circuit::new(gates, inputs, outputs).unwrap()
    })
}

proptest! {
    #[test]
    fn what_is_written_computes_the_same(circuit in circuits(), seed in any::<u64>()) {
        let text = written(&circuit);
        let again = read(&text).unwrap();
        let mut state = seed;
        let mut lane = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            vec![state ^ state >> 29]
        };
        let inputs: Vec<PortValues> = again
            .inputs()
            .iter()
            .map(|port| PortValues::Bits(port.wires.iter().map(|_| lane()).collect()))
            .collect();
        prop_assert_eq!(circuit.evaluate(&inputs).unwrap(), again.evaluate(&inputs).unwrap());
        prop_assert_eq!(circuit.and_count(), again.and_count());
        prop_assert_eq!(circuit.and_depth(), again.and_depth());
        prop_assert_eq!(circuit.xor_count(), again.xor_count());
        // Reading removes copies, so the second text may be shorter; it is then final, except for the order
        // in which inputs are named.
        let second = written(&again);
        prop_assert_eq!(written(&read(&second).unwrap()), second);
    }

    #[test]
    fn changed_texts_are_refused_or_read_but_never_crash(
        circuit in circuits(), place in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut text = written(&circuit).into_bytes();
        let place = place.index(text.len());
        text[place] = byte;
        drop(bristol::read(text.as_slice(), &Ports::default()));
    }
}

#[test]
fn rows_are_not_written() {
    let mut b = Builder::new();
    let rows = b.input_rows("rows", Visibility::Private, 2, 16);
    let sum = b.xor(rows[0], rows[1]);
    b.output_rows("sum", &[sum]);
    let mut text = Vec::new();
    let error = bristol::write(&b.finish().unwrap(), &mut text).unwrap_err();
    assert!(matches!(error, BristolError::Rows { wire } if wire == Wire::new(0)));
    assert!(text.is_empty());
}

#[test]
fn a_text_without_an_end_is_refused() {
    let endless = std::io::repeat(b'7');
    let error = bristol::read(endless, &Ports::default()).unwrap_err();
    assert!(
        error.to_string().contains("is longer than 268435456 bytes"),
        "{error}"
    );
}
