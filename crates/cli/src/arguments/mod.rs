//! The command line as it is typed.

mod circuit;
mod files;
mod hardware;
mod jobs;
mod plan;
mod programs;
mod steps;
mod tables;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ringmill::platform::{AnyPlatform, DeviceName};
use ringmill::{
    InputKey, InputPacking, Observer, Planning, Policy, PrimeRule, ProductForm, SecurityLevel, SlotSharing,
};

use crate::error::CliError;

pub use circuit::{FunctionChoice, JobChoice};
pub use files::{OptionalOutput, Output, ResumableOutput, check_inputs};
#[cfg(feature = "rtl")]
pub use hardware::{CombaSet, HwRunArguments, MachineName, MachinePipeline, MachineSize, TileNetwork};
pub use hardware::{HwArguments, HwCommand, HwReportArguments};
pub use jobs::{BenchArguments, CircuitsArguments, DemoArguments, DemoCipher, InspectArguments};
pub use plan::{CheckArguments, PlanArguments};
pub use programs::{named, single};
pub use steps::{
    DecryptArguments, EncodingChoice, EncryptArguments, EvalArguments, KeygenArguments, SigningKeyArguments,
    TranscipherArguments,
};
pub use tables::OriginChoice;

/// Shown below every command's help.
pub const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 internal error, 2 wrong usage, 3 damaged or unfit file, 4 wrong result or failed \
decryption, 5 no parameters fit, 6 a file cannot be read or written, 7 the device cannot be used or failed, 8 stopped by \
a signal.";

const KERNELS: &str = "\
The environment variable RINGMILL_KERNEL (portable, avx2, avx512f, avx512, no-avx512) forces or forbids vector kernels.";

/// Compute on encrypted bits, thousands of records at a time.
///
/// `ringmill demo` shows what it does. The same in steps, on different machines: `plan`, `keygen`,
/// `encrypt`, `eval` (which sees no secret), `decrypt`. `circuits` lists what can be computed on bits. The same steps
/// compute on messages, rows of integers, with `plan --integers`; `plan --preset` encrypts and decrypts them only.
#[derive(Debug, Parser)]
#[command(name = "ringmill", version, after_help = EXIT_CODES, after_long_help = format!("{EXIT_CODES}\n\n{KERNELS}"))]
pub struct Arguments {
    /// Threads to compute with; all cores unless given.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decrypt a block cipher's data homomorphically, check it, and show what it costs.
    Demo(DemoArguments),
    /// List the circuits that come with the program.
    Circuits(CircuitsArguments),
    /// Plan a circuit or a program over messages of numbers, and write a job file.
    #[command(visible_alias = "params")]
    Plan(PlanArguments),
    /// Try a circuit or a program in the clear, and show what it would cost under encryption.
    Check(CheckArguments),
    /// Make a secret key, a public key and, for whatever is computed, an evaluation key.
    Keygen(KeygenArguments),
    /// Make a key that an evaluator signs results with, and one that others check signatures with.
    SigningKey(SigningKeyArguments),
    /// Encrypt the private inputs of a circuit or a program, or messages of numbers.
    Encrypt(EncryptArguments),
    /// Evaluate a circuit or a program on encrypted inputs; needs no secret.
    Eval(EvalArguments),
    /// Turn data of a block cipher into ciphertexts, given its key encrypted; and compute on them.
    Transcipher(TranscipherArguments),
    /// Decrypt results or messages.
    Decrypt(DecryptArguments),
    /// Say what a file contains.
    Inspect(InspectArguments),
    /// Measure operations, beside published figures.
    Bench(BenchArguments),
    /// Simulate the papers' machines, and show what they take on an FPGA.
    Hw(HwArguments),
}

impl Command {
    /// The device that works with users' secrets, if the command has any.
    pub const fn secrets_on(&self) -> Option<DeviceName> {
        match self {
            Self::Keygen(arguments) => Some(arguments.device.device),
            Self::Encrypt(arguments) => Some(arguments.device.device),
            Self::Decrypt(arguments) => Some(arguments.device.device),
            _ => None,
        }
    }
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

/// A form of products, or whichever is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormChoice {
    /// The product of BFV: FV as the papers have it.
    #[value(alias = "high")]
    Bfv,
    /// The product of BGV, on the same ciphertexts.
    #[value(alias = "low")]
    Bgv,
    /// The one that is predicted to be faster.
    Auto,
}

impl FormChoice {
    /// The form, if it is given.
    pub fn form(self) -> Option<ProductForm> {
        match self {
            Self::Bfv => Some(ProductForm::Bfv),
            Self::Bgv => Some(ProductForm::Bgv),
            Self::Auto => None,
        }
    }
}

/// The rule that primes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrimesChoice {
    /// All primes with the roots of unity that transforms need.
    Transform,
    /// Those that are 1 modulo 2^17 too, which the machines in hdl/ take.
    Machine,
}

impl From<PrimesChoice> for PrimeRule {
    fn from(choice: PrimesChoice) -> Self {
        match choice {
            PrimesChoice::Transform => Self::Transform,
            PrimesChoice::Machine => Self::Machine,
        }
    }
}

/// Which key inputs are encrypted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Secrecy {
    /// The public key, or either.
    Public,
    /// The secret key only.
    Secret,
}

/// The device to compute with.
#[derive(Debug, Clone, Copy, Args)]
pub struct DeviceOption {
    /// Device to compute with: cpu; cuda or cuda:N, an NVIDIA GPU by its number; auto, the first GPU that works, else
    /// cpu. Builds with the feature rtl simulate machines: rtl:ntt-multiplier, for messages at n = 1024, and rtl:core, for
    /// ciphertexts whose primes are for machines. A device that cannot be used is an error. All give the same results.
    #[arg(long, value_name = "NAME", default_value_t = DeviceName::Cpu)]
    pub device: DeviceName,
}

