//! The main job from end to end: SIMON-64/128 decryption under encryption, checked.

mod report;

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_circuit::simon::{self, Simon64};
use ringmill_device::CpuDevice;
use ringmill_fv::{PublicKey, RelinearizationKey, SecretKey};
use zeroize::Zeroizing;

use crate::arguments::DemoArguments;
use crate::circuits::{CircuitName, output_bits};
use crate::encryption::{CpuCiphertext, Decrypted, Encryptor, decrypt_records, encrypt_records};
use crate::error::CliError;
use crate::evaluation::{self, Evaluated};
use crate::files::{self, Counter};
use crate::hex;
use crate::machine::Machine;
use crate::progress::timed;
use crate::report::print_either;
use crate::session::{self, CpuContext, Session};
use report::{DemoReport, Noise, Seconds, Sizes};

/// Bytes of a SIMON block.
const BLOCK: usize = 8;

/// The largest input: beyond, an evaluation would take days.
const MOST_INPUT: u64 = 128 << 20;

/// Runs the demonstration.
pub fn run(arguments: &DemoArguments) -> Result<(), CliError> {
    let seed = seed(arguments)?;
    let job = Job::new(arguments, &seed)?;
    let mut seconds = Seconds::default();
    let circuit = simon::decrypt_circuit()?;
    let (plan, planning) = timed("planning", || session::plan(&circuit, &arguments.choice))?;
    seconds.planning = planning;
    let (session, setup) = timed("tables", || Session::new(circuit, plan))?;
    seconds.setup = setup;
    let keys = Keys::generate(&session.context, &seed, &mut seconds)?;
    let mut sizes = Sizes::of_keys(&session.context, &keys.secret)?;
    let inputs = encrypt(&session, keys.public, &job, &seed, &mut seconds)?;
    sizes.note_inputs(&session.context, &inputs)?;
    let evaluated = evaluation::evaluate(&session, &keys.relinearization, Some(&job.encrypted), inputs)?;
    seconds.note_evaluation(&session, &evaluated, job.blocks());
    sizes.note_results(&session.context, &evaluated.results)?;
    let width = output_bits(&session.circuit);
    let (decrypted, decryption) = timed("decrypting", || {
        decrypt_records(&session.context, &keys.secret, &evaluated.results, width)
    })?;
    seconds.decryption = decryption;
    finish(
        arguments,
        &session,
        &job,
        &evaluated,
        &decrypted,
        (sizes, seconds),
    )
}

fn finish(
    arguments: &DemoArguments,
    session: &Session,
    job: &Job,
    evaluated: &Evaluated,
    decrypted: &Decrypted,
    (sizes, seconds): (Sizes, Seconds),
) -> Result<(), CliError> {
    let found = decrypted.bytes.chunks_exact(BLOCK);
    let correct = job
        .plain
        .chunks_exact(BLOCK)
        .zip(found)
        .filter(|(a, b)| a == b)
        .count();
    let report = DemoReport::new(
        Machine::this(session.context.device().kernel().name()),
        session,
        (job.blocks(), correct),
        evaluated,
        Noise::new(session.plan.prediction(), decrypted.noise),
        (sizes, seconds),
    );
    print_either(arguments.json, &report, || report.text())?;
    match job.blocks() - correct {
        0 => Ok(()),
        wrong => Err(CliError::WrongResult(format!(
            "{wrong} of {} blocks were decrypted wrongly; this is a defect, please report it",
            job.blocks()
        ))),
    }
}

fn seed(arguments: &DemoArguments) -> Result<Seed, CliError> {
    match &arguments.seed {
        None => Ok(Seed::random()?),
        Some(text) => {
            let bytes =
                hex::parse::<32>(text).map_err(|problem| CliError::Usage(format!("--seed: {problem}")))?;
            Ok(Seed::from_bytes(*bytes))
        }
    }
}

/// What is decrypted, and with what.
struct Job {
    /// Whole blocks.
    plain: Vec<u8>,
    /// The same encrypted with SIMON.
    encrypted: Vec<u8>,
    /// The SIMON key.
    key: Zeroizing<[u8; 16]>,
}

