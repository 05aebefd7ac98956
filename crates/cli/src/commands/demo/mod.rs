//! A block cipher decrypted under encryption from end to end, and checked.

mod data;
mod ntru;
mod report;

use std::sync::Arc;
use std::time::Instant;

use ringmill::device::Device;
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Account, Client, Encrypted, InputKey, Job, Optimise, Seed, Server, hex};

use crate::arguments::DemoArguments;
use crate::error::CliError;
use crate::host::HostInfo;
use crate::progress::{Terminal, seconds};
use crate::report::print_either;
pub use data::Data;
use report::{DemoReport, Noise, Seconds, Sizes};

/// Runs the demonstration.
pub fn run(arguments: &DemoArguments) -> Result<(), CliError> {
    arguments.device.open(&Terminal::default())?.run(Demo(arguments))
}

struct Demo<'a>(&'a DemoArguments);

impl PlatformTask for Demo<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let Self(arguments) = self;
        match &arguments.scheme {
            Some(scheme) => ntru::run(&**platform, scheme, arguments.cipher, arguments.json),
            None => demonstrate(platform, arguments),
        }
    }
}

/// Over FV, with parameters that are planned for the device.
fn demonstrate<P: Platform>(platform: &Arc<P>, arguments: &DemoArguments) -> Result<(), CliError> {
    let seed = seed(arguments)?;
    let data = Data::new(arguments, &seed)?;
    let mut times = Seconds::default();
    let mut sizes = Sizes::default();
    let planning = arguments.choice.planning(Arc::new(Terminal::default()));
    let planning = planning.optimise(Optimise::Off).input_key(InputKey::Secret);
    let job;
    (job, times.planning) = seconds(|| planning.plan_on(platform, &data.circuit()?))?;
    ((), times.setup) = seconds(|| job.prepare())?;
    let parties = parties(&job, &seed, (&mut sizes, &mut times))?;
    let key = job.cipher_key(data.key())?;
    let encrypted;
    (encrypted, times.encryption) = seconds(|| parties.client.encrypt(&key))?;
    let (account, plain) = evaluate(&job, &parties, encrypted, &data, (&mut sizes, &mut times))?;
    times.note_evaluation(job.circuit(), &account, data.blocks());
    let correct = data.correct(&plain.bytes);
    let report = DemoReport::new(
        HostInfo::with(&**platform)?,
        &job,
        (data.cipher, data.blocks(), correct),
        &account,
        Noise::new(job.plan_details().prediction(), plain.log2_noise),
        (sizes, times),
    )?;
    print_either(arguments.json, &report, || report.text())?;
    match data.blocks() - correct {
        0 => Ok(()),
        wrong => Err(CliError::wrong_result(format!(
            "{wrong} of {} blocks were decrypted wrongly; this is a defect, please report it",
            data.blocks()
        ))),
    }
}

fn seed(arguments: &DemoArguments) -> Result<Seed, CliError> {
    match &arguments.seed {
        None => Ok(Seed::random()?),
        Some(text) => {
            let bytes =
                hex::parse::<32>(text).map_err(|problem| CliError::usage(format!("--seed: {problem}")))?;
            Ok(Seed::from_bytes(*bytes))
        }
    }
}

/// The owner of the secret, and whoever evaluates.
struct Parties<D: Device> {
    client: Client<D>,
    server: Server<D>,
}

/// Makes their keys.
fn parties<P: Platform>(
    job: &Job<P>,
    seed: &Seed,
    (sizes, times): (&mut Sizes, &mut Seconds),
) -> Result<Parties<P::Device>, CliError> {
    let (client, server);
    (client, times.secret_key) = seconds(|| job.client(&seed.derive("demo keys", 0)))?;
    (server, times.evaluation_keys) = seconds(|| job.server(client.evaluation_keys()?))?;
    sizes.secret_key = client.secret_key_bytes()?;
    sizes.evaluation_key = server.evaluation_key_bytes()?;
    Ok(Parties { client, server })
}

/// The results of all batches in the clear.
struct Plain {
    bytes: Vec<u8>,
    log2_noise: f64,
}

/// Evaluates batch by batch, and decrypts each.
fn evaluate<P: Platform>(
    job: &Job<P>,
    Parties { client, server }: &Parties<P::Device>,
    encrypted: Encrypted<P::Device>,
    data: &Data,
    (sizes, times): (&mut Sizes, &mut Seconds),
) -> Result<(Account, Plain), CliError> {
    let (slots, port) = (job.plan_details().records(), job.circuit().outputs().first());
    let mut evaluation = server.evaluation();
    let mut plain = Plain {
        bytes: Vec::new(),
        log2_noise: f64::NEG_INFINITY,
    };
    let mut key = encrypted.into_batches().pop();
    if let Some(key) = &key {
        sizes.note_inputs(&client.input_bytes(key)?);
    }
    let mut batches = data.public(job.circuit(), slots)?.peekable();
    while let Some(batch) = batches.next() {
        let (records, public) = batch?;
        // The last use gives the ciphertexts away, so that they are freed as early as possible.
        let given = match batches.peek() {
            None => key.take(),
            Some(_) => key.clone(),
        };
        let Some(given) = given else { break };
        evaluation.expect(Some(data.blocks().div_ceil(slots)));
        let results = evaluation.batch(given, &public)?;
        sizes.note_results(&client.result_bytes(&results)?);
        let start = Instant::now();
        let decrypted = client.decrypt_batch(&results)?;
        times.decryption += start.elapsed().as_secs_f64();
        if let (Some(port), Some(values)) = (port, decrypted.values.first()) {
            for record in 0..records {
                plain.bytes.extend(values.record_bytes(port.kind, record));
            }
        }
        plain.log2_noise = plain.log2_noise.max(decrypted.log2_noise);
    }
    Ok((evaluation.finish(), plain))
}
