//! Totals over all records, added up in the clear from batch to batch.

use ringmill_circuit::{Aggregate, MAX_TOTAL_RECORDS, PortValues};
use ringmill_records::{Batch, Column};

use crate::Error;
use crate::circuits::NamedCircuit;

/// Totals of a circuit's outputs while they are added up.
pub(crate) struct Totals {
    /// The aggregates of the outputs, and the bits of a record's value.
    ports: Vec<(Aggregate, usize)>,
    /// As bits, the lowest first; `None` before the first record.
    totals: Option<Vec<Vec<bool>>>,
    records: u64,
}

impl Totals {
    /// Begins with no record; `None` if the circuit has a result for each record.
    pub fn of(circuit: &NamedCircuit) -> Option<Self> {
        let widths = circuit.circuit().outputs().iter().map(|port| port.wires.len());
        let ports: Vec<_> = circuit.aggregates().into_iter().zip(widths).collect();
        (!ports.is_empty()).then_some(Self {
            ports,
            totals: None,
            records: 0,
        })
    }

    /// Adds the results of a batch of so many records, which are the same in all slots.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for more records than totals can be of.
    pub fn add_batch(&mut self, records: u64, results: &[PortValues]) -> Result<(), Error> {
        self.count(records)?;
        self.add(|port| value(results.get(port), 0));
        Ok(())
    }

    /// Adds records one by one, as a circuit in the clear has them.
    ///
    /// # Errors
    /// As [`Totals::add_batch`].
    pub fn add_records(&mut self, records: usize, results: &[PortValues]) -> Result<(), Error> {
        self.count(records as u64)?;
        for record in 0..records {
            self.add(|port| value(results.get(port), record));
        }
        Ok(())
    }

    fn count(&mut self, records: u64) -> Result<(), Error> {
        self.records = self.records.saturating_add(records);
        if self.records <= MAX_TOTAL_RECORDS {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "a total is of at most {MAX_TOTAL_RECORDS} records; cut the table into several"
        )))
    }

    fn add(&mut self, value: impl Fn(usize) -> Vec<bool>) {
        let ports = self.ports.iter().enumerate();
        let widened = ports.map(|(port, (aggregate, width))| aggregate.widen(value(port), *width));
        let totals = match &self.totals {
            None => widened.collect(),
            Some(totals) => {
                let pairs = totals.iter().zip(widened).zip(&self.ports);
                pairs
                    .map(|((total, value), (aggregate, _))| aggregate.combine(total, &value))
                    .collect()
            }
        };
        self.totals = Some(totals);
    }

    /// The totals as a table of one record; none if there were no records.
    pub fn finish(self) -> Option<Batch> {
        let column =
            |bits: Vec<bool>| Column::Bits(bits.into_iter().map(|bit| vec![u64::from(bit)]).collect());
        Some(Batch {
            records: 1,
            columns: self.totals?.into_iter().map(column).collect(),
        })
    }
}

/// The bits of a record's value; none of a port of bytes, which has no totals.
fn value(port: Option<&PortValues>, record: usize) -> Vec<bool> {
    let Some(PortValues::Bits(lanes)) = port else {
        return Vec::new();
    };
    let bit = |lane: &Vec<u64>| {
        lane.get(record / 64)
            .is_some_and(|word| word >> (record % 64) & 1 == 1)
    };
    lanes.iter().map(bit).collect()
}
