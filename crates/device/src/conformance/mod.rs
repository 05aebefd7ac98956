//! The conformance suite: what every device must pass, bit for bit.
//!
//! [`check`] draws inputs from a seed, adds the values at which implementations break (0, 1, q - 1,
//! the integers around q/2, rounding boundaries, carries through all digits), and compares every
//! word of every operation of [`Device`] with its definition, computed with big integers or wide
//! remainders from nothing but the primes. It also sees that what the contract refuses is refused.
//!
//! Conversions act on each column alone, so their inputs hold [`PERIOD`] different integers, again
//! and again: all columns are compared, at the price of few big integers. The period is prime to
//! the width of vectors and blocks, so that every integer comes to stand in many places of them.

mod columns;
mod conversions;
mod digits;
mod failure;
mod linear;
mod memory;
mod parallel;
mod random;
mod refusals;
mod report;
mod suite;
mod transforms;

pub use failure::Failure;
pub use report::{Operation, Report};

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::FermatRing;

use crate::Device;
use suite::Suite;

/// Different integers in the columns of a conversion's input: a prime.
const PERIOD: usize = 1021;

/// The largest dimension at which bases of many limbs are tried: they show nothing new at large
/// ones but take minutes there.
const LONG_DIMENSION: usize = 4096;

/// Checks every operation of a device; `seed` chooses the random part of the inputs.
///
/// Takes about a second at n = 4096 and ten at 65536.
///
/// # Errors
/// The first [`Failure`].
pub fn check<D: Device>(device: &D, seed: u64) -> Result<Report, Failure> {
    let mut suite = Suite::new(device, seed);
    let layouts = layouts(device.ring())?;
    for layout in &layouts {
        let mut t = std::time::Instant::now();
        let mut lap = |w: &str| { eprintln!("{} {w} {:?}", layout.name, t.elapsed()); t = std::time::Instant::now(); };
        suite.memory(layout)?; lap("memory");
        suite.transforms(layout)?;lap("transforms");
        suite.linear(layout)?;lap("linear");
        suite.conversions(layout)?;lap("conv");
        suite.digits(layout)?;lap("digits");
    }
    for layout in &layouts {
        suite.refusals(layout)?;
    }
    for layout in &layouts {
        suite.parallel(layout)?;
    }
    Ok(suite.report())
}

/// The primes of one round of checks.
struct Layout {
    name: &'static str,
    /// The primes q of polynomials.
    main: Basis,
    /// Further primes: B of a multiplication, the special primes of key switching.
    extra: Basis,
}

impl Layout {
    fn new(name: &'static str, main: &[Modulus], extra: &[Modulus]) -> Result<Self, Failure> {
        Ok(Self {
            name,
            main: Basis::new(main)?,
            extra: Basis::new(extra)?,
        })
    }

    /// `main` and then `extra`.
    fn all(&self) -> Result<Basis, Failure> {
        Ok(self.main.concat(&self.extra)?)
    }

    /// Lengths of the prefixes of `main` that are tried: one limb, about half of them, all.
    fn levels(&self) -> Vec<usize> {
        let all = self.main.len();
        let mut levels = vec![1, all.div_ceil(2), all];
        levels.dedup();
        levels
    }
}

fn layouts(ring: &FermatRing) -> Result<Vec<Layout>, Failure> {
    let long = ring.n() <= LONG_DIMENSION;
    let large = ring.primes(1 << 50, if long { 36 } else { 9 }, &[])?;
    let small = ring.primes(1 << 40, 5, &[])?;
    let (l, s) = (|i: usize| large[i], |i: usize| small[i]);
    let mut layouts = vec![
        Layout::new("50-bit primes", &large[..4], &large[4..9])?,
        Layout::new("40-bit primes", &small[..3], &small[3..])?,
        // Neither sorted nor of one size: an order of limbs that a device must not assume.
        Layout::new("mixed primes", &[s(1), l(2), s(0), l(0), s(3)], &[l(5), s(2), l(3)])?,
        Layout::new("single primes", &large[8..9], &small[4..])?,
    ];
    if long {
        // Longer than what any kernel sums without a reduction, in both directions.
        layouts.push(Layout::new("many primes", &large[..13], &large[13..])?);
    }
    Ok(layouts)
}
