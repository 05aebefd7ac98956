//! NVIDIA GPUs, through the driver's own interface.
//!
//! The driver and NVRTC are libraries that may be missing. They are loaded when a GPU is opened; if one is
//! missing, the error says how to mend that. This crate declares the functions in use itself instead
//! of using a crate of bindings. The existing bindings panic where a library or a function is missing, and
//! look only for fixed names, while here the user can name NVRTC's place. They also treat the codes that
//! functions return as Rust enums, which is undefined behaviour for a code that a newer driver has added.

mod cache;
mod compiler;
mod context;
mod driver;
mod library;
mod list;
mod module;
mod nvrtc;
mod pool;
mod timing;

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use super::{Address, Gpu, GpuError, HostMemory, KernelTime, Launch, Memory};
use crate::KernelSource;
pub use compiler::{Compiler, Image};
use context::{Context, lock};
use driver::{Driver, Functions, Handle};
use library::Code;
pub use list::{GpuInfo, gpus};
use module::Module;
use pool::Pool;
use timing::{Timings, create_event};

/// The number of streams of a GPU: enough to copy in both directions while six kernels overlap. The kernels of one
/// polynomial fill a tenth of a large GPU.
const STREAMS: usize = 8;

/// A flag of `cuStreamCreate`: the stream and the unnamed stream do not wait for each other.
const NON_BLOCKING: u32 = 1;
/// A flag of `cuEventCreate`: the event keeps no time, which makes waiting cheaper.
const WITHOUT_TIME: u32 = 2;
/// A flag of `cuMemHostAlloc`: any context can reach the memory.
const PORTABLE: u32 = 1;

/// A GPU with kernels loaded.
///
/// After a kernel has faulted, every call returns the same [`GpuError::Fault`]. The GPU's context, which the
/// whole process shares, is lost with everything in it.
pub struct NvidiaGpu {
    info: GpuInfo,
    module: Module,
    streams: Vec<Handle>,
    /// The events for [`Gpu::order`], one for each stream.
    events: Vec<Handle>,
    timings: Option<Mutex<Timings>>,
    /// Where the memory comes from; without it, from the driver one by one.
    pool: Option<Pool>,
    context: Arc<Context>,
}

impl NvidiaGpu {
    /// Opens a GPU and compiles a program for it, or takes an earlier result for such a GPU from the user's
    /// cache. GPUs are counted from 0.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::NoGpu`], [`GpuError::TooOld`], [`GpuError::NoCompiler`],
    /// [`GpuError::Compile`], [`GpuError::NotTaken`]; other errors come from the driver.
    pub fn open(index: usize, program: &KernelSource) -> Result<Self, GpuError> {
        Self::with(index, program, None)
    }

    /// Opens a GPU like [`NvidiaGpu::open`] and measures the running time of every kernel, for
    /// [`Gpu::profile`]. The events around each launch take some time themselves.
    ///
    /// # Errors
    /// Those of [`NvidiaGpu::open`].
    pub fn open_profiled(index: usize, program: &KernelSource) -> Result<Self, GpuError> {
        Self::with(index, program, Some(Mutex::default()))
    }

    fn with(index: usize, program: &KernelSource, timings: Option<Mutex<Timings>>) -> Result<Self, GpuError> {
        let driver = Driver::get()?;
        let (device, info) = list::usable(driver, index)?;
        let compiler = Compiler::load(Some(driver.version))?;
        let image = compiler.compile(program, info.capability)?;
        let context = Arc::new(Context::open(driver, device)?);
        let module = Module::load(&context, &image, compiler.version())?;
        let mut gpu = Self {
            info,
            module,
            streams: Vec::new(),
            events: Vec::new(),
            timings,
            pool: Pool::open(&context)?,
            context,
        };
        // If something here fails, everything created so far is destroyed with the GPU.
        for _ in 0..STREAMS {
            gpu.add_stream()?;
        }
        Ok(gpu)
    }

    fn add_stream(&mut self) -> Result<(), GpuError> {
        let mut stream = Handle::NONE;
        // SAFETY: a place for the stream.
        self.context.call("cuStreamCreate", |f| unsafe {
            (f.stream_create)(&mut stream, NON_BLOCKING)
        })?;
        self.streams.push(stream);
        self.events.push(create_event(&self.context, WITHOUT_TIME)?);
        Ok(())
    }

