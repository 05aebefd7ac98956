#![doc = include_str!("../README.md")]
//!
//! # How it tests
//!
//! [`check`] draws inputs from a seed, adds the values at which implementations break (0, 1, q - 1,
//! the integers around q/2, rounding boundaries, carries through all digits), and compares every
//! word of every operation of [`Device`] with its definition, computed with big integers or wide
//! remainders from nothing but the primes. It also checks that the device refuses what the contract refuses.
//!
//! Conversions act on each column alone. So their inputs repeat `PERIOD` different integers, and the suite compares all
//! columns at the price of few big integers. The period is prime to the width of vectors and blocks, so every integer
//! comes to stand in many places of them.

mod bad_keys;
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
mod switching;
mod transforms;
mod words;

pub use failure::Failure;
pub use report::{Operation, Report};

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::{PrimeRule, Ring};

use ringmill_device::Device;
use suite::Suite;

/// The number of different integers in the columns of a conversion's input: a prime.
const PERIOD: usize = 1021;

/// How many bases and sizes of digits the suite tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// All of them.
    All,
    /// So many that every loop runs: at large dimensions and on simulated machines all of them take minutes, and show
    /// nothing new.
    Few,
}

impl Effort {
    /// The largest dimension at which [`check`] tries all.
    const LARGEST: usize = 2048;

    const fn at(n: usize) -> Self {
        if n <= Self::LARGEST { Self::All } else { Self::Few }
    }
}

/// Checks every operation of a device; `seed` chooses the random part of the inputs.
///
/// The suite takes some seconds of one core. It takes no more at n = 65536, because it tries fewer bases and sizes of
/// digits at large dimensions.
///
/// # Errors
/// The first [`Failure`].
pub fn check<D: Device>(device: &D, seed: u64) -> Result<Report, Failure> {
    check_with(device, Effort::at(device.ring().n()), seed)
}

/// [`check`] with as much effort as the caller says.
///
/// # Errors
/// The first [`Failure`].
pub fn check_with<D: Device>(device: &D, effort: Effort, seed: u64) -> Result<Report, Failure> {
    let mut suite = Suite::new(device, effort, seed);
    let layouts = layouts(device.ring(), effort)?;
    // First, because they are quick.
    for layout in &layouts {
        suite.refusals(layout)?;
    }
    for layout in &layouts {
        suite.memory(layout)?;
        suite.transforms(layout)?;
        suite.linear(layout)?;
        suite.conversions(layout)?;
        suite.limb_digits(layout)?;
        suite.word_digits(layout)?;
        suite.words_of(layout)?;
        suite.limb_switching(layout)?;
        suite.word_switching(layout)?;
    }
    for layout in &layouts {
        suite.parallel(layout)?;
    }
    Ok(suite.report())
}

/// Checks [`Device::multiply_fixed`] alone, over `main`, with at most `most_factors` factors over `main` and `extra`: for
/// devices that have the operation for some primes only. The other operations that the check uses must be right.
///
/// # Errors
/// The first [`Failure`].
pub fn check_products<D: Device>(
    device: &D,
    main: &Basis,
    extra: &Basis,
    most_factors: usize,
    seed: u64,
) -> Result<Report, Failure> {
    let mut suite = Suite::new(device, Effort::at(device.ring().n()), seed);
    let layout = Layout::new("products", main.moduli(), extra.moduli())?;
    suite.products(&layout, most_factors)?;
    suite.schoolbook(&layout)?;
    Ok(suite.report())
}

/// A part of the suite: devices that take long have a test for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The operations that work on each limb alone: those that move polynomials, transforms, sums, products and
    /// automorphisms.
    Linear,
    /// Conversions between bases, digits and words.
    Conversions,
    /// Sums of products of digits with keys, and what is made of them; all that is refused; calls from several threads.
    KeySwitching,
}

impl Part {
    /// The whole suite.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Conversions, Self::KeySwitching];
}

/// Checks parts of the suite over `main` and `extra`: for devices that have some operations or some primes only, or take
/// long.
///
/// # Errors
/// The first [`Failure`].
pub fn check_over<D: Device>(
    device: &D,
    main: &Basis,
    extra: &Basis,
    parts: &[Part],
    effort: Effort,
    seed: u64,
) -> Result<Report, Failure> {
    let mut suite = Suite::new(device, effort, seed);
    let layout = Layout::new("primes", main.moduli(), extra.moduli())?;
    for part in parts {
        match part {
            Part::Linear => {
                suite.linear_refusals(&layout)?;
                suite.memory(&layout)?;
                suite.transforms(&layout)?;
                suite.linear(&layout)?;
            }
            Part::Conversions => {
                suite.conversions(&layout)?;
                suite.limb_digits(&layout)?;
                suite.word_digits(&layout)?;
                suite.words_of(&layout)?;
            }
            Part::KeySwitching => {
                suite.refusals(&layout)?;
                suite.limb_switching(&layout)?;
                suite.word_switching(&layout)?;
                suite.parallel(&layout)?;
            }
        }
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

fn layouts(ring: &Ring, effort: Effort) -> Result<Vec<Layout>, Failure> {
    let large = match effort {
        Effort::All => 32,
        Effort::Few => 6,
    };
    let large = ring.primes(1 << 50, large, &[])?;
    let small = ring.primes(1 << 40, 5, &[])?;
    let (l, s) = (|i: usize| large[i], |i: usize| small[i]);
    // Neither sorted nor of one size: an order of limbs that a device must not assume.
    let mixed = Layout::new("mixed primes", &[s(1), l(2), s(0)], &[l(5), s(2), l(3), l(1)])?;
    let mut layouts = vec![mixed];
    // Of a size for which devices may have other kernels; large rings have none.
    if let Ok(tiny) = ring.primes(1 << 31, 5, &[]) {
        let extra = [tiny[3], l(4), tiny[4]];
        layouts.push(Layout::new("31-bit primes", &tiny[..3], &extra)?);
    }
    if effort == Effort::Few {
        return Ok(layouts);
    }
    let machine = PrimeRule::Machine.primes(ring, 1 << 50, 5, &[])?;
    layouts.extend([
        Layout::new("50-bit primes", &large[..5], &large[5..11])?,
        Layout::new("40-bit primes", &small[..3], &small[3..])?,
        Layout::new("primes for machines", &machine[..2], &machine[2..])?,
        Layout::new("single primes", &large[8..9], &small[4..])?,
        // Longer than what any kernel sums without a reduction, in both directions.
        Layout::new("many primes", &large[..11], &large[11..])?,
    ]);
    Ok(layouts)
}
