//! LTV at full size: the operations that tables 5 and 6 of paper 3 time, and SIMON-64/128 and AES-128 on 2048
//! blocks by the engine, verified.
//!
//! `cargo bench -p ringmill-schemes --bench ltv [-- operations|simon|aes]`; without a word all three.
#![allow(missing_docs, clippy::unwrap_used)] // a bench stops where it fails

use std::sync::Arc;
use std::time::{Duration, Instant};

use ringmill_arith::Kernel;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::aes::Aes;
use ringmill_circuit::simon;
use ringmill_circuit::{Circuit, PortValues, Visibility, bundled};
use ringmill_device::{CpuDevice, Device};
use ringmill_engine::{
    DepthPlanner, Kind, Observer, Progress, PublicInputs, decrypt_outputs, encrypt_inputs, execute,
    peak_memory,
};
use ringmill_schemes::ltv::{Context, Evaluator};
use ringmill_schemes::ntru::{Parameters, PublicKey, SecretKey};

/// Runs of an operation.
const RUNS: usize = 7;

struct Party {
    evaluator: Evaluator<CpuDevice>,
    secret: SecretKey<CpuDevice>,
    public: PublicKey<CpuDevice>,
}

impl Party {
    fn new(set: &str) -> Self {
        let parameters = Parameters::named(set).unwrap();
        println!("warning: {}", parameters.warning());
        let device = CpuDevice::new(parameters.ring(), Kernel::from_environment().unwrap());
        println!("{}", device.name());
        let context = Arc::new(Context::new(parameters, Arc::new(device)).unwrap());
        let start = Instant::now();
        let secret = context.base().generate_secret_key(&random()).unwrap();
        let public = context.base().generate_public_key(&secret, &random()).unwrap();
        println!("secret and public key {:.2?}", start.elapsed());
        let start = Instant::now();
        let key = context
            .generate_evaluation_key(&secret, &public, &random())
            .unwrap();
        println!("evaluation key {:.2?}", start.elapsed());
        Self {
            secret,
            public,
            evaluator: Evaluator::new(context, key),
        }
    }

    fn operations(&self) {
        let (context, key) = (self.evaluator.context(), self.evaluator.key());
        let base = context.base();
        let plaintext = base.encode(&[true, false, true]).unwrap();
        let top = base.parameters().levels();
        for level in [top, top * 2 / 3, top / 3] {
            println!(
                "level {level}, {:.0} bits",
                base.parameters().log2_q(level).unwrap()
            );
            let encrypt = || {
                context
                    .encrypt(&self.public, &plaintext, level, &random())
                    .unwrap()
            };
            let (a, b) = (encrypt(), encrypt());
            time("encrypt", 1, encrypt);
            time("decrypt", 1, || context.decrypt(&self.secret, &a).unwrap());
            time("XOR (ADD)", 1, || context.sum(&[&a, &b]).unwrap());
            time("product", 1, || context.multiply(&[(&a, &b)]).unwrap());
            let product = context.multiply(&[(&a, &b)]).unwrap();
            for together in [1, 2, 4] {
                let products = vec![(&product, &[][..]); together as usize];
                time(
                    &format!("relinearize, {together} at a time, each"),
                    together,
                    || context.relinearize_all(key, &products, level).unwrap(),
                );
            }
            time("modulus switching", 1, || context.switch(&a, level - 1).unwrap());
            time("AND (product, relinearize, switch)", 1, || {
                let product = context.multiply(&[(&a, &b)]).unwrap();
                let sums = [(&product, &[][..])];
                context.relinearize_all(key, &sums, level - 1).unwrap()
            });
        }
    }

