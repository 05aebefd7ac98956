use std::io;
use std::path::{Path, PathBuf};

use ringmill_arith::ArithError;
use ringmill_circuit::{CircuitError, EvaluateError};
use ringmill_cuda::gpu::GpuError;
use ringmill_device::DeviceError;
use ringmill_engine::{EngineError, PlanError};
use ringmill_fv::FvError;
use ringmill_fv::format::FormatError;
use ringmill_ring::RingError;
#[cfg(feature = "rtl")]
use ringmill_rtl::RtlError;
use ringmill_schemes::integers::IntegersError;
use ringmill_schemes::karatsuba::KaratsubaError;
use ringmill_schemes::ntru::NtruError;
use thiserror::Error;

/// Anything that makes a command fail; its text is what the user sees.
#[derive(Debug, Error)]
pub enum CliError {
    /// Arguments that contradict each other or have impossible values.
    #[error("{0}")]
    Usage(String),
    /// A file of ringmill's that cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: FvError,
    },
    /// A file of records, text or a key that cannot be used.
    #[error("{}: {problem}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong, and how it would be right.
        problem: String,
    },
    /// Results that differ from what they should be.
    #[error("{0}")]
    WrongResult(String),
    /// No parameters for the circuit.
    #[error("cannot be planned: {0}")]
    Plan(#[from] PlanError),
    /// The operating system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// An output file that is there already.
    #[error("{} exists already; choose another name, or add --force to replace it", .0.display())]
    Exists(PathBuf),
    /// What an earlier run has kept.
    #[error(
        "{} exists already: batches that an earlier run had finished when it failed; add --resume to go on from \
         there, or --force to begin at the first batch",
        .0.display()
    )]
    KeptAlready(PathBuf),
    /// A job failed, but not all of its work is lost.
    #[error(
        "{source}\n{batches} finished batches are kept in {}; when that is mended, the same command with --resume goes \
         on from there",
        partial.display()
    )]
    Kept {
        /// Why it failed.
        source: Box<CliError>,
        /// Batches that are kept.
        batches: usize,
        /// The file that they are in.
        partial: PathBuf,
    },
    /// Some of what `bench` was to measure failed.
    #[error("{}: {name}: {source}", unmeasured(*count))]
    NotMeasured {
        /// How many.
        count: usize,
        /// What the first was to measure.
        name: String,
        /// Why it failed.
        source: Box<CliError>,
    },
    /// Evaluation failed.
    #[error("evaluation failed: {0}")]
    Engine(EngineError),
    /// The scheme refused something.
    #[error(transparent)]
    Fv(#[from] FvError),
    /// A device refused something, or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A GPU cannot be used.
    #[error("--device cuda: {0}")]
    Cuda(#[from] GpuError),
    /// A machine cannot be simulated.
    #[cfg(feature = "rtl")]
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// A scheme of paper 3 refused something.
    #[error(transparent)]
    Ntru(#[from] NtruError),
    /// A scheme of paper 4 refused something.
    #[error(transparent)]
    Karatsuba(#[from] KaratsubaError),
    /// The scheme of paper 5 refused something.
    #[error(transparent)]
    Integers(#[from] IntegersError),
    /// The ring refused something.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// No such kernel, or no randomness.
    #[error(transparent)]
    Arith(#[from] ArithError),
    /// A circuit contradicts itself: a defect.
    #[error("circuit: {0}")]
    Circuit(#[from] CircuitError),
    /// A circuit was evaluated in the clear on data of the wrong shape: a defect.
    #[error("circuit: {0}")]
    Evaluate(#[from] EvaluateError),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A report could not be made: a defect.
    #[error("cannot write the report as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<EngineError> for CliError {
    /// What FV refused is FV's error, whoever asked.
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Scheme(error) => match error.downcast() {
                Ok(error) => Self::Fv(*error),
                Err(other) => Self::Engine(EngineError::Scheme(other)),
            },
            error => Self::Engine(error),
        }
    }
}

impl CliError {
    /// What `path` and an error in it make: files that cannot be read or written at all are set apart
    /// from damaged ones, and so are failures of the device that their content goes to.
    pub fn in_file(path: &Path, source: FvError) -> Self {
        match source {
            FvError::Format(FormatError::Io(source) | FormatError::File { source, .. }) => {
                Self::io(path, source)
            }
            FvError::Device(error) if is_failure(&error) => Self::Device(error),
            source => Self::File {
                path: path.to_path_buf(),
                source,
            },
        }
    }

    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }

    pub fn data(path: &Path, problem: impl Into<String>) -> Self {
        Self::Data {
            path: path.to_path_buf(),
            problem: problem.into(),
        }
    }

    /// A plan that cannot be made as a file says.
    pub fn plan_of_file(path: &Path, circuit: &str, error: PlanError) -> Self {
        match error {
            PlanError::OtherCircuit => Self::data(
                path,
                format!(
                    "these parameters were made for another circuit than {circuit}, or with other choices of --then \
                     and --public"
                ),
            ),
            error => Self::Plan(error),
        }
    }

    /// Blames the file that is being read or written, of results say, for what FV refused.
    pub fn blaming(self, path: &Path) -> Self {
        match self {
            Self::Fv(error) => Self::in_file(path, error),
            error => error,
        }
    }

    /// Blames the file of encrypted inputs for inputs that do not suit the plan.
    pub fn in_inputs(self, path: &Path) -> Self {
        match self {
            Self::Engine(error @ (EngineError::LowLevel { .. } | EngineError::WrongParts { .. })) => {
                Self::data(path, error.to_string())
            }
            error => error,
        }
    }

    /// What a device refused, whoever asked.
    fn device(&self) -> Option<&DeviceError> {
        match self {
            Self::Device(error) | Self::Fv(FvError::Device(error)) | Self::Ntru(NtruError::Device(error)) => {
                Some(error)
            }
            Self::Engine(EngineError::Device(error)) => Some(error),
            Self::Engine(EngineError::Step { source, .. } | EngineError::Scheme(source)) => {
                let of_fv = source.downcast_ref().and_then(|error| match error {
                    FvError::Device(error) => Some(error),
                    _ => None,
                });
                of_fv.or_else(|| match source.downcast_ref()? {
                    NtruError::Device(error) => Some(error),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// Whether a device could not be used or failed, rather than refused what was asked of it.
    pub fn is_devices(&self) -> bool {
        matches!(self, Self::Cuda(_)) || self.device().is_some_and(is_failure)
    }

    /// The exit code; [`crate::arguments::EXIT_CODES`] lists them for users.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::Fv(FvError::UnknownPreset { .. })
            | Self::Ntru(NtruError::UnknownSet { .. }) => 2,
            Self::File {
                source: FvError::NoiseOverflow { .. },
                ..
            }
            | Self::Fv(FvError::NoiseOverflow { .. })
            | Self::WrongResult(_) => 4,
            Self::File { .. } | Self::Data { .. } => 3,
            Self::Plan(_) | Self::Ntru(NtruError::TooDeep { .. }) => 5,
            Self::Io { .. } | Self::Exists(_) | Self::KeptAlready(_) => 6,
            Self::Kept { source, .. } | Self::NotMeasured { source, .. } => source.exit_code(),
            Self::Arith(ArithError::KernelUnavailable { .. }) => 2,
            error if error.is_devices() => 7,
            _ => 1,
        }
    }
}

fn unmeasured(count: usize) -> String {
    if count == 1 {
        "not measured".to_owned()
    } else {
        format!("{count} measurements failed; the first")
    }
}

/// Whether a device failed or lacks something, whatever it was asked.
fn is_failure(error: &DeviceError) -> bool {
    matches!(
        error,
        DeviceError::Failed { .. } | DeviceError::Unsupported { .. }
    )
}

impl From<FormatError> for CliError {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::File { path, source } => Self::Io { path, source },
            error => Self::Fv(FvError::Format(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever a device fails, the exit code says so; what it refuses for another's mistake is no failure of it.
    #[test]
    fn failures_of_devices_have_a_code() {
        let failed = || DeviceError::Failed {
            device: "GPU".to_owned(),
            problem: "it is on fire".to_owned(),
        };
        let step = |source| EngineError::Step {
            step: 3,
            operation: "product",
            level: 2,
            source,
        };
        let errors = [
            CliError::from(failed()),
            FvError::from(failed()).into(),
            NtruError::from(failed()).into(),
            step(Box::new(FvError::from(failed()))).into(),
            step(Box::new(NtruError::from(failed()))).into(),
            EngineError::Scheme(Box::new(FvError::from(failed()))).into(),
            EngineError::from(failed()).into(),
            GpuError::NoDriver("none".to_owned()).into(),
            CliError::in_file("some.key".as_ref(), failed().into()),
        ];
        for error in errors {
            assert_eq!(error.exit_code(), 7, "{error}");
        }
        let refused = step(Box::new(FvError::from(DeviceError::NoOperands)));
        assert_eq!(CliError::from(refused).exit_code(), 1);
    }
}
