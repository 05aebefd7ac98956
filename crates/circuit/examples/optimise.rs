//! Optimises circuit files and prints what that brought:
//! `cargo run -p ringmill-circuit --example optimise -- FILE... [--growth FACTOR]`.
#![allow(missing_docs)]

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use ringmill_circuit::bristol::{self, Ports};
use ringmill_circuit::optimise::{Limits, optimise_within};

fn main() -> Result<(), Box<dyn Error>> {
    let mut limits = Limits::default();
    let mut arguments = std::env::args().skip(1);
    let mut files = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--growth" => limits.growth = arguments.next().ok_or("--growth needs a factor")?.parse()?,
            _ => files.push(argument),
        }
    }
    for file in files {
        let circuit = bristol::read(File::open(&file)?, &Ports::default())?;
        let start = Instant::now();
        let (_, report) = optimise_within(&circuit, limits)?;
        println!(
            "{file}: {} -> {}, in {:.1?}",
            report.before,
            report.after,
            start.elapsed()
        );
    }
    Ok(())
}
