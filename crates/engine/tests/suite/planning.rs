//! Plans, without executing them.

use std::collections::BTreeSet;

use ringmill_circuit::{Builder, Visibility, aes, bundled, simon};
use ringmill_engine::{
    InputKey, Loading, Obstacle, Operation, OutputSource, Plan, PlanError, Planner, ProductForm, Side,
    ValueId,
};
use ringmill_fv::{
    KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution,
    SecurityLevel,
};

use crate::common::circuits::{Dice, Wires, random_circuit, tower};
use crate::common::insecure;

fn planner() -> Planner {
    Planner::new(SecurityLevel::Bits128).with_threads(2)
}

/// Whether something is there, for each value.
struct Present(Vec<bool>);

impl Present {
    fn come(&mut self, value: ValueId) {
        let before = std::mem::replace(&mut self.0[value.index()], true);
        assert!(!before, "{value:?} is there already");
    }

    fn go(&mut self, value: ValueId) {
        let before = std::mem::replace(&mut self.0[value.index()], false);
        assert!(before, "{value:?} is not there");
    }

    fn has(&self, value: ValueId) -> bool {
        self.0[value.index()]
    }

    fn count(&self) -> usize {
        self.0.iter().filter(|present| **present).count()
    }
}

/// What every plan must keep to, whatever the circuit.
fn check(plan: &Plan) {
    check_prediction(plan);
    let steps = plan.schedule().steps();
    let none = || Present(vec![false; steps.len()]);
    let (mut made, mut factors, mut rotated) = (none(), BTreeSet::new(), none());
    let mut exponents = vec![BTreeSet::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        made.0[index] = matches!(step.operation, Operation::Input { .. });
    }
    let mut most = made.count();
    for wave in plan.schedule().waves() {
        for (value, side) in &wave.factors {
            assert!(made.has(*value));
            assert!(factors.insert((*value, *side)), "{value:?} is a factor already");
        }
        for (value, by) in &wave.rotations {
            assert!(made.has(*value));
            rotated.come(*value);
            exponents[value.index()] = by.iter().copied().collect();
        }
        for value in &wave.steps {
            let step = &steps[value.index()];
            for operand in step.operation.operands() {
                assert!(made.has(operand), "operand {operand:?} of {value:?} is not there");
                let level = steps[operand.index()].level;
                assert_eq!(level, step.at);
            }
            check_step(plan, *value, &factors, &rotated, &exponents);
        }
        wave.steps.iter().for_each(|value| made.come(*value));
        most = most.max(made.count());
        wave.spent_factors
            .iter()
            .for_each(|factor| assert!(factors.remove(factor)));
        wave.spent_rotations.iter().for_each(|value| rotated.go(*value));
        wave.spent.iter().for_each(|value| made.go(*value));
    }
    assert_eq!((factors.len(), rotated.count()), (0, 0));
    assert_eq!(plan.prediction().memory.ciphertexts, most);
    // Exactly the outputs are left.
    let mut left = BTreeSet::new();
    for source in plan.schedule().outputs().iter().flat_map(|port| &port.sources) {
        if let OutputSource::Encrypted(value) = source {
            assert!(made.has(*value));
            assert_eq!(steps[value.index()].level, plan.prediction().output_level);
            left.insert(*value);
        }
    }
    assert_eq!(left.len(), made.count());
}

/// One step when its time has come.
fn check_step(
    plan: &Plan,
    value: ValueId,
    factors: &BTreeSet<(ValueId, Side)>,
    rotated: &Present,
    exponents: &[BTreeSet<u64>],
) {
    let step = &plan.schedule().steps()[value.index()];
    match &step.operation {
        Operation::Product { pairs, .. } => {
            assert!(step.level <= step.at);
            let [first, second] = plan.schedule().sides();
            let ready = |(a, b): &(_, _)| factors.contains(&(*a, first)) && factors.contains(&(*b, second));
            assert!(pairs.iter().all(ready));
        }
        Operation::Map { images, .. } => {
            assert!(step.level <= step.at);
            for (operand, map) in images {
                assert!(rotated.has(*operand));
                for term in plan.maps().terms(map.index()) {
                    assert!(exponents[operand.index()].contains(&term.exponent));
                    assert!(term.exponent == 1 || plan.galois_exponents().contains(&term.exponent));
                }
            }
        }
        Operation::Switch { .. } => assert!(step.level < step.at),
        Operation::Linear { .. } | Operation::PlainProduct { .. } => assert_eq!(step.level, step.at),
        Operation::Input { .. } => panic!("inputs are there from the beginning"),
    }
}

