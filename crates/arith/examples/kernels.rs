//! Lists the kernels of this machine, one a line; those that it lacks on standard error.

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
