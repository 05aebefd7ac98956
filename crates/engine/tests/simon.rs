//! SIMON-64/128 on 2048 encrypted blocks.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod common;

use std::collections::BTreeMap;

use common::{Dice, Party};
use ringmill_circuit::simon;
use ringmill_engine::{Kind, OutputBit, Planner, decrypt_outputs, peak_memory, reset_peak_memory};
use ringmill_fv::SecurityLevel;

/// The whole cipher at full size: minutes, and gigabytes. `cargo test --release -- --ignored --nocapture`.
#[test]
#[ignore = "minutes of work and gigabytes of memory"]
fn all_of_simon() {
    let circuit = simon::decrypt_circuit().unwrap();
    let plan = Planner::new(SecurityLevel::Bits128).plan(&circuit).unwrap();
    println!("{}", plan.explain());
    let party = Party::new(plan.parameters());
    let mut dice = Dice::new(70);
    let private = BTreeMap::from([("key".to_string(), dice.lanes(128, 2048))]);
    let public = BTreeMap::from([("block".to_string(), dice.lanes(64, 2048))]);
    let inputs = party.encrypt(&plan, &private);
    reset_peak_memory();
    let done = party.execute(&plan, inputs, &public, &()).unwrap();
    println!("peak memory {:?} MiB", peak_memory().map(|bytes| bytes >> 20));
    println!("elapsed {:?}", done.statistics.elapsed);
    for kind in Kind::ALL {
        println!("{} {:?}", kind.name(), done.statistics.tally(kind));
    }
    let expected = circuit
        .evaluate(&[public["block"].clone(), private["key"].clone()])
        .unwrap();
    for bit in done.outputs.iter().flatten() {
        let OutputBit::Encrypted(ciphertext) = bit else {
            panic!("in the clear")
        };
        let plaintext = party.context.decrypt(&party.secret, ciphertext).unwrap();
        let measured = party
            .context
            .measure_noise(&party.secret, ciphertext, &plaintext)
            .unwrap();
        println!(
            "noise 2^{measured:.1}, predicted 2^{:.1}",
            plan.prediction().noise
        );
        assert!(measured <= plan.prediction().noise);
    }
    assert_eq!(
        decrypt_outputs(&party.context, &party.secret, &done.outputs).unwrap(),
        expected
    );
}
