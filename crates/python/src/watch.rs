//! What Python sees of a job while it goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use ringmill::{Error, Observer, Progress, Stage};

use crate::error::raise;
use crate::threads::compute;

/// How often Python is asked whether to go on.
const POLL: Duration = Duration::from_millis(50);

/// Something that happened.
enum Event {
    Begin(String),
    Progress(String, Progress),
    End(String),
    Note(String),
}

/// What happened in a call since Python was told last, and whether it wants to go on. Any thread writes to it.
#[derive(Default)]
struct State {
    events: Mutex<Vec<Event>>,
    /// Whether the stage in progress asks often whether to stop.
    stoppable: AtomicBool,
    cancelled: AtomicBool,
}

impl State {
    fn push(&self, event: Event) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        // Of how far a stage is, only the last counts.
        if let (Event::Progress(stage, _), Some(Event::Progress(last, _))) = (&event, events.last())
            && stage == last
        {
            events.pop();
        }
        events.push(event);
    }

    fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells a Python object what happened.
    fn tell(&self, handler: &Bound<'_, PyAny>) -> PyResult<()> {
        for event in self.take() {
            match event {
                Event::Begin(stage) => handler.call_method1("begin", (stage,))?,
                Event::Progress(stage, progress) => {
                    let Progress {
                        done,
                        batches,
                        fraction,
                        ..
                    } = progress;
                    handler.call_method1("progress", (stage, done, batches, fraction))?
                }
                Event::End(stage) => handler.call_method1("end", (stage,))?,
                Event::Note(text) => handler.call_method1("note", (text,))?,
            };
        }
        Ok(())
    }
}

impl Observer for State {
    fn begin(&self, stage: &Stage) {
        let stoppable = matches!(stage, Stage::Encrypting | Stage::Evaluating | Stage::Decrypting);
        self.stoppable.store(stoppable, Ordering::Relaxed);
        self.push(Event::Begin(stage.to_string()));
    }

    fn progress(&self, stage: &Stage, progress: Progress) {
        self.push(Event::Progress(stage.to_string(), progress));
    }

    fn end(&self, stage: &Stage) {
        self.push(Event::End(stage.to_string()));
    }

    fn note(&self, text: &str) {
        self.push(Event::Note(text.to_owned()));
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The watch over a job: a Python object that makes what is told of a call, in the thread that waits for it.
pub struct Watch {
    reporter: Py<PyAny>,
}

impl Watch {
    /// A watch that calls `reporter.handler()` for each call, and of what that gives `begin(stage)`,
    /// `progress(stage, done, batches, fraction)`, `end(stage)` and `note(text)`.
    pub fn new(reporter: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self { reporter })
    }

    /// Does some work in another thread, without the interpreter, and tells Python how it goes on. The work is given an
    /// observer of its own, so that it does not matter what else the job is at. If Python wants to stop, by a signal or by an
    /// exception of the handler, a stage that asks for it is stopped, and any other left to itself.
    pub fn attend<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Arc<dyn Observer>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let handler = self.reporter.bind(py).call_method0("handler")?;
        let state: Arc<State> = Arc::default();
        let observer: Arc<dyn Observer> = state.clone();
        let done = Arc::new(AtomicBool::new(false));
        let (finished, caller) = (Arc::clone(&done), thread::current());
        let worker = thread::spawn(move || {
            let outcome = compute(|| work(observer));
            finished.store(true, Ordering::Release);
            caller.unpark();
            outcome
        });
        let mut stopped = None;
        while !done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(POLL));
            if let Err(reason) = state.tell(&handler).and_then(|()| py.check_signals()) {
                state.cancelled.store(true, Ordering::Relaxed);
                stopped.get_or_insert(reason);
            }
            if stopped.is_some() && !state.stoppable.load(Ordering::Relaxed) {
                break;
            }
        }
        if let Some(reason) = stopped {
            if state.stoppable.load(Ordering::Relaxed) {
                let _ = py.detach(|| worker.join());
            }
            return Err(reason);
        }
        let outcome = py.detach(|| worker.join());
        state.tell(&handler)?;
        match outcome {
            Ok(outcome) => outcome.map_err(|error| raise(py, &error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
