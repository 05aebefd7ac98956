//! What the evaluator does with files: encrypted inputs and public ones in, results out.

mod kept;
mod pairs;

use std::path::Path;

use ringmill_device::Device;
use ringmill_engine::InputValues;
use ringmill_fv::format::FormatError;
use serde::Serialize;

use crate::arguments::ResumableOutput;
use crate::batches::{self, Head, Role, from_outputs};
use crate::error::CliError;
use crate::evaluation::{Account, Evaluation, Work};
use crate::files::Sink;
use crate::input::Meter;
use crate::keys::Evaluator;
use crate::report::{bytes, print_beside, seconds};
use crate::session::Session;
use kept::Kept;
use pairs::Pairs;

/// Public inputs, and the file to blame for their number.
pub struct Public<'a> {
    /// The file.
    pub path: &'a Path,
    /// How much of it is read.
    pub meter: Meter,
    /// Batch by batch how many records, and their values by port.
    pub batches: Box<dyn Iterator<Item = Result<(usize, InputValues), CliError>> + 'a>,
}

/// What is evaluated.
pub struct Job<'a, D: Device> {
    /// The circuit and its plan.
    pub session: &'a Session<D>,
    /// The device, as on the command line.
    pub device: String,
    /// The evaluator's keys, and their file.
    pub evaluator: &'a Evaluator<D>,
    pub evaluation_key: &'a Path,
    /// The file of encrypted inputs.
    pub private: &'a Path,
    /// The public inputs; none if the circuit has none.
    pub public: Option<Public<'a>>,
}

/// What came of it.
#[derive(Serialize)]
struct Report {
    circuit: String,
    records: u64,
    batches: usize,
    /// Batches that an earlier run had evaluated.
    taken_over: usize,
    ciphertexts: usize,
    device: String,
    seconds: f64,
    breakdown: Vec<Work>,
    peak_memory: Option<u64>,
    file: String,
    file_bytes: u64,
}

/// Counts of what was written.
#[derive(Default)]
struct Totals {
    records: u64,
    batches: usize,
    taken_over: usize,
    ciphertexts: usize,
}

impl<D: Device> Job<'_, D> {
    /// Evaluates batch after batch into a file, and reports. If one fails, those before it are kept.
    pub fn run(self, output: &ResumableOutput, json: bool) -> Result<(), CliError> {
        let (session, private) = (self.session, self.private.to_path_buf());
        let (device, partial) = (self.device.clone(), output.partial());
        let mut totals = Totals::default();
        let kept = output.resume.then_some(partial.as_path());
        let evaluated = output.write(|out| self.evaluate(kept, out, &mut totals));
        let (account, file_bytes) = evaluated.map_err(|unfinished| {
            let error = unfinished.error.in_inputs(&private);
            match unfinished.kept {
                true => CliError::Kept {
                    source: Box::new(error),
                    batches: totals.batches,
                    partial: partial.clone(),
                },
                false => error,
            }
        })?;
        let report = Report {
            circuit: session.named.name.clone(),
            records: totals.records,
            batches: totals.batches,
            taken_over: totals.taken_over,
            ciphertexts: totals.ciphertexts,
            device,
            seconds: account.seconds,
            breakdown: account.work,
            peak_memory: account.peak_memory,
            file: output.output.path.display().to_string(),
            file_bytes,
        };
        print_beside(&output.output.path, json, &report, || report.text())
    }

    /// Writes the batches of results that are kept already, then those of the other inputs.
    fn evaluate(self, kept: Option<&Path>, out: &mut Sink, totals: &mut Totals) -> Result<Account, CliError> {
        let session = self.session;
        let mut evaluation = Evaluation::new(session, &self.evaluator.keys);
        let mut kept = Kept::open(&self, kept)?;
        let mut pairs = Pairs::open(self)?;
        let mut next = pairs.next()?;
        while let Some(pair) = next {
            // Before the evaluation, because a batch says whether it is the last one. What is wrong with the following
            // inputs waits until this batch is done, so that it is not lost.
            let following = pairs.next();
            let last = matches!(following, Ok(None));
            evaluation.expect(
                pairs
                    .meter()
                    .batches(totals.batches + if last { 1 } else { 2 }, last),
            );
            let (keys, origin) = (pair.keys, pair.origin);
            let (clear, ciphertexts) = match kept.next(&pair)? {
                Some((head, ciphertexts)) => {
                    totals.taken_over += 1;
                    evaluation.skip();
                    (head.clear, ciphertexts)
                }
                None => {
                    let (ciphertexts, clear) = from_outputs(evaluation.batch(pair.private, &pair.public)?);
                    (clear, ciphertexts)
                }
            };
            let head = Head {
                circuit: session.circuit().digest(),
                role: Role::Results,
                last,
                index: totals.batches as u32,
                records: pair.records,
                keys,
                origin: Some(origin),
                clear,
            };
            batches::write(out, &session.context, &head, &ciphertexts)?;
            // As long as all are taken over, they are kept already, and more may be than were read.
            if totals.taken_over <= totals.batches {
                out.part_done().map_err(FormatError::from)?;
            }
            totals.records += pair.records;
            totals.batches += 1;
            totals.ciphertexts += ciphertexts.len();
            next = following?;
        }
        kept.finish()?;
        Ok(evaluation.finish())
    }
}

impl Report {
    fn text(&self) -> String {
        let taken_over = match self.taken_over {
            0 => String::new(),
            count => format!(" ({count} of them by an earlier run)"),
        };
        format!(
            "{} records in {} batches{taken_over} evaluated in {}, {} written to {}\n",
            self.records,
            self.batches,
            seconds(self.seconds),
            bytes(self.file_bytes),
            self.file
        )
    }
}
