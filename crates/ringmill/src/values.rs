//! The values of records by port, between tables and plaintexts.

use ringmill_arith::secret;
use ringmill_circuit::PortValues;
use ringmill_engine::InputValues;
use ringmill_records::{Batch, Column, Schema};

/// The values of a batch by port.
pub(crate) fn values(schema: &Schema, batch: Batch) -> InputValues {
    let names = schema.columns().iter().map(|column| column.port().name.clone());
    names
        .zip(batch.columns.into_iter().filter_map(port_values))
        .collect()
}

fn port_values(column: Column) -> Option<PortValues> {
    match column {
        Column::Bits(lanes) => Some(PortValues::Bits(lanes)),
        Column::Rows(rows) => Some(PortValues::Rows(rows)),
        // The kinds of columns may grow; circuits have none of them yet.
        _ => None,
    }
}

/// Values of private inputs, overwritten when dropped. (The text that they were read from, and what a batch left behind
/// while it grew, are not: tables are large, and their owner keeps them in a file beside.)
#[derive(Default)]
pub(crate) struct SecretValues(pub InputValues);

impl Drop for SecretValues {
    fn drop(&mut self) {
        for values in self.0.values_mut() {
            match values {
                PortValues::Bits(lanes) => lanes.iter_mut().for_each(|lane| secret::wipe(lane)),
                PortValues::Rows(rows) => rows.iter_mut().for_each(|row| secret::wipe(row)),
            }
        }
    }
}

/// Repeats the values of one record for `records` records.
pub(crate) fn repeated(values: &InputValues, records: usize) -> InputValues {
    let repeat = |values: &PortValues| match values {
        PortValues::Bits(lanes) => {
            let lane = |lane: &Vec<u64>| {
                if lane.first().is_some_and(|word| word & 1 == 1) {
                    vec![u64::MAX; records.div_ceil(64)]
                } else {
                    vec![0; records.div_ceil(64)]
                }
            };
            PortValues::Bits(lanes.iter().map(lane).collect())
        }
        PortValues::Rows(rows) => PortValues::Rows(rows.iter().map(|row| row.repeat(records)).collect()),
    };
    values
        .iter()
        .map(|(name, values)| (name.clone(), repeat(values)))
        .collect()
}

/// The first records of all slots as a batch of a table of these columns.
pub(crate) fn batch(schema: &Schema, records: usize, values: Vec<PortValues>) -> Batch {
    let columns = schema
        .columns()
        .iter()
        .zip(values)
        .map(|(column, values)| match values {
            PortValues::Bits(lanes) => {
                let cut = |mut lane: Vec<u64>| {
                    lane.truncate(records.div_ceil(64));
                    lane
                };
                Column::Bits(lanes.into_iter().map(cut).collect())
            }
            PortValues::Rows(rows) => {
                let bytes = records * column.port().bytes_per_wire.unwrap_or(1);
                let cut = |mut row: Vec<u8>| {
                    row.truncate(bytes);
                    row
                };
                Column::Rows(rows.into_iter().map(cut).collect())
            }
        });
    Batch {
        records,
        columns: columns.collect(),
    }
}

#[cfg(test)]
mod tests {
    use ringmill_records::PortShape;

    use super::*;
    use crate::table::schema;

    #[test]
    fn one_record_for_all_and_back() {
        let values = InputValues::from([
            ("a".to_owned(), PortValues::Bits(vec![vec![1], vec![0]])),
            ("b".to_owned(), PortValues::Rows(vec![vec![5, 6]])),
        ]);
        let all = repeated(&values, 70);
        assert_eq!(all["a"], PortValues::Bits(vec![vec![u64::MAX; 2], vec![0; 2]]));
        let schema = schema(
            &[PortShape::bits("a", 2), PortShape::rows("b", 1, 2)],
            &[],
            &[] as &[&str],
        )
        .unwrap();
        let batch = batch(&schema, 3, all.into_values().collect());
        assert_eq!(batch.columns[0], Column::Bits(vec![vec![u64::MAX], vec![0]]));
        assert_eq!(batch.columns[1], Column::Rows(vec![vec![5, 6, 5, 6, 5, 6]]));
    }
}