    /// The GPU's name, memory and compute capability.
    #[must_use]
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// The newest CUDA version that the driver supports.
    #[must_use]
    pub fn driver(&self) -> (u32, u32) {
        self.context.driver.version
    }

    fn stream(&self, stream: usize) -> Result<Handle, GpuError> {
        let streams = self.streams.len();
        let handle = self.streams.get(stream).copied();
        handle.ok_or(GpuError::NoStream { stream, streams })
    }

    /// Makes the driver copy or fill bytes on a stream, if there are any.
    fn move_bytes(
        &self,
        name: &'static str,
        stream: usize,
        bytes: usize,
        call: impl FnOnce(&Functions, Handle) -> Code,
    ) -> Result<(), GpuError> {
        let stream = self.stream(stream)?;
        match bytes {
            0 => Ok(()),
            _ => self.context.call(name, |f| call(f, stream)),
        }
    }

    /// Waits for a copy from or to memory of the host unless that memory is pinned. The driver's treatment
    /// of other memory depends on the system: if the GPU can reach all of the host's memory, the driver need
    /// not wait.
    fn finish_unless_pinned(&self, stream: usize, host: usize, bytes: usize) -> Result<(), GpuError> {
        if self.context.is_pinned(host, bytes) {
            Ok(())
        } else {
            self.finish(stream)
        }
    }
}

impl Gpu for NvidiaGpu {
    fn name(&self) -> String {
        self.info.name.clone()
    }

    fn streams(&self) -> usize {
        self.streams.len()
    }

    fn memory(&self) -> Result<Memory, GpuError> {
        let (context, mut free, mut total) = (&self.context, 0, 0);
        // SAFETY: places for two sizes.
        context.call("cuMemGetInfo", |f| unsafe { (f.memory)(&mut free, &mut total) })?;
        Ok(Memory {
            free: free as u64,
            total: total as u64,
        })
    }

    fn allocate(&self, bytes: usize) -> Result<Address, GpuError> {
        // The driver cannot allocate zero bytes.
        let bytes = bytes.max(1);
        if let Some(pool) = &self.pool {
            return pool.allocate(bytes);
        }
        let mut address = 0;
        // SAFETY: a place for the address, which the driver aligns to 256 at least.
        self.context.call_for("cuMemAlloc", bytes, |f| unsafe {
            (f.allocate)(&mut address, bytes)
        })?;
        Ok(address)
    }

    fn release(&self, address: Address) {
        // Failures show in the next call that can report them. If a context is lost, so is its memory.
        let finished = (0..self.streams()).try_for_each(|stream| self.finish(stream));
        if finished.is_err() {
            return;
        }
        match &self.pool {
            // SAFETY: nothing that was asked for is left to be done. The driver refuses an address that it has
            // not given.
            Some(pool) => unsafe { pool.free(address) },
            None => {
                // SAFETY: as above.
                let _ = self.context.call("cuMemFree", |f| unsafe { (f.free)(address) });
            }
        }
    }

    fn host_memory(&self, bytes: usize) -> Result<HostMemory, GpuError> {
        let mut start = std::ptr::null_mut();
        // SAFETY: a place for the address.
        let allocated = self.context.call("cuMemHostAlloc", |f| unsafe {
            (f.host_allocate)(&mut start, bytes.max(1), PORTABLE)
        });
        let wanted = bytes as u64;
        let none = GpuError::OutOfHostMemory { wanted };
        let start = match allocated {
            Ok(()) => NonNull::new(start.cast::<u8>()).ok_or(none)?,
            Err(GpuError::OutOfMemory { .. }) => return Err(none),
            Err(error) => return Err(error),
        };
        self.context.pin(start.addr().get(), bytes);
        let context = Arc::clone(&self.context);
        let free = move |start: NonNull<u8>| {
            context.unpin(start.addr().get());
            // SAFETY: allocated above, and freed once, by `HostMemory`.
            let _ = context.call("cuMemFreeHost", |f| unsafe {
                (f.host_free)(start.as_ptr().cast())
            });
        };
        // SAFETY: this many bytes were allocated, and they stay until they are freed.
        Ok(unsafe { HostMemory::new(start, bytes, free) })
    }

