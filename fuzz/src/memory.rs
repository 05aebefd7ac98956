//! Memory that the current thread takes, counted by the allocator of every program with this library.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// Bytes in use since [`restart`]. Below 0 if more was freed than taken.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The most of them.
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Counts anew from here.
pub fn restart() {
    LIVE.set(0);
    PEAK.set(0);
}

/// The most bytes that were in use at a time since [`restart`], beyond those in use then.
#[must_use]
pub fn peak() -> usize {
    usize::try_from(PEAK.get()).unwrap_or(0)
}

fn note(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

/// The system's allocator, and an account of it.
struct Counting;

// SAFETY: each function hands its arguments to the system's allocator and returns what that returns. The account
// beside it allocates nothing: its cells are constants at the beginning and have nothing to drop.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as isize - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn the_most_memory_at_a_time_is_counted() {
        restart();
        let mut first = black_box(vec![1u8; 1000]);
        drop(black_box(vec![0u8; 5000]));
        first.extend([0; 3000]);
        assert!((6000..8000).contains(&peak()), "{}", peak());
        drop(first);
        restart();
        assert_eq!(peak(), 0);
    }
}
