//! The steps of a job.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ringmill::TableFormat;
use ringmill::messages::Encoding;

use super::programs::file_part;
use super::tables::{CarriedChoice, OrderChoice, OriginChoice, TableChoice, each, table_format};
use super::{
    DeviceOption, EXIT_CODES, JobChoice, MemoryChoice, Output, PassphraseOption, PolicyOption,
    ResumableOutput,
};

/// `signing-key`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Writes signing.key (readable by its owner only), which an evaluator signs results with, and verifying.key, which is
for whoever decrypts them. A signature proves whose results are, not that they are right.

Example:
  ringmill signing-key --out-dir evaluator
  ringmill eval ... --sign-with evaluator/signing.key -o out.ct
  ringmill decrypt ... --signed-by evaluator/verifying.key --input out.ct -o sums.csv

{EXIT_CODES}"))]
pub struct SigningKeyArguments {
    /// Directory to write to, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out_dir: PathBuf,
    /// Replace keys that are there already.
    #[arg(long)]
    pub force: bool,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `keygen`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Writes secret.key (readable by its owner only; keep it), public.key (for whoever encrypts) and, for whatever is
computed, evaluation.key (for whoever evaluates).

Examples: for a circuit or a program; for messages; with the secret key under a passphrase, which is asked for:
  ringmill keygen add.job --out-dir keys
  ringmill keygen p.job --out-dir keys
  ringmill keygen add.job --out-dir keys --passphrase

{EXIT_CODES}"))]
pub struct KeygenArguments {
    #[command(flatten)]
    pub job: JobChoice,
    #[command(flatten)]
    pub policy: PolicyOption,
    /// Directory to write to, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out_dir: PathBuf,
    #[command(flatten)]
    pub device: DeviceOption,
    /// Put the secret key under a passphrase, which is asked for.
    #[arg(long, conflicts_with = "passphrase_file")]
    pub passphrase: bool,
    /// Put the secret key under a passphrase: the first line of this file; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Replace keys that are there already. Nothing encrypted under them can be decrypted afterwards.
    #[arg(long)]
    pub force: bool,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl KeygenArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.job.inputs();
        inputs.push(("--passphrase-file", self.passphrase_file.as_deref()));
        inputs
    }
}

/// `encrypt`
#[derive(Debug, Args)]
#[command(after_help = format!("\
The table has a column for each private input of the circuit, named as the port. A table of a single record stands
for all records of the public table.

Examples: numbers, one of them signed; the key of a block cipher for the evaluator, in hexadecimal:
  ringmill encrypt add.job --public-key keys/public.key --input table.csv \\
    --type a=i32 -o in.ct
  ringmill encrypt aes.job --public-key keys/public.key \\
    --cipher-key-file aes.key -o key.ct

From standard input to standard output:
  ringmill encrypt add.job --public-key keys/public.key --input - --format tsv -o - \\
    < table.txt > in.ct

Only some of the private inputs, because others are another owner's, who encrypts them under the same key:
  ringmill encrypt sum.job --public-key keys/public.key --ports income,score \\
    --input mine.csv -o mine.ct

For messages each line of the input is one: up to n numbers with commas between them, or a JSON array. A program over
messages has a file for each of its inputs, and line i of all files is row i; whoever owns some of the inputs encrypts
those only:
  ringmill encrypt p.job --public-key keys/public.key --input numbers.csv -o in.ct
  ringmill encrypt m.job --public-key keys/public.key --input a=a.csv --input b=b.csv -o in.ct

{EXIT_CODES}"))]
pub struct EncryptArguments {
    #[command(flatten)]
    pub job: JobChoice,
    #[command(flatten)]
    pub policy: PolicyOption,
    #[command(flatten)]
    pub key: EncryptionKey,
    #[command(flatten)]
    pub passphrase: PassphraseOption,
    #[command(flatten)]
    pub values: Values,
    /// Encrypt only these private inputs, whose columns are then all that the table needs; the others come from other
    /// owners. Unless given, all private inputs are encrypted.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with_all = ["cipher_key", "cipher_key_file"]
    )]
    pub ports: Vec<String>,
    #[command(flatten)]
    pub order: OrderChoice,
    #[command(flatten)]
    pub table: TableChoice,
    /// How the numbers of messages are encoded; slots unless the parameters have none.
    #[arg(long = "as", value_enum, value_name = "ENCODING")]
    pub encoding: Option<EncodingChoice>,
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub output: Output,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl EncryptArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.job.inputs();
        let values = self.values.input.iter();
        inputs.extend(values.map(|path| ("--input", Some(file_part(path)))));
        inputs.extend([
            ("--public-key", self.key.public_key.as_deref()),
            ("--secret-key", self.key.secret_key.as_deref()),
            ("--passphrase-file", self.passphrase.passphrase_file.as_deref()),
            ("--cipher-key-file", self.values.cipher_key_file.as_deref()),
            ("--order", self.order.order.as_deref()),
        ]);
        inputs
    }
}

