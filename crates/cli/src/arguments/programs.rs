//! Programs over messages, and the files of their inputs.

use std::path::{Path, PathBuf};

use clap::Args;
use ringmill::files::read_bytes;
use ringmill::messages::{DEFAULT_MODULUS, MessagePlan, MessagePlanning, MessageProgram};

use super::Security;
use crate::error::CliError;

/// The end of the name of a file that holds a program.
const PROGRAM_FILE: &str = ".integers";

/// The most bytes of such a file.
const MOST_PROGRAM: u64 = 1 << 19;

/// A program over messages, instead of a circuit.
#[derive(Debug, Clone, Args)]
pub struct ProgramChoice {
    /// What is computed on messages, rows of integers modulo --modulus, instead of a circuit: a program such as
    /// 'w: public; r = a * b + 3 * c; s = rotate(a, 1); d = inner(a, w)', or a file of one if the name ends in .integers.
    /// docs/messages.md has the language.
    #[arg(long, value_name = "PROGRAM|FILE", conflicts_with_all = ["circuit", "expr", "preset"])]
    pub integers: Option<String>,
    /// The plaintext modulus of --integers, 65537 unless given: a prime below 2^32 that is 1 modulo 2n.
    #[arg(long, value_name = "T", requires = "integers", conflicts_with = "preset")]
    pub modulus: Option<u64>,
    /// Numbers that a message of --integers must have room for, at least; the smallest dimension that fits the program is
    /// taken unless given.
    #[arg(
        long,
        value_name = "N",
        requires = "integers",
        conflicts_with = "preset",
        value_parser = clap::value_parser!(u32).range(1..=32768)
    )]
    pub numbers: Option<u32>,
}

impl ProgramChoice {
    /// Plans the program, if there is one.
    pub fn plan(&self, security: Security) -> Result<Option<MessagePlan>, CliError> {
        let Some(program) = &self.integers else {
            return Ok(None);
        };
        let text = if program.ends_with(PROGRAM_FILE) {
            let path = Path::new(program);
            let bytes = read_bytes(path, MOST_PROGRAM)?;
            let text = std::str::from_utf8(&bytes).map_err(|_| CliError::data(path, "not text"))?;
            text.to_owned()
        } else {
            program.clone()
        };
        let planning = MessagePlanning::new()
            .modulus(self.modulus.unwrap_or(DEFAULT_MODULUS))
            .numbers(self.numbers.unwrap_or(1) as usize)
            .security(security.into());
        Ok(Some(planning.plan(&text)?))
    }
}

/// The part of NAME=FILE that names a file.
pub fn file_part(value: &Path) -> &Path {
    let text = value.to_str().and_then(|text| text.split_once('='));
    text.map_or(value, |(_, file)| Path::new(file))
}

/// The inputs that an option names, each as NAME=FILE; FILE alone where the program has a single input of the kind.
pub fn named<'a>(
    option: &str,
    program: &'a MessageProgram,
    public: Option<bool>,
    values: &'a [PathBuf],
) -> Result<Vec<(&'a str, &'a Path)>, CliError> {
    let inputs = program.inputs().iter();
    let inputs: Vec<_> = inputs
        .filter(|input| public.is_none_or(|public| input.public == public))
        .collect();
    let one = |value: &'a PathBuf| match (
        value.to_str().and_then(|text| text.split_once('=')),
        inputs.as_slice(),
    ) {
        (Some((name, file)), _) => Ok((name, Path::new(file))),
        (None, [input]) => Ok((input.name.as_str(), value.as_path())),
        (None, _) => {
            let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            Err(CliError::usage(format!(
                "{option} {}: name the input, as NAME=FILE; the program has {}",
                value.display(),
                names.join(", ")
            )))
        }
    };
    values.iter().map(one).collect()
}

/// The only file of an option, for what has no named inputs.
pub fn single<'a>(option: &str, values: &'a [PathBuf]) -> Result<&'a Path, CliError> {
    match values {
        [one] => Ok(one),
        [] => Err(CliError::usage(format!("give {option}"))),
        _ => Err(CliError::usage(format!(
            "{option} is given {} times; give it once",
            values.len()
        ))),
    }
}
