//! Measurements of `docs/measurements/karatsuba.md` beside paper 4's tables: the search for rings, and where Karatsuba loses to
//! transforms.
//!
//! `cargo run --release -p ringmill-benches --bin karatsuba -- search|sweep`

use std::error::Error;
use std::time::{Duration, Instant};

use ringmill_arith::{Simd, prime};
use ringmill_ring::cyclotomic::search;
use ringmill_ring::{NegacyclicRing, Transform};
use ringmill_schemes::karatsuba::Multiplier;

const RUNS: usize = 31;

/// Median and fastest.
fn measure(
    mut job: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let mut times = Vec::with_capacity(RUNS);
    job()?;
    for _ in 0..RUNS {
        let start = Instant::now();
        job()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok((times[RUNS / 2], times[0]))
}

/// The rings of the paper's degree, and the best near it.
fn list() {
    for (degrees, slots, most) in [(2560..=2560, 1, 10), (2400..=2560, 22, 12)] {
        println!("degrees {degrees:?}, at least {slots} slots");
        for ring in search(degrees, slots).into_iter().take(most) {
            println!(
                "m = {:6} n = {:5} weight {:5} spacing {:4} slots {:4} of 2^{:<4} additions per coefficient {:6.2} (blocks {:8.2}) by {:?}",
                ring.m,
                ring.n,
                ring.weight,
                ring.spacing,
                ring.slots,
                ring.order,
                ring.additions_per_coefficient(),
                ring.blocks as f64 / ring.n as f64,
                ring.steps,
            );
        }
    }
}

/// One product of a polynomial with a binary one in Z\[x\], on one thread: Karatsuba and padded transforms modulo
/// primes of 27 and 45 bits, by degree and width.
fn sweep(kernel: Simd) -> Result<(), Box<dyn Error>> {
    for n in [40, 80, 160, 320, 640, 1280, 2560, 5120] {
        for bits in [27_u32, 54, 135, 270, 540] {
            let chunk = 31 - (n as u32).next_power_of_two().ilog2();
            let words = bits.div_ceil(chunk).next_multiple_of(16) as usize;
            let multiplier = Multiplier::new(n, words, kernel)?;
            let a: Vec<u32> = (0..n * words)
                .map(|i| (i as u32 * 7919) & ((1 << chunk) - 1))
                .collect();
            let packed: Vec<u32> = (0..n).map(|i| (i * i / 3) as u32 & 1).collect();
            let mut workspace = multiplier.workspace(1);
            let (_, slow) = measure(|| {
                drop(multiplier.multiply(&a, &packed, 1, &mut workspace)?);
                Ok(())
            })?;
            // Per bit of use: whole vectors hold more than one polynomial needs.
            let used = f64::from(bits.div_ceil(chunk)) / words as f64;
            let karatsuba = slow.as_secs_f64() * 1e6 * used;
            let ring = NegacyclicRing::new((2 * n).next_power_of_two().max(64))?.into();
            let mut ntt = Vec::new();
            for prime_bits in [27, 45] {
                let q = prime::primes_below(1 << prime_bits, 1 << 15, 1, &[])?[0];
                let transform = Transform::new(&ring, q, kernel)?;
                let mut values: Vec<u64> = (0..ring.n() as u64).collect();
                transform.evaluate(&mut values)?;
                let factor = transform.prepare(&values)?;
                let mut product: Vec<u64> = (0..ring.n()).map(|i| (i < n) as u64 * (i as u64 & 1)).collect();
                let (_, fast) = measure(|| {
                    transform.products(&mut product, &[&factor], &mut [])?;
                    Ok(())
                })?;
                ntt.push(fast.as_secs_f64() * 1e6 * f64::from(bits.div_ceil(prime_bits)));
            }
            println!(
                "n = {n:5} bits {bits:4}   Karatsuba {karatsuba:9.1} us   NTT 27 bits {:9.1} us   45 bits {:9.1} us",
                ntt[0], ntt[1]
            );
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("search") => list(),
        Some("sweep") => sweep(Simd::from_environment()?)?,
        _ => return Err("say what to measure: search or sweep".into()),
    }
    Ok(())
}
