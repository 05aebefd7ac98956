//! Plans made again from their recipes.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ringmill_circuit::{Builder, Visibility, Word, bundled};
use ringmill_engine::{Calibration, Form, InputKey, PlanError, Planner, Rates, Recipe};
use ringmill_fv::format::FormatError;
use ringmill_fv::{Parameters, SecurityLevel};

/// A machine on which everything else costs what it does not here.
fn other_machine() -> Calibration {
    let odd = Rates {
        transform: 0.01,
        pass: 50.0,
        conversion: 0.001,
    };
    Calibration {
        rates: [odd; Calibration::DIMENSIONS.len()],
    }
}

#[test]
fn a_plan_is_the_same_elsewhere() {
    // A single product, which both forms can do.
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, 2);
    let product = builder.and(word.wires()[0], word.wires()[1]);
    builder.output("y", &Word::new(vec![product]));
    let circuit = builder.finish().unwrap();
    for form in Form::ALL {
        for key in [InputKey::Public, InputKey::Secret] {
            let plan = Planner::new(SecurityLevel::Bits128)
                .with_form(form)
                .with_input_key(key)
                .plan(&circuit)
                .unwrap();
            let recipe = plan.recipe();
            assert_eq!((recipe.form, recipe.input_key), (form, key));
            assert_eq!(recipe.circuit, circuit.digest());
            let again = Planner::new(SecurityLevel::Bits256)
                .with_calibration(other_machine())
                .with_threads(7)
                .plan_exactly(&circuit, plan.parameters(), recipe)
                .unwrap();
            assert_eq!(again.recipe(), recipe);
            let levels = |plan: &ringmill_engine::Plan| {
                let inputs = plan.schedule().inputs().iter().map(|port| port.levels().to_vec());
                let steps = plan.schedule().steps().iter().map(|step| step.level);
                (inputs.collect::<Vec<_>>(), steps.collect::<Vec<_>>())
            };
            assert_eq!(levels(&again), levels(&plan));
            assert_eq!(again.prediction().noise, plan.prediction().noise);
        }
    }
}

#[test]
fn recipes_are_of_one_circuit() {
    let circuit = bundled::circuit("add8").unwrap().unwrap();
    let planner = Planner::new(SecurityLevel::Bits128);
    let plan = planner.plan(&circuit).unwrap();
    let other = circuit.with_visibility("a", Visibility::Public).unwrap();
    let error = planner.plan_exactly(&other, plan.parameters(), plan.recipe());
    assert!(matches!(error, Err(PlanError::OtherCircuit)));
}

#[test]
fn recipes_in_files() {
    let circuit = bundled::circuit("add8").unwrap().unwrap();
    let plan = Planner::new(SecurityLevel::Bits128).plan(&circuit).unwrap();
    let mut file = Vec::new();
    plan.recipe().write(&mut file, plan.parameters()).unwrap();
    let read = |file: &[u8]| Recipe::read(file, plan.parameters());
    assert_eq!(read(&file).unwrap(), *plan.recipe());
    assert!(matches!(
        read(&file[..file.len() - 1]),
        Err(FormatError::Truncated)
    ));
    for at in [48, 80, 81, 85, 95, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 0x80;
        assert!(read(&changed).is_err(), "{at}");
    }
    let other = Parameters::preset("fv128-n4096").unwrap();
    assert!(matches!(
        Recipe::read(file.as_slice(), &other),
        Err(FormatError::BadValue { .. })
    ));
}
