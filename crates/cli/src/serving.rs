//! What the evaluator does with files: encrypted inputs and public ones in, results out.

use std::path::Path;

use ringmill_device::Device;
use ringmill_engine::{EvaluationKeys, PublicInputs};
use ringmill_fv::format::{FormatError, Parts};
use serde::Serialize;

use crate::arguments::ResumableOutput;
use crate::batches::{self, Batch, Batches, Head, Inputs, Role, from_outputs, to_inputs};
use crate::error::CliError;
use crate::evaluation::{Account, Evaluation, Work};
use crate::report::{bytes, print_either, seconds};
use crate::session::Session;

/// Public inputs batch by batch: how many records, and their values by port.
pub type PublicBatches<'a> = Box<dyn Iterator<Item = Result<(usize, PublicInputs), CliError>> + 'a>;

/// What is evaluated.
pub struct Job<'a, D: Device> {
    /// The circuit and its plan.
    pub session: &'a Session<D>,
    /// The device, as on the command line.
    pub device: String,
    /// The evaluator's keys.
    pub keys: &'a EvaluationKeys<D>,
    /// The file of encrypted inputs.
    pub private: &'a Path,
    /// The public inputs and the file to blame for their number; none if the circuit has none.
    pub public: Option<(&'a Path, PublicBatches<'a>)>,
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
        print_either(json, &report, || report.text())
    }

    /// Writes the batches of results that are kept already, then those of the other inputs.
    fn evaluate(
        self,
        kept: Option<&Path>,
        out: &mut Parts,
        totals: &mut Totals,
    ) -> Result<Account, CliError> {
        let session = self.session;
        let mut evaluation = Evaluation::new(session, self.keys);
        let mut kept = Kept::open(session, kept)?;
        let mut pairs = Pairs::open(session, self.private, self.public)?;
        let mut next = pairs.next()?;
        while let Some(pair) = next {
            // Before the evaluation, because a batch says whether it is the last one. What is wrong with the following
            // inputs waits until this batch is done, so that it is not lost.
            let following = pairs.next();
            let (clear, ciphertexts) = match kept.next(pair.records)? {
                Some((head, ciphertexts)) => {
                    totals.taken_over += 1;
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
                last: matches!(following, Ok(None)),
                index: totals.batches as u32,
                records: pair.records,
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

/// The results that an earlier run has kept; none if it is not gone on from one.
struct Kept<'a, D: Device>(Option<(&'a Path, Batches<'a, D>)>);

impl<'a, D: Device> Kept<'a, D> {
    fn open(session: &'a Session<D>, path: Option<&'a Path>) -> Result<Self, CliError> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        Ok(Self(Some((path, Batches::open_partial(session, path)?))))
    }

    /// The next batch, which must have so many records.
    fn next(&mut self, records: u64) -> Result<Option<Batch<D>>, CliError> {
        let Some((path, batches)) = &mut self.0 else {
            return Ok(None);
        };
        match batches.next()? {
            Some((head, _)) if head.records != records => Err(CliError::data(
                path,
                format!(
                    "batch {} has {} records where that of the inputs has {records}; it is of other inputs",
                    head.index, head.records
                ),
            )),
            batch => Ok(batch),
        }
    }

    /// Sees that nothing is left.
    fn finish(self) -> Result<(), CliError> {
        let Some((path, mut batches)) = self.0 else {
            return Ok(());
        };
        match batches.next()? {
            None => Ok(()),
            Some(_) => Err(CliError::data(
                path,
                "more batches than the inputs have; it is of other inputs",
            )),
        }
    }
}

/// The inputs of a batch.
struct Pair<D: Device> {
    records: u64,
    private: Inputs<D>,
    public: PublicInputs,
}

/// Encrypted and public batches side by side.
struct Pairs<'a, D: Device> {
    session: &'a Session<D>,
    private: Batches<'a, D>,
    public: Option<(&'a Path, PublicBatches<'a>)>,
    /// The first encrypted batch, if it is a single record for all.
    shared: Option<Inputs<D>>,
    begun: bool,
}

impl<'a, D: Device> Pairs<'a, D> {
    fn open(
        session: &'a Session<D>,
        private: &Path,
        public: Option<(&'a Path, PublicBatches<'a>)>,
    ) -> Result<Self, CliError> {
        Ok(Self {
            session,
            private: Batches::open(session, private, Role::Inputs)?,
            public,
            shared: None,
            begun: false,
        })
    }

    fn next(&mut self) -> Result<Option<Pair<D>>, CliError> {
        let private = self.next_private()?;
        let Some((path, batches)) = &mut self.public else {
            return Ok(private.map(|(records, private)| Pair {
                records,
                private,
                public: PublicInputs::new(),
            }));
        };
        let public = batches.next().transpose()?;
        match (private, public) {
            (Some((records, private)), Some((found, public)))
                if records == found as u64 || self.shared.is_some() =>
            {
                Ok(Some(Pair {
                    records: found as u64,
                    private,
                    public,
                }))
            }
            (None, None) => Ok(None),
            (Some(_), None) if self.shared.is_some() => Ok(None),
            (private, public) => Err(CliError::data(
                path,
                format!(
                    "{} public records where {} are encrypted; both must be the same records, or a single one \
                     encrypted for all",
                    public.map_or("no more".to_owned(), |(records, _)| records.to_string()),
                    private.map_or("no more".to_owned(), |(records, _)| records.to_string()),
                ),
            )),
        }
    }

    /// The next encrypted batch; again and again if it is a single record.
    fn next_private(&mut self) -> Result<Option<(u64, Inputs<D>)>, CliError> {
        if let Some(shared) = &self.shared {
            return Ok(Some((1, shared.clone())));
        }
        let Some((head, ciphertexts)) = self.private.next()? else {
            return Ok(None);
        };
        let inputs = to_inputs(&self.session.plan, ciphertexts);
        let single = !self.begun && head.last && head.records == 1;
        self.begun = true;
        if single && self.public.is_some() {
            self.shared = Some(inputs.clone());
        }
        Ok(Some((head.records, inputs)))
    }
}
