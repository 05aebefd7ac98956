//! Feeds a target with its corpus and with mutations of it, until time or number are up or something fails.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::mutator::Dice;
use crate::{Outcome, Target, memory};

mod alone;
mod current;
mod pool;

use alone::alone;
use current::Current;
pub use current::kept_input;
use pool::Pool;

/// Seconds after which an input counts as one that hangs.
const MOST_SECONDS: u64 = 60;

/// How long to run, and with what.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The most mutations; without it only time counts.
    pub runs: Option<u64>,
    /// The most time.
    pub time: Option<Duration>,
    /// Determines all mutations: the same runs from the same seed and corpus feed the same inputs.
    pub seed: u64,
    /// The folder for inputs that fail, made if need be.
    pub failures: PathBuf,
}

/// What a run has seen.
#[derive(Debug)]
pub struct Report {
    /// The target.
    pub target: &'static str,
    /// Inputs that were fed.
    pub runs: u64,
    /// For each reader its name, the inputs that it got, and those that it accepted.
    pub readers: Vec<(&'static str, u64, u64)>,
    /// Different refusals of readers: texts of errors without what they quote.
    pub answers: usize,
    /// The most bytes of memory that an input took at a time.
    pub memory: usize,
    /// The time of the slowest input.
    pub slowest: Duration,
    /// The time of all of them.
    pub time: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "{}: {} inputs in {seconds:.0} s ({:.0} a second), {} refusals, {} KiB and {:.0} ms at most; accepted",
            self.target,
            self.runs,
            self.runs as f64 / seconds.max(1e-9),
            self.answers,
            self.memory.div_ceil(1024),
            self.slowest.as_secs_f64() * 1e3,
        )?;
        for (place, (name, fed, accepted)) in self.readers.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma} {name} {accepted} of {fed}")?;
        }
        Ok(())
    }
}

/// Why a run ended early.
#[derive(Debug)]
pub enum Failure {
    /// An input broke a promise.
    Broken {
        /// The target.
        target: &'static str,
        /// What happened.
        problem: String,
        /// The file of the input.
        input: PathBuf,
    },
    /// No input of the corpus is accepted by a reader, so nothing behind it is tried.
    Unreached {
        /// The target.
        target: &'static str,
        /// The reader.
        reader: &'static str,
    },
    /// A file could not be read or written.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken {
                target,
                problem,
                input,
            } => write!(
                f,
                "{target}: {problem}\nagain: cargo run -p ringmill-fuzz -- {target} --input {}",
                input.display()
            ),
            Self::Unreached { target, reader } => {
                write!(f, "{target}: the reader {reader} accepts no input of the corpus")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

/// Feeds a target with its corpus, then with mutations.
///
/// # Errors
/// [`Failure`].
pub fn run(
    target: &'static Target,
    corpus: impl IntoIterator<Item = Vec<u8>>,
    settings: &Settings,
) -> Result<Report, Failure> {
    let mut run = Run::new(target, settings)?;
    let (beat, path) = (AtomicU64::new(0), run.current.path().to_owned());
    thread::scope(|scope| {
        let watch = scope.spawn(|| watch(target, &path, &beat));
        let done = run.all(corpus.into_iter().collect(), settings, &beat);
        beat.store(OVER, Ordering::Relaxed);
        watch.thread().unpark();
        done
    })?;
    run.current.remove()?;
    Ok(run.report)
}

/// Feeds a target with one input.
///
/// # Errors
/// [`Failure::Broken`].
pub fn run_one(target: &'static Target, input: &[u8], path: &Path) -> Result<Outcome, Failure> {
    // What is made at the first use belongs to no input.
    let _ = feed(target, input);
    let (outcome, ..) = feed(target, input).map_err(|problem| Failure::Broken {
        target: target.name,
        problem,
        input: path.to_owned(),
    })?;
    Ok(outcome)
}

/// The beat of a run that is over.
const OVER: u64 = u64::MAX;

/// Ends the process if an input does not come to an end: no thread can be stopped from outside.
fn watch(target: &Target, current: &Path, beat: &AtomicU64) {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        thread::park_timeout(Duration::from_secs(1));
        match beat.load(Ordering::Relaxed) {
            OVER => return,
            now if now != last => (last, since) = (now, Instant::now()),
            _ if since.elapsed().as_secs() >= MOST_SECONDS => {
                eprintln!("{}: {} hangs", target.name, current.display());
                std::process::exit(1);
            }
            _ => {}
        }
    }
}

/// What a reader said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// It accepted the input.
    Accepted,
    /// It refused as never before.
    New,
    /// It refused as before.
    Known,
}

struct Run {
    target: &'static Target,
    pool: Pool,
    answers: HashSet<(usize, String)>,
    current: Current,
    report: Report,
    failures: PathBuf,
}

