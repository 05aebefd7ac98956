use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Address, HostMemory, Launch, Machine, MachineError, Memory};

unsafe extern "C" {
    fn ringmill_emulate(
        name: *const c_char,
        grid: *const u32,
        threads: u32,
        parameters: *const u8,
        parameter_bytes: u64,
        checked: c_int,
        backwards: c_int,
        problem: *mut c_char,
        room: u64,
    ) -> c_int;
    fn ringmill_worst_bound() -> f64;
}

/// A card that is not there: its memory is the host's, its kernels are run by the CPU, thread by thread.
///
/// It is for tests, and finds errors that a card would not show: threads that race for shared memory, writes
/// beyond the end of an allocation, memory that is never freed.
#[derive(Debug)]
pub struct Emulator {
    options: EmulatorOptions,
    memory: Mutex<Allocations>,
}

/// How an emulated card behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// Bytes of memory.
    pub memory: u64,
    /// Whether every access to shared memory is checked for races.
    pub checked: bool,
    /// Whether threads and blocks are run from the last to the first.
    pub backwards: bool,
}

impl Default for EmulatorOptions {
    /// 4 GiB, unchecked, forwards.
    fn default() -> Self {
        Self {
            memory: 4 << 30,
            checked: false,
            backwards: false,
        }
    }
}

#[derive(Debug, Default)]
struct Allocations {
    used: u64,
    /// Bytes at each address.
    by_address: BTreeMap<Address, usize>,
}

/// Bytes behind every allocation that nothing may write.
const GUARD: usize = 256;
/// What they hold.
const PATTERN: u8 = 0xa5;
/// Room for what the shim says.
const ROOM: usize = 512;

impl Emulator {
    /// An emulated card.
    #[must_use]
    pub fn new(options: EmulatorOptions) -> Self {
        Self {
            options,
            memory: Mutex::default(),
        }
    }

    /// The largest magnitude that occurred in kernels over bounds since the last call, in units of a prime:
    /// doubles are exact up to 8.
    #[must_use]
    pub fn worst_bound() -> f64 {
        // SAFETY: it takes nothing and returns a number.
        unsafe { ringmill_worst_bound() }
    }

    fn lock(&self) -> MutexGuard<'_, Allocations> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees that nothing was written behind any allocation.
    fn check_guards(&self, entry: &str) -> Result<(), MachineError> {
        for (&address, &bytes) in &self.lock().by_address {
            // SAFETY: the allocation has GUARD bytes more than asked for, and is freed under the lock only.
            let guard = unsafe { std::slice::from_raw_parts((address as *const u8).add(bytes), GUARD) };
            if guard.iter().any(|&byte| byte != PATTERN) {
                let problem = format!("{entry} wrote behind an allocation of {bytes} bytes");
                return Err(MachineError::Fault(problem));
            }
        }
        Ok(())
    }
}

fn layout(bytes: usize) -> Result<Layout, MachineError> {
    Layout::from_size_align(bytes + GUARD, 256).map_err(|_| MachineError::OutOfMemory {
        wanted: bytes as u64,
        free: 0,
        total: 0,
    })
}

impl Machine for Emulator {
    fn name(&self) -> String {
        "emulated card".to_owned()
    }

    fn streams(&self) -> usize {
        4
    }

    fn memory(&self) -> Result<Memory, MachineError> {
        let total = self.options.memory;
        Ok(Memory {
            free: total - self.lock().used,
            total,
        })
    }

    fn allocate(&self, bytes: usize) -> Result<Address, MachineError> {
        let mut memory = self.lock();
        let total = self.options.memory;
        let full = MachineError::OutOfMemory {
            wanted: bytes as u64,
            free: total - memory.used,
            total,
        };
        if memory.used + bytes as u64 > total {
            return Err(full);
        }
        // SAFETY: the layout is not empty; what is allocated is written before it is read.
        let start = NonNull::new(unsafe { alloc(layout(bytes)?) }).ok_or(full)?;
        // SAFETY: as many bytes were allocated.
        unsafe { start.as_ptr().write_bytes(PATTERN, bytes + GUARD) };
        let address = start.as_ptr() as Address;
        memory.used += bytes as u64;
        memory.by_address.insert(address, bytes);
        Ok(address)
    }

