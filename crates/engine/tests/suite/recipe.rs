//! Plans made again from their recipes.

use ringmill_circuit::optimise::{Variant, front};
use ringmill_circuit::{Builder, Circuit, Visibility, Word, bundled};
use ringmill_engine::{
    Calibration, Choice, InputKey, Outcome, PlanError, Planner, ProductForm, Rates, Recipe, VariantChoice,
    choose,
};
use ringmill_format::FormatError;
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
        narrow: 0.5,
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
    for form in ProductForm::ALL {
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
            assert_eq!(again.prediction().log2_noise, plan.prediction().log2_noise);
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

/// `x0 x1 ... x15` as a chain, which optimises to a tree.
fn chain() -> Circuit {
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, 16);
    let mut product = word.wires()[0];
    for wire in &word.wires()[1..] {
        product = builder.and(product, *wire);
    }
    builder.output("y", &Word::new(vec![product]));
    builder.finish().unwrap()
}

fn chosen(planner: &Planner, circuit: &Circuit, variants: &[Variant]) -> Choice {
    let points: Vec<Option<&Variant>> = [None].into_iter().chain(variants.iter().map(Some)).collect();
    choose(circuit, &points, 1, |circuit| planner.plan(circuit)).unwrap()
}

#[test]
fn the_shallow_variant_is_taken_and_followed() {
    let circuit = chain();
    let variants = front(&circuit, &mut |_| ()).unwrap();
    assert_eq!(variants.last().unwrap().measures.and_depth, 4);
    let planner = Planner::new(SecurityLevel::Bits128);
    let choice = chosen(&planner, &circuit, &variants);
    let recipe = *choice.plan.recipe();
    assert_eq!(recipe.circuit, circuit.digest());
    assert_eq!(recipe.variant, Some(VariantChoice::of(variants.last().unwrap())));
    assert_eq!(choice.plan.prediction().depth, 4);
    let given = planner.plan(&circuit).unwrap();
    assert!(choice.plan.prediction().work < given.prediction().work);

    // Through a file and with the circuit as given, another party comes to the same plan.
    let mut file = Vec::new();
    recipe.write(&mut file, choice.plan.parameters()).unwrap();
    let read = Recipe::read(file.as_slice(), choice.plan.parameters()).unwrap();
    assert_eq!(read, recipe);
    let evaluated = read.evaluated(&circuit, &mut |_| ()).unwrap();
    let again = planner
        .plan_exactly(&evaluated, choice.plan.parameters(), &read)
        .unwrap();
    assert_eq!(again.recipe(), &recipe);
    assert_eq!(again.prediction().log2_noise, choice.plan.prediction().log2_noise);
    // The circuit as it is was not what the plan is for.
    let error = planner.plan_exactly(&circuit, choice.plan.parameters(), &read);
    assert!(matches!(error, Err(PlanError::OtherCircuit)));
}

#[test]
fn variants_that_are_not_made_are_missed() {
    let circuit = chain();
    let mut recipe = *Planner::new(SecurityLevel::Bits128)
        .plan(&circuit)
        .unwrap()
        .recipe();
    assert!(recipe.evaluated(&circuit, &mut |_| ()).unwrap().as_ref() == &circuit);
    recipe.variant = Some(VariantChoice {
        depth: 4,
        digest: [7; 32],
    });
    let error = recipe.evaluated(&circuit, &mut |_| ());
    assert!(matches!(error, Err(PlanError::OtherOptimiser { depth: 4 })));
    let other = bundled::circuit("add8").unwrap().unwrap();
    let error = recipe.evaluated(&other, &mut |_| ());
    assert!(matches!(error, Err(PlanError::OtherCircuit)));
}

/// Files of programs that knew no variants are as long as those of circuits as they are.
#[test]
fn recipes_without_a_variant_are_as_before() {
    let circuit = bundled::circuit("add8").unwrap().unwrap();
    let plan = Planner::new(SecurityLevel::Bits128).plan(&circuit).unwrap();
    let mut file = Vec::new();
    plan.recipe().write(&mut file, plan.parameters()).unwrap();
    assert_eq!(file.len(), 48 + 50 + 32);
    let read = Recipe::read(file.as_slice(), plan.parameters()).unwrap();
    assert_eq!(read.variant, None);
}

#[test]
fn nothing_is_planned_that_cannot_fit() {
    let circuit = chain();
    let variants = front(&circuit, &mut |_| ()).unwrap();
    let points: Vec<Option<&Variant>> = [None].into_iter().chain(variants.iter().map(Some)).collect();
    let refuse = |_: &Circuit| {
        Planner::new(SecurityLevel::Bits256)
            .with_memory_limit(1)
            .plan(&circuit)
    };
    let error = choose(&circuit, &points, 1, refuse).unwrap_err();
    assert!(matches!(error, PlanError::TooMuchMemory { .. }));
    // As it is, if that is all there is.
    let planner = Planner::new(SecurityLevel::Bits128);
    let choice = choose(&circuit, &[None], 1, |circuit| planner.plan(circuit)).unwrap();
    assert_eq!((choice.points.len(), choice.chosen), (1, 0));
    assert_eq!(choice.plan.recipe(), planner.plan(&circuit).unwrap().recipe());
    assert!(matches!(choice.points[0].outcome, Outcome::Planned { .. }));
}
