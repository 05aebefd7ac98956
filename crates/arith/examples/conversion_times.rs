//! Times lifts of 32,768 columns between bases of as many primes of 48 bits, on one thread.
//!
//!     cargo run --release -p ringmill-arith --example conversion_times
//!
//! Each line has the fastest and the median time, by the best kernel or the one that `RINGMILL_KERNEL` names.

use std::error::Error;
use std::time::{Duration, Instant};

use ringmill_arith::prime::primes_below;
use ringmill_arith::{Basis, Conversion, Modulus, Simd};

const N: usize = 32768;
/// Columns a call, as the CPU device has them.
const BLOCK: usize = 1024;
const RUNS: usize = 801;

fn main() -> Result<(), Box<dyn Error>> {
    let kernel = Simd::from_environment()?;
    for limbs in [2, 3, 5, 9, 15] {
        let mut times = [Duration::ZERO; RUNS];
        let primes = primes_below(1 << 48, 65535 * 256, 2 * limbs, &[])?;
        let (from, to) = (Basis::new(&primes[..limbs])?, Basis::new(&primes[limbs..])?);
        let lift = Conversion::lift(kernel, 1, &from, &to)?;
        let words = |k: u64| k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let limb = |q: &Modulus| (0..N as u64).map(|k| q.reduce(words(k))).collect();
        let source: Vec<Vec<u64>> = from.moduli().iter().map(limb).collect();
        let mut target = vec![vec![0; N]; limbs];
        for time in &mut times {
            let start = Instant::now();
            for first in (0..N).step_by(BLOCK) {
                let columns = first..first + BLOCK;
                let source: Vec<&[u64]> = source.iter().map(|limb| &limb[columns.clone()]).collect();
                let target = target.iter_mut().map(|limb| &mut limb[columns.clone()]);
                lift.run(&source, &mut target.collect::<Vec<_>>())?;
            }
            *time = start.elapsed();
        }
        times.sort_unstable();
        println!(
            "{} {limbs} to {limbs} limbs: {:?}, {:?}",
            kernel.name(),
            times[0],
            times[RUNS / 2]
        );
    }
    Ok(())
}
