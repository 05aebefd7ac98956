//! What plans keep in reserve for heavy tails of noise.

use ringmill_circuit::{Builder, Circuit, Visibility, Word};
use ringmill_engine::{InputKey, Plan, Planner, ProductForm};
use ringmill_fv::{Parameters, SecurityLevel};

use crate::common::circuits::tower;

fn planner() -> Planner {
    Planner::new(SecurityLevel::Bits128).with_threads(2)
}

/// A value times its sum with a public one, `depth` times over: squares of squares.
fn squares(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut wire = builder.input("a", Visibility::Private, 1).wires()[0];
    let public = builder.input("p", Visibility::Public, depth);
    for other in public.wires() {
        let sum = builder.xor(wire, *other);
        wire = builder.and(wire, sum);
    }
    builder.output("x", &Word::new(vec![wire]));
    builder.finish().unwrap()
}

fn reserve(plan: &Plan) -> f64 {
    plan.prediction().reserve
}

#[test]
fn the_reserve_is_kept() {
    for form in ProductForm::ALL {
        for depth in [2, 10, 20] {
            let plan = planner().with_form(form).plan(&tower(depth)).unwrap();
            let prediction = plan.prediction();
            // The limit is -1.2, see the planner's predictor.
            assert!((prediction.log2_noise + prediction.margin + 1.2).abs() < 1e-9);
            assert!(prediction.margin >= prediction.reserve);
            match form {
                ProductForm::Bfv if depth >= 10 => assert!(prediction.reserve > 4.0),
                ProductForm::Bfv => assert!(prediction.reserve < 3.0),
                // Paid once for a chain.
                ProductForm::Bgv => assert!((0.0..8.0).contains(&prediction.reserve)),
            }
        }
    }
}

#[test]
fn the_reserve_follows_what_is_asked_for() {
    let plan = |log2_failure| {
        let planner = planner().with_form(ProductForm::Bfv);
        planner.with_log2_failure(log2_failure).plan(&tower(12)).unwrap()
    };
    let (usual, rare) = (plan(-64.0), plan(-128.0));
    // By moments, some half of what 64 bits are with the theta that is best.
    assert!(
        (3.0..12.0).contains(&(reserve(&rare) - reserve(&usual))),
        "{usual:?}"
    );
    for (plan, log2_failure) in [(usual, -64.0), (rare, -128.0)] {
        assert_eq!(plan.prediction().log2_failure, log2_failure);
        assert!(plan.prediction().margin >= reserve(&plan));
    }
}

#[test]
fn squares_of_squares_have_more_in_reserve() {
    let planner = planner()
        .with_form(ProductForm::Bfv)
        .with_input_key(InputKey::Secret);
    let plan = |circuit| planner.clone().plan(&circuit).unwrap();
    let (different, same) = (plan(tower(12)), plan(squares(12)));
    // 30.7 bits of power for any operands and 24.1 for different ones, one output instead of four.
    let more = reserve(&same) - reserve(&different);
    assert!((1.5..5.0).contains(&more), "{more}");
    // What results must bear later may be squares too.
    let further = planner.clone().with_further_levels(2).plan(&tower(10)).unwrap();
    assert!(reserve(&further) > reserve(&plan(tower(10))) + 1.0);
}

#[test]
fn encryption_under_the_public_key_counts_as_a_level() {
    let parameters = Parameters::preset("fv128-n16384").unwrap();
    let plan = |inputs| {
        let planner = planner().with_form(ProductForm::Bfv).with_input_key(inputs);
        planner.plan_with(&tower(12), &parameters).unwrap()
    };
    let (public, secret) = (plan(InputKey::Public), plan(InputKey::Secret));
    let more = reserve(&public) - reserve(&secret);
    assert!((0.2..0.8).contains(&more), "{more}");
}
