//! What a GPU does for a device: memory, copies and launches of kernels on several streams.

#[cfg(feature = "emulator")]
mod emulator;
mod error;
pub mod nvidia;

#[cfg(feature = "emulator")]
pub use emulator::{Emulator, EmulatorOptions, KernelWork};
pub use error::GpuError;

use std::fmt;
use std::ptr::NonNull;

/// A place in a machine's memory.
pub type Address = u64;

/// A kernel to be run.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kernel's name in `kernels/entries.cu`.
    pub entry: &'a str,
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block: what the kernel was written for.
    pub threads: u32,
    /// The one parameter, by value: the bytes of a `#[repr(C)]` structure.
    pub parameters: &'a [u8],
}

/// Memory of a machine, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// What can be had.
    pub free: u64,
    /// What there is.
    pub total: u64,
}

/// How long a kernel ran.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTime {
    /// The kernel's name.
    pub entry: String,
    /// How often it was launched.
    pub launches: u64,
    /// Seconds on the GPU, of all launches together. Kernels on different streams may run at the same time, so
    /// the sum over kernels may exceed the time that passed.
    pub seconds: f64,
}

/// Memory of the host that a machine can copy from and to while it computes; freed when dropped.
pub struct HostMemory {
    start: NonNull<u8>,
    bytes: usize,
    free: Box<dyn Fn(NonNull<u8>) + Send + Sync>,
}

// SAFETY: the memory belongs to this value alone; it is reached through `start` by whoever borrows the value.
unsafe impl Send for HostMemory {}
// SAFETY: as above; shared borrows give the address only.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Memory that `free` frees.
    ///
    /// # Safety
    /// `start` must be valid for reads and writes of so many bytes until `free` is called.
    pub unsafe fn new(
        start: NonNull<u8>,
        bytes: usize,
        free: impl Fn(NonNull<u8>) + Send + Sync + 'static,
    ) -> Self {
        let free = Box::new(free);
        Self { start, bytes, free }
    }

    /// Where it begins.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        (self.free)(self.start);
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMemory")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// A GPU, or something that behaves like one.
///
/// Work is asked for on one of several equal streams: on one it is done in order, on different ones in any, but
/// for what [`Gpu::order`] says. Calls may return before the work is done; what it needs must stay until
/// then. A failure may show in any later call, at [`Gpu::finish`] at the latest.
pub trait Gpu: Send + Sync {
    /// What a person calls it.
    fn name(&self) -> String;

    /// The number of streams, at least 1.
    fn streams(&self) -> usize;

    /// Its memory.
    ///
    /// # Errors
    /// [`GpuError`]; so everywhere below.
    fn memory(&self) -> Result<Memory, GpuError>;

    /// Memory for so many bytes, of any content, aligned to 256.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    fn allocate(&self, bytes: usize) -> Result<Address, GpuError>;

    /// Gives memory back after everything that was asked for is done.
    fn release(&self, address: Address);

    /// Memory of the host that copies need not wait for. Kernels reach it too, slowly, at its own address.
    ///
    /// # Errors
    /// [`GpuError::OutOfHostMemory`].
    fn host_memory(&self, bytes: usize) -> Result<HostMemory, GpuError>;

    /// Copies from the host's memory. From [`HostMemory`] it may return before it is done; other memory can be
    /// reused when it returns.
    ///
    /// # Safety
    /// Both ranges must be valid until the copy is done, and nothing else may change them.
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn upload(
        &self,
        stream: usize,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), GpuError>;

    /// Copies to the host's memory. To [`HostMemory`] it may return before it is done; other memory is
    /// complete when it returns.
    ///
    /// # Safety
    /// As [`Gpu::upload`].
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn download(
        &self,
        stream: usize,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), GpuError>;

    /// Copies within the machine's memory.
    ///
    /// # Safety
    /// Both ranges must be valid and apart.
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn copy(&self, stream: usize, from: Address, to: Address, bytes: usize) -> Result<(), GpuError>;

    /// Fills memory with zeros.
    ///
    /// # Safety
    /// The range must be valid.
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn clear(&self, stream: usize, at: Address, bytes: usize) -> Result<(), GpuError>;

    /// Runs a kernel.
    ///
    /// # Safety
    /// The parameters must be the structure that the kernel takes, and the addresses in it valid for what the
    /// kernel does with this grid.
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn launch(&self, stream: usize, launch: &Launch<'_>) -> Result<(), GpuError>;

    /// Has a stream go on only when all that was asked of another one so far is done.
    ///
    /// # Errors
    /// [`GpuError`].
    fn order(&self, before: usize, after: usize) -> Result<(), GpuError>;

    /// Waits until all that was asked of a stream is done.
    ///
    /// # Errors
    /// [`GpuError`], of any earlier operation too.
    fn finish(&self, stream: usize) -> Result<(), GpuError>;

    /// How long each kernel ran since the machine was opened, the longest first, if the machine was opened to
    /// measure it; nothing otherwise. Waits for what was launched.
    ///
    /// # Errors
    /// [`GpuError`].
    fn profile(&self) -> Result<Vec<KernelTime>, GpuError> {
        Ok(Vec::new())
    }
}
