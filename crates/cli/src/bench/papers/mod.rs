//! The tables of the project's five papers, with a measured column of ours.

mod hepcloud;
mod ntt_multiplier;
mod sheet;

use ringmill_arith::Kernel;

use crate::arguments::BenchArguments;
use crate::error::CliError;
use crate::machine::Machine;
use crate::report::print_either;
use sheet::{Published, Sheet};

/// Measures what paper number `paper` has in its tables, and prints both.
pub fn run(paper: u8, arguments: &BenchArguments) -> Result<(), CliError> {
    let machine = Machine::this(Kernel::from_environment()?.name());
    let (title, note, measure): (_, _, fn(&mut Sheet) -> Result<(), CliError>) = match paper {
        1 => (hepcloud::TITLE, hepcloud::NOTE, hepcloud::measure),
        _ => (
            ntt_multiplier::TITLE,
            ntt_multiplier::NOTE,
            ntt_multiplier::measure,
        ),
    };
    let mut sheet = Sheet::new(machine, title, note, arguments.quick);
    measure(&mut sheet)?;
    let sheet = sheet.finish();
    print_either(arguments.json, &sheet, || sheet.text())
}