    /// Evaluates a circuit whose first port is of public blocks, the second of private keys, and sees that the
    /// outputs are right.
    fn evaluate(&self, circuit: &Circuit, depth: usize, first: (&[u8], &[u8]), expected: &[u8]) {
        let context = self.evaluator.context();
        let ladder = context.ladder(depth).unwrap();
        let schedule = DepthPlanner::new(ladder).plan(circuit).unwrap();
        let records = schedule.records();
        let ports = [first.0, first.1].map(|bytes| lanes(bytes, records));
        let (mut private, mut public) = (PublicInputs::default(), PublicInputs::default());
        for (port, values) in circuit.inputs().iter().zip(&ports) {
            let side = match port.visibility {
                Visibility::Private => &mut private,
                Visibility::Public => &mut public,
            };
            side.insert(port.name.clone(), values.clone());
        }
        let start = Instant::now();
        let encoding = context.base();
        let inputs = encrypt_inputs(
            &schedule,
            encoding,
            &private,
            &random(),
            |plaintext, level, seed| context.encrypt(&self.public, plaintext, level, seed),
        );
        let inputs = inputs.unwrap();
        println!("inputs encrypted in {:.2?}", start.elapsed());
        let done = execute(
            &schedule,
            &self.evaluator,
            inputs,
            &public,
            &Shown(Instant::now()),
        )
        .unwrap();
        for kind in Kind::ALL {
            let tally = done.statistics.tally(kind);
            println!("{:<16} {:>6}  {:>10.2?}", kind.name(), tally.count, tally.time);
        }
        let elapsed = done.statistics.elapsed;
        println!(
            "{} products of {records} blocks in {elapsed:.2?}, {:.2?} a block; at most {} ciphertexts",
            schedule.products(),
            elapsed / records as u32,
            done.statistics.most_ciphertexts
        );
        let decrypt = |a: &_| context.decrypt(&self.secret, a);
        let outputs = decrypt_outputs(&schedule, encoding, &done.outputs, decrypt).unwrap();
        // All records against the circuit in the clear, the first against the published vector.
        assert_eq!(outputs, circuit.evaluate(&ports).unwrap());
        assert_eq!(outputs[0].record_bytes(circuit.outputs()[0].kind, 0), expected);
        println!("right; peak memory {} MiB", peak_memory().unwrap_or(0) >> 20);
    }
}

/// Runs `work` some times and prints the median and the fastest run, each divided by `parts`.
fn time<T>(what: &str, parts: u32, mut work: impl FnMut() -> T) {
    let run = |_| {
        let start = Instant::now();
        drop(work());
        start.elapsed() / parts
    };
    let mut times: Vec<Duration> = (0..RUNS).map(run).collect();
    times.sort_unstable();
    println!(
        "{what:<40} {:>10.2?}  fastest {:>10.2?}",
        times[RUNS / 2],
        times[0]
    );
}

/// Bits by record: the given bytes in the first, others in the others.
fn lanes(bytes: &[u8], records: usize) -> PortValues {
    let bit = |bit: usize| {
        let words = (0..records as u64 / 64).map(|word| {
            let other = (word + 1 + 40 * bit as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let first = u64::from(bytes[bit / 8] >> (bit % 8) & 1);
            if word == 0 { other << 1 | first } else { other }
        });
        words.collect()
    };
    PortValues::Bits((0..8 * bytes.len()).map(bit).collect())
}

/// Shows progress now and then.
struct Shown(Instant);

impl Observer for Shown {
    fn progress(&self, progress: Progress) {
        if progress.done.is_multiple_of(500) {
            println!(
                "{} of {} steps after {:.0?}",
                progress.done,
                progress.total,
                self.0.elapsed()
            );
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

fn random() -> Seed {
    Seed::random().unwrap()
}

/// SIMON-64/128; Beaulieu and others, ePrint 2013/404, appendix B, words from the lowest.
fn simon() {
    let key: Vec<u8> = (0..4)
        .flat_map(|word| (0..4).map(move |byte| 8 * word + byte))
        .collect();
    let words = |x: u32, y: u32| [y.to_le_bytes(), x.to_le_bytes()].concat();
    let plaintext = words(0x656b_696c, 0x2064_6e75);
    let ciphertext = words(0x44c8_fc20, 0xb9df_a07a);
    let circuit = simon::encrypt_circuit().unwrap();
    Party::new("ltv-1271-44").evaluate(&circuit, 43, (&plaintext, &key), &ciphertext);
}

/// AES-128; FIPS 197, appendix C.1.
fn aes() {
    let key: Vec<u8> = (0..16).collect();
    let plaintext: Vec<u8> = (0..16).map(|byte| 17 * byte).collect();
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let round_keys = Aes::new(&key).unwrap().round_keys().concat();
    let circuit = bundled::aes::encrypt_circuit().unwrap();
    Party::new("ltv-1271").evaluate(&circuit, 40, (&plaintext, &round_keys), &ciphertext);
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wanted = |word: &str| words.is_empty() || words.iter().any(|w| w == word);
    if wanted("operations") {
        Party::new("ltv-1271").operations();
    }
    if wanted("simon") {
        simon();
    }
    if wanted("aes") {
        aes();
    }
}
