//! The tables of the project's five papers, with a measured column of ours.

mod cached_ntt;
#[cfg(feature = "rtl")]
mod core;
mod hepcloud;
mod integers;
mod karatsuba;
mod ntt_multiplier;
mod sheet;

use super::log::Log;
use crate::arguments::BenchArguments;
use crate::error::CliError;
use crate::host::HostInfo;
use ringmill::platform::Cpu;
use sheet::{Published, Sheet};

/// A paper's title, what has to be said with its tables, and what measures ours.
type Tables = (&'static str, &'static str, fn(&mut Sheet));

/// Measures what paper number `paper` has in its tables, and prints both.
pub fn run(paper: u8, arguments: &BenchArguments) -> Result<(), CliError> {
    let machine = HostInfo::with(&Cpu)?;
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
    let log = Log::new(arguments.json);
    let mut sheet = Sheet::new(machine, (title, note), arguments.quick, log);
    measure(&mut sheet);
    sheet.finish(arguments.json)
}
