//! Optimises circuit files, checks the results on 4096 random records, and prints what that brought:
//! `cargo run -p ringmill-circuit --example optimise -- FILE... [--growth FACTOR]`.
#![allow(missing_docs)]

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use ringmill_circuit::bristol::{self, Ports};
use ringmill_circuit::optimise::{Limits, optimise_within};
use ringmill_circuit::{Circuit, InputPort, PortLanes, PortValues};

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
        let (better, report) = optimise_within(&circuit, limits)?;
        println!(
            "{file}: {} -> {}, in {:.1?}",
            report.before,
            report.after,
            start.elapsed()
        );
        let inputs = random_inputs(&circuit);
        if circuit.evaluate(&inputs)? != better.evaluate(&inputs)? {
            return Err(format!("{file}: the result computes something else").into());
        }
    }
    Ok(())
}

/// 64 words of 64 records for every input bit.
fn random_inputs(circuit: &Circuit) -> Vec<PortValues> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        state.rotate_left(29) ^ (state >> 13)
    };
    let mut lane = || (0..64).map(|_| next()).collect();
    let mut port = |port: &InputPort| -> PortLanes { port.wires.iter().map(|_| lane()).collect() };
    circuit.inputs().iter().map(|input| port(input).into()).collect()
}
