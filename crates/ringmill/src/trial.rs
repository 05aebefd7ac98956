use ringmill_circuit::{Circuit, PortValues, Visibility};
use ringmill_engine::InputValues;
use ringmill_records::{Batch, Schema, TableFormat, TableWriter};

use crate::Error;
use crate::circuits::NamedCircuit;
use crate::files::Output;
use crate::records::Records;
use crate::side_by_side::SideBySide;
use crate::table::{Table, TableReader, blame, content, format_of, input_schema, output_schema};
use crate::totals::Totals;
use crate::values;

/// Records that are evaluated at a time.
const RECORDS: usize = 4096;

/// A circuit that is tried on a table in the clear, batch by batch: nothing is encrypted, and no keys are needed. The table
/// has a column for each input, private or public; others are skipped. Totals are a single result: they are added up here
/// record by record.
///
/// ```
/// use ringmill::{Table, Trial, circuits};
///
/// # fn main() -> Result<(), ringmill::Error> {
/// let circuit = circuits::by_name("less32")?;
/// let mut trial = Trial::new(&circuit, &Table::csv("name,a,b\nAda,3,5\nBob,5,3\n"))?;
/// let results = trial.next().transpose()?;
/// assert_eq!(results.map(|records| records.to_csv()).transpose()?.as_deref(), Some("less\ntrue\nfalse\n"));
/// # Ok(())
/// # }
/// ```
pub struct Trial {
    circuit: Circuit,
    source: Source,
    schema: Schema,
    /// What is added up, if the results are totals.
    totals: Option<Totals>,
    /// Records that were read.
    records: u64,
}

/// Where records come from.
enum Source {
    One(Box<TableReader>),
    Two(Box<SideBySide>),
}

impl Trial {
    /// Begins to read the table.
    ///
    /// # Errors
    /// As [`Client::encrypt`](crate::Client::encrypt).
    pub fn new(circuit: &NamedCircuit, table: &Table) -> Result<Self, Error> {
        let ports = input_schema(circuit, &[] as &[&str])?;
        let shapes: Vec<_> = ports
            .columns()
            .iter()
            .map(|column| column.port().clone())
            .collect();
        let table = table.clone().ignoring_extra(true);
        let reader = table.read_ports(&shapes, &circuit.input_types(), RECORDS)?;
        Self::of(circuit, Source::One(Box::new(reader)))
    }

    /// Begins to read two tables, of the private inputs and of the public ones. They have as many records, or one a single
    /// record that stands for all.
    ///
    /// # Errors
    /// As [`Trial::new`]; [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a circuit without public inputs.
    pub fn with_public(circuit: &NamedCircuit, table: &Table, public: &Table) -> Result<Self, Error> {
        let ports = circuit.circuit().inputs();
        if ports.iter().all(|port| port.visibility == Visibility::Private) {
            return Err(Error::Usage(format!(
                "{} has no public inputs; leave out --data",
                circuit.name
            )));
        }
        let open = |table: &Table, visibility| {
            let table = table.clone().ignoring_extra(true);
            let reader = table.read_inputs(circuit, visibility, RECORDS)?;
            Ok::<_, Error>((table.path().to_path_buf(), reader))
        };
        let (private, public) = (
            open(table, Visibility::Private)?,
            open(public, Visibility::Public)?,
        );
        Self::of(circuit, Source::Two(Box::new(SideBySide::new(private, public))))
    }

    fn of(circuit: &NamedCircuit, source: Source) -> Result<Self, Error> {
        Ok(Self {
            circuit: circuit.circuit().clone(),
            source,
            schema: output_schema(circuit, &[] as &[&str])?,
            totals: Totals::of(circuit),
            records: 0,
        })
    }

    /// Records that were read so far.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Writes all results as a table; how many records there were.
    ///
    /// # Errors
    /// As iterating; [`ErrorKind::Io`](crate::ErrorKind::Io); [`Output::check`].
    pub fn to(mut self, output: &Output, format: Option<TableFormat>) -> Result<u64, Error> {
        let format = format_of(output.path(), format)?;
        output.check(content(format))?;
        let schema = self.schema.clone();
        let blame = |error| blame(output.path(), error);
        output.write(output.access_to_records(), |out| {
            let mut table = TableWriter::new(out, format, schema).map_err(blame)?;
            for results in &mut self {
                for batch in results?.batches() {
                    table.write(batch).map_err(blame)?;
                }
            }
            table.finish().map_err(blame)?;
            Ok(())
        })?;
        Ok(self.records)
    }

    /// All results that are left, in memory.
    ///
    /// # Errors
    /// As iterating.
    pub fn into_records(mut self) -> Result<Records, Error> {
        let mut batches = Vec::new();
        for results in &mut self {
            batches.extend(results?.batches);
        }
        Ok(Records {
            schema: self.schema,
            batches,
        })
    }

    /// The results of the next records that are read.
    fn results(&mut self) -> Option<Result<(usize, Vec<PortValues>), Error>> {
        let batch = match &mut self.source {
            Source::One(reader) => reader.next()?,
            Source::Two(tables) => tables.next().transpose()?,
        };
        Some(batch.and_then(|(records, values)| {
            self.records += records as u64;
            Ok((records, self.evaluate(values)?))
        }))
    }

    fn evaluate(&self, mut values: InputValues) -> Result<Vec<PortValues>, Error> {
        let ports = self.circuit.inputs().iter();
        let inputs: Vec<PortValues> = ports.filter_map(|port| values.remove(&port.name)).collect();
        let outputs = self.circuit.evaluate(&inputs);
        outputs.map_err(|error| Error::Usage(error.to_string()))
    }

    /// The totals of all records that are left.
    fn total(&mut self, mut totals: Totals) -> Result<Option<Records>, Error> {
        while let Some((records, results)) = self.results().transpose()? {
            totals.add_records(records, &results)?;
        }
        Ok(totals.finish().map(|batch| self.as_records(batch)))
    }

    fn as_records(&self, batch: Batch) -> Records {
        Records {
            batches: vec![batch],
            schema: self.schema.clone(),
        }
    }
}

impl Iterator for Trial {
    type Item = Result<Records, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(totals) = self.totals.take() {
            return self.total(totals).transpose();
        }
        let results = self.results()?;
        Some(results.map(|(records, results)| {
            let batch = values::batch(&self.schema, records, results);
            self.as_records(batch)
        }))
    }
}
