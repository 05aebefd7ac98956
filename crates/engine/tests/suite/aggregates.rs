//! Totals over the records of a batch are those of plain integers, with noise as predicted.

use ringmill_circuit::{
    Aggregate, AggregateKind, Builder, Circuit, PRESENT, PortValues, Signedness, Visibility, Word,
};
use ringmill_engine::{InputKey, OutputValue, PlanError, Planner, ProductForm};
use ringmill_fv::SecurityLevel;

use crate::common::circuits::Dice;
use crate::common::{Party, insecure, sides};

/// Bits of both inputs.
const WIDTH: usize = 3;

/// Aggregates and the functions of a private and a public number that they are of.
type Function = fn(u64, u64) -> u64;

const FUNCTIONS: [(AggregateKind, Signedness, Function); 9] = [
    (AggregateKind::Count, Signedness::Unsigned, |a, p| {
        u64::from(a < p)
    }),
    (AggregateKind::Any, Signedness::Unsigned, |a, p| u64::from(a < p)),
    (AggregateKind::All, Signedness::Unsigned, |a, p| u64::from(a < p)),
    (AggregateKind::Sum, Signedness::Unsigned, |a, p| a ^ p),
    (AggregateKind::Sum, Signedness::Signed, |a, p| a ^ p),
    (AggregateKind::Max, Signedness::Unsigned, |a, _| a),
    (AggregateKind::Min, Signedness::Signed, |a, _| a),
    // In the clear, in one or in all bits.
    (AggregateKind::Sum, Signedness::Unsigned, |a, p| (a & 3) | (p & 4)),
    (AggregateKind::Max, Signedness::Unsigned, |_, p| p),
];

/// The circuit of all functions.
fn circuit() -> Circuit {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, WIDTH);
    let p = builder.input("p", Visibility::Public, WIDTH);
    let less = builder.less(&a, &p, Signedness::Unsigned).unwrap();
    let less = Word::new(vec![less]);
    let both = builder.xor_words(&a, &p).unwrap();
    let [low, high] = [&a, &p].map(Word::wires);
    let mixed = Word::new(vec![low[0], low[1], high[2]]);
    for (index, word) in [&less, &less, &less, &both, &both, &a, &a, &mixed, &p]
        .into_iter()
        .enumerate()
    {
        builder.output(format!("y{index}"), word);
    }
    builder.finish().unwrap()
}

fn aggregates() -> Vec<Aggregate> {
    let aggregates = FUNCTIONS.iter();
    aggregates
        .map(|(kind, signedness, _)| Aggregate {
            kind: *kind,
            signedness: *signedness,
        })
        .collect()
}

/// The number of each record.
fn numbers(values: &PortValues, records: usize) -> Vec<u64> {
    let PortValues::Bits(wires) = values else {
        panic!("rows");
    };
    let number = |record: usize| {
        let bit = |(place, wire): (usize, &Vec<u64>)| (wire[record / 64] >> (record % 64) & 1) << place;
        wires.iter().enumerate().map(bit).sum()
    };
    (0..records).map(number).collect()
}

/// The total of plain integers, modulo 2 to the power of the bits of a result.
fn expected(
    (kind, signedness, function): (AggregateKind, Signedness, Function),
    pairs: &[(u64, u64)],
    bits: usize,
) -> u64 {
    let results = pairs.iter().map(|(a, p)| {
        let value = function(*a, *p) as i64;
        let negative = signedness == Signedness::Signed && value >> (WIDTH - 1) == 1;
        if negative { value - (1 << WIDTH) } else { value }
    });
    let total = match kind {
        AggregateKind::Count | AggregateKind::Sum => results.sum::<i64>(),
        AggregateKind::Any | AggregateKind::Max => results.max().unwrap(),
        AggregateKind::All | AggregateKind::Min => results.min().unwrap(),
    };
    total as u64 & ((1 << bits) - 1)
}

