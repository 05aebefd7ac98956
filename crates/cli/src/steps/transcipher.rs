use std::path::Path;

use ringmill_circuit::aes::counters;
use ringmill_circuit::{PortValues, Visibility};
use ringmill_device::Device;
use ringmill_engine::InputValues;
use ringmill_records::{PortShape, Schema};

use crate::arguments::TranscipherArguments;
use crate::ciphers::Cipher;
use crate::device::{self, Devices};
use crate::error::CliError;
use crate::hex;
use crate::input::check_inputs;
use crate::keys::Evaluator;
use crate::serving::{Job, Public};
use crate::session::Session;
use crate::tables::{self, Table, schema, shape};

/// The port that takes counters.
const COUNTER: &str = "counter";

/// Evaluates a circuit that begins with a cipher on the cipher's raw data.
pub fn run(arguments: &TranscipherArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.memory.check()?;
    arguments.output.check()?;
    arguments.device.device.run(Transcipher(arguments))
}

struct Transcipher<'a>(&'a TranscipherArguments);

impl device::Job for Transcipher<'_> {
    type Output = ();

    fn run<F: Devices>(self, devices: &F) -> Result<(), CliError> {
        let Self(arguments) = self;
        let (circuit, params) = (&arguments.circuit, &arguments.params);
        let session = Session::open_within(devices, circuit, params, (&arguments.memory, &arguments.key))?;
        let Some(cipher) = session.named.cipher else {
            return Err(CliError::Usage(format!(
                "{} does not begin with a block cipher; use eval",
                session.named.name
            )));
        };
        let counter = counter(cipher, arguments.counter.as_deref())?;
        let data = data_table(&session, cipher, &arguments.data)?;
        let others = other_table(&session, cipher, arguments)?;
        let evaluator = Evaluator::read(&arguments.evaluation_key, &session.context)?;
        let job = Job {
            session: &session,
            device: devices.name(),
            evaluator: &evaluator,
            evaluation_key: &arguments.evaluation_key,
            private: &arguments.key,
            public: Some(public(&arguments.data, data, counter, others)),
        };
        job.run(&arguments.output, arguments.json)
    }
}

/// The first counter block.
fn counter(cipher: Cipher, given: Option<&str>) -> Result<Option<[u8; 16]>, CliError> {
    match (given, cipher.counter) {
        (Some(text), true) => match hex::parse::<16>(text) {
            Ok(counter) => Ok(Some(*counter)),
            Err(problem) => Err(CliError::Usage(format!("--counter: {problem}"))),
        },
        (None, false) => Ok(None),
        (None, true) => Err(CliError::Usage(
            "counter mode needs the first counter block; give it with --counter HEX".to_owned(),
        )),
        (Some(_), false) => Err(CliError::Usage(
            "this cipher takes no counter; leave out --counter".to_owned(),
        )),
    }
}

fn data_table<D: Device>(session: &Session<D>, cipher: Cipher, path: &Path) -> Result<Table, CliError> {
    let ports = session.circuit().inputs().iter();
    let shapes: Vec<PortShape> = ports
        .filter(|port| port.name == cipher.data)
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect();
    Table::open_binary(path, schema(&shapes, &[])?, session.plan.records())
}

/// The public inputs that are neither data nor counters.
fn other_table<'a, D: Device>(
    session: &Session<D>,
    cipher: Cipher,
    arguments: &'a TranscipherArguments,
) -> Result<Option<(&'a Path, Table)>, CliError> {
    let ports = session.circuit().inputs().iter().filter(|port| {
        let ciphers = port.name == cipher.data || (cipher.counter && port.name == COUNTER);
        port.visibility == Visibility::Public && !ciphers
    });
    let shapes: Vec<PortShape> = ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect();
    match (&arguments.others, shapes.is_empty()) {
        (None, true) => Ok(None),
        (Some(path), false) => {
            let schema = schema(&shapes, &arguments.table.types)?;
            let table = Table::open(path, &arguments.table, schema, session.plan.records())?;
            Ok(Some((path, table)))
        }
        (None, false) => Err(CliError::Usage(format!(
            "{} has further public inputs; give them with --table FILE",
            session.named.name
        ))),
        (Some(_), true) => Err(CliError::Usage(format!(
            "{} has no further public inputs; leave out --table",
            session.named.name
        ))),
    }
}

/// Data, counters and the rest, batch by batch.
fn public<'a>(
    path: &'a Path,
    data: Table,
    counter: Option<[u8; 16]>,
    mut others: Option<(&'a Path, Table)>,
) -> Public<'a> {
    let (data_schema, meter) = (data.schema().clone(), data.meter());
    let mut counter = counter.map(counters);
    let batches = Box::new(data.map(move |batch| {
        let batch = batch?;
        let records = batch.records;
        let mut values = tables::values(&data_schema, batch);
        if let Some(counters) = &mut counter {
            values.insert(COUNTER.to_owned(), counter_values(counters, records));
        }
        if let Some((path, table)) = &mut others {
            values.extend(other_values(path, table, records)?);
        }
        Ok((records, values))
    }));
    Public { path, meter, batches }
}

/// The next counters, a wire for each byte.
fn counter_values(counters: &mut impl Iterator<Item = [u8; 16]>, records: usize) -> PortValues {
    let blocks: Vec<[u8; 16]> = counters.take(records).collect();
    let wire = |byte: usize| blocks.iter().map(|block| block[byte]).collect();
    PortValues::Rows((0..16).map(wire).collect())
}

/// The next records of the other inputs, as many as there are blocks.
fn other_values(path: &Path, table: &mut Table, records: usize) -> Result<InputValues, CliError> {
    let schema: Schema = table.schema().clone();
    match table.next().transpose()? {
        Some(batch) if batch.records == records => Ok(tables::values(&schema, batch)),
        batch => Err(CliError::data(
            path,
            format!(
                "{} records beside {records} blocks of data; there must be one for each",
                batch.map_or(0, |batch| batch.records)
            ),
        )),
    }
}
