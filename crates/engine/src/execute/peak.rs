//! The memory that the process really used.

use std::sync::atomic::{AtomicU64, Ordering};

/// The most before the last [`reset_peak_memory`]; 0 where it is not known.
static EARLIER: AtomicU64 = AtomicU64::new(0);

/// The most resident memory of this process so far, in bytes, since the start or the last
/// [`reset_peak_memory`]. `None` where the system does not tell (it does on Linux).
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    parse(&status)
}

/// The same since the start of the process.
#[must_use]
pub fn whole_peak_memory() -> Option<u64> {
    Some(peak_memory()?.max(EARLIER.load(Ordering::Relaxed)))
}

/// Begins to measure anew; false where the system cannot.
pub fn reset_peak_memory() -> bool {
    EARLIER.fetch_max(peak_memory().unwrap_or(0), Ordering::Relaxed);
    // 5: reset the high-water mark of resident memory, see proc(5).
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// From now on, has the allocator give every large block back to the system when it is freed, for the whole process:
/// otherwise it would keep many of them for others of its choice, which costs no time but memory.
pub(crate) fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: a setting of the allocator, which it takes at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_high_water_mark() {
        assert_eq!(
            parse("Name:\tx\nVmHWM:\t  123 kB\nVmRSS:\t 99 kB\n"),
            Some(123 << 10)
        );
        assert_eq!(parse("VmRSS: 99 kB\n"), None);
        assert_eq!(parse("VmHWM: many kB\n"), None);
        if cfg!(target_os = "linux") {
            assert!(peak_memory() > Some(1 << 20));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_new_beginning_forgets_nothing_of_the_whole() {
        let filled = vec![1_u8; 64 << 20];
        let before = peak_memory();
        assert!(filled.iter().step_by(4096).all(|byte| *byte == 1));
        drop(filled);
        reset_peak_memory();
        // The kernel counts pages for each processor, and adds up now and then.
        let most = whole_peak_memory().map(|bytes| bytes + (4 << 20));
        assert!(most >= before, "{most:?} {before:?}");
    }
}
