//! The tables of the project's five papers, with a measured column of ours.

mod cached_ntt;
mod hepcloud;
mod integers;
mod karatsuba;
mod ntt_multiplier;
mod sheet;

use crate::arguments::BenchArguments;
use crate::device::Cpu;
use crate::error::CliError;
use crate::machine::Machine;
use crate::report::print_either;
use sheet::{Published, Sheet};

/// A paper's title, what has to be said with its tables, and what measures ours.
type Tables = (&'static str, &'static str, fn(&mut Sheet) -> Result<(), CliError>);

/// Measures what paper number `paper` has in its tables, and prints both.
pub fn run(paper: u8, arguments: &BenchArguments) -> Result<(), CliError> {
    let machine = Machine::with(&Cpu)?;
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
