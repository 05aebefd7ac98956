use std::path::Path;
use std::sync::Arc;

use ringmill::files::{Content, read_bytes};
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{EncryptedFile, Encryptor, Job, JobFile, Planning, Table, hex};
use serde::Serialize;

use super::messages;
use crate::arguments::{EncryptArguments, check_inputs, single};
use crate::error::CliError;
use crate::passphrase;
use crate::progress::{self, Terminal};
use crate::report::{bytes, print_beside, seconds};

#[derive(Serialize)]
struct Report {
    circuit: String,
    ciphertexts: usize,
    records: usize,
    batches: usize,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// Encrypts private inputs, or messages where there is no circuit, batch by batch.
pub fn run(arguments: &EncryptArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.output.file().check(Content::Binary)?;
    let job = arguments.job.open()?;
    if arguments.job.is_for_messages(&job) {
        return messages::encrypt::run(arguments, &job);
    }
    if arguments.encoding.is_some() {
        return Err(CliError::usage(
            "--as is of use for messages only; this job has a circuit",
        ));
    }
    let platform = arguments.device.open(&Terminal::default())?;
    let report = platform.run(Encrypt(&job, arguments))?;
    print_beside(&arguments.output.path, arguments.json, &report, || {
        format!(
            "{} records encrypted in {} batches in {}, {} written to {}\n",
            report.records,
            report.batches,
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}

struct Encrypt<'a>(&'a JobFile, &'a EncryptArguments);

impl PlatformTask for Encrypt<'_> {
    type Output = Report;
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Report, CliError> {
        let Self(file, arguments) = self;
        let planning = Planning::new()
            .policy(arguments.policy.policy())
            .observer(Arc::new(Terminal::default()));
        let job = planning.open_on(platform, file)?;
        let table = table(&job, arguments)?;
        let mut encryptor = encryptor(&job, arguments)?;
        if !arguments.ports.is_empty() {
            encryptor = encryptor.of_ports(&arguments.ports)?;
        }
        let (file, seconds): (EncryptedFile, f64) =
            progress::seconds(|| encryptor.encrypt_to(&table, &arguments.output.file()))?;
        Ok(Report {
            circuit: job.name().to_owned(),
            ciphertexts: file.ciphertexts,
            records: file.records,
            batches: file.batches,
            device: platform.name(),
            insecure: job.parameters().security().warning.clone(),
            seconds,
            file: arguments.output.path.display().to_string(),
            file_bytes: file.bytes,
        })
    }
}

/// Whoever has the key that was named.
fn encryptor<P: Platform>(
    job: &Job<P>,
    arguments: &EncryptArguments,
) -> Result<Encryptor<P::Device>, CliError> {
    let key = &arguments.key;
    match (&key.secret_key, &key.public_key) {
        (Some(path), _) => {
            let file = arguments.passphrase.passphrase_file.as_deref();
            Ok(match passphrase::of_key(path, file)? {
                None => job.open_client(path)?.encryptor(),
                Some(passphrase) => job.open_sealed_client(path, &passphrase)?.encryptor(),
            })
        }
        (None, Some(path)) => Ok(job.open_encryptor(path)?),
        (None, None) => Err(CliError::usage("give --public-key or --secret-key")),
    }
}

/// The records to encrypt.
fn table<P: Platform>(job: &Job<P>, arguments: &EncryptArguments) -> Result<Table, CliError> {
    let given = &arguments.values;
    if !given.input.is_empty() {
        let path = single("--input", &given.input)?;
        return Ok(arguments.order.apply(arguments.table.open(path)));
    }
    match (&given.cipher_key_file, &given.cipher_key) {
        (Some(path), _) => {
            let text = read_bytes(path, 1024)?;
            let text = std::str::from_utf8(&text)
                .map_err(|_| CliError::data(path, "not text; it should be a key in hexadecimal digits"))?;
            cipher_key(job, text, |problem| CliError::data(path, problem)).map(|table| table.blaming(path))
        }
        (None, Some(text)) => {
            let option = Path::new("--cipher-key");
            let blame = |problem| CliError::usage(format!("{}: {problem}", option.display()));
            cipher_key(job, text, blame).map(|table| table.blaming(option))
        }
        (None, None) => Err(CliError::usage("give --input, --cipher-key-file or --cipher-key")),
    }
}

/// The private inputs that the key of a cipher stands for.
fn cipher_key<P: Platform>(
    job: &Job<P>,
    text: &str,
    blame: impl Fn(String) -> CliError,
) -> Result<Table, CliError> {
    // Without a cipher, the job refuses a key of any length.
    let length = job.named_circuit().cipher().map(|cipher| cipher.key_bytes);
    let key = match length {
        Some(length) => hex::parse_bytes(text, length).map_err(blame)?,
        None => Default::default(),
    };
    Ok(job.cipher_key(&key)?)
}
