//! Tables of many batches: where batches end, and how far the reader runs ahead.

use std::cell::Cell;
use std::io::{BufReader, Read, Write};
use std::rc::Rc;

use ringmill_records::{
    Batch, BatchReader, Column, PortShape, ReadOptions, Schema, TableFormat, TableWriter,
};

use crate::common::{read, refusal, schema, slots};

const FORMATS: [TableFormat; 3] = [TableFormat::Csv, TableFormat::Json, TableFormat::Binary];

fn number() -> Schema {
    schema(&[PortShape::bits("n", 32)], &[])
}

/// The record of a number.
fn row(format: TableFormat, number: u32) -> Vec<u8> {
    match format {
        TableFormat::Csv => format!("{number}\n").into_bytes(),
        TableFormat::Json => format!("{{\"n\":{number}}}\n").into_bytes(),
        TableFormat::Binary => number.to_le_bytes().to_vec(),
        _ => panic!("{format}"),
    }
}

fn header(format: TableFormat) -> &'static [u8] {
    if format == TableFormat::Csv { b"n\n" } else { b"" }
}

/// The numbers of a batch.
fn numbers(batch: &Batch) -> Vec<u32> {
    let [Column::Bits(lanes)] = batch.columns.as_slice() else {
        panic!("one port of bits");
    };
    let of = |record: usize| {
        let bits = lanes.iter().enumerate();
        bits.map(|(bit, lane)| ((lane[record / 64] >> (record % 64) & 1) as u32) << bit)
            .sum()
    };
    (0..batch.records).map(of).collect()
}

#[test]
fn batches_end_where_slots_do() {
    for per_batch in [1, 63, 64, 65, 130] {
        for records in [per_batch - 1, per_batch, per_batch + 1, 2 * per_batch, 1] {
            for format in FORMATS {
                let mut table = header(format).to_vec();
                (0..records).for_each(|n| table.extend(row(format, n as u32)));
                if records == 0 {
                    assert!(refusal(&table, format, &number()).contains("empty"));
                    continue;
                }
                let batches = read(&table, format, &number(), per_batch).unwrap();
                let sizes: Vec<usize> = batches.iter().map(|batch| batch.records).collect();
                let mut expected = vec![per_batch; records / per_batch];
                expected.extend(Some(records % per_batch).filter(|last| *last > 0));
                assert_eq!(sizes, expected, "{records} records, {per_batch} slots");
                let all: Vec<u32> = batches.iter().flat_map(numbers).collect();
                assert!(all.into_iter().eq(0..records as u32));
            }
        }
    }
}

/// A table that is made as it is read, and the bytes that were.
struct Source {
    format: TableFormat,
    rows: std::ops::Range<u32>,
    ready: Vec<u8>,
    taken: Rc<Cell<usize>>,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.ready.len() < buffer.len() {
            let Some(number) = self.rows.next() else { break };
            self.ready.extend(row(self.format, number));
        }
        let taken = self.ready.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&self.ready[..taken]);
        self.ready.drain(..taken);
        self.taken.set(self.taken.get() + taken);
        Ok(taken)
    }
}

/// Compares what is written with the rows that should be, and keeps nothing.
struct Sink {
    expected: Source,
    written: usize,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut expected = vec![0; bytes.len()];
        self.expected.read_exact(&mut expected)?;
        assert_eq!(bytes, expected);
        self.written += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn many_records_stream_through() {
    const RECORDS: u32 = 100_000;
    const SLOTS: usize = 2048;
    const BUFFER: usize = 4096;
    for format in FORMATS {
        let source = || Source {
            format,
            rows: 0..RECORDS,
            ready: header(format).to_vec(),
            taken: Rc::default(),
        };
        let input = source();
        let taken = Rc::clone(&input.taken);
        let sink = Sink {
            expected: source(),
            written: 0,
        };
        let mut writer = TableWriter::new(sink, format, number()).unwrap();
        let reader = BatchReader::new(
            BufReader::with_capacity(BUFFER, input),
            format,
            number(),
            slots(SLOTS),
            ReadOptions::default(),
        )
        .unwrap();

        // What was read is what the batches up to this one take and at most a buffer more; what comes out
        // is written before more is read.
        let mut used = header(format).len();
        let mut next = 0;
        for batch in reader {
            let batch = batch.unwrap();
            assert!(batch.records <= SLOTS);
            used += (next..next + batch.records as u32)
                .map(|n| row(format, n).len())
                .sum::<usize>();
            next += batch.records as u32;
            assert!(
                (used..=used + BUFFER).contains(&taken.get()),
                "{used} {}",
                taken.get()
            );
            writer.write(&batch).unwrap();
        }
        assert_eq!(next, RECORDS);
        assert_eq!(writer.finish().unwrap().written, taken.get());
    }
}

#[test]
fn a_wrong_row_stops_at_its_batch() {
    let mut table = b"n\n".to_vec();
    (0..10).for_each(|n| table.extend(row(TableFormat::Csv, n)));
    table.extend(b"x\n5\n");
    let reader = |table: Vec<u8>| {
        let options = ReadOptions::default();
        BatchReader::new(
            std::io::Cursor::new(table),
            TableFormat::Csv,
            number(),
            slots(4),
            options,
        )
    };
    let mut reader = reader(table).unwrap();
    assert_eq!(numbers(&reader.next().unwrap().unwrap()), [0, 1, 2, 3]);
    assert_eq!(numbers(&reader.next().unwrap().unwrap()), [4, 5, 6, 7]);
    let error = reader.next().unwrap().unwrap_err().to_string();
    assert!(
        error.starts_with("row 11 (line 12), column \"n\": the value cannot be used"),
        "{error}"
    );
    assert!(reader.next().is_none());
}

#[test]
fn failures_of_the_source_are_handed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    for format in FORMATS {
        let input = BufReader::new(header(format).chain(Broken));
        let mut reader = BatchReader::new(input, format, number(), slots(4), ReadOptions::default()).unwrap();
        let error = reader.next().unwrap().unwrap_err().to_string();
        assert_eq!(error, "the table could not be read or written: unplugged");
        assert!(reader.next().is_none());
    }
}
