use ringmill_circuit::{
    Builder, ByteMap, Gates, InputPort, MapId, OutputPort, PortValues, RowMap, Word, field, nibble, simon,
};

use super::*;
use crate::ir::clear::ClearInput;

#[allow(dead_code)] // the tests of execution use the rest
#[path = "../../../tests/suite/common/circuits.rs"]
mod circuits;

use circuits::{Dice, Wires, random_circuit};

const RECORDS: usize = 64;

/// A wire in all records, one byte for each of its places; a bit is 0 or 1.
type Bytes = Vec<u8>;

fn bytes(values: &PortValues, wire: usize) -> Bytes {
    match values {
        PortValues::Bits(lanes) => (0..RECORDS)
            .map(|record| (lanes[wire][0] >> record & 1) as u8)
            .collect(),
        PortValues::Rows(rows) => rows[wire].clone(),
    }
}

fn add(sum: &mut Bytes, other: &[u8]) {
    sum.iter_mut().zip(other).for_each(|(sum, byte)| *sum ^= byte);
}

/// What a program computes, operation by operation: a sum of what it says in GF(2^8), where bits are 0 and
/// 1. The output wires one after the other.
fn interpret(program: &Program, inputs: &[PortValues]) -> Vec<Bytes> {
    let outputs = hold(program, inputs).into_iter();
    outputs.map(|bytes| read(program, bytes)).collect()
}

/// The same as slots hold it.
fn hold(program: &Program, inputs: &[PortValues]) -> Vec<Bytes> {
    let bytes = |values: &PortValues, wire| held(program, bytes(values, wire));
    let clear = program.clear.evaluate(RECORDS, |port, wire| match &inputs[port] {
        PortValues::Bits(lanes) => ClearInput::Bits(&lanes[wire]),
        PortValues::Rows(rows) => ClearInput::Rows(&rows[wire]),
    });
    let clear = |id: &ClearId| held(program, clear.get(*id).bytes(RECORDS));
    let slots = if program.shared { RECORDS / 4 } else { RECORDS };
    let mut values: Vec<Bytes> = Vec::new();
    for operation in &program.operations {
        let product = |a: &[u8], b: &[u8]| -> Bytes {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| field::multiply(*a, *b)).collect()
        };
        let mut sum = vec![0; slots * program.row];
        match operation {
            Operation::Input { port, wire } => sum = bytes(&inputs[*port], *wire),
            Operation::PlainProduct { operand, factor } => sum = product(&values[operand.0], &clear(factor)),
            Operation::Product {
                pairs,
                terms,
                clear: term,
            } => {
                for (a, b) in pairs {
                    add(&mut sum, &product(&values[a.0], &values[b.0]));
                }
                terms.iter().for_each(|term| add(&mut sum, &values[term.0]));
                term.iter().for_each(|term| add(&mut sum, &clear(term)));
            }
            Operation::Map {
                images,
                terms,
                clear: term,
            } => {
                for (operand, map) in images {
                    let rows = values[operand.0].chunks(program.row);
                    let image: Bytes = rows
                        .flat_map(|row| program.maps[map.index()].apply(row))
                        .collect();
                    add(&mut sum, &image);
                }
                terms.iter().for_each(|term| add(&mut sum, &values[term.0]));
                term.iter().for_each(|term| add(&mut sum, &clear(term)));
            }
            Operation::Linear { terms, clear: term } => {
                terms.iter().for_each(|term| add(&mut sum, &values[term.0]));
                term.iter().for_each(|term| add(&mut sum, &clear(term)));
            }
            Operation::Switch { .. } => panic!("a program has no switches"),
        }
        values.push(sum);
    }
    let outputs = program.outputs.iter().flatten();
    let outputs = outputs.map(|source| match source {
        OutputSource::Encrypted(value) => values[value.0].clone(),
        OutputSource::Clear(id) => clear(id),
    });
    outputs.collect()
}

/// What slots hold of a wire: its bytes, or where records share slots an embedded nibble for each four bits.
fn held(program: &Program, bytes: Bytes) -> Bytes {
    if !program.shared {
        return bytes;
    }
    let nibble = |bits: &[u8]| bits.iter().rev().fold(0, |nibble, bit| nibble << 1 | bit);
    bytes.chunks(4).map(|bits| nibble::embed(nibble(bits))).collect()
}

/// The reverse.
fn read(program: &Program, bytes: Bytes) -> Bytes {
    if !program.shared {
        return bytes;
    }
    let reader = nibble::reader();
    let bits = |byte: &u8| {
        let nibble = reader.apply(*byte);
        (0..4).map(move |place| nibble >> place & 1)
    };
    bytes.iter().flat_map(bits).collect()
}