fn check_prediction(plan: &Plan) {
    let (prediction, parameters) = (plan.prediction(), plan.parameters());
    assert!(prediction.margin >= prediction.reserve && prediction.reserve >= 0.0);
    assert!(prediction.log2_failure <= -64.0);
    let memory = prediction.memory;
    let parts = memory.values + memory.workspace + memory.fixed;
    assert_eq!(memory.peak, parts);
    assert!(prediction.work >= 0.0 && prediction.seconds() <= prediction.work);
    let names: Vec<&str> = plan
        .rejected()
        .iter()
        .map(|rejection| rejection.name.as_str())
        .collect();
    assert!(!names.contains(&parameters.name()));
}

/// q P within the table's budget for the security level.
fn check_security(plan: &Plan, level: SecurityLevel) {
    let parameters = plan.parameters();
    let total = parameters.log2_q(parameters.levels()) + parameters.log2_p();
    assert!(total <= level.budget(parameters.n()).unwrap(), "{total}");
    assert!(parameters.security().bits >= level.bits() && parameters.security().warning.is_none());
}

#[test]
fn random_circuits_get_plans_that_hold_together() {
    for wires in [Wires::Bits, Wires::Bytes, Wires::Rows(4), Wires::Rows(16)] {
        for index in 0..12 {
            let circuit = random_circuit(&mut Dice::new(index), wires, 10 + 8 * usize::from(index), 8);
            for form in ProductForm::ALL {
                let plan = planner()
                    .with_form(form)
                    .plan_with(&circuit, &insecure(2048, form, 12));
                check(&plan.unwrap());
            }
        }
    }
}

#[test]
fn small_circuits_get_small_parameters() {
    for form in ProductForm::ALL {
        let mut dimensions = Vec::new();
        for depth in [0, 1, 3, 8] {
            let plan = planner().with_form(form).plan(&tower(depth)).unwrap();
            check(&plan);
            check_security(&plan, SecurityLevel::Bits128);
            assert_eq!(plan.form(), form);
            assert!(plan.explain().contains("depth   1") || depth == 0);
            dimensions.push(plan.parameters().n());
        }
        println!("{form}: {dimensions:?}");
        assert!(dimensions.is_sorted());
        // About 20 bits for a product, of the 150 or so that q has at n = 8192.
        let least = match form {
            ProductForm::Bfv => [4096, 4096, 8192, 8192],
            ProductForm::Bgv => [8192, 8192, 8192, 16384],
        };
        assert_eq!(dimensions, least);
    }
    let wide = planner().with_records(2048).plan(&tower(1)).unwrap();
    assert_eq!(wide.records(), 2048);
    let reasons = wide.rejected().iter().map(|rejection| &rejection.reason);
    assert!(reasons.clone().any(|reason| reason.contains("2048 are wanted")));
}

/// For a table the ring counts that takes the least time for all batches.
#[test]
fn tables_may_take_larger_rings() {
    let circuit = tower(5);
    let small = planner().plan(&circuit).unwrap();
    let total =
        |plan: &Plan, table: usize| plan.prediction().seconds() * table.div_ceil(plan.records()) as f64;
    for table in [1, small.records(), small.records() + 1, 1_000_000] {
        let plan = planner().with_table(table).plan(&circuit).unwrap();
        check(&plan);
        assert!(total(&plan, table) <= total(&small, table), "{table}");
        let larger = plan.parameters().n() > small.parameters().n();
        assert!(table > small.records() || !larger);
        let compared = plan
            .rejected()
            .iter()
            .any(|other| other.reason.contains("batches where the choice"));
        assert_eq!(compared, table > small.records());
    }
    // What the next larger ring takes, by itself.
    let next = planner()
        .with_records(small.records() + 1)
        .plan(&circuit)
        .unwrap();
    let plan = planner().with_table(1_000_000).plan(&circuit).unwrap();
    assert!(total(&plan, 1_000_000) <= total(&next, 1_000_000));
}

#[test]
fn higher_levels_of_security_are_kept() {
    for level in [SecurityLevel::Bits192, SecurityLevel::Bits256] {
        for form in ProductForm::ALL {
            let plan = Planner::new(level).with_form(form).plan(&tower(3)).unwrap();
            check(&plan);
            check_security(&plan, level);
        }
    }
}

#[test]
fn the_planner_takes_the_faster_form() {
    let circuit = tower(4);
    let best = planner().plan(&circuit).unwrap();
    for form in ProductForm::ALL {
        let plan = planner().with_form(form).plan(&circuit).unwrap();
        let n = plan.parameters().n();
        assert!(n > best.parameters().n() || plan.prediction().work >= best.prediction().work);
    }
    let taken = |rejection: &&ringmill_engine::Rejection| rejection.reason.starts_with("fits, but");
    assert!(best.rejected().iter().any(|rejection| taken(&rejection)));
}

