//! Requests to Valgrind's memcheck. Outside of Valgrind they do nothing.

/// `VG_USERREQ__RUNNING_ON_VALGRIND` and `VG_USERREQ__COUNT_ERRORS` of `valgrind.h`.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
/// `VG_USERREQ__MAKE_MEM_UNDEFINED` of `memcheck.h`.
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;

/// Makes a request with its arguments. The result is 0 without Valgrind.
#[cfg(target_arch = "x86_64")]
fn request(code: usize, arguments: [usize; 2]) -> usize {
    let block = [code, arguments[0], arguments[1], 0, 0, 0];
    let mut result = 0_usize;
    // SAFETY: the sequence that Valgrind knows from `valgrind.h`: rotations that end where they began, and an exchange
    // of a register with itself. Valgrind reads the block and puts its answer into rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") block.as_ptr(),
            inout("rdx") result,
            inout("rdi") 0_usize => _,
        );
    }
    result
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: usize, _: [usize; 2]) -> usize {
    0
}

/// Marks bytes as undefined: from now on memcheck reports what depends on them.
pub fn hide(secret: &[u8]) {
    request(MAKE_MEM_UNDEFINED, [secret.as_ptr() as usize, secret.len()]);
}

/// Whether the program runs under Valgrind.
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, [0; 2]) > 0
}

/// The reports so far.
pub fn reports() -> usize {
    request(COUNT_ERRORS, [0; 2])
}
