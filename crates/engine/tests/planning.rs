//! Plans, without executing them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ringmill_circuit::{Builder, Circuit, Visibility, Word, simon};
use ringmill_engine::{Operation, OutputSource, Plan, PlanError, Planner, ValueId};
use ringmill_fv::{Parameters, SecurityLevel};

/// a AND itself rotated, `depth` times over.
fn tower(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut word = builder.input("a", Visibility::Private, 4);
    for _ in 0..depth {
        let product = builder.and_words(&word, &word.rotate_left(1)).unwrap();
        word = builder.xor_words(&product, &word.rotate_left(2)).unwrap();
    }
    builder.output("x", &word);
    builder.finish().unwrap()
}

/// What every plan must keep to, whatever the circuit.
fn check(plan: &Plan) {
    let steps = plan.steps();
    let mut made = vec![false; steps.len()];
    let mut lifted = vec![false; steps.len()];
    let mut alive: usize = 0;
    for (index, step) in steps.iter().enumerate() {
        if matches!(step.operation, Operation::Input { .. }) {
            made[index] = true;
            alive += 1;
        }
    }
    let mut most = alive;
    for wave in plan.waves() {
        for value in &wave.lifts {
            assert!(made[value.index()] && !std::mem::replace(&mut lifted[value.index()], true));
        }
        for value in &wave.steps {
            let step = &steps[value.index()];
            for operand in step.operation.operands() {
                assert!(made[operand.index()], "operand {operand:?} of {value:?} is not there");
                let level = steps[operand.index()].level;
                match step.operation {
                    Operation::Switch { .. } => assert!(level > step.level),
                    _ => assert_eq!(level, step.level),
                }
                if matches!(step.operation, Operation::Product { .. }) {
                    assert!(lifted[operand.index()]);
                }
            }
        }
        for value in &wave.steps {
            assert!(!std::mem::replace(&mut made[value.index()], true), "made twice");
            alive += 1;
        }
        most = most.max(alive);
        for value in &wave.spent_lifts {
            assert!(std::mem::replace(&mut lifted[value.index()], false));
        }
        for value in &wave.spent {
            assert!(std::mem::replace(&mut made[value.index()], false));
            alive -= 1;
        }
    }
    assert!(lifted.iter().all(|lifted| !lifted));
    assert_eq!(plan.prediction().memory.ciphertexts, most);
    // Exactly the outputs are left.
    let mut left: Vec<ValueId> = Vec::new();
    for source in plan.outputs().iter().flat_map(|port| &port.sources) {
        if let OutputSource::Encrypted(value) = source {
            assert!(made[value.index()]);
            assert_eq!(steps[value.index()].level, plan.prediction().output_level);
            left.push(*value);
        }
    }
    left.sort_unstable();
    left.dedup();
    assert_eq!(left.len(), alive);
}

#[test]
fn simon_fits_the_table_at_32768() {
    for circuit in [simon::decrypt_circuit(), simon::encrypt_circuit()] {
        let plan = Planner::new(SecurityLevel::Bits128).with_threads(2).plan(&circuit.unwrap()).unwrap();
        println!("{}", plan.explain());
        check(&plan);
        let parameters = plan.parameters();
        assert_eq!((parameters.n(), plan.slots()), (32768, 2048));
        let total = parameters.log2_q(parameters.levels()) + parameters.log2_p();
        assert!(total <= 868.0 && parameters.security().bits >= 128);
        assert!(plan.prediction().margin >= 0.0 && plan.prediction().failure <= -64.0);
        assert_eq!((plan.products(), plan.prediction().depth), (43 * 32, 43));
        assert_eq!(plan.prediction().output_level, 1);
        assert!(plan.prediction().memory.peak < 8 << 30);
        // The state, one round's intermediate values and the keys, not the whole history.
        assert!(plan.prediction().memory.ciphertexts < 500);
    }
}
