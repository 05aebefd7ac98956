//! From circuit files to plans: the first byte chooses form and tolerance, the rest is the file. Whatever is planned
//! keeps what plans promise, and whatever does not fit lacks a finite number of bits.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ringmill_circuit::bristol::{self, Ports};
use ringmill_engine::{ProductForm, InputKey, PlanError, Planner, Recipe};
use ringmill_fv::{Parameters, SecurityLevel};

/// Bytes of a file, and wires of a circuit: planning one of this size takes some milliseconds.
const MOST_BYTES: usize = 1 << 14;
const MOST_WIRES: usize = 2000;

/// By form; few limbs, so that a few products in a row are too many.
static PARAMETERS: LazyLock<[Parameters; 2]> =
    LazyLock::new(|| ["fv128-n4096", "fv128-n8192"].map(|name| Parameters::preset(name).expect("a preset")));

const TOLERANCES: [f64; 5] = [0.0, 0.1, 2.0, 64.0, f64::NAN];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, file)) = data.split_first() else { return };
    if file.len() > MOST_BYTES {
        return;
    }
    let Ok(circuit) = bristol::read(file, &Ports::default()) else { return };
    if circuit.gates().len() > MOST_WIRES {
        return;
    }
    let choice = usize::from(choice);
    let recipe = Recipe {
        circuit: circuit.digest(),
        variant: None,
        form: ProductForm::ALL[choice % 2],
        tolerance: TOLERANCES[choice / 2 % TOLERANCES.len()],
        input_key: InputKey::Public,
        log2_failure: -64.0,
    };
    // A recipe, because with it nothing is refused by its depth alone, and no larger ring is looked for.
    let planner = Planner::new(SecurityLevel::Bits128).with_threads(1);
    match planner.plan_exactly(&circuit, &PARAMETERS[choice / 16 % 2], &recipe) {
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
            assert!(shortfall.missing.is_finite() && shortfall.missing > 0.0, "{shortfall}");
            assert!(shortfall.depth == 0 || shortfall.fitting < shortfall.depth, "{shortfall}");
        }
        Err(PlanError::BadDemand { .. }) => assert!(recipe.tolerance.is_nan()),
        Err(error) => panic!("{error}"),
    }
});
