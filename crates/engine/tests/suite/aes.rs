//! A round of AES under encryption, in both layouts, at the parameters that the planner chooses.

use ringmill_circuit::{Builder, ByteMap, Circuit, PortValues, RowMap, Visibility, Wire};
use ringmill_engine::{InputKey, Planner, ProductForm};
use ringmill_fv::SecurityLevel;

use crate::common::circuits::Dice;
use crate::common::{Party, sides};

/// FIPS 197, appendix B, round 1: what it starts with, its round key, and what round 2 starts with.
const START: [u8; 16] = [
    0x19, 0x3d, 0xe3, 0xbe, 0xa0, 0xf4, 0xe2, 0x2b, 0x9a, 0xc6, 0x8d, 0x2a, 0xe9, 0xf8, 0x48, 0x08,
];
const KEY: [u8; 16] = [
    0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1, 0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05,
];
const END: [u8; 16] = [
    0xa4, 0x9c, 0x7f, 0xf2, 0x68, 0x9f, 0x35, 0x2b, 0x6b, 0x5b, 0xea, 0x43, 0x02, 0x6a, 0x50, 0x49,
];

/// The S-box's linear map.
fn affine(byte: u8) -> u8 {
    (0..5).fold(0, |sum, count| sum ^ byte.rotate_left(count))
}

/// What byte `target` of the next state is made of, by ShiftRows and MixColumns: places and factors.
fn sources(target: usize) -> [(usize, u8); 4] {
    let (row, column) = (target % 4, target / 4);
    [(0, 2), (1, 3), (2, 1), (3, 1)].map(|(down, factor)| {
        let row = (row + down) % 4;
        (4 * ((column + row) % 4) + row, factor)
    })
}

/// A wire for each byte of the state, and SubBytes, ShiftRows and MixColumns in one map after inversion.
fn byte_round() -> Circuit {
    let mut builder = Builder::new();
    let state = builder.input_rows("state", Visibility::Private, 16, 1);
    let key = builder.input_rows("key", Visibility::Public, 16, 1);
    let inverses: Vec<Wire> = state.iter().map(|byte| builder.inverse(*byte).unwrap()).collect();
    let constant = builder.row_constant(&[0x63]);
    let next = (0..16).map(|target| {
        let terms = sources(target).map(|(source, factor)| {
            let map = ByteMap::multiple(factor).after(ByteMap::of(affine));
            (inverses[source], RowMap::bytewise(1, map).unwrap())
        });
        let sum = builder.linear(&terms).unwrap();
        let sum = builder.xor(sum, constant);
        builder.xor(sum, key[target])
    });
    let next: Vec<Wire> = next.collect();
    builder.output_rows("state", &next);
    builder.finish().unwrap()
}

/// One wire for the state, and two maps.
fn row_round() -> Circuit {
    let mut builder = Builder::new();
    let state = builder.input_rows("state", Visibility::Private, 1, 16);
    let key = builder.input_rows("key", Visibility::Public, 1, 16);
    let inverse = builder.inverse(state[0]).unwrap();
    let boxed = builder.bytewise(inverse, ByteMap::of(affine)).unwrap();
    let constant = builder.row_constant(&[0x63; 16]);
    let boxed = builder.xor(boxed, constant);
    let blocks = (0..16).flat_map(|target| {
        sources(target).map(|(source, factor)| (target, source, ByteMap::multiple(factor)))
    });
    let mixed = builder
        .linear(&[(boxed, RowMap::from_blocks(16, 16, blocks).unwrap())])
        .unwrap();
    let next = builder.xor(mixed, key[0]);
    builder.output_rows("state", &[next]);
    builder.finish().unwrap()
}

/// Replaces the first record, given a wire for each byte or one for all.
fn put(values: &mut PortValues, record: [u8; 16]) {
    let PortValues::Rows(rows) = values else {
        panic!("rows");
    };
    match rows.as_mut_slice() {
        [row] => row[..16].copy_from_slice(&record),
        rows => rows.iter_mut().zip(record).for_each(|(row, byte)| row[0] = byte),
    }
}

/// The first record.
fn first(values: &PortValues) -> Vec<u8> {
    let rows = values.as_rows().unwrap();
    match rows {
        [row] => row[..16].to_vec(),
        rows => rows.iter().map(|row| row[0]).collect(),
    }
}

fn round_is_as_published(circuit: &Circuit, form: ProductForm) {
    let planner = Planner::new(SecurityLevel::Bits128).with_form(form);
    let plan = planner.plan(circuit).unwrap();
    assert!(plan.parameters().n() <= 16384, "{}", plan.explain());
    let mut values = Dice::new(20).inputs(circuit, plan.records());
    put(&mut values[0], START);
    put(&mut values[1], KEY);
    let party = Party::new(plan.parameters());
    let done = party.run(&plan, InputKey::Public, &sides(circuit, &values));
    let result = party.decrypt(&plan, &done);
    assert_eq!(first(&result[0]), END);
    assert!(result == circuit.evaluate(&values).unwrap());
    let noises = party.noises(&plan, &done);
    assert!(noises.iter().all(|(predicted, measured)| measured <= predicted));
    let (predicted, measured) = noises[0];
    println!(
        "{form}: {}, {:?}, noise 2^{predicted:.1}, measured 2^{measured:.1}",
        plan.parameters().name(),
        done.statistics.elapsed
    );
}

#[test]
fn a_round_of_bytes_in_the_low_form() {
    round_is_as_published(&byte_round(), ProductForm::Bgv);
}

#[test]
fn a_round_of_bytes_in_the_high_form() {
    round_is_as_published(&byte_round(), ProductForm::Bfv);
}

#[test]
fn a_round_of_rows_in_the_low_form() {
    round_is_as_published(&row_round(), ProductForm::Bgv);
}

#[test]
fn a_round_of_rows_in_the_high_form() {
    round_is_as_published(&row_round(), ProductForm::Bfv);
}
