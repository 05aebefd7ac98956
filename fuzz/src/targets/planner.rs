//! Schedules of the planner, carried out over a scheme that encrypts nothing but refuses operands of two levels: outputs
//! are those of the circuit evaluated in the clear. The same for the optimiser's variants of the circuit.
//!
//! The first byte chooses form, tolerance and key, or a chain of levels; the rest is a circuit.

use std::sync::LazyLock;

use ringmill_circuit::optimise::front;
use ringmill_circuit::{Circuit, PortValues, Visibility};
use ringmill_engine::{
    DepthPlanner, InputKey, InputPacking, InputValues, LevelChain, Plan, PlanError, Planner, ProductForm,
    Recipe, Schedule, Side, VariantChoice, decrypt_outputs, encrypt_inputs, execute,
};
use ringmill_fv::{
    KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution,
    SecurityLevel,
};

use super::circuits::{grown, grown_seeds, values};
use super::sets::seed;
use crate::{Reader, Target, Verdict, refused};

mod clear;

use clear::Clear;

pub static TARGET: Target = Target {
    name: "planner",
    readers: &[
        Reader {
            name: "circuit",
            read: |input| {
                let (choice, circuit) = circuit(input)?;
                let plan = plan(&circuit, choice, None, &circuit)?;
                agrees(plan.schedule(), &circuit);
                Ok(())
            },
            seeds,
        },
        Reader {
            name: "variants",
            read: variants,
            seeds,
        },
        Reader {
            name: "by-depth",
            read: by_depth,
            seeds,
        },
    ],
    words: &[],
    longest: 200,
    memory: 4 << 20,
};

/// By form: a small ring with room for a few products in a row.
static PARAMETERS: LazyLock<[Parameters; 2]> = LazyLock::new(|| {
    [None, Some(PrimeChoice { count: 2, bits: 30.0 })].map(|small| {
        let set = Parameters::new(&ParametersSpec {
            name: "fuzz-planner".to_owned(),
            ring: RingKind::Fermat,
            n: 2048,
            t: 2,
            prime_rule: PrimeRule::default(),
            limbs: PrimeChoice { count: 4, bits: 45.0 },
            small,
            special: Some(PrimeChoice { count: 2, bits: 46.0 }),
            key_switching: KeySwitching::Hybrid { digit_limbs: 2 },
            auxiliary_bits: None,
            sigma: 3.2,
            secret: SecretDistribution::Ternary,
            secret_bound: None,
            allow_insecure: true,
        });
        set.expect("a set")
    })
});

const PACKINGS: [InputPacking; 4] = [
    InputPacking::Separate,
    InputPacking::Slots,
    InputPacking::Broadcast,
    InputPacking::Separate,
];

const TOLERANCES: [f64; 4] = [0.0, 0.1, 1.0, 64.0];

/// The choice and the circuit of an input.
fn circuit(input: &[u8]) -> Result<(usize, Circuit), String> {
    let (choice, rest) = input.split_first().ok_or("nothing")?;
    Ok((usize::from(*choice), grown(rest).map_err(refused)?))
}

/// The plan of a circuit, which may be a variant of the one given.
fn plan(
    circuit: &Circuit,
    choice: usize,
    variant: Option<VariantChoice>,
    given: &Circuit,
) -> Result<Plan, String> {
    let recipe = Recipe {
        circuit: given.digest(),
        variant,
        aggregates: None,
        form: ProductForm::ALL[choice % 2],
        tolerance: TOLERANCES[choice / 2 % TOLERANCES.len()],
        input_key: [InputKey::Public, InputKey::Secret][choice / 8 % 2],
        log2_failure: -64.0,
        flooding: false,
        packing: PACKINGS[choice / 64 % PACKINGS.len()],
        former: None,
        further: 0,
        shared: false,
    };
    let planner = Planner::new(SecurityLevel::Bits128).with_threads(1 + choice / 16 % 4);
    match planner.plan_exactly(circuit, &PARAMETERS[choice % 2], &recipe) {
        Ok(plan) => {
            assert_eq!(*plan.recipe(), recipe);
            Ok(plan)
        }
        Err(error @ PlanError::DoesNotFit(_)) => Err(refused(error)),
        Err(error) => panic!("{error}"),
    }
}

/// All variants compute what the circuit does; the plan of the last, which is the shallowest, too.
fn variants(input: &[u8]) -> Verdict {
    let (choice, circuit) = circuit(input)?;
    let inputs = values(&circuit, 2);
    let expected = circuit.evaluate(&inputs).expect("inputs that fit");
    let variants = front(&circuit, &mut |_| ()).expect("few gates");
    for variant in &variants {
        assert_eq!(
            variant.circuit.evaluate(&inputs).expect("the same ports"),
            expected
        );
    }
    let last = variants.last().ok_or("no variants")?;
    let chosen = VariantChoice::of(last);
    let plan = plan(&last.circuit, choice, Some(chosen), &circuit)?;
    let again = plan
        .recipe()
        .evaluated(&circuit, &mut |_| ())
        .expect("the variant");
    assert_eq!(again.digest(), chosen.digest);
    agrees(plan.schedule(), &circuit);
    Ok(())
}

/// Schedules for a scheme with a chain of levels, whose steps and length the first byte chooses.
fn by_depth(input: &[u8]) -> Verdict {
    let (choice, circuit) = circuit(input)?;
    let (step, places) = (choice % 3, 1 + choice / 3 % 16);
    let chain = LevelChain {
        name: "fuzz".to_owned(),
        records: 128,
        sides: [Side::ALIKE, Side::DIFFERENT][usize::from(places % 2 == 0)],
        levels: (0..places).rev().map(|place| 1 + step * place).collect(),
    };
    let planner = DepthPlanner::new(chain).with_products_at_a_time(1 + choice / 48);
    match planner.plan(&circuit) {
        Ok(schedule) => {
            agrees(&schedule, &circuit);
            Ok(())
        }
        Err(error @ PlanError::TooDeep { .. }) => Err(refused(error)),
        Err(error) => panic!("{error}"),
    }
}

/// A schedule's outputs are those of a circuit.
fn agrees(schedule: &Schedule, circuit: &Circuit) {
    let scheme = Clear::of(schedule);
    let values = values(circuit, schedule.records().div_ceil(64));
    let expected = circuit.evaluate(&values).expect("inputs that fit");
    let (private, public) = sides(circuit, values);
    let encrypted = encrypt_inputs(schedule, &scheme, &private, &seed(4), |bits, level, _| {
        Ok(scheme.fresh(bits, level))
    });
    let done = execute(schedule, &scheme, encrypted.expect("inputs"), &public, &()).expect("an execution");
    let decrypted = decrypt_outputs(schedule, &scheme, &done.outputs, |bits| Ok(bits.words.clone()));
    assert_eq!(decrypted.expect("outputs"), expected);
}

fn sides(circuit: &Circuit, values: Vec<PortValues>) -> (InputValues, InputValues) {
    let ports = circuit
        .inputs()
        .iter()
        .map(|port| (port.visibility, port.name.clone()));
    let (mut private, mut public) = (InputValues::new(), InputValues::new());
    for ((visibility, name), values) in ports.zip(values) {
        match visibility {
            Visibility::Private => private.insert(name, values),
            Visibility::Public => public.insert(name, values),
        };
    }
    (private, public)
}

fn seeds() -> Vec<Vec<u8>> {
    let choices = [14, 15, 12, 9];
    let with = |(choice, circuit): (u8, Vec<u8>)| [vec![choice], circuit].concat();
    choices.into_iter().zip(grown_seeds()).map(with).collect()
}
