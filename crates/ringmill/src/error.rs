use std::io;
use std::path::{Path, PathBuf};

use ringmill_arith::ArithError;
use ringmill_circuit::{CircuitError, EvaluateError};
#[cfg(feature = "cuda")]
use ringmill_cuda::gpu::GpuError;
use ringmill_device::DeviceError;
use ringmill_engine::{EngineError, PlanError};
use ringmill_format::FormatError;
use ringmill_fv::FvError;
use ringmill_ring::RingError;
#[cfg(feature = "rtl")]
use ringmill_rtl::RtlError;
use thiserror::Error as ThisError;

/// Anything that makes a job fail. Its text names the problem and the mend; [`Error::kind`] says of what sort it is.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// Arguments that contradict each other or have impossible values.
    #[error("{0}")]
    Usage(String),
    /// A file of ringmill's that cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The fault in it.
        source: FvError,
    },
    /// A file of records, text or a key that cannot be used.
    #[error("{}: {problem}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// The fault, and how to mend it.
        problem: String,
    },
    /// Results that differ from what they should be.
    #[error("{0}")]
    WrongResult(String),
    /// No parameters for the circuit.
    #[error("cannot be planned: {0}")]
    Plan(#[from] PlanError),
    /// No parameters for a program over messages.
    #[error("cannot be planned: {0}")]
    NoParameters(String),
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
    /// The batches that an earlier run has kept are there already.
    #[error(
        "{} exists already: batches that an earlier run had finished when it ended; add --resume to go on from \
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
        source: Box<Error>,
        /// Batches that are kept.
        batches: usize,
        /// The file that they are in.
        partial: PathBuf,
    },
    /// Whoever watched the job stopped it.
    #[error("stopped")]
    Cancelled,
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
    #[cfg(feature = "cuda")]
    #[error("--device cuda: {0}")]
    Cuda(#[from] GpuError),
    /// A machine cannot be simulated.
    #[cfg(feature = "rtl")]
    #[error(transparent)]
    Rtl(#[from] RtlError),
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
}

/// The sort of a failure, for callers that react to it: by an exit code, for instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Arguments contradict each other or have impossible values.
    Usage,
    /// A file or table is damaged, or does not fit the others.
    BadFile,
    /// A result is wrong, or a decryption failed and this was noticed.
    WrongResult,
    /// No parameters fit the circuit.
    NoParameters,
    /// A file cannot be read or written.
    Io,
    /// The device cannot be used, or failed.
    Device,
    /// Whoever watched the job stopped it.
    Cancelled,
    /// Anything else: a defect.
    Internal,
}

impl From<EngineError> for Error {
    /// Takes apart what the engine wraps: a refusal of FV is FV's error, and a file of values put aside that fails is a
    /// failure of input or output.
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Scheme(error) => match error.downcast() {
                Ok(error) => Self::Fv(*error),
                Err(other) => Self::Engine(EngineError::Scheme(other)),
            },
            EngineError::Step { source, .. }
                if matches!(source.downcast_ref(), Some(EngineError::Aside { .. })) =>
            {
                match source.downcast::<EngineError>() {
                    Ok(error) => Self::Engine(*error),
                    Err(other) => Self::Engine(EngineError::Scheme(other)),
                }
            }
            error => Self::Engine(error),
        }
    }
}

impl Error {
    /// The error of builds without the feature `rtl`.
    #[cfg(not(feature = "rtl"))]
    #[must_use]
    pub fn not_simulated() -> Self {
        Self::Usage(
            "this build simulates no machines: run `hdl/hw env` in the repository, and build with `cargo build \
             --release --features rtl`"
                .to_owned(),
        )
    }

