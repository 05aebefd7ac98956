//! How far a job is, told on standard error: by a bar on a terminal, elsewhere by a line every half minute.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringmill::{Observer, Stage};

use crate::signals;

/// Shows the stages of a job, one after the other.
#[derive(Default)]
pub struct Terminal {
    running: Mutex<Option<Progress>>,
}

impl Terminal {
    fn running(&self) -> MutexGuard<'_, Option<Progress>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Terminal {
    fn begin(&self, stage: &Stage) {
        let name = stage.to_string();
        let progress = match stage {
            Stage::Optimising | Stage::Encrypting | Stage::Evaluating | Stage::Decrypting => {
                Progress::bar(&name)
            }
            _ => Progress::spinner(&name),
        };
        *self.running() = Some(progress);
        // Encryption and decryption ask before each batch, evaluation before each step.
        let batches = matches!(stage, Stage::Encrypting | Stage::Evaluating | Stage::Decrypting);
        signals::stoppable(batches);
    }

    fn progress(&self, stage: &Stage, progress: ringmill::Progress) {
        if let Some(running) = &*self.running() {
            running.name(&label(stage, &progress));
            match (progress.total(), progress.resumed) {
                (Some(fraction), true) => running.skip(fraction),
                (Some(fraction), false) => running.set(fraction),
                (None, _) => running.set(progress.fraction),
            }
        }
    }

    fn end(&self, _: &Stage) {
        signals::stoppable(false);
        *self.running() = None;
    }

    fn cancelled(&self) -> bool {
        signals::stopped()
    }
}

/// A stage and its batch, if there are several.
fn label(stage: &Stage, progress: &ringmill::Progress) -> String {
    let number = progress.done + 1;
    match progress.batches {
        None => format!("{stage} batch {number}, how many there are is not known"),
        Some(total) if total <= 1 => stage.to_string(),
        Some(total) => format!("{stage} batch {} of {total}", number.min(total)),
    }
}

/// From one line to the next.
const INTERVAL: Duration = Duration::from_secs(30);

/// Units of the bar, so that fractions of steps of different cost show.
const LENGTH: u64 = 10_000;

/// Tells how far a job is, until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
    begin: Instant,
    _lines: Option<Lines>,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq)]
struct State {
    what: String,
    /// How much is done, of 1, if that is known.
    fraction: Option<f64>,
    /// How much was there without work, and when.
    given: (f64, Duration),
}

impl State {
    fn new(what: &str, fraction: Option<f64>) -> Self {
        Self {
            what: what.to_owned(),
            fraction,
            given: (0.0, Duration::ZERO),
        }
    }

    /// The line that is printed after `elapsed`.
    fn line(&self, elapsed: Duration) -> String {
        let (what, time) = (&self.what, clock(elapsed));
        let Some(fraction) = self.fraction else {
            return format!("{what}: {time} so far");
        };
        let (given, since) = self.given;
        let worked = elapsed.saturating_sub(since).as_secs_f64();
        let left = if fraction > given {
            let left = Duration::from_secs_f64(worked * (1.0 - fraction) / (fraction - given));
            format!(", about {} left", clock(left))
        } else {
            String::new()
        };
        // Rounded down: all is done when it ends.
        format!("{what}: {} %, {time} so far{left}", (100.0 * fraction) as u32)
    }
}

/// A time for people.
fn clock(time: Duration) -> String {
    match time.as_secs() {
        s if s >= 3600 => format!("{} h {} min", s / 3600, s / 60 % 60),
        s if s >= 60 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{s} s"),
    }
}

impl Progress {
    /// Of a job of which fractions will be told.
    pub fn bar(what: &str) -> Self {
        Self::new(what, Some(0.0))
    }

    /// A sign of life of a job of unknown length.
    pub fn spinner(what: &str) -> Self {
        Self::new(what, None)
    }

