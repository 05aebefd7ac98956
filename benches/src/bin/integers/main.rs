//! Encryption over the integers, paper 5's table IV: the sum of products by each method (and by GMP, with the
//! feature `gmp` and the library `libgmp` installed), then keys, encryption and evaluation of each set.
//!
//!     cargo run --release -p ringmill-benches --features gmp --bin integers -- [sums|keys] [SET...]
//!
//! With `sums` or `keys` only the sums of products, or only the rest, is measured.
//!
//! Each figure is the median of the runs and the fastest of them. The floors: expanding the stream of the elements
//! (`stream`), which every method includes, and the products: 64-bit products, of which one takes 64^2 / 28^2 / 8 cycles
//! with AVX2 (two vector products of four digits of 28 bits a cycle).

#[cfg(feature = "gmp")]
mod gmp;

use std::hint::black_box;
use std::time::Instant;

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_schemes::integers::accumulation::{Elements, Factors, Method, weighted_sum};
use ringmill_schemes::integers::{Evaluator, Parameters, generate};

/// Runs of one figure: as many as fit into a second, from 3 to 50, but none is begun after ten seconds.
const RUNS: std::ops::RangeInclusive<usize> = 3..=50;
const SECONDS: std::ops::RangeInclusive<f64> = 1.0..=10.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let named = names
        .first()
        .is_some_and(|first| first == "sums" || first == "keys");
    let part = named.then(|| names.remove(0));
    if names.is_empty() {
        names = Parameters::names().map(str::to_owned).to_vec();
    }
    let kernel = Simd::from_environment()?;
    println!(
        "kernel {}, {} threads",
        kernel.name(),
        rayon::current_num_threads()
    );
    for name in names {
        let parameters = Parameters::insecure(&name)?;
        println!("\n{}", parameters.warning());
        if part.as_deref() != Some("keys") {
            sums(&parameters, kernel);
        }
        if part.as_deref() != Some("sums") {
            scheme(&parameters, kernel)?;
        }
        println!("peak memory so far {} MiB", peak_kib() / 1024);
    }
    Ok(())
}

/// The sum of products alone.
fn sums(parameters: &Parameters, kernel: Simd) {
    let elements = Elements::new(parameters, Seed::from_bytes([1; 32]));
    let factors = Factors::random(parameters, &mut Stream::new(&Seed::from_bytes([2; 32])));
    let products = parameters.words() as f64 * f64::from(parameters.alpha()) / 64.0 * parameters.tau() as f64;
    let bytes = parameters.words() as f64 * 8.0 * parameters.tau() as f64;
    println!("floors: {products:.2e} products of 64 bits, {bytes:.2e} bytes of stream");
    report("stream", || expand(&elements));
    let mut results = Vec::new();
    for method in Method::ALL {
        let mut result = Default::default();
        report(method.name(), || {
            result = weighted_sum(&elements, &factors, method, kernel);
        });
        results.push(result);
    }
    #[cfg(feature = "gmp")]
    {
        let mut result = Default::default();
        report("gmp", || result = gmp::weighted_sum(&elements, &factors));
        results.push(result.into());
    }
    assert!(
        results.windows(2).all(|pair| pair[0] == pair[1]),
        "the sums are the same"
    );
}

/// Expands all elements, tile by tile as the methods do, and forgets them.
fn expand(elements: &Elements) {
    use rayon::prelude::*;
    let most = elements.words().div_ceil(rayon::current_num_threads()).min(2048);
    (0..elements.words().div_ceil(most))
        .into_par_iter()
        .for_each(|tile| {
            let start = tile * most;
            let mut words = vec![0; most.min(elements.words() - start)];
            for i in 0..elements.count() {
                elements.fill(i, start, black_box(&mut words));
            }
        });
}

/// Keys and operations.
fn scheme(parameters: &Parameters, kernel: Simd) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (secret, public) = generate(parameters)?;
    println!(
        "{:>12} {:10.4} s, public key {} bytes",
        "keys",
        start.elapsed().as_secs_f64(),
        public.bytes()
    );
    let mut outcome = Ok(());
    let mut bit = false;
    report("encrypt", || {
        bit = !bit;
        outcome = public.encrypt(bit, kernel).and_then(|c| {
            assert_eq!(secret.decrypt(&c)?, bit);
            Ok(())
        });
    });
    outcome?;
    let c = public.encrypt(true, kernel)?;
    report("decrypt", || {
        black_box(secret.decrypt(&c)).ok();
    });
    let (a, b) = (secret.encrypt(&public, true)?, secret.encrypt(&public, true)?);
    let start = Instant::now();
    let evaluator = Evaluator::new(&public);
    println!("{:>12} {:10.4} s", "reciprocal", start.elapsed().as_secs_f64());
    report("add", || {
        black_box(evaluator.add(&a, &b)).ok();
    });
    report("multiply", || {
        black_box(evaluator.multiply(&a, &b)).ok();
    });
    let mut product = a;
    let mut depth = 0;
    while let Ok(square) = evaluator.multiply(&product, &product) {
        product = square;
        depth += 1;
        assert!(secret.decrypt(&product)?, "depth {depth}");
    }
    println!("decrypts after {depth} multiplications one after the other");
    Ok(())
}

/// Prints the median and the fastest time of some runs, and the median of the processor time of all threads, which
/// other work on the machine disturbs less.
fn report(what: &str, mut run: impl FnMut()) {
    let (begin, mut times, mut works) = (Instant::now(), Vec::new(), Vec::new());
    loop {
        let (runs, seconds) = (times.len(), begin.elapsed().as_secs_f64());
        let few = runs < *RUNS.start() && seconds < *SECONDS.end();
        let short = runs < *RUNS.end() && seconds < *SECONDS.start();
        if !few && !short {
            break;
        }
        let (start, work) = (Instant::now(), processor_seconds());
        run();
        times.push(start.elapsed().as_secs_f64());
        works.push(processor_seconds() - work);
    }
    times.sort_by(f64::total_cmp);
    works.sort_by(f64::total_cmp);
    println!(
        "{what:>12} {:10.4} s, fastest {:.4} s, processor time {:.4} s, {} runs",
        times[times.len() / 2],
        times[0],
        works[works.len() / 2],
        times.len()
    );
}

/// Processor time of all threads so far, by Linux's account; 0 elsewhere.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let nanoseconds = |thread: std::fs::DirEntry| -> Option<f64> {
        let account = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        account.split_whitespace().next()?.parse().ok()
    };
    threads.filter_map(nanoseconds).sum::<f64>() / 1e9
}

/// The most memory that this process has held, by Linux's account; 0 elsewhere.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
