use std::fmt;
use std::sync::Arc;

/// A part of a job that takes time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Measuring how fast a device is; its name.
    Calibrating(String),
    /// Making variants of a circuit.
    Optimising,
    /// Choosing parameters, levels and order.
    Planning,
    /// Computing the tables of a ring.
    Tables,
    /// Making keys.
    Keys,
    /// Following the noise of a job for a secret key that was there.
    CheckingKey,
    /// Encrypting a table.
    Encrypting,
    /// Evaluating batches.
    Evaluating,
    /// Decrypting results.
    Decrypting,
}

impl fmt::Display for Stage {
    /// Names the stage for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calibrating(device) => write!(f, "measuring {device}"),
            Self::Optimising => f.write_str("optimising"),
            Self::Planning => f.write_str("planning"),
            Self::Tables => f.write_str("tables"),
            Self::Keys => f.write_str("making keys"),
            Self::CheckingKey => f.write_str("checking the key"),
            Self::Encrypting => f.write_str("encrypting"),
            Self::Evaluating => f.write_str("evaluating"),
            Self::Decrypting => f.write_str("decrypting"),
        }
    }
}

/// How far a stage is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Batches that are done.
    pub done: usize,
    /// All batches, if their number is known; it may be an estimate until the last one is read.
    pub batches: Option<usize>,
    /// How much of the next batch is done, of 1.
    pub fraction: f64,
    /// Whether an earlier run did it: no time was spent on it, so nothing follows from it for the rest.
    pub resumed: bool,
}

impl Progress {
    /// Of a stage without batches.
    pub(crate) const fn of(fraction: f64) -> Self {
        Self {
            done: 0,
            batches: Some(1),
            fraction,
            resumed: false,
        }
    }

    /// How much of the stage is done, of 1; nothing if the number of batches is not known.
    #[must_use]
    pub fn total(&self) -> Option<f64> {
        let batches = self.batches?.max(1) as f64;
        Some(((self.done as f64 + self.fraction) / batches).min(1.0))
    }
}

/// Whoever watches a job, and may stop it. Calls may come from any thread and must not block.
pub trait Observer: Send + Sync {
    /// A stage begins. Stages do not overlap.
    fn begin(&self, stage: &Stage) {
        let _ = stage;
    }

    /// How far the stage is.
    fn progress(&self, stage: &Stage, progress: Progress) {
        let _ = (stage, progress);
    }

    /// A stage ends, whether it succeeded or not.
    fn end(&self, stage: &Stage) {
        let _ = stage;
    }

    /// Something that the user should know: that parameters are insecure, say. Whoever overrides this must show it.
    fn note(&self, text: &str) {
        eprintln!("{text}");
    }

    /// Asked before every step of an evaluation and before every batch. Once it is true the job ends with an error of
    /// kind [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled); finished batches are kept.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing; notes go to standard error.
impl Observer for () {}

/// A stage while it goes on: it ends when this is dropped.
pub(crate) struct Running<'a> {
    observer: &'a dyn Observer,
    stage: Stage,
}

impl<'a> Running<'a> {
    pub fn begin(observer: &'a dyn Observer, stage: Stage) -> Self {
        observer.begin(&stage);
        Self { observer, stage }
    }

    pub fn tell(&self, progress: Progress) {
        self.observer.progress(&self.stage, progress);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.observer.end(&self.stage);
    }
}

/// An observer that parties of a job share.
pub(crate) type Shared = Arc<dyn Observer>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_make_a_total() {
        let progress = |done, batches, fraction| {
            Progress {
                done,
                batches,
                fraction,
                resumed: false,
            }
            .total()
        };
        assert_eq!(progress(1, Some(4), 0.5), Some(0.375));
        assert_eq!(progress(4, Some(4), 0.0), Some(1.0));
        // An estimate may be too small.
        assert_eq!(progress(5, Some(4), 0.5), Some(1.0));
        assert_eq!(progress(1, None, 0.5), None);
    }
}
