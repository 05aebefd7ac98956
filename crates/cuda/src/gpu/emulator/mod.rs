mod counts;
mod memory;
mod queues;
mod shim;

use std::collections::BTreeMap;
use std::mem;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use counts::KernelWork;

use super::{Address, Gpu, GpuError, HostMemory, Launch, Memory};
use counts::Counts;
use memory::Allocations;
use queues::{Queues, Source, Work};

/// The number of streams, the same as on GPUs.
const STREAMS: usize = 4;

/// An emulated GPU: its memory is the host's, and the CPU runs its kernels thread by thread.
///
/// It is for tests and finds errors that a GPU would not show: threads that race for shared memory, writes
/// beyond the end of an allocation, memory that is never freed, streams that do not wait for each other.
///
/// As on a GPU, a fault is permanent: every later call fails with the same error.
#[derive(Debug)]
pub struct Emulator {
    options: EmulatorOptions,
    state: Arc<Mutex<State>>,
}

/// The behaviour of an emulated GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// The number of bytes of memory.
    pub memory: u64,
    /// Whether the emulator checks every access to shared memory for races.
    pub checked: bool,
    /// Whether threads and blocks run from the last to the first.
    pub backwards: bool,
    /// Whether streams put off work as long as they can: until something waits for it, or for other work
    /// that waits for it. Code that forgets to wait then always gets wrong words. Otherwise work is done at
    /// once.
    pub lazy: bool,
    /// The number of the allocation of the GPU's memory, from 1, that fails as if the memory were full.
    pub failing_allocation: Option<u64>,
    /// The number of the launch, from 1, that faults.
    pub failing_launch: Option<u64>,
}

impl Default for EmulatorOptions {
    /// 4 GiB of memory, without checks, forwards, without putting work off, without faults.
    fn default() -> Self {
        Self {
            memory: 4 << 30,
            checked: false,
            backwards: false,
            lazy: false,
            failing_allocation: None,
            failing_launch: None,
        }
    }
}

#[derive(Debug)]
struct State {
    gpu: Allocations,
    /// The host's memory for copies.
    host: Allocations,
    queues: Queues,
    counters: Counters,
    /// The work of each kernel.
    work: BTreeMap<String, KernelWork>,
    /// The fault that has stopped the GPU.
    fault: Option<GpuError>,
}

/// Counts the work done so far, so that the configured operation fails.
#[derive(Debug, Default)]
struct Counters {
    allocations: u64,
    launches: u64,
}

impl Counters {
    /// Counts work that begins.
    fn begin(&mut self, options: &EmulatorOptions, work: &Work) -> Result<(), GpuError> {
        if !matches!(work, Work::Launch { .. }) {
            return Ok(());
        }
        self.launches += 1;
        if options.failing_launch == Some(self.launches) {
            Err(GpuError::Fault(format!("launch {} was to fail", self.launches)))
        } else {
            Ok(())
        }
    }
}

impl Emulator {
    /// Makes an emulated GPU.
    #[must_use]
    pub fn new(options: EmulatorOptions) -> Self {
        let state = State {
            gpu: Allocations::new(options.memory),
            host: Allocations::new(u64::MAX),
            queues: Queues::new(STREAMS),
            counters: Counters::default(),
            work: BTreeMap::new(),
            fault: None,
        };
        Self {
            options,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// The largest magnitude that occurred in kernels over bounds that this thread ran since the last call,
    /// in units of a prime. Doubles are exact up to 8.
    #[must_use]
    pub fn worst_bound() -> f64 {
        shim::worst_bound()
    }

    /// The work of each kernel since the last call, by the kernel's name. Work that was put off
    /// ([`EmulatorOptions::lazy`]) does not count.
    #[must_use]
    pub fn work(&self) -> BTreeMap<String, KernelWork> {
        mem::take(&mut lock(&self.state).work)
    }

    /// The number of bytes of the host's memory that are reserved for copies.
    #[must_use]
    pub fn host_bytes(&self) -> u64 {
        lock(&self.state).host.used()
    }

    /// The state, if there was no fault.
    fn sound(&self) -> Result<MutexGuard<'_, State>, GpuError> {
        let state = lock(&self.state);
        match &state.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(state),
        }
    }

    /// Does work on a stream, now or later.
    fn ask(&self, stream: usize, work: Work) -> Result<(), GpuError> {
        let mut state = self.sound()?;
        if self.options.lazy {
            state.queues.push(stream, work);
            return Ok(());
        }
        let begun = state.counters.begin(&self.options, &work);
        state.note(begun)?;
        // Releasing the lock lets kernels of several threads run at the same time.
        drop(state);
        let done = perform(&self.options, &work);
        let mut state = lock(&self.state);
        let done = done.and_then(|counts| {
            note_work(&mut state.work, &work, &counts);
            state.gpu.check_guards(&work)
        });
        state.note(done)
    }

    /// Does all work that was put off on a stream.
    fn run(&self, stream: usize) -> Result<(), GpuError> {
        let mut state = self.sound()?;
        let State {
            queues,
            counters,
            gpu,
            work: all,
            ..
        } = &mut *state;
        let done = queues.run(stream, |work| {
            counters.begin(&self.options, work)?;
            note_work(all, work, &perform(&self.options, work)?);
            gpu.check_guards(work)
        });
        state.note(done)
    }
}

