use std::path::Path;
use std::sync::Arc;

use ringmill::device::Device;
use ringmill::files::is_standard;
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{EvaluatedFile, Job, JobFile, Loading, Planning, PublicInputs, Server, SigningKey, Work};
use serde::Serialize;

use super::messages;
use crate::arguments::{EvalArguments, MemoryChoice, ResumableOutput, check_inputs, single};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{bytes, print_beside, seconds};

/// Evaluates a circuit, or a program over messages, on encrypted inputs.
pub fn run(arguments: &EvalArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.memory.check()?;
    arguments.output.file().check()?;
    let job = arguments.job.open()?;
    if arguments.job.is_for_messages(&job) && job.program().is_some() {
        return messages::eval::run(arguments, &job);
    }
    let job = arguments.job.circuit_of(job)?;
    arguments
        .device
        .open(&Terminal::default())?
        .run(Eval(&job, arguments))
}

struct Eval<'a>(&'a JobFile, &'a EvalArguments);

impl PlatformTask for Eval<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let Self(file, arguments) = self;
        let public = if arguments.data.is_empty() {
            PublicInputs::none()
        } else {
            PublicInputs::table(arguments.table.open(single("--data", &arguments.data)?))
        };
        let planning = planning(&arguments.memory, &arguments.input).policy(arguments.policy.policy());
        let job = planning.open_to_evaluate_on(platform, file)?;
        let server = server(&job, &arguments.evaluation_key, arguments.public_key.as_deref())?;
        let server = signing(server, arguments.sign_with.as_deref())?;
        let file = server.evaluate_joint_to(&arguments.input, &public, &arguments.output.file())?;
        report(&job, &file, (&arguments.output, arguments.json))
    }
}

/// A server with the keys that are given.
pub fn server<P: Platform>(
    job: &Job<P>,
    evaluation: &Path,
    public: Option<&Path>,
) -> Result<Server<P::Device>, CliError> {
    let server = job.open_server(evaluation)?;
    Ok(match public {
        None => server,
        Some(public) => server.with_public_key(job.open_public_key(public)?)?,
    })
}

/// A server that signs its results, if there is a key for that.
pub fn signing<D: Device>(server: Server<D>, key: Option<&Path>) -> Result<Server<D>, CliError> {
    Ok(match key {
        None => server,
        Some(key) => server.signing_with(SigningKey::open(key)?),
    })
}

/// How a job is opened to evaluate inputs of files: what comes by standard input cannot be read again.
pub fn planning(memory: &MemoryChoice, inputs: &[impl AsRef<Path>]) -> Planning {
    let loading = if inputs.iter().any(|path| is_standard(path.as_ref())) {
        Loading::AtOnce
    } else {
        Loading::WhenUsed
    };
    let planning = Planning::new().observer(Arc::new(Terminal::default()));
    memory.apply(planning).loading(loading)
}

#[derive(Serialize)]
struct Report {
    circuit: String,
    records: u64,
    batches: usize,
    /// Batches that an earlier run had evaluated.
    taken_over: usize,
    ciphertexts: usize,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    breakdown: Vec<Work>,
    peak_memory: Option<u64>,
    file: String,
    file_bytes: u64,
}

/// Says what an evaluation has written.
pub fn report(
    job: &Job<impl Platform>,
    file: &EvaluatedFile,
    (output, json): (&ResumableOutput, bool),
) -> Result<(), CliError> {
    let path = &output.output.path;
    let report = Report {
        circuit: job.name().to_owned(),
        records: file.records,
        batches: file.batches,
        taken_over: file.taken_over,
        ciphertexts: file.ciphertexts,
        device: job.platform().name(),
        insecure: job.parameters().security().warning.clone(),
        seconds: file.account.seconds,
        breakdown: file.account.work.clone(),
        peak_memory: file.account.peak_memory,
        file: path.display().to_string(),
        file_bytes: file.bytes,
    };
    print_beside(path, json, &report, || report.text())
}

impl Report {
    fn text(&self) -> String {
        let taken_over = match self.taken_over {
            0 => String::new(),
            count => format!(" ({count} of them by an earlier run)"),
        };
        format!(
            "{} records in {} batches{taken_over} evaluated in {}, {} written to {}\n",
            self.records,
            self.batches,
            seconds(self.seconds),
            bytes(self.file_bytes),
            self.file
        )
    }
}
