//! Circuits by the engine.

use std::collections::BTreeMap;

use ringmill_circuit::{Circuit, PortValues, Visibility, simon};
use ringmill_engine::{DepthPlanner, Ladder, PublicInputs, decrypt_outputs, encrypt_inputs, execute};

use super::*;

/// 44 levels at n = 2048.
fn deep() -> Spec {
    Spec {
        large: PrimeChoice {
            count: 17,
            bits: 49.0,
        },
        levels: 45,
        floor: 130.0,
        step: 15.5,
        auxiliary: 18,
        ..spec()
    }
}

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

fn evaluate(f: Fixture, circuit: &Circuit, ladder: Ladder) {
    let (context, records) = (Arc::clone(&f.context), f.context.base().slots().len());
    let schedule = DepthPlanner::new(ladder).plan(circuit).unwrap();
    let values = values(circuit, records);
    let side = |wanted| -> PublicInputs {
        let ports = circuit.inputs().iter().zip(&values);
        let ports = ports.filter(|(port, _)| port.visibility == wanted);
        ports
            .map(|(port, values)| (port.name.clone(), values.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let private = side(Visibility::Private);
    let inputs = encrypt_inputs(
        &schedule,
        context.base(),
        &private,
        &seed(61),
        |plain, level, seed| context.encrypt(&f.public, plain, level, seed),
    );
    let evaluator = Evaluator::new(Arc::clone(&context), f.evaluation);
    let done = execute(
        &schedule,
        &evaluator,
        inputs.unwrap(),
        &side(Visibility::Public),
        &(),
    )
    .unwrap();
    let outputs = decrypt_outputs(&schedule, context.base(), &done.outputs, |a| {
        context.decrypt(&f.secret, a)
    });
    let cut = |ports: &[PortValues]| -> Vec<Vec<bool>> {
        let lanes = ports.iter().flat_map(|port| port.as_bits().unwrap());
        lanes
            .map(|lane| (0..records).map(|r| lane[r / 64] >> (r % 64) & 1 == 1).collect())
            .collect()
    };
    assert_eq!(cut(&outputs.unwrap()), cut(&circuit.evaluate(&values).unwrap()));
}

/// All 43 products one after the other of SIMON-64/128, of random keys and blocks.
#[test]
fn simon_is_evaluated() {
    let f = Fixture::new(&deep());
    assert!(f.context.noise_model().depth(45, 2) >= 43);
    let ladder = f.context.ladder(43).unwrap();
    evaluate(f, &simon::encrypt_circuit().unwrap(), ladder);
}

/// The paper has one modulus only.
#[test]
fn one_level_is_enough_for_a_scheme_without_switching() {
    let f = Fixture::new(&spec());
    let circuit = ringmill_circuit::bundled::circuit("multiply8").unwrap().unwrap();
    let depth = f.context.noise_model().depth(13, 1);
    let ladder = f.context.level_ladder(depth).unwrap();
    assert!(ladder.levels.iter().all(|level| *level == 13));
    evaluate(f, &circuit, ladder);
}
