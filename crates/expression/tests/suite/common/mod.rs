//! Programs compiled and evaluated in the clear.

use ringmill_circuit::{Circuit, PortValues, Visibility};
use ringmill_expression::{Compiled, ExpressionError, KnownTypes, Type, compile};

pub fn compiled(source: &str) -> Compiled {
    try_compile(source).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

pub fn try_compile(source: &str) -> Result<Compiled, ExpressionError> {
    compile(source, &KnownTypes::default())
}

/// Known types, written as `name: type`.
pub fn known(types: &[(&str, &str)]) -> KnownTypes {
    let mut known = KnownTypes::default();
    for (name, value_type) in types {
        known.insert(*name, value_type.parse().unwrap(), Visibility::Private);
    }
    known
}

/// The ports as they are declared.
pub fn outputs(compiled: &Compiled) -> String {
    let outputs: Vec<String> = compiled.outputs.iter().map(ToString::to_string).collect();
    outputs.join("; ")
}

/// Evaluates many records, each with a value for each input port; the values of the outputs in each record.
pub fn evaluate(compiled: &Compiled, records: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let inputs: Vec<PortValues> = (0..compiled.inputs.len())
        .map(|port| {
            let width = compiled.inputs[port].value_type.width();
            let bit = |bit: usize| {
                lane(
                    records
                        .iter()
                        .map(move |record| record[port] >> bit.min(127) & 1 == 1),
                )
            };
            PortValues::Bits((0..width).map(bit).collect())
        })
        .collect();
    check_ports(compiled, &compiled.circuit);
    let results = compiled.circuit.evaluate(&inputs).unwrap();
    let of_record = |record: usize| {
        let ports = compiled.outputs.iter().zip(&results);
        let values = ports.map(|(port, values)| {
            let lanes = values.as_bits().unwrap();
            let bits = lanes
                .iter()
                .map(|lane| lane[record / 64] >> (record % 64) & 1 == 1);
            number(port.value_type, &bits.collect::<Vec<bool>>())
        });
        values.collect()
    };
    (0..records.len()).map(of_record).collect()
}

fn lane(bits: impl Iterator<Item = bool>) -> Vec<u64> {
    let bits: Vec<bool> = bits.collect();
    let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit));
    bits.chunks(64).map(word).collect()
}

fn number(value_type: Type, bits: &[bool]) -> i128 {
    assert!(bits.len() <= 127);
    let value = bits
        .iter()
        .rev()
        .fold(0, |value, bit| value << 1 | i128::from(*bit));
    match value_type {
        Type::Signed(width) if bits[width - 1] => value - (1 << width),
        _ => value,
    }
}

/// The circuit has the ports that the program promises.
fn check_ports(compiled: &Compiled, circuit: &Circuit) {
    assert_eq!(circuit.inputs().len(), compiled.inputs.len());
    for (port, promised) in circuit.inputs().iter().zip(&compiled.inputs) {
        assert_eq!(
            (&port.name, port.wires.len()),
            (&promised.name, promised.value_type.width())
        );
        assert_eq!(port.visibility == Visibility::Public, promised.public);
    }
    assert_eq!(circuit.outputs().len(), compiled.outputs.len());
    for (port, promised) in circuit.outputs().iter().zip(&compiled.outputs) {
        assert_eq!(
            (&port.name, port.wires.len()),
            (&promised.name, promised.value_type.width())
        );
    }
}

/// All values of a type.
pub fn values(value_type: Type) -> Vec<i128> {
    let width = value_type.width();
    match value_type {
        Type::Signed(_) => (-(1 << (width - 1))..1 << (width - 1)).collect(),
        _ => (0..1 << width).collect(),
    }
}

/// Compiles `expression` over the inputs `a` and `b` of these types and compares it for all values.
/// `expected` is the type of the result.
pub fn check(a: &str, b: &str, expression: &str, expected: &str, reference: impl Fn(i128, i128) -> i128) {
    let compiled = compiled(&format!("a: {a}; b: {b}; r = {expression}; used = concat(a, b)"));
    assert_eq!(
        compiled.outputs[0].value_type.to_string(),
        expected,
        "{expression}, a: {a}, b: {b}"
    );
    let (left, right) = (values(a.parse().unwrap()), values(b.parse().unwrap()));
    let pairs = left.iter().flat_map(|x| right.iter().map(move |y| vec![*x, *y]));
    let records: Vec<Vec<i128>> = pairs.collect();
    for (record, found) in records.iter().zip(evaluate(&compiled, &records)) {
        let wanted = reference(record[0], record[1]);
        assert_eq!(
            found[0], wanted,
            "{expression}, a: {a} = {}, b: {b} = {}",
            record[0], record[1]
        );
    }
}
