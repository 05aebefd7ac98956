//! Circuits by the engine.

use ringmill_arith::sampling::Stream;
use ringmill_circuit::{Circuit, PortValues, Visibility, bundled, simon};
use ringmill_engine::{DepthPlanner, PublicInputs, decrypt_outputs, encrypt_inputs, execute};

use super::*;

/// Random values of all input ports.
fn values(circuit: &Circuit, records: usize) -> Vec<PortValues> {
    let mut stream = Stream::new(&seed(60));
    let mut lane = || {
        let mut words = vec![0; records.div_ceil(64)];
        stream.fill_words(&mut words);
        words
    };
    let ports = circuit.inputs().iter();
    ports
        .map(|port| PortValues::Bits(port.wires.iter().map(|_| lane()).collect()))
        .collect()
}

/// Evaluates a circuit of this depth over a set that has just the levels for it.
fn evaluate(circuit: &Circuit, depth: usize) {
    let setting = setting(depth + 1);
    let context = setting.context;
    let records = context.base().slots().len();
    let schedule = DepthPlanner::new(context.ladder(depth).unwrap())
        .plan(circuit)
        .unwrap();
    let values = values(circuit, records);
    let side = |wanted| -> PublicInputs {
        let ports = circuit.inputs().iter().zip(&values);
        let ports = ports.filter(|(port, _)| port.visibility == wanted);
        ports
            .map(|(port, values)| (port.name.clone(), values.clone()))
            .collect()
    };
    let (private, public) = (side(Visibility::Private), side(Visibility::Public));
    let inputs = encrypt_inputs(
        &schedule,
        context.base(),
        &private,
        &seed(61),
        |plain, level, seed| context.encrypt(&setting.public, plain, level, seed),
    );
    let evaluator = Evaluator::new(Arc::clone(&context), setting.evaluation);
    let done = execute(&schedule, &evaluator, inputs.unwrap(), &public, &()).unwrap();
    let decrypt = |a: &_| context.decrypt(&setting.secret, a);
    let outputs = decrypt_outputs(&schedule, context.base(), &done.outputs, decrypt).unwrap();
    assert_eq!(outputs, circuit.evaluate(&values).unwrap());
    let last = done.outputs.iter().flatten().filter_map(|output| match output {
        ringmill_engine::OutputValue::Encrypted(a) => Some(a.level()),
        ringmill_engine::OutputValue::Clear(_) => None,
    });
    assert!(last.into_iter().all(|level| level == 1));
}

/// All 43 products one after the other of SIMON-64/128, of random keys and blocks.
#[test]
fn simon_is_evaluated() {
    evaluate(&simon::encrypt_circuit().unwrap(), 43);
}

/// A smaller circuit with sums of several products.
#[test]
fn a_multiplier_is_evaluated() {
    let circuit = bundled::circuit("multiply8").unwrap().unwrap();
    let ladder = |depth| ringmill_engine::Ladder {
        name: "any".to_owned(),
        records: 1,
        levels: (1..=depth + 1).rev().collect(),
    };
    let depth = (1..40).find(|&depth| DepthPlanner::new(ladder(depth)).plan(&circuit).is_ok());
    evaluate(&circuit, depth.unwrap());
}

#[test]
fn too_deep_a_circuit_is_refused() {
    let setting = setting(9);
    assert_eq!(setting.context.noise_model().depth(4).unwrap(), 8);
    assert!(matches!(
        setting.context.ladder(9),
        Err(NtruError::TooDeep {
            depth: 9,
            most: 8,
            ..
        })
    ));
}
