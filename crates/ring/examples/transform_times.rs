//! Times transforms of one limb in cache, and of limbs of a batch from memory, on one thread.
//!
//!     cargo run --release -p ringmill-ring --example transform_times [-- KERNEL]
//!
//! Each line has the fastest and the median evaluation in microseconds. With the name of a kernel, only that one.

use std::error::Error;
use std::time::Instant;

use ringmill_arith::Simd;
use ringmill_ring::{FermatRing, Ring, RingError, Transform};

/// Evaluations of one limb, passes over a batch, its limbs, and the primes that they are over.
const RUNS: usize = 1200;
const PASSES: usize = 6;
const LIMBS: usize = 64;
const PRIMES: usize = 16;

/// The fastest and the median time of `f` on the numbers below `runs`, in microseconds.
fn times<E>(runs: usize, mut f: impl FnMut(usize) -> Result<(), E>) -> Result<String, E> {
    let mut times = Vec::with_capacity(runs);
    for run in 0..runs {
        let start = Instant::now();
        f(run)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(runs / 2).copied().unwrap_or(f64::NAN);
    let fastest = times.first().copied().unwrap_or(f64::NAN);
    Ok(format!("{fastest:7.2} {median:7.2}"))
}

/// A limb that begins with a cache line, as those of polynomials do.
struct Limb {
    words: Vec<u64>,
    n: usize,
}

impl Limb {
    fn new(numbers: &[u64]) -> Self {
        let (mut words, n) = (vec![0; numbers.len() + 8], numbers.len());
        let first = words.as_ptr().align_offset(64);
        (words.iter_mut().skip(first).zip(numbers)).for_each(|(to, from)| *to = *from);
        Self { words, n }
    }

    fn evaluate(&mut self, transform: &Transform) -> Result<(), RingError> {
        let first = self.words.as_ptr().align_offset(64);
        let words = self
            .words
            .get_mut(first..)
            .and_then(|words| words.get_mut(..self.n));
        transform.evaluate(words.unwrap_or_default())
    }
}

/// The line of one kernel, n and size of primes.
fn measure(kernel: Simd, n: usize, bits: u32) -> Result<(), Box<dyn Error>> {
    let ring = Ring::from(FermatRing::new(n)?);
    let transforms = (ring.primes(1 << bits, PRIMES, &[])?.into_iter())
        .map(|q| Transform::new(&ring, q, kernel))
        .collect::<Result<Vec<_>, _>>()?;
    let numbers: Vec<u64> = (0..n as u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (65 - bits))
        .collect();
    let first = transforms.first().ok_or("no primes")?;
    let mut limb = Limb::new(&numbers);
    let alone = times(RUNS, |_| limb.evaluate(first))?;
    let mut batch: Vec<Limb> = (0..LIMBS).map(|_| Limb::new(&numbers)).collect();
    let together = times(PASSES * LIMBS, |run| {
        let transform = transforms.get(run % PRIMES).unwrap_or(first);
        batch
            .get_mut(run % LIMBS)
            .map_or(Ok(()), |limb| limb.evaluate(transform))
    })?;
    println!("{:16} {n:6} {bits:5}  {alone}  {together}", kernel.name());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1);
    println!("kernel                n  bits  one limb: us    in a batch: us");
    for kernel in Simd::available() {
        if wanted.as_deref().is_none_or(|name| name == kernel.name()) {
            for n in [2048, 8192, 16384, 32768, 65536] {
                measure(kernel, n, 48)?;
                measure(kernel, n, 50)?;
            }
        }
    }
    Ok(())
}
