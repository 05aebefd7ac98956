use ringmill_circuit::{ByteMap, MapId, RowMap};

use super::*;
use crate::maps::tests::slot_maps;

fn step(operation: Operation) -> Step {
    Step {
        operation,
        at: 1,
        level: 1,
        depth: 0,
        cost: 1.0,
    }
}

fn input(wire: usize) -> Step {
    step(Operation::Input { port: 0, wire })
}

fn product(pairs: &[(usize, usize)]) -> Step {
    step(Operation::Product {
        pairs: pairs.iter().map(|(a, b)| (ValueId(*a), ValueId(*b))).collect(),
        terms: Vec::new(),
        clear: None,
    })
}

fn sum(terms: &[usize]) -> Step {
    step(Operation::Linear {
        terms: ids(terms),
        clear: None,
    })
}

fn map(operand: usize, map: u32) -> Step {
    step(Operation::Map {
        images: vec![(ValueId(operand), MapId::new(map))],
        terms: Vec::new(),
        clear: None,
    })
}

fn ids(values: &[usize]) -> Vec<ValueId> {
    values.iter().copied().map(ValueId).collect()
}

/// The waves of steps of which the last is the output.
fn waves(steps: &[Step], maps: &[RowMap], urgency: Urgency, products: usize, rotations: usize) -> Vec<Wave> {
    let outputs = vec![vec![OutputSource::Encrypted(ValueId(steps.len() - 1))]];
    let most = Most { products, rotations };
    order(steps, &slot_maps(maps, 1), &outputs, urgency, most)
}

#[test]
fn factors_stay_while_the_next_wave_needs_them() {
    let steps = [
        input(0),
        input(1),
        product(&[(0, 1)]),
        product(&[(0, 2)]),
        product(&[(3, 3)]),
    ];
    let waves = waves(&steps, &[], Urgency::Soon, 8, 8);
    let parts: Vec<_> = waves
        .iter()
        .map(|wave| (&wave.factors, &wave.steps, &wave.spent_factors, &wave.spent))
        .collect();
    assert_eq!(
        parts,
        [
            (&ids(&[0, 1]), &ids(&[2]), &ids(&[1]), &ids(&[1])),
            (&ids(&[2]), &ids(&[3]), &ids(&[0, 2]), &ids(&[0, 2])),
            (&ids(&[3]), &ids(&[4]), &ids(&[3]), &ids(&[3])),
        ]
    );
}

#[test]
fn steps_run_soon_or_late() {
    // A sum of inputs that only the last step needs.
    let steps = [
        input(0),
        input(1),
        sum(&[0, 1]),
        product(&[(0, 1)]),
        product(&[(3, 3)]),
        sum(&[2, 4]),
    ];
    let place = |urgency| {
        let waves = waves(&steps, &[], urgency, 8, 8);
        waves.iter().position(|wave| wave.steps.contains(&ValueId(2)))
    };
    assert_eq!((place(Urgency::Soon), place(Urgency::Late)), (Some(0), Some(1)));
}

#[test]
fn products_are_cut_into_waves() {
    let mut steps: Vec<Step> = (0..4).map(input).collect();
    let all = [(0, 1), (1, 2), (2, 3)];
    steps.extend([
        product(&all),
        product(&all[..1]),
        product(&all[1..2]),
        product(&all[2..]),
    ]);
    steps.push(sum(&[4, 5, 6, 7]));
    let waves = waves(&steps, &[], Urgency::Soon, 2, 8);
    let made: Vec<_> = waves.iter().map(|wave| wave.steps.clone()).collect();
    // One of three products has to be alone.
    assert_eq!(made, [ids(&[4]), ids(&[5, 6]), ids(&[7]), ids(&[8])]);
}

#[test]
fn maps_of_one_operand_share_its_rotations() {
    let maps = [
        RowMap::bytewise(1, ByteMap::frobenius(1)).unwrap(),
        RowMap::bytewise(1, ByteMap::from_coefficients([2, 1, 1, 0, 0, 0, 0, 0])).unwrap(),
    ];
    let steps = [
        input(0),
        input(1),
        map(0, 0),
        map(1, 0),
        map(0, 1),
        map(1, 1),
        sum(&[2, 3, 4, 5]),
    ];
    // Room for the three rotations of one operand.
    let waves = waves(&steps, &maps, Urgency::Soon, 8, 3);
    let parts: Vec<_> = waves
        .iter()
        .map(|wave| {
            (
                wave.rotations.clone(),
                wave.steps.clone(),
                wave.spent_rotations.clone(),
            )
        })
        .collect();
    assert_eq!(
        parts,
        [
            (vec![(ValueId(0), vec![1, 2, 4])], ids(&[2, 4]), ids(&[0])),
            (vec![(ValueId(1), vec![1, 2, 4])], ids(&[3, 5]), ids(&[1])),
            (vec![], ids(&[6]), vec![]),
        ]
    );
}

#[test]
fn the_costliest_step_of_a_wave_begins() {
    let mut steps = vec![input(0), sum(&[0]), sum(&[0]), sum(&[0]), sum(&[1, 2, 3])];
    steps[2].cost = 5.0;
    let waves = waves(&steps, &[], Urgency::Soon, 8, 8);
    assert_eq!(waves[0].steps, ids(&[2, 1, 3]));
}
