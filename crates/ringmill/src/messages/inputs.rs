//! The inputs of a program, encrypted.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_format::Access;
use ringmill_records::TableFormat;

use super::columns::places;
use super::program_file::{self, RowsBatch, digest, rows_in_batch};
use super::rows::NumberRows;
use super::{Columns, Encoding, EncryptedRows, MessageClient, MessageEncryptor, MessagePlan, RowsHead};
use crate::Error;
use crate::batches::Role;
use crate::files::{Content, Output};
use crate::observer::{Running, Stage};
use crate::session::Steps;

/// Counts of a file of rows that was written.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RowTotals {
    /// Rows.
    pub rows: usize,
    /// Ciphertexts, one for each message.
    pub ciphertexts: usize,
    /// Batches of rows.
    pub batches: usize,
    /// Seconds without reading and writing.
    pub seconds: f64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl RowTotals {
    pub(super) const fn none() -> Self {
        Self {
            rows: 0,
            ciphertexts: 0,
            batches: 0,
            seconds: 0.0,
            bytes: 0,
        }
    }

    /// Counts a batch.
    pub(super) fn add(&mut self, rows: usize, ciphertexts: usize, seconds: f64) {
        self.rows += rows;
        self.ciphertexts += ciphertexts;
        self.batches += 1;
        self.seconds += seconds;
    }
}

/// The messages of a row.
pub(super) type Row = Vec<Vec<u64>>;

/// Messages row by row, each row with one for each name.
struct Rows {
    names: Vec<String>,
    rows: Vec<Row>,
}

impl<D: Device> MessageClient<D> {
    /// Encrypts inputs of the program with the secret key, as [`MessageEncryptor::encrypt_inputs`].
    ///
    /// # Errors
    /// As [`MessageEncryptor::encrypt_inputs`].
    pub fn encrypt_inputs(&self, inputs: &Columns) -> Result<EncryptedRows<D>, Error> {
        self.encryptor().encrypt_inputs(inputs)
    }
}

impl<D: Device> MessageEncryptor<D> {
    /// Encrypts inputs of the program that are not public: all, or those of one owner among several. Each has as many
    /// rows as the others, and in each row a message of 1 to n integers below t.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) without a program, for names that are none of its private inputs,
    /// and for numbers of rows that differ; as [`MessageEncryptor::encrypt`].
    pub fn encrypt_inputs(&self, inputs: &Columns) -> Result<EncryptedRows<D>, Error> {
        let plan = self.session.plan()?;
        places(plan.program(), false, inputs.names())?;
        let count = inputs.rows();
        let mut rows = vec![Vec::new(); count];
        for name in inputs.names() {
            let messages = inputs.get(name).unwrap_or_default();
            if messages.len() != count {
                return Err(Error::Usage(format!(
                    "{} messages for `{name}`, but {count} for another input; give one in each row",
                    messages.len()
                )));
            }
            rows.iter_mut()
                .zip(messages)
                .for_each(|(row, message)| row.push(message.clone()));
        }
        if count == 0 || rows.iter().flatten().any(Vec::is_empty) {
            return Err(Error::Usage(
                "an empty message, or no row at all; a message has at least one number".to_owned(),
            ));
        }
        let names = inputs.names().map(str::to_owned).collect();
        let (head, ciphertexts) = self.encrypt_row_batch(plan, &Rows { names, rows }, &Seed::random()?)?;
        Ok(EncryptedRows { head, ciphertexts })
    }

    fn encrypt_row_batch(&self, plan: &MessagePlan, rows: &Rows, seed: &Seed) -> Result<RowsBatch<D>, Error> {
        let messages: Vec<Vec<u64>> = rows.rows.concat();
        let head = RowsHead {
            program: digest(plan.program()),
            role: Role::Inputs,
            last: true,
            index: 0,
            keys: self.key.set(),
            names: rows.names.clone(),
            lengths: messages.iter().map(|message| message.len() as u32).collect(),
        };
        Ok((head, self.encrypt_batch(&messages, Encoding::Slots, seed)?))
    }

