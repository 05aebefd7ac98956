//! Compares the evaluation of circuits with rows of bytes and bits with the definition.

use proptest::prelude::*;
use ringmill_circuit::{
    Analysis, Builder, Circuit, EvaluateError, Gate, MapEntry, PortValues, RowMap, Visibility, Wire,
    WireType, Word, field,
};

const SECRET: Visibility = Visibility::Private;

/// The bytes of a wire for one record, by recursion to the inputs; a bit is 0 or 1. Maps are applied term by
/// term, as their definition says.
fn naive(circuit: &Circuit, inputs: &[Vec<Vec<u8>>], wire: Wire) -> Vec<u8> {
    let value = |operand| naive(circuit, inputs, operand);
    let both = |left, right, operation: fn(u8, u8) -> u8| {
        let pairs = value(left).into_iter().zip(value(right));
        pairs.map(|(a, b)| operation(a, b)).collect()
    };
    match circuit.gates()[wire.index()] {
        Gate::Input => {
            let ports = circuit.inputs().iter().zip(inputs);
            let mut wires = ports.flat_map(|(port, values)| port.wires.iter().zip(values));
            wires.find(|(input, _)| **input == wire).unwrap().1.clone()
        }
        Gate::Constant(bit) => vec![u8::from(bit)],
        Gate::Not(operand) => vec![1 - value(operand)[0]],
        Gate::Xor(left, right) => both(left, right, |a, b| a ^ b),
        Gate::And(left, right) => both(left, right, field::multiply),
        Gate::Value(index) => circuit.values()[index as usize].clone(),
        Gate::Linear(index) => {
            let linear = &circuit.linears()[index as usize];
            let mut sum = vec![0; linear.kind.slots()];
            for (operand, map) in &linear.terms {
                let operand = value(*operand);
                for entry in circuit.maps()[map.index()].entries() {
                    let power = field::frobenius(operand[entry.source], entry.frobenius);
                    sum[entry.target] ^= field::multiply(power, entry.factor);
                }
            }
            sum
        }
    }
}

/// A step of a random circuit, which uses wires among those before.
#[derive(Clone, Debug)]
enum Step {
    Xor,
    And,
    Not,
    Constant(Vec<u8>),
    Sum(Vec<MapEntry>, Vec<MapEntry>),
    Bits,
    Byte,
    Inverse,
}

fn entries() -> impl Strategy<Value = Vec<MapEntry>> {
    let entry = (0..3_usize, 0..3_usize, 0..8_u8, 0..4_u8);
    let entry = entry.prop_map(|(target, source, frobenius, factor)| MapEntry {
        target,
        source,
        frobenius,
        // Zeros and ones are frequent on purpose.
        factor: [0, 1, 1, 0x57][usize::from(factor)],
    });
    prop::collection::vec(entry, 0..5)
}

fn steps() -> impl Strategy<Value = Vec<(Step, u32, u32)>> {
    let step = prop_oneof![
        3 => Just(Step::Xor),
        2 => Just(Step::And),
        1 => Just(Step::Not),
        1 => prop_oneof![
            Just(vec![0; 3]),
            Just(vec![1; 3]),
            prop::collection::vec(any::<u8>(), 3),
        ].prop_map(Step::Constant),
        3 => (entries(), entries()).prop_map(|(left, right)| Step::Sum(left, right)),
        1 => Just(Step::Bits),
        1 => Just(Step::Byte),
        1 => Just(Step::Inverse),
    ];
    prop::collection::vec((step, any::<u32>(), any::<u32>()), 1..24)
}

/// The wires of a random circuit by kind.
#[derive(Default)]
struct Wires {
    bits: Vec<Wire>,
    bytes: Vec<Wire>,
    rows: Vec<Wire>,
}

fn pick(wires: &[Wire], choice: u32) -> Wire {
    wires[choice as usize % wires.len()]
}

