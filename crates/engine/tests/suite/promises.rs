//! What a plan promises, on circuits that are deep, wide or both: each is refused with the bits that are missing, or
//! its plan holds, by a second computation of the noise and, at small dimensions, by noise that is measured.

use ringmill_circuit::{Builder, Circuit, Visibility, Wire, Word};
use ringmill_engine::{
    Calibration, InputKey, InputPacking, Obstacle, OutputSource, Plan, PlanError, Planner, ProductForm,
    Recipe,
};
use ringmill_fv::{Parameters, SecurityLevel};

use crate::common::circuits::Dice;
use crate::common::reference::Reference;
use crate::common::{LIMB_BITS, Party, insecure, insecure_of, sides};

fn planner() -> Planner {
    Planner::new(SecurityLevel::Bits128).with_threads(2)
}

/// How values of a layer are made of those of the layers before.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Products of neighbours.
    Tower,
    /// Sums of all inputs and all values of the layer before, then products.
    WideSums,
    /// Each value a running sum of those before it, all of them used, then products.
    Chains,
    /// Products of two sums of a few random values each.
    ProductsOfSums,
    /// Each value times a sum of which it is a part, and so nearly squared.
    Squares,
    /// Each value times its sum with a public value, which has the same noise.
    SquaresButForPublic,
    /// Products with public values before those with encrypted ones.
    Public,
}

const SHAPES: [Shape; 7] = [
    Shape::Tower,
    Shape::WideSums,
    Shape::Chains,
    Shape::ProductsOfSums,
    Shape::Squares,
    Shape::SquaresButForPublic,
    Shape::Public,
];

/// A circuit of so many layers of products of `width` values each, from `inputs` encrypted inputs.
fn layers(dice: &mut Dice, shape: Shape, depth: usize, width: usize, inputs: usize) -> Circuit {
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, inputs);
    let public = builder.input("p", Visibility::Public, width);
    let mut layer: Vec<Wire> = word.wires()[..width].to_vec();
    for _ in 0..depth {
        let some = |dice: &mut Dice| layer[dice.below(width)];
        let next = (0..width).map(|index| {
            let (own, neighbour) = (layer[index], layer[(index + 1) % width]);
            let input = word.wires()[dice.below(inputs)];
            let (left, right) = match shape {
                Shape::Tower => (own, neighbour),
                Shape::WideSums => {
                    let all = word.wires().iter().chain(&layer);
                    let sum = all.fold(own, |sum, wire| builder.xor(sum, *wire));
                    (sum, neighbour)
                }
                Shape::Chains => {
                    let mut sum = own;
                    let mut product = neighbour;
                    for step in 0..20 {
                        sum = builder.xor(sum, word.wires()[(index + step) % inputs]);
                        // Used again, so that the chain is not one sum.
                        product = builder.xor(product, sum);
                    }
                    (sum, product)
                }
                Shape::ProductsOfSums => {
                    let mut sum = || {
                        let wires = [some(dice), some(dice), some(dice)];
                        wires.into_iter().fold(input, |sum, wire| builder.xor(sum, wire))
                    };
                    (sum(), sum())
                }
                Shape::Squares => (own, builder.xor(own, neighbour)),
                Shape::SquaresButForPublic => (own, builder.xor(own, public.wires()[index])),
                Shape::Public => (builder.and(own, public.wires()[index]), neighbour),
            };
            let product = builder.and(left, right);
            builder.xor(product, input)
        });
        layer = next.collect();
    }
    builder.output("y", &Word::new(layer));
    builder.finish().unwrap()
}

/// Follows a plan's noise a second time and compares all promises with what comes out.
fn check_plan(plan: &Plan, log2_failure: f64) {
    let reference = Reference::new(plan);
    let prediction = plan.prediction();
    let mut worst = f64::NEG_INFINITY;
    for (value, bound) in reference.bounds(plan, log2_failure) {
        let predicted = plan.noise(value);
        assert!(predicted.is_finite());
        assert!((bound - predicted).abs() < 1e-6, "{value:?}: {bound} {predicted}");
        worst = worst.max(bound);
    }
    assert!(worst <= -1.2 - prediction.reserve, "{worst} {prediction:?}");
    assert!((0.0..100.0).contains(&prediction.reserve) && prediction.margin >= prediction.reserve);
    assert!(prediction.log2_failure <= log2_failure && prediction.log2_failure.is_finite());
    assert!(prediction.work > 0.0 && prediction.work.is_finite());
}

