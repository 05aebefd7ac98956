//! Evaluation of batches, without any secret: in memory, and from file to file.

mod checks;
mod joint;
mod kept;
mod pairs;
mod public;
mod unpacked;

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ringmill_device::Device;
use ringmill_engine::{
    InputPacking, InputValues, Observer, OperationKind, Plan, peak_memory, reset_peak_memory,
};
use ringmill_format::FormatError;
use ringmill_fv::{Ciphertext, FvError};
use serde::Serialize;

use crate::Error;
use crate::batches::{self, Batches, Head, Role, from_outputs};
use crate::encryptor::EncryptedBatch;
use crate::files::{Digest, Digesting, ResumableOutput, Sink};
use crate::observer::{Progress, Running, Stage};
use crate::server::{ResultBatch, Server};
use crate::session::{Session, Steps};
pub(crate) use checks::Checks;
use kept::{Kept, KeptBatch};
use pairs::names;
pub(crate) use pairs::{Origins, Pairs};
pub use public::PublicInputs;
pub(crate) use unpacked::Unpacker;

/// Evaluates one batch after the other, and keeps account.
pub struct Evaluation<'a, D: Device> {
    server: &'a Server<D>,
    running: Running<'a>,
    /// Batches that are done, whoever did them, and all of them if that is known.
    done: usize,
    total: Option<usize>,
    account: Account,
}

/// The cost of evaluations.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Account {
    /// Number of batches.
    pub batches: usize,
    /// Time from begin to end of evaluations.
    pub seconds: f64,
    /// By kind of operation.
    pub work: Vec<Work>,
    /// The most resident memory while they went on, in bytes, if the system tells.
    pub peak_memory: Option<u64>,
}

/// The name of the work of taking packed inputs apart, which is counted by batches.
const UNPACKING: &str = "unpack inputs";

impl Account {
    /// Counts some work.
    fn count(&mut self, operation: &str, seconds: f64) {
        let found = self.work.iter().position(|work| work.operation == operation);
        let index = found.unwrap_or_else(|| {
            self.work.push(no_work(operation));
            self.work.len() - 1
        });
        if let Some(work) = self.work.get_mut(index) {
            work.count += 1;
            work.seconds += seconds;
        }
    }
}

/// Operations of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Work {
    /// The name of the operation.
    pub operation: String,
    /// How many there were.
    pub count: u64,
    /// Their times from begin to end, added over threads.
    pub seconds: f64,
}

impl<'a, D: Device> Evaluation<'a, D> {
    pub(crate) fn new(server: &'a Server<D>) -> Self {
        reset_peak_memory();
        Self {
            server,
            running: server.session.begin(Stage::Evaluating),
            done: 0,
            total: None,
            account: Account {
                batches: 0,
                seconds: 0.0,
                work: OperationKind::ALL.map(|kind| no_work(kind.name())).into(),
                peak_memory: None,
            },
        }
    }

    /// Says how many batches there will be in all, if that is known: for the observer.
    pub const fn expect(&mut self, total: Option<usize>) {
        self.total = total;
    }

    /// Counts a batch that was evaluated before.
    fn skip(&mut self) {
        self.done += 1;
        self.running.tell(Progress {
            done: self.done,
            batches: self.total,
            fraction: 0.0,
            resumed: true,
        });
    }

    /// Evaluates a batch; `public` has the values of the public input ports.
    ///
    /// # Errors
    /// If inputs are missing or do not suit the plan; if the device fails;
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn batch(&mut self, batch: EncryptedBatch<D>, public: &InputValues) -> Result<ResultBatch<D>, Error> {
        let (start, server) = (Instant::now(), self.server);
        let session = &*server.session;
        let steps = Steps::new(&self.running, self.done, self.total, 1);
        let watch = |part| Watch {
            steps: &steps,
            observer: &*session.observer,
            part,
        };
        let keys = server.keys.set.or(batch.keys);
        let mut public = Cow::Borrowed(public);
        if let Some((port, present)) = session.plan.present(batch.records) {
            public.to_mut().insert(port, present);
        }
        let share = unpacking_share(&session.plan);
        let (inputs, unpacked) = server.unpacker.inputs(server, batch.inputs, &watch(0.0..share))?;
        let begin = unpacked.map_or(0.0, |_| share);
        if let Some(time) = unpacked {
            self.account.count(UNPACKING, time.as_secs_f64());
        }
        let execution = session.plan.execute(
            &session.context,
            &server.keys.keys,
            inputs,
            &public,
            &watch(begin..1.0),
        )?;
        let mut outputs = execution.outputs;
        server.flood(&mut outputs)?;
        for (work, kind) in self.account.work.iter_mut().zip(OperationKind::ALL) {
            let tally = execution.statistics.tally(kind);
            work.count += tally.count;
            work.seconds += tally.time.as_secs_f64();
        }
        self.done += 1;
        self.account.batches += 1;
        self.account.seconds += start.elapsed().as_secs_f64();
        Ok(ResultBatch {
            records: batch.records,
            outputs,
            keys,
        })
    }