fn add(b: &mut Builder, wires: &mut Wires, step: Step, left: u32, right: u32) {
    // Some bits of a choice that do not affect the choice of wires decide the kind.
    let kind = match left >> 20 & 3 {
        0 => &mut wires.bits,
        1 => &mut wires.bytes,
        _ => &mut wires.rows,
    };
    match step {
        Step::Xor => kind.push(b.xor(pick(kind, left), pick(kind, right))),
        Step::And => kind.push(b.and(pick(kind, left), pick(kind, right))),
        Step::Not => wires.bits.push(b.not(pick(&wires.bits, left))),
        Step::Constant(row) => {
            wires.bits.push(b.constant(row[0] % 2 == 1));
            wires.bytes.push(b.row_constant(&row[..1]));
            wires.rows.push(b.row_constant(&row));
        }
        Step::Sum(first, second) => {
            let narrow = second.iter().map(|entry| MapEntry { source: 0, ..*entry });
            let narrow = RowMap::new(1, 3, narrow).unwrap();
            let terms = [
                (pick(&wires.rows, left), RowMap::new(3, 3, first.clone()).unwrap()),
                (pick(&wires.rows, right), RowMap::new(3, 3, second).unwrap()),
                (pick(&wires.bytes, left), narrow.clone()),
                (pick(&wires.bits, right), narrow),
            ];
            wires.rows.push(b.linear(&terms).unwrap());
            let to_byte = first.iter().map(|entry| MapEntry { target: 0, ..*entry });
            let to_byte = RowMap::new(3, 1, to_byte).unwrap();
            let byte = b.linear(&[(pick(&wires.rows, right), to_byte)]).unwrap();
            wires.bytes.push(byte);
        }
        Step::Bits => {
            let bits = b.byte_to_bits(pick(&wires.bytes, left)).unwrap();
            wires.bits.extend_from_slice(bits.wires());
        }
        Step::Byte => {
            let bits = (0..8).map(|bit| pick(&wires.bits, left.rotate_left(bit) ^ right));
            let byte = b.bits_to_byte(&Word::new(bits.collect())).unwrap();
            wires.bytes.push(byte);
        }
        Step::Inverse => wires.rows.push(b.inverse(pick(&wires.rows, left)).unwrap()),
    }
}

fn circuit(steps: Vec<(Step, u32, u32)>) -> Circuit {
    let mut b = Builder::new();
    let mut wires = Wires {
        bits: b.input("bits", SECRET, 3).wires().to_vec(),
        bytes: b.input_rows("bytes", Visibility::Public, 2, 1),
        rows: b.input_rows("rows", SECRET, 2, 3),
    };
    for (step, left, right) in steps {
        add(&mut b, &mut wires, step, left, right);
    }
    let last = |wires: &[Wire]| wires.iter().rev().take(4).copied().collect::<Vec<_>>();
    b.output("bits", &Word::new(last(&wires.bits)));
    b.output_rows("bytes", &last(&wires.bytes));
    b.output_rows("rows", &last(&wires.rows));
    b.finish().unwrap()
}

/// Values of the three ports for some records.
fn data() -> impl Strategy<Value = [PortValues; 3]> {
    (0..150_usize).prop_flat_map(|records| {
        let lane = prop::collection::vec(any::<u64>(), records.div_ceil(64));
        let bytes = prop::collection::vec(any::<u8>(), records);
        let rows = prop::collection::vec(any::<u8>(), 3 * records);
        (
            prop::collection::vec(lane, 3),
            prop::collection::vec(bytes, 2),
            prop::collection::vec(rows, 2),
        )
            .prop_map(|(bits, bytes, rows)| {
                [
                    PortValues::Bits(bits),
                    PortValues::Rows(bytes),
                    PortValues::Rows(rows),
                ]
            })
    })
}

