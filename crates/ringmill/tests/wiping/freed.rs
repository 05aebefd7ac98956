//! An allocator that keeps a copy of everything that is freed, to be searched afterwards. What it frees it overwrites, so
//! that a block is found with what its last owner left in it and not with what an earlier one did.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The system's allocator, and a record of what is freed.
pub struct Recording;

/// Bytes that the record can hold; the system gives memory only for those that are written.
const CAPACITY: usize = 6 << 30;

/// Whether memory that is freed is recorded.
static ON: AtomicBool = AtomicBool::new(false);
/// Where the record begins.
static RECORD: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
/// Its bytes.
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Copies a block that is about to be freed into the record.
///
/// # Safety
/// The block is of `size` bytes and nobody writes to it meanwhile.
unsafe fn record(block: *const u8, size: usize) {
    if !ON.load(Ordering::SeqCst) {
        return;
    }
    let start = LENGTH.fetch_add(size, Ordering::SeqCst);
    if start + size <= CAPACITY {
        // SAFETY: the caller vouches for the block; the place in the record is this call's own.
        unsafe { block.copy_to_nonoverlapping(RECORD.load(Ordering::SeqCst).add(start), size) };
    }
}

// SAFETY: all memory is the system allocator's, with the layouts of the callers.
unsafe impl GlobalAlloc for Recording {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller owns the block, and gives it up.
        unsafe {
            record(block, layout.size());
            block.write_bytes(0, layout.size());
            zeroize::optimization_barrier(&block);
            System.dealloc(block, layout);
        }
    }

    /// Always moves the block: where the system's allocator does not here, it may elsewhere.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises; the new block has another place than the old one.
        unsafe {
            let moved = System.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                block.copy_to_nonoverlapping(moved, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

/// Held by the one test that may run: the record is of all threads.
pub struct Alone(#[allow(dead_code)] MutexGuard<'static, ()>);

/// Waits until no other test of this program runs.
pub fn alone() -> Alone {
    static LOCK: Mutex<()> = Mutex::new(());
    Alone(LOCK.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Alone {
    /// Runs something, and returns the content of all memory that any thread freed meanwhile.
    pub fn freed<T>(&mut self, run: impl FnOnce() -> T) -> (T, &[u8]) {
        if RECORD.load(Ordering::SeqCst).is_null() {
            // SAFETY: the layout is not empty.
            let memory = unsafe { System.alloc_zeroed(Layout::from_size_align(CAPACITY, 64).unwrap()) };
            assert!(!memory.is_null(), "no memory for the record");
            RECORD.store(memory, Ordering::SeqCst);
        }
        LENGTH.store(0, Ordering::SeqCst);
        ON.store(true, Ordering::SeqCst);
        let result = run();
        ON.store(false, Ordering::SeqCst);
        let length = LENGTH.load(Ordering::SeqCst);
        assert!(
            length <= CAPACITY,
            "{length} bytes were freed, too many to record"
        );
        let start = std::hint::black_box(RECORD.load(Ordering::SeqCst).cast_const());
        // SAFETY: nothing is recorded before the borrow of `self` ends, for there is no other `Alone`. The record
        // was zeroed; what was copied over that may never have been written by its owner, but the allocator that
        // hands it out initializes it as far as the compiler can see.
        (result, unsafe { std::slice::from_raw_parts(start, length) })
    }
}
