//! Schedules by depth, carried out over a scheme that encrypts nothing but keeps account of levels, and over
//! FV at a small dimension.

use std::sync::atomic::{AtomicUsize, Ordering};

use ringmill_circuit::{Builder, Circuit, PortValues, Visibility, Word, bundled, simon};
use ringmill_engine::{
    DepthPlanner, EncryptedInputs, EngineError, Execution, FvEncoding, FvScheme, Layout, LevelChain,
    Observer, Operation, OperationKind, PlanError, ProductForm, Progress, Schedule, decrypt_outputs,
    encrypt_inputs, execute,
};

use crate::common::circuits::{Dice, Wires, random_circuit};
use crate::common::mock::{Bits, Mock, MockError, Plain, RECORDS, level_chain};
use crate::common::{LIMB_BITS, Party, Sides, insecure, seed, sides};

/// A fresh encryption by the mock scheme.
fn fresh(bits: &[bool], level: usize) -> Bits {
    Bits {
        bits: bits.to_vec(),
        level,
    }
}

fn encrypt(schedule: &Schedule, (private, _): &Sides) -> EncryptedInputs<Bits> {
    let encrypted = encrypt_inputs(schedule, &Plain, private, &seed(1), |bits, level, _| {
        Ok(fresh(bits, level))
    });
    encrypted.unwrap()
}

fn run(schedule: &Schedule, mock: &Mock, sides: &Sides) -> Execution<Bits> {
    execute(schedule, mock, encrypt(schedule, sides), &sides.1, &()).unwrap()
}

fn decrypt(schedule: &Schedule, execution: &Execution<Bits>) -> Vec<PortValues> {
    decrypt_outputs(schedule, &Plain, &execution.outputs, |a| Ok(a.bits.clone())).unwrap()
}

/// Values of records that are there; the words of a lane may have more.
fn shown(values: &[PortValues], records: usize) -> Vec<Vec<Vec<bool>>> {
    let bit = |lane: &Vec<u64>| (0..records).map(|r| lane[r / 64] >> (r % 64) & 1 == 1).collect();
    let port = |values: &PortValues| values.as_bits().unwrap().iter().map(bit).collect();
    values.iter().map(port).collect()
}

fn agrees(circuit: &Circuit, schedule: &Schedule, mock: &Mock, dice: &mut Dice) -> Execution<Bits> {
    let values = dice.inputs(circuit, RECORDS);
    let done = run(schedule, mock, &sides(circuit, &values));
    let expected = circuit.evaluate(&values).unwrap();
    assert_eq!(
        shown(&decrypt(schedule, &done), RECORDS),
        shown(&expected, RECORDS)
    );
    done
}

/// The most products in a row.
fn depth(schedule: &Schedule) -> usize {
    schedule.steps().iter().map(|step| step.depth).max().unwrap_or(0) as usize
}

/// The levels at which a port is to be encrypted, by wire.
fn levels<'a>(schedule: &'a Schedule, port: &str) -> &'a [usize] {
    let mut ports = schedule.inputs().iter();
    ports.find(|plan| plan.name == port).unwrap().levels()
}

fn count(schedule: &Schedule, wanted: fn(&Operation) -> bool) -> usize {
    schedule
        .steps()
        .iter()
        .filter(|step| wanted(&step.operation))
        .count()
}

#[test]
fn random_circuits_agree() {
    for index in 0..24 {
        let mut dice = Dice::new(index);
        let gates = 20 + 20 * usize::from(index);
        let circuit = random_circuit(&mut dice, Wires::Bits, gates, 4 + usize::from(index));
        let long = DepthPlanner::new(level_chain((1..=40).rev()));
        let schedule = long.plan(&circuit).unwrap();
        agrees(&circuit, &schedule, &Mock::new(1), &mut dice);
        // On the shortest chain, with larger steps, and few products at a time.
        let steps = (0..=depth(&schedule)).rev().map(|step| 1 + 3 * step);
        let short = DepthPlanner::new(level_chain(steps)).with_products_at_a_time(1 + usize::from(index) % 5);
        let mock = Mock {
            step: 3,
            ..Mock::new(4)
        };
        agrees(&circuit, &short.plan(&circuit).unwrap(), &mock, &mut dice);
    }
}

#[test]
fn places_of_one_level_need_no_switch() {
    let circuit = bundled::circuit("multiply8").unwrap().unwrap();
    let falling = DepthPlanner::new(level_chain((1..=30).rev()))
        .plan(&circuit)
        .unwrap();
    let coarse = level_chain((0..30).rev().map(|place| 1 + place / 10));
    let coarse = DepthPlanner::new(coarse).plan(&circuit).unwrap();
    let mock = Mock {
        step: 0,
        ..Mock::new(1)
    };
    agrees(&circuit, &coarse, &mock, &mut Dice::new(7));
    let switches = |schedule| {
        count(schedule, |operation| {
            matches!(operation, Operation::Switch { .. })
        })
    };
    assert!(4 * switches(&coarse) < switches(&falling));
    let none = DepthPlanner::new(level_chain([5; 30])).plan(&circuit).unwrap();
    assert_eq!(switches(&none), 0);
}