/// A recipe that no planner made.
fn recipe(circuit: &Circuit, form: ProductForm, tolerance: f64) -> Recipe {
    Recipe {
        circuit: circuit.digest(),
        variant: None,
        aggregates: None,
        form,
        tolerance,
        input_key: InputKey::Public,
        log2_failure: -64.0,
        flooding: false,
        packing: InputPacking::Separate,
        former: None,
        further: 0,
        shared: false,
    }
}

#[test]
fn layered_circuits_are_refused_or_their_plans_hold() {
    let mut dice = Dice::new(1);
    let (mut planned, mut refused) = (0, 0);
    for shape in SHAPES {
        for depth in [1, 3, 6, 12, 40] {
            let circuit = layers(&mut dice, shape, depth, 4, 12);
            for form in ProductForm::ALL {
                let planner = planner().with_form(form);
                let parameters = insecure(2048, form, 8);
                let recipe = recipe(&circuit, form, 0.1);
                match planner.plan_exactly(&circuit, &parameters, &recipe) {
                    Ok(plan) => {
                        check_plan(&plan, -64.0);
                        planned += 1;
                    }
                    Err(PlanError::DoesNotFit(shortfall)) => {
                        assert!(depth > 3, "{shape:?} {depth} {form}: {shortfall}");
                        assert!(shortfall.fitting < depth as u32, "{shortfall}");
                        assert!(
                            shortfall.missing.is_finite() && shortfall.missing > 0.0,
                            "{shortfall}"
                        );
                        refused += 1;
                        // The BGV form may lack finer levels, not bits.
                        if form == ProductForm::Bgv {
                            continue;
                        }
                        // With as many bits more, and some, it fits.
                        let limbs = 8 + (1.25 * shortfall.missing / LIMB_BITS).ceil() as usize + 1;
                        let plan = planner.plan_with(&circuit, &insecure(2048, form, limbs));
                        let plan = plan.unwrap_or_else(|error| panic!("{shape:?} {depth}: {error}"));
                        check_plan(&plan, -64.0);
                        // And half of them are too few.
                        let fewer = insecure(2048, form, 8 + (0.5 * shortfall.missing / LIMB_BITS) as usize);
                        assert!(planner.plan_exactly(&circuit, &fewer, &recipe).is_err());
                    }
                    Err(error) => panic!("{shape:?} {depth} {form}: {error}"),
                }
            }
        }
    }
    assert!(planned > 20 && refused > 10, "{planned} {refused}");
}

/// Whatever is tried, thousands of products in a row are refused, with numbers.
#[test]
fn thousands_of_levels_are_refused() {
    let mut dice = Dice::new(2);
    for (shape, depth) in SHAPES.into_iter().zip([5000, 1000, 400, 1500, 2000, 2000, 700]) {
        let circuit = layers(&mut dice, shape, depth, 3, 5);
        // Followed to the end, by a recipe.
        for (form, tolerance) in [
            (ProductForm::Bfv, 0.1),
            (ProductForm::Bgv, 2.0),
            (ProductForm::Bfv, 64.0),
        ] {
            let parameters = insecure(2048, form, 4);
            let error = planner().plan_exactly(&circuit, &parameters, &recipe(&circuit, form, tolerance));
            let Err(PlanError::DoesNotFit(shortfall)) = error else {
                panic!("{shape:?} {form}: it fits");
            };
            // Where terms of random sums cancel, a layer is passed by.
            let found = shortfall.depth as usize;
            assert!((depth - depth / 50..=depth).contains(&found), "{found}");
            assert!((1..25).contains(&shortfall.fitting), "{shortfall}");
            // Ten bits a level at least.
            let least = 10.0 * (depth - 25) as f64;
            assert!((least..1e6).contains(&shortfall.missing), "{shortfall}");
        }
        let Err(PlanError::NothingFits(misfit)) = planner().plan(&circuit) else {
            panic!("{shape:?}: it fits");
        };
        let found = misfit.depth;
        assert!(misfit.bits == 128 && (depth - depth / 50..=depth).contains(&(found as usize)));
        let fitting = misfit.rings.iter().map(|ring| match ring.obstacle {
            Obstacle::Noise { fitting, missing } => {
                assert!(missing.is_finite() && missing > 0.0);
                fitting
            }
            ref other => panic!("{shape:?}: {other}"),
        });
        let fitting: Vec<u32> = fitting.collect();
        assert!(
            fitting.is_sorted() && fitting.len() == 6 && fitting[5] < 250,
            "{fitting:?}"
        );
        let text = misfit.to_string();
        assert!(
            text.lines().count() == 8 && text.contains(&format!("{found} products in a row")),
            "{text}"
        );
    }
}

