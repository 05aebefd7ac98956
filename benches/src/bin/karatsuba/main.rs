//! The measurements of `docs/karatsuba.md`: paper 4's table 2, the search, and where Karatsuba loses to transforms.
//!
//! `cargo run --release -p ringmill-schemes --example karatsuba -- [table|search|sweep]`

use std::error::Error;
use std::time::{Duration, Instant};

use ringmill_arith::sampling::{Gaussian, Seed, Stream, uniform};
use ringmill_arith::{Basis, Kernel, prime};
use ringmill_ring::cyclotomic::search;
use ringmill_ring::{NegacyclicRing, Transform};
use ringmill_schemes::karatsuba::{Fermat, Karatsuba, Multiplier, Padded, Parameters, Randomness, warning};

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

fn report(what: &str, (median, fastest): (Duration, Duration)) {
    let [median, fastest] = [median, fastest].map(|t| t.as_secs_f64() * 1e6);
    println!("{what:<44} {median:>9.1} us   fastest {fastest:>9.1} us");
}

fn words(basis: &Basis, n: usize, seed: u8) -> Vec<u64> {
    let mut stream = Stream::new(&Seed::from_bytes([seed; 32]));
    let mut words = vec![0; n * basis.len()];
    for (q, limb) in basis.moduli().iter().zip(words.chunks_exact_mut(n)) {
        uniform(&mut stream, q, limb);
    }
    words
}

fn draw(n: usize, count: usize) -> Result<Vec<Randomness>, Box<dyn Error>> {
    let gaussian = Gaussian::new(3.2)?;
    Ok((0..count)
        .map(|i| Randomness::new(n, &gaussian, &Seed::from_bytes([i as u8; 32])))
        .collect())
}

/// Table 2: u Pkey + E, both polynomials, 1 to 4 encryptions.
fn table(kernel: Kernel) -> Result<(), Box<dyn Error>> {
    eprintln!("{}", warning());
    println!("{} threads", rayon::current_num_threads());
    for name in Parameters::names() {
        let parameters = Parameters::insecure(name)?;
        let n = parameters.n();
        let key = [words(parameters.q(), n, 1), words(parameters.q(), n, 2)];
        let padded = Padded::new(&parameters, kernel)?;
        let factors = [padded.prepare(&key[0])?, padded.prepare(&key[1])?];
        for count in 1..=4 {
            let randomness = draw(n, count)?;
            let mut sums = Vec::new();
            let time = measure(|| {
                padded.accumulate(&factors, &randomness, &mut sums)?;
                Ok(())
            })?;
            report(&format!("{name}, padded, {count}"), time);
        }
        let karatsuba = Karatsuba::new(&parameters, kernel)?;
        let chunked = karatsuba.prepare([&key[0], &key[1]])?;
        let mut workspaces = [karatsuba.workspace(), karatsuba.workspace()];
        for count in 1..=4 {
            let randomness = draw(n, count)?;
            let time = measure(|| {
                karatsuba.accumulate(&chunked, &randomness, &mut workspaces)?;
                Ok(())
            })?;
            report(&format!("{name}, karatsuba, {count}"), time);
        }
    }
    for bits in [45, 42] {
        let fermat = Fermat::new(4096, bits, 3, kernel)?;
        let key = [words(fermat.q(), 4096, 1), words(fermat.q(), 4096, 2)];
        let factors = [fermat.prepare(&key[0])?, fermat.prepare(&key[1])?];
        for count in 1..=4 {
            let randomness = draw(4096, count)?;
            let mut sums = Vec::new();
            let time = measure(|| {
                fermat.accumulate(&factors, &randomness, &mut sums)?;
                Ok(())
            })?;
            report(&format!("Fermat n = 4096, 3 x {bits}, {count}"), time);
        }
    }
    Ok(())
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
fn sweep(kernel: Kernel) -> Result<(), Box<dyn Error>> {
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
                let a: Vec<u64> = (0..ring.n()).map(|i| (i < n) as u64 * (i as u64 & 1)).collect();
                let mut product = vec![0; ring.n()];
                let (_, fast) = measure(|| {
                    transform.products(&a, &[&factor], &mut [&mut product])?;
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
    let kernel = Kernel::from_environment()?;
    match std::env::args().nth(1).as_deref() {
        Some("search") => list(),
        Some("sweep") => sweep(kernel)?,
        _ => table(kernel)?,
    }
    Ok(())
}
