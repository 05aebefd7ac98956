//! Plans followed for single secrets: which keys they admit.

use ringmill_circuit::{Builder, Circuit, Visibility, Word};
use ringmill_cpu::CpuDevice;
use ringmill_engine::{InputPacking, Plan, Planner, ProductForm};
use ringmill_fv::{FvError, NoiseModel, Parameters, SecretKey, SecurityLevel};

use crate::common::circuits::Dice;
use crate::common::{Party, insecure, insecure_of, seed};

/// Products of x, moved by y -> y^(2^power) before each, and of an input.
fn chain(depth: usize, power: u8) -> Circuit {
    let mut builder = Builder::new();
    let [mut x, y] = builder.input_rows("a", Visibility::Private, 2, 1)[..] else {
        panic!("two rows");
    };
    for _ in 0..depth {
        let moved = builder.frobenius(x, power).unwrap();
        x = builder.and(moved, y);
    }
    builder.output_rows("y", &[x]);
    builder.finish().unwrap()
}

/// The plan with the fewest limbs that bear a circuit.
fn tightest(circuit: &Circuit, form: ProductForm) -> Plan {
    let planner = Planner::new(SecurityLevel::Bits128).with_form(form);
    let plans = (2..16).filter_map(|limbs| planner.plan_with(circuit, &insecure(2048, form, limbs)).ok());
    plans.into_iter().next().unwrap()
}

/// A plan with an automorphism of low order before each of many products, and the least margin: of a recipe, so that no
/// sample of secrets made it roomier.
fn narrow() -> Plan {
    let planner = Planner::new(SecurityLevel::Bits128).with_form(ProductForm::Bfv);
    let choices = [10, 12, 14].into_iter();
    let choices = choices.flat_map(|depth| (40..48).map(move |bits| (depth, f64::from(bits))));
    let plans = choices.filter_map(|(depth, bits)| {
        let circuit = chain(depth, 4);
        let recipe = *planner.plan(&circuit).unwrap().recipe();
        let mut parameters = (2..16).map(|limbs| insecure_of(2048, ProductForm::Bfv, limbs, bits));
        parameters.find_map(|parameters| planner.plan_exactly(&circuit, &parameters, &recipe).ok())
    });
    let planned = |plan: &Plan| plan.prediction().margin - plan.prediction().reserve;
    plans.min_by(|a, b| planned(a).total_cmp(&planned(b))).unwrap()
}

/// What [`ringmill_fv::Context::secret_powers`] returns of some secrets.
fn secrets(parameters: &Parameters, count: u8) -> Vec<Vec<f64>> {
    let model = NoiseModel::new(parameters);
    let secrets = (100..100 + count).map(|index| {
        let seed = seed(index);
        let secret = parameters.candidates(&model, &seed).next().unwrap().unwrap();
        secret.powers().to_vec()
    });
    secrets.collect()
}

/// Three layers of products of neighbours and sums, over so many inputs.
fn layers(width: usize) -> Circuit {
    let mut dice = Dice::new(3);
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, width);
    let mut layer = word.wires().to_vec();
    for _ in 0..3 {
        let next = (0..width).map(|index| {
            let product = builder.and(layer[index], layer[(index + 1) % width]);
            builder.xor(product, layer[dice.below(width)])
        });
        layer = next.collect();
    }
    builder.output("y", &Word::new(layer));
    builder.finish().unwrap()
}

/// Bits that secrets have to spare beyond what was planned.
fn beyond_planned(plan: &Plan) -> Vec<f64> {
    let planned = plan.prediction().margin - plan.prediction().reserve;
    let secrets = secrets(plan.parameters(), 6);
    let spare = secrets
        .iter()
        .map(|secret| plan.admission().spare_bits(secret).unwrap());
    spare.map(|spare| spare - planned).collect()
}

/// Where nothing moves noise the planner's margin holds for every secret that the bins cover, and is near it.
#[test]
fn bits_need_no_admission() {
    for form in ProductForm::ALL {
        let plan = tightest(&layers(6), form);
        let beyond = beyond_planned(&plan);
        assert!(
            beyond.iter().all(|beyond| (-1e-9..1.5).contains(beyond)),
            "{form}: {beyond:?}"
        );
        assert!(plan.admission().spare_bits(&[1.0]).is_err());
    }
}

