//! When the executor waits for a scheme, and which values it lets rest, over the scheme that encrypts nothing.

use ringmill_circuit::{Builder, Circuit, PortValues, Visibility, Word};
use ringmill_engine::{DepthPlanner, EngineError, Execution, Schedule, encrypt_inputs, execute};

use crate::common::mock::{Bits, Mock, Plain, RECORDS, Told, level_chain};
use crate::common::{Sides, seed, sides};

/// Squares of sums in a row with b, each wave the last one's: `a` is needed in the first wave and in the last, `b`
/// in all. One output is made at the beginning.
fn chain(waves: usize) -> Circuit {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 1).wires()[0];
    let b = builder.input("b", Visibility::Private, 1).wires()[0];
    let first = builder.and(a, b);
    let mut last = first;
    for _ in 2..waves {
        last = builder.and(last, b);
    }
    last = builder.and(last, a);
    builder.output("x", &Word::new(vec![first, last]));
    builder.finish().unwrap()
}

/// A lane that is true in one record.
fn only(record: usize) -> Vec<u64> {
    let mut lane = vec![0; RECORDS.div_ceil(64)];
    lane[record / 64] = 1 << (record % 64);
    lane
}

fn all() -> Vec<u64> {
    vec![u64::MAX; RECORDS.div_ceil(64)]
}

/// Runs it with `a` only in record 3 and `b` in all.
fn run(schedule: &Schedule, mock: &Mock, circuit: &Circuit) -> Result<Execution<Bits>, EngineError> {
    let values = [PortValues::Bits(vec![only(3)]), PortValues::Bits(vec![all()])];
    let (private, public): Sides = sides(circuit, &values);
    let inputs = encrypt_inputs(schedule, &Plain, &private, &seed(1), |bits, level, _| {
        Ok(Bits {
            bits: bits.clone(),
            level,
        })
    });
    execute(schedule, mock, inputs.unwrap(), &public, &())
}

fn schedule(circuit: &Circuit) -> Schedule {
    DepthPlanner::new(level_chain((1..=40).rev()))
        .plan(circuit)
        .unwrap()
}

#[test]
fn every_wave_is_waited_for() {
    let circuit = chain(9);
    let (schedule, mock) = (schedule(&circuit), Mock::new(1));
    run(&schedule, &mock, &circuit).unwrap();
    let told = mock.told.lock().unwrap();
    let waits = told.iter().filter(|told| **told == Told::Finish).count();
    // And once for the outputs.
    assert_eq!(waits, schedule.waves().len() + 1);
    assert_eq!(told.last(), Some(&Told::Finish));
    // No wave is asked for before the last one is done.
    let mut asked = told.split(|told| *told == Told::Finish);
    for wave in schedule.waves() {
        let operations = asked.next().unwrap().iter();
        let operations = operations.filter(|told| **told == Told::Operation).count();
        assert!(operations >= wave.steps.len(), "{operations}");
    }
}

#[test]
fn failures_that_show_late_stop_the_execution() {
    let circuit = chain(9);
    let schedule = schedule(&circuit);
    let mock = Mock {
        fails: Some(4),
        ..Mock::new(1)
    };
    let error = run(&schedule, &mock, &circuit).err().unwrap();
    assert!(matches!(error, EngineError::Scheme(_)), "{error}");
    assert_eq!(mock.waits(), 5);
}

#[test]
fn what_is_not_used_for_long_rests() {
    for waves in [4, 9, 20] {
        let circuit = chain(waves);
        let (schedule, mock) = (schedule(&circuit), Mock::new(1));
        run(&schedule, &mock, &circuit).unwrap();
        let told = mock.told.into_inner().unwrap();
        let place = |wanted: &dyn Fn(&Told) -> bool| {
            let before = told.iter().position(wanted)?;
            Some(
                told[..before]
                    .iter()
                    .filter(|told| **told == Told::Finish)
                    .count(),
            )
        };
        // Whatever has a bit set in record 3 alone is a or a product of it; nothing else rests.
        let is_a = |bits: &Bits| bits.bits.iter().filter(|bit| **bit).count() == 1;
        let rests = told.iter().filter(|told| matches!(told, Told::Rest(_))).count();
        let expected = told.iter().filter(|told| matches!(told, Told::Expect(_))).count();
        assert!(told.iter().all(|told| match told {
            Told::Rest(bits) | Told::Expect(bits) => is_a(bits),
            _ => true,
        }));
        assert_eq!(rests, expected);
        match waves {
            4 => assert_eq!(rests, 0),
            _ => {
                assert!(rests >= 2, "a and the first output: {rests}");
                // a rests after the first waves, and is expected two waves before the end or so.
                let rest = place(&|told| matches!(told, Told::Rest(_))).unwrap();
                assert!(rest <= 2, "{rest}");
                let expect = place(&|told| matches!(told, Told::Expect(_))).unwrap();
                let all = schedule.waves().len();
                assert!((all - 4..all).contains(&expect), "{expect} of {all}");
            }
        }
    }
}
