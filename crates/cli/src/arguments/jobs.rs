//! Commands that are complete by themselves.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DeviceOption, EXIT_CODES, ParameterChoice};

/// The ciphers that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DemoCipher {
    /// SIMON-64/128, four bits in a byte; on bits on the core and over another scheme.
    Simon,
    /// AES-128, on bytes.
    Aes,
}

/// `demo`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples: encrypt a file of one's own with SIMON, decrypt it under encryption, and check it; the same with AES-128:
  ringmill demo --input notes.txt
  ringmill demo --cipher aes --input notes.txt
One of paper 3's schemes, insecure, for comparison: encryption of 2048 blocks on bits:
  ringmill demo --scheme yashe-1225
On an NVIDIA GPU, the second one:
  ringmill demo --cipher aes --device cuda:1

{EXIT_CODES}"))]
pub struct DemoArguments {
    /// The block cipher.
    #[arg(long, value_enum, default_value = "simon")]
    pub cipher: DemoCipher,
    /// Plaintext to work on, padded with zeros to whole blocks; random bytes unless given.
    #[arg(long, value_name = "FILE", conflicts_with = "blocks")]
    pub input: Option<PathBuf>,
    /// Blocks of random plaintext.
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1 << 23))]
    pub blocks: u32,
    /// Evaluate over another scheme than FV, on bits: yashe-1225, ltv-1271, ltv-1271-44, or a set for machines. All are
    /// insecure and say so; for comparison with the papers only.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "blocks", "preset", "seed"])]
    pub scheme: Option<String>,
    #[command(flatten)]
    pub choice: ParameterChoice,
    #[command(flatten)]
    pub device: DeviceOption,
    /// 32 bytes in hexadecimal that all randomness is derived from, to repeat a run. Never for real data.
    #[arg(long, value_name = "HEX")]
    pub seed: Option<String>,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// `circuits`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Example: the ports of one circuit:
  ringmill circuits less32

{EXIT_CODES}"))]
pub struct CircuitsArguments {
    /// Only this one, or that of a file.
    #[arg(value_name = "NAME|FILE")]
    pub circuit: Option<String>,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// `inspect`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Reads the whole file and checks it, but needs no key and shows nothing secret.

Example:
  ringmill inspect keys/public.key

{EXIT_CODES}"))]
pub struct InspectArguments {
    /// Any file that ringmill wrote, but decrypted records.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `bench`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  ringmill bench --only multiply
  ringmill bench --paper 4
Batches of operations on a GPU and, beside it, on all threads of the processor:
  ringmill bench --only batch --device cuda
Where the GPU's time goes:
  ringmill bench --only batch-multiply --device cuda --profile

{EXIT_CODES}"))]
pub struct BenchArguments {
    /// Print the tables of a paper instead, with a measured column of ours: 1 HEPCloud, 2 the NTT multiplier
    /// for SEAL, 3 the cached-NTT machine (YASHE, LTV), 4 the Karatsuba pipeline, 5 encryption over the integers.
    #[arg(long, value_name = "N", conflicts_with_all = ["only", "device"], value_parser = clap::value_parser!(u8).range(1..=5))]
    pub paper: Option<u8>,
    /// Measure only what has this in its name.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    #[command(flatten)]
    pub device: DeviceOption,
    /// Fewer repetitions, and no whole circuits.
    #[arg(long)]
    pub quick: bool,
    /// Also measure on the GPU how long each kernel runs. That takes time itself, so take other figures without.
    #[arg(long, conflicts_with = "paper")]
    pub profile: bool,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}
