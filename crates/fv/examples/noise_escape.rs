//! How often noise escapes in the BGV form: compares simulated chains of products with what the planner relies on
//! (`src/noise/escape.rs`).
//!
//! ```text
//! cargo run --release -p ringmill-fv --example noise_escape
//! ```
//!
//! A chain follows the noise of four values at one root, each level with products that leave the share f of the power and
//! Gaussian noise for the rest. Chains start with Gaussian noise, and one that has escaped starts again. Each line has a
//! shape, a share f, the escapes of all chains, log2 of their rate a product, and the effort C for which that is e^(-C/f).
//! The planner relies on 0.635, whatever the shape; for squares, which f counts with twice the power, the theory says 1.27.
//! What comes before the exponential shows as a larger C where f is large.
#![allow(missing_docs)]

use std::error::Error;
use std::f64::consts::TAU;

use rayon::prelude::*;
use ringmill_arith::sampling::{Seed, Stream};

/// Values of a level.
const WIDTH: usize = 4;

/// Independent streams of chains, and levels of each.
const STREAMS: u64 = 64;
const LEVELS: usize = 2_000_000;

/// Times the mean power from which a value only grows.
const ESCAPED: f64 = 1e6;

/// A complex number.
type Complex = (f64, f64);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Squares.
    Squares,
    /// Products of neighbours, as SIMON's are: of two bits of one half.
    Tower,
    /// The same, but that every third level has products of the BFV form, which multiply noise by what is independent of it,
    /// and nothing new comes to it.
    Mixed,
    /// Products of the last two values, of which one is new.
    Last,
    /// Products of sums that share a term: half of the power of both.
    Sums,
}

fn product(a: Complex, b: Complex, scale: f64) -> Complex {
    (scale * (a.0 * b.0 - a.1 * b.1), scale * (a.0 * b.1 + a.1 * b.0))
}

fn sum(a: Complex, b: Complex) -> Complex {
    (a.0 + b.0, a.1 + b.1)
}

fn power((re, im): Complex) -> f64 {
    re * re + im * im
}

struct Dice(Stream);

impl Dice {
    /// Complex Gaussians of a power.
    fn gaussians(&mut self, power: f64) -> [Complex; WIDTH] {
        let mut words = [0; 2 * WIDTH];
        self.0.fill_words(&mut words);
        std::array::from_fn(|index| {
            let unit = |word: u64| ((word >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let (u, v) = (unit(words[2 * index]), unit(words[2 * index + 1]));
            let (radius, (sine, cosine)) = ((-power * u.ln()).sqrt(), (TAU * v).sin_cos());
            (radius * cosine, radius * sine)
        })
    }
}

/// The products of one level in the BGV form, of mean power f.
fn products(shape: Shape, values: &[Complex; WIDTH], f: f64) -> [Complex; WIDTH] {
    let at = |index: usize| values[index % WIDTH];
    std::array::from_fn(|index| match shape {
        Shape::Squares => product(at(index), at(index), (f / 2.0).sqrt()),
        Shape::Tower | Shape::Mixed => product(at(index), at(index + 1), f.sqrt()),
        // The values two by two: (old, new) becomes (new, old times new).
        Shape::Last => product(at(index - index % 2), at(index - index % 2 + 1), f.sqrt()),
        Shape::Sums => {
            // Of two Gaussians a + b and a + c, each of power 2, the product has the power 4 + 1.
            let (x, y) = (sum(at(index), at(index + 1)), sum(at(index), at(index + 2)));
            product(x, y, (f / 5.0).sqrt())
        }
    })
}

/// The products of one level in the BFV form, of mean power 1.
fn linear_products(values: &[Complex; WIDTH], factors: &[Complex; WIDTH]) -> [Complex; WIDTH] {
    std::array::from_fn(|a| {
        let (b, scale) = ((a + 1) % WIDTH, 0.5f64.sqrt());
        let (left, right) = (
            product(values[a], factors[b], scale),
            product(values[b], factors[a], scale),
        );
        sum(left, right)
    })
}

/// Escapes of one stream.
fn escapes(shape: Shape, f: f64, stream: u64) -> u64 {
    let seed = Seed::from_bytes([11; 32])
        .derive("escape", stream)
        .derive("share", f.to_bits());
    let mut dice = Dice(Stream::new(&seed));
    let mut values = dice.gaussians(1.0);
    let mut found = 0;
    for level in 0..LEVELS / WIDTH {
        if shape == Shape::Mixed && level % 3 == 2 {
            values = linear_products(&values, &dice.gaussians(1.0));
            continue;
        }
        let (made, new) = (products(shape, &values, f), dice.gaussians(1.0 - f));
        let results: [Complex; WIDTH] = std::array::from_fn(|index| sum(made[index], new[index]));
        values = match shape {
            Shape::Last => [values[1], results[0], values[3], results[2]],
            _ => results,
        };
        if values.iter().any(|value| power(*value) > ESCAPED) {
            found += 1;
            values = dice.gaussians(1.0);
        }
    }
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("shape    share  escapes  log2 of the rate  effort");
    for shape in [
        Shape::Squares,
        Shape::Tower,
        Shape::Mixed,
        Shape::Last,
        Shape::Sums,
    ] {
        for f in [0.08, 0.1, 0.12, 0.15, 0.2, 0.25] {
            let found: u64 = (0..STREAMS)
                .into_par_iter()
                .map(|stream| escapes(shape, f, stream))
                .sum();
            let rate = found as f64 / (STREAMS * LEVELS as u64) as f64;
            let effort = -rate.ln() * f;
            println!(
                "{shape:<8?} {f:>5}  {found:>7}  {:>16.1}  {effort:>6.3}",
                rate.log2()
            );
        }
    }
    Ok(())
}
