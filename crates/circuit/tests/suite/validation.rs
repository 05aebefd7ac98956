//! Tests the refusals of `Circuit::new`.

use ringmill_circuit::{Circuit, CircuitError, Gate, InputPort, OutputPort, Visibility, Wire, WireType};

fn input(name: &str, wires: &[u32]) -> InputPort {
    InputPort {
        name: name.into(),
        visibility: Visibility::Private,
        kind: WireType::Bit,
        wires: wires.iter().map(|wire| Wire::new(*wire)).collect(),
    }
}

fn output(name: &str, wires: &[u32]) -> OutputPort {
    OutputPort {
        name: name.into(),
        kind: WireType::Bit,
        wires: wires.iter().map(|wire| Wire::new(*wire)).collect(),
    }
}

fn refused(gates: Vec<Gate>, inputs: Vec<InputPort>, outputs: Vec<OutputPort>) -> CircuitError {
    Circuit::new(gates, inputs, outputs).unwrap_err()
}

#[test]
fn accepts_and_keeps_a_circuit() {
    let gates = vec![
        Gate::Input,
        Gate::Constant(true),
        Gate::Input,
        Gate::Xor(Wire::new(0), Wire::new(1)),
        Gate::And(Wire::new(3), Wire::new(2)),
        Gate::And(Wire::new(2), Wire::new(2)),
    ];
    let inputs = vec![input("a", &[2]), input("b", &[0])];
    // Outputs may repeat wires, name inputs and share names with input ports.
    let outputs = vec![output("a", &[4, 4, 0]), output("c", &[2])];
    let circuit = Circuit::new(gates.clone(), inputs.clone(), outputs.clone()).unwrap();
    assert_eq!(circuit.gates(), gates);
    assert_eq!(circuit.inputs(), inputs);
    assert_eq!(circuit.outputs(), outputs);
    assert_eq!(circuit.and_count(), 2);
    assert_eq!(circuit.xor_count(), 1);
    assert_eq!(circuit.and_depth(), 1);
    let numbered: Vec<_> = circuit.numbered_gates().collect();
    assert_eq!(numbered[3], (Wire::new(3), gates[3]));
}

#[test]
fn refuses_forward_references() {
    for operand in [1, 2, 7].map(Wire::new) {
        let input_wire = Wire::new(0);
        for gate in [
            Gate::Not(operand),
            Gate::Xor(input_wire, operand),
            Gate::And(operand, input_wire),
        ] {
            let gates = vec![Gate::Input, gate, Gate::Input];
            assert_eq!(
                refused(gates, vec![input("a", &[0, 2])], vec![output("o", &[0])]),
                CircuitError::ForwardReference {
                    gate: Wire::new(1),
                    operand
                }
            );
        }
    }
}

#[test]
fn refuses_wrong_ports() {
    let gates = || vec![Gate::Input, Gate::Input, Gate::Not(Wire::new(0))];
    let good_inputs = || vec![input("a", &[0, 1])];
    let good_outputs = || vec![output("o", &[2])];
    assert!(Circuit::new(gates(), good_inputs(), good_outputs()).is_ok());

    let port = String::from("a");
    assert_eq!(refused(gates(), good_inputs(), vec![]), CircuitError::NoOutputs);
    assert_eq!(
        refused(gates(), good_inputs(), vec![output("a", &[])]),
        CircuitError::EmptyPort { port: port.clone() }
    );
    assert_eq!(
        refused(
            gates(),
            vec![input("a", &[]), input("b", &[0, 1])],
            good_outputs()
        ),
        CircuitError::EmptyPort { port: port.clone() }
    );
    assert_eq!(
        refused(gates(), good_inputs(), vec![output("a", &[0]), output("a", &[1])]),
        CircuitError::DuplicatePortName { port: port.clone() }
    );
    assert_eq!(
        refused(gates(), vec![input("a", &[0]), input("a", &[1])], good_outputs()),
        CircuitError::DuplicatePortName { port: port.clone() }
    );
    let out_of_range = CircuitError::WireOutOfRange {
        port: port.clone(),
        wire: Wire::new(3),
        wires: 3,
    };
    assert_eq!(
        refused(gates(), vec![input("a", &[0, 3])], good_outputs()),
        out_of_range
    );
    assert_eq!(
        refused(gates(), good_inputs(), vec![output("a", &[2, 3])]),
        out_of_range
    );
    assert_eq!(
        refused(gates(), vec![input("a", &[0, 1, 2])], good_outputs()),
        CircuitError::NotAnInput {
            port,
            wire: Wire::new(2)
        }
    );
}

#[test]
fn refuses_inputs_listed_twice_or_never() {
    let gates = || vec![Gate::Input, Gate::Input];
    let outputs = || vec![output("o", &[0])];
    assert_eq!(
        refused(gates(), vec![input("a", &[0])], outputs()),
        CircuitError::UnlistedInput { wire: Wire::new(1) }
    );
    for inputs in [
        vec![input("b", &[0, 0, 1])],
        vec![input("a", &[0, 1]), input("b", &[0])],
    ] {
        assert_eq!(
            refused(gates(), inputs, outputs()),
            CircuitError::InputListedTwice {
                port: "b".into(),
                wire: Wire::new(0)
            }
        );
    }
}
