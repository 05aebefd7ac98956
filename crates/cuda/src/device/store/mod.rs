//! The memory of the GPU, and the work that uses it.
//!
//! Work is requested task by task and done later, on one of the machine's streams. The words that a task
//! reads and writes stay on the GPU until the task ends. If the GPU is too small, other words move to the
//! host.
//!
//! There is one lock, that of [`Residence`]. A thread holds it while it requests copies and waits, but not
//! while it requests a task's own kernels and copies. It does not hold it while the host waits either,
//! except for memory that is given back and for secrets that are overwritten. A machine's own locks are
//! taken under it; a machine never calls back.

mod pool;
mod residence;
mod streams;
mod task;
#[cfg(test)]
#[cfg(feature = "emulator")]
mod tests;
mod turns;

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ringmill_device::DeviceError;

use crate::gpu::{Address, Gpu, GpuError};
use residence::Residence;
pub(super) use task::Task;

/// The GPU's memory in words of 64 bits.
pub(super) struct Store {
    machine: Arc<dyn Gpu>,
    /// The number of streams on which tasks run: the first ones.
    computing: usize,
    residence: Mutex<Residence>,
    /// Notified whenever a task ends.
    ended: Condvar,
}

/// Words of the store, freed when dropped. Tasks that use them may still be running then, but no new work
/// that uses them may be requested.
pub(super) struct Words {
    number: u64,
    len: usize,
    store: Arc<Store>,
}

/// Words that are written once and stay on the GPU. Every stream can read them.
#[derive(Debug)]
pub(super) struct Constant {
    address: Address,
    /// Frees the words when dropped.
    _words: Words,
}

impl Store {
    pub(super) fn new(machine: Arc<dyn Gpu>) -> Arc<Self> {
        let residence = Residence::new(Arc::clone(&machine));
        Arc::new(Self {
            machine,
            computing: residence.streams.computing(),
            residence: Mutex::new(residence),
            ended: Condvar::new(),
        })
    }

    pub(super) fn machine(&self) -> &dyn Gpu {
        &*self.machine
    }

    /// Turns a failure of the GPU into one of the device.
    pub(super) fn failed(&self, error: &GpuError) -> DeviceError {
        DeviceError::Failed {
            device: self.machine.name(),
            problem: error.to_string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Residence> {
        self.residence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits the store to this many bytes of the GPU.
    pub(super) fn limit(&self, bytes: u64) {
        self.lock().limit(bytes);
    }

    /// The number of bytes of the GPU that the store may use.
    pub(super) fn capacity(&self) -> Result<u64, DeviceError> {
        self.lock().capacity().map_err(|error| self.failed(&error))
    }

    /// Allocates words of arbitrary content. They take no memory before their first use.
    pub(super) fn take(self: &Arc<Self>, len: usize) -> Result<Words, DeviceError> {
        Ok(self.add(len, false))
    }

    fn add(self: &Arc<Self>, len: usize, fixed: bool) -> Words {
        let number = self.lock().add(len, fixed);
        let store = Arc::clone(self);
        Words { number, len, store }
    }

    /// Stores words of this content permanently.
    pub(super) fn constant(self: &Arc<Self>, content: &[u64]) -> Result<Constant, DeviceError> {
        let words = self.add(content.len(), true);
        let mut task = self.task();
        let address = task.write(&words)?;
        task.upload(content, &words)?;
        task.finish()?;
        Ok(Constant {
            address,
            _words: words,
        })
    }

    /// Begins a task.
    pub(super) fn task(self: &Arc<Self>) -> Task {
        Task::new(self, task::thread_number() % self.computing)
    }

    /// Tells the store that words will not be used for a while.
    pub(super) fn hint_idle(&self, words: &Words) {
        self.lock().hint_idle(words.number);
    }

    /// Tells the store that words will be used soon. It brings them back if they were moved away and there
    /// is room.
    pub(super) fn prefetch(&self, words: &Words) {
        // The task that uses them tries again and reports the error.
        let _ = self.lock().prefetch(words.number);
    }

    /// Overwrites words that will be dropped, wherever they are.
    pub(super) fn wipe(self: &Arc<Self>, words: &Words) -> Result<(), DeviceError> {
        let on_gpu = self.lock().mark_secret(words.number);
        if on_gpu { self.task().clear(words) } else { Ok(()) }
    }

    /// Waits until all work is done.
    pub(super) fn finish(&self) -> Result<(), DeviceError> {
        let finished = (0..self.machine.streams()).try_for_each(|stream| self.machine.finish(stream));
        finished.map_err(|error| self.failed(&error))
    }
}

impl Constant {
    pub(super) fn address(&self) -> Address {
        self.address
    }
}

impl Words {
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.store.lock().remove(self.number);
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let residence = self.residence.get_mut();
        residence.unwrap_or_else(PoisonError::into_inner).empty();
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("machine", &self.machine.name())
            .finish_non_exhaustive()
    }
}