    unsafe fn upload(
        &self,
        stream: usize,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller vouches for both ranges, until the copy is done.
        self.move_bytes("cuMemcpyHtoDAsync", stream, bytes, |f, stream| unsafe {
            (f.upload)(to, from.cast::<c_void>(), bytes, stream)
        })?;
        self.finish_unless_pinned(stream, from.addr(), bytes)
    }

    unsafe fn download(
        &self,
        stream: usize,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller vouches for both ranges, until the copy is done.
        self.move_bytes("cuMemcpyDtoHAsync", stream, bytes, |f, stream| unsafe {
            (f.download)(to.cast::<c_void>(), from, bytes, stream)
        })?;
        self.finish_unless_pinned(stream, to.addr(), bytes)
    }

    unsafe fn copy(&self, stream: usize, from: Address, to: Address, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: the caller vouches for both ranges.
        self.move_bytes("cuMemcpyDtoDAsync", stream, bytes, |f, stream| unsafe {
            (f.copy)(to, from, bytes, stream)
        })
    }

    unsafe fn clear(&self, stream: usize, at: Address, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: the caller vouches for the range.
        self.move_bytes("cuMemsetD8Async", stream, bytes, |f, stream| unsafe {
            (f.clear)(at, 0, bytes, stream)
        })
    }

    unsafe fn launch(&self, stream: usize, launch: &Launch<'_>) -> Result<(), GpuError> {
        let handle = self.stream(stream)?;
        let function = self.module.function(&self.context, launch)?;
        // SAFETY: the caller vouches for the parameters; the kernel was looked up in this context.
        let run = || unsafe { module::launch(&self.context, function, handle, launch) };
        match &self.timings {
            Some(timings) => lock(timings).timed(&self.context, handle, launch.entry, run),
            None => run(),
        }
    }

    fn order(&self, before: usize, after: usize) -> Result<(), GpuError> {
        let (earlier, later) = (self.stream(before)?, self.stream(after)?);
        let Some(&event) = self.events.get(before).filter(|_| before != after) else {
            return Ok(());
        };
        // One event for each stream is enough, even while other streams wait for its last use. A stream
        // waits for the state that the event has at the time of the request, and each use is later on the
        // same stream.
        let context = &self.context;
        // SAFETY: an event and a stream of this context.
        context.call("cuEventRecord", |f| unsafe { (f.event_record)(event, earlier) })?;
        // SAFETY: as above.
        context.call("cuStreamWaitEvent", |f| unsafe {
            (f.stream_wait)(later, event, 0)
        })
    }

    fn finish(&self, stream: usize) -> Result<(), GpuError> {
        let handle = self.stream(stream)?;
        // SAFETY: a stream of this context.
        self.context
            .call("cuStreamSynchronize", |f| unsafe { (f.stream_finish)(handle) })
    }

    fn profile(&self) -> Result<Vec<KernelTime>, GpuError> {
        match &self.timings {
            Some(timings) => lock(timings).profile(&self.context),
            None => Ok(Vec::new()),
        }
    }
}

impl Drop for NvidiaGpu {
    fn drop(&mut self) {
        // If this fails, there is nothing to be done; if the context is lost, no function is called.
        let context = &self.context;
        for &stream in &self.streams {
            // SAFETY: a stream of this context.
            let _ = context.call("cuStreamSynchronize", |f| unsafe { (f.stream_finish)(stream) });
        }
        let timings = self.timings.take().and_then(|timings| timings.into_inner().ok());
        let timed = timings.into_iter().flat_map(Timings::into_events);
        for event in self.events.drain(..).chain(timed) {
            // SAFETY: an event of this context that nothing uses any more.
            let _ = context.call("cuEventDestroy", |f| unsafe { (f.event_destroy)(event) });
        }
        for stream in self.streams.drain(..) {
            // SAFETY: a stream of this context, with nothing left to do.
            let _ = context.call("cuStreamDestroy", |f| unsafe { (f.stream_destroy)(stream) });
        }
        self.module.unload(context);
    }
}

impl fmt::Debug for NvidiaGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NvidiaGpu")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
