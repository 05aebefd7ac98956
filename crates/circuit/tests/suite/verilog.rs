//! Tests the files that Yosys made of a Verilog module (`examples/verilog`) against the same function in numbers.

use std::fs::File;
use std::path::Path;

use ringmill_circuit::{Circuit, aiger, blif};

use crate::common::{run, some};

fn file(ending: &str) -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/verilog/score.{ending}"));
    File::open(path).unwrap()
}

/// The points of an applicant, and whether they reach the limit.
fn score(income: u128, debt: u128, age: u128, late: bool, limit: u128) -> [u128; 2] {
    let for_debt = match income {
        income if income >= 3 * debt => 300,
        income if income >= debt => 150,
        _ => 0,
    };
    let for_age = if (25..65).contains(&age) { 100 } else { 40 };
    let points = for_debt + for_age + if late { 0 } else { 250 };
    [points, u128::from(points >= limit)]
}

#[test]
fn all_files_compute_the_score() {
    let circuits: [Circuit; 3] = [
        aiger::read(file("aag")).unwrap(),
        aiger::read(file("aig")).unwrap(),
        blif::read(file("blif")).unwrap(),
    ];
    let records = some(&[16, 16, 7, 1, 10], 2000);
    let expected: Vec<[u128; 2]> = records
        .iter()
        .map(|record| score(record[0], record[1], record[2], record[3] == 1, record[4]))
        .collect();
    for circuit in circuits {
        let inputs: Vec<_> = circuit.inputs().iter().map(|port| &*port.name).collect();
        assert_eq!(inputs, ["income", "debt", "age", "late", "limit"]);
        let outputs: Vec<_> = circuit.outputs().iter().map(|port| &*port.name).collect();
        assert_eq!(outputs, ["points", "accept"]);
        assert!(run(&circuit, &records) == expected);
    }
}
