//! The kernels, compiled for the host.

use std::ffi::{CStr, CString, c_char, c_int};

use super::EmulatorOptions;
use super::counts::Counts;
use crate::gpu::{GpuError, Launch};

unsafe extern "C" {
    fn ringmill_emulate(
        name: *const c_char,
        grid: *const u32,
        threads: u32,
        parameters: *const u8,
        parameter_bytes: u64,
        checked: c_int,
        backwards: c_int,
        done: *mut Counts,
        problem: *mut c_char,
        room: u64,
    ) -> c_int;
    fn ringmill_worst_bound() -> f64;
}

/// Room for the message of the shim.
const ROOM: usize = 512;

/// The largest magnitude since the last call.
pub(super) fn worst_bound() -> f64 {
    // SAFETY: it takes nothing and returns a number.
    unsafe { ringmill_worst_bound() }
}

/// Runs a kernel and returns its work. For a grid without blocks it only checks that the kernel can be run.
///
/// # Safety
/// The addresses in the parameters must be valid for all accesses of the kernel with this grid.
pub(super) unsafe fn run(options: &EmulatorOptions, launch: &Launch<'_>) -> Result<Counts, GpuError> {
    let bad = |problem: String| GpuError::BadLaunch {
        entry: launch.entry.to_owned(),
        problem,
    };
    let name = CString::new(launch.entry).map_err(|_| bad("its name holds a zero".to_owned()))?;
    let mut done = Counts::default();
    let mut problem = [0 as c_char; ROOM];
    // SAFETY: the name ends with a zero; the shim checks the kernel's name and the parameters' size and writes no
    // more than the counts and ROOM bytes; the caller vouches for the addresses in the parameters.
    let failed = unsafe {
        ringmill_emulate(
            name.as_ptr(),
            launch.grid.as_ptr(),
            launch.threads,
            launch.parameters.as_ptr(),
            launch.parameters.len() as u64,
            c_int::from(options.checked),
            c_int::from(options.backwards),
            &mut done,
            problem.as_mut_ptr(),
            ROOM as u64,
        )
    };
    // SAFETY: the shim ends what it says with a zero; before that all were zeros.
    let said = unsafe { CStr::from_ptr(problem.as_ptr()) }.to_string_lossy();
    match failed {
        0 => Ok(done),
        1 => Err(bad(said.into_owned())),
        _ => Err(GpuError::Fault(format!("{}: {said}", launch.entry))),
    }
}
