//! The command line as it is typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ringmill_fv::SecurityLevel;

use crate::circuits::CircuitName;

/// Shown below every command's help.
pub const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 internal error, 2 wrong usage, 3 damaged or unfit file, 4 wrong result or failed \
decryption, 5 no parameters fit, 6 a file cannot be read or written.";

const KERNELS: &str = "\
The environment variable RINGMILL_KERNEL (portable, avx2, avx512, no-avx512) forces or forbids vector kernels.";

/// Compute on encrypted bits, thousands of records at a time.
///
/// `ringmill demo` shows what it does. The same in steps, on different machines: `params`, `keygen`,
/// `encrypt`, `eval` (which sees no secret), `decrypt`.
#[derive(Debug, Parser)]
#[command(name = "ringmill", version, after_help = EXIT_CODES, after_long_help = format!("{EXIT_CODES}\n\n{KERNELS}"))]
pub struct Arguments {
    /// Threads to compute with; all cores unless given.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decrypt SIMON-64/128 data homomorphically, check it, and show what it costs.
    Demo(DemoArguments),
    /// Choose parameters for a circuit and write them to a file.
    Params(ParamsArguments),
    /// Make a secret key, a public key and an evaluation key.
    Keygen(KeygenArguments),
    /// Encrypt the private inputs of a circuit.
    Encrypt(EncryptArguments),
    /// Evaluate a circuit on encrypted inputs; needs no secret.
    Eval(EvalArguments),
    /// Decrypt results.
    Decrypt(DecryptArguments),
    /// Say what a file contains.
    Inspect(InspectArguments),
    /// Measure operations, beside published figures.
    Bench(BenchArguments),
}

/// A security level of the published table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Security {
    /// 128 bits.
    #[value(name = "128")]
    Bits128,
    /// 192 bits.
    #[value(name = "192")]
    Bits192,
    /// 256 bits.
    #[value(name = "256")]
    Bits256,
}

impl From<Security> for SecurityLevel {
    fn from(security: Security) -> Self {
        match security {
            Security::Bits128 => Self::Bits128,
            Security::Bits192 => Self::Bits192,
            Security::Bits256 => Self::Bits256,
        }
    }
}

/// How parameters are found.
#[derive(Debug, Clone, Args)]
pub struct ParameterChoice {
    /// Bits of security; the smallest parameters that fit the circuit are chosen.
    #[arg(
        long,
        value_enum,
        default_value = "128",
        value_name = "BITS",
        conflicts_with = "preset"
    )]
    pub security: Security,
    /// Take these parameters instead; an unknown name lists all.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
}

/// `demo`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Example: encrypt a file of one's own with SIMON, decrypt it under encryption, and check it:
  ringmill demo --input notes.txt