fn totals_are_those_of_integers(form: ProductForm, n: usize, limbs: usize) {
    let (mut dice, circuit) = (Dice::new(n as u8 ^ 3), circuit());
    let parameters = insecure(n, form, limbs);
    let party = Party::new(&parameters);
    let planner = Planner::new(SecurityLevel::Bits128)
        .with_form(form)
        .with_aggregates(aggregates());
    let plan = planner.plan_with(&circuit, &parameters).unwrap();
    let again = planner
        .plan_exactly(&circuit, &parameters, plan.recipe())
        .unwrap();
    assert_eq!(again.schedule().steps().len(), plan.schedule().steps().len());
    let slots = plan.records();
    for records in [1, 2, slots / 2 + 1, slots - 1, slots] {
        // Slots without a record hold values too, as zeros may become ones.
        let values = dice.inputs(&circuit, slots);
        let (private, mut public) = sides(&circuit, &values);
        public.extend(plan.present(records));
        let done = party.run(&plan, InputKey::Public, &(private, public));
        let [a, p] = [0, 1].map(|port| numbers(&values[port], records));
        let pairs: Vec<(u64, u64)> = a.into_iter().zip(p).collect();
        let results = party.decrypt(&plan, &done);
        for ((function, result), port) in FUNCTIONS.into_iter().zip(&results).zip(plan.schedule().outputs()) {
            let expected = expected(function, &pairs, port.sources.len());
            assert_eq!(
                numbers(result, slots),
                vec![expected; slots],
                "{} of {records}: {function:?}",
                port.name
            );
        }
        let last = done.outputs.last().unwrap();
        assert!(last.iter().all(|value| matches!(value, OutputValue::Clear(_))));
        for (predicted, measured) in party.noises(&plan, &done) {
            assert!(
                measured <= predicted,
                "measured 2^{measured:.1}, predicted 2^{predicted:.1}"
            );
        }
    }
}

#[test]
fn totals_in_the_bfv_form() {
    totals_are_those_of_integers(ProductForm::Bfv, 2048, 12);
}

#[test]
fn totals_in_the_bgv_form() {
    totals_are_those_of_integers(ProductForm::Bgv, 2048, 12);
}

#[test]
fn keys_and_recipes_know_of_totals() {
    let circuit = circuit();
    let parameters = insecure(2048, ProductForm::Bfv, 12);
    let planner = Planner::new(SecurityLevel::Bits128).with_form(ProductForm::Bfv);
    let plain = planner.plan_with(&circuit, &parameters).unwrap();
    assert!(plain.galois_exponents().is_empty() && plain.present(3).is_none());
    let totals = planner.clone().with_aggregates(aggregates());
    let plan = totals.plan_with(&circuit, &parameters).unwrap();
    // A key for each step through 128 slots.
    assert_eq!((plan.records(), plan.galois_exponents().len()), (128, 7));
    assert_eq!(
        plan.present(5),
        Some((PRESENT.to_owned(), PortValues::Bits(vec![vec![31, 0]])))
    );
    let error = planner
        .plan_exactly(&circuit, &parameters, plan.recipe())
        .unwrap_err();
    assert!(matches!(error, PlanError::OtherAggregates), "{error}");
    let mut file = Vec::new();
    plan.recipe().write(&mut file, &parameters).unwrap();
    let read = ringmill_engine::Recipe::read(&*file, &parameters).unwrap();
    assert_eq!(read, *plan.recipe());
}

#[test]
fn what_fits_no_ring_is_said_to_be_deeper_by_its_totals() {
    let mut builder = Builder::new();
    let bits = builder.input("a", Visibility::Private, 151);
    let (first, rest) = bits.wires().split_first().unwrap();
    let product = rest
        .iter()
        .fold(*first, |product, bit| builder.and(product, *bit));
    builder.output("y", &Word::new(vec![product]));
    let circuit = builder.finish().unwrap();
    let some = Aggregate {
        kind: AggregateKind::Any,
        signedness: Signedness::Unsigned,
    };
    let planner = Planner::new(SecurityLevel::Bits256).with_aggregates(vec![some]);
    let error = planner.plan(&circuit).unwrap_err().to_string();
    // 12 more for the 4096 slots of the largest ring.
    assert!(error.contains("the circuit has 162 products in a row"), "{error}");
    assert!(
        error.contains("Without the totals over all records it has 150."),
        "{error}"
    );
}