    fn release(&self, address: Address) {
        let mut memory = self.lock();
        if let Some(bytes) = memory.by_address.remove(&address) {
            memory.used -= bytes as u64;
            if let Ok(layout) = layout(bytes) {
                // SAFETY: it was allocated with this layout and is forgotten now.
                unsafe { dealloc(address as *mut u8, layout) };
            }
        }
    }

    fn host_memory(&self, bytes: usize) -> Result<HostMemory, MachineError> {
        let layout = layout(bytes)?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc(layout) }).ok_or(MachineError::OutOfMemory {
            wanted: bytes as u64,
            free: 0,
            total: 0,
        })?;
        // SAFETY: it was allocated with this layout and is freed once.
        Ok(unsafe { HostMemory::new(start, bytes, move |start| dealloc(start.as_ptr(), layout)) })
    }

    unsafe fn upload(
        &self,
        _stream: usize,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), MachineError> {
        // SAFETY: the caller vouches for both ranges, which are of different memories.
        unsafe { std::ptr::copy_nonoverlapping(from, to as *mut u8, bytes) };
        Ok(())
    }

    unsafe fn download(
        &self,
        _stream: usize,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), MachineError> {
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to, bytes) };
        Ok(())
    }

    unsafe fn copy(
        &self,
        _stream: usize,
        from: Address,
        to: Address,
        bytes: usize,
    ) -> Result<(), MachineError> {
        // SAFETY: the caller vouches for both ranges and that they are apart.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
        Ok(())
    }

    unsafe fn clear(&self, _stream: usize, at: Address, bytes: usize) -> Result<(), MachineError> {
        // SAFETY: the caller vouches for the range.
        unsafe { std::ptr::write_bytes(at as *mut u8, 0, bytes) };
        Ok(())
    }

    unsafe fn launch(&self, _stream: usize, launch: &Launch<'_>) -> Result<(), MachineError> {
        let bad = |problem: String| MachineError::BadLaunch {
            entry: launch.entry.to_owned(),
            problem,
        };
        let name = CString::new(launch.entry).map_err(|_| bad("its name holds a zero".to_owned()))?;
        let mut problem = [0 as c_char; ROOM];
        // SAFETY: the name ends with a zero; the shim checks the kernel's name and the parameters' size and writes
        // no more than ROOM bytes; the caller vouches for the addresses in the parameters.
        let failed = unsafe {
            ringmill_emulate(
                name.as_ptr(),
                launch.grid.as_ptr(),
                launch.threads,
                launch.parameters.as_ptr(),
                launch.parameters.len() as u64,
                c_int::from(self.options.checked),
                c_int::from(self.options.backwards),
                problem.as_mut_ptr(),
                ROOM as u64,
            )
        };
        // SAFETY: the shim ends what it says with a zero; before that all were zeros.
        let said = || {
            unsafe { CStr::from_ptr(problem.as_ptr()) }
                .to_string_lossy()
                .into_owned()
        };
        match failed {
            0 => self.check_guards(launch.entry),
            1 => Err(bad(said())),
            _ => Err(MachineError::Fault(format!("{}: {}", launch.entry, said()))),
        }
    }

    fn order(&self, _before: usize, _after: usize) -> Result<(), MachineError> {
        Ok(())
    }

    fn finish(&self, _stream: usize) -> Result<(), MachineError> {
        Ok(())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let addresses: Vec<Address> = self.lock().by_address.keys().copied().collect();
        addresses.into_iter().for_each(|address| self.release(address));
    }
}
