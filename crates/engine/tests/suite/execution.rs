//! Plans carried out at small dimensions and compared with evaluation in the clear: random circuits with
//! insecure parameters asked for as such, others with what the planner chooses.

use std::collections::HashMap;

use ringmill_circuit::{Builder, Circuit, PortValues, Visibility, Word};
use ringmill_engine::{
    Calibration, InputKey, OperationKind, Plan, PlanError, Planner, ProductForm, SlotSharing,
};
use ringmill_fv::{Parameters, SecurityLevel};

use crate::common::circuits::{Dice, Wires, random_circuit};
use crate::common::{LIMB_BITS, Party, insecure_of, sides};

/// The parties of some parameters.
#[derive(Default)]
struct Parties(HashMap<String, Party>);

impl Parties {
    fn party(&mut self, parameters: &Parameters) -> &Party {
        let party = self.0.entry(parameters.name().to_string());
        party.or_insert_with(|| Party::new(parameters))
    }
}

/// A plan at n = 2048 with about the smallest q that does, so that noise is of products and maps rather than
/// of the last switch.
fn tight(planner: &Planner, form: ProductForm, circuit: &Circuit) -> Plan {
    const LIMBS: usize = 9;
    let planner = planner.clone().with_form(form);
    let plan = |limbs, bits| planner.plan_with(circuit, &insecure_of(2048, form, limbs, bits));
    let mut best = plan(LIMBS, LIMB_BITS).unwrap_or_else(|error| panic!("{form}: {error}"));
    let mut limbs = LIMBS;
    while let Some(Ok(smaller)) = (limbs > 1).then(|| plan(limbs - 1, LIMB_BITS)) {
        (best, limbs) = (smaller, limbs - 1);
    }
    // Below, the ring has no small primes for the BGV form.
    for bits in [42.0, 40.0, 38.0] {
        match plan(limbs, bits) {
            Ok(smaller) => best = smaller,
            Err(_) => break,
        }
    }
    best
}

/// Bits by which the predicted bounds of the noise of outputs exceed what was measured: least and most.
struct Slack(f64, f64);

/// Executes a plan on random records of a circuit and compares values, noise and counts.
fn compare(circuit: &Circuit, plan: &Plan, party: &Party, key: InputKey, dice: &mut Dice) -> Slack {
    let values = dice.inputs(circuit, plan.records());
    compare_values(circuit, plan, party, key, &values)
}

fn compare_values(
    circuit: &Circuit,
    plan: &Plan,
    party: &Party,
    key: InputKey,
    values: &[PortValues],
) -> Slack {
    let expected = circuit.evaluate(values).unwrap();
    let done = party.run(plan, key, &sides(circuit, values));
    assert!(
        party.decrypt(plan, &done) == expected,
        "wrong result of this plan:\n{}",
        plan.explain()
    );
    let statistics = &done.statistics;
    assert!(statistics.most_ciphertexts <= plan.prediction().memory.ciphertexts);
    let count = |name: &str| {
        let steps = plan.schedule().steps().iter();
        steps.filter(|step| step.operation.name() == name).count() as u64
    };
    assert_eq!(
        statistics.tally(OperationKind::Relinearize).count,
        count("product")
    );
    // Maps of the same operands are made together.
    assert!(statistics.tally(OperationKind::Map).count <= count("linear map"));
    let mut slack = Slack(f64::INFINITY, f64::NEG_INFINITY);
    for (predicted, measured) in party.noises(plan, &done) {
        assert!(predicted <= plan.prediction().log2_noise);
        assert!(
            measured <= predicted,
            "measured 2^{measured:.1}, predicted 2^{predicted:.1}:\n{}",
            plan.explain()
        );
        slack = Slack(
            slack.0.min(predicted - measured),
            slack.1.max(predicted - measured),
        );
    }
    slack
}

fn random_circuits_agree(form: ProductForm, wires: Wires, circuits: u8) {
    random_circuits_agree_with(&Planner::new(SecurityLevel::Bits128), form, wires, circuits);
}

