//! What the evaluator does with files: encrypted inputs and public ones in, results out.

use std::path::Path;

use ringmill_device::Device;
use ringmill_engine::{EvaluationKeys, PublicInputs};
use ringmill_fv::format::Access;
use serde::Serialize;

use crate::arguments::Output;
use crate::batches::{self, Batches, Head, Inputs, Role, from_outputs, to_inputs};
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
    ciphertexts: usize,
}

impl<D: Device> Job<'_, D> {
    /// Evaluates batch after batch into a file, and reports.
    pub fn run(self, output: &Output, json: bool) -> Result<(), CliError> {
        let (session, private) = (self.session, self.private.to_path_buf());
        let device = self.device.clone();
        let evaluated = output.write(Access::Public, |out| self.evaluate(out));
        let evaluated = evaluated.map_err(|error| error.in_inputs(&private));
        let ((totals, account), file_bytes) = evaluated?;
        let report = Report {
            circuit: session.named.name.clone(),
            records: totals.records,
            batches: account.batches,
            ciphertexts: totals.ciphertexts,
            device,
            seconds: account.seconds,
            breakdown: account.work,
            peak_memory: account.peak_memory,
            file: output.path.display().to_string(),
            file_bytes,
        };
        print_either(json, &report, || {
            format!(
                "{} records in {} batches evaluated in {}, {} written to {}\n",
                report.records,
                report.batches,
                seconds(report.seconds),
                bytes(report.file_bytes),
                report.file
            )
        })
    }

    fn evaluate(self, out: &mut dyn std::io::Write) -> Result<(Totals, Account), CliError> {
        let session = self.session;
        let mut evaluation = Evaluation::new(session, self.keys);
        let mut pairs = Pairs::open(session, self.private, self.public)?;
        let mut totals = Totals::default();
        let mut next = pairs.next()?;
        let mut index = 0;
        while let Some(pair) = next {
            // Before the evaluation: batches that do not go together are found early, but two are in memory.
            next = pairs.next()?;
            let outputs = evaluation.batch(pair.private, &pair.public)?;
            let (ciphertexts, clear) = from_outputs(outputs);
            let head = Head {
                circuit: session.circuit().digest(),
                role: Role::Results,
                last: next.is_none(),
                index,
                records: pair.records,
                clear,
            };
            batches::write(out, &session.context, &head, &ciphertexts)?;
            totals.records += pair.records;
            totals.ciphertexts += ciphertexts.len();
            index += 1;
        }
        Ok((totals, evaluation.finish()))
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