    fn new(what: &str, fraction: Option<f64>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let (begin, state) = (Instant::now(), Arc::new(Mutex::new(State::new(what, fraction))));
        let (length, template, target) = match (terminal, fraction) {
            (false, _) => (None, "", ProgressDrawTarget::hidden()),
            (true, None) => (None, "{spinner} {msg}  {elapsed}", ProgressDrawTarget::stderr()),
            (true, Some(_)) => (
                Some(LENGTH),
                "{msg:12} [{bar:40}] {percent:3}%  {elapsed}, {eta} left",
                ProgressDrawTarget::stderr(),
            ),
        };
        let bar = ProgressBar::with_draw_target(length, target);
        // The templates are constants; should one be refused, the default one serves.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        let lines = || {
            let state = Arc::clone(&state);
            Lines::start(INTERVAL, move || {
                let state = lock(&state).clone();
                eprintln!("{}", state.line(begin.elapsed()));
            })
        };
        Self {
            bar,
            _lines: (!terminal).then(lines),
            state,
            begin,
        }
    }

    /// Says what is being done from now on.
    pub fn name(&self, what: &str) {
        what.clone_into(&mut lock(&self.state).what);
        self.bar.set_message(what.to_owned());
    }

    /// How much is done, of 1.
    pub fn set(&self, fraction: f64) {
        let fraction = fraction.clamp(0.0, 1.0);
        lock(&self.state).fraction = Some(fraction);
        self.bar.set_position((fraction * LENGTH as f64) as u64);
    }

    /// How much was done already, of 1: what is left is not estimated from it.
    pub fn skip(&self, fraction: f64) {
        lock(&self.state).given = (fraction, self.begin.elapsed());
        self.set(fraction);
        self.bar.reset_eta();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Whoever panicked left a state that can be told.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says something again and again, until it is dropped.
struct Lines {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// Begins to, after the first interval.
    fn start(interval: Duration, mut say: impl FnMut() + Send + 'static) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                say();
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in it was said already.
            let _ = thread.join();
        }
    }
}

/// Runs a job under a spinner; its result and the seconds it took.
pub fn timed<T, E>(what: &str, job: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let _spinner = Progress::spinner(what);
    seconds(job)
}

/// The result of a job and the seconds it took.
pub fn seconds<T, E>(job: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let start = Instant::now();
    let result = job()?;
    Ok((result, start.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_how_far_and_how_long() {
        let second = Duration::from_secs;
        let mut state = State::new("planning", None);
        assert_eq!(state.line(second(30)), "planning: 30 s so far");
        state = State::new("encrypting", Some(0.0));
        assert_eq!(state.line(second(60)), "encrypting: 0 %, 1 min 0 s so far");
        state.fraction = Some(0.2);
        assert_eq!(
            state.line(second(90)),
            "encrypting: 20 %, 1 min 30 s so far, about 6 min 0 s left"
        );
        // Half was there after ten seconds; a quarter took the twenty since.
        state.given = (0.5, second(10));
        state.fraction = Some(0.75);
        assert_eq!(
            state.line(second(30)),
            "encrypting: 75 %, 30 s so far, about 20 s left"
        );
        state.given = (0.0, Duration::ZERO);
        state.fraction = Some(0.999);
        assert!(
            state
                .line(second(7300))
                .starts_with("encrypting: 99 %, 2 h 1 min so far, ")
        );
    }

    #[test]
    fn batches_have_labels() {
        let progress = |done, batches| ringmill::Progress {
            done,
            batches,
            fraction: 0.5,
            resumed: false,
        };
        let label = |done, batches| label(&Stage::Evaluating, &progress(done, batches));
        assert_eq!(label(0, Some(1)), "evaluating");
        assert_eq!(label(1, Some(3)), "evaluating batch 2 of 3");
        assert_eq!(
            label(2, None),
            "evaluating batch 3, how many there are is not known"
        );
    }

    #[test]
    fn stages_are_shown_one_after_the_other() {
        let terminal = Terminal::default();
        let fraction = || {
            terminal
                .running()
                .as_ref()
                .and_then(|progress| lock(&progress.state).fraction)
        };
        let given = || {
            terminal
                .running()
                .as_ref()
                .map(|progress| lock(&progress.state).given.0)
        };
        let progress = |done, fraction, resumed| ringmill::Progress {
            done,
            batches: Some(2),
            fraction,
            resumed,
        };
        terminal.begin(&Stage::Encrypting);
        assert_eq!(fraction(), Some(0.0));
        terminal.progress(&Stage::Encrypting, progress(0, 0.5, false));
        assert_eq!((fraction(), given()), (Some(0.25), Some(0.0)));
        terminal.progress(&Stage::Encrypting, progress(1, 0.5, true));
        assert_eq!((fraction(), given()), (Some(0.75), Some(0.75)));
        terminal.end(&Stage::Encrypting);
        assert!(terminal.running().is_none());
        // Nobody knows how long it takes.
        terminal.begin(&Stage::Planning);
        assert_eq!(fraction(), None);
    }

    /// Waits for lines, however long they take, and for the end.
    #[test]
    fn lines_come_until_the_end() {
        let (said, lines) = mpsc::channel();
        let speaker = Lines::start(Duration::from_millis(1), move || {
            let _ = said.send(());
        });
        for _ in 0..3 {
            lines.recv().unwrap();
        }
        drop(speaker);
        // Nobody is left to say any.
        assert!(lines.iter().count() < usize::MAX);
        let (said, lines) = mpsc::channel::<()>();
        drop(Lines::start(Duration::from_secs(3600), move || {
            let _ = said.send(());
        }));
        assert_eq!(lines.recv(), Err(mpsc::RecvError));
    }
}
