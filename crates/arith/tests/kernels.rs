//! Lists the kernels of this machine, one a line; those that it lacks on standard error. `./test` runs some tests with
//! each kernel alone.
//!
//! This is a test program of its own because what it prints is read: it has no harness. It is no example because
//! `cargo run` would build the crate again, without what tests add to it.

use ringmill_arith::Simd;

fn main() {
    for kernel in Simd::ALL {
        if kernel.is_available() {
            println!("{}", kernel.name());
        } else {
            eprintln!(
                "this machine lacks the instructions of {}: not tested",
                kernel.name()
            );
        }
    }
}