    /// Ends, and says what it took.
    #[must_use]
    pub fn finish(self) -> Account {
        Account {
            peak_memory: peak_memory(),
            ..self.account
        }
    }
}

fn no_work(operation: &str) -> Work {
    Work {
        operation: operation.to_owned(),
        count: 0,
        seconds: 0.0,
    }
}

/// What part of a batch's predicted time it takes to take its inputs apart.
fn unpacking_share(plan: &Plan) -> f64 {
    let prediction = plan.prediction();
    let whole = match plan.recipe().packing {
        InputPacking::Broadcast => prediction.work + prediction.unpacking,
        InputPacking::Separate | InputPacking::Slots => prediction.work,
    };
    if whole > 0.0 {
        prediction.unpacking / whole
    } else {
        0.0
    }
}

/// Tells how far a part of a batch is, and whether to stop.
struct Watch<'a> {
    steps: &'a Steps<'a>,
    observer: &'a dyn crate::Observer,
    /// The part, of 1.
    part: Range<f64>,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: ringmill_engine::Progress) {
        if progress.weight_total > 0.0 {
            let length = self.part.end - self.part.start;
            // Weights are added up in another order than their total was.
            let done = (progress.weight_done / progress.weight_total).min(1.0);
            self.steps.set(self.part.start + length * done);
        }
    }

    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}

/// Counts of a file of results, and its cost.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EvaluatedFile {
    /// Records.
    pub records: u64,
    /// Batches of them.
    pub batches: usize,
    /// Batches that an earlier run had evaluated.
    pub taken_over: usize,
    /// Ciphertexts in all.
    pub ciphertexts: usize,
    /// The cost of the batches that this run evaluated.
    pub account: Account,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Counts of what was written.
#[derive(Default)]
struct Totals {
    records: u64,
    batches: usize,
    taken_over: usize,
    ciphertexts: usize,
    /// Of the batches, in order.
    digests: Vec<Digest>,
}

impl Totals {
    const fn file(&self, account: Account, bytes: u64) -> EvaluatedFile {
        EvaluatedFile {
            records: self.records,
            batches: self.batches,
            taken_over: self.taken_over,
            ciphertexts: self.ciphertexts,
            account,
            bytes,
        }
    }
}

/// Evaluates batch after batch into a file. Each is kept from when it is finished on.
pub(crate) fn evaluate_to<D: Device>(
    server: &Server<D>,
    private: &[PathBuf],
    public: &PublicInputs,
    output: &ResumableOutput,
) -> Result<EvaluatedFile, Error> {
    let observer = &*server.session.observer;
    server.require_keys()?;
    output.prepare(observer)?;
    let (origins, partial) = (server.origins(private, public)?, output.partial());
    let keys = (server.keys.set, &*server.name);
    let pairs = Pairs::open(&server.session, keys, private, public)?;
    if output.is_finished() {
        return finished(server, (pairs, origins), output.path());
    }
    let mut totals = Totals::default();
    let kept = output.resumes().then_some(&*partial);
    if output.wants_to_resume() && kept.is_none() {
        observer.note(&format!(
            "note: {}: nothing is kept to go on from; this begins at the first batch",
            partial.display()
        ));
    }
    let evaluated = output.write(|out| write(server, pairs, (&origins, kept), out, &mut totals));
    let (account, bytes) = evaluated.map_err(|unfinished| {
        let error = unfinished.error.in_inputs(names(private).as_ref());
        if unfinished.kept {
            Error::Kept {
                source: Box::new(error),
                batches: totals.batches,
                partial: partial.clone(),
            }
        } else {
            error
        }
    })?;
    Ok(totals.file(account, bytes))
}

