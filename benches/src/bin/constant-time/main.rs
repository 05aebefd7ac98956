//! Whether the time of operations on secrets depends on them: `tools/constant-time` runs it, docs/constant-time.md
//! says how to read it.
//!
//! `memcheck` runs every operation once with its secrets marked as undefined, under Valgrind, which reports every
//! branch and every address that depends on them. `welch [SECONDS]` times every operation, for so many seconds, on
//! one secret and on random ones, and compares the times by Welch's t-test. `RINGMILL_KERNEL` names the kernel.

mod memcheck;
mod operations;
mod welch;

use std::error::Error;
use std::time::Duration;

use operations::{FIXED, Operation, operations};
use ringmill_arith::Simd;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // One thread: what others do is no part of the measurement.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let kernel = Simd::from_environment()?;
    match arguments[..] {
        ["memcheck"] => under_memcheck(&operations(kernel, 1, &memcheck::hide)?),
        ["welch"] => timed(kernel, Duration::from_secs(10)),
        ["welch", seconds] => timed(kernel, Duration::from_secs(seconds.parse()?)),
        _ => Err("constant-time memcheck | welch [SECONDS]".into()),
    }
}

/// Runs every operation on hidden secrets, and names it, so that a report can be told whose it is.
fn under_memcheck(operations: &[Operation<'_>]) -> Result<(), Box<dyn Error>> {
    if !memcheck::is_running() {
        return Err("`memcheck` means something under `valgrind --tool=memcheck` only".into());
    }
    for operation in operations {
        let before = memcheck::reports();
        (operation.prepare)(&FIXED, 0)();
        println!("{}: {} reports", operation.name, memcheck::reports() - before);
    }
    Ok(())
}

/// Times every operation.
fn timed(kernel: Simd, each: Duration) -> Result<(), Box<dyn Error>> {
    let mut suspicious = 0;
    for operation in operations(kernel, 16, &|_| ())? {
        let verdict = welch::test(&operation, each);
        println!("{:8} {:34} {verdict}", kernel.name(), operation.name);
        suspicious += usize::from(!verdict.passes());
    }
    match suspicious {
        0 => Ok(()),
        _ => Err(format!("{suspicious} operations have a |t| of {} or more", welch::LIMIT).into()),
    }
}