/// How the numbers of a message become a polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingChoice {
    /// Each in a slot: sums and products of ciphertexts are those of the numbers, one by one.
    Slots,
    /// As coefficients: sums of ciphertexts are those of the numbers, products are not.
    Coefficients,
}

impl From<EncodingChoice> for Encoding {
    fn from(choice: EncodingChoice) -> Self {
        match choice {
            EncodingChoice::Slots => Self::Slots,
            EncodingChoice::Coefficients => Self::Coefficients,
        }
    }
}

/// The key to encrypt with.
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

/// The values to encrypt.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Values {
    /// A table of the private inputs, or messages; - for standard input. For a program over messages NAME=FILE, once for
    /// each input.
    #[arg(long, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// The key of the circuit's cipher in hexadecimal. Other users may see it in the list of processes:
    /// prefer a file.
    #[arg(long, value_name = "HEX")]
    pub cipher_key: Option<String>,
    /// A file with the key of the circuit's cipher in hexadecimal; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub cipher_key_file: Option<PathBuf>,
}

/// `eval`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples: without and with public inputs:
  ringmill eval add.job --evaluation-key keys/evaluation.key --input in.ct -o out.ct
  ringmill eval less.job --evaluation-key keys/evaluation.key \\
    --input in.ct --data limits.csv -o out.ct
A program over messages, with a public input:
  ringmill eval m.job --evaluation-key keys/evaluation.key --input in.ct --data w=w.csv \\
    -o out.ct
The same on a GPU if there is one:
  ringmill eval add.job --evaluation-key keys/evaluation.key --input in.ct --device auto \\
    -o out.ct

Each batch is on disk when it is finished, in out.ct.partial until all are. If a later one fails, or the process is
killed, the same command goes on from there, on any device:
  ringmill eval add.job --evaluation-key keys/evaluation.key --input in.ct -o out.ct \\
    --resume

{EXIT_CODES}"))]
pub struct EvalArguments {
    #[command(flatten)]
    pub job: JobChoice,
    #[command(flatten)]
    pub policy: PolicyOption,
    /// The evaluation key, from `ringmill keygen`.
    #[arg(long, value_name = "FILE")]
    pub evaluation_key: PathBuf,
    /// The public key, from `ringmill keygen`; needed for a job that was planned with --share-results.
    #[arg(long, value_name = "FILE")]
    pub public_key: Option<PathBuf>,
    /// Encrypted private inputs, from `ringmill encrypt`. May be repeated, in any order: files of several owners, which
    /// together hold each private input once (`encrypt --ports`).
    #[arg(long, value_name = "FILE", visible_alias = "key", required = true)]
    pub input: Vec<PathBuf>,
    /// A table of the public inputs, as many records as are encrypted or a single one that stands for all; needed if the
    /// circuit has any. For a program over messages NAME=FILE, once for each public input.
    #[arg(long, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryChoice,
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub table: TableChoice,
    /// Sign the results with this key, from `ringmill signing-key`.
    #[arg(long, value_name = "FILE")]
    pub sign_with: Option<PathBuf>,
    #[command(flatten)]
    pub output: ResumableOutput,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl EvalArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.job.inputs();
        inputs.extend([
            ("--evaluation-key", Some(&*self.evaluation_key)),
            ("--sign-with", self.sign_with.as_deref()),
            ("--public-key", self.public_key.as_deref()),
        ]);
        inputs.extend(each("--input", &self.input));
        inputs.extend(self.data.iter().map(|path| ("--data", Some(file_part(path)))));
        inputs
    }
}

/// `transcipher`
#[derive(Debug, Args)]
#[command(after_help = format!("\
As `eval`, for a circuit that begins with a block cipher, on the cipher's raw data: a record for each block. With
--then the data are not only decrypted under encryption, but used by another circuit, which takes the bytes of each
block in the order of its private inputs (each in whole bytes, as in binary tables); the rest of a block is padding.

Example: which of the numbers encrypted with AES are greater than a limit, for the evaluator to compute:
  ringmill transcipher p.job --evaluation-key keys/evaluation.key --key key.ct --data numbers.aes \\
    --counter 000102030405060708090a0b0c0d0e0f --table limits.csv -o out.ct

