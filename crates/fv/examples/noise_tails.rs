//! The tails of noise at one root of unity after products in the BFV form: the generator of the reserves in
//! `src/noise/reserve.rs`.
//!
//! ```text
//! cargo run --release -p ringmill-fv --example noise_tails
//! ```
//!
//! At a root where the secret is large, everything else is small beside what products make of noise: the product of a and
//! b has the noise v_a X_b + v_b X_a, with the noise v of each and X, the message and what it was reduced by modulo q,
//! times the secret: a sum of thousands of terms, so complex Gaussian, and independent of the noise. Powers are in units
//! of their mean, so that the mean power P of noise is 1 at all levels. Values are a ring of [`WIDTH`]; the next level has
//! the products of neighbours. No new noise comes to it, which would only make tails lighter.
//!
//! Counting cannot reach 2^-64. The moments E P^theta can be had: a population of chains is followed, of which at each
//! level each is continued as often as its P^theta says (splitting), and the product of the mean weights is the moment.
//! P exceeds y with a probability of at most E P^theta / y^theta, for any theta. For many theta the estimate fails, as it
//! rests on few chains; there the bound Gamma(theta + 1)^(levels + 1) is used, which holds for any operands, independent or
//! not: given what was before, the new noise is Gaussian with a power of at most the mean of two (Minkowski).
//!
//! Each line has a number of levels, the bits of power that P exceeds with a probability below 2^-64 with the theta that
//! shows it, the same by the bound for any operands, and the reserve: half of the bits by which the first exceeds those of
//! a Gaussian, the bound for which is exact enough to be subtracted.
#![allow(missing_docs)]

use std::error::Error;
use std::f64::consts::{LN_2, TAU};

use rayon::prelude::*;
use ringmill_arith::sampling::{Seed, Stream};

/// Values of a level.
const WIDTH: usize = 4;

/// Chains of a population, and independent populations.
const CHAINS: usize = 40_000;
const POPULATIONS: u64 = 8;

/// Powers for which moments are simulated.
const SIMULATED: [f64; 8] = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0];

/// Bits by which populations may differ in a moment that is used.
const MOST_SPREAD: f64 = 3.0;

const LEVELS: [usize; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 44, 64, 96, 128];
const DEEPEST: usize = 128;

/// log2 of the probability that reserves are for.
const FAILURE: f64 = -64.0;

/// A complex number.
type Complex = (f64, f64);

fn power((re, im): Complex) -> f64 {
    re * re + im * im
}

struct Dice(Stream);

impl Dice {
    /// A complex Gaussian of power 1.
    fn gaussian(&mut self) -> Complex {
        let mut words = [0; 2];
        self.0.fill_words(&mut words);
        let [u, v] = words.map(|word| ((word >> 11) as f64 + 0.5) / (1u64 << 53) as f64);
        let (radius, (sine, cosine)) = ((-u.ln()).sqrt(), (TAU * v).sin_cos());
        (radius * cosine, radius * sine)
    }
}

type Chain = [Complex; WIDTH];

fn next(chain: &Chain, dice: &mut Dice) -> Chain {
    let factors: Chain = std::array::from_fn(|_| dice.gaussian());
    std::array::from_fn(|a| {
        let b = (a + 1) % WIDTH;
        let (v, x) = ((chain[a], chain[b]), (factors[a], factors[b]));
        // v_a X_b + v_b X_a over the root of 2, for a mean power of 1.
        let re = v.0.0 * x.1.0 - v.0.1 * x.1.1 + v.1.0 * x.0.0 - v.1.1 * x.0.1;
        let im = v.0.0 * x.1.1 + v.0.1 * x.1.0 + v.1.0 * x.0.1 + v.1.1 * x.0.0;
        (re * 0.5f64.sqrt(), im * 0.5f64.sqrt())
    })
}

