//! A block cipher decrypted under encryption from end to end, and checked.

mod job;
mod ntru;
mod report;

use std::time::Instant;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::{EvaluationKeys, InputKey, Loading, OutputValue};
use ringmill_fv::{Context, SecretKey};

use crate::arguments::DemoArguments;
use crate::batches::Outputs;
use crate::circuits::CircuitChoice;
use crate::device::{self, Devices};
use crate::encryption::{Decrypted, Encryptor, ciphertexts, decrypt, encrypt};
use crate::error::CliError;
use crate::evaluation::{Account, Evaluation};
use crate::files::Counter;
use crate::hex;
use crate::host::HostInfo;
use crate::keys;
use crate::optimising::Optimise;
use crate::progress::timed;
use crate::report::print_either;
use crate::session::{self, Session, Wishes};
use crate::tables;
use job::Job;
use report::{DemoReport, Noise, Seconds, Sizes};

/// Runs the demonstration.
pub fn run(arguments: &DemoArguments) -> Result<(), CliError> {
    arguments.device.device.run(Demo(arguments))
}

struct Demo<'a>(&'a DemoArguments);

impl device::Job for Demo<'_> {
    type Output = ();

    fn run<F: Devices>(self, devices: &F) -> Result<(), CliError> {
        let Self(arguments) = self;
        match &arguments.scheme {
            Some(scheme) => ntru::run(devices, scheme, arguments.cipher, arguments.json),
            None => demonstrate(devices, arguments),
        }
    }
}

/// Over FV, with parameters that are planned for the device.
fn demonstrate(devices: &impl Devices, arguments: &DemoArguments) -> Result<(), CliError> {
    let seed = seed(arguments)?;
    let job = Job::new(arguments, &seed)?;
    let mut seconds = Seconds::default();
    let named = CircuitChoice::bundled(job.circuit()).build()?;
    let start = Instant::now();
    let wishes = Wishes {
        optimise: Optimise::Off,
        key: InputKey::Secret,
        loading: Loading::AtOnce,
    };
    let choice = session::plan(devices, &named.circuit, &arguments.choice, wishes)?;
    seconds.planning = start.elapsed().as_secs_f64();
    let (session, setup) = timed("tables", || Session::new(devices, named, choice.plan))?;
    seconds.setup = setup;
    let keys = Keys::generate(&session, &seed, &mut seconds)?;
    let mut sizes = Sizes::of_keys(&session.context, &keys)?;
    let (run, decrypted) = evaluate(&session, &keys, &job, &seed, (&mut sizes, &mut seconds))?;
    let correct = job.correct(&decrypted.bytes);
    let report = DemoReport::new(
        HostInfo::with(devices)?,
        &session,
        (job.cipher, job.blocks(), correct),
        &run,
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

struct Keys<D: Device> {
    secret: SecretKey<D>,
    evaluation: EvaluationKeys<D>,
}

impl<D: Device> Keys<D> {
    fn generate(session: &Session<D>, seed: &Seed, seconds: &mut Seconds) -> Result<Self, CliError> {
        let context = &session.context;
        let (secret, time) = timed("secret key", || {
            context.generate_secret_key(&seed.derive("demo secret key", 0))
        })?;
        seconds.secret_key = time;
        let (evaluation, time) = timed("evaluation keys", || {
            let seed = seed.derive("demo evaluation keys", 0);
            let keys = EvaluationKeys::generate(&session.plan, context, &secret, &seed)?;
            context.device().finish()?;
            Ok::<_, CliError>(keys)
        })?;
        seconds.evaluation_keys = time;
        Ok(Self { secret, evaluation })
    }
}

/// What all batches decrypted to.
struct Plain {
    bytes: Vec<u8>,
    noise: f64,
}

/// Encrypts the cipher's key, evaluates batch by batch, and decrypts each.
fn evaluate<D: Device>(
    session: &Session<D>,
    keys: &Keys<D>,
    job: &Job,
    seed: &Seed,
    (sizes, seconds): (&mut Sizes, &mut Seconds),
) -> Result<(Account, Plain), CliError> {
    let encryptor = Encryptor::Secret(&keys.secret);
    let values = job.private(session)?;
    let (inputs, time) = timed("encrypting", || {
        let seed = seed.derive("demo encryption", 0);
        encrypt(session, encryptor, &values, &seed, || ())
    })?;
    seconds.encryption = time;
    for input in ciphertexts(session, &inputs) {
        sizes.note_input(session.context.ciphertext_bytes(&input)?);
    }
    let total = job.blocks().div_ceil(session.plan.records());
    let mut run = Evaluation::new(session, &keys.evaluation);
    let mut plain = Plain {
        bytes: Vec::new(),
        noise: f64::NEG_INFINITY,
    };
    let mut batches = job.public(session)?.peekable();
    let mut inputs = Some(inputs);
    while let Some(batch) = batches.next() {
        let batch = batch?;
        let (records, public) = (batch.records, tables::values(&job.schema(session)?, batch));
        // The last use gives the ciphertexts away, so that they are freed as early as possible.
        let given = match batches.peek() {
            None => inputs.take(),
            Some(_) => inputs.clone(),
        };
        run.expect(Some(total));
        let outputs = run.batch(given.unwrap_or_default(), &public)?;
        sizes.note_results(&session.context, &outputs)?;
        let start = Instant::now();
        let decrypted = decrypt(session, &keys.secret, &outputs)?;
        seconds.decryption += start.elapsed().as_secs_f64();
        plain.add(session, records, &decrypted);
    }
    let account = run.finish();
    seconds.note_evaluation(session, &account, job.blocks());
    Ok((account, plain))
}

impl Plain {
    fn add(&mut self, session: &Session<impl Device>, records: usize, decrypted: &Decrypted) {
        let port = session.circuit().outputs().first();
        let values = decrypted.values.first();
        if let (Some(port), Some(values)) = (port, values) {
            for record in 0..records {
                self.bytes.extend(values.record_bytes(port.kind, record));
            }
        }
        self.noise = self.noise.max(decrypted.noise);
    }
}

impl Sizes {
    /// Of keys in files; those of ciphertexts come later.
    fn of_keys<D: Device>(context: &Context<D>, keys: &Keys<D>) -> Result<Self, CliError> {
        let mut counter = Counter::default();
        context.write_secret_key(&mut counter, &keys.secret)?;
        let mut evaluation = Counter::default();
        keys::write(&mut evaluation, context, &keys.evaluation)?;
        Ok(Self {
            secret_key: counter.0,
            evaluation_key: evaluation.0,
            ..Self::default()
        })
    }

    fn note_input(&mut self, bytes: u64) {
        self.ciphertext = self.ciphertext.max(bytes);
        self.all_inputs += bytes;
    }

    fn note_results<D: Device>(
        &mut self,
        context: &Context<D>,
        results: &Outputs<D>,
    ) -> Result<(), CliError> {
        for result in results.iter().flatten() {
            let OutputValue::Encrypted(result) = result else {
                continue;
            };
            let bytes = context.ciphertext_bytes(result)?;
            self.result = self.result.max(bytes);
            self.all_results += bytes;
        }
        Ok(())
    }
}