/// A sum of thousands of terms between products adds its bits to the noise, and no more.
#[test]
fn sums_of_thousands_of_terms_are_followed() {
    let mut dice = Dice::new(3);
    let circuit = layers(&mut dice, Shape::WideSums, 3, 2, 3000);
    for form in ProductForm::ALL {
        let plan = planner()
            .with_form(form)
            .plan_with(&circuit, &insecure(2048, form, 8));
        let wide = plan.unwrap();
        check_plan(&wide, -64.0);
        let narrow = layers(&mut dice, Shape::WideSums, 3, 2, 3);
        let plan = planner().plan_exactly(
            &narrow,
            wide.parameters(),
            &Recipe {
                circuit: narrow.digest(),
                ..*wide.recipe()
            },
        );
        check_plan(&plan.unwrap(), -64.0);
    }
    // Small q: there is no room for the bits of the sums.
    let small = insecure(2048, ProductForm::Bfv, 1);
    let error = planner().with_form(ProductForm::Bfv).plan_exactly(
        &circuit,
        &small,
        &recipe(&circuit, ProductForm::Bfv, 0.1),
    );
    let Err(PlanError::DoesNotFit(shortfall)) = error else {
        panic!("it fits");
    };
    assert!((10.0..200.0).contains(&shortfall.missing), "{shortfall}");
}

/// Values and noise of real evaluations are as planned.
#[test]
fn plans_hold_when_they_are_carried_out() {
    let mut dice = Dice::new(4);
    for form in ProductForm::ALL {
        let parameters = insecure_of(2048, form, 8, LIMB_BITS);
        let party = Party::new(&parameters);
        for shape in SHAPES {
            let circuit = layers(&mut dice, shape, 4, 3, 6);
            let plan = planner()
                .with_form(form)
                .plan_with(&circuit, &parameters)
                .unwrap_or_else(|error| panic!("{shape:?} {form}: {error}"));
            check_plan(&plan, -64.0);
            let values = dice.inputs(&circuit, plan.records());
            let execution = party.run(&plan, InputKey::Public, &sides(&circuit, &values));
            assert!(
                party.decrypt(&plan, &execution) == circuit.evaluate(&values).unwrap(),
                "{shape:?} {form}"
            );
            for (predicted, measured) in party.noises(&plan, &execution) {
                assert!(measured <= predicted, "{shape:?} {form}: {measured} {predicted}");
            }
        }
    }
}

#[test]
fn demands_without_a_meaning_are_refused() {
    let circuit = layers(&mut Dice::new(5), Shape::Tower, 1, 2, 2);
    let parameters = insecure(2048, ProductForm::Bfv, 4);
    let refused = |planner: Planner, recipe: Option<Recipe>| {
        let planned = match recipe {
            Some(recipe) => planner.plan_exactly(&circuit, &parameters, &recipe),
            None => planner.plan_with(&circuit, &parameters),
        };
        matches!(planned, Err(PlanError::BadDemand { .. }))
    };
    let good = recipe(&circuit, ProductForm::Bfv, 0.1);
    assert!(!refused(planner(), Some(good)) && !refused(planner(), None));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        let tolerance = Recipe {
            tolerance: bad,
            ..good
        };
        assert!(refused(planner(), Some(tolerance)), "{bad}");
        let failure = if bad == 1e300 { 0.0 } else { bad };
        let log2_failure = Recipe {
            log2_failure: failure,
            ..good
        };
        assert!(refused(planner(), Some(log2_failure)), "{failure}");
        assert!(refused(planner().with_log2_failure(failure), None), "{failure}");
        assert!(planner().with_log2_failure(failure).plan(&circuit).is_err());
        if !bad.is_finite() {
            let mut calibration = Calibration::default();
            calibration.rates[2].pass = bad;
            assert!(refused(planner().with_calibration(calibration), None), "{bad}");
        }
    }
    assert!(refused(
        planner(),
        Some(Recipe {
            tolerance: -0.5,
            ..good
        })
    ));
    // As unlikely as a double can say: refused as well, but for noise.
    let strict = planner()
        .with_log2_failure(-1e300)
        .plan_with(&circuit, &parameters);
    assert!(matches!(strict, Err(PlanError::DoesNotFit(_))));
}

