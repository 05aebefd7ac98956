//! Decides which thread continues when tasks compete for the last memory.
//!
//! A task never gives back memory that it uses before it ends, so tasks that all wait for more would wait
//! forever. There are only two kinds of waiting: a thread that begins a task waits while another thread has
//! the right to be alone, and the thread with that right waits until no other thread has a task. A thread
//! that has a task and finds that another thread has the right never waits. It uses memory of the host
//! instead (`Shortage::Borrow`) and comes to its end; then the thread that is alone continues.

use std::collections::HashMap;

/// The threads that have tasks.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The number of tasks that have begun and not ended, for each thread that has any.
    open: HashMap<usize, usize>,
    /// The thread that has the right to be alone.
    alone: Option<usize>,
}

/// The reaction of a task to a shortage of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortage {
    /// The task fails: nobody else uses memory for which it could wait.
    Fail,
    /// The task waits for the end of other tasks.
    Wait,
    /// The task uses memory of the host, because another task waits for its end.
    Borrow,
}

impl Turns {
    /// Whether a thread may begin a task now.
    pub(super) fn may_begin(&self, thread: usize) -> bool {
        self.alone.is_none_or(|alone| alone == thread) || self.open.contains_key(&thread)
    }

    /// Whether a thread is alone or waits to be alone.
    pub(super) fn is_crowded(&self) -> bool {
        self.alone.is_some()
    }

    /// Notes that a task begins.
    pub(super) fn begin(&mut self, thread: usize) {
        *self.open.entry(thread).or_default() += 1;
    }

    /// Notes that a task ends. With the thread's last task its right to be alone ends, too.
    pub(super) fn end(&mut self, thread: usize) {
        let tasks = self.open.entry(thread).or_default();
        *tasks = tasks.saturating_sub(1);
        if *tasks == 0 {
            self.open.remove(&thread);
            self.alone = self.alone.filter(|&alone| alone != thread);
        }
    }

    /// Notes that a task has not found the memory that it needs, although all memory that no task uses was
    /// given up.
    pub(super) fn short(&mut self, thread: usize) -> Shortage {
        if self.open.keys().all(|&other| other == thread) {
            return Shortage::Fail;
        }
        if *self.alone.get_or_insert(thread) == thread {
            Shortage::Wait
        } else {
            Shortage::Borrow
        }
    }
}