{EXIT_CODES}"))]
pub struct DemoArguments {
    /// Plaintext to work on, padded with zeros to blocks of 8 bytes; random bytes unless given.
    #[arg(long, value_name = "FILE", conflicts_with = "blocks")]
    pub input: Option<PathBuf>,
    /// Blocks of random plaintext.
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub blocks: u32,
    #[command(flatten)]
    pub choice: ParameterChoice,
    /// 32 bytes in hexadecimal that all randomness is derived from, to repeat a run. Never for real data.
    #[arg(long, value_name = "HEX")]
    pub seed: Option<String>,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// `params`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Example:
  ringmill params --circuit simon-decrypt --security 128 -o simon.params

{EXIT_CODES}"))]
pub struct ParamsArguments {
    /// The circuit to choose for.
    #[arg(long, value_enum)]
    pub circuit: CircuitName,
    #[command(flatten)]
    pub choice: ParameterChoice,
    #[command(flatten)]
    pub output: Output,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `keygen`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Writes secret.key (readable by its owner only; keep it), public.key (for whoever encrypts) and evaluation.key
(for whoever evaluates).

Example:
  ringmill keygen --params simon.params --out-dir keys

{EXIT_CODES}"))]
pub struct KeygenArguments {
    /// Parameters, from `ringmill params`.
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
    /// Directory to write to, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out_dir: PathBuf,
    /// Replace keys that are there already. Nothing encrypted under them can be decrypted afterwards.
    #[arg(long)]
    pub force: bool,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `encrypt`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples: the SIMON key for the evaluator, k0 first, each word little-endian; and pairs of bytes for `and8`:
  ringmill encrypt --params simon.params --public-key keys/public.key --simon-key-file simon.key -o key.ct
  ringmill encrypt --circuit and8 --params and8.params --public-key keys/public.key --values pairs.bin -o in.ct

{EXIT_CODES}"))]
pub struct EncryptArguments {
    /// The circuit whose private inputs are to be encrypted.
    #[arg(long, value_enum, default_value = "simon-decrypt")]
    pub circuit: CircuitName,
    /// Parameters, from `ringmill params`.
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
    #[command(flatten)]
    pub key: EncryptionKey,
    #[command(flatten)]
    pub values: Values,
    #[command(flatten)]
    pub output: Output,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// What to encrypt with.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct EncryptionKey {
    /// Encrypt with the public key.
    #[arg(long, value_name = "FILE")]
    pub public_key: Option<PathBuf>,
    /// Encrypt with the secret key: the file is half as large.
    #[arg(long, value_name = "FILE")]
    pub secret_key: Option<PathBuf>,
}

/// What to encrypt.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Values {
    /// The SIMON key, 32 hexadecimal digits. Other users may see it in the list of processes: prefer a file.
    #[arg(long, value_name = "HEX")]
    pub simon_key: Option<String>,
    /// A file with the SIMON key as 32 hexadecimal digits; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub simon_key_file: Option<PathBuf>,
    /// Raw records: the private inputs of each record one after the other, lowest bit first, in whole bytes.
    /// A file of a single record stands for all records.
    #[arg(long, value_name = "FILE")]
    pub values: Option<PathBuf>,
}

/// `eval`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Example:
  ringmill eval --params simon.params --evaluation-key keys/evaluation.key --data notes.simon --key key.ct -o out.ct

{EXIT_CODES}"))]
pub struct EvalArguments {
    /// The circuit to evaluate.
    #[arg(long, value_enum, default_value = "simon-decrypt")]
    pub circuit: CircuitName,
    /// Parameters, from `ringmill params`.
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
    /// The evaluation key, from `ringmill keygen`.
    #[arg(long, value_name = "FILE")]
    pub evaluation_key: PathBuf,
    /// Public inputs, raw records (for SIMON: blocks of 8 bytes); needed if the circuit has public inputs.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Encrypted private inputs, from `ringmill encrypt`.
    #[arg(long, value_name = "FILE", visible_alias = "values")]
    pub key: PathBuf,
    #[command(flatten)]
    pub output: Output,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `decrypt`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Example:
  ringmill decrypt --params simon.params --secret-key keys/secret.key --input out.ct --records 100 -o notes.txt

{EXIT_CODES}"))]
pub struct DecryptArguments {
    /// The circuit that made the results.
    #[arg(long, value_enum, default_value = "simon-decrypt")]
    pub circuit: CircuitName,
    /// Parameters, from `ringmill params`.
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
    /// The secret key, from `ringmill keygen`.
    #[arg(long, value_name = "FILE")]
    pub secret_key: PathBuf,
    /// Results, from `ringmill eval`.
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Write only so many records; all slots of all batches unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub records: Option<u64>,
    #[command(flatten)]
    pub output: Output,
    /// Print a JSON object instead of text.
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
Example:
  ringmill bench --only multiply

{EXIT_CODES}"))]
pub struct BenchArguments {
    /// Measure only what has this in its name.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Fewer repetitions, and not the whole SIMON job.
    #[arg(long)]
    pub quick: bool,
    /// Print a JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Where a result goes.
#[derive(Debug, Args)]
pub struct Output {
    /// File to write.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub force: bool,
}
