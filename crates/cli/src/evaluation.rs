//! Evaluation of batches, without any secret.

use std::time::Instant;

use ringmill_device::Device;
use ringmill_engine::{EvaluationKeys, InputValues, Observer, OperationKind, peak_memory, reset_peak_memory};
use serde::Serialize;

use crate::batches::{Inputs, Outputs};
use crate::error::CliError;
use crate::progress::{Part, Progress};
use crate::session::Session;

/// Evaluates one batch after the other, and keeps account.
pub struct Evaluation<'a, D: Device> {
    session: &'a Session<D>,
    keys: &'a EvaluationKeys<D>,
    progress: Progress,
    /// Batches that are done, whoever did them, and all of them if that is known.
    done: usize,
    total: Option<usize>,
    account: Account,
}

/// What evaluations took.
#[derive(Debug, Clone)]
pub struct Account {
    /// Number of batches.
    pub batches: usize,
    /// Time from begin to end of evaluations.
    pub seconds: f64,
    /// By kind of operation.
    pub work: Vec<Work>,
    /// The most resident memory while they went on, in bytes, if the system tells.
    pub peak_memory: Option<u64>,
    /// The same before they began.
    pub earlier_peak_memory: Option<u64>,
}

/// Operations of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Work {
    /// What a person calls it.
    pub operation: String,
    /// How many.
    pub count: u64,
    /// Their times from begin to end, added over threads.
    pub seconds: f64,
}

impl<'a, D: Device> Evaluation<'a, D> {
    /// Begins.
    pub fn new(session: &'a Session<D>, keys: &'a EvaluationKeys<D>) -> Self {
        let earlier_peak_memory = peak_memory();
        reset_peak_memory();
        Self {
            session,
            keys,
            progress: Progress::bar("evaluating"),
            done: 0,
            total: None,
            account: Account {
                batches: 0,
                seconds: 0.0,
                work: OperationKind::ALL.map(no_work).into(),
                peak_memory: None,
                earlier_peak_memory,
            },
        }
    }

    /// So many batches there are in all, as far as is known.
    pub fn expect(&mut self, total: Option<usize>) {
        self.total = total;
    }

    /// A batch was evaluated before.
    pub fn skip(&mut self) {
        self.done += 1;
        if let Some(total) = self.total {
            self.progress.skip(self.done as f64 / total as f64);
        }
    }

    /// Evaluates a batch.
    pub fn batch(&mut self, inputs: Inputs<D>, public: &InputValues) -> Result<Outputs<D>, CliError> {
        let start = Instant::now();
        let session = self.session;
        let watch = Watch(self.progress.batch("evaluating", (self.done, self.total), 1));
        let execution = session
            .plan
            .execute(&session.context, self.keys, inputs, public, &watch)?;
        for (work, kind) in self.account.work.iter_mut().zip(OperationKind::ALL) {
            let tally = execution.statistics.tally(kind);
            work.count += tally.count;
            work.seconds += tally.time.as_secs_f64();
        }
        self.done += 1;
        self.account.batches += 1;
        self.account.seconds += start.elapsed().as_secs_f64();
        Ok(execution.outputs)
    }

    /// Ends.
    pub fn finish(self) -> Account {
        Account {
            peak_memory: peak_memory(),
            ..self.account
        }
    }
}

fn no_work(kind: OperationKind) -> Work {
    Work {
        operation: kind.name().to_owned(),
        count: 0,
        seconds: 0.0,
    }
}

/// Tells how far a part of a job is, a batch say.
pub struct Watch<'a>(pub Part<'a>);

impl Observer for Watch<'_> {
    fn progress(&self, progress: ringmill_engine::Progress) {
        self.0.set(progress.weight_done / progress.weight_total.max(1.0));
    }
}
