//! Circuits by the engine.

use ringmill_circuit::simon;

use super::testing::circuits::evaluate;
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

/// All 43 products one after the other of SIMON-64/128, of random keys and blocks.
#[test]
fn simon_is_evaluated() {
    let f = Fixture::new(&deep());
    let level_chain = f.context.level_chain(43).unwrap();
    evaluate(f, &simon::encrypt_circuit().unwrap(), level_chain);
}

/// The paper has one modulus only.
#[test]
fn one_level_is_enough_for_a_scheme_without_switching() {
    let f = Fixture::new(&spec());
    let circuit = ringmill_circuit::bundled::circuit("multiply8").unwrap().unwrap();
    let depth = f.context.noise_model().depth(13, 4).unwrap();
    let level_chain = f.context.constant_level_chain(depth).unwrap();
    assert!(level_chain.levels.iter().all(|level| *level == 13));
    evaluate(f, &circuit, level_chain);
}