/// The value of each wire of a port in one record; a bit is 0 or 1.
fn record(values: &PortValues, record: usize, slots: usize) -> Vec<Vec<u8>> {
    match values {
        PortValues::Bits(lanes) => {
            let bit = |lane: &Vec<u64>| u8::from(lane[record / 64] >> (record % 64) & 1 == 1);
            lanes.iter().map(|lane| vec![bit(lane)]).collect()
        }
        PortValues::Rows(rows) => rows
            .iter()
            .map(|row| row[record * slots..][..slots].to_vec())
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn mixed_circuits_evaluate_as_defined(steps in steps(), data in data()) {
        let circuit = circuit(steps);
        let outputs = circuit.evaluate(&data).unwrap();
        let records = data[1].as_rows().unwrap()[0].len();
        prop_assert_eq!(outputs[2].as_rows().unwrap()[0].len(), 3 * records);
        for index in (0..records).step_by(37) {
            let ports = data.iter().zip(circuit.inputs());
            let inputs: Vec<_> = ports.map(|(values, port)| record(values, index, port.kind.slots())).collect();
            for (port, values) in circuit.outputs().iter().zip(&outputs) {
                let expected: Vec<_> = port.wires.iter().map(|wire| naive(&circuit, &inputs, *wire)).collect();
                prop_assert_eq!(record(values, index, port.kind.slots()), expected);
            }
            let ports = data.iter().zip(circuit.inputs());
            let bytes: Vec<_> = ports.map(|(values, port)| values.record_bytes(port.kind, index)).collect();
            let ports = outputs.iter().zip(circuit.outputs());
            let expected: Vec<_> = ports.map(|(values, port)| values.record_bytes(port.kind, index)).collect();
            prop_assert_eq!(circuit.evaluate_record_bytes(&bytes), Ok(expected));
        }
    }

    #[test]
    fn uses_count_all_operands(steps in steps()) {
        let circuit = circuit(steps);
        let facts = Analysis::new(&circuit);
        let gates = circuit.numbered_gates().filter(|(wire, _)| facts.wire(*wire).unwrap().live);
        let mut uses = vec![0; circuit.gates().len()];
        for (_, gate) in gates {
            for operand in circuit.operands(gate) {
                uses[operand.index()] += 1;
            }
        }
        for wire in circuit.outputs().iter().flat_map(|port| &port.wires) {
            uses[wire.index()] += 1;
        }
        for (wire, _) in circuit.numbered_gates() {
            prop_assert_eq!(facts.wire(wire).unwrap().uses, uses[wire.index()]);
        }
    }

    #[test]
    fn maps_compose_and_add(first in entries(), second in entries(), row: [u8; 3]) {
        let first = RowMap::new(3, 3, first).unwrap();
        let second = RowMap::new(3, 3, second).unwrap();
        prop_assert_eq!(second.after(&first).unwrap().apply(&row), second.apply(&first.apply(&row)));
        let images = first.apply(&row).into_iter().zip(second.apply(&row));
        let sum: Vec<u8> = images.map(|(a, b)| a ^ b).collect();
        prop_assert_eq!(first.plus(&second).unwrap().apply(&row), sum);
        prop_assert_eq!(RowMap::from_blocks(3, 3, first.blocks()), Ok(first.clone()));
        prop_assert!(first.plus(&first).unwrap().is_zero());
    }
}

#[test]
fn data_of_wrong_shape_is_refused() {
    let circuit = circuit(vec![(Step::Xor, 0, 1)]);
    let bits = |words: usize| PortValues::Bits(vec![vec![0; words]; 3]);
    let rows = |bytes: usize| PortValues::Rows(vec![vec![0; bytes]; 2]);
    assert!(circuit.evaluate(&[bits(2), rows(65), rows(195)]).is_ok());
    let port = String::from("bytes");
    let error = EvaluateError::PortKind {
        port: port.clone(),
        expected: WireType::BYTE,
    };
    assert_eq!(circuit.evaluate(&[bits(2), bits(2), rows(195)]), Err(error));
    let error = EvaluateError::LaneLength {
        port: "bits".into(),
        bit: 0,
        expected: 2,
        found: 1,
    };
    assert_eq!(circuit.evaluate(&[bits(1), rows(65), rows(195)]), Err(error));
    for found in [193, 194, 196, 65] {
        let error = EvaluateError::RowBytes {
            port: "rows".into(),
            wire: 0,
            expected: 195,
            found,
        };
        assert_eq!(circuit.evaluate(&[bits(2), rows(65), rows(found)]), Err(error));
    }
    let error = EvaluateError::RecordBytes {
        port,
        expected: 2,
        found: 3,
    };
    let inputs = [vec![0; 1], vec![0; 3], vec![0; 6]];
    assert_eq!(circuit.evaluate_record_bytes(&inputs), Err(error));
}

#[test]
fn rows_without_rows_given_come_for_every_record() {
    let mut b = Builder::new();
    let bits = b.input("bits", SECRET, 8);
    let byte = b.bits_to_byte(&bits).unwrap();
    let value = b.row_constant(&[1, 2]);
    b.output_rows("byte", &[byte]);
    b.output_rows("value", &[value]);
    let circuit = b.finish().unwrap();
    let lanes = (0..8).map(|bit| vec![1_u64 << bit, 0]).collect();
    let outputs = circuit.evaluate(&[PortValues::Bits(lanes)]).unwrap();
    let mut expected = vec![0; 128];
    (0..8).for_each(|record| expected[record] = 1 << record);
    assert_eq!(outputs[0], PortValues::Rows(vec![expected]));
    assert_eq!(outputs[1], PortValues::Rows(vec![[1, 2].repeat(128)]));
}
