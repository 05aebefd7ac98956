//! Surveys the noise of chains of products: for many keys it measures the power of the noise at every root, and compares
//! it with the model's.
//!
//! ```text
//! cargo run --release -p ringmill-fv --example noise_survey -- SHAPE FORM N DEPTH FIRST_KEY KEYS > raw.csv
//! cargo run --release -p ringmill-fv --example noise_survey -- quantiles SHAPE FORM raw.csv ... > quantiles.csv
//! ```
//!
//! SHAPE is one of `tower`, `feistel`, `sums`, `squares`, `near-squares` and `maps`, FORM is `bfv` or `bgv`. Each key makes
//! one chain of DEPTH levels of a few values, of fixed pseudorandom inputs under the public key. The bits are followed in the
//! clear, and a value that does not decrypt to them is an error. The moduli are those of plans: limbs of 48 bits, and in the
//! BGV form two small primes for steps of 16 bits.
//!
//! A line of the output is one value at one depth: over what is predicted the deviation of its coefficients, the power at its
//! worst root, and those at the eight pairs of roots where the secret is largest; and its largest coefficient over the
//! bound that Gaussian ones exceed with a probability below 2^-64: all as logarithms. Keys are numbered, so that runs can be
//! added up; they are no secrets. The parameters are insecure: all of 128 bits have too small a modulus for so many levels at
//! small n.
#![allow(missing_docs)]

mod chain;
mod quantiles;
mod shape;

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use chain::Survey;
use rayon::prelude::*;
use shape::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("quantiles", [shape, form, files @ ..])) =
        arguments.split_first().map(|(first, others)| (&**first, others))
    {
        return quantiles::print(shape, form, files);
    }
    let [shape, form, n, depth, first, keys] = arguments.as_slice() else {
        return Err("give SHAPE FORM N DEPTH FIRST_KEY KEYS, or quantiles SHAPE FORM FILE ...".into());
    };
    let shape = Shape::named(shape).ok_or("no such shape")?;
    let bgv = match form.as_str() {
        "bfv" => false,
        "bgv" => true,
        _ => return Err("no such form".into()),
    };
    let survey = Survey::new(shape, bgv, n.parse()?, depth.parse()?)?;
    let (first, keys): (u64, u64) = (first.parse()?, keys.parse()?);
    let (start, done) = (Instant::now(), AtomicUsize::new(0));
    println!("{}", chain::columns());
    let failed = AtomicUsize::new(0);
    (first..first + keys).into_par_iter().for_each(|key| {
        match survey.chain(key) {
            Ok(lines) => println!("{}", lines.join("\n")),
            Err(error) => {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("{key},failed,{error}");
            }
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(50) {
            eprintln!("{done} of {keys} keys, {:.0} s", start.elapsed().as_secs_f64());
        }
    });
    eprintln!("{} of {keys} keys failed", failed.load(Ordering::Relaxed));
    Ok(())
}