/// Operations have operands before them, sums have at least one term and all different ones.
fn check_form(program: &Program) {
    for (index, operation) in program.operations.iter().enumerate() {
        assert!(
            operation.operands().all(|operand| operand.0 < index),
            "{operation:?}"
        );
        let terms = match operation {
            Operation::Product { pairs, terms, .. } => {
                assert!(!pairs.is_empty());
                terms
            }
            Operation::Map { images, terms, .. } => {
                assert!(!images.is_empty());
                terms
            }
            Operation::Linear { terms, .. } => {
                assert!(!terms.is_empty());
                terms
            }
            _ => continue,
        };
        assert!(terms.is_sorted_by(|a, b| a < b), "{operation:?}");
    }
    let uses = program.uses();
    assert!(
        uses.iter().all(|uses| *uses > 0),
        "something is computed for nothing"
    );
}

#[test]
fn programs_compute_what_their_circuits_do() {
    for wires in [Wires::Bits, Wires::Bytes, Wires::Rows(4), Wires::Rows(16)] {
        compute_what_their_circuits_do(wires, |circuit| lower(circuit).unwrap());
    }
}

#[test]
fn programs_of_shared_slots_compute_what_their_circuits_do() {
    compute_what_their_circuits_do(Wires::Bits, |circuit| lower_shared(circuit).unwrap());
    let bytes = random_circuit(&mut Dice::new(0), Wires::Bytes, 20, 4);
    assert!(matches!(lower_shared(&bytes), Err(PlanError::CannotShare { .. })));
}

/// In shared slots each bit of SIMON's state is tidied once before it is multiplied; sums go into products and maps.
#[test]
fn rounds_of_simon_in_shared_slots() {
    let circuit = simon::decrypt_circuit().unwrap();
    let (own, shared) = (lower(&circuit).unwrap(), lower_shared(&circuit).unwrap());
    assert_eq!((shared.depth(), shared.products()), (own.depth(), own.products()));
    let maps = shared
        .operations
        .iter()
        .filter(|operation| matches!(operation, Operation::Map { .. }));
    assert_eq!(maps.count(), 43 * 32);
    assert_eq!(shared.operations.len(), own.operations.len() + 43 * 32);
}

/// Outputs hold embedded nibbles, and so nothing but the bits that they read as.
#[test]
fn outputs_are_tidied() {
    for index in 0..20 {
        let mut dice = Dice::new(index);
        let circuit = random_circuit(&mut dice, Wires::Bits, 30, 6);
        let program = lower_shared(&circuit).unwrap();
        let inputs = dice.inputs(&circuit, RECORDS);
        for bytes in hold(&program, &inputs) {
            let embedded = |byte: &u8| (0..16).any(|nibble| nibble::embed(nibble) == *byte);
            assert!(bytes.iter().all(embedded), "circuit {index}");
        }
    }
}

fn compute_what_their_circuits_do(wires: Wires, lowered: impl Fn(&Circuit) -> Program) {
    for index in 0..40 {
        let mut dice = Dice::new(index);
        let circuit = random_circuit(&mut dice, wires, 10 + 4 * usize::from(index), 12);
        let program = lowered(&circuit);
        check_form(&program);
        let inputs = dice.inputs(&circuit, RECORDS);
        let expected = circuit.evaluate(&inputs).unwrap();
        let expected = expected
            .iter()
            .flat_map(|port| (0..port.width()).map(|wire| bytes(port, wire)));
        assert_eq!(
            interpret(&program, &inputs),
            expected.collect::<Vec<_>>(),
            "{wires:?}, circuit {index}"
        );
        assert!(program.depth() <= circuit.and_depth());
    }
}

#[test]
fn simon_rounds_become_one_operation_for_each_bit() {
    let program = lower(&simon::decrypt_circuit().unwrap()).unwrap();
    // The first round's ANDs are public.
    assert_eq!((program.depth(), program.products()), (43, 43 * 32));
    // A product with the state's bits, the round key's and a constant it is added to.
    let products = program.operations.iter().filter_map(|operation| match operation {
        Operation::Product { pairs, terms, .. } => Some((pairs.len(), terms.len())),
        _ => None,
    });
    let mut terms = [0; 6];
    products.for_each(|(pairs, number)| {
        assert_eq!(pairs, 1);
        terms[number] += 1;
    });
    // The second round adds a state bit and a key bit, the others two state bits and a key bit; in the
    // last one the three terms of a round key that is used only there are added at once.
    assert_eq!(terms, [0, 0, 32, 41 * 32, 0, 32]);
    let sums = program.operations.iter().filter_map(|operation| match operation {
        Operation::Linear { terms, .. } => Some(terms.len()),
        _ => None,
    });
    let mut terms = [0; 4];
    sums.for_each(|number| terms[number] += 1);
    // The first round adds public bits to the key's. Sums of two in 40 rounds of the key schedule, and of
    // three in all of these but the last.
    assert_eq!(terms, [0, 32, 40 * 32, 39 * 32]);
    let plain = |operation: &&Operation| matches!(operation, Operation::PlainProduct { .. });
    assert_eq!(program.operations.iter().filter(plain).count(), 0);
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
    builder.output("sum", &Word::new(vec![sum, nothing]));
    let program = lower(&builder.finish().unwrap()).unwrap();
    assert_eq!(program.products(), 0);
    let is_sum = |operation: &&Operation| matches!(operation, Operation::Linear { .. });
    let sums: Vec<_> = program.operations.iter().filter(is_sum).collect();
    assert!(
        matches!(sums.as_slice(), [Operation::Linear { terms, clear: Some(_) }] if terms.len() == 1),
        "{sums:?}"
    );
    assert!(matches!(program.outputs[0][1], OutputSource::Clear(_)));
    assert!(program.inputs[0][2].is_none(), "the unused bit is not an input");
}

