use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{EngineError, Observer, Progress, Schedule};

/// Progress, and whether to go on.
pub(super) struct Watch<'a> {
    observer: &'a dyn Observer,
    done: AtomicUsize,
    weight: Mutex<f64>,
    total: usize,
    weight_total: f64,
}

impl<'a> Watch<'a> {
    pub fn new(schedule: &Schedule, observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            done: AtomicUsize::new(0),
            weight: Mutex::new(0.0),
            total: schedule.waves.iter().map(|wave| wave.steps.len()).sum(),
            weight_total: schedule.steps.iter().map(|step| step.cost).sum(),
        }
    }

    pub fn check(&self) -> Result<(), EngineError> {
        if self.observer.cancelled() {
            return Err(EngineError::Cancelled {
                done: self.done.load(Ordering::Relaxed),
                total: self.total,
            });
        }
        Ok(())
    }

    pub fn done(&self, steps: usize, weight: f64) {
        let mut weight_done = self.weight.lock().unwrap_or_else(PoisonError::into_inner);
        *weight_done += weight;
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let progress = Progress {
            done,
            total: self.total,
            weight_done: *weight_done,
            weight_total: self.weight_total,
        };
        // Told while the lock is held, so that progress never seems to go back.
        self.observer.progress(progress);
    }
}
