use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::gpu::{Address, Emulator, Gpu, GpuError, HostMemory, Launch, Memory};

/// An emulated GPU that counts requests and can forget to order streams.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) inner: Emulator,
    /// The number of calls of `order`; `pairs` holds their streams.
    pub(super) orders: AtomicU64,
    pub(super) pairs: Mutex<BTreeSet<(usize, usize)>>,
    /// The streams whose orders are not passed on.
    forgotten: Option<(usize, usize)>,
    /// The number of copies from and to the host.
    pub(super) uploads: AtomicU64,
    pub(super) downloads: AtomicU64,
    /// The number of bytes at each address, of the GPU and the host.
    memory: Mutex<BTreeMap<Address, usize>>,
}

impl Watched {
    pub(super) fn new(inner: Emulator) -> Self {
        Self {
            inner,
            orders: AtomicU64::new(0),
            pairs: Mutex::default(),
            forgotten: None,
            uploads: AtomicU64::new(0),
            downloads: AtomicU64::new(0),
            memory: Mutex::default(),
        }
    }

    /// Makes a machine on which the second of these streams does not wait for the first.
    pub(super) fn forgetting(inner: Emulator, streams: (usize, usize)) -> Self {
        Self {
            forgotten: Some(streams),
            ..Self::new(inner)
        }
    }

    /// Whether a word occurs anywhere in the memory of the GPU or of the host that the machine allocated.
    pub(super) fn holds(&self, word: u64) -> bool {
        (0..self.streams()).for_each(|stream| self.finish(stream).unwrap());
        let memory = self.memory.lock().unwrap();
        memory.iter().any(|(&address, &bytes)| {
            // SAFETY: the machine's memory is the host's; it is given back when the store is dropped, all
            // work is done, and the memory is aligned and has this many bytes.
            let words = unsafe { std::slice::from_raw_parts(address as *const u64, bytes / 8) };
            words.contains(&word)
        })
    }

    pub(super) fn copies(&self) -> (u64, u64) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (count(&self.uploads), count(&self.downloads))
    }
}

impl Gpu for Watched {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn streams(&self) -> usize {
        self.inner.streams()
    }

    fn memory(&self) -> Result<Memory, GpuError> {
        self.inner.memory()
    }

    fn allocate(&self, bytes: usize) -> Result<Address, GpuError> {
        let address = self.inner.allocate(bytes)?;
        self.memory.lock().unwrap().insert(address, bytes);
        Ok(address)
    }

    fn release(&self, address: Address) {
        self.memory.lock().unwrap().remove(&address);
        self.inner.release(address);
    }

    fn host_memory(&self, bytes: usize) -> Result<HostMemory, GpuError> {
        let memory = self.inner.host_memory(bytes)?;
        let address = memory.start() as Address;
        self.memory.lock().unwrap().insert(address, bytes);
        Ok(memory)
    }

    unsafe fn upload(
        &self,
        stream: usize,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), GpuError> {
        self.uploads.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller vouches.
        unsafe { self.inner.upload(stream, from, to, bytes) }
    }

    unsafe fn download(
        &self,
        stream: usize,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), GpuError> {
        self.downloads.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller vouches.
        unsafe { self.inner.download(stream, from, to, bytes) }
    }

    unsafe fn copy(&self, stream: usize, from: Address, to: Address, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: as the caller vouches.
        unsafe { self.inner.copy(stream, from, to, bytes) }
    }

    unsafe fn clear(&self, stream: usize, at: Address, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: as the caller vouches.
        unsafe { self.inner.clear(stream, at, bytes) }
    }

    unsafe fn launch(&self, stream: usize, launch: &Launch<'_>) -> Result<(), GpuError> {
        // SAFETY: as the caller vouches.
        unsafe { self.inner.launch(stream, launch) }
    }

    fn order(&self, before: usize, after: usize) -> Result<(), GpuError> {
        self.orders.fetch_add(1, Ordering::Relaxed);
        self.pairs.lock().unwrap().insert((before, after));
        if self.forgotten == Some((before, after)) {
            Ok(())
        } else {
            self.inner.order(before, after)
        }
    }

    fn finish(&self, stream: usize) -> Result<(), GpuError> {
        self.inner.finish(stream)
    }
}