    /// Makes an error of a file of ours that was being read or written. A file that cannot be read or written at all
    /// is set apart from a damaged one, and so is a failure of the device that its content goes to.
    #[must_use]
    pub fn in_file(path: &Path, source: FvError) -> Self {
        match source {
            FvError::Format(FormatError::Io(source)) => Self::io(path, source),
            FvError::Format(FormatError::File { path, source }) => match source.kind() {
                io::ErrorKind::AlreadyExists => Self::Exists(path),
                _ => Self::Io { path, source },
            },
            FvError::Device(error) if is_failure(&error) => Self::Device(error),
            source => Self::File {
                path: path.to_path_buf(),
                source,
            },
        }
    }

    /// Makes an error of a file or directory that the operating system refused.
    #[must_use]
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Makes an error of a file of records, text or a key.
    #[must_use]
    pub fn data(path: &Path, problem: impl Into<String>) -> Self {
        Self::Data {
            path: path.to_path_buf(),
            problem: problem.into(),
        }
    }

    /// Makes an error of a plan that cannot be made as a file says.
    pub(crate) fn plan_of_file(path: &Path, circuit: &str, error: PlanError) -> Self {
        match error {
            PlanError::OtherCircuit => Self::data(
                path,
                format!(
                    "these parameters were made for another circuit than {circuit}, or with other choices of --then \
                     and --public"
                ),
            ),
            PlanError::OtherAggregates => Self::data(
                path,
                format!(
                    "these parameters were made for other totals than {circuit} has; leave out --circuit, as the job file has \
                     the circuit with its totals"
                ),
            ),
            error @ PlanError::CannotShare { .. } => Self::data(path, error.to_string()),
            error => Self::Plan(error),
        }
    }

    /// Blames the file that is being read or written, of results say, for what FV refused.
    pub(crate) fn blaming(self, path: &Path) -> Self {
        match self {
            Self::Fv(error) => Self::in_file(path, error),
            error => error,
        }
    }

    /// Blames the file of encrypted inputs for inputs that do not suit the plan, or that changed while they were used.
    pub(crate) fn in_inputs(self, path: &Path) -> Self {
        match self {
            Self::Engine(error @ (EngineError::LowLevel { .. } | EngineError::WrongParts { .. })) => {
                Self::data(path, error.to_string())
            }
            // Only inputs are read during a step as they are.
            Self::Engine(EngineError::Step { source, .. }) if source.is::<io::Error>() => {
                Self::data(path, source.to_string())
            }
            error => error,
        }
    }

