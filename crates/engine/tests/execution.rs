//! Plans carried out at small dimensions, with insecure parameters asked for as such, and compared
//! with evaluation in the clear.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Dice, Party, seed};
use ringmill_circuit::{Builder, Circuit, Visibility, Wire, Word};
use ringmill_engine::{
    EncryptedInputs, EngineError, Kind, Observer, OutputBit, Plan, Planner, Progress, PublicInputs,
    decrypt_outputs, encrypt_inputs,
};
use ringmill_fv::{KeySwitching, Parameters, ParametersSpec, PrimeChoice, SecretDistribution, SecurityLevel};

fn insecure(n: usize, limbs: usize) -> Parameters {
    Parameters::new(&ParametersSpec {
        name: format!("test-n{n}-q{limbs}"),
        n,
        t: 2,
        limbs: PrimeChoice {
            count: limbs,
            bits: 45.0,
        },
        special: Some(PrimeChoice { count: 2, bits: 46.0 }),
        key_switching: KeySwitching::Hybrid { digit_limbs: 2 },
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    })
    .unwrap()
}

/// XOR, AND, NOT and constants on public and private bits, with at most `depth` private ANDs in a row.
fn random_circuit(dice: &mut Dice, gates: usize, depth: u32) -> Circuit {
    let mut builder = Builder::new();
    let mut wires: Vec<(Wire, u32, bool)> = Vec::new();
    for (name, visibility) in [
        ("a", Visibility::Private),
        ("p", Visibility::Public),
        ("b", Visibility::Private),
    ] {
        let word = builder.input(name, visibility, 3);
        wires.extend(
            word.wires()
                .iter()
                .map(|wire| (*wire, 0, visibility == Visibility::Private)),
        );
    }
    for _ in 0..gates {
        // Mostly recent wires, so that the circuit gets deep.
        let low = if dice.below(2) == 0 {
            wires.len().saturating_sub(8)
        } else {
            0
        };
        let [(a, da, pa), (b, db, pb)] = [(); 2].map(|()| wires[low + dice.below(wires.len() - low)]);
        let and_depth = da.max(db) + u32::from(pa && pb);
        wires.push(match dice.below(8) {
            0 => (builder.not(a), da, pa),
            1 if dice.below(4) == 0 => (builder.constant(dice.below(2) == 1), 0, false),
            2..=4 if and_depth <= depth => (builder.and(a, b), and_depth, pa || pb),
            _ => (builder.xor(a, b), da.max(db), pa || pb),
        });
    }
    let recent = wires.iter().rev().take(6).map(|(wire, _, _)| *wire);
    builder.output("x", &Word::new(recent.collect()));
    // An input as it is, and a bit twice.
    let twice = wires[wires.len() - 1].0;
    builder.output("y", &Word::new(vec![wires[0].0, twice, twice]));
    builder.finish().unwrap()
}

/// Runs a circuit both ways on random records and compares bits and noise. The largest difference of
/// predicted and measured noise, in bits.
fn compare(circuit: &Circuit, party: &Party, dice: &mut Dice) -> f64 {
    let plan = Planner::new(SecurityLevel::Bits128)
        .plan_with(circuit, party.context.parameters())
        .unwrap();
    let (mut private, mut public, mut all) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for port in circuit.inputs() {
        let lanes = dice.lanes(port.wires.len(), plan.slots());
        all.push(lanes.clone());
        match port.visibility {
            Visibility::Private => private.insert(port.name.clone(), lanes),
            Visibility::Public => public.insert(port.name.clone(), lanes),
        };
    }
    let expected = circuit.evaluate(&all).unwrap();
    let inputs = party.encrypt(&plan, &private);
    let done = party.execute(&plan, inputs, &public, &()).unwrap();
    assert!(done.statistics.most_ciphertexts <= plan.prediction().memory.ciphertexts);
    assert_eq!(
        done.statistics.tally(Kind::Relinearize).count,
        plan.products() as u64
    );
    let context = &party.context;
    let result = decrypt_outputs(context, &party.secret, &done.outputs).unwrap();
    assert_eq!(result, expected, "{}", plan.explain());

    let mut slack = 0.0f64;
    for bit in done.outputs.iter().flatten() {
        let OutputBit::Encrypted(ciphertext) = bit else {
            continue;
        };
        let plaintext = context.decrypt(&party.secret, ciphertext).unwrap();
        let measured = context
            .measure_noise(&party.secret, ciphertext, &plaintext)
            .unwrap();
        let predicted = plan.prediction().noise;
        assert!(
            measured <= predicted,
            "measured 2^{measured}, predicted 2^{predicted}"
        );
        slack = slack.max(predicted - measured);
    }
    slack
}

#[test]
fn random_circuits_agree_with_evaluation_in_the_clear() {
    for (n, limbs, circuits) in [(2048, 3, 6), (4096, 4, 3)] {
        let party = Party::new(&insecure(n, limbs));
        for index in 0..circuits {
            let mut dice = Dice::new(index);
            let circuit = random_circuit(&mut dice, 20 + 20 * usize::from(index), 4);
            compare(&circuit, &party, &mut dice);
        }
    }
}

