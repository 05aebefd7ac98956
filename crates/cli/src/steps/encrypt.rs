use std::io::Write;
use std::path::Path;

use ringmill_arith::sampling::Seed;
use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_fv::format::Access;
use ringmill_records::Batch;
use serde::Serialize;
use zeroize::Zeroizing;

use super::messages;
use crate::arguments::{EncryptArguments, Values};
use crate::batches::{self, Head, Role};
use crate::circuits::CircuitChoice;
use crate::device::{self, Devices};
use crate::encryption::{Key, ciphertexts, encrypt};
use crate::error::CliError;
use crate::files::{self, Content};
use crate::hex;
use crate::input::check_inputs;
use crate::progress::{self, Progress};
use crate::report::{bytes, print_beside, seconds};
use crate::session::Session;
use crate::tables::{self, Table, input_schema, repeated};

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
    check_inputs(&arguments.inputs())?;
    arguments.output.check(Content::Binary)?;
    let Some(circuit) = &arguments.circuit else {
        return messages::encrypt::run(arguments);
    };
    let report = arguments.device.device.run(Encrypt(circuit, arguments))?;
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

struct Encrypt<'a>(&'a CircuitChoice, &'a EncryptArguments);

impl device::Job for Encrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(circuit, arguments) = self;
        let session = Session::open(devices, circuit, &arguments.params)?;
        let table = table(&session, arguments)?;
        let key = Key::read(&arguments.key, &session.context)?;
        key.encryptor().check(&session)?;
        let ((totals, file_bytes), seconds) = progress::seconds(|| {
            arguments
                .output
                .write(Access::Public, |out| encrypt_table(&session, &key, table, out))
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
    key: &Key<D>,
    mut table: Table,
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let seed = Seed::random()?;
    let (schema, meter) = (table.schema().clone(), table.meter());
    let progress = Progress::bar("encrypting");
    let wires = private_wires(session);
    let mut totals = Totals::default();
    let mut next: Option<Batch> = table.next().transpose()?;
    while let Some(batch) = next {
        next = table.next().transpose()?;
        let (index, records, last) = (totals.batches, batch.records, next.is_none());
        let total = meter.batches(index + if last { 1 } else { 2 }, last);
        let mut values = tables::values(&schema, batch);
        if index == 0 && last && records == 1 {
            // It may be used for many.
            values = repeated(values, session.plan.records());
        }
        let part = progress.batch("encrypting", (index, total), wires);
        let seed = seed.derive("batch", index as u64);
        let inputs = encrypt(session, key.encryptor(), &values, &seed, || part.step())?;
        let inputs = ciphertexts(session, &inputs);
        let head = Head {
            circuit: session.circuit().digest(),
            role: Role::Inputs,
            last,
            index: index as u32,
            records: records as u64,
            keys: key.set(),
            origin: None,
            clear: Vec::new(),
        };
        batches::write(out, &session.context, &head, &inputs)?;
        totals.ciphertexts += inputs.len();
        totals.records += records;
        totals.batches += 1;
    }
    Ok(totals)
}

/// Ciphertexts in a batch.
fn private_wires(session: &Session<impl Device>) -> usize {
    let ports = session.circuit().inputs().iter();
    let private = ports.filter(|port| port.visibility == Visibility::Private);
    private.map(|port| port.wires.len()).sum()
}

/// The records to encrypt.
fn table(session: &Session<impl Device>, arguments: &EncryptArguments) -> Result<Table, CliError> {
    let given = &arguments.values;
    let schema = input_schema(session.circuit(), Visibility::Private, &arguments.table.types)?;
    let records = session.plan.records();
    if let Some(path) = &given.input {
        return Table::open(path, &arguments.table, schema, records);
    }
    let bytes = cipher_key(session, given)?;
    let path = given
        .cipher_key_file
        .as_deref()
        .unwrap_or(Path::new("--cipher-key"));
    Table::of_bytes(path, &bytes, schema, records)
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
