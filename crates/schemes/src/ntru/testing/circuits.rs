use std::sync::Arc;

use ringmill_arith::sampling::Stream;
use ringmill_circuit::{Circuit, PortValues, Visibility};
use ringmill_engine::{
    DepthPlanner, InputValues, LevelChain, OutputValue, decrypt_outputs, encrypt_inputs, execute,
};

use super::{Setting, seed};
use crate::ntru::{Evaluator, NtruScheme};

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

/// Evaluates a circuit by the engine on random values, and compares with the circuit in the clear; the levels of
/// the results.
pub fn evaluate<S: NtruScheme>(
    setting: Setting<S>,
    circuit: &Circuit,
    level_chain: LevelChain,
) -> Vec<usize> {
    let context = setting.context;
    let schedule = DepthPlanner::new(level_chain).plan(circuit).unwrap();
    let values = values(circuit, context.slots().len());
    let side = |wanted| -> InputValues {
        let ports = circuit.inputs().iter().zip(&values);
        let ports = ports.filter(|(port, _)| port.visibility == wanted);
        ports
            .map(|(port, values)| (port.name.clone(), values.clone()))
            .collect()
    };
    let (private, public) = (side(Visibility::Private), side(Visibility::Public));
    let encrypt = |plain: &_, level, seed: &_| context.encrypt(&setting.public, plain, level, seed);
    let inputs = encrypt_inputs(&schedule, &*context, &private, &seed(61), encrypt).unwrap();
    let evaluator = Evaluator::new(Arc::clone(&context), setting.evaluation);
    let done = execute(&schedule, &evaluator, inputs, &public, &()).unwrap();
    let decrypt = |a: &_| context.decrypt(&setting.secret, a);
    let outputs = decrypt_outputs(&schedule, &*context, &done.outputs, decrypt).unwrap();
    assert_eq!(outputs, circuit.evaluate(&values).unwrap());
    let levels = done.outputs.iter().flatten().filter_map(|output| match output {
        OutputValue::Encrypted(a) => Some(a.level()),
        OutputValue::Clear(_) => None,
    });
    levels.collect()
}
