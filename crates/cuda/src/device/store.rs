//! Memory of the card, and the work that uses it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringmill_device::DeviceError;

use crate::machine::{Address, Launch, Machine, MachineError};

/// The card's memory in words of 64 bits.
pub(super) struct Store {
    machine: Arc<dyn Machine>,
    /// Addresses of freed words, by their number.
    free: Mutex<HashMap<usize, Vec<Address>>>,
}

/// Words on the card; freed when dropped.
pub(super) struct Words {
    address: Address,
    len: usize,
    store: Arc<Store>,
}

/// Words that are written once, for the life of a device; every stream can read them.
#[derive(Debug)]
pub(super) struct Constant {
    words: Words,
}

impl Store {
    pub(super) fn new(machine: Arc<dyn Machine>) -> Arc<Self> {
        let free = Mutex::default();
        Arc::new(Self { machine, free })
    }

    pub(super) fn machine(&self) -> &dyn Machine {
        &*self.machine
    }

    /// A failure of the card, as one of the device.
    pub(super) fn failed(&self, error: &MachineError) -> DeviceError {
        DeviceError::Failed {
            device: self.machine.name(),
            problem: error.to_string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Vec<Address>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words of any content.
    pub(super) fn take(self: &Arc<Self>, len: usize) -> Result<Words, DeviceError> {
        let kept = self.lock().get_mut(&len).and_then(Vec::pop);
        let address = match kept {
            Some(address) => address,
            None => self
                .machine
                .allocate(8 * len)
                .map_err(|error| self.failed(&error))?,
        };
        let store = Arc::clone(self);
        Ok(Words { address, len, store })
    }

    /// Words of this content, for ever.
    pub(super) fn constant(self: &Arc<Self>, content: &[u64]) -> Result<Constant, DeviceError> {
        let words = self.take(content.len())?;
        let mut task = self.task();
        task.upload(content, &words)?;
        task.finish()?;
        Ok(Constant { words })
    }

    /// Begins a piece of work.
    pub(super) fn task(self: &Arc<Self>) -> Task {
        Task {
            store: Arc::clone(self),
            stream: 0,
        }
    }
}

impl Constant {
    pub(super) fn address(&self) -> Address {
        self.words.address
    }
}

impl Words {
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let mut free = self.store.lock();
        free.entry(self.len).or_default().push(self.address);
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
        let free = self.free.get_mut().unwrap_or_else(PoisonError::into_inner);
        for &address in free.values().flatten() {
            self.machine.release(address);
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("machine", &self.machine.name())
            .finish_non_exhaustive()
    }
}

/// A piece of work: copies and kernels that are done one after the other. What it reads and writes is on the card
/// until it ends.
pub(super) struct Task {
    store: Arc<Store>,
    stream: usize,
}

impl Task {
    /// The address of words that are read.
    pub(super) fn read(&mut self, words: &Words) -> Result<Address, DeviceError> {
        Ok(words.address)
    }

    /// The address of words that are written, or read and written; the caller has them for itself.
    pub(super) fn write(&mut self, words: &Words) -> Result<Address, DeviceError> {
        Ok(words.address)
    }

    /// Writes all words.
    pub(super) fn upload(&mut self, from: &[u64], to: &Words) -> Result<(), DeviceError> {
        let address = self.write(to)?;
        if from.len() != to.len() {
            return Err(DeviceError::WrongLength {
                expected: to.len(),
                got: from.len(),
            });
        }
        // SAFETY: both have as many words; the source is borrowed, and is not needed after the call.
        let done = unsafe {
            self.store
                .machine
                .upload(self.stream, from.as_ptr().cast(), address, 8 * from.len())
        };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Reads all words, when everything asked for before is done.
    pub(super) fn download(&mut self, from: &Words) -> Result<Vec<u64>, DeviceError> {
        let address = self.read(from)?;
        let mut to = vec![0; from.len()];
        // SAFETY: both have as many words; the target is borrowed, and complete after the call.
        let done = unsafe {
            self.store
                .machine
                .download(self.stream, address, to.as_mut_ptr().cast(), 8 * from.len())
        };
        done.map_err(|error| self.store.failed(&error))?;
        Ok(to)
    }

    /// Copies words within the card: `count` from place `from.1` of one to place `to.1` of the other.
    pub(super) fn copy(
        &mut self,
        from: (&Words, usize),
        to: (&Words, usize),
        count: usize,
    ) -> Result<(), DeviceError> {
        let (source, target) = (self.read(from.0)?, self.write(to.0)?);
        for (place, len) in [(from.1, from.0.len()), (to.1, to.0.len())] {
            if place + count > len {
                return Err(DeviceError::WrongLength {
                    expected: place + count,
                    got: len,
                });
            }
        }
        let (source, target) = (source + 8 * from.1 as u64, target + 8 * to.1 as u64);
        // SAFETY: both ranges are within their words, which are different ones: a caller that writes has them for
        // itself.
        let done = unsafe { self.store.machine.copy(self.stream, source, target, 8 * count) };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Overwrites words with zeros.
    pub(super) fn clear(&mut self, words: &Words) -> Result<(), DeviceError> {
        let address = self.write(words)?;
        // SAFETY: the range is that of the words.
        let done = unsafe { self.store.machine.clear(self.stream, address, 8 * words.len()) };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// `P` must be the `#[repr(C)]` structure without padding that the kernel takes; all addresses in it must come
    /// from [`Task::read`], [`Task::write`] or constants that outlive the call of [`Task::finish`] or the store,
    /// and hold all words that the kernel reads or writes with this grid.
    pub(super) unsafe fn launch<P>(
        &mut self,
        entry: &str,
        grid: [usize; 3],
        threads: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        // SAFETY: a reference to a structure without padding is so many bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts(std::ptr::from_ref(parameters).cast::<u8>(), size_of::<P>())
        };
        let launch = Launch {
            entry,
            grid: grid.map(|blocks| blocks as u32),
            threads,
            parameters: bytes,
        };
        // SAFETY: the caller vouches for parameters and addresses.
        let done = unsafe { self.store.machine.launch(self.stream, &launch) };
        done.map_err(|error| self.store.failed(&error))
    }

    /// Waits until the work is done.
    pub(super) fn finish(self) -> Result<(), DeviceError> {
        let done = self.store.machine.finish(self.stream);
        done.map_err(|error| self.store.failed(&error))
    }
}