#[test]
fn plans_are_deterministic() {
    let circuit = random_circuit(&mut Dice::new(5), Wires::Bytes, 60, 4);
    // On one thread and on several, for as many steps at a time.
    let plans = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let planner = planner().with_threads(2);
        pool.unwrap().install(|| planner.plan(&circuit).unwrap())
    });
    let [first, second] = plans.map(|plan| {
        (
            plan.explain(),
            format!("{:?}", plan.schedule().steps()),
            plan.schedule().waves().to_vec(),
        )
    });
    // Not printed: megabytes.
    assert!(first == second);
}

#[test]
fn no_prime_of_q_is_spare() {
    for depth in [3, 8] {
        let plan = planner().with_form(ProductForm::Bfv).plan(&tower(depth)).unwrap();
        let limbs = plan.parameters().levels();
        let fewer = format!("-n{}-q{}-p1", plan.parameters().n(), limbs - 1);
        let refused = plan
            .rejected()
            .iter()
            .find(|rejection| rejection.name.ends_with(&fewer));
        assert!(
            refused.is_some_and(|rejection| rejection.reason.starts_with("noise too large")),
            "{limbs}: {:?}",
            plan.rejected()
        );
    }
}

#[test]
fn what_does_not_fit_says_by_how_much() {
    let parameters = Parameters::preset("fv128-n8192").unwrap();
    let planner = planner().with_form(ProductForm::Bfv);
    let Err(PlanError::DoesNotFit(shortfall)) = planner.plan_with(&tower(15), &parameters) else {
        panic!("it fits");
    };
    assert!(
        (30.0..300.0).contains(&shortfall.missing) && (3..=11).contains(&shortfall.fitting),
        "{shortfall:?}"
    );
    assert_eq!((shortfall.depth, shortfall.needed), (15, Some(16384)));
    assert!(shortfall.to_string().contains("n = 16384 would do"));
    let few = planner.with_records(4096).plan_with(&tower(1), &parameters);
    assert!(matches!(
        few,
        Err(PlanError::TooFewRecords {
            records: 512,
            wanted: 4096,
            ..
        })
    ));
}

#[test]
fn what_fits_nowhere_says_why_everywhere() {
    let Err(PlanError::NothingFits(misfit)) = planner().plan(&tower(230)) else {
        panic!("it fits");
    };
    let rings: Vec<usize> = misfit.rings.iter().map(|ring| ring.n).collect();
    assert_eq!(rings, [4096, 8192, 16384, 32768, 65536, 131_072]);
    for ring in &misfit.rings {
        assert!(
            matches!(ring.obstacle, Obstacle::Noise { fitting, missing } if fitting < 230 && missing > 0.0),
            "{ring:?}"
        );
    }
    let text = misfit.to_string();
    assert!(
        text.contains("230 products in a row") && text.contains("optimise"),
        "{text}"
    );
    // No advice to do what was done.
    let text = PlanError::NothingFits(misfit).after_optimising().to_string();
    assert!(
        text.contains("230 products in a row") && !text.contains("optimise it") && text.contains("cut it"),
        "{text}"
    );
    // Fewer products in a row, but more records than any ring has room for.
    let wide = planner()
        .with_records(1 << 20)
        .plan(&tower(1))
        .unwrap_err()
        .to_string();
    assert!(
        wide.contains("1048576 are wanted") && wide.contains("Smaller batches"),
        "{wide}"
    );
    // A level of security for which the smallest rings are too small.
    let strict = Planner::new(SecurityLevel::Bits256)
        .plan(&tower(230))
        .unwrap_err();
    assert!(strict.to_string().contains("256 bits of security"), "{strict}");
}

/// The most of any wave is the peak that was predicted when the plan was made.
#[test]
fn memory_by_wave_peaks_where_it_should() {
    for loading in [Loading::AtOnce, Loading::WhenUsed] {
        let plan = planner().with_loading(loading).plan(&tower(5)).unwrap();
        let bytes = plan.memory_by_wave(loading).unwrap();
        assert_eq!(bytes.len(), plan.schedule().waves().len());
        assert_eq!(bytes.iter().max(), Some(&plan.prediction().memory.peak));
        assert!(bytes.iter().all(|bytes| *bytes > plan.prediction().memory.fixed));
    }
}

#[test]
fn memory_limits_are_kept() {
    let circuit = tower(4);
    let free = planner().plan(&circuit).unwrap();
    let peak = free.prediction().memory.peak;
    let limit = peak - free.prediction().memory.workspace / 4;
    let tighter = planner().with_memory_limit(limit).plan(&circuit).unwrap();
    check(&tighter);
    assert!(tighter.prediction().memory.peak <= limit);
    let tight = planner().with_memory_limit(1 << 20).plan(&circuit);
    assert!(matches!(tight, Err(PlanError::TooMuchMemory { limit: 1, needed, aside: false }) if needed > 1));
}

