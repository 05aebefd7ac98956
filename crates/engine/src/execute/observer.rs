/// How far an execution is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub done: usize,
    /// Steps of the plan.
    pub total: usize,
    /// Estimated work done.
    pub weight_done: f64,
    /// Estimated work of the plan, in the same unit. The remaining time is about the time so far times
    /// remaining work by work done.
    pub weight_total: f64,
}

/// Watches an execution and may stop it.
pub trait Observer: Sync {
    /// Called after every step, from any thread; must not block.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// Asked before every step. Once it is true the execution ends with
    /// [`crate::EngineError::Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Observer for () {}
