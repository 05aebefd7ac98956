//! Commands for the machines of `hdl/`.

use clap::{Args, Subcommand, ValueEnum};

use super::{DemoCipher, EXIT_CODES};

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

/// The machines that are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MachineName {
    /// Paper 2: products modulo x^n + 1 at the end of a link.
    NttMultiplier,
    /// Our transforms of Fermat rings, for primes of 50 bits; n = 2048 with 4 units, or 32768 with 16 and --full.
    NttFermat,
    /// Paper 1: transforms with dedicated reads, for primes of 30 bits; 1024 points with 4 units, or 65536 with 16 and --full.
    HepcloudNtt,
    /// Paper 3: transforms on tiles, for primes of 32 bits; 256 points on 16 tiles, or 65536 on 256 with --full.
    TileNtt,
    /// Our processor, with primes of 50 bits; n = 2048 with 16 units, or 32768 with --full.
    Core,
    /// Paper 4: FV encryptions by Karatsuba's method.
    Karatsuba,
    /// Paper 5: encryption over the integers by the golden models, or with --full in simulation.
    Comba,
}

/// The sizes of paper 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CombaSet {
    /// 150,016 bits, 158 terms.
    Toy,
    /// 830,464 bits, 572 terms.
    Small,
    /// 4,199,936 bits, 2110 terms.
    Medium,
}

/// The ways between the tiles of paper 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TileNetwork {
    /// The paper's ring.
    Ring,
    /// Our transposer.
    Transposer,
}

/// The sizes of the NTT multiplier that are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MachineSize {
    /// n = 1024 with 64 butterfly units and a link of 128 bits.
    Full,
    /// n = 1024 with 2 butterfly units and a link of 32 bits, for the paper's table II.
    Small,
}

/// The pipelines of the NTT multiplier that are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MachinePipeline {
    /// The paper's few cycles.
    Shallow,
    /// A cycle for every product and every sum, and two jobs in turns: a higher clock, a longer latency.
    Deep,
}

/// `hw run`
#[cfg_attr(not(feature = "rtl"), allow(dead_code))] // the simulation alone reads them
#[derive(Debug, Args)]
#[command(after_help = format!("\
Needs a build with the feature rtl. Cycles are the machine's own; times are cycles at the clock that is \
stated here, not one that it was synthesised for.

Machines of full size but the NTT multiplier take minutes to compile: they need the feature rtl-full.

Examples: the paper's clock and link, but 2 us (400 cycles) each way; transforms of paper 3's size; our core:
  ringmill hw run --latency 400
  ringmill hw run --machine tile-ntt --full
  ringmill hw run --machine core --n 2048 --units 16
  ringmill hw run --machine core --circuit simon --rounds 4
  ringmill hw run --machine core --model --circuit simon --units 64 --slots 4 --bandwidth 6400
  ringmill hw run --machine karatsuba --encryptions 4 --all-hardware
  ringmill hw run --machine comba --set toy --systolic --full

{EXIT_CODES}"))]
pub struct HwRunArguments {
    /// Machine to simulate.
    #[arg(long, value_enum, default_value = "ntt-multiplier")]
    pub machine: MachineName,
    /// Take the size of the paper, where it is not the only one; have comba simulated, which takes seconds at toy size
    /// and minutes at small.
    #[arg(long)]
    pub full: bool,
    /// Words of a polynomial of core or ntt-fermat: those above.
    #[arg(long, value_name = "N", conflicts_with = "full")]
    pub n: Option<u32>,
    /// Butterfly units of a transform engine or of core, tiles of tile-ntt: those above, and 64 of ntt-fermat with --full;
    /// multiply-accumulate units of comba, 1 and the paper's unless given.
    #[arg(long, value_name = "B")]
    pub units: Option<u32>,
    /// Have core do a whole job in place of single instructions: the first rounds of SIMON in simulation, with small
    /// insecure parameters, or with --model the decryption of a cipher's blocks at 128 bits.
    #[arg(long, value_enum, value_name = "CIPHER")]
    pub circuit: Option<DemoCipher>,
    /// Compute that job on this machine's processor, and time it by the core's model.
    #[arg(long, requires = "circuit")]
    pub model: bool,
    /// Rounds of SIMON that are simulated.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=44))]
    pub rounds: u32,
    /// Blocks of that job: as many as a ciphertext holds, 128 in simulation and 2048 by the model.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub blocks: Option<u32>,
    /// Moduli that core holds at a time, by the model.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub slots: u8,
    /// Encryptions that karatsuba does together.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub encryptions: u8,
    /// Have karatsuba do all recursions itself, with a resident key, and not only those of the paper's machine.
    #[arg(long)]
    pub all_hardware: bool,
    /// Size of comba's numbers.
    #[arg(long, value_enum, default_value = "toy")]
    pub set: CombaSet,
    /// Have comba be rows of multipliers that make the public key from its seed, not the paper's design.
    #[arg(long)]
    pub systolic: bool,
    /// Way between the tiles of tile-ntt.
    #[arg(long, value_enum, default_value = "transposer")]
    pub network: TileNetwork,
    /// Transforms to simulate in each direction.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub transforms: u32,
    /// Size of the NTT multiplier.
    #[arg(long, value_enum, default_value = "full")]
    pub size: MachineSize,
    /// Pipeline of the NTT multiplier.
    #[arg(long, value_enum, default_value = "shallow")]
    pub pipeline: MachinePipeline,
    /// Bits of its prime.
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(22..=32))]
    pub bits: u32,
    /// Polynomials in a row, to measure its throughput.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    pub jobs: u32,
    /// Clock to state times of the NTT multiplier and of core at, in MHz.
    #[arg(long, value_name = "MHZ", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub clock: u64,
    /// Bandwidth of the NTT multiplier's link, in Mb/s, 32000 unless given; of memories of core in MB/s, with commas
    /// between, by the model: in place of the memories that it is timed with.
    #[arg(long, value_name = "M", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub bandwidth: Vec<u64>,
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
