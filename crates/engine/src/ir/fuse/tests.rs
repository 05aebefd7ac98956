use super::*;
use crate::ir::clear::ClearProgram;
use crate::{ClearId, OutputSource};
use ringmill_circuit::MapId;

fn product(pairs: &[(usize, usize)], terms: &[usize], clear: Option<ClearId>) -> Operation {
    Operation::Product {
        pairs: pairs.iter().map(|(a, b)| (ValueId(*a), ValueId(*b))).collect(),
        terms: terms.iter().map(|term| ValueId(*term)).collect(),
        clear,
    }
}

fn map(images: &[usize], terms: &[usize], clear: Option<ClearId>) -> Operation {
    Operation::Map {
        images: images.iter().map(|a| (ValueId(*a), MapId::new(0))).collect(),
        terms: terms.iter().map(|term| ValueId(*term)).collect(),
        clear,
    }
}

fn sum(terms: &[usize], clear: Option<ClearId>) -> Operation {
    Operation::Linear {
        terms: terms.iter().map(|term| ValueId(*term)).collect(),
        clear,
    }
}

/// The operations after four inputs, fused.
fn fused(operations: Vec<Operation>, outputs: &[usize]) -> Vec<Operation> {
    let mut all: Vec<Operation> = (0..4).map(|wire| Operation::Input { port: 0, wire }).collect();
    all.extend(operations);
    let outputs = outputs
        .iter()
        .map(|value| OutputSource::Encrypted(ValueId(*value)));
    let program = fuse(Program {
        operations: all,
        maps: Vec::new(),
        moves: Vec::new(),
        row: 1,
        shared: false,
        clear: ClearProgram::default(),
        inputs: vec![(0..4).map(|wire| Some(ValueId(wire))).collect()],
        // All inputs are used, so that none is renamed.
        outputs: vec![
            outputs.collect(),
            (0..4)
                .map(|wire| OutputSource::Encrypted(ValueId(wire)))
                .collect(),
        ],
    });
    program.operations[4..].to_vec()
}

#[test]
fn products_that_are_added_are_relinearized_once() {
    let clear = ClearProgram::default().bit(true);
    let operations = vec![
        product(&[(0, 1)], &[], None),
        product(&[(2, 3)], &[], None),
        map(&[0], &[], None),
        sum(&[3, 4, 5, 6], Some(clear)),
    ];
    // The map, too, is an addend of the products then.
    assert_eq!(
        fused(operations, &[7]),
        [
            map(&[0], &[], None),
            product(&[(0, 1), (2, 3)], &[3, 4], Some(clear))
        ]
    );
}

#[test]
fn what_is_used_elsewhere_stays() {
    let operations = vec![
        product(&[(0, 1)], &[], None),
        product(&[(2, 3)], &[], None),
        sum(&[4, 5], None),
        map(&[4], &[], None),
        sum(&[2, 7], None),
    ];
    assert_eq!(
        fused(operations.clone(), &[6, 8]),
        [
            product(&[(0, 1)], &[], None),
            product(&[(2, 3)], &[4], None),
            map(&[4], &[2], None)
        ]
    );
    let last = operations.len() + 3;
    assert_eq!(fused(operations, &[5, 6, 7, last]).len(), 5, "an output is a use");
}

#[test]
fn maps_take_addends_and_each_other() {
    let operations = vec![map(&[0], &[], None), map(&[1], &[], None), sum(&[2, 4, 5], None)];
    assert_eq!(fused(operations, &[6]), [map(&[0, 1], &[2], None)]);
}

#[test]
fn addends_that_come_twice_cancel() {
    let operations = vec![
        product(&[(0, 1)], &[], None),
        sum(&[2, 4], None),
        sum(&[2, 3, 5], None),
    ];
    // The first sum becomes a product with an addend, and so does the second.
    assert_eq!(fused(operations, &[6]), [product(&[(0, 1)], &[3], None)]);
}

#[test]
fn clear_terms_are_not_lost() {
    let clear = ClearProgram::default().bit(true);
    let operations = vec![
        product(&[(0, 1)], &[2], Some(clear)),
        product(&[(1, 2)], &[], None),
        sum(&[4, 5], None),
    ];
    assert_eq!(
        fused(operations, &[6]),
        [
            product(&[(0, 1)], &[2], Some(clear)),
            product(&[(1, 2)], &[4], None)
        ]
    );
}
