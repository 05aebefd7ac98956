//! Planning a job, and trying it in the clear.

use std::path::{Path, PathBuf};

use clap::Args;
use ringmill::TableFormat;

use super::programs::{ProgramChoice, file_part};
use super::tables::table_format;
use super::{DeviceOption, EXIT_CODES, FunctionChoice, OptionalOutput, Packing, ParameterChoice, Secrecy};

/// `plan`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples: a bundled circuit; what a file would need, without writing anything; a comparison with a number that the
evaluator knows, within 8 GiB:
  ringmill plan --circuit add32 -o add.job
  ringmill plan --circuit circuit.txt --names 'a,b -> sum' --security 192
  ringmill plan --circuit less32 --public a --memory 8 -o less.job

An expression, with the types of its inputs read off a table, but for one that only the evaluator has:
  ringmill plan --expr 'flag = income > limit and score < 10' --types-from customers.csv --type 'limit=public u18' \\
    -o flag.job

A job whose results stay encrypted, and another that goes on with them:
  ringmill plan --circuit hamming64 --further-levels 6 -o distance.job
  ringmill plan --expr 'distance: u7; near = distance < 20' --after distance.job -o near.job
  ringmill eval near.job --evaluation-key keys/evaluation.key --input distances.ct -o near.ct

A program over messages, rows of integers modulo 65537; parameters for messages that are not computed on:
  ringmill plan --integers 'w: public; r = a * b + 3 * a; d = inner(a, w)' -o m.job
  ringmill plan --preset n4096-t65537 -o p.job

{EXIT_CODES}"))]
pub struct PlanArguments {
    #[command(flatten)]
    pub function: FunctionChoice,
    #[command(flatten)]
    pub program: ProgramChoice,
    #[command(flatten)]
    pub choice: ParameterChoice,
    #[command(flatten)]
    pub device: DeviceOption,
    /// The key that inputs will be encrypted with.
    #[arg(long, value_enum, default_value = "public")]
    pub input_key: Secrecy,
    /// How private inputs will come in ciphertexts: broadcast for a circuit whose private inputs are a cipher's key,
    /// separate for others, unless given.
    #[arg(long, value_enum)]
    pub packing: Option<Packing>,
    /// Make parameters for results that may be shared with others than the owner of the keys: decryption fails less often
    /// than once in 2^128, and the evaluator, who needs the public key too, drowns the noise of results, which would tell
    /// about the circuit and the evaluator's data. The modulus grows by some 80 bits.
    #[arg(long)]
    pub share_results: bool,
    /// Levels of products that results shall bear in later jobs, which are planned with --after.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub further_levels: u32,
    /// Go on with the results of this job: they are the private inputs, in order, and parameters and keys are that job's.
    /// Its plan must leave levels for it (--further-levels).
    #[arg(long, value_name = "JOB", conflicts_with_all = ["preset", "security", "primes", "packing"])]
    pub after: Option<PathBuf>,
    /// Show the plan too: steps, levels, noise, parts of the memory, the variants of the circuit, and the parameters that
    /// were not taken.
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub output: OptionalOutput,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl PlanArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.function.inputs();
        inputs.push(("--after", self.after.as_deref()));
        inputs
    }
}

/// `check`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Reads a table with a column for each input, private or public, evaluates the circuit in the clear, and plans it: a trial
before there are keys. Public inputs may have a table of their own. Nothing is encrypted. The first ten results are shown;
-o writes all of them.

Example:
  ringmill check --expr 'flag = income > limit and score < 10' --types-from customers.csv --type 'limit=public u18' \\
    --input customers.csv --data limits.csv

For a program over messages each input, encrypted or public, has a file with a message a line:
  ringmill check --integers 'w: public; d = inner(a, w)' --input a=a.csv --input w=w.csv

{EXIT_CODES}"))]
pub struct CheckArguments {
    #[command(flatten)]
    pub function: FunctionChoice,
    #[command(flatten)]
    pub program: ProgramChoice,
    #[command(flatten)]
    pub choice: ParameterChoice,
    #[command(flatten)]
    pub device: DeviceOption,
    /// The table; - for standard input. For --integers NAME=FILE, once for each input.
    #[arg(long, value_name = "FILE", required = true)]
    pub input: Vec<PathBuf>,
    /// The public inputs, if they are in a table of their own; a single record stands for all.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// csv, tsv, json (one object a line) or binary, for tables whose names do not tell.
    #[arg(long, value_name = "FORMAT", value_parser = table_format)]
    pub format: Option<TableFormat>,
    #[command(flatten)]
    pub output: OptionalOutput,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl CheckArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.function.inputs();
        inputs.extend(self.input.iter().map(|path| ("--input", Some(file_part(path)))));
        inputs.push(("--data", self.data.as_deref()));
        inputs
    }
}
