//! Compares bit-sliced evaluation and analysis with naive definitions.

use proptest::prelude::*;
use ringmill_circuit::{
    Analysis, Builder, Circuit, EvaluateError, Gate, InputPort, OutputPort, PortLanes, PortValues,
    Visibility, Wire, WireType, Word,
};

/// Splits the given input wires into a private and a public port. Every third one is public, and the order
/// differs from that of the gates.
fn ports(inputs: &[Wire]) -> Vec<InputPort> {
    let (mut private, mut public) = (Vec::new(), Vec::new());
    for (index, wire) in inputs.iter().enumerate().rev() {
        if index % 3 == 2 {
            public.push(*wire);
        } else {
            private.push(*wire);
        }
    }
    let ports = [
        ("private", Visibility::Private, private),
        ("public", Visibility::Public, public),
    ];
    ports
        .into_iter()
        .filter(|(_, _, wires)| !wires.is_empty())
        .map(|(name, visibility, wires)| InputPort {
            name: name.into(),
            visibility,
            kind: WireType::Bit,
            wires,
        })
        .collect()
}

/// Circuits with gates of all kinds in any order, unsimplified.
fn circuits() -> impl Strategy<Value = Circuit> {
    let gate = (0..6_u8, any::<u32>(), any::<u32>());
    let gates = prop::collection::vec(gate, 1..48);
    let outputs = prop::collection::vec(any::<prop::sample::Index>(), 1..6);
    (gates, outputs).prop_map(|(choices, outputs)| {
        let mut gates = Vec::new();
        for (index, (kind, left, right)) in (0_u32..).zip(choices) {
            let wire = |choice: u32| Wire::new(choice % index.max(1));
            gates.push(match kind {
                _ if index == 0 => Gate::Input,
                0 => Gate::Input,
                1 => Gate::Constant(left % 2 == 1),
                2 => Gate::Not(wire(left)),
                3 => Gate::Xor(wire(left), wire(right)),
                _ => Gate::And(wire(left), wire(right)),
            });
        }
        let is_input = |wire: &Wire| gates[wire.index()] == Gate::Input;
        let all = (0..gates.len()).map(|index| Wire::new(u32::try_from(index).unwrap()));
        let inputs: Vec<Wire> = all.clone().filter(is_input).collect();
        let all: Vec<Wire> = all.collect();
        let output = OutputPort {
            name: "output".into(),
            kind: WireType::Bit,
            wires: outputs.iter().map(|index| *index.get(&all)).collect(),
        };
        Circuit::new(gates, ports(&inputs), vec![output]).unwrap()
    })
}

/// Circuits with input data for the given number of words of records.
fn cases() -> impl Strategy<Value = (Circuit, usize, Vec<PortLanes>)> {
    (circuits(), 0..4_usize).prop_flat_map(|(circuit, words)| {
        let lane = prop::collection::vec(any::<u64>(), words);
        let ports: Vec<_> = circuit
            .inputs()
            .iter()
            .map(|port| prop::collection::vec(lane.clone(), port.wires.len()))
            .collect();
        (Just(circuit), Just(words), ports)
    })
}

/// The lanes of every output port.
fn evaluate(circuit: &Circuit, inputs: &[PortLanes]) -> Vec<PortLanes> {
    let inputs: Vec<PortValues> = inputs.iter().cloned().map(PortValues::Bits).collect();
    let outputs = circuit.evaluate(&inputs).unwrap();
    outputs
        .iter()
        .map(|port| port.as_bits().unwrap().clone())
        .collect()
}

fn bit(lane: &[u64], record: usize) -> bool {
    lane[record / 64] >> (record % 64) & 1 == 1
}

/// The value of a wire for one record, by recursion to the inputs.
fn naive(circuit: &Circuit, inputs: &[Vec<bool>], wire: Wire) -> bool {
    let value = |operand| naive(circuit, inputs, operand);
    match circuit.gates()[wire.index()] {
        Gate::Input => {
            let ports = circuit.inputs().iter().zip(inputs);
            let mut bits = ports.flat_map(|(port, bits)| port.wires.iter().zip(bits));
            *bits.find(|(input, _)| **input == wire).unwrap().1
        }
        Gate::Constant(value) => value,
        Gate::Not(operand) => !value(operand),
        Gate::Xor(left, right) => value(left) != value(right),
        Gate::And(left, right) => value(left) && value(right),
        Gate::Value(_) | Gate::Linear(_) => panic!("not on bits"),
    }
}

