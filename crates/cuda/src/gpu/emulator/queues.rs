//! Streams that put work off.

use std::collections::VecDeque;

use crate::gpu::{Address, GpuError, Launch};

/// A piece of work for a stream.
#[derive(Debug)]
pub(super) enum Work {
    /// Copies bytes to an address, of the GPU or the host.
    Copy { from: Source, to: Address, bytes: usize },
    /// Writes zeros.
    Clear { at: Address, bytes: usize },
    /// Runs a kernel.
    Launch {
        entry: String,
        grid: [u32; 3],
        threads: u32,
        parameters: Vec<u8>,
    },
    /// Waits until another stream has done its first `count` pieces of work.
    Wait { stream: usize, count: u64 },
}

/// The source of a copy.
#[derive(Debug)]
pub(super) enum Source {
    /// The content of an address at the time of the copy.
    Address(Address),
    /// The content at the time of the request.
    Content(Vec<u8>),
}

impl Work {
    pub(super) fn launch(launch: &Launch<'_>) -> Self {
        Self::Launch {
            entry: launch.entry.to_owned(),
            grid: launch.grid,
            threads: launch.threads,
            parameters: launch.parameters.to_vec(),
        }
    }

    /// Whether the work copies from or to any part of a range.
    pub(super) fn touches(&self, start: Address, bytes: usize) -> bool {
        let range = start..start + bytes as u64;
        match self {
            Self::Copy { from, to, .. } => {
                range.contains(to) || matches!(from, Source::Address(from) if range.contains(from))
            }
            _ => false,
        }
    }
}

/// Queues of work, one for each stream.
#[derive(Debug)]
pub(super) struct Queues {
    streams: Vec<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    /// The number of pieces of work that are done.
    done: u64,
    pending: VecDeque<Work>,
}

impl Queues {
    pub(super) fn new(streams: usize) -> Self {
        Self {
            streams: (0..streams).map(|_| Queue::default()).collect(),
        }
    }

    /// Puts a piece of work off.
    pub(super) fn push(&mut self, stream: usize, work: Work) {
        self.streams[stream].pending.push_back(work);
    }

    /// All work that is not done.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Work> {
        self.streams.iter().flat_map(|queue| &queue.pending)
    }

    /// The number of pieces of work requested of a stream so far.
    pub(super) fn asked(&self, stream: usize) -> u64 {
        let queue = &self.streams[stream];
        queue.done + queue.pending.len() as u64
    }

    /// Does all work requested of a stream, and of other streams only the work for which it waits.
    pub(super) fn run(
        &mut self,
        stream: usize,
        mut perform: impl FnMut(&Work) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        // The streams that wait for the next one, and how much work each has to do. A wait is for earlier
        // work, so no stream waits for itself.
        let mut waiting = vec![(stream, self.asked(stream))];
        while let Some(&(stream, count)) = waiting.last() {
            let queue = &mut self.streams[stream];
            if queue.done >= count {
                waiting.pop();
                continue;
            }
            if let Some(&Work::Wait { stream, count }) = queue.pending.front() {
                if self.streams[stream].done < count {
                    waiting.push((stream, count));
                    continue;
                }
            } else if let Some(work) = queue.pending.front() {
                perform(work)?;
            }
            let queue = &mut self.streams[stream];
            queue.pending.pop_front();
            queue.done += 1;
        }
        Ok(())
    }
}
