//! The results of a program, decrypted.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_device::Device;
use ringmill_expression::MessageProgram;
use ringmill_fv::{Ciphertext, FvError};
use ringmill_records::TableFormat;

use super::inputs::Row;
use super::program_file::{RowsFile, digest};
use super::rows::RowFormat;
use super::{Columns, EncryptedRows, MessageClient, RowTotals, RowsHead};
use crate::Error;
use crate::batches::Role;
use crate::files::{Content, Output};
use crate::keys::KeySet;
use crate::observer::{Running, Stage};
use crate::session::Steps;

/// Results that were decrypted.
pub struct DecryptedRows {
    /// A column for each output of the program.
    pub columns: Columns,
    /// log2 of the largest noise found, relative to the distance of two plaintexts: results are wrong from -1 on. It is a
    /// secret of the key's owner.
    pub log2_noise: f64,
}

impl fmt::Debug for DecryptedRows {
    /// Results may be secrets: only how many there are, and their noise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecryptedRows")
            .field("columns", &self.columns)
            .field("log2_noise", &self.log2_noise)
            .finish()
    }
}

/// Results that were decrypted into a file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DecryptedRowsFile {
    /// Counts.
    pub totals: RowTotals,
    /// As [`DecryptedRows::log2_noise`].
    pub log2_noise: f64,
}

/// Which outputs are written, and how.
pub(super) struct Selection {
    /// Names and places of the outputs.
    outputs: Vec<(String, usize)>,
    format: RowFormat,
    /// Whether a line is an object with all outputs, or one message.
    objects: bool,
}

impl Selection {
    pub fn new(program: &MessageProgram, wanted: Option<&str>, format: RowFormat) -> Result<Self, Error> {
        let outputs = program.outputs().iter().map(|output| output.name.clone());
        let outputs: Vec<(String, usize)> = outputs.zip(0..).collect();
        let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        let (outputs, objects) = match wanted {
            None if outputs.len() > 1 && format != RowFormat::Json => {
                return Err(Error::Usage(format!(
                    "a line holds one message, but there are several outputs: {names}; choose one with --result NAME, \
                     or give --format json for a line with all"
                )));
            }
            None => (outputs, format == RowFormat::Json),
            Some(wanted) => {
                let one = outputs
                    .into_iter()
                    .filter(|(name, _)| name == wanted)
                    .collect::<Vec<_>>();
                if one.is_empty() {
                    return Err(Error::Usage(format!(
                        "--result {wanted}: the program has no such output; it has {names}"
                    )));
                }
                (one, false)
            }
        };
        Ok(Self {
            outputs,
            format,
            objects,
        })
    }