/// (AND depth, private AND depth, public) of a wire, by recursion.
fn naive_depths(circuit: &Circuit, wire: Wire) -> (u32, u32, bool) {
    let gate = circuit.gates()[wire.index()];
    let operands: Vec<_> = circuit
        .operands(gate)
        .map(|operand| naive_depths(circuit, operand))
        .collect();
    let and = u32::from(matches!(gate, Gate::And(..)));
    let private_and = and * u32::from(operands.iter().all(|operand| !operand.2));
    let public = match gate {
        Gate::Input => circuit
            .inputs()
            .iter()
            .any(|port| port.visibility == Visibility::Public && port.wires.contains(&wire)),
        _ => operands.iter().all(|operand| operand.2),
    };
    (
        and + operands.iter().map(|operand| operand.0).max().unwrap_or(0),
        private_and + operands.iter().map(|operand| operand.1).max().unwrap_or(0),
        public,
    )
}

/// The same circuit, rebuilt by the builder.
fn rebuilt(circuit: &Circuit) -> Circuit {
    let mut b = Builder::new();
    let mut wires = vec![None; circuit.gates().len()];
    for port in circuit.inputs() {
        let word = b.input(port.name.clone(), port.visibility, port.wires.len());
        for (old, new) in port.wires.iter().zip(word.wires()) {
            wires[old.index()] = Some(*new);
        }
    }
    for (wire, gate) in circuit.numbered_gates() {
        let new = |old: Wire| wires[old.index()].unwrap();
        wires[wire.index()] = Some(match gate {
            Gate::Input => new(wire),
            Gate::Constant(value) => b.constant(value),
            Gate::Not(operand) => b.not(new(operand)),
            Gate::Xor(left, right) => b.xor(new(left), new(right)),
            Gate::And(left, right) => b.and(new(left), new(right)),
            Gate::Value(_) | Gate::Linear(_) => panic!("not on bits"),
        });
    }
    for port in circuit.outputs() {
        let word = port.wires.iter().map(|old| wires[old.index()].unwrap());
        b.output(port.name.clone(), &Word::new(word.collect()));
    }
    b.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn records_are_evaluated_independently((circuit, words, inputs) in cases()) {
        let outputs = evaluate(&circuit, &inputs);
        prop_assert_eq!(outputs.len(), circuit.outputs().len());
        prop_assert!(outputs[0].iter().all(|lane| lane.len() == words));
        for record in 0..64 * words {
            let record_inputs: Vec<Vec<bool>> = inputs
                .iter()
                .map(|lanes| lanes.iter().map(|lane| bit(lane, record)).collect())
                .collect();
            let single = circuit.evaluate_record(&record_inputs).unwrap();
            for (index, wire) in circuit.outputs()[0].wires.iter().enumerate() {
                let expected = naive(&circuit, &record_inputs, *wire);
                prop_assert_eq!(bit(&outputs[0][index], record), expected);
                prop_assert_eq!(single[0][index], expected);
            }
        }
    }

    #[test]
    fn building_changes_no_result((circuit, _, inputs) in cases()) {
        let small = rebuilt(&circuit);
        prop_assert!(small.gates().len() <= circuit.gates().len() + 2);
        prop_assert!(small.and_depth() <= circuit.and_depth());
        prop_assert_eq!(evaluate(&small, &inputs), evaluate(&circuit, &inputs));
        prop_assert_eq!(rebuilt(&small).gates().len(), small.gates().len());
    }

    #[test]
    fn analysis_agrees_with_definitions(circuit in circuits()) {
        let analysis = Analysis::new(&circuit);
        prop_assert_eq!(analysis.wires().len(), circuit.gates().len());
        for (wire, _) in circuit.numbered_gates() {
            let facts = analysis.wire(wire).unwrap();
            let found = (facts.and_depth, facts.private_depth, facts.public);
            prop_assert_eq!(found, naive_depths(&circuit, wire));
            let in_outputs = circuit.outputs()[0].wires.iter().filter(|output| **output == wire);
            let in_gates = circuit
                .numbered_gates()
                .filter(|(reader, _)| analysis.wire(*reader).unwrap().live)
                .flat_map(|(_, gate)| circuit.operands(gate))
                .filter(|operand| *operand == wire);
            prop_assert_eq!(facts.uses, in_outputs.count() + in_gates.count());
            prop_assert_eq!(facts.live, facts.uses > 0);
        }
    }
}

