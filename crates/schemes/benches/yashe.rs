//! YASHE at the full size of paper 3: its operations as tables 3, 4 and 6 have them, and SIMON-64/128 by the engine,
//! verified.
//!
//! `cargo bench -p ringmill-schemes --bench yashe [-- operations|simon|simon-one-level]`; without a word the first
//! two.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use ringmill_arith::Kernel;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::PortValues;
use ringmill_circuit::simon::{self, Simon64};
use ringmill_device::CpuDevice;
use ringmill_engine::{DepthPlanner, Kind, Ladder, decrypt_outputs, encrypt_inputs, execute, peak_memory};
use ringmill_schemes::ntru::{Parameters, PublicKey, SecretKey};
use ringmill_schemes::yashe::{Context, EvaluationKey, Evaluator};

type Failure = Box<dyn Error + Send + Sync>;

const RUNS: usize = 7;

struct Party {
    context: Arc<Context<CpuDevice>>,
    secret: SecretKey<CpuDevice>,
    public: PublicKey<CpuDevice>,
    evaluation: EvaluationKey<CpuDevice>,
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wanted =
        |word: &str| words.iter().any(|w| w == word) || (words.is_empty() && word != "simon-one-level");
    let parameters = Parameters::named("yashe-1225")?;
    println!("warning: {}", parameters.warning());
    let device = CpuDevice::new(parameters.ring(), Kernel::from_environment()?);
    println!("{}", ringmill_device::Device::name(&device));
    let context = Arc::new(Context::new(parameters, Arc::new(device))?);
    let start = Instant::now();
    let secret = context.generate_secret_key(&Seed::random()?)?;
    let public = context.generate_public_key(&secret, &Seed::random()?)?;
    let evaluation = context.generate_evaluation_key(&secret, &public, &Seed::random()?)?;
    println!("keys: {:.2} s", start.elapsed().as_secs_f64());
    let party = Party {
        context,
        secret,
        public,
        evaluation,
    };
    if wanted("operations") {
        operations(&party)?;
    }
    for (word, ladder) in [
        ("simon", party.context.ladder(43)?),
        ("simon-one-level", party.context.level_ladder(43)?),
    ] {
        if wanted(word) {
            evaluate_simon(&party, word, ladder)?;
        }
    }
    println!("peak memory: {} MiB", peak_memory().unwrap_or(0) >> 20);
    Ok(())
}

/// Median and least of some runs, in milliseconds.
fn timed<T>(name: &str, mut run: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
    let mut last = run()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        last = run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:<44} {:>9.3} ms, least {:>9.3} ms",
        times[RUNS / 2],
        times[0]
    );
    Ok(last)
}

fn operations(party: &Party) -> Result<(), Failure> {
    let context = &party.context;
    let top = context.parameters().levels();
    let bits: Vec<bool> = (0..context.base().slots().len()).map(|i| i % 3 == 1).collect();
    let plain = context.base().encode(&bits)?;
    let seed = Seed::random()?;
    let a = timed("encrypt", || {
        Ok(context.encrypt(&party.public, &plain, top, &seed)?)
    })?;
    let b = context.encrypt(&party.public, &plain, top, &Seed::random()?)?;
    timed("decrypt", || Ok(context.decrypt(&party.secret, &a)?))?;
    for level in [top, 44, 22, 1] {
        let limbs = context.parameters().q_at(level)?.len();
        println!("level {level}, {limbs} limbs:");
        let [a, b] = [context.switch(&a, level)?, context.switch(&b, level)?];
        timed("  ADD (XOR gate)", || Ok(context.sum(&[&a, &b])?))?;
        let x = timed("  lift of one factor", || Ok(context.lift(&a)?))?;
        let y = context.lift(&b)?;
        let product = timed("  product of two factors", || Ok(context.multiply(&[(&x, &y)])?))?;
        timed("  KeySwitch", || {
            Ok(context.relinearize(&product, &[], &party.evaluation, level)?)
        })?;
        let result = timed("  MULT (AND gate), all of these", || {
            let [x, y] = [context.lift(&a)?, context.lift(&b)?];
            let product = context.multiply(&[(&x, &y)])?;
            Ok(context.relinearize(&product, &[], &party.evaluation, level)?)
        })?;
        if level > 1 {
            timed("  switch to the level below", || {
                Ok(context.switch(&result, level - 1)?)
            })?;
            let noise = context.measure_noise(&party.secret, &result, &plain)?;
            println!("  log2 of the product's noise {noise:.1}");
        }
    }
    Ok(())
}