impl Job {
    fn new(arguments: &DemoArguments, seed: &Seed) -> Result<Self, CliError> {
        let plain = match &arguments.input {
            None => random_bytes(
                &seed.derive("demo plaintext", 0),
                arguments.blocks as usize * BLOCK,
            ),
            Some(path) => {
                let mut plain = files::read_bytes(path, MOST_INPUT)?.to_vec();
                if plain.is_empty() {
                    return Err(CliError::data(
                        path,
                        "the file is empty; there is nothing to work on",
                    ));
                }
                plain.resize(plain.len().next_multiple_of(BLOCK), 0);
                plain
            }
        };
        let mut key = Zeroizing::new([0; 16]);
        key.copy_from_slice(&random_bytes(&seed.derive("demo SIMON key", 0), 16));
        let cipher = Simon64::from_key_bytes(*key);
        let (blocks, _) = plain.as_chunks::<BLOCK>();
        let encrypted = blocks
            .iter()
            .flat_map(|block| cipher.encrypt_block(*block))
            .collect();
        Ok(Self {
            plain,
            encrypted,
            key,
        })
    }

    fn blocks(&self) -> usize {
        self.plain.len() / BLOCK
    }
}

fn random_bytes(seed: &Seed, length: usize) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    Stream::new(seed).fill_words(&mut words);
    words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .take(length)
        .collect()
}

struct Keys {
    secret: SecretKey<CpuDevice>,
    public: PublicKey<CpuDevice>,
    relinearization: RelinearizationKey<CpuDevice>,
}

impl Keys {
    fn generate(context: &CpuContext, seed: &Seed, seconds: &mut Seconds) -> Result<Self, CliError> {
        let (secret, time) = timed("secret key", || {
            context.generate_secret_key(&seed.derive("demo secret key", 0))
        })?;
        seconds.secret_key = time;
        let (public, time) = timed("public key", || {
            context.generate_public_key(&secret, &seed.derive("demo public key", 0))
        })?;
        seconds.public_key = time;
        let (relinearization, time) = timed("relinearization key", || {
            context.generate_relinearization_key(&secret, &seed.derive("demo relinearization key", 0))
        })?;
        seconds.relinearization_key = time;
        Ok(Self {
            secret,
            public,
            relinearization,
        })
    }
}

/// Encrypts the SIMON key for the evaluator.
fn encrypt(
    session: &Session,
    key: PublicKey<CpuDevice>,
    job: &Job,
    seed: &Seed,
    seconds: &mut Seconds,
) -> Result<Vec<CpuCiphertext>, CliError> {
    let key = Encryptor::Public(key);
    let values = Zeroizing::new(CircuitName::SimonDecrypt.key_bytes(*job.key));
    let (inputs, time) = timed("encrypting", || {
        encrypt_records(
            session,
            &key,
            values.as_slice(),
            &seed.derive("demo encryption", 0),
        )
    })?;
    seconds.encryption = time;
    Ok(inputs)
}

impl Sizes {
    /// Of keys in files; those of ciphertexts come later.
    fn of_keys(context: &CpuContext, secret: &SecretKey<CpuDevice>) -> Result<Self, CliError> {
        let mut counter = Counter::default();
        context.write_secret_key(&mut counter, secret)?;
        Ok(Self {
            secret_key: counter.0,
            public_key: context.public_key_bytes(),
            relinearization_key: context.relinearization_key_bytes(),
            ..Self::default()
        })
    }

    fn note_inputs(&mut self, context: &CpuContext, inputs: &[CpuCiphertext]) -> Result<(), CliError> {
        for input in inputs {
            let bytes = context.ciphertext_bytes(input)?;
            self.ciphertext = self.ciphertext.max(bytes);
            self.all_inputs += bytes;
        }
        Ok(())
    }

    fn note_results(&mut self, context: &CpuContext, results: &[CpuCiphertext]) -> Result<(), CliError> {
        for result in results {
            let bytes = context.ciphertext_bytes(result)?;
            self.result = self.result.max(bytes);
            self.all_results += bytes;
        }
        Ok(())
    }
}