/// Counts of a file that an earlier run has finished, which must have been made of the same inputs in the same way.
fn finished<D: Device>(
    server: &Server<D>,
    inputs: (Pairs<'_, D>, Origins),
    path: &Path,
) -> Result<EvaluatedFile, Error> {
    let session = &*server.session;
    let signer = server.signing.as_ref().map(|key| key.verifying_key());
    let mut checks = Checks {
        path,
        signed: signer.map(|key| key.verify(path)).transpose()?,
        results: Batches::open(session, path, Role::Results)?,
        inputs: Some(inputs),
    };
    let (mut evaluation, mut totals) = (Evaluation::new(server), Totals::default());
    while let Some((head, ciphertexts)) = checks.results.next()? {
        session.check_cancelled()?;
        checks.check(&head, totals.batches)?;
        evaluation.skip();
        totals.records += head.records;
        totals.batches += 1;
        totals.taken_over += 1;
        totals.ciphertexts += ciphertexts.len();
    }
    let bytes = checks.results.meter().bytes();
    checks.finish()?;
    Ok(totals.file(evaluation.finish(), bytes))
}

/// Appends a batch, which then lasts; its digest.
fn append<D: Device>(
    out: &mut Sink<'_>,
    session: &Session<D>,
    head: &Head,
    ciphertexts: &[Ciphertext<D>],
) -> Result<Digest, Error> {
    let mut digesting = Digesting::new(&mut *out);
    batches::write(&mut digesting, &session.context, head, ciphertexts)?;
    let digest = digesting.digest();
    out.part_done().map_err(FormatError::from)?;
    Ok(digest)
}

/// Leaves a batch that an earlier run has finished where it is, or writes it again if its head has changed; the number
/// of its ciphertexts, and its digest.
fn take_over<D: Device>(
    out: &mut Sink<'_>,
    session: &Session<D>,
    found: KeptBatch<D>,
    head: impl FnOnce(Vec<Vec<u8>>) -> Head,
) -> Result<(usize, Digest), Error> {
    let (kept, ciphertexts) = found.batch;
    let digest = match found.end {
        Some(end) => {
            out.keep(end);
            found.digest
        }
        None => append(out, session, &head(kept.clear), &ciphertexts)?,
    };
    Ok((ciphertexts.len(), digest))
}

/// Writes the batches of results behind those that are kept already.
fn write<D: Device>(
    server: &Server<D>,
    mut pairs: Pairs<'_, D>,
    (origins, kept): (&Origins, Option<&Path>),
    out: &mut Sink<'_>,
    totals: &mut Totals,
) -> Result<Account, Error> {
    let session = &*server.session;
    let mut evaluation = Evaluation::new(server);
    let mut kept = Kept::open(session, origins, kept)?;
    let mut next = pairs.next()?;
    while let Some(pair) = next {
        session.check_cancelled()?;
        // Before the evaluation, because a batch says whether it is the last one. What is wrong with the following
        // inputs waits until this batch is done, so that it is not lost.
        let following = pairs.next();
        let last = matches!(following, Ok(None));
        let read = totals.batches + if last { 1 } else { 2 };
        evaluation.expect(pairs.meter().and_then(|meter| meter.batches(read, last)));
        let (origin, records) = (origins.of(&pair), pair.private.records as u64);
        let keys = server.keys.set.or(pair.private.keys);
        let head = |clear| Head {
            circuit: session.circuit.digest(),
            role: Role::Results,
            last,
            index: totals.batches as u32,
            records,
            keys,
            origin: Some(origin),
            clear,
            ports: Vec::new(),
        };
        let found = kept.next(&origin, records, last)?;
        totals.taken_over += usize::from(found.is_some());
        let (ciphertexts, digest) = match found {
            Some(found) => {
                evaluation.skip();
                take_over(out, session, found, head)?
            }
            None => {
                let results = evaluation.batch(pair.private, &pair.public)?;
                let (ciphertexts, clear) = from_outputs(results.outputs);
                let digest = append(out, session, &head(clear), &ciphertexts)?;
                (ciphertexts.len(), digest)
            }
        };
        totals.digests.push(digest);
        totals.records += records;
        totals.batches += 1;
        totals.ciphertexts += ciphertexts;
        next = following?;
    }
    kept.finish()?;
    if let Some(key) = &server.signing {
        let signature = key.sign(&totals.digests);
        signature
            .write(out, session.context.parameters().hash())
            .map_err(FvError::from)?;
    }
    Ok(evaluation.finish())
}