/// Bits of every record, lane by lane.
fn lanes(width: usize, records: usize, bit: impl Fn(usize, usize) -> bool) -> PortValues {
    let lane = |wire: usize| {
        let mut words = vec![0; records.div_ceil(64)];
        (0..records).for_each(|r| words[r / 64] |= u64::from(bit(r, wire)) << (r % 64));
        words
    };
    PortValues::Bits((0..width).map(lane).collect())
}

fn evaluate_simon(party: &Party, name: &str, ladder: Ladder) -> Result<(), Failure> {
    let context = &party.context;
    let records = context.base().slots().len();
    println!("{name}: levels {} to {}", ladder.levels[0], ladder.levels[43]);
    let schedule = DepthPlanner::new(ladder).plan(&simon::encrypt_circuit()?)?;
    // The key of the designers' test vector, and its block in the first record.
    let key: Vec<u8> = (0..4)
        .flat_map(|word| (0..4).map(move |byte| 8 * word + byte))
        .collect();
    let block = |r: usize| {
        let first = u64::from_le_bytes(*b"und like");
        (first ^ (r as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_le_bytes()
    };
    let key_bit = |_: usize, wire: usize| key[wire / 8] >> (wire % 8) & 1 == 1;
    let block_bit = |r: usize, wire: usize| block(r)[wire / 8] >> (wire % 8) & 1 == 1;
    let start = Instant::now();
    let private = BTreeMap::from([("key".to_owned(), lanes(128, records, key_bit))]);
    let inputs = encrypt_inputs(
        &schedule,
        context.base(),
        &private,
        &Seed::random()?,
        |plain, level, seed| context.encrypt(&party.public, plain, level, seed),
    )?;
    println!("encryption of the key: {:.2} s", start.elapsed().as_secs_f64());
    // The evaluation key is the party's; the evaluator has a copy, as if from a file.
    let mut file = Vec::new();
    context.write_evaluation_key(&mut file, &party.evaluation)?;
    println!("evaluation key: {:.1} MiB", file.len() as f64 / (1 << 20) as f64);
    let evaluator = Evaluator::new(Arc::clone(context), context.read_evaluation_key(&file[..])?);
    let public = BTreeMap::from([("block".to_owned(), lanes(64, records, block_bit))]);
    let done = execute(&schedule, &evaluator, inputs, &public, &())?;
    let seconds = done.statistics.elapsed.as_secs_f64();
    println!(
        "evaluation: {seconds:.2} s, {:.2} ms a block",
        seconds * 1e3 / records as f64
    );
    for kind in Kind::ALL {
        let tally = done.statistics.tally(kind);
        if tally.count > 0 {
            println!("  {kind:?}: {} in {:.2} s", tally.count, tally.time.as_secs_f64());
        }
    }
    let outputs = decrypt_outputs(&schedule, context.base(), &done.outputs, |a| {
        context.decrypt(&party.secret, a)
    })?;
    let cipher = Simon64::from_key_bytes(key.clone().try_into().map_err(|_| "a key of 16 bytes")?);
    for r in 0..records {
        let got = outputs[0].record_bytes(ringmill_circuit::Kind::Bit, r);
        let expected = cipher.encrypt_block(block(r));
        if got != expected {
            return Err(format!("block {r} is {got:02x?}, expected {expected:02x?}").into());
        }
    }
    println!(
        "all {records} blocks are right; the first is {:02x?}",
        cipher.encrypt_block(block(0))
    );
    Ok(())
}
