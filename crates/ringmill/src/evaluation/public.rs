use std::path::Path;
use std::sync::Arc;

use ringmill_circuit::aes::counters;
use ringmill_circuit::{PortValues, Visibility};
use ringmill_device::Device;
use ringmill_engine::InputValues;
use ringmill_records::{PortShape, TableFormat};

use crate::Error;
use crate::cipher::Cipher;
use crate::files::Meter;
use crate::observer::Shared;
use crate::session::Session;
use crate::side_by_side::Side;
use crate::table::{Table, TableReader, shape};

/// The port that takes counters.
const COUNTER: &str = "counter";

/// The inputs of a circuit that the evaluator sees in the clear.
#[derive(Debug, Clone, Default)]
pub struct PublicInputs(PublicSource);

#[derive(Debug, Clone, Default)]
enum PublicSource {
    #[default]
    None,
    Table(Table),
    Cipher {
        data: Table,
        counter: Option<[u8; 16]>,
        others: Option<Table>,
    },
}

impl PublicInputs {
    /// None: for circuits that have none.
    #[must_use]
    pub const fn none() -> Self {
        Self(PublicSource::None)
    }

    /// A table with a column for each public input.
    #[must_use]
    pub const fn table(table: Table) -> Self {
        Self(PublicSource::Table(table))
    }

    /// Data of the block cipher that the circuit begins with, a record for each block; for counter mode the first
    /// counter; and a table of the other public inputs, if there are any, with as many records as there are blocks.
    ///
    /// `data` is read as raw blocks, whatever it is called.
    #[must_use]
    pub fn cipher_data(data: Table, counter: Option<[u8; 16]>, others: Option<Table>) -> Self {
        let data = data.with_format(Some(TableFormat::Binary));
        Self(PublicSource::Cipher {
            data,
            counter,
            others,
        })
    }

    /// The file to blame for their number.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.0 {
            PublicSource::None => None,
            PublicSource::Table(table) | PublicSource::Cipher { data: table, .. } => Some(table.path()),
        }
    }

    /// Begins to read them; none if the circuit has none.
    pub(super) fn read<D: Device>(&self, session: &Session<D>) -> Result<Option<PublicReader>, Error> {
        let name = &session.circuit.name;
        let usage = |problem: &str| Err(Error::Usage(format!("{name} {problem}")));
        let records = session.plan.records();
        match (&self.0, session.has_public()) {
            (PublicSource::None, false) => Ok(None),
            (PublicSource::None, true) => usage("has public inputs; give them with --data FILE"),
            (PublicSource::Table(_), false) => usage("has no public inputs; leave out --data"),
            (PublicSource::Table(table), true) => Ok(Some(PublicReader {
                table: table.read_inputs(&session.circuit, Visibility::Public, records)?,
                path: table.path().to_path_buf(),
                counters: None,
                others: None,
                begun: false,
                observer: Arc::clone(&session.observer),
            })),
            (
                PublicSource::Cipher {
                    data,
                    counter,
                    others,
                },
                _,
            ) => {
                let Some(cipher) = session.circuit.cipher() else {
                    return usage("does not begin with a block cipher; use eval");
                };
                let counters =
                    check_counter(cipher, *counter)?.map(|first| Box::new(counters(first)) as Counters);
                let ports = ports(session, |name| name == cipher.data);
                let table = data.read_ports(&ports, &[], records)?;
                let shapes = self::ports(session, |name| {
                    name != cipher.data && !(cipher.counter && name == COUNTER)
                });
                let usual = session.circuit.input_types();
                let others = match (others, shapes.is_empty()) {
                    (None, true) => None,
                    (Some(others), false) => Some(Side::new((
                        others.path().to_path_buf(),
                        others.read_ports(&shapes, &usual, records)?,
                    ))),
                    (None, false) => return usage("has further public inputs; give them with --table FILE"),
                    (Some(_), true) => return usage("has no further public inputs; leave out --table"),
                };
                Ok(Some(PublicReader {
                    path: data.path().to_path_buf(),
                    table,
                    counters,
                    others,
                    begun: false,
                    observer: Arc::clone(&session.observer),
                }))
            }
        }
    }
}

/// The public ports whose name is wanted.
fn ports<D: Device>(session: &Session<D>, wanted: impl Fn(&str) -> bool) -> Vec<PortShape> {
    let ports = session.circuit().inputs().iter();
    ports
        .filter(|port| port.visibility == Visibility::Public && wanted(&port.name))
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect()
}

fn check_counter(cipher: &Cipher, given: Option<[u8; 16]>) -> Result<Option<[u8; 16]>, Error> {
    match (given, cipher.counter) {
        (Some(_), true) | (None, false) => Ok(given),
        (None, true) => Err(Error::Usage(
            "counter mode needs the first counter block; give it with --counter HEX".to_owned(),
        )),
        (Some(_), false) => Err(Error::Usage(
            "this cipher takes no counter; leave out --counter".to_owned(),
        )),
    }
}

type Counters = Box<dyn Iterator<Item = [u8; 16]> + Send>;

/// Public inputs that are being read.
pub(super) struct PublicReader {
    path: std::path::PathBuf,
    table: TableReader,
    /// The counters of the next blocks, in counter mode.
    counters: Option<Counters>,
    /// The other inputs.
    others: Option<Side>,
    begun: bool,
    observer: Shared,
}

impl PublicReader {
    /// The file to blame for their number.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How much is read.
    pub fn meter(&self) -> Meter {
        self.table.meter()
    }

    /// How many records the next batch has, and their values by port.
    pub fn next(&mut self) -> Result<Option<(usize, InputValues)>, Error> {
        let next = self.table.next().transpose()?;
        let tables = self.others.iter_mut().map(|others| &mut others.reader);
        for table in tables.chain([&mut self.table]) {
            table.note_extra(&*self.observer, "public port", "read");
        }
        let Some((records, mut values)) = next else {
            return Ok(None);
        };
        if let Some(counters) = &mut self.counters {
            values.insert(COUNTER.to_owned(), counter_values(counters, records));
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        let mut next = (records, values);
        if let Some(others) = &mut self.others {
            match others.next_beside(&next, is_first)? {
                Some((found, more)) if found == records => next.1.extend(more),
                found => {
                    let found = found.map_or(0, |(found, _)| found);
                    let problem = format!(
                        "{found} records beside {records} blocks of data; there must be one for each, or a single one \
                         that stands for all"
                    );
                    return Err(Error::data(&others.path, problem));
                }
            }
        }
        Ok(Some(next))
    }
}

/// The next counters, a wire for each byte.
fn counter_values(counters: &mut Counters, records: usize) -> PortValues {
    let blocks: Vec<[u8; 16]> = counters.take(records).collect();
    let wire = |byte: usize| blocks.iter().map(|block| block[byte]).collect();
    PortValues::Rows((0..16).map(wire).collect())
}