impl DeviceOption {
    /// Opens the device.
    pub fn open(self, observer: &dyn Observer) -> Result<AnyPlatform, CliError> {
        Ok(self.device.open(observer)?)
    }
}

/// How private inputs come in ciphertexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Packing {
    /// A ciphertext for each wire: most bytes, least work.
    Separate,
    /// Up to 16 wires of bits in a ciphertext, or two of bytes; the evaluator takes them apart.
    Slots,
    /// One record that stands for all, as a key or a query does: hundreds of wires in a ciphertext.
    Broadcast,
}

impl From<Packing> for InputPacking {
    fn from(packing: Packing) -> Self {
        match packing {
            Packing::Separate => Self::Separate,
            Packing::Slots => Self::Slots,
            Packing::Broadcast => Self::Broadcast,
        }
    }
}

/// Whether records share slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sharing {
    /// Where that is predicted to take less time for the table of --records.
    Auto,
    /// Each record has slots of its own.
    Never,
    /// Four records in each slot: about twice the time for four times the records. For circuits of bits only.
    Always,
}

impl From<Sharing> for SlotSharing {
    fn from(sharing: Sharing) -> Self {
        match sharing {
            Sharing::Auto => Self::Auto,
            Sharing::Never => Self::Never,
            Sharing::Always => Self::Always,
        }
    }
}

impl From<Secrecy> for InputKey {
    fn from(secrecy: Secrecy) -> Self {
        match secrecy {
            Secrecy::Public => Self::Public,
            Secrecy::Secret => Self::Secret,
        }
    }
}

/// The terms on which a job file is accepted.
#[derive(Debug, Clone, Copy, Args)]
pub struct PolicyOption {
    /// Accept a job file with less than 128 bits of security, or with a plan whose results may be wrong more
    /// often than once in 2^64. Whoever made the file may then be able to read what is encrypted.
    #[arg(long)]
    pub allow_insecure: bool,
}

impl PolicyOption {
    /// The same for the library.
    pub fn policy(self) -> Policy {
        if self.allow_insecure {
            Policy::allow_insecure()
        } else {
            Policy::default()
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
    /// Take these parameters instead; an unknown name lists all. Needed where there is no circuit.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// How products are computed.
    #[arg(long, value_enum, default_value = "auto")]
    pub form: FormChoice,
    /// Primes to choose from.
    #[arg(long, value_enum, default_value = "transform", conflicts_with = "preset")]
    pub primes: PrimesChoice,
    /// Records of the table: parameters are chosen for the least time for all of them, in however many batches; the
    /// smallest that fit unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub records: Option<u64>,
    /// Records that a single batch must have room for, at least.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_records: Option<u32>,
    /// Whether four records share each slot.
    #[arg(long, value_enum, default_value = "auto")]
    pub share_slots: Sharing,
    #[command(flatten)]
    pub memory: MemoryChoice,
    /// Measure this machine again, instead of using what was measured before. That happens by itself where other programs
    /// had used the machine.
    #[arg(long)]
    pub recalibrate: bool,
}

impl ParameterChoice {
    /// The same as options of the planner.
    pub fn planning(&self, observer: Arc<dyn Observer>) -> Planning {
        let planning = self.memory.apply(Planning::new().observer(observer));
        let planning = planning
            .security(self.security.into())
            .preset(self.preset.as_deref())
            .form(self.form.form())
            .prime_rule(self.primes.into())
            .slot_sharing(self.share_slots.into())
            .recalibrate(self.recalibrate);
        let planning = match self.records {
            Some(records) => planning.records(usize::try_from(records).unwrap_or(usize::MAX)),
            None => planning,
        };
        match self.batch_records {
            Some(records) => planning.batch_records(records as usize),
            None => planning,
        }
    }
}

/// The memory of an evaluation.
#[derive(Debug, Clone, Default, Args)]
pub struct MemoryChoice {
    /// Memory that the evaluation may take, in GiB, if need be at the cost of time; unless given, what this machine
    /// has to spare, or on a GPU its own.
    #[arg(long, value_name = "GIB", value_parser = gibibytes)]
    pub memory: Option<f64>,
    /// Directory for a temporary file of encrypted values that memory has no room for; unless given, what does not fit
    /// is refused.
    #[arg(long, value_name = "DIR")]
    pub spill_dir: Option<PathBuf>,
}

impl MemoryChoice {
    /// The same as options of the planner.
    pub fn apply(&self, planning: Planning) -> Planning {
        let bytes = self.memory.map(|memory| (memory * f64::from(1 << 30)) as u64);
        planning.memory(bytes).spill_directory(self.spill_dir.as_deref())
    }

    /// Refuses a directory that is not there. To be called before any work is done.
    pub fn check(&self) -> Result<(), CliError> {
        match &self.spill_dir {
            Some(directory) if !directory.is_dir() => {
                let error = io::Error::new(io::ErrorKind::NotFound, "no such directory; make it first");
                Err(CliError::io(directory, error))
            }
            _ => Ok(()),
        }
    }
}

fn gibibytes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(memory) if memory > 0.0 && memory < 1e9 => Ok(memory),
        _ => Err("a positive number of GiB is needed, for instance 8 or 0.5".to_owned()),
    }
}

/// The passphrase of a secret key.
#[derive(Debug, Args)]
pub struct PassphraseOption {
    /// A file whose first line is the passphrase of the secret key; unless given, it is asked for if the key is under
    /// one.
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}
