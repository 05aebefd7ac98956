//! Commands for the machines of `hdl/`.

use clap::{Args, Subcommand, ValueEnum};

use super::EXIT_CODES;

/// `hw`
#[derive(Debug, Args)]
pub struct HwArguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: HwCommand,
}

/// The commands below `hw`.
#[derive(Debug, Subcommand)]
pub enum HwCommand {
    /// Simulate a machine, check its results, and show what offloading to it would take.
    Run(HwRunArguments),
    /// Synthesise the machines and show their resources beside the papers'.
    Report(HwReportArguments),
}

/// The sizes of the NTT multiplier that are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MachineSize {
    /// n = 1024 with 64 butterfly units and a link of 128 bits.
    Full,
    /// n = 1024 with 2 butterfly units and a link of 32 bits, for the paper's table II.
    Small,
}

/// `hw run`
#[cfg_attr(not(feature = "rtl"), allow(dead_code))] // the simulation alone reads them
#[derive(Debug, Args)]
#[command(after_help = format!("\
Needs a build with the feature rtl. Cycles are the machine's own; times are cycles at the clock that is \
stated here, not one that it was synthesised for.

Example: the paper's clock and link, but 2 us (400 cycles) each way:
  ringmill hw run --latency 400

{EXIT_CODES}"))]
pub struct HwRunArguments {
    /// Size of the machine.
    #[arg(long, value_enum, default_value = "full")]
    pub size: MachineSize,
    /// Bits of the prime.
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(22..=32))]
    pub bits: u32,
    /// Polynomials in a row, to measure throughput.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    pub jobs: u32,
    /// Clock to state times at, in MHz.
    #[arg(long, value_name = "MHZ", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub clock: u64,
    /// Bandwidth of the link, in Mb/s.
    #[arg(long, value_name = "MBPS", default_value_t = 32_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub bandwidth: u64,
    /// Latency of the link each way, in cycles.
    #[arg(long, value_name = "CYCLES", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub latency: u64,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// `hw report`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Runs the script hdl/hw of the repository it is called in, which needs Python 3 and fetches Yosys the first \
time. Its own options may follow two dashes.

{EXIT_CODES}"))]
pub struct HwReportArguments {
    /// Arguments of the script.
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,
}