/// `rounds` rounds of SIMON encryption with independent round keys.
fn simon_rounds(rounds: usize) -> Circuit {
    let mut builder = Builder::new();
    let block = builder.input("block", Visibility::Public, 64);
    let key = builder.input("key", Visibility::Private, 32 * rounds);
    let [mut y, mut x] = block.split();
    for round in 0..rounds {
        let key = Word::new(key.wires()[32 * round..32 * (round + 1)].to_vec());
        let product = builder.and_words(&x.rotate_left(1), &x.rotate_left(8)).unwrap();
        let sum = builder.xor_words(&product, &x.rotate_left(2)).unwrap();
        let sum = builder.xor_words(&sum, &y).unwrap();
        let next = builder.xor_words(&sum, &key).unwrap();
        (x, y) = (next, x);
    }
    builder.output("block", &y.concat(&x));
    builder.finish().unwrap()
}

#[test]
fn some_rounds_of_simon() {
    let party = Party::new(&insecure(2048, 3));
    let mut dice = Dice::new(50);
    compare(&simon_rounds(3), &party, &mut dice);
}

fn small() -> (Party, Plan, PublicInputs, PublicInputs) {
    let party = Party::new(&insecure(2048, 2));
    let plan = Planner::new(SecurityLevel::Bits128).plan_with(&simon_rounds(2), party.context.parameters());
    let mut dice = Dice::new(60);
    let private = BTreeMap::from([("key".to_string(), dice.lanes(64, 128))]);
    let public = BTreeMap::from([("block".to_string(), dice.lanes(64, 128))]);
    (party, plan.unwrap(), private, public)
}

struct Stop {
    after: usize,
    seen: AtomicUsize,
}

impl Observer for Stop {
    fn progress(&self, progress: Progress) {
        self.seen.fetch_max(progress.done, Ordering::SeqCst);
        assert!(progress.done <= progress.total && progress.weight_done <= progress.weight_total * 1.000_001);
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::SeqCst) >= self.after
    }
}

#[test]
fn progress_reaches_the_end_and_cancelling_stops() {
    let (party, plan, private, public) = small();
    let inputs = party.encrypt(&plan, &private);
    let total = plan.waves().iter().map(|wave| wave.steps.len()).sum();
    let watch = Stop {
        after: usize::MAX,
        seen: AtomicUsize::new(0),
    };
    party.execute(&plan, inputs.clone(), &public, &watch).unwrap();
    assert_eq!(watch.seen.into_inner(), total);

    let stop = Stop {
        after: 10,
        seen: AtomicUsize::new(0),
    };
    let result = party.execute(&plan, inputs, &public, &stop);
    assert!(matches!(result, Err(EngineError::Cancelled { done, .. }) if done >= 10 && done < total));
}

#[test]
fn unfit_inputs_are_named() {
    let (party, plan, private, public) = small();
    let inputs = party.encrypt(&plan, &private);
    let error = |inputs, public: &PublicInputs| party.execute(&plan, inputs, public, &()).err().unwrap();
    let none = EncryptedInputs::new();
    assert!(
        error(none, &public)
            .to_string()
            .contains("encrypted input \"key\" is missing")
    );
    assert!(
        error(inputs.clone(), &BTreeMap::new())
            .to_string()
            .contains("public input \"block\" is missing")
    );

    let mut short = public.clone();
    short.get_mut("block").unwrap().pop();
    assert!(matches!(
        error(inputs.clone(), &short),
        EngineError::WrongWidth {
            expected: 64,
            got: 63,
            ..
        }
    ));
    let mut long = public.clone();
    long.get_mut("block").unwrap()[5].push(0);
    assert!(matches!(
        error(inputs.clone(), &long),
        EngineError::TooManyRecords { got: 192, slots: 128 }
    ));
    let mut more = public.clone();
    more.insert("key".to_string(), vec![]);
    assert!(matches!(
        error(inputs.clone(), &more),
        EngineError::UnknownInput { .. }
    ));
    let mut extra = inputs.clone();
    extra.insert("block", []);
    assert!(matches!(error(extra, &public), EngineError::UnknownInput { .. }));

    // All bits at level 1: too low for those of the first product.
    let low = encrypt_inputs(&plan, &party.context, &private, &seed(9), |plaintext, _, seed| {
        party.context.encrypt(&party.public, plaintext, 1, seed)
    });
    let low = error(low.unwrap(), &public);
    assert!(
        matches!(&low, EngineError::LowLevel { port, got: 1, .. } if port == "key"),
        "{low}"
    );

    let other = Party::new(&insecure(2048, 3));
    let foreign = other.execute(&plan, inputs, &public, &());
    assert!(matches!(foreign, Err(EngineError::OtherParameters { .. })));
}

#[test]
fn higher_levels_and_fewer_records_do_no_harm() {
    let (party, plan, private, mut public) = small();
    for lane in public.get_mut("block").unwrap() {
        lane.pop();
    }
    let high = encrypt_inputs(&plan, &party.context, &private, &seed(9), |plaintext, _, seed| {
        party.context.encrypt(&party.public, plaintext, 2, seed)
    });
    let done = party.execute(&plan, high.unwrap(), &public, &()).unwrap();
    let result = decrypt_outputs(&party.context, &party.secret, &done.outputs).unwrap();
    for lane in public.get_mut("block").unwrap() {
        lane.push(0);
    }
    let expected = simon_rounds(2).evaluate(&[public["block"].clone(), private["key"].clone()]);
    assert_eq!(result, expected.unwrap());
}