impl Run {
    fn new(target: &'static Target, settings: &Settings) -> Result<Self, Failure> {
        fs::create_dir_all(&settings.failures)?;
        Ok(Self {
            target,
            pool: Pool::new(target),
            answers: HashSet::new(),
            current: Current::create(&settings.failures.join(format!("{}.current", target.name)))?,
            failures: settings.failures.clone(),
            report: Report {
                target: target.name,
                runs: 0,
                readers: target.readers.iter().map(|reader| (reader.name, 0, 0)).collect(),
                answers: 0,
                memory: 0,
                slowest: Duration::ZERO,
                time: Duration::ZERO,
            },
        })
    }

    fn all(&mut self, corpus: Vec<Vec<u8>>, settings: &Settings, beat: &AtomicU64) -> Result<(), Failure> {
        // What is made at the first use belongs to no input.
        for input in &corpus {
            let _ = feed(self.target, input);
        }
        for input in corpus {
            let (reader, _) = self.feed(&input)?;
            self.pool.begin(reader, input);
        }
        self.check_reach()?;
        let (start, before) = (Instant::now(), self.report.runs);
        let mut dice = Dice::new(settings.seed);
        let mut input = Vec::new();
        loop {
            let runs = self.report.runs - before;
            self.report.time = start.elapsed();
            let late = settings.time.is_some_and(|time| self.report.time >= time);
            if late || settings.runs.is_some_and(|most| runs >= most) {
                break;
            }
            beat.store(runs, Ordering::Relaxed);
            self.pool.next(&mut input, &mut dice);
            let (reader, answer) = self.feed(&input)?;
            self.pool.note(reader, &input, answer, &mut dice);
        }
        Ok(())
    }

    fn check_reach(&self) -> Result<(), Failure> {
        let unreached = self.report.readers.iter().find(|(.., accepted)| *accepted == 0);
        match unreached {
            Some((reader, ..)) => Err(Failure::Unreached {
                target: self.target.name,
                reader,
            }),
            None => Ok(()),
        }
    }

    /// Feeds an input: the reader and its answer.
    fn feed(&mut self, input: &[u8]) -> Result<(usize, Answer), Failure> {
        self.current.write(input)?;
        let (outcome, memory, time) =
            feed(self.target, input).map_err(|problem| self.broken(input, problem))?;
        let report = &mut self.report;
        report.runs += 1;
        report.memory = report.memory.max(memory);
        report.slowest = report.slowest.max(time);
        let (_, fed, accepted) = &mut report.readers[outcome.reader];
        *fed += 1;
        let Err(error) = outcome.verdict else {
            *accepted += 1;
            return Ok((outcome.reader, Answer::Accepted));
        };
        let is_new = self.answers.insert((outcome.reader, class(&error)));
        report.answers = self.answers.len();
        Ok((outcome.reader, if is_new { Answer::New } else { Answer::Known }))
    }

    /// Keeps an input that failed.
    fn broken(&self, input: &[u8], problem: String) -> Failure {
        let name = format!("{}-{}", self.target.name, self.report.runs);
        let path = self.failures.join(name);
        match fs::write(&path, input) {
            Ok(()) => Failure::Broken {
                target: self.target.name,
                problem,
                input: path,
            },
            Err(error) => Failure::Io(error),
        }
    }
}

/// Feeds an input to a target: the outcome, memory and time.
fn feed(target: &Target, input: &[u8]) -> Result<(Outcome, usize, Duration), String> {
    alone();
    let start = Instant::now();
    memory::restart();
    let outcome = catch_unwind(AssertUnwindSafe(|| target.feed(input)));
    let (used, most) = (memory::peak(), target.most_memory(input.len()));
    match outcome {
        Ok(_) if used > most => Err(format!(
            "took {used} bytes of memory for an input of {}, where {most} are allowed",
            input.len()
        )),
        Ok(outcome) => Ok((outcome, used, start.elapsed())),
        Err(panic) => Err(said(&*panic)),
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panicked".to_owned())
}

/// The text of an error without quotations and without words that have digits: inputs with an error of a new class are
/// worth keeping.
fn class(error: &str) -> String {
    let mut class = String::new();
    // What is escaped stands in quotations.
    let error = if error.contains('\\') {
        Cow::Owned(error.replace("\\\\", "").replace("\\\"", ""))
    } else {
        Cow::Borrowed(error)
    };
    for (place, part) in error.split('"').enumerate() {
        let is_quoted = place % 2 == 1;
        for word in part.split_whitespace().filter(|_| !is_quoted) {
            let known = !word.bytes().any(|byte| byte.is_ascii_digit());
            class.push_str(if known { word } else { "#" });
            class.push(' ');
        }
    }
    class
}

#[cfg(test)]
mod tests;
