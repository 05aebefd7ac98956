use num_bigint::BigInt;
use ringmill_circuit::AggregateKind;
use ringmill_expression::{PortType, Trace, TracedValue, Type};

use crate::common::{compiled, evaluate, outputs};

fn input(trace: &mut Trace, name: &str, value_type: &str) -> TracedValue {
    let value_type = value_type.parse().unwrap();
    let name = name.to_owned();
    let public = false;
    let port = PortType {
        name,
        value_type,
        public,
    };
    trace.input(port).unwrap()
}

/// A trace has the circuit of the program that says the same.
#[test]
fn it_is_the_program() {
    let mut trace = Trace::new();
    let (a, b) = (input(&mut trace, "a", "u4"), input(&mut trace, "b", "i4"));
    let sum = trace.value("x + y + 1", &[("x", &a), ("y", &b)]).unwrap();
    let more = trace.value("sum > a", &[("sum", &sum), ("a", &a)]).unwrap();
    let squares = (0..16).map(|index| BigInt::from(index * index)).collect();
    let square = trace.look_up(squares, None, &a).unwrap();
    trace.output("sum", &sum, None).unwrap();
    trace.output("more", &more, None).unwrap();
    trace.output("square", &square, Some(Type::Unsigned(9))).unwrap();
    let traced = trace.finish().unwrap();

    let entries: Vec<String> = (0..16).map(|index| (index * index).to_string()).collect();
    let table = format!("table square_of: u4 -> u8 = [{}]", entries.join(", "));
    let program = compiled(&format!(
        "a: u4; b: i4; {table}\nsum = a + b + 1; more = sum > a; square: u9 = square_of[a]"
    ));
    assert_eq!(outputs(&traced), outputs(&program));
    assert_eq!(traced.circuit.gates(), program.circuit.gates());
    let records: Vec<Vec<i128>> = (0..16).flat_map(|a| (-8..8).map(move |b| vec![a, b])).collect();
    let expected = records.iter().map(|record| {
        let (a, b) = (record[0], record[1]);
        vec![a + b + 1, i128::from(b + 1 > 0), a * a]
    });
    assert_eq!(evaluate(&traced, &records), expected.collect::<Vec<_>>());
}

#[test]
fn unused_inputs_are_no_ports() {
    let mut trace = Trace::new();
    let ports = ["a", "b", "c"].map(|name| input(&mut trace, name, "u4"));
    let _ = trace
        .value("b * c", &[("b", &ports[1]), ("c", &ports[2])])
        .unwrap();
    let sum = trace
        .value("a + c", &[("a", &ports[0]), ("c", &ports[2])])
        .unwrap();
    trace.output("sum", &sum, None).unwrap();
    let traced = trace.finish().unwrap();
    assert_eq!(traced.unused, ["b"]);
    let names: Vec<_> = traced.circuit.inputs().iter().map(|port| &*port.name).collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(evaluate(&traced, &[vec![3, 9], vec![15, 15]]), [[12], [30]]);
}

#[test]
fn totals() {
    let mut trace = Trace::new();
    let a = input(&mut trace, "a", "u4");
    trace.total("most", AggregateKind::Max, &a).unwrap();
    let error = trace.total("any", AggregateKind::Any, &a).unwrap_err();
    assert!(error.message.contains("u4"), "{error}");
    let error = trace.output("a", &a, None).unwrap_err();
    assert!(error.message.contains("totals"), "{error}");
    assert_eq!(trace.finish().unwrap().aggregates, [AggregateKind::Max]);
}

#[test]
fn what_is_wrong_is_told() {
    let mut trace = Trace::new();
    let a = input(&mut trace, "a", "u3");
    for (formula, part) in [
        ("x +", "too early"),
        ("x and y", "y"),
        ("x; y = 1", "no formula"),
        ("x < true", "bool"),
    ] {
        let error = trace.value(formula, &[("x", &a)]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let few = trace.look_up(vec![BigInt::ZERO; 7], None, &a).unwrap_err();
    assert!(few.message.contains("7 entries"), "{few}");
    let wide = trace
        .look_up(vec![BigInt::from(9); 8], Some(Type::Unsigned(3)), &a)
        .unwrap_err();
    assert!(wide.message.contains("u3"), "{wide}");
    assert!(
        trace
            .finish()
            .is_err_and(|error| error.message.contains("no output"))
    );

    let mut trace = Trace::new();
    let _ = input(&mut trace, "a", "u3");
    let five = trace.value("2 + 3", &[]).unwrap();
    assert_eq!(five.constant(), Some(&BigInt::from(5)));
    trace.output("five", &five, None).unwrap();
    assert!(
        trace
            .finish()
            .is_err_and(|error| error.message.contains("no input"))
    );
}