{EXIT_CODES}"))]
pub struct TranscipherArguments {
    #[command(flatten)]
    pub job: JobChoice,
    #[command(flatten)]
    pub policy: PolicyOption,
    /// The evaluation key, from `ringmill keygen`.
    #[arg(long, value_name = "FILE")]
    pub evaluation_key: PathBuf,
    /// The public key, from `ringmill keygen`; needed for a job that was planned with --share-results.
    #[arg(long, value_name = "FILE")]
    pub public_key: Option<PathBuf>,
    /// The cipher's key encrypted, from `ringmill encrypt --cipher-key-file`.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// The cipher's data, whole blocks; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// The first counter block in hexadecimal, for counter mode.
    #[arg(long, value_name = "HEX")]
    pub counter: Option<String>,
    /// A table of the other public inputs, as many records as blocks; needed if the circuit has any.
    #[arg(long = "table", value_name = "FILE")]
    pub others: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryChoice,
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub table: TableChoice,
    /// Sign the results with this key, from `ringmill signing-key`.
    #[arg(long, value_name = "FILE")]
    pub sign_with: Option<PathBuf>,
    #[command(flatten)]
    pub output: ResumableOutput,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl TranscipherArguments {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.job.inputs();
        inputs.extend([
            ("--evaluation-key", Some(&*self.evaluation_key)),
            ("--key", Some(&*self.key)),
            ("--data", Some(&*self.data)),
            ("--table", self.others.as_deref()),
            ("--sign-with", self.sign_with.as_deref()),
            ("--public-key", self.public_key.as_deref()),
        ]);
        inputs
    }
}

/// `decrypt`
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples: results of a circuit; messages; one result of a program over messages; results only if they were made of these
inputs, and are signed by this evaluator:
  ringmill decrypt add.job --secret-key keys/secret.key --input out.ct -o sums.csv
  ringmill decrypt p.job --secret-key keys/secret.key --input in.ct -o out.csv
  ringmill decrypt m.job --secret-key keys/secret.key --input out.ct --result r -o r.csv
  ringmill decrypt add.job --secret-key keys/secret.key --input out.ct --inputs in.ct \\
    --signed-by evaluator/verifying.key -o sums.csv
The column id of the table that was encrypted, before the results:
  ringmill decrypt add.job --secret-key keys/secret.key --input out.ct --carry id \\
    --from table.csv -o sums.csv

{EXIT_CODES}"))]
pub struct DecryptArguments {
    #[command(flatten)]
    pub job: JobChoice,
    #[command(flatten)]
    pub policy: PolicyOption,
    /// The secret key, from `ringmill keygen`.
    #[arg(long, value_name = "FILE")]
    pub secret_key: PathBuf,
    #[command(flatten)]
    pub passphrase: PassphraseOption,
    #[command(flatten)]
    pub origin: OriginChoice,
    #[command(flatten)]
    pub carried: CarriedChoice,
    /// Results, from `ringmill eval` or `ringmill transcipher`, or messages, from `ringmill encrypt`.
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// csv, tsv, json (one object, or one array for a message, a line) or binary. Not needed for outputs whose names end
    /// in .csv, .tsv, .json, .jsonl, .ndjson or .bin; for all others and for standard output.
    #[arg(long, value_name = "FORMAT", value_parser = table_format)]
    pub format: Option<TableFormat>,
    /// The type of a column: bool, u8, i8 and so on in the port's width, hex, bools. May be repeated.
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Write only this output of a program over messages; needed if it has several, unless they are written as json, an
    /// object with all of them a line.
    #[arg(long, value_name = "NAME")]
    pub result: Option<String>,
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub output: Output,
    /// Let other users of this machine read the output, as far as the usual mask lets them. Unless given, only its owner
    /// can.
    #[arg(long)]
    pub public_output: bool,
    /// Report the noise of the results, which is a secret of the key's owner: do not publish it.
    #[arg(long)]
    pub show_noise: bool,
    /// Print a JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

impl DecryptArguments {
    /// The file to write.
    pub fn file(&self) -> ringmill::Output {
        self.output.file().shared(self.public_output)
    }

    /// The options that may name a file to read.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.job.inputs();
        inputs.extend([
            ("--secret-key", Some(&*self.secret_key)),
            ("--passphrase-file", self.passphrase.passphrase_file.as_deref()),
            ("--input", Some(&*self.input)),
            ("--from", self.carried.from.as_deref()),
        ]);
        inputs.extend(self.origin.inputs());
        inputs
    }
}
