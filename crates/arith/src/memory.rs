//! The allocator's free memory.

/// Gives memory that was freed back to the system, where the allocator keeps it otherwise: blocks of the size of a limb,
/// for others like them.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it touches nothing but the allocator's own free memory, and takes the allocator's locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
