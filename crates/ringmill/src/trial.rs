use ringmill_circuit::{Circuit, PortValues};
use ringmill_engine::InputValues;
use ringmill_records::{Schema, TableFormat, TableWriter};

use crate::Error;
use crate::circuits::NamedCircuit;
use crate::files::Output;
use crate::records::Records;
use crate::table::{Table, TableReader, blame, content, format_of, input_schema, output_schema};
use crate::values;

/// Records that are evaluated at a time.
const RECORDS: usize = 4096;

/// A circuit that is tried on a table in the clear, batch by batch: nothing is encrypted, and no keys are needed. The table
/// has a column for each input, private or public; others are skipped.
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
    reader: TableReader,
    schema: Schema,
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
        Ok(Self {
            circuit: circuit.circuit().clone(),
            reader: table.read_ports(&shapes, &circuit.input_types(), RECORDS)?,
            schema: output_schema(circuit, &[] as &[&str])?,
        })
    }

    /// Writes all results as a table; how many there are.
    ///
    /// # Errors
    /// As iterating; [`ErrorKind::Io`](crate::ErrorKind::Io); [`Output::check`].
    pub fn to(mut self, output: &Output, format: Option<TableFormat>) -> Result<u64, Error> {
        let format = format_of(output.path(), format)?;
        output.check(content(format))?;
        let schema = self.schema.clone();
        let blame = |error| blame(output.path(), error);
        let (records, _) = output.write(output.access_to_records(), |out| {
            let mut table = TableWriter::new(out, format, schema).map_err(blame)?;
            let mut records = 0;
            for results in &mut self {
                for batch in results?.batches() {
                    table.write(batch).map_err(blame)?;
                    records += batch.records as u64;
                }
            }
            table.finish().map_err(blame)?;
            Ok(records)
        })?;
        Ok(records)
    }

    fn evaluate(&self, records: usize, mut values: InputValues) -> Result<Records, Error> {
        let ports = self.circuit.inputs().iter();
        let inputs: Vec<PortValues> = ports.filter_map(|port| values.remove(&port.name)).collect();
        let outputs = self.circuit.evaluate(&inputs);
        let outputs = outputs.map_err(|error| Error::Usage(error.to_string()))?;
        Ok(Records {
            batches: vec![values::batch(&self.schema, records, outputs)],
            schema: self.schema.clone(),
        })
    }
}

impl Iterator for Trial {
    type Item = Result<Records, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|(records, values)| self.evaluate(records, values)))
    }
}