#[test]
fn analysis_of_a_known_circuit() {
    let mut b = Builder::new();
    let open = b.input("open", Visibility::Public, 2);
    let secret = b.input("secret", Visibility::Private, 2);
    let (p, q) = (open.wires()[0], open.wires()[1]);
    let (s, t) = (secret.wires()[0], secret.wires()[1]);
    let public = b.and(p, q);
    let masked = b.and(public, s);
    let product = b.and(masked, t);
    let sum = b.xor(product, masked);
    b.output("sum", &Word::new(vec![sum, public]));
    let circuit = b.finish().unwrap();
    let analysis = Analysis::new(&circuit);
    assert_eq!(circuit.and_depth(), 3);
    assert_eq!(analysis.and_depth(), 3);
    assert_eq!(analysis.private_and_depth(), 1);
    assert_eq!(analysis.private_and_count(), 1);
    let facts = |wire| analysis.wire(wire).unwrap();
    assert!(facts(public).public && facts(public).uses == 2);
    assert!(!facts(masked).public && facts(masked).uses == 2);
    assert_eq!(facts(masked).private_depth, 0);
    assert_eq!(facts(product).private_depth, 1);
    assert_eq!(facts(sum).and_depth, 3);
    assert_eq!(analysis.wire(Wire::new(99)), None);
}

#[test]
fn wrong_shapes_are_refused() {
    let mut b = Builder::new();
    let x = b.input("x", Visibility::Private, 2);
    let y = b.input("y", Visibility::Private, 2);
    let sum = b.xor_words(&x, &y).unwrap();
    b.output("sum", &sum);
    let circuit = b.finish().unwrap();

    let lanes = |bits: usize, words: usize| PortValues::Bits(vec![vec![1_u64; words]; bits]);
    let sum = circuit.evaluate(&[lanes(2, 3), lanes(2, 3)]).unwrap();
    assert_eq!(sum, [PortValues::Bits(vec![vec![0; 3]; 2])]);
    assert_eq!(
        circuit.evaluate(&[lanes(2, 3)]),
        Err(EvaluateError::PortCount {
            expected: 2,
            found: 1
        })
    );
    assert_eq!(
        circuit.evaluate(&[lanes(2, 3), lanes(2, 3), lanes(2, 3)]),
        Err(EvaluateError::PortCount {
            expected: 2,
            found: 3
        })
    );
    for found in [0, 1, 3] {
        let error = |port: &str| EvaluateError::PortWidth {
            port: port.into(),
            expected: 2,
            found,
        };
        assert_eq!(circuit.evaluate(&[lanes(2, 3), lanes(found, 3)]), Err(error("y")));
        assert_eq!(
            circuit.evaluate_record(&[vec![true; found], vec![true; 2]]),
            Err(error("x"))
        );
    }
    let uneven = PortValues::Bits(vec![vec![1; 3], vec![1; 2]]);
    assert_eq!(
        circuit.evaluate(&[lanes(2, 3), uneven]),
        Err(EvaluateError::LaneLength {
            port: "y".into(),
            bit: 1,
            expected: 3,
            found: 2
        })
    );
}

#[test]
fn a_circuit_without_inputs_has_one_word() {
    let mut b = Builder::new();
    let word = b.constant_word([true, false]);
    b.output("word", &word);
    let circuit = b.finish().unwrap();
    assert_eq!(evaluate(&circuit, &[]), [[[u64::MAX], [0]]]);
    assert_eq!(circuit.evaluate_record(&[]).unwrap(), vec![vec![true, false]]);
}
