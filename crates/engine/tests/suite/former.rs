//! Plans that go on with the results of others.

use ringmill_circuit::{Builder, Circuit, Visibility, Wire, Word, nibble};
use ringmill_cpu::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, Execution, FormerResults, InputKey, OutputValue, Plan, PlanError, Planner, ProductForm,
    Recipe,
};
use ringmill_format::FormatError;
use ringmill_fv::{Ciphertext, Parameters, SecurityLevel};

use crate::common::circuits::Dice;
use crate::common::{Party, insecure, sides};

/// The results that the next circuit takes.
const WIDTH: usize = 4;

fn planner() -> Planner {
    Planner::new(SecurityLevel::Bits128).with_threads(2)
}

/// Products in a row of neighbours in a word, with a public word in between.
fn layers(input: &str, output: &str, depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let word = builder.input(input, Visibility::Private, WIDTH);
    let public = builder.input("p", Visibility::Public, WIDTH);
    let mut layer: Vec<Wire> = word.wires().to_vec();
    for _ in 0..depth {
        let next = (0..WIDTH).map(|index| {
            let (own, neighbour) = (layer[index], layer[(index + 1) % WIDTH]);
            let masked = builder.xor(neighbour, public.wires()[index]);
            let product = builder.and(own, masked);
            builder.xor(product, layer[(index + 2) % WIDTH])
        });
        layer = next.collect();
    }
    builder.output(output, &Word::new(layer));
    builder.finish().unwrap()
}

/// The results of an execution as the inputs of the next plan.
fn as_inputs(
    mut execution: Execution<Ciphertext<CpuDevice>>,
    port: &str,
) -> EncryptedInputs<Ciphertext<CpuDevice>> {
    let wires = execution.outputs.swap_remove(0).into_iter();
    let wires = wires.map(|value| match value {
        OutputValue::Encrypted(ciphertext) => ciphertext,
        OutputValue::Clear(_) => panic!("a result in the clear"),
    });
    let mut inputs = EncryptedInputs::new();
    inputs.insert(port, wires.collect::<Vec<_>>());
    inputs
}

fn results(plan: &Plan) -> FormerResults {
    plan.results([7; 32]).unwrap()
}

/// Three plans, each on the results of the one before: values are right, noise is as predicted.
#[test]
fn plans_go_on_with_results() {
    let parameters = insecure(2048, ProductForm::Bfv, 8);
    let party = Party::new(&parameters);
    let circuits = [layers("x", "a", 2), layers("a", "b", 2), layers("b", "c", 1)];
    let mut dice = Dice::new(61);
    let first = planner().with_further_levels(4);
    let first = first.plan_with(&circuits[0], &parameters).unwrap();
    let values = dice.inputs(&circuits[0], first.records());
    let mut execution = party.run(&first, InputKey::Public, &sides(&circuits[0], &values));
    let mut clear = circuits[0].evaluate(&values).unwrap();
    assert_eq!(party.decrypt(&first, &execution), clear);

    let (mut former, mut depth) = (results(&first), 2);
    for (circuit, further) in circuits[1..].iter().zip([1, 0]) {
        assert_eq!(former.depth, depth);
        let plan = planner().with_former(former).with_further_levels(further);
        let plan = plan.plan_with(circuit, &parameters).unwrap();
        assert_eq!(plan.recipe().former, Some(former));
        // Whoever has the recipe makes the same plan.
        let again = planner()
            .plan_exactly(circuit, &parameters, plan.recipe())
            .unwrap();
        assert_eq!(again.recipe(), plan.recipe());
        assert_eq!(again.prediction().log2_noise, plan.prediction().log2_noise);

        let public = dice.values(circuit.inputs()[1].kind, WIDTH, plan.records());
        let port = &*circuit.inputs()[0].name;
        let inputs = as_inputs(execution, port);
        let given = [("p".to_owned(), public.clone())].into();
        let run = plan.execute(&party.context, &party.keys(&plan), inputs, &given, &());
        execution = run.unwrap();
        clear = circuit.evaluate(&[clear[0].clone(), public]).unwrap();
        assert_eq!(party.decrypt(&plan, &execution), clear);
        for (predicted, measured) in party.noises(&plan, &execution) {
            assert!(measured <= predicted, "{measured} {predicted}");
        }
        depth += circuit.and_depth();
        former = results(&plan);
    }
}

