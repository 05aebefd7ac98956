//! The tables of the project's five papers, with a measured column of ours.

mod cached_ntt;
mod hepcloud;
mod integers;
mod karatsuba;
mod ntt_multiplier;
mod sheet;

use ringmill_arith::sampling::{Stream, uniform};
use ringmill_arith::{Basis, Kernel};
use ringmill_device::{CpuDevice, CpuPoly, Device};
use ringmill_ring::Domain;

use super::jobs::seed;
use crate::arguments::BenchArguments;
use crate::error::CliError;
use crate::machine::Machine;
use crate::report::print_either;
use sheet::{Published, Sheet};

/// A paper's title, what has to be said with its tables, and what measures ours.
type Tables = (&'static str, &'static str, fn(&mut Sheet) -> Result<(), CliError>);

/// Measures what paper number `paper` has in its tables, and prints both.
pub fn run(paper: u8, arguments: &BenchArguments) -> Result<(), CliError> {
    let machine = Machine::this(Kernel::from_environment()?.name());
    let (title, note, measure): Tables = match paper {
        1 => (hepcloud::TITLE, hepcloud::NOTE, hepcloud::measure),
        2 => (
            ntt_multiplier::TITLE,
            ntt_multiplier::NOTE,
            ntt_multiplier::measure,
        ),
        3 => (cached_ntt::TITLE, cached_ntt::NOTE, cached_ntt::measure),
        4 => (karatsuba::TITLE, karatsuba::NOTE, karatsuba::measure),
        _ => (integers::TITLE, integers::NOTE, integers::measure),
    };
    let mut sheet = Sheet::new(machine, title, note, arguments.quick);
    measure(&mut sheet)?;
    let sheet = sheet.finish();
    print_either(arguments.json, &sheet, || sheet.text())
}

/// An operand to measure with: uniform words over a basis.
fn uniform_poly(device: &CpuDevice, basis: &Basis, domain: Domain) -> Result<CpuPoly, CliError> {
    let n = device.ring().n();
    let mut stream = Stream::new(&seed("operands"));
    let mut words = vec![0; n * basis.len()];
    for (limb, q) in words.chunks_exact_mut(n).zip(basis.moduli()) {
        uniform(&mut stream, q, limb);
    }
    Ok(device.upload(basis, domain, &words)?)
}