#[test]
fn other_circuits_and_parameters_are_refused() {
    let mut builder = Builder::new();
    let row = builder.input_rows("row", Visibility::Private, 1, 16);
    let bit = builder.input("bit", Visibility::Private, 1);
    builder.output_rows("row", &row);
    builder.output("bit", &bit);
    let mixed = planner().plan(&builder.finish().unwrap());
    assert!(matches!(mixed, Err(PlanError::MixedRows { sizes: (1, 16) })));

    let mut builder = Builder::new();
    let row = builder.input_rows("row", Visibility::Private, 1, 3);
    builder.output_rows("row", &row);
    let odd = planner()
        .plan(&builder.finish().unwrap())
        .unwrap_err()
        .to_string();
    assert!(odd.contains("row"), "{odd}");

    for name in ["n4096-t65537", "n1024-q26"] {
        let other = Parameters::preset(name).unwrap();
        let refused = planner().plan_with(&tower(1), &other).unwrap_err();
        assert!(matches!(refused, PlanError::NoBitSlots { .. }), "{refused}");
        assert!(refused.to_string().contains(name));
    }
    let odd = Parameters::new(&ParametersSpec {
        name: "odd".to_string(),
        ring: RingKind::Fermat,
        n: 4096,
        t: 3,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 1, bits: 40.0 },
        small: None,
        special: Some(PrimeChoice { count: 1, bits: 41.0 }),
        key_switching: KeySwitching::Hybrid { digit_limbs: 1 },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: false,
    });
    let odd = planner().plan_with(&tower(1), &odd.unwrap());
    assert!(matches!(odd, Err(PlanError::NotBinary { t: 3, .. })));
}

#[test]
fn public_outputs_need_no_encryption() {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Public, 2);
    let word = builder.and_words(&a, &a.rotate_left(1)).unwrap();
    builder.output("x", &word);
    let plan = planner().plan(&builder.finish().unwrap()).unwrap();
    check(&plan);
    assert!(plan.schedule().steps().is_empty());
    assert_eq!(plan.schedule().inputs()[0].levels(), []);
}

#[test]
fn simon_fits_the_table_at_32768() {
    let circuit = simon::decrypt_circuit().unwrap();
    let in_form = |form| {
        let plan = planner()
            .with_input_key(InputKey::Secret)
            .with_form(form)
            .plan(&circuit)
            .unwrap();
        check(&plan);
        check_security(&plan, SecurityLevel::Bits128);
        assert_eq!(
            (plan.schedule().products(), plan.prediction().depth),
            (43 * 32, 43)
        );
        assert_eq!(plan.prediction().output_level, 1);
        plan
    };
    let plan = in_form(ProductForm::Bfv);
    assert_eq!((plan.parameters().n(), plan.records()), (32768, 2048));
    assert!(plan.prediction().memory.peak < 8 << 30);
    // The state, one round's intermediate values and the keys, not the whole history.
    assert!(plan.prediction().memory.ciphertexts < 500);
    // The BGV form takes three bits a level more, so that noise never escapes.
    assert_eq!(in_form(ProductForm::Bgv).parameters().n(), 131_072);
}

#[test]
fn aes_fits_the_table_at_32768() {
    let circuit = aes::encrypt_circuit(aes::KeySize::Bits128).unwrap();
    let row = aes::row_encrypt_circuit(aes::KeySize::Bits128).unwrap();
    for (circuit, records, products) in [(circuit, 2048, 16), (row, 128, 1)] {
        let plan = planner().with_input_key(InputKey::Secret).plan(&circuit).unwrap();
        check(&plan);
        check_security(&plan, SecurityLevel::Bits128);
        assert_eq!((plan.parameters().n(), plan.records()), (32768, records));
        // The first round's first products are of public bytes.
        assert_eq!(plan.prediction().depth, 30);
        assert!((36 * products..=40 * products).contains(&plan.schedule().products()));
    }
}

#[test]
#[ignore = "a minute or two: plans every bundled circuit; run with -- --ignored"]
fn bundled_circuits_get_plans() {
    for name in bundled::names() {
        let circuit = bundled::circuit(name).unwrap().unwrap();
        let plan = planner().with_input_key(InputKey::Secret).plan(&circuit);
        let plan = plan.unwrap_or_else(|error| panic!("{name}: {error}"));
        check(&plan);
        check_security(&plan, SecurityLevel::Bits128);
    }
}
