//! Memory of the GPU, and the work that uses it.
//!
//! Work is asked for task by task; it is done later, on one of the machine's streams. What a task reads and writes is
//! on the GPU until the task ends; other words are moved to the host where the GPU is too small.
//!
//! There is one lock, of [`Residence`]. It is held while copies and waits are asked for, never while a task's own
//! kernels and copies are, nor while the host waits, but for memory that is given back and secrets that are
//! overwritten. A machine's own locks are taken under it; nothing is called back from there.

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
    /// Streams that tasks run on: the first ones.
    computing: usize,
    residence: Mutex<Residence>,
    /// Told whenever a task ends.
    ended: Condvar,
}

/// Words of the store; freed when dropped. Tasks that use them may still be at work then, but nothing that uses them
/// may be asked for any more.
pub(super) struct Words {
    number: u64,
    len: usize,
    store: Arc<Store>,
}

/// Words that are written once and stay on the GPU; every stream can read them.
#[derive(Debug)]
pub(super) struct Constant {
    address: Address,
    /// Frees them.
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

    /// A failure of the GPU, as one of the device.
    pub(super) fn failed(&self, error: &GpuError) -> DeviceError {
        DeviceError::Failed {
            device: self.machine.name(),
            problem: error.to_string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Residence> {
        self.residence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the store use at most so many bytes of the GPU.
    pub(super) fn limit(&self, bytes: u64) {
        self.lock().limit(bytes);
    }

    /// Bytes of the GPU that the store may use.
    pub(super) fn capacity(&self) -> Result<u64, DeviceError> {
        self.lock().capacity().map_err(|error| self.failed(&error))
    }

    /// Words of any content. They take no memory before they are used.
    pub(super) fn take(self: &Arc<Self>, len: usize) -> Result<Words, DeviceError> {
        Ok(self.add(len, false))
    }

    fn add(self: &Arc<Self>, len: usize, fixed: bool) -> Words {
        let number = self.lock().add(len, fixed);
        let store = Arc::clone(self);
        Words { number, len, store }
    }

    /// Words of this content, for ever.
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

    /// Begins a piece of work.
    pub(super) fn task(self: &Arc<Self>) -> Task {
        Task::new(self, task::thread_number() % self.computing)
    }

    /// Says that words will not be used for a while.
    pub(super) fn hint_idle(&self, words: &Words) {
        self.lock().hint_idle(words.number);
    }

    /// Says that words will be used soon: they are brought back if they were moved away and there is room.
    pub(super) fn prefetch(&self, words: &Words) {
        // The task that uses them tries again, and says what is wrong.
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