/// What else plans can have is followed too: packed inputs, flooding, results that others go on with, and inputs that are
/// such results.
#[test]
fn every_kind_of_plan_is_followed() {
    let (circuit, parameters) = (layers(6), insecure(2048, ProductForm::Bfv, 10));
    let planner = Planner::new(SecurityLevel::Bits128).with_form(ProductForm::Bfv);
    let first = planner.clone().with_further_levels(4);
    let first = first.plan_with(&circuit, &parameters).unwrap();
    let former = first.results([0; 32]).unwrap();
    let planners = [
        planner.clone().with_packing(InputPacking::Slots),
        planner.clone().with_packing(InputPacking::Broadcast),
        planner.clone().with_flooding(true),
        planner.with_former(former),
    ];
    let mut plans = planners
        .clone()
        .map(|planner| planner.plan_with(&circuit, &parameters).unwrap())
        .to_vec();
    // So many inputs are taken apart by two steps together.
    let wide = layers(120);
    let packed = planners[..2].iter();
    plans.extend(packed.map(|planner| planner.plan_with(&wide, &parameters).unwrap()));
    for plan in plans {
        let beyond = beyond_planned(&plan);
        let near = beyond.iter().all(|beyond| (-1.0..3.0).contains(beyond));
        assert!(near, "{:?}: {beyond:?}", plan.recipe());
    }
    // The chain of further products, not the outputs, decides here.
    let beyond = beyond_planned(&first);
    assert!(beyond.iter().all(|beyond| *beyond < -1.0), "{beyond:?}");
    for secret in secrets(&parameters, 6) {
        assert!(first.admission().spare_bits(&secret).unwrap() >= 0.0);
    }
}

/// Ordinary secrets are admitted. One whose heaviest roots the automorphism exchanges with one another has the more noise,
/// the deeper the circuit, and is refused.
#[test]
fn heavy_roots_that_meet_are_refused() {
    let plan = narrow();
    let (parameters, admission) = (plan.parameters(), plan.admission());
    let [exponent] = plan.galois_exponents().into_iter().collect::<Vec<_>>()[..] else {
        panic!("one automorphism");
    };
    let ring = parameters.ring();
    let place = |exponent: u64| {
        (0..ring.n())
            .find(|i| ring.value_exponent(*i) == exponent)
            .unwrap()
    };
    let secrets = secrets(parameters, 8);
    let admitted = secrets
        .iter()
        .filter(|secret| admission.spare_bits(secret).unwrap() >= 0.0);
    assert!(admitted.count() > 0);
    for secret in secrets {
        // The largest powers change places with those of the orbit of the root 1.
        let mut unlucky = secret.clone();
        let mut root = 1;
        for _ in 0..4 {
            let largest = unlucky.iter().copied().enumerate();
            let orbit: Vec<usize> = std::iter::successors(Some(1), |e| Some(e * exponent % ring.conductor()))
                .take(4)
                .flat_map(|e| [place(e), place(ring.conductor() - e)])
                .collect();
            let largest = largest.filter(|(i, _)| !orbit.contains(i));
            let (from, _) = largest.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            let conjugate = place(ring.conductor() - ring.value_exponent(from));
            for (from, to) in [(from, place(root)), (conjugate, place(ring.conductor() - root))] {
                unlucky.swap(from, to);
            }
            root = root * exponent % ring.conductor();
        }
        let spare = admission.spare_bits(&unlucky).unwrap();
        assert!(spare < 0.0, "{spare}");
    }
}

/// Of a seed's secrets the first is the key that a plan admits: the first of all, or if that is refused, one after it.
#[test]
fn keys_are_admitted_or_passed_over() {
    let plan = narrow();
    let context = Party::new(plan.parameters()).context;
    let file = |key: &SecretKey<CpuDevice>| {
        let mut bytes = Vec::new();
        context.write_secret_key(&mut bytes, key).unwrap();
        bytes
    };
    let mut refused = 0;
    for index in 0..24 {
        let first = context.generate_secret_key(&seed(index)).unwrap();
        let key = plan.generate_secret_key(&context, &seed(index)).unwrap();
        plan.check_secret_key(&context, &key).unwrap();
        let admitted = match plan.check_secret_key(&context, &first) {
            Ok(()) => true,
            Err(FvError::KeyNotAdmitted) => false,
            Err(other) => panic!("{other}"),
        };
        assert_eq!(file(&key) == file(&first), admitted);
        refused += u32::from(!admitted);
    }
    assert!((1..24).contains(&refused), "{refused}");
    let none = context.generate_admitted_key(&seed(1), |_| Ok(false));
    assert!(matches!(none, Err(FvError::NoSecretAdmitted { refused: 20 })));
}
