use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use ringmill_device::DeviceError;

use super::residence::{Access, Residence};
use super::streams::Stamp;
use super::turns::Shortage;
use super::{Store, Words};
use crate::gpu::{Address, GpuError, Launch};
use crate::layout::KernelLayout;

/// A piece of work: copies and kernels that run one after the other. The words that it reads and writes keep
/// their addresses until it ends.
///
/// Between its first use of words and its end, a task must not wait for other threads, because they may be
/// waiting for it.
pub(in crate::device) struct Task {
    store: Arc<Store>,
    stream: usize,
    thread: usize,
    /// The stamp that the task leaves on all memory that it uses, from its first use on.
    stamp: Option<Stamp>,
    /// The numbers of the words that it uses.
    words: Vec<u64>,
}

/// The number of the requesting thread. Threads are numbered from 0 in the order of their first requests.
pub(super) fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|&number| number)
}

impl Task {
    pub(super) fn new(store: &Arc<Store>, stream: usize) -> Self {
        Self {
            store: Arc::clone(store),
            stream,
            thread: thread_number(),
            stamp: None,
            words: Vec::new(),
        }
    }

    /// The address of words that the task reads.
    pub(in crate::device) fn read(&mut self, words: &Words) -> Result<Address, DeviceError> {
        self.access(words, Access::Read)
    }

    /// The address of words that the task writes, or reads and writes; the caller has exclusive use of them.
    pub(in crate::device) fn write(&mut self, words: &Words) -> Result<Address, DeviceError> {
        self.access(words, Access::Write)
    }

    fn access(&mut self, words: &Words, access: Access) -> Result<Address, DeviceError> {
        let store = Arc::clone(&self.store);
        let (stamp, residence) = self.begin(&store);
        let mut residence = self
            .reside(&store, residence, words)
            .map_err(|error| store.failed(&error))?;
        let address = residence.access(words.number, stamp, access);
        drop(residence);
        let address = address.map_err(|error| store.failed(&error))?;
        self.words.push(words.number);
        Ok(address)
    }

    /// Waits until the task may begin, unless it has begun.
    fn begin<'a>(&mut self, store: &'a Store) -> (Stamp, MutexGuard<'a, Residence>) {
        let residence = store.lock();
        if let Some(stamp) = self.stamp {
            return (stamp, residence);
        }
        let waits = |residence: &mut Residence| !residence.turns.may_begin(self.thread);
        let mut residence = store
            .ended
            .wait_while(residence, waits)
            .unwrap_or_else(PoisonError::into_inner);
        residence.turns.begin(self.thread);
        let stamp = residence.streams.open(self.stream);
        self.stamp = Some(stamp);
        (stamp, residence)
    }

    /// Ensures that words are where this task can use them.
    fn reside<'a>(
        &self,
        store: &'a Store,
        mut residence: MutexGuard<'a, Residence>,
        words: &Words,
    ) -> Result<MutexGuard<'a, Residence>, GpuError> {
        loop {
            let full = match residence.reside(words.number, self.stream) {
                Ok(()) => return Ok(residence),
                Err(full @ GpuError::OutOfMemory { .. }) => full,
                Err(error) => return Err(error),
            };
            match residence.turns.short(self.thread) {
                Shortage::Fail => return Err(full),
                Shortage::Wait => {
                    let waited = store.ended.wait(residence);
                    residence = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Shortage::Borrow => {
                    residence.borrow(words.number, self.stream)?;
                    return Ok(residence);
                }
            }
        }
    }

    /// Writes all words.
    pub(in crate::device) fn upload(&mut self, from: &[u64], to: &Words) -> Result<(), DeviceError> {
        if from.len() != to.len() {
            return Err(DeviceError::WrongLength {
                expected: to.len(),
                got: from.len(),
            });
        }
        let address = self.write(to)?;
        // SAFETY: both have as many words; the source is borrowed, and is not needed after the call.
        let done = unsafe {
            let machine = self.store.machine();
            machine.upload(self.stream, from.as_ptr().cast(), address, size_of_val(from))
        };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Reads all words, once all work requested before is done.
    pub(in crate::device) fn download(&mut self, from: &Words) -> Result<Vec<u64>, DeviceError> {
        let address = self.read(from)?;
        let mut to = vec![0u64; from.len()];
        // SAFETY: both have as many words; the target is borrowed, and complete after the call.
        let done = unsafe {
            let machine = self.store.machine();
            let bytes = size_of_val(to.as_slice());
            machine.download(self.stream, address, to.as_mut_ptr().cast(), bytes)
        };
        done.map_err(|error| self.store.failed(&error))?;
        Ok(to)
    }

    /// Copies words within the GPU: `count` words from position `from.1` of one range to position `to.1` of
    /// the other.
    pub(in crate::device) fn copy(
        &mut self,
        from: (&Words, usize),
        to: (&Words, usize),
        count: usize,
    ) -> Result<(), DeviceError> {
        for (place, len) in [(from.1, from.0.len()), (to.1, to.0.len())] {
            if place + count > len {
                return Err(DeviceError::WrongLength {
                    expected: place + count,
                    got: len,
                });
            }
        }
        let (source, target) = (self.read(from.0)?, self.write(to.0)?);
        let (source, target) = (source + 8 * from.1 as u64, target + 8 * to.1 as u64);
        // SAFETY: both ranges are within their words, which are different ones: a caller that writes has them for
        // itself.
        let done = unsafe {
            let machine = self.store.machine();
            machine.copy(self.stream, source, target, 8 * count)
        };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Overwrites words with zeros.
    pub(in crate::device) fn clear(&mut self, words: &Words) -> Result<(), DeviceError> {
        let address = self.write(words)?;
        // SAFETY: the range is that of the words.
        let done = unsafe {
            let machine = self.store.machine();
            machine.clear(self.stream, address, 8 * words.len())
        };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// `P` must be the structure that the kernel takes. All addresses in it
    /// must come from [`Task::read`] or [`Task::write`] of words that have not been dropped, or from
    /// constants that have not been dropped, and must hold all words that the kernel reads or writes with
    /// this grid.
    pub(in crate::device) unsafe fn launch<P: KernelLayout>(
        &mut self,
        entry: &str,
        grid: [usize; 3],
        threads: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        let launch = Launch {
            entry,
            grid: grid.map(|blocks| blocks as u32),
            threads,
            parameters: parameters.as_bytes(),
        };
        // SAFETY: the caller vouches for parameters and addresses.
        let done = unsafe { self.store.machine().launch(self.stream, &launch) };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Waits until the work is done.
    pub(in crate::device) fn finish(mut self) -> Result<(), DeviceError> {
        self.end();
        let done = self.store.machine().finish(self.stream);
        done.map_err(|error| self.store.failed(&error))
    }

    /// Notes that the task requests nothing more.
    fn end(&mut self) {
        if let Some(stamp) = self.stamp.take() {
            let mut residence = self.store.lock();
            self.words.drain(..).for_each(|number| residence.let_go(number));
            residence.streams.close(stamp);
            residence.turns.end(self.thread);
            drop(residence);
            self.store.ended.notify_all();
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
    }
}