fn random_circuits_agree_with(planner: &Planner, form: ProductForm, wires: Wires, circuits: u8) {
    let mut parties = Parties::default();
    for index in 0..circuits {
        let mut dice = Dice::new(index);
        let (gates, most) = (20 + 6 * usize::from(index), 4 + 2 * usize::from(index % 3));
        let circuit = random_circuit(&mut dice, wires, gates, most);
        let key = [InputKey::Public, InputKey::Secret][usize::from(index % 2)];
        let plan = tight(&planner.clone().with_input_key(key), form, &circuit);
        let party = parties.party(plan.parameters());
        let slack = compare(&circuit, &plan, party, key, &mut dice);
        println!(
            "{form}, {wires:?}, circuit {index}: depth {}, noise 2^{:.1} of 2^{:.1}, above the measured by {:.1} to {:.1} bits",
            plan.prediction().depth,
            plan.prediction().log2_noise,
            plan.prediction().log2_noise + plan.prediction().margin,
            slack.0,
            slack.1
        );
    }
}

fn random_circuits_share_slots(form: ProductForm) {
    let planner = Planner::new(SecurityLevel::Bits128).with_slot_sharing(SlotSharing::Always);
    random_circuits_agree_with(&planner, form, Wires::Bits, 5);
}

#[test]
fn random_circuits_of_records_that_share_slots_in_the_high_form() {
    random_circuits_share_slots(ProductForm::Bfv);
}

#[test]
fn random_circuits_of_records_that_share_slots_in_the_low_form() {
    random_circuits_share_slots(ProductForm::Bgv);
}

#[test]
fn random_circuits_of_bits_in_the_high_form() {
    random_circuits_agree(ProductForm::Bfv, Wires::Bits, 6);
}

#[test]
fn random_circuits_of_bits_in_the_low_form() {
    random_circuits_agree(ProductForm::Bgv, Wires::Bits, 6);
}

#[test]
fn random_circuits_of_bits_and_bytes_in_the_high_form() {
    random_circuits_agree(ProductForm::Bfv, Wires::Bytes, 6);
}

#[test]
fn random_circuits_of_bits_and_bytes_in_the_low_form() {
    random_circuits_agree(ProductForm::Bgv, Wires::Bytes, 6);
}

#[test]
fn random_circuits_of_rows_in_the_high_form() {
    for length in [4, 16] {
        random_circuits_agree(ProductForm::Bfv, Wires::Rows(length), 4);
    }
}

#[test]
fn random_circuits_of_rows_in_the_low_form() {
    for length in [4, 16] {
        random_circuits_agree(ProductForm::Bgv, Wires::Rows(length), 4);
    }
}

#[test]
fn the_thriftiest_order_computes_the_same() {
    for (form, wires) in [
        (ProductForm::Bfv, Wires::Bits),
        (ProductForm::Bgv, Wires::Bits),
        (ProductForm::Bgv, Wires::Bytes),
    ] {
        let mut dice = Dice::new(77);
        let circuit = random_circuit(&mut dice, wires, 120, 4);
        let parameters = insecure_of(2048, form, 9, LIMB_BITS);
        let planner = Planner::new(SecurityLevel::Bits128).with_form(form);
        let free = planner.plan_with(&circuit, &parameters).unwrap();
        let refused = planner
            .clone()
            .with_memory_limit(0)
            .plan_with(&circuit, &parameters);
        let Err(PlanError::TooMuchMemory {
            needed,
            limit: 0,
            aside: false,
        }) = refused
        else {
            panic!("a plan without memory");
        };
        let limit = needed << 20;
        let tight = planner
            .with_memory_limit(limit)
            .plan_with(&circuit, &parameters)
            .unwrap();
        assert!(tight.prediction().memory.peak <= limit);
        assert!(tight.prediction().memory.peak < free.prediction().memory.peak);
        let party = Party::new(&parameters);
        compare(&circuit, &tight, &party, InputKey::Public, &mut dice);
    }
}