    /// Writes a row of messages, one for each output of the program.
    pub fn write(&self, out: &mut dyn Write, row: &[Vec<u64>]) -> io::Result<()> {
        let mut chosen = self
            .outputs
            .iter()
            .filter_map(|(name, place)| Some((name, row.get(*place)?)));
        if !self.objects {
            return chosen.try_for_each(|(_, message)| self.format.write(out, message));
        }
        // Names are words and need no escapes.
        let members = chosen.map(|(name, message)| {
            let numbers: Vec<String> = message.iter().map(u64::to_string).collect();
            format!("\"{name}\":[{}]", numbers.join(","))
        });
        writeln!(out, "{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

impl<D: Device> MessageClient<D> {
    /// Decrypts results of the program, and measures their noise.
    ///
    /// An output that has the same number in every slot has messages of one number; of another output each message is as
    /// long as the longest in its row of inputs.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) without a program, and for what is no result of it or is under other
    /// keys; [`ErrorKind::WrongResult`](crate::ErrorKind::WrongResult) if the noise is too large; if the device fails.
    pub fn decrypt_results(&self, results: &EncryptedRows<D>) -> Result<DecryptedRows, Error> {
        let program = self.session.plan()?.program();
        KeySet::check(results.head.keys, self.own_set().as_ref(), "messages").map_err(Error::Usage)?;
        if results.head.program != digest(program) || results.head.role != Role::Results {
            return Err(Error::Usage("these are no results of the program".to_owned()));
        }
        let (rows, log2_noise) = self.decrypt_rows(&results.head, &results.ciphertexts, &|| ())?;
        let names = program.outputs().iter();
        let mut columns = names.fold(Columns::new(), |columns, output| {
            columns.with(output.name.clone(), Vec::new())
        });
        for row in rows {
            row.into_iter()
                .enumerate()
                .for_each(|(place, message)| columns.push(place, message));
        }
        Ok(DecryptedRows { columns, log2_noise })
    }

    /// The messages of each row, and log2 of the largest noise.
    fn decrypt_rows(
        &self,
        head: &RowsHead,
        ciphertexts: &[Ciphertext<D>],
        step: &(dyn Fn() + Sync),
    ) -> Result<(Vec<Row>, f64), FvError> {
        let context = &self.session.context;
        let messages = ciphertexts
            .par_iter()
            .zip(&head.lengths)
            .map(|(ciphertext, length)| {
                let plaintext = context.decrypt(&self.secret.key, ciphertext)?;
                let mut numbers = context.decode_integers(&plaintext)?;
                numbers.truncate(*length as usize);
                let noise = context.measure_noise(&self.secret.key, ciphertext, &plaintext)?;
                step();
                Ok((numbers, noise))
            });
        let (messages, noises): (Vec<_>, Vec<f64>) =
            messages.collect::<Result<Vec<_>, FvError>>()?.into_iter().unzip();
        let rows = messages.chunks(head.names.len().max(1)).map(<[_]>::to_vec);
        Ok((
            rows.collect(),
            noises.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ))
    }

    /// Decrypts a file of results, with one batch in memory at a time: a line for each row, with the message of one
    /// output, or as JSON an object with those of all.
    ///
    /// # Errors
    /// As [`MessageClient::decrypt_results`]; [`ErrorKind::Usage`](crate::ErrorKind::Usage) for an output that there is
    /// not, and if several would stand in a line that is not JSON;
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) for a damaged file; [`Output::check`].
    pub fn decrypt_results_to(
        &self,
        results: impl AsRef<Path>,
        output: &Output,
        format: Option<TableFormat>,
        wanted: Option<&str>,
    ) -> Result<DecryptedRowsFile, Error> {
        let (path, plan) = (results.as_ref(), self.session.plan()?);
        let format = RowFormat::of(output.path(), format)?;
        let selection = Selection::new(plan.program(), wanted, format)?;
        output.prepare(Content::Text, &*self.session.observer)?;
        let file = RowsFile::open(&self.session.context, plan, Role::Results, path)?;
        let mut file = file.of_keys(self.secret.set, &self.name);
        let ((totals, log2_noise), bytes) = output.write(output.access_to_records(), |out| {
            let running = Running::begin(&*self.session.observer, Stage::Decrypting);
            let meter = file.meter();
            let (mut totals, mut log2_noise) = (RowTotals::none(), f64::NEG_INFINITY);
            while let Some((head, ciphertexts)) = file.next()? {
                if !head
                    .names
                    .iter()
                    .eq(plan.program().outputs().iter().map(|output| &output.name))
                {
                    return Err(Error::data(path, "it has not all outputs of the program"));
                }
                let total = meter.batches(totals.batches + 1, head.last);
                let steps = Steps::new(&running, totals.batches, total, ciphertexts.len());
                let start = Instant::now();
                let rows = self.decrypt_rows(&head, &ciphertexts, &|| steps.step());
                let (rows, noise) = rows.map_err(|error| Error::in_file(path, error))?;
                totals.add(rows.len(), ciphertexts.len(), start.elapsed().as_secs_f64());
                log2_noise = log2_noise.max(noise);
                for row in &rows {
                    let written = selection.write(out, row);
                    written.map_err(|error| Error::io(output.path(), error))?;
                }
            }
            Ok((totals, log2_noise))
        })?;
        Ok(DecryptedRowsFile {
            totals: RowTotals { bytes, ..totals },
            log2_noise,
        })
    }
}