/// Levels are planned for, or there are none.
#[test]
fn results_bear_what_was_planned() {
    let parameters = Parameters::preset("fv128-n16384").unwrap();
    let (first, second) = (layers("x", "a", 2), layers("a", "b", 3));
    let level = |further| {
        let plan = planner().with_further_levels(further);
        plan.plan_with(&first, &parameters)
            .unwrap()
            .prediction()
            .output_level
    };
    assert!(level(0) < level(3) && level(3) <= level(5));
    let after = |further| {
        let plan = planner().with_further_levels(further);
        let plan = plan.plan_with(&first, &parameters).unwrap();
        planner()
            .with_former(results(&plan))
            .plan_with(&second, &parameters)
    };
    assert!(after(3).is_ok());
    assert!(matches!(after(0), Err(PlanError::DoesNotFit(_))));
    // More levels than the ring has are refused at once, and counted.
    let most = planner().with_further_levels(40).plan_with(&first, &parameters);
    let Err(PlanError::DoesNotFit(shortfall)) = most else {
        panic!("forty levels at n = 16384");
    };
    assert_eq!(shortfall.depth, 42);
    // The smallest ring follows from all levels together.
    let n = |further| {
        let plan = planner().with_further_levels(further).plan(&first).unwrap();
        plan.parameters().n()
    };
    assert!(n(8) > n(0));
}

#[test]
fn recipes_of_later_plans_in_files() {
    let parameters = Parameters::preset("fv128-n16384").unwrap();
    let first = planner().with_further_levels(5);
    let first = first.plan_with(&layers("x", "a", 2), &parameters).unwrap();
    let second = planner().with_former(results(&first)).with_further_levels(1);
    let second = second.plan_with(&layers("a", "b", 2), &parameters).unwrap();
    for plan in [&first, &second] {
        let mut file = Vec::new();
        plan.recipe().write(&mut file, &parameters).unwrap();
        let read = |file: &[u8]| Recipe::read(file, &parameters);
        assert_eq!(read(&file).unwrap(), *plan.recipe());
        for cut in [file.len() - 1, file.len() / 2] {
            assert!(matches!(read(&file[..cut]), Err(FormatError::Truncated)));
        }
    }
    // What no plan has.
    let good = *second.recipe();
    let wrong = |change: &dyn Fn(&mut FormerResults)| {
        let mut recipe = good;
        recipe.former.iter_mut().for_each(change);
        written(&recipe, &parameters)
    };
    for bad in [
        wrong(&|former| former.level = parameters.levels() + 1),
        wrong(&|former| former.level = 0),
        wrong(&|former| former.log2_powers[3] = f64::NAN),
        wrong(&|former| former.log2_powers[0] = 65.0),
        written(
            &Recipe {
                form: ProductForm::Bgv,
                ..good
            },
            &parameters,
        ),
        written(
            &Recipe {
                further: 1001,
                ..good
            },
            &parameters,
        ),
    ] {
        assert!(matches!(bad, Err(FormatError::BadValue { .. })), "{bad:?}");
    }
}

fn written(recipe: &Recipe, parameters: &Parameters) -> Result<Recipe, FormatError> {
    let mut file = Vec::new();
    recipe.write(&mut file, parameters).unwrap();
    Recipe::read(&*file, parameters)
}

/// A result that follows from public inputs alone has no noise to speak of, and is no input.
#[test]
fn results_in_the_clear_are_no_inputs() {
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, 1);
    let p = builder.input("p", Visibility::Public, 1);
    builder.output("y", &x);
    builder.output("q", &p);
    let plan = planner().plan(&builder.finish().unwrap()).unwrap();
    assert_eq!(plan.results([0; 32]), None);
}

/// Slots hold squares only where nobody else goes on with them.
#[test]
fn results_of_nibbles_that_others_go_on_with_are_bytes() {
    let mut builder = Builder::new();
    let x = builder.input_rows("x", Visibility::Private, 2, 1);
    let product = builder.and(x[0], x[1]);
    let tidied = builder.bytewise(product, nibble::tidy()).unwrap();
    builder.output_rows("y", &[tidied]);
    let circuit = builder.finish().unwrap();
    let parameters = insecure(2048, ProductForm::Bfv, 9);
    let results = |further| {
        let planner = planner().with_form(ProductForm::Bfv).with_further_levels(further);
        let plan = planner.plan_with(&circuit, &parameters).unwrap();
        plan.results([0; 32]).is_some()
    };
    assert!(results(1) && !results(0));
}
