//! How far a job is, told on standard error: by a bar on a terminal, elsewhere by a line every half minute.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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

    /// What is said after so much time.
    fn line(&self, elapsed: Duration) -> String {
        let (what, time) = (&self.what, clock(elapsed));
        let Some(fraction) = self.fraction else {
            return format!("{what}: {time} so far");
        };
        let (given, since) = self.given;
        let worked = elapsed.saturating_sub(since).as_secs_f64();
        let left = match fraction > given {
            true => {
                let left = Duration::from_secs_f64(worked * (1.0 - fraction) / (fraction - given));
                format!(", about {} left", clock(left))
            }
            false => String::new(),
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

    /// A batch, by its number from 0 and the number of all if that is known, in so many equal steps. Where it is not
    /// known, the batch alone is what is told of.
    pub fn batch(&self, what: &str, (index, total): (usize, Option<usize>), steps: usize) -> Part<'_> {
        let number = index + 1;
        let Some(total) = total else {
            self.name(&format!("{what} batch {number}, how many there are is not known"));
            return self.part((0.0, 1.0), steps);
        };
        let total = total.max(number);
        self.name(&match total {
            1 => what.to_owned(),
            _ => format!("{what} batch {number} of {total}"),
        });
        let fraction = |batches: usize| batches as f64 / total as f64;
        self.part((fraction(index), fraction(number)), steps)
    }

    /// The part of the job from one fraction to another, in so many equal steps.
    pub fn part(&self, (from, to): (f64, f64), steps: usize) -> Part<'_> {
        let done = AtomicUsize::new(0);
        Part {
            progress: self,
            from,
            to,
            steps,
            done,
        }
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

/// A part of a job.
pub struct Part<'a> {
    progress: &'a Progress,
    from: f64,
    to: f64,
    steps: usize,
    done: AtomicUsize,
}

impl Part<'_> {
    /// So much of it is done, of 1.
    pub fn set(&self, share: f64) {
        self.progress.set(self.from + (self.to - self.from) * share);
    }

    /// Another step is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.set(done as f64 / self.steps.max(1) as f64);
    }
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
    fn steps_make_a_part() {
        let progress = Progress::bar("steps");
        let part = progress.part((0.5, 0.75), 2);
        let fraction = || lock(&progress.state).fraction;
        part.step();
        assert_eq!(fraction(), Some(0.625));
        part.step();
        assert_eq!(fraction(), Some(0.75));
        progress.skip(0.9);
        assert_eq!((fraction(), lock(&progress.state).given.0), (Some(0.9), 0.9));
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
