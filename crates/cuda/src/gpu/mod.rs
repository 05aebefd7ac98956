//! The services of a GPU for a device: memory, copies and launches of kernels on several streams.

#[cfg(feature = "emulator")]
mod emulator;
mod error;
pub mod nvidia;

#[cfg(feature = "emulator")]
pub use emulator::{Emulator, EmulatorOptions, KernelWork};
pub use error::GpuError;

use std::fmt;
use std::ptr::NonNull;

/// An address in a machine's memory.
pub type Address = u64;

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kernel's name in `kernels/entries.cu`.
    pub entry: &'a str,
    /// The number of blocks in each direction.
    pub grid: [u32; 3],
    /// The number of threads in a block, for which the kernel was written.
    pub threads: u32,
    /// The only parameter, by value: the bytes of a `#[repr(C)]` structure.
    pub parameters: &'a [u8],
}

/// The memory of a machine, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// The number of free bytes.
    pub free: u64,
    /// The number of bytes in all.
    pub total: u64,
}

/// The running time of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTime {
    /// The kernel's name.
    pub entry: String,
    /// The number of launches.
    pub launches: u64,
    /// The seconds that all launches together took on the GPU. Kernels on different streams may run at the
    /// same time, so the sum over kernels may exceed the time that passed.
    pub seconds: f64,
}

/// Memory of the host that a machine can copy from and to while it computes. It is freed when dropped.
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
    /// Wraps memory that `free` frees.
    ///
    /// # Safety
    /// `start` must be valid for reads and writes of this many bytes until `free` is called.
    pub unsafe fn new(
        start: NonNull<u8>,
        bytes: usize,
        free: impl Fn(NonNull<u8>) + Send + Sync + 'static,
    ) -> Self {
        let free = Box::new(free);
        Self { start, bytes, free }
    }

    /// The start of the memory.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The number of bytes.
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
/// Callers request work on one of several equal streams. Work on one stream is done in order; work on
/// different streams is done in any order that [`Gpu::order`] allows. Calls may return before the work is
/// done, and everything that the work needs must stay until then. A failure may show in any later call, at
/// the latest in [`Gpu::finish`].
pub trait Gpu: Send + Sync {
    /// The name of the GPU for people.
    fn name(&self) -> String;

    /// The number of streams, at least 1.
    fn streams(&self) -> usize;

    /// The GPU's memory.
    ///
    /// # Errors
    /// [`GpuError`], as for all methods below.
    fn memory(&self) -> Result<Memory, GpuError>;

    /// Allocates this many bytes of arbitrary content, aligned to 256.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] if there are not enough bytes.
    fn allocate(&self, bytes: usize) -> Result<Address, GpuError>;

    /// Gives memory back once all requested work is done.
    fn release(&self, address: Address);

    /// Allocates memory of the host for copies that need not wait. Kernels can reach it too, slowly, at its
    /// own address.
    ///
    /// # Errors
    /// [`GpuError::OutOfHostMemory`] if there are not enough bytes.
    fn host_memory(&self, bytes: usize) -> Result<HostMemory, GpuError>;

    /// Copies from the host's memory. A copy from [`HostMemory`] may still be running when the call returns;
    /// other memory can be reused at once.
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

    /// Copies to the host's memory. A copy to [`HostMemory`] may still be running when the call returns;
    /// other memory is complete by then.
    ///
    /// # Safety
    /// The same as for [`Gpu::upload`].
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
    /// Both ranges must be valid and must not overlap.
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
    /// The parameters must be the structure that the kernel takes, and the addresses in it must be valid for
    /// all accesses of the kernel with this grid.
    ///
    /// # Errors
    /// [`GpuError`].
    unsafe fn launch(&self, stream: usize, launch: &Launch<'_>) -> Result<(), GpuError>;

    /// Makes a stream wait until all work requested so far of another stream is done.
    ///
    /// # Errors
    /// [`GpuError`].
    fn order(&self, before: usize, after: usize) -> Result<(), GpuError>;

    /// Waits until all work requested of a stream is done.
    ///
    /// # Errors
    /// [`GpuError`], including those of any earlier operation.
    fn finish(&self, stream: usize) -> Result<(), GpuError>;

    /// The running time of each kernel since the machine was opened, longest first, if the machine was
    /// opened to measure it; otherwise an empty list. Waits for all launches.
    ///
    /// # Errors
    /// [`GpuError`].
    fn profile(&self) -> Result<Vec<KernelTime>, GpuError> {
        Ok(Vec::new())
    }
}