/// log2 of E P^theta after each number of levels, by one population.
fn moments(theta: f64, population: u64) -> Vec<f64> {
    let seed = Seed::from_bytes([9; 32]).derive("population", population);
    let mut dice = Dice(Stream::new(&seed.derive("theta", theta.to_bits())));
    let mut chains: Vec<Chain> = (0..CHAINS)
        .map(|_| std::array::from_fn(|_| dice.gaussian()))
        .collect();
    let (mut log2, mut moments) = (0.0, Vec::new());
    for level in 0..=DEEPEST {
        if level > 0 {
            chains = chains.iter().map(|chain| next(chain, &mut dice)).collect();
        }
        let weight = |chain: &Chain| chain.iter().map(|v| power(*v).powf(theta)).sum::<f64>() / WIDTH as f64;
        let weights: Vec<f64> = chains.iter().map(weight).collect();
        let mean = weights.iter().sum::<f64>() / CHAINS as f64;
        log2 += mean.log2();
        moments.push(log2);
        chains = resampled(&chains, &weights, mean, theta);
    }
    moments
}

/// Each chain as often as its weight says, scaled to a weight of 1.
fn resampled(chains: &[Chain], weights: &[f64], mean: f64, theta: f64) -> Vec<Chain> {
    let (mut sum, mut taken) = (0.0, Vec::with_capacity(chains.len()));
    for (chain, weight) in chains.iter().zip(weights) {
        sum += weight / mean;
        let scale = weight.powf(-0.5 / theta);
        while taken.len() < chains.len() && taken.len() as f64 + 0.5 < sum {
            taken.push(chain.map(|(re, im)| (re * scale, im * scale)));
        }
    }
    taken
}

/// log2 of Gamma(x), for x of 1 and above (Stirling's series after a shift).
fn log2_gamma(x: f64) -> f64 {
    let shift: f64 = (0..8).map(|i| (x + f64::from(i)).ln()).sum();
    let x = x + 8.0;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3));
    ((x - 0.5) * x.ln() - x + 0.5 * TAU.ln() + series - shift) / LN_2
}

/// The least bits of power that a moment shows to be exceeded with less than the probability, and its theta.
fn least(moments: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let bits = moments.map(|(theta, log2)| ((log2 - FAILURE) / theta, theta));
    bits.fold(
        (f64::INFINITY, 0.0),
        |best, next| if next.0 < best.0 { next } else { best },
    )
}

/// The bound for any operands.
fn any_operands(levels: usize) -> (f64, f64) {
    let thetas = (10..800).map(|theta| f64::from(theta) / 10.0);
    least(thetas.map(|theta| (theta, (levels + 1) as f64 * log2_gamma(theta + 1.0))))
}

/// The largest that populations found for log2 of a moment, unless they differ too much.
fn usable(populations: &[Vec<f64>], levels: usize) -> Option<f64> {
    let found = populations.iter().map(|moments| moments[levels]);
    let (low, high) = found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log2| {
        (f64::min(low, log2), f64::max(high, log2))
    });
    (high - low < MOST_SPREAD).then_some(high)
}

fn main() -> Result<(), Box<dyn Error>> {
    let gaussian = any_operands(0).0;
    let simulated: Vec<(f64, Vec<Vec<f64>>)> = SIMULATED
        .into_par_iter()
        .map(|theta| {
            (
                theta,
                (0..POPULATIONS)
                    .into_par_iter()
                    .map(|p| moments(theta, p))
                    .collect(),
            )
        })
        .collect();
    println!("levels  log2 of moments for theta = {SIMULATED:?}");
    for levels in LEVELS {
        let found = simulated
            .iter()
            .map(|(_, populations)| usable(populations, levels));
        let found = found.map(|log2| log2.map_or("-".to_owned(), |log2| format!("{log2:.2}")));
        println!("{levels:>6}  {}", found.collect::<Vec<_>>().join("  "));
    }
    println!("levels  bits (theta)   any operands (theta)   reserve");
    for levels in LEVELS {
        let usable = simulated
            .iter()
            .filter_map(|(theta, populations)| Some((*theta, usable(populations, levels)?)));
        let (any, by_simulation) = (any_operands(levels), least(usable));
        let (bits, theta) = if by_simulation.0 < any.0 {
            by_simulation
        } else {
            any
        };
        println!(
            "{levels:>6}  {bits:>5.1} ({theta:.1})  {:>12.1} ({:.1})  {:>12.1}",
            any.0,
            any.1,
            (bits - gaussian) / 2.0
        );
    }
    println!("a Gaussian's power: {gaussian:.2} bits");
    Ok(())
}