    /// The failure or refusal of a device in it, whoever asked the device.
    fn device(&self) -> Option<&DeviceError> {
        match self {
            Self::Device(error)
            | Self::Fv(FvError::Device(error))
            | Self::Engine(EngineError::Device(error)) => Some(error),
            Self::Engine(EngineError::Step { source, .. } | EngineError::Scheme(source)) => {
                match source.downcast_ref()? {
                    FvError::Device(error) => Some(error),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_of_gpu(&self) -> bool {
        #[cfg(feature = "cuda")]
        if matches!(self, Self::Cuda(_)) {
            return true;
        }
        false
    }

    /// The sort of the failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage(_)
            | Self::Fv(FvError::UnknownPreset { .. })
            | Self::Plan(PlanError::CannotShare { .. }) => ErrorKind::Usage,
            Self::Arith(ArithError::KernelUnavailable { .. }) => ErrorKind::Usage,
            #[cfg(feature = "rtl")]
            Self::Rtl(
                RtlError::BadShape { .. }
                | RtlError::BadEngine { .. }
                | RtlError::BadComba { .. }
                | RtlError::BadKaratsuba { .. }
                | RtlError::NotBuilt { .. }
                | RtlError::MachineNotBuilt { .. },
            ) => ErrorKind::Usage,
            Self::File {
                source: FvError::NoiseOverflow { .. },
                ..
            }
            | Self::Fv(FvError::NoiseOverflow { .. })
            | Self::WrongResult(_) => ErrorKind::WrongResult,
            Self::File { .. } | Self::Data { .. } => ErrorKind::BadFile,
            // Evaluation keys for another circuit, or of a version that takes other automorphisms.
            Self::Engine(EngineError::MissingGaloisKey { .. }) => ErrorKind::BadFile,
            Self::Plan(_) | Self::NoParameters(_) | Self::Fv(FvError::NoSecretAdmitted { .. }) => {
                ErrorKind::NoParameters
            }
            Self::Io { .. } | Self::Exists(_) | Self::KeptAlready(_) => ErrorKind::Io,
            Self::Kept { source, .. } => source.kind(),
            Self::Engine(EngineError::Aside { .. }) => ErrorKind::Io,
            Self::Engine(EngineError::Step { source, .. })
                if matches!(source.downcast_ref(), Some(FvError::HeavyPlaintext { .. })) =>
            {
                ErrorKind::BadFile
            }
            Self::Cancelled | Self::Engine(EngineError::Cancelled { .. }) => ErrorKind::Cancelled,
            error if error.is_of_gpu() || error.device().is_some_and(is_failure) => ErrorKind::Device,
            _ => ErrorKind::Internal,
        }
    }
}

/// Whether a device failed or lacks something, whatever it was asked: not that it refused what was asked of it.
#[must_use]
pub fn is_failure(error: &DeviceError) -> bool {
    matches!(
        error,
        DeviceError::Failed { .. } | DeviceError::Unsupported { .. }
    )
}

impl From<FormatError> for Error {
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

    /// Wherever a device fails, the kind says so; what it refuses for another's mistake is no failure of it.
    #[test]
    fn failures_of_devices_are_told() {
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
            Error::from(failed()),
            FvError::from(failed()).into(),
            step(Box::new(FvError::from(failed()))).into(),
            EngineError::Scheme(Box::new(FvError::from(failed()))).into(),
            EngineError::from(failed()).into(),
            #[cfg(feature = "cuda")]
            GpuError::NoDriver("none".to_owned()).into(),
            Error::in_file("some.key".as_ref(), failed().into()),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Device, "{error}");
        }
        let refused = step(Box::new(FvError::from(DeviceError::NoOperands)));
        assert_eq!(Error::from(refused).kind(), ErrorKind::Internal);
    }

    /// Evaluation keys that do not suit the circuit are to blame, not the program.
    #[test]
    fn keys_of_another_circuit_are_bad_files() {
        let error = Error::from(EngineError::MissingGaloisKey { exponent: 5 });
        assert_eq!(error.kind(), ErrorKind::BadFile);
        assert!(
            error.to_string().contains("make them for this circuit"),
            "{error}"
        );
    }

    /// Inputs that change while they are used are to blame, not the program.
    #[test]
    fn inputs_that_change_are_bad_files() {
        let changed = io::Error::new(io::ErrorKind::InvalidData, "was changed");
        let step = EngineError::Step {
            step: 0,
            operation: "input",
            level: 2,
            source: Box::new(changed),
        };
        let error = Error::from(step).in_inputs("in.ct".as_ref());
        assert_eq!(error.kind(), ErrorKind::BadFile);
        assert_eq!(error.to_string(), "in.ct: was changed");
    }

    /// Public values that no plan allows for are somebody's data.
    #[test]
    fn heavy_public_values_are_bad_data() {
        let step = EngineError::Step {
            step: 3,
            operation: "product in the clear",
            level: 2,
            source: Box::new(FvError::HeavyPlaintext { times: 20.0 }),
        };
        let error = Error::from(step);
        assert_eq!(error.kind(), ErrorKind::BadFile);
        assert!(error.to_string().contains("make that input private"), "{error}");
    }

    /// A full disk is no defect, in whatever step it shows.
    #[test]
    fn failures_of_files_put_aside_are_of_the_disk() {
        let aside = EngineError::Aside {
            directory: "spill".into(),
            source: io::Error::from(io::ErrorKind::StorageFull),
        };
        let step = EngineError::Step {
            step: 3,
            operation: "put aside",
            level: 2,
            source: Box::new(aside),
        };
        let error = Error::from(step);
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("name another directory"), "{error}");
    }
}
