//! Plans, without executing them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ringmill_circuit::{Builder, Circuit, Visibility, simon};
use ringmill_engine::{InputKey, Operation, OutputSource, Plan, PlanError, Planner, ValueId};
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
                assert!(
                    made[operand.index()],
                    "operand {operand:?} of {value:?} is not there"
                );
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
        let plan = Planner::new(SecurityLevel::Bits128)
            .with_threads(2)
            .plan(&circuit.unwrap())
            .unwrap();
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

#[test]
fn small_circuits_get_small_parameters() {
    let planner = Planner::new(SecurityLevel::Bits128);
    let mut last = 0;
    for depth in [0, 1, 3, 8] {
        let plan = planner.plan(&tower(depth)).unwrap();
        check(&plan);
        let parameters = plan.parameters();
        assert!(parameters.n() >= last);
        last = parameters.n();
        assert!(plan.prediction().margin >= 0.0);
        assert!(plan.explain().contains("depth   1") || depth == 0);
    }
    let wide = planner.with_slots(2048).plan(&tower(1)).unwrap();
    assert_eq!(wide.slots(), 2048);
    assert!(
        wide.rejected()
            .iter()
            .any(|rejection| rejection.reason.contains("slots"))
    );
}

#[test]
fn what_does_not_fit_says_by_how_much() {
    let planner = Planner::new(SecurityLevel::Bits128);
    let parameters = Parameters::preset("fv128-n8192").unwrap();
    let Err(PlanError::DoesNotFit(shortfall)) = planner.plan_with(&tower(20), &parameters) else {
        panic!("it fits");
    };
    assert!(
        (100.0..400.0).contains(&shortfall.missing) && (5..=12).contains(&shortfall.fitting),
        "{shortfall:?}"
    );
    assert_eq!((shortfall.depth, shortfall.needed), (20, Some(16384)));
    assert!(shortfall.to_string().contains("n = 16384 would do"));

    let Err(PlanError::NothingFits { rejected, .. }) = planner.plan(&tower(200)) else {
        panic!("it fits");
    };
    assert!(
        rejected.len() >= 5 && rejected.iter().all(|r| r.reason.contains("missing")),
        "{rejected:?}"
    );

    let tight = planner.with_memory_limit(1 << 20).plan(&tower(3));
    assert!(matches!(tight, Err(PlanError::TooMuchMemory { limit: 1, .. })));
    let few = Planner::new(SecurityLevel::Bits128)
        .with_slots(4096)
        .plan_with(&tower(1), &parameters);
    assert!(matches!(
        few,
        Err(PlanError::TooFewSlots {
            slots: 512,
            wanted: 4096,
            ..
        })
    ));
}

#[test]
fn public_outputs_need_no_encryption() {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Public, 2);
    let word = builder.and_words(&a, &a.rotate_left(1)).unwrap();
    builder.output("x", &word);
    let plan = Planner::new(SecurityLevel::Bits128)
        .plan(&builder.finish().unwrap())
        .unwrap();
    check(&plan);
    assert!(plan.steps().is_empty());
}

#[test]
fn inputs_under_the_secret_key_save_a_limb_of_simon() {
    let planner = Planner::new(SecurityLevel::Bits128).with_input_key(InputKey::Secret);
    let plan = planner.plan(&simon::decrypt_circuit().unwrap()).unwrap();
    println!("{}", plan.explain());
    check(&plan);
    assert_eq!((plan.parameters().n(), plan.parameters().levels()), (32768, 14));
    assert!(plan.parameters().security().bits >= 128 && plan.prediction().failure <= -64.0);
}
