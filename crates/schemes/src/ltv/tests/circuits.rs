//! Circuits by the engine.

use ringmill_circuit::{Circuit, bundled, simon};
use ringmill_engine::{DepthPlanner, LevelChain, Side};

use super::*;

/// Evaluates a circuit of this depth over a set that has just the levels for it.
fn evaluate(circuit: &Circuit, depth: usize) {
    let setting = setting(depth + 1);
    let level_chain = setting.context.level_chain(depth).unwrap();
    let levels = testing::circuits::evaluate(setting, circuit, level_chain);
    assert!(levels.into_iter().all(|level| level == 1));
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
    let level_chain = |depth| LevelChain {
        name: "any".to_owned(),
        records: 1,
        sides: Side::ALIKE,
        levels: (1..=depth + 1).rev().collect(),
    };
    let depth = (1..40).find(|&depth| DepthPlanner::new(level_chain(depth)).plan(&circuit).is_ok());
    evaluate(&circuit, depth.unwrap());
}

#[test]
fn too_deep_a_circuit_is_refused() {
    let setting = setting(9);
    assert_eq!(setting.context.noise_model().depth(4).unwrap(), 8);
    assert!(matches!(
        setting.context.level_chain(9),
        Err(NtruError::TooDeep {
            depth: 9,
            most: 8,
            ..
        })
    ));
}