/// Two words of bits, ANDed over and over with what is rotated.
fn chain(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut word = builder.input("a", Visibility::Private, 3);
    for _ in 0..depth {
        let product = builder.and_words(&word, &word.rotate_left(1)).unwrap();
        word = builder.xor_words(&product, &word.rotate_left(2)).unwrap();
    }
    builder.output("x", &word);
    builder.finish().unwrap()
}

#[test]
fn noise_keeps_below_its_bound_after_many_products() {
    let planner = Planner::new(SecurityLevel::Bits128);
    let mut parties = Parties::default();
    for form in ProductForm::ALL {
        for depth in [1, 4, 9] {
            let circuit = chain(depth);
            let plan = tight(&planner, form, &circuit);
            let mut dice = Dice::new(80);
            let party = parties.party(plan.parameters());
            let slack = compare(&circuit, &plan, party, InputKey::Public, &mut dice);
            println!(
                "{form}: {depth} products, 2^{:.1}, above the measured by {:.1} to {:.1} bits",
                plan.prediction().log2_noise,
                slack.0,
                slack.1
            );
            // Not by so much that limbs are wasted: about a bit from the probability of failure, 1.5 for
            // each product from treating every root like the worst.
            assert!(slack.1 < 5.0 + 1.5 * depth as f64);
        }
    }
}

#[test]
fn planned_parameters_do() {
    let planner = Planner::new(SecurityLevel::Bits128);
    for form in ProductForm::ALL {
        let mut dice = Dice::new(90);
        let bits = random_circuit(&mut dice, Wires::Bits, 12, 2);
        let bytes = random_circuit(&mut dice, Wires::Bytes, 12, 2);
        for circuit in [bits, bytes] {
            let plan = planner.clone().with_form(form).plan(&circuit).unwrap();
            assert!(plan.parameters().n() <= 8192);
            assert_eq!(plan.form(), form);
            let party = Party::new(plan.parameters());
            compare(&circuit, &plan, &party, InputKey::Public, &mut dice);
        }
    }
}

/// Products of private with public bits and bytes.
fn masks() -> Circuit {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 3);
    let p = builder.input("p", Visibility::Public, 3);
    let masked = builder.and_words(&a, &p).unwrap();
    let b = builder.input_rows("b", Visibility::Private, 3, 1);
    let q = builder.input_rows("q", Visibility::Public, 3, 1);
    let rows: Vec<_> = b.iter().zip(&q).map(|(b, q)| builder.and(*b, *q)).collect();
    builder.output("x", &masked);
    builder.output_rows("y", &rows);
    builder.finish().unwrap()
}

#[test]
fn public_factors_need_not_be_random() {
    let circuit = masks();
    for form in ProductForm::ALL {
        let plan = tight(&Planner::new(SecurityLevel::Bits128), form, &circuit);
        let party = Party::new(plan.parameters());
        let mut dice = Dice::new(70);
        let mut values = dice.inputs(&circuit, plan.records());
        // All records, one, and every second.
        values[1] = PortValues::Bits(vec![
            vec![u64::MAX; 2],
            vec![1, 0],
            vec![0x5555_5555_5555_5555; 2],
        ]);
        let records = plan.records();
        let every = |period: usize| {
            (0..records)
                .map(|r| if r % period == 0 { 0xe3 } else { 0 })
                .collect()
        };
        values[3] = PortValues::Rows(vec![every(1), every(records), every(2)]);
        let slack = compare_values(&circuit, &plan, &party, InputKey::Secret, &values);
        println!(
            "{form}: above the measured by {:.1} to {:.1} bits",
            slack.0, slack.1
        );
    }
}

