use ringmill_circuit::{ByteMap, MapId, RowMap};

use super::*;
use crate::fv::slot_maps::tests::slot_maps;
use crate::schedule::memory::{Conditions, Loading, MemoryUse, Sizes, predict};
use crate::schedule::spill::spill;

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
fn waves(steps: &[Step], maps: &[RowMap], urgency: Urgency, products: usize, mapped: usize) -> Vec<Wave> {
    let outputs = vec![vec![OutputSource::Encrypted(ValueId(steps.len() - 1))]];
    let most = Most { products, mapped };
    order(
        steps,
        &slot_maps(maps, 1),
        &outputs,
        |level| level as u64,
        urgency,
        (most, Side::ALIKE),
    )
}

/// SIMON's round has its factors in a ring: product i takes bits i + 1 and i + 8.
#[test]
fn products_of_a_wave_share_factors_with_their_neighbours() {
    let mut steps: Vec<Step> = (0..32).map(input).collect();
    steps.extend((0..32).map(|i| product(&[((i + 1) % 32, (i + 8) % 32)])));
    let sum_of_all: Vec<usize> = (32..64).collect();
    steps.push(sum(&sum_of_all));
    let factors = |value: &ValueId| factors(&steps[value.0].operation);
    let whole = waves(&steps, &[], Urgency::Soon, 64, 1);
    assert_eq!(whole[0].steps.len(), 32);
    for pair in whole[0].steps.windows(2) {
        let (first, second) = (factors(&pair[0]), factors(&pair[1]));
        assert!(first.iter().any(|factor| second.contains(factor)), "{pair:?}");
    }
    // Four products have five factors, of which all waves but the first find one. The sum has none.
    let parts = waves(&steps, &[], Urgency::Soon, 4, 1);
    let made: Vec<usize> = parts.iter().map(|wave| wave.factors.len()).collect();
    assert_eq!(made, [5, 4, 4, 4, 4, 4, 4, 4, 0]);
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
    let ready = |values: &[usize]| -> Vec<(ValueId, Side)> {
        ids(values)
            .into_iter()
            .map(|value| (value, Side::Either))
            .collect()
    };
    assert_eq!(
        parts,
        [
            (&ready(&[0, 1]), &ids(&[2]), &ready(&[1]), &ids(&[1])),
            (&ready(&[2]), &ids(&[3]), &ready(&[0, 2]), &ids(&[0, 2])),
            (&ready(&[3]), &ids(&[4]), &ready(&[3]), &ids(&[3])),
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
    // Room for one operand, whatever its rotations.
    let waves = waves(&steps, &maps, Urgency::Soon, 8, 1);
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

/// A random number below `most`, by Knuth's generator.
fn random(state: &mut u64, most: usize) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % most
}

/// Inputs, sums, products and switches of values that came before, at levels up to 5.
fn random_steps(state: &mut u64) -> Vec<Step> {
    let inputs = 2 + random(state, 6);
    let mut steps: Vec<Step> = (0..inputs).map(input).collect();
    for made in inputs..inputs + 5 + random(state, 60) {
        let mut operands: Vec<usize> = (0..1 + random(state, 4)).map(|_| random(state, made)).collect();
        steps.push(match random(state, 3) {
            0 => {
                let pairs = operands.iter().map(|operand| (*operand, random(state, made)));
                product(&pairs.collect::<Vec<_>>())
            }
            1 => step(Operation::Switch {
                operand: ValueId(operands[0]),
            }),
            _ => {
                operands.sort_unstable();
                operands.dedup();
                sum(&operands)
            }
        });
    }
    for step in &mut steps {
        step.level = 1 + random(state, 5);
        step.at = step.level;
    }
    steps
}

/// Every value without a use, and a few others.
fn random_outputs(state: &mut u64, steps: &[Step]) -> Vec<usize> {
    let used: BTreeSet<ValueId> = steps.iter().flat_map(|step| step.operation.operands()).collect();
    let outputs = (0..steps.len()).filter(|value| !used.contains(&ValueId(*value)) || random(state, 9) == 0);
    outputs.collect()
}

fn sources(outputs: &[usize]) -> Vec<Vec<OutputSource>> {
    let outputs = outputs.iter();
    vec![
        outputs
            .map(|value| OutputSource::Encrypted(ValueId(*value)))
            .collect(),
    ]
}

/// Sizes that tell everything apart.
struct Primes;

impl Sizes for Primes {
    fn fixed(&self) -> u64 {
        1_000_003
    }

    fn stored_bytes(&self, level: usize) -> u64 {
        97 * level as u64
    }

    fn ciphertext_bytes(&self, level: usize) -> u64 {
        101 * level as u64
    }

    fn factor_bytes(&self, level: usize) -> u64 {
        211 * level as u64
    }

    fn rotation_bytes(&self, _: usize, _: bool) -> u64 {
        0
    }

    fn workspace(&self, operation: &Operation, level: usize) -> u64 {
        (17 * products(operation) + 3 * level) as u64
    }
}

const AT_ONCE: Conditions = Conditions {
    threads: 2,
    loading: Loading::AtOnce,
};

/// The most bytes and ciphertexts in any wave, from what each needs and nothing that waves say of freeing.
fn memory_by_definition(steps: &[Step], outputs: &[usize], waves: &[Wave], threads: usize) -> (u64, usize) {
    let (mut made, mut last) = (vec![0; steps.len()], vec![0; steps.len()]);
    for (index, wave) in waves.iter().enumerate() {
        for value in &wave.steps {
            made[value.0] = index;
            let operands = steps[value.0].operation.operands();
            operands.for_each(|operand| last[operand.0] = index);
        }
    }
    outputs.iter().for_each(|output| last[*output] = usize::MAX);
    let mut most = (0, 0);
    for (index, wave) in waves.iter().enumerate() {
        let alive = (0..steps.len()).filter(|value| made[*value] <= index && index <= last[*value]);
        let alive: Vec<usize> = alive.collect();
        let operations = || wave.steps.iter().map(|value| &steps[value.0].operation);
        let ready = operations().flat_map(|operation| sided(operation, Side::DIFFERENT));
        let ready: BTreeSet<(ValueId, Side)> = ready.collect();
        let mut spaces: Vec<u64> = wave
            .steps
            .iter()
            .map(|value| &steps[value.0])
            .map(|step| Primes.workspace(&step.operation, step.at))
            .collect();
        spaces.sort_unstable();
        let bytes = Primes.fixed()
            + alive
                .iter()
                .map(|value| Primes.ciphertext_bytes(steps[*value].level))
                .sum::<u64>()
            + ready
                .iter()
                .map(|(value, _)| Primes.factor_bytes(steps[value.0].level))
                .sum::<u64>()
            + spaces.iter().rev().take(threads).sum::<u64>();
        most = (bytes.max(most.0), alive.len().max(most.1));
    }
    most
}

#[test]
fn every_order_is_sound_and_takes_the_memory_predicted() {
    let mut state = 1;
    for _ in 0..200 {
        let steps = random_steps(&mut state);
        let outputs = random_outputs(&mut state, &steps);
        let sources = sources(&outputs);
        for urgency in [Urgency::Soon, Urgency::Late, Urgency::Frugal] {
            for products in [1, 3, 100] {
                let most = Most { products, mapped: 1 };
                let bytes = |level| Primes.ciphertext_bytes(level);
                let waves = order(
                    &steps,
                    &SlotMaps::default(),
                    &sources,
                    bytes,
                    urgency,
                    (most, Side::DIFFERENT),
                );
                check_order(&steps, &outputs, &waves);
                let MemoryUse {
                    peak, ciphertexts, ..
                } = predict(&steps, &sources, &waves, &Primes, AT_ONCE);
                assert_eq!(
                    (peak, ciphertexts),
                    memory_by_definition(&steps, &outputs, &waves, 2)
                );
            }
        }
    }
}

/// Each step runs once, after its operands; what is freed is there, and is not used again.
fn check_order(steps: &[Step], outputs: &[usize], waves: &[Wave]) {
    let mut there: Vec<bool> = steps.iter().map(is_input).collect();
    let mut run = 0;
    for wave in waves {
        for value in &wave.steps {
            assert!(
                steps[value.0]
                    .operation
                    .operands()
                    .all(|operand| there[operand.0])
            );
        }
        for value in &wave.steps {
            assert!(!std::mem::replace(&mut there[value.0], true));
            run += 1;
        }
        for value in &wave.spent {
            assert!(std::mem::replace(&mut there[value.0], false));
        }
    }
    assert_eq!(run, steps.iter().filter(|step| !is_input(step)).count());
    let left: Vec<usize> = (0..steps.len()).filter(|value| there[*value]).collect();
    assert_eq!(left, outputs);
}

#[test]
fn a_frugal_order_finishes_what_it_began() {
    // Blocks of four inputs, the six products of two of them, and their sum; the sum of all blocks.
    const BLOCKS: usize = 16;
    let mut steps: Vec<Step> = (0..4 * BLOCKS).map(input).collect();
    for block in 0..BLOCKS {
        let first = 4 * block;
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        steps.extend(pairs.map(|(a, b)| product(&[(first + a, first + b)])));
    }
    let products = 4 * BLOCKS;
    for block in 0..BLOCKS {
        let first = products + 6 * block;
        steps.push(sum(&(first..first + 6).collect::<Vec<_>>()));
    }
    let sums = products + 6 * BLOCKS;
    steps.push(sum(&(sums..sums + BLOCKS).collect::<Vec<_>>()));
    let outputs = [vec![OutputSource::Encrypted(ValueId(steps.len() - 1))]];
    let most = |urgency| {
        let waves = waves(&steps, &[], urgency, 1, 1);
        predict(&steps, &outputs, &waves, &Primes, AT_ONCE).ciphertexts
    };
    // All inputs, of which the first block's are freed one after the other, and that block's products.
    assert!(most(Urgency::Frugal) <= 4 * BLOCKS + 6);
    assert!(most(Urgency::Late) >= 6 * BLOCKS);
}

#[test]
fn what_is_put_aside_is_there_when_it_is_used_and_memory_keeps_to_the_limit() {
    let mut state = 5;
    let (mut spilled, mut refused) = (0, 0);
    for round in 0..300 {
        let steps = random_steps(&mut state);
        let outputs = random_outputs(&mut state, &steps);
        let sources = sources(&outputs);
        let loading = if round % 2 == 0 {
            Loading::AtOnce
        } else {
            Loading::WhenUsed
        };
        let conditions = Conditions { threads: 2, loading };
        let most = Most {
            products: 2,
            mapped: 1,
        };
        let bytes = |level| Primes.ciphertext_bytes(level);
        let waves = order(
            &steps,
            &SlotMaps::default(),
            &sources,
            bytes,
            Urgency::Frugal,
            (most, Side::DIFFERENT),
        );
        let free = predict(&steps, &sources, &waves, &Primes, conditions);
        let above = free.peak - Primes.fixed();
        let limit = Primes.fixed() + above * (3 + random(&mut state, 8) as u64) / 10;
        let (waves, needed) = spill(&steps, &sources, waves, &Primes, (conditions, limit));
        let memory = predict(&steps, &sources, &waves, &Primes, conditions);
        assert!(memory.peak <= needed.max(limit).max(Primes.fixed() + initial(&steps, loading)));
        let aside = check_spill(&steps, &outputs, &waves, loading);
        assert_eq!((memory.written, memory.read), aside);
        if needed <= limit {
            spilled += usize::from(aside.0 > 0);
        } else {
            // The outputs together, or one wave that has nothing around it.
            refused += 1;
        }
    }
    assert!(spilled > 50 && refused > 10, "{spilled} {refused}");
}

/// Bytes of the inputs that are there from the beginning.
fn initial(steps: &[Step], loading: Loading) -> u64 {
    let inputs = steps
        .iter()
        .filter(|step| is_input(step) && loading == Loading::AtOnce);
    inputs.map(|step| Primes.ciphertext_bytes(step.level)).sum()
}

/// Carries the waves out: everything used must be there or be brought, and only what is there can be put aside. The
/// bytes written and read; each value is written once.
fn check_spill(steps: &[Step], outputs: &[usize], waves: &[Wave], loading: Loading) -> (u64, u64) {
    let loaded = |value: usize| loading == Loading::WhenUsed && is_input(&steps[value]);
    let mut here: Vec<bool> = (0..steps.len())
        .map(|value| is_input(&steps[value]) && !loaded(value))
        .collect();
    let mut written = BTreeSet::new();
    let mut read = 0;
    let stored = |value: &usize| Primes.stored_bytes(steps[*value].level);
    for wave in waves {
        for value in &wave.aside {
            assert!(std::mem::replace(&mut here[value.0], false));
            if !loaded(value.0) {
                written.insert(value.0);
            }
        }
        for value in &wave.brought {
            if !here[value.0] && !loaded(value.0) {
                assert!(written.contains(&value.0));
                read += stored(&value.0);
            }
            here[value.0] = true;
        }
        for value in &wave.steps {
            assert!(steps[value.0].operation.operands().all(|operand| here[operand.0]));
        }
        wave.steps.iter().for_each(|value| here[value.0] = true);
        wave.spent.iter().for_each(|value| here[value.0] = false);
    }
    for output in outputs.iter().filter(|output| !here[**output]) {
        assert!(loaded(*output) || written.contains(output));
        if !loaded(*output) {
            read += stored(output);
        }
    }
    (written.iter().map(stored).sum(), read)
}
