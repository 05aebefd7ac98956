//! Plans in which four records share each slot.

use ringmill_circuit::{
    Aggregate, AggregateKind, Builder, Circuit, Signedness, Visibility, Word, bundled, field, nibble,
};
use ringmill_engine::{InputKey, InputPacking, OutputValue, Plan, PlanError, Planner, Recipe, SlotSharing};
use ringmill_fv::SecurityLevel;

use crate::common::circuits::{Dice, Wires, random_circuit};
use crate::common::{Party, sides};

fn planner() -> Planner {
    Planner::new(SecurityLevel::Bits128)
}

fn add8() -> Circuit {
    bundled::circuit("add8").unwrap().unwrap()
}

fn seconds(plan: &Plan, table: usize) -> f64 {
    plan.prediction().seconds() * table.div_ceil(plan.records()) as f64
}

#[test]
fn slots_are_shared_where_a_table_takes_less_time() {
    let circuit = add8();
    let with = |sharing, table| {
        let planner = planner().with_table(table).with_slot_sharing(sharing);
        planner.plan(&circuit).unwrap()
    };
    for table in [100, 1_000_000] {
        let [own, shared, chosen] =
            [SlotSharing::Never, SlotSharing::Always, SlotSharing::Auto].map(|sharing| with(sharing, table));
        assert!(!own.layout().is_shared() && shared.layout().is_shared());
        let slots = shared.layout().rows().records();
        assert_eq!(
            (shared.records(), slots),
            (4 * slots, shared.layout().rows().slots().len())
        );
        if table <= own.records() {
            assert!(!chosen.layout().is_shared(), "one batch is enough");
            continue;
        }
        assert!(chosen.layout().is_shared());
        let least = seconds(&own, table).min(seconds(&shared, table));
        assert_eq!(seconds(&chosen, table), least, "{table}");
        assert_eq!(
            chosen.recipe().shared,
            seconds(&shared, table) < seconds(&own, table)
        );
        let reason = if chosen.recipe().shared {
            "fits with a slot for each record, but"
        } else {
            "fits with four records in a slot, but"
        };
        assert!(
            chosen.rejected()[0].reason.starts_with(reason),
            "{:?}",
            chosen.rejected()[0]
        );
    }
    assert!(with(SlotSharing::Auto, 1_000_000).layout().is_shared());
    assert!(
        with(SlotSharing::Always, 1)
            .explain()
            .contains("four in each slot")
    );
}

#[test]
fn batches_have_room_for_more_records_than_slots() {
    let circuit = add8();
    // More than the largest ring has slots.
    let plan = planner().with_records(10_000).plan(&circuit).unwrap();
    assert!(plan.records() >= 10_000 && plan.layout().is_shared());
}

#[test]
fn shared_plans_are_the_same_elsewhere() {
    let circuit = add8();
    let plan = planner()
        .with_slot_sharing(SlotSharing::Always)
        .plan(&circuit)
        .unwrap();
    let mut file = Vec::new();
    plan.recipe().write(&mut file, plan.parameters()).unwrap();
    let recipe = Recipe::read(file.as_slice(), plan.parameters()).unwrap();
    assert_eq!(recipe, *plan.recipe());
    let again = planner()
        .plan_exactly(&circuit, plan.parameters(), &recipe)
        .unwrap();
    assert_eq!((again.recipe(), again.records()), (plan.recipe(), plan.records()));
    assert_eq!(again.prediction().log2_noise, plan.prediction().log2_noise);
    // What no plan has.
    for impossible in [
        Recipe {
            packing: InputPacking::Slots,
            ..recipe
        },
        Recipe {
            aggregates: Some([1; 32]),
            ..recipe
        },
        Recipe { further: 1, ..recipe },
    ] {
        let mut file = Vec::new();
        impossible.write(&mut file, plan.parameters()).unwrap();
        assert!(Recipe::read(file.as_slice(), plan.parameters()).is_err());
    }
    let bytes = random_circuit(&mut Dice::new(1), Wires::Bytes, 20, 4);
    let recipe = Recipe {
        circuit: bytes.digest(),
        ..recipe
    };
    let refused = planner().plan_exactly(&bytes, plan.parameters(), &recipe);
    assert!(matches!(refused, Err(PlanError::CannotShare { .. })));
}

#[test]
fn what_cannot_share_slots_is_refused_or_has_its_own() {
    let circuit = add8();
    let bytes = random_circuit(&mut Dice::new(1), Wires::Bytes, 20, 4);
    let cases = [
        (planner(), &bytes, "a circuit with bytes"),
        (
            planner().with_aggregates(vec![Aggregate {
                kind: AggregateKind::Sum,
                signedness: Signedness::Unsigned,
            }]),
            &circuit,
            "totals over the records",
        ),
        (
            planner().with_packing(InputPacking::Slots),
            &circuit,
            "inputs that are packed in slots",
        ),
        (
            planner().with_further_levels(1),
            &circuit,
            "results that other jobs go on with",
        ),
    ];
    for (planner, circuit, what) in cases {
        let refused = planner
            .clone()
            .with_slot_sharing(SlotSharing::Always)
            .plan(circuit);
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
        let plan = planner.with_table(1_000_000).plan(circuit).unwrap();
        assert!(!plan.layout().is_shared(), "{what}");
    }
}

/// Results hold the bits and nothing else of the factors.
#[test]
fn results_are_embedded_nibbles() {
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, 2);
    let product = builder.and(x.wires()[0], x.wires()[1]);
    builder.output("y", &Word::new(vec![product]));
    let circuit = builder.finish().unwrap();
    let planner = planner().with_slot_sharing(SlotSharing::Always);
    for flooding in [false, true] {
        let plan = planner.clone().with_flooding(flooding).plan(&circuit).unwrap();
        let party = Party::new(plan.parameters());
        let values = Dice::new(9).inputs(&circuit, plan.records());
        let done = party.run(&plan, InputKey::Public, &sides(&circuit, &values));
        assert_eq!(party.decrypt(&plan, &done), circuit.evaluate(&values).unwrap());
        let OutputValue::Encrypted(result) = &done.outputs[0][0] else {
            panic!("the product is encrypted");
        };
        let plaintext = party.context.decrypt(&party.secret, result).unwrap();
        // Some slots hold squares.
        let powers = |nibble| [0, 1].map(|power| field::frobenius(nibble::embed(nibble), power));
        let embedded: Vec<u8> = (0..16).flat_map(powers).collect();
        let bytes = party.context.decode_bytes(&plaintext).unwrap();
        assert!(bytes.iter().all(|byte| embedded.contains(byte)));
    }
}