/// The first `records` records of values, in whole words for bits.
fn shortened(values: &PortValues, bytes: usize, records: usize) -> PortValues {
    match values {
        PortValues::Bits(lanes) => {
            let cut = |lane: &Vec<u64>| lane[..records / 64].to_vec();
            PortValues::Bits(lanes.iter().map(cut).collect())
        }
        PortValues::Rows(rows) => {
            let cut = |row: &Vec<u8>| row[..records * bytes].to_vec();
            PortValues::Rows(rows.iter().map(cut).collect())
        }
    }
}

/// The same with zeros for the records from `records` on.
fn zeroed(values: &PortValues, bytes: usize, records: usize, all: usize) -> PortValues {
    match shortened(values, bytes, records) {
        PortValues::Bits(mut lanes) => {
            lanes.iter_mut().for_each(|lane| lane.resize(all.div_ceil(64), 0));
            PortValues::Bits(lanes)
        }
        PortValues::Rows(mut rows) => {
            rows.iter_mut().for_each(|row| row.resize(all * bytes, 0));
            PortValues::Rows(rows)
        }
    }
}

#[test]
fn missing_records_count_as_zeros() {
    for wires in [Wires::Bytes, Wires::Rows(16)] {
        let mut dice = Dice::new(40);
        let circuit = random_circuit(&mut dice, wires, 30, 4);
        let plan = tight(&Planner::new(SecurityLevel::Bits128), ProductForm::Bgv, &circuit);
        let party = Party::new(plan.parameters());
        let (all, bytes) = (plan.records(), plan.layout().rows().len());
        // 64 of 128, and 3 of 8.
        let some = if bytes == 1 { 64 } else { 3 };
        let full = dice.inputs(&circuit, all);
        let short: Vec<PortValues> = full.iter().map(|values| shortened(values, bytes, some)).collect();
        let zeroed: Vec<PortValues> = full
            .iter()
            .map(|values| zeroed(values, bytes, some, all))
            .collect();
        let done = party.run(&plan, InputKey::Public, &sides(&circuit, &short));
        assert_eq!(party.decrypt(&plan, &done), circuit.evaluate(&zeroed).unwrap());
    }
}

#[test]
fn what_is_public_comes_out_in_the_clear() {
    let mut builder = Builder::new();
    let p = builder.input("p", Visibility::Public, 2);
    let q = builder.input_rows("q", Visibility::Public, 2, 1);
    let both = builder.and(p.wires()[0], p.wires()[1]);
    let sum = builder.and(q[0], q[1]);
    let byte = builder
        .bytewise(sum, ringmill_circuit::ByteMap::of(|x| x.rotate_left(1)))
        .unwrap();
    let bits = builder.byte_to_bits(byte).unwrap();
    builder.output("x", &Word::new(vec![both, bits.wires()[3]]));
    builder.output_rows("y", &[byte]);
    let circuit = builder.finish().unwrap();
    let plan = Planner::new(SecurityLevel::Bits128).plan(&circuit).unwrap();
    assert!(plan.schedule().steps().is_empty());
    let party = Party::new(plan.parameters());
    let slack = compare(&circuit, &plan, &party, InputKey::Public, &mut Dice::new(30));
    assert_eq!(slack.1, f64::NEG_INFINITY, "nothing is encrypted");
}

#[test]
fn narrow_primes_are_taken_where_their_transforms_are_faster() {
    let mut dice = Dice::new(31);
    let circuit = random_circuit(&mut dice, Wires::Bits, 20, 4);
    let fast = Calibration {
        narrow: 0.5,
        ..Calibration::default()
    };
    let planner = Planner::new(SecurityLevel::Bits128).with_form(ProductForm::Bfv);
    let wide = planner.plan(&circuit).unwrap();
    let narrow = planner.with_calibration(fast).plan(&circuit).unwrap();
    assert!(!wide.parameters().are_narrow() && narrow.parameters().are_narrow());
    let party = Party::new(narrow.parameters());
    compare(&circuit, &narrow, &party, InputKey::Public, &mut dice);
}