#[test]
fn inputs_are_encrypted_where_they_are_used() {
    let circuit = bundled::aes::encrypt_circuit().unwrap();
    let planner = DepthPlanner::new(level_chain((1..=41).rev()));
    let schedule = planner.plan(&circuit).unwrap();
    assert_eq!((schedule.products(), depth(&schedule)), (5280, 40));
    // A round is 4 products deep; the plaintext is public, so that only round keys are encrypted.
    let keys = levels(&schedule, "round_keys");
    for round in 0..=10 {
        assert!(
            keys[128 * round..128 * (round + 1)]
                .iter()
                .all(|level| *level == 41 - 4 * round)
        );
    }
    // FIPS 197, appendix C.1, in the last record.
    let key: Vec<u8> = (0..16).collect();
    let aes = ringmill_circuit::aes::Aes::new(&key).unwrap();
    let lanes = |bytes: Vec<u8>| {
        let bit = |i: usize| match bytes[i / 8] >> (i % 8) & 1 {
            1 => vec![0, 1 << (RECORDS - 65)],
            _ => vec![0, 0],
        };
        PortValues::Bits((0..8 * bytes.len()).map(bit).collect())
    };
    let values = [
        lanes((0..16).map(|byte| 17 * byte).collect()),
        lanes(aes.round_keys().concat()),
    ];
    let mock = Mock::new(8);
    let done = run(&schedule, &mock, &sides(&circuit, &values));
    let blocks = shown(&decrypt(&schedule, &done), RECORDS);
    let last = blocks[0]
        .iter()
        .enumerate()
        .map(|(i, bit)| u128::from(bit[RECORDS - 1]) << i);
    let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128;
    assert_eq!(last.sum::<u128>(), expected.swap_bytes());
    assert_eq!(done.statistics.tally(OperationKind::Relinearize).count, 5280);
    let together = mock.relinearized.into_inner().unwrap();
    assert_eq!(together.iter().sum::<usize>(), 5280);
    assert!(together.iter().all(|count| (1..=8).contains(count)));
    assert!(together.iter().filter(|count| **count == 8).count() > 500);
}

#[test]
fn key_schedules_are_switched_once() {
    let circuit = simon::encrypt_circuit().unwrap();
    let planner = DepthPlanner::new(level_chain((1..=44).rev()));
    let schedule = planner.plan(&circuit).unwrap();
    assert_eq!((schedule.products(), depth(&schedule)), (1376, 43));
    agrees(&circuit, &schedule, &Mock::new(1), &mut Dice::new(2));
    // One of a round key and one of the half that is only added, for each of 32 bits and 43 products.
    let switches = count(&schedule, |operation| {
        matches!(operation, Operation::Switch { .. })
    });
    println!("{switches} switches");
    assert!(switches <= 2 * 32 * 43 + 6 * 32, "{switches} switches");
}

#[test]
fn terms_in_the_clear_are_made_once() {
    let mut builder = Builder::new();
    let bits = builder.input("a", Visibility::Private, 9);
    let mask = builder.input("mask", Visibility::Public, 1).wires()[0];
    let products: Vec<_> = bits
        .wires()
        .windows(2)
        .map(|pair| builder.and(pair[0], pair[1]))
        .collect();
    let masked = products
        .iter()
        .chain(bits.wires())
        .map(|bit| builder.xor(*bit, mask));
    let masked = masked.collect();
    builder.output("y", &Word::new(masked));
    let circuit = builder.finish().unwrap();
    let schedule = DepthPlanner::new(level_chain([2, 1])).plan(&circuit).unwrap();
    let mock = Mock::new(1);
    let done = agrees(&circuit, &schedule, &mock, &mut Dice::new(3));
    // 8 products and 9 bits, in one wave or two.
    assert_eq!(done.statistics.tally(OperationKind::Plain).count, 17);
    let made = mock.trivial.into_inner().unwrap();
    assert!((1..=2).contains(&made.len()), "{made:?}");
}

#[test]
fn too_deep_a_circuit_is_named() {
    let circuit = simon::encrypt_circuit().unwrap();
    let error = DepthPlanner::new(level_chain((1..=43).rev()))
        .plan(&circuit)
        .unwrap_err();
    assert!(matches!(
        error,
        PlanError::TooDeep {
            most: 42,
            depth: 43,
            ..
        }
    ));
    let message = error.to_string();
    assert!(
        message.contains("43 products in a row, mock has levels for 42"),
        "{message}"
    );
    let empty = DepthPlanner::new(level_chain([])).plan(&circuit).unwrap_err();
    assert!(matches!(empty, PlanError::TooDeep { most: 0, .. }));

    let bytes = random_circuit(&mut Dice::new(1), Wires::Bytes, 5, 2);
    let error = DepthPlanner::new(level_chain([3, 2, 1]))
        .plan(&bytes)
        .unwrap_err();
    assert!(matches!(error, PlanError::OnlyBits { .. }), "{error}");
}

