//! Who goes on when tasks compete for the last memory.
//!
//! A task never gives back what it uses before it ends, so tasks that all wait for more would wait for ever. There
//! are two kinds of waiting only: a thread that begins waits while another one has the right to be alone; who has
//! that right waits until no other thread has a task. A thread that has a task and finds another one with the
//! right never waits: it uses memory of the host in its place (`Shortage::Borrow`), comes to its end, and the one
//! who is alone goes on.

use std::collections::HashMap;

/// The threads that have tasks.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Tasks that have begun and not ended, of each thread that has any.
    open: HashMap<usize, usize>,
    /// The thread that is to be alone.
    alone: Option<usize>,
}

/// What a task does when memory is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Fails: nobody else uses memory that could be waited for.
    Fail,
    /// Waits for the end of other tasks.
    Wait,
    /// Uses memory of the host: another task waits for the end of this one.
    Borrow,
}

impl Turns {
    /// Whether a thread may begin a task now.
    pub(super) fn may_begin(&self, thread: usize) -> bool {
        self.alone.is_none_or(|alone| alone == thread) || self.open.contains_key(&thread)
    }

    /// Whether a thread is alone, or waits to be.
    pub(super) fn is_crowded(&self) -> bool {
        self.alone.is_some()
    }

    /// A task begins.
    pub(super) fn begin(&mut self, thread: usize) {
        *self.open.entry(thread).or_default() += 1;
    }

    /// A task ends; with the thread's last one its right to be alone.
    pub(super) fn end(&mut self, thread: usize) {
        let tasks = self.open.entry(thread).or_default();
        *tasks = tasks.saturating_sub(1);
        if *tasks == 0 {
            self.open.remove(&thread);
            self.alone = self.alone.filter(|&alone| alone != thread);
        }
    }

    /// A task has not found the memory it needs, though all that no task uses was given up.
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
