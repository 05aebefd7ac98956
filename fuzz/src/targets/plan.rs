//! From circuit files to plans: the first byte chooses form, tolerance and parameters, the rest is the file. What is
//! planned keeps what plans promise, and what does not fit lacks a finite number of bits.

use std::sync::LazyLock;

use ringmill_engine::{InputKey, InputPacking, PlanError, Planner, ProductForm, Recipe};
use ringmill_fv::{Parameters, SecurityLevel};

use super::circuits::{WORDS, read, texts};
use crate::{Reader, Target, Verdict, refused};

/// Wires of a circuit: planning one of this size takes some milliseconds.
const MOST_WIRES: usize = 2000;

/// Few limbs, so that a few products in a row are too many.
static PARAMETERS: LazyLock<[Parameters; 2]> =
    LazyLock::new(|| ["fv128-n4096", "fv128-n8192"].map(|name| Parameters::preset(name).expect("a preset")));

const TOLERANCES: [f64; 5] = [0.0, 0.1, 2.0, 64.0, f64::NAN];

pub static TARGET: Target = Target {
    name: "plan",
    readers: &[Reader {
        name: "circuit",
        read: plan,
        seeds: || {
            let with = |(choice, text): (u8, Vec<u8>)| [vec![choice], text].concat();
            [4, 16, 1].into_iter().zip(texts()).map(with).collect()
        },
    }],
    words: WORDS,
    longest: 1 << 14,
    memory: 512 << 20,
};

fn plan(input: &[u8]) -> Verdict {
    let (choice, file) = input.split_first().ok_or("nothing")?;
    let circuit = read(file).map_err(refused)?;
    if circuit.gates().len() > MOST_WIRES {
        return Err("too many wires".to_owned());
    }
    let choice = usize::from(*choice);
    let recipe = Recipe {
        circuit: circuit.digest(),
        variant: None,
        aggregates: None,
        form: ProductForm::ALL[choice % 2],
        tolerance: TOLERANCES[choice / 2 % TOLERANCES.len()],
        input_key: InputKey::Public,
        log2_failure: -64.0,
        flooding: false,
        packing: InputPacking::Separate,
        former: None,
        further: 0,
        shared: false,
    };
    // A recipe, because with it nothing is refused by its depth alone, and no larger ring is looked for.
    let planner = Planner::new(SecurityLevel::Bits128).with_threads(1);
    let planned = planner.plan_exactly(&circuit, &PARAMETERS[choice / 16 % 2], &recipe);
    match &planned {
        Ok(plan) => {
            let prediction = plan.prediction();
            assert!(prediction.margin >= prediction.reserve && prediction.reserve >= 0.0);
            assert!(prediction.reserve.is_finite() && prediction.log2_failure <= -64.0);
            assert!(prediction.work.is_finite());
            for wave in plan.schedule().waves() {
                assert!(wave.steps.iter().all(|step| plan.noise(*step).is_finite()));
            }
        }
        Err(PlanError::DoesNotFit(shortfall)) => {
            assert!(
                shortfall.missing.is_finite() && shortfall.missing > 0.0,
                "{shortfall}"
            );
            assert!(
                shortfall.depth == 0 || shortfall.fitting < shortfall.depth,
                "{shortfall}"
            );
        }
        Err(PlanError::BadDemand { .. }) => assert!(recipe.tolerance.is_nan()),
        Err(error) => panic!("{error}"),
    }
    planned.map(drop).map_err(refused)
}