/// Stops when so many steps are done.
struct Stop {
    after: usize,
    done: AtomicUsize,
}

impl Observer for Stop {
    fn progress(&self, progress: Progress) {
        self.done.fetch_max(progress.done, Ordering::SeqCst);
        assert!(progress.weight_done <= progress.weight_total * 1.000_001);
    }

    fn cancelled(&self) -> bool {
        self.done.load(Ordering::SeqCst) >= self.after
    }
}

#[test]
fn unfit_inputs_and_steps_are_named() {
    let circuit = bundled::circuit("multiply8").unwrap().unwrap();
    let planner = DepthPlanner::new(level_chain((1..=30).rev()));
    let schedule = planner.plan(&circuit).unwrap();
    let values = Dice::new(3).inputs(&circuit, RECORDS);
    let sides = sides(&circuit, &values);
    let (mock, inputs) = (Mock::new(2), encrypt(&schedule, &sides));
    let fails =
        |schedule: &Schedule, mock: &Mock, inputs: &EncryptedInputs<Bits>, observer: &dyn Observer| {
            let result = execute(schedule, mock, inputs.clone(), &sides.1, observer);
            result.err().unwrap()
        };

    let mut low = inputs.clone();
    low.insert("a", (0..8).map(|_| fresh(&[false; RECORDS], 2)));
    let error = fails(&schedule, &mock, &low, &());
    assert!(matches!(error, EngineError::LowLevel { got: 2, .. }), "{error}");

    let missing = fails(&schedule, &mock, &EncryptedInputs::new(), &());
    assert!(matches!(missing, EngineError::MissingInput { .. }), "{missing}");

    let other = LevelChain {
        name: "other".to_string(),
        ..level_chain((1..=30).rev())
    };
    let other = DepthPlanner::new(other).plan(&circuit).unwrap();
    let error = fails(&other, &mock, &inputs, &());
    assert!(matches!(error, EngineError::OtherParameters { .. }), "{error}");

    // A scheme that wants larger steps than the chain has.
    let steep = Mock {
        step: 2,
        ..Mock::new(2)
    };
    let error = fails(&schedule, &steep, &inputs, &());
    let EngineError::Step {
        operation: "product",
        source,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(matches!(source.downcast_ref(), Some(MockError::Levels(..))));

    let stop = Stop {
        after: 20,
        done: AtomicUsize::new(0),
    };
    let error = fails(&schedule, &mock, &inputs, &stop);
    assert!(
        matches!(error, EngineError::Cancelled { done, .. } if done >= 20),
        "{error}"
    );
}

/// A chain of products of two private words, masked by a public one.
fn chain(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut word = builder.input("a", Visibility::Private, 3);
    let late = builder.input("b", Visibility::Private, 3);
    let mask = builder.input("p", Visibility::Public, 3);
    for _ in 0..depth {
        let product = builder.and_words(&word, &word.rotate_left(1)).unwrap();
        word = builder.xor_words(&product, &word.rotate_left(2)).unwrap();
    }
    let masked = builder.and_words(&late, &mask).unwrap();
    let sum = builder.xor_words(&word, &masked).unwrap();
    let sum = builder.xor_words(&sum, &mask).unwrap();
    builder.output("x", &sum);
    builder.finish().unwrap()
}

#[test]
fn fv_agrees_by_depth() {
    let circuit = chain(4);
    for form in ProductForm::ALL {
        let party = Party::new(&insecure(2048, form, 6));
        let context = &party.context;
        let layout = Layout::new(context.slots().unwrap(), 1).unwrap();
        let encoding = FvEncoding::new(context, &layout);
        // Of all moduli those that are a large prime apart.
        let parameters = context.parameters();
        let mut levels = vec![parameters.levels()];
        for level in (1..parameters.levels()).rev() {
            if parameters.log2_q(levels[levels.len() - 1]) - parameters.log2_q(level) > LIMB_BITS - 1.0 {
                levels.push(level);
            }
        }
        let planner = DepthPlanner::new(LevelChain {
            name: parameters.name().to_string(),
            records: layout.records(),
            sides: form.sides(),
            levels,
        });
        let schedule = planner.plan(&circuit).unwrap();
        let values = Dice::new(5).inputs(&circuit, layout.records());
        let (private, public) = sides(&circuit, &values);
        let inputs = encrypt_inputs(&schedule, &encoding, &private, &seed(6), |plain, level, seed| {
            context.encrypt(&party.public, plain, level, seed)
        });
        let key = context
            .generate_relinearization_key(&party.secret, &seed(7))
            .unwrap();
        let scheme = FvScheme::new(context, &layout, form, &key);
        let done = execute(&schedule, &scheme, inputs.unwrap(), &public, &()).unwrap();
        let result = decrypt_outputs(&schedule, &encoding, &done.outputs, |ciphertext| {
            context.decrypt(&party.secret, ciphertext)
        });
        assert_eq!(result.unwrap(), circuit.evaluate(&values).unwrap(), "{form}");
        assert_eq!(done.statistics.tally(OperationKind::Relinearize).count, 12);
    }
}