fn private(name: &str, kind: WireType, wires: Vec<Wire>) -> InputPort {
    InputPort {
        name: name.into(),
        visibility: Visibility::Private,
        kind,
        wires,
    }
}

fn output(kind: WireType, wires: Vec<Wire>) -> OutputPort {
    OutputPort {
        name: "x".into(),
        kind,
        wires,
    }
}

#[test]
fn constants_behind_the_builders_back_vanish() {
    let wire = Wire::new;
    let gates = vec![
        Gate::Input,
        Gate::Constant(true),
        Gate::And(wire(0), wire(1)),
        Gate::Xor(wire(2), wire(2)),
        Gate::And(wire(2), wire(3)),
        Gate::And(wire(0), wire(0)),
    ];
    let inputs = vec![private("a", WireType::Bit, vec![wire(0)])];
    let outputs = vec![output(WireType::Bit, vec![wire(4), wire(5), wire(2)])];
    let program = lower(&Circuit::new(gates, inputs, outputs).unwrap()).unwrap();
    assert_eq!(program.operations.len(), 1);
    let input = OutputSource::Encrypted(ValueId(0));
    assert!(matches!(program.outputs[0].as_slice(),
        [OutputSource::Clear(zero), a, b]
            if program.clear.constant(*zero) == Some(false) && *a == input && *b == input));
}

#[test]
fn rows_of_ones_and_zeros_behind_the_builders_back_vanish() {
    let wire = Wire::new;
    let kind = WireType::Row(2);
    let gates = Gates {
        list: vec![
            Gate::Input,
            Gate::Value(0),
            Gate::Value(1),
            Gate::And(wire(0), wire(1)),
            Gate::And(wire(0), wire(2)),
            // A square, which is none of bits.
            Gate::And(wire(0), wire(0)),
            Gate::Linear(0),
        ],
        values: vec![vec![1; 2], vec![0; 2]],
        linears: vec![Linear {
            terms: vec![(wire(0), MapId::new(0)), (wire(2), MapId::new(1))],
            kind,
        }],
        maps: vec![
            RowMap::bytewise(2, ByteMap::IDENTITY).unwrap(),
            RowMap::bytewise(2, ByteMap::multiple(3)).unwrap(),
        ],
    };
    let inputs = vec![private("a", kind, vec![wire(0)])];
    let outputs = vec![output(kind, (3..7).map(wire).collect())];
    let program = lower(&Circuit::new(gates, inputs, outputs).unwrap()).unwrap();
    let input = OutputSource::Encrypted(ValueId(0));
    let square = OutputSource::Encrypted(ValueId(1));
    let [by_one, by_zero, squared, mapped] = program.outputs[0][..] else {
        panic!("four outputs");
    };
    assert_eq!((by_one, squared, mapped), (input, square, input));
    let OutputSource::Clear(zero) = by_zero else {
        panic!("0 needs no encryption");
    };
    let values = program.clear.evaluate(RECORDS, |_, _| ClearInput::Bits(&[]));
    assert_eq!(
        values.get(zero).bytes(RECORDS),
        vec![0; 2 * RECORDS],
        "a row, not a bit"
    );
    let pairs = vec![(ValueId(0), ValueId(0))];
    assert_eq!(
        program.operations[1],
        Operation::Product {
            pairs,
            terms: Vec::new(),
            clear: None
        }
    );
}

#[test]
fn long_sums_are_cut() {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 100);
    let wires = a.wires().iter().copied();
    let sum = wires.reduce(|x, y| builder.xor(x, y)).unwrap();
    builder.output("sum", &Word::new(vec![sum]));
    let program = lower(&builder.finish().unwrap()).unwrap();
    let terms = program
        .operations
        .iter()
        .map(|operation| operation.operands().count());
    assert_eq!(terms.max(), Some(MOST_TERMS));
}

#[test]
fn wires_of_different_sizes_are_refused() {
    let mut builder = Builder::new();
    let row = builder.input_rows("row", Visibility::Private, 1, 4);
    let byte = builder.input_rows("byte", Visibility::Private, 1, 1);
    builder.output_rows("row", &row);
    builder.output_rows("byte", &byte);
    let error = lower(&builder.finish().unwrap()).err().unwrap();
    assert!(matches!(error, PlanError::MixedRows { sizes: (1, 4) }), "{error}");
}
