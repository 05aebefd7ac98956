use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Tells on standard error how far a job is; nothing if that is not a terminal.
pub struct Progress {
    bar: ProgressBar,
}

/// Units of the bar, so that fractions of steps of different cost show.
const LENGTH: u64 = 10_000;

impl Progress {
    /// A bar for a job of which fractions will be told.
    pub fn bar(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target());
        // The template is a constant; should it be refused, the default one serves.
        if let Ok(style) =
            ProgressStyle::with_template("{msg:12} [{bar:40}] {percent:3}%  {elapsed}, {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar }
    }

    /// A sign of life for a job of unknown length.
    pub fn spinner(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, target());
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar }
    }

    /// Says what is being done from now on.
    pub fn name(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// How much is done, of 1.
    pub fn set(&self, fraction: f64) {
        self.bar
            .set_position((fraction.clamp(0.0, 1.0) * LENGTH as f64) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn target() -> ProgressDrawTarget {
    match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    }
}

/// Runs a job under a spinner; its result and the seconds it took.
pub fn timed<T, E>(what: &str, job: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let _spinner = Progress::spinner(what);
    let start = Instant::now();
    let result = job()?;
    Ok((result, start.elapsed().as_secs_f64()))
}