/// Parameters whose plan is refused at once are refused by the whole search for levels too, and one level less
/// than what is refused at once is not far from what fits.
#[test]
fn depth_alone_refuses_only_what_does_not_fit() {
    let mut dice = Dice::new(6);
    for form in ProductForm::ALL {
        let parameters: Parameters = insecure(2048, form, 6);
        let planner = planner().with_form(form);
        let fits = |dice: &mut Dice, depth| {
            // The least noise that a path of products can have: the other factor is always an input.
            let circuit = chain(dice, depth);
            let at_once = planner.plan_with(&circuit, &parameters);
            let tolerances = [0.02, 0.1, 0.5, 2.0];
            let followed = tolerances.map(|tolerance| {
                planner
                    .plan_exactly(&circuit, &parameters, &recipe(&circuit, form, tolerance))
                    .is_ok()
            });
            // What is planned exactly is not refused by depth.
            assert!(at_once.is_ok() || followed == [false; 4], "{form} {depth}");
            at_once.is_ok()
        };
        let depths: Vec<usize> = (1..40).filter(|depth| fits(&mut dice, *depth)).collect();
        assert!(depths.len() > 5 && depths.len() < 35, "{form}: {depths:?}");
    }
}

/// Products in a row, each with an input.
fn chain(dice: &mut Dice, depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, 8);
    let mut last = word.wires()[0];
    for index in 0..depth {
        let product = builder.and(last, word.wires()[1 + index % 7]);
        last = match dice.below(2) {
            0 => product,
            _ => builder.not(product),
        };
    }
    builder.output("y", &Word::new(vec![last]));
    builder.finish().unwrap()
}

/// Plans whose results may be shared have room for the flood at their outputs, and say how large it is.
#[test]
fn floods_fit() {
    let mut dice = Dice::new(9);
    let circuit = layers(&mut dice, SHAPES[0], 3, 4, 12);
    for form in ProductForm::ALL {
        let planner = planner().with_form(form).with_log2_failure(-128.0);
        let plain = planner.plan(&circuit).unwrap();
        assert_eq!((plain.prediction().flooding, plain.log2_flood(1)), (0.0, None));
        let plan = planner.with_flooding(true).plan(&circuit).unwrap();
        let prediction = plan.prediction();
        let outputs = plan
            .schedule()
            .outputs()
            .iter()
            .map(|port| port.sources.len())
            .sum::<usize>();
        let coefficients = (plan.parameters().n() * outputs) as f64;
        // Every coefficient of every output by 2^-64 together.
        assert!(
            prediction.flooding >= 64.0 + coefficients.log2() - 1e-9,
            "{prediction:?}"
        );
        assert!(prediction.margin >= prediction.reserve && prediction.log2_failure <= -128.0);
        let level = prediction.output_level;
        let step = plan.parameters().log2_q(level) - 1.0;
        let flood = f64::from(plan.log2_flood(level).unwrap()) - step;
        // It hides the noise, and with it stays within what can be decrypted.
        assert!(flood >= prediction.log2_noise + 64.0 + coefficients.log2() - 1e-9);
        let both = (flood.exp2() + prediction.log2_noise.exp2()).log2();
        assert!(both <= -1.2 - prediction.reserve, "{both} {prediction:?}");
        // And the fresh encryption of zero is in the noise that is hidden.
        let sources = plan.schedule().outputs().iter().flat_map(|port| &port.sources);
        for source in sources {
            let OutputSource::Encrypted(value) = source else {
                continue;
            };
            assert!(plan.noise(*value) <= prediction.log2_noise);
        }
        // Whoever reads the plan makes the same.
        let mut file = Vec::new();
        plan.recipe().write(&mut file, plan.parameters()).unwrap();
        let recipe = Recipe::read(file.as_slice(), plan.parameters()).unwrap();
        assert_eq!(&recipe, plan.recipe());
        let again = Planner::new(SecurityLevel::Bits128).plan_exactly(&circuit, plan.parameters(), &recipe);
        assert_eq!(again.unwrap().log2_flood(level), plan.log2_flood(level));
        let modulus = |plan: &Plan| plan.parameters().log2_q(plan.prediction().output_level);
        assert!(modulus(&plan) > modulus(&plain) + 60.0);
    }
}