impl State {
    /// Remembers a fault.
    fn note(&mut self, done: Result<(), GpuError>) -> Result<(), GpuError> {
        if let Err(fault @ GpuError::Fault(_)) = &done {
            self.fault = Some(fault.clone());
        }
        done
    }

    /// Frees memory of the host, once all copies are done.
    fn release_host(&mut self, address: Address, bytes: usize) {
        if self.queues.pending().any(|work| work.touches(address, bytes)) {
            let problem = "memory of the host was freed before a copy was done";
            self.fault = Some(GpuError::Fault(problem.to_owned()));
        }
        self.host.release(address);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds the work of a launch to the previous work of its kernel.
fn note_work(all: &mut BTreeMap<String, KernelWork>, work: &Work, counts: &Counts) {
    if let Work::Launch { entry, grid, .. } = work {
        all.entry(entry.clone()).or_default().add(*grid, counts);
    }
}

/// Does work for whose addresses the caller vouched.
fn perform(options: &EmulatorOptions, work: &Work) -> Result<Counts, GpuError> {
    match work {
        Work::Copy { from, to, bytes } => {
            let from = match from {
                Source::Address(from) => *from as *const u8,
                Source::Content(content) => content.as_ptr(),
            };
            // SAFETY: who asked for the copy vouches for both ranges until it is done, and that they are apart.
            unsafe { std::ptr::copy_nonoverlapping(from, *to as *mut u8, *bytes) };
            Ok(Counts::default())
        }
        Work::Clear { at, bytes } => {
            // SAFETY: who asked for it vouches for the range.
            unsafe { std::ptr::write_bytes(*at as *mut u8, 0, *bytes) };
            Ok(Counts::default())
        }
        Work::Launch {
            entry,
            grid,
            threads,
            parameters,
        } => {
            let launch = Launch {
                entry,
                grid: *grid,
                threads: *threads,
                parameters,
            };
            // SAFETY: who asked for it vouches for the addresses in the parameters.
            unsafe { shim::run(options, &launch) }
        }
        Work::Wait { .. } => Ok(Counts::default()),
    }
}

impl Gpu for Emulator {
    fn name(&self) -> String {
        "emulated GPU".to_owned()
    }

    fn streams(&self) -> usize {
        STREAMS
    }

    fn memory(&self) -> Result<Memory, GpuError> {
        Ok(self.sound()?.gpu.memory())
    }

    fn allocate(&self, bytes: usize) -> Result<Address, GpuError> {
        let mut state = self.sound()?;
        state.counters.allocations += 1;
        if self.options.failing_allocation == Some(state.counters.allocations) {
            return Err(state.gpu.full(bytes));
        }
        Ok(state.gpu.allocate(bytes)?.as_ptr() as Address)
    }

    fn release(&self, address: Address) {
        // After a fault there is nothing left to do.
        let _ = (0..STREAMS).try_for_each(|stream| self.run(stream));
        lock(&self.state).gpu.release(address);
    }

    fn host_memory(&self, bytes: usize) -> Result<HostMemory, GpuError> {
        let wanted = bytes as u64;
        let start = self.sound()?.host.allocate(bytes);
        let start = start.map_err(|_| GpuError::OutOfHostMemory { wanted })?;
        let state = Arc::clone(&self.state);
        let free = move |start: NonNull<u8>| lock(&state).release_host(start.as_ptr() as Address, bytes);
        // SAFETY: this many bytes were allocated, and they are freed once.
        Ok(unsafe { HostMemory::new(start, bytes, free) })
    }

    unsafe fn upload(
        &self,
        stream: usize,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let is_kept = !self.options.lazy || self.sound()?.host.holds(from as Address, bytes);
        let from = if is_kept {
            Source::Address(from as Address)
        } else {
            // SAFETY: the caller vouches for the range.
            Source::Content(unsafe { std::slice::from_raw_parts(from, bytes) }.to_vec())
        };
        self.ask(stream, Work::Copy { from, to, bytes })
    }

    unsafe fn download(
        &self,
        stream: usize,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let to = to as Address;
        let from = Source::Address(from);
        self.ask(stream, Work::Copy { from, to, bytes })?;
        let is_kept = self.sound()?.host.holds(to, bytes);
        if is_kept { Ok(()) } else { self.run(stream) }
    }

    unsafe fn copy(&self, stream: usize, from: Address, to: Address, bytes: usize) -> Result<(), GpuError> {
        let from = Source::Address(from);
        self.ask(stream, Work::Copy { from, to, bytes })
    }

    unsafe fn clear(&self, stream: usize, at: Address, bytes: usize) -> Result<(), GpuError> {
        self.ask(stream, Work::Clear { at, bytes })
    }

    unsafe fn launch(&self, stream: usize, launch: &Launch<'_>) -> Result<(), GpuError> {
        let grid = [0; 3];
        // SAFETY: a grid of no blocks uses no addresses. That the kernel is there shows at once, as on a GPU.
        unsafe { shim::run(&self.options, &Launch { grid, ..*launch })? };
        self.ask(stream, Work::launch(launch))
    }

    fn order(&self, before: usize, after: usize) -> Result<(), GpuError> {
        let mut state = self.sound()?;
        if self.options.lazy && before != after {
            let (stream, count) = (before, state.queues.asked(before));
            state.queues.push(after, Work::Wait { stream, count });
        }
        Ok(())
    }

    fn finish(&self, stream: usize) -> Result<(), GpuError> {
        self.run(stream)
    }
}