    /// Encrypts inputs of the program from files, each with a message a line: of CSV, of tabs, or of JSON arrays. Line i
    /// of all files is row i. One batch is in memory at a time; `-` is standard input.
    ///
    /// # Errors
    /// As [`MessageEncryptor::encrypt_inputs`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, for
    /// rows that are none, and for files of different numbers of lines; [`Output::check`].
    pub fn encrypt_inputs_to(
        &self,
        files: &[(impl AsRef<str>, impl AsRef<Path>)],
        format: Option<TableFormat>,
        output: &Output,
    ) -> Result<RowTotals, Error> {
        let plan = self.session.plan()?;
        output.prepare(Content::Binary, &*self.session.observer)?;
        let names: Vec<String> = files.iter().map(|(name, _)| name.as_ref().to_owned()).collect();
        places(plan.program(), false, names.iter().map(String::as_str))?;
        let mut readers = Lines::open(plan, files, format)?;
        let (totals, bytes) = output.write(Access::Public, |out| {
            self.encrypt_lines(plan, &names, &mut readers, out)
        })?;
        Ok(RowTotals { bytes, ..totals })
    }

    /// Encrypts all lines. A batch is written once it is known whether another follows.
    fn encrypt_lines(
        &self,
        plan: &MessagePlan,
        names: &[String],
        lines: &mut Lines,
        out: &mut dyn std::io::Write,
    ) -> Result<RowTotals, Error> {
        let running = Running::begin(&*self.session.observer, Stage::Encrypting);
        let (seed, size) = (Seed::random()?, rows_in_batch(plan));
        let mut totals = RowTotals::none();
        let mut next = lines.take(size)?;
        if next.is_empty() {
            return Err(Error::data(
                &lines.path(),
                "no messages: one is a line of numbers",
            ));
        }
        while !next.is_empty() {
            let rows = std::mem::replace(&mut next, lines.take(size)?);
            let last = next.is_empty();
            let steps = Steps::new(&running, totals.batches, None, 1);
            let start = Instant::now();
            let rows = Rows {
                names: names.to_vec(),
                rows,
            };
            let seed = seed.derive("batch", totals.batches as u64);
            let (head, ciphertexts) = self.encrypt_row_batch(plan, &rows, &seed)?;
            totals.add(head.rows(), ciphertexts.len(), start.elapsed().as_secs_f64());
            steps.step();
            let head = RowsHead {
                last,
                index: totals.batches as u32 - 1,
                ..head
            };
            program_file::write(out, &self.session.context, &head, &ciphertexts)?;
        }
        Ok(totals)
    }
}

/// Files of messages that are read side by side, line by line.
pub(super) struct Lines(Vec<(PathBuf, NumberRows)>);

impl Lines {
    /// Opens the files of some inputs.
    pub fn open(
        plan: &MessagePlan,
        files: &[(impl AsRef<str>, impl AsRef<Path>)],
        format: Option<TableFormat>,
    ) -> Result<Self, Error> {
        let bounds = (plan.parameters().n(), plan.parameters().t());
        let open = |path: &Path| Ok((path.to_path_buf(), NumberRows::open(path, format, bounds)?));
        let readers = files.iter().map(|(_, path)| open(path.as_ref()));
        Ok(Self(readers.collect::<Result<_, Error>>()?))
    }

    /// The first file.
    fn path(&self) -> PathBuf {
        self.0.first().map_or_else(PathBuf::new, |(path, _)| path.clone())
    }

    /// The next rows, at most `count`; none at the end of the files. A row has a message of each file.
    pub fn take(&mut self, count: usize) -> Result<Vec<Row>, Error> {
        let mut rows: Vec<Row> = Vec::new();
        for (i, (path, reader)) in self.0.iter_mut().enumerate() {
            let messages = reader.take(count)?;
            if i == 0 {
                rows = vec![Vec::new(); messages.len()];
            }
            if messages.len() != rows.len() {
                let problem =
                    "as many lines as the files of the other inputs are needed: line i of all is row i";
                return Err(Error::data(path, problem));
            }
            rows.iter_mut()
                .zip(messages)
                .for_each(|(row, message)| row.push(message));
        }
        Ok(rows)
    }
}
