//! The memory of an emulated GPU, and the host's memory for copies.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;

use super::queues::Work;
use crate::gpu::{Address, GpuError, Memory};

/// The number of bytes behind every allocation that nothing may write.
const GUARD: usize = 256;
/// The content of these bytes.
const PATTERN: u8 = 0xa5;

/// A memory of limited size, taken from the host's.
#[derive(Debug)]
pub(super) struct Allocations {
    total: u64,
    used: u64,
    /// The number of bytes at each address.
    by_address: BTreeMap<Address, usize>,
}

impl Allocations {
    pub(super) fn new(total: u64) -> Self {
        Self {
            total,
            used: 0,
            by_address: BTreeMap::new(),
        }
    }

    pub(super) fn memory(&self) -> Memory {
        Memory {
            free: self.total - self.used,
            total: self.total,
        }
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The error for a failed allocation of this many bytes.
    pub(super) fn full(&self, bytes: usize) -> GpuError {
        let Memory { free, total } = self.memory();
        let wanted = bytes as u64;
        GpuError::OutOfMemory { wanted, free, total }
    }

    /// Allocates memory that holds a pattern, followed by a guard with the same pattern.
    pub(super) fn allocate(&mut self, bytes: usize) -> Result<NonNull<u8>, GpuError> {
        let layout = layout(bytes).filter(|_| bytes as u64 <= self.total - self.used);
        let layout = layout.ok_or_else(|| self.full(bytes))?;
        // SAFETY: the layout is not empty; what is allocated is written before it is read.
        let start = NonNull::new(unsafe { alloc(layout) }).ok_or_else(|| self.full(bytes))?;
        // SAFETY: as many bytes were allocated.
        unsafe { start.as_ptr().write_bytes(PATTERN, bytes + GUARD) };
        self.used += bytes as u64;
        self.by_address.insert(start.as_ptr() as Address, bytes);
        Ok(start)
    }

    pub(super) fn release(&mut self, address: Address) {
        if let Some(bytes) = self.by_address.remove(&address) {
            self.used -= bytes as u64;
            if let Some(layout) = layout(bytes) {
                // SAFETY: it was allocated with this layout and is forgotten now.
                unsafe { dealloc(address as *mut u8, layout) };
            }
        }
    }

    /// Whether an allocation holds all of a range.
    pub(super) fn holds(&self, address: Address, bytes: usize) -> bool {
        let before = self.by_address.range(..=address).next_back();
        before.is_some_and(|(&start, &len)| address + bytes as u64 <= start + len as u64)
    }

    /// Checks, if the work was a kernel, that it wrote nothing behind any allocation.
    pub(super) fn check_guards(&self, done: &Work) -> Result<(), GpuError> {
        let Work::Launch { entry, .. } = done else {
            return Ok(());
        };
        for (&address, &bytes) in &self.by_address {
            // SAFETY: the allocation has GUARD bytes more than asked for, and is freed with `self` at hand only.
            let guard = unsafe { std::slice::from_raw_parts((address as *const u8).add(bytes), GUARD) };
            if guard != [PATTERN; GUARD] {
                let problem = format!("{entry} wrote behind an allocation of {bytes} bytes");
                return Err(GpuError::Fault(problem));
            }
        }
        Ok(())
    }
}

impl Drop for Allocations {
    fn drop(&mut self) {
        let addresses: Vec<Address> = self.by_address.keys().copied().collect();
        addresses.into_iter().for_each(|address| self.release(address));
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(GUARD)?, 256).ok()
}
