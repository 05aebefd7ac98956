use ringmill_arith::sampling::Seed;
use ringmill_circuit::Visibility;
use ringmill_fv::format::Access;
use serde::Serialize;
use zeroize::Zeroizing;

use crate::arguments::{EncryptArguments, Values};
use crate::circuits::{CircuitName, input_bits};
use crate::encryption::{Encryptor, encrypt_records};
use crate::error::CliError;
use crate::files;
use crate::hex;
use crate::progress::timed;
use crate::records::record_bytes;
use crate::report::{bytes, print_either, seconds};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    circuit: &'static str,
    ciphertexts: usize,
    records: usize,
    batches: usize,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// Encrypts private inputs.
pub fn run(arguments: &EncryptArguments) -> Result<(), CliError> {
    arguments.output.check()?;
    let width = input_bits(&arguments.circuit.build()?, Visibility::Private);
    let values = values(arguments.circuit, &arguments.values, record_bytes(width))?;
    let session = Session::open(arguments.circuit, &arguments.params)?;
    let context = &session.context;
    let key = match (&arguments.key.secret_key, &arguments.key.public_key) {
        (Some(path), _) => Encryptor::Secret(files::read(path, |input| context.read_secret_key(input))?),
        (None, Some(path)) => Encryptor::Public(files::read(path, |input| context.read_public_key(input))?),
        (None, None) => return Err(CliError::Usage("give --public-key or --secret-key".to_owned())),
    };
    let seed = Seed::random()?;
    let (ciphertexts, seconds_taken) =
        timed("encrypting", || encrypt_records(&session, &key, &values, &seed))?;
    let file_bytes = arguments
        .output
        .write(Access::Public, |out| context.write_ciphertexts(out, &ciphertexts))?;
    let report = Report {
        circuit: arguments.circuit.name(),
        ciphertexts: ciphertexts.len(),
        records: values.len() / record_bytes(width),
        batches: ciphertexts.len() / width,
        seconds: seconds_taken,
        file: arguments.output.path.display().to_string(),
        file_bytes,
    };
    print_either(arguments.json, &report, || {
        format!(
            "{} ciphertexts made in {}, {} written to {}\n",
            report.ciphertexts,
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}

/// The records to encrypt.
fn values(circuit: CircuitName, given: &Values, record: usize) -> Result<Zeroizing<Vec<u8>>, CliError> {
    if let Some(path) = &given.values {
        return files::read_records(path, record);
    }
    if !circuit.takes_simon_key() {
        return Err(CliError::Usage(format!(
            "the circuit {} takes no SIMON key; give its private inputs with --values FILE",
            circuit.name()
        )));
    }
    let key = match (&given.simon_key_file, &given.simon_key) {
        (Some(path), _) => {
            let text = files::read_bytes(path, 1024)?;
            let text = std::str::from_utf8(&text)
                .map_err(|_| CliError::data(path, "not text; it should be 32 hexadecimal digits"))?;
            hex::parse::<16>(text).map_err(|problem| CliError::data(path, problem))?
        }
        (None, Some(text)) => {
            hex::parse::<16>(text).map_err(|problem| CliError::Usage(format!("--simon-key: {problem}")))?
        }
        (None, None) => {
            return Err(CliError::Usage(
                "give --simon-key-file, --simon-key or --values".to_owned(),
            ));
        }
    };
    Ok(Zeroizing::new(circuit.key_bytes(*key).to_vec()))
}
