use std::io::{Cursor, Write};
use std::path::Path;

use ringmill_arith::sampling::Seed;
use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_fv::format::Access;
use ringmill_records::{Batch, ReadOptions, TableFormat};
use serde::Serialize;
use zeroize::Zeroizing;

use super::messages;
use crate::arguments::{EncryptArguments, Values};
use crate::batches::{self, Head, Role};
use crate::circuits::CircuitChoice;
use crate::device::{self, Devices};
use crate::encryption::{Encryptor, Key, ciphertexts, encrypt};
use crate::error::CliError;
use crate::files;
use crate::hex;
use crate::progress::timed;
use crate::report::{bytes, print_either, seconds};
use crate::session::Session;
use crate::tables::{self, Table, blame, input_schema, repeated};

#[derive(Serialize)]
struct Report {
    circuit: String,
    ciphertexts: usize,
    records: usize,
    batches: usize,
    device: String,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// What was encrypted.
#[derive(Default)]
struct Totals {
    ciphertexts: usize,
    records: usize,
    batches: usize,
}

/// Encrypts private inputs, or messages where there is no circuit, batch by batch.
pub fn run(arguments: &EncryptArguments) -> Result<(), CliError> {
    let Some(circuit) = &arguments.circuit else {
        return messages::encrypt::run(arguments);
    };
    arguments.output.check()?;
    let report = arguments.device.device.run(Encrypt(circuit, arguments))?;
    print_either(arguments.json, &report, || {
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

struct Encrypt<'a>(&'a CircuitChoice, &'a EncryptArguments);

impl device::Job for Encrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(circuit, arguments) = self;
        let session = Session::open(devices, circuit, &arguments.params)?;
        let (path, table) = table(&session, arguments)?;
        let key = Key::read(&arguments.key, &session.context)?;
        let key = key.encryptor();
        key.check(&session)?;
        let ((totals, file_bytes), seconds) = timed("encrypting", || {
            arguments.output.write(Access::Public, |out| {
                encrypt_table(&session, key, (path, table), out)
            })
        })?;
        Ok(Report {
            circuit: session.named.name,
            ciphertexts: totals.ciphertexts,
            records: totals.records,
            batches: totals.batches,
            device: devices.name(),
            seconds,
            file: arguments.output.path.display().to_string(),
            file_bytes,
        })
    }
}

/// Encrypts a table. A batch is written once it is known whether another follows.
fn encrypt_table<D: Device>(
    session: &Session<D>,
    key: Encryptor<'_, D>,
    (path, table): (&Path, Table),
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let seed = Seed::random()?;
    let schema = table.schema().clone();
    let mut table = table.map(|batch| batch.map_err(|error| blame(path, error)));
    let mut totals = Totals::default();
    let mut next: Option<Batch> = table.next().transpose()?;
    while let Some(batch) = next {
        next = table.next().transpose()?;
        let (records, last) = (batch.records, next.is_none());
        let mut values = tables::values(&schema, batch);
        if totals.batches == 0 && last && records == 1 {
            // It may be used for many.
            values = repeated(values, session.plan.records());
        }
        let inputs = encrypt(
            session,
            key,
            &values,
            &seed.derive("batch", totals.batches as u64),
        )?;
        let inputs = ciphertexts(session, &inputs);
        let head = Head {
            circuit: session.circuit().digest(),
            role: Role::Inputs,
            last,
            index: totals.batches as u32,
            records: records as u64,
            clear: Vec::new(),
        };
        batches::write(out, &session.context, &head, &inputs)?;
        totals.ciphertexts += inputs.len();
        totals.records += records;
        totals.batches += 1;
    }
    Ok(totals)
}

/// The records to encrypt, and the file to blame for them.
fn table<'a, D: Device>(
    session: &Session<D>,
    arguments: &'a EncryptArguments,
) -> Result<(&'a Path, Table), CliError> {
    let given = &arguments.values;
    let schema = input_schema(session.circuit(), Visibility::Private, &arguments.table.types)?;
    let options = ReadOptions {
        ignore_extra: arguments.table.ignore_extra,
        ..ReadOptions::default()
    };
    let records = session.plan.records();
    if let Some(path) = &given.input {
        let table = tables::open(path, arguments.table.format, schema, records, options)?;
        return Ok((path, table));
    }
    let bytes = cipher_key(session, given)?;
    let path = given
        .cipher_key_file
        .as_deref()
        .unwrap_or(Path::new("--cipher-key"));
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let table = tables::reader(path, input, TableFormat::Binary, schema, records, options)?;
    Ok((path, table))
}

/// The private inputs that the key of a cipher stands for.
fn cipher_key<D: Device>(session: &Session<D>, given: &Values) -> Result<Zeroizing<Vec<u8>>, CliError> {
    let Some(cipher) = &session.named.cipher else {
        return Err(CliError::Usage(format!(
            "the circuit {} takes no cipher's key; give its private inputs with --input FILE",
            session.named.name
        )));
    };
    match (&given.cipher_key_file, &given.cipher_key) {
        (Some(path), _) => {
            let text = files::read_bytes(path, 1024)?;
            let text = std::str::from_utf8(&text)
                .map_err(|_| CliError::data(path, "not text; it should be a key in hexadecimal digits"))?;
            let key = hex::parse_bytes(text, cipher.key_bytes);
            let bytes = key.and_then(|key| cipher.private_bytes(&key));
            bytes.map_err(|problem| CliError::data(path, problem))
        }
        (None, Some(text)) => {
            let key = hex::parse_bytes(text, cipher.key_bytes);
            let bytes = key.and_then(|key| cipher.private_bytes(&key));
            bytes.map_err(|problem| CliError::Usage(format!("--cipher-key: {problem}")))
        }
        (None, None) => Err(CliError::Usage(
            "give --input, --cipher-key-file or --cipher-key".to_owned(),
        )),
    }
}
