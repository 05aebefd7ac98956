//! Makes the variants of circuit files (Bristol, AIGER, BLIF) that the optimiser finds, checks them on 4096 random
//! records, and prints the gains: `cargo run --release -p ringmill-circuit --example optimise -- FILE...`.
#![allow(missing_docs)]

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use ringmill_circuit::bristol::{self, Ports};
use ringmill_circuit::optimise::{Measures, front};
use ringmill_circuit::{Circuit, InputPort, PortLanes, PortValues, aiger, blif};

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let circuit = read(&file)?;
        let start = Instant::now();
        let variants = front(&circuit, &mut |_| ())?;
        println!(
            "{file}: {}, variants in {:.1?}",
            Measures::of(&circuit),
            start.elapsed()
        );
        let inputs = random_inputs(&circuit);
        let expected = circuit.evaluate(&inputs)?;
        for variant in variants {
            println!("  {}", variant.measures);
            if variant.circuit.evaluate(&inputs)? != expected {
                return Err(format!("{file}: a variant computes something else").into());
            }
        }
    }
    Ok(())
}

/// Reads a circuit in the format that the end of the name says.
fn read(name: &str) -> Result<Circuit, Box<dyn Error>> {
    let file = File::open(name)?;
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    Ok(match ending {
        Some("aag" | "aig") => aiger::read(file)?,
        Some("blif") => blif::read(file)?,
        _ => bristol::read(file, &Ports::default())?,
    })
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
