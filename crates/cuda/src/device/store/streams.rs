//! Tracks the work requested of the machine's streams, and which work has to wait for which.
//!
//! Work is numbered stream by stream. Work that uses memory leaves a stamp there, and the next user waits
//! for stamps of other streams. A stream remembers, for each other stream, the number up to which it has
//! waited, so that it waits only once.

use std::collections::BTreeSet;

use crate::gpu::{Gpu, GpuError};

/// A piece of work: its stream and its number there, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) stream: usize,
    number: u64,
}

/// The last users of some memory.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    written: Option<Stamp>,
    /// The reads since then; for each stream the last one.
    read: Vec<Stamp>,
}

impl Stamps {
    /// Notes a read.
    pub(super) fn read_by(&mut self, stamp: Stamp) {
        match self.read.iter_mut().find(|read| read.stream == stamp.stream) {
            Some(read) => read.number = read.number.max(stamp.number),
            None => self.read.push(stamp),
        }
    }

    /// Notes a write, which has waited for everything before it.
    pub(super) fn written_by(&mut self, stamp: Stamp) {
        self.read.clear();
        self.written = Some(stamp);
    }

    /// All work for which a write has to wait.
    pub(super) fn all(&self) -> impl Iterator<Item = Stamp> {
        self.written.into_iter().chain(self.read.iter().copied())
    }
}

/// The machine's streams. The first ones compute. Two are reserved for moves to the host and back, so that
/// copies in both directions and computing overlap.
#[derive(Debug)]
pub(super) struct Streams {
    streams: Vec<Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    /// The number of the last work.
    last: u64,
    /// Work that is still being requested: tasks that have not ended.
    open: BTreeSet<u64>,
    /// For each stream, the work up to which this stream has waited.
    waited: Vec<u64>,
}

impl Stream {
    /// The number up to which all work has been requested.
    fn settled(&self) -> u64 {
        self.open.first().map_or(self.last, |first| first - 1)
    }
}

impl Streams {
    pub(super) fn new(count: usize) -> Self {
        let stream = || Stream {
            waited: vec![0; count],
            ..Stream::default()
        };
        Self {
            streams: (0..count).map(|_| stream()).collect(),
        }
    }

    /// The number of computing streams, which are the first ones.
    pub(super) fn computing(&self) -> usize {
        self.streams.len().saturating_sub(2).max(1)
    }

    /// The stream of copies to the host.
    pub(super) fn leaving(&self) -> usize {
        self.computing().min(self.streams.len() - 1)
    }

    /// The stream of copies from the host.
    pub(super) fn coming(&self) -> usize {
        self.streams.len() - 1
    }

    /// All streams.
    pub(super) fn all(&self) -> std::ops::Range<usize> {
        0..self.streams.len()
    }

    /// Begins work that consists of several operations.
    pub(super) fn open(&mut self, stream: usize) -> Stamp {
        let stamp = self.asked(stream);
        self.streams[stream].open.insert(stamp.number);
        stamp
    }

    /// Ends such work: all its operations have been requested.
    pub(super) fn close(&mut self, stamp: Stamp) {
        self.streams[stamp.stream].open.remove(&stamp.number);
    }

    /// The stamp of an operation that was just requested.
    pub(super) fn asked(&mut self, stream: usize) -> Stamp {
        let number = self.streams[stream].last + 1;
        self.streams[stream].last = number;
        Stamp { stream, number }
    }

    /// From now on, makes work requested of a stream wait until the memory can be read.
    pub(super) fn before_read(
        &mut self,
        machine: &dyn Gpu,
        stream: usize,
        stamps: &Stamps,
    ) -> Result<(), GpuError> {
        let mut writer = stamps.written.into_iter();
        writer.try_for_each(|stamp| self.wait(machine, stream, stamp))
    }

    /// From now on, makes work requested of a stream wait until the memory can be written.
    pub(super) fn before_write(
        &mut self,
        machine: &dyn Gpu,
        stream: usize,
        stamps: &Stamps,
    ) -> Result<(), GpuError> {
        stamps
            .all()
            .try_for_each(|stamp| self.wait(machine, stream, stamp))
    }

    /// Whether a stream can write without waiting.
    pub(super) fn is_ready(&self, stream: usize, stamps: &Stamps) -> bool {
        stamps.all().all(|stamp| self.has_waited(stream, stamp))
    }

    fn has_waited(&self, stream: usize, stamp: Stamp) -> bool {
        stamp.stream == stream || self.streams[stream].waited[stamp.stream] >= stamp.number
    }

    fn wait(&mut self, machine: &dyn Gpu, stream: usize, stamp: Stamp) -> Result<(), GpuError> {
        if self.has_waited(stream, stamp) {
            return Ok(());
        }
        machine.order(stamp.stream, stream)?;
        // All work for which the other stream has waited is done then, too.
        let mut waited = self.streams[stamp.stream].waited.clone();
        waited[stamp.stream] = self.streams[stamp.stream].settled();
        for (now, then) in self.streams[stream].waited.iter_mut().zip(waited) {
            *now = then.max(*now);
        }
        Ok(())
    }
}
