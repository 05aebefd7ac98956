use std::path::Path;

use crate::signals::STOPPED;
use ringmill::device::DeviceError;
use ringmill::{Error, ErrorKind, is_failure};
use ringmill_arith::ArithError;
use ringmill_circuit::{CircuitError, EvaluateError};
use ringmill_engine::{EngineError, PlanError};
use ringmill_format::FormatError;
use ringmill_fv::FvError;
use ringmill_ring::RingError;
#[cfg(feature = "rtl")]
use ringmill_rtl::RtlError;
use ringmill_schemes::integers::IntegersError;
use ringmill_schemes::karatsuba::KaratsubaError;
use ringmill_schemes::ntru::NtruError;
use thiserror::Error as ThisError;

/// Anything that makes a command fail; its text is what the user sees.
#[derive(Debug, ThisError)]
pub enum CliError {
    /// The library refused something, or a job failed.
    #[error(transparent)]
    Job(Error),
    /// Some of what `bench` was to measure failed.
    #[error("{}: {name}: {source}", unmeasured(*count))]
    NotMeasured {
        /// How many.
        count: usize,
        /// The name of the first one.
        name: String,
        /// Why it failed.
        source: Box<CliError>,
    },
    /// A scheme of paper 3 refused something.
    #[error(transparent)]
    Ntru(#[from] NtruError),
    /// A scheme of paper 4 refused something.
    #[error(transparent)]
    Karatsuba(#[from] KaratsubaError),
    /// The scheme of paper 5 refused something.
    #[error(transparent)]
    Integers(#[from] IntegersError),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The system does not let the program listen to signals.
    #[error("cannot listen to signals: {0}")]
    Signals(std::io::Error),
    /// A report could not be made: a defect.
    #[error("cannot write the report as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Makes errors of the library's parts errors of the library.
macro_rules! of_library {
    ($($(#[$attribute:meta])* $error:ty),* $(,)?) => {
        $(
            $(#[$attribute])*
            impl From<$error> for CliError {
                fn from(error: $error) -> Self {
                    Self::Job(error.into())
                }
            }
        )*
    };
}

of_library!(
    Error,
    ArithError,
    CircuitError,
    DeviceError,
    EngineError,
    EvaluateError,
    FormatError,
    FvError,
    PlanError,
    RingError,
    #[cfg(feature = "rtl")]
    RtlError,
);

impl CliError {
    pub fn usage(problem: impl Into<String>) -> Self {
        Error::Usage(problem.into()).into()
    }

    pub fn wrong_result(problem: impl Into<String>) -> Self {
        Error::WrongResult(problem.into()).into()
    }

    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Error::io(path, source).into()
    }

    pub fn data(path: &Path, problem: impl Into<String>) -> Self {
        Error::data(path, problem).into()
    }

    /// The exit code; [`crate::arguments::EXIT_CODES`] lists them for users.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ntru(NtruError::UnknownSet { .. }) => 2,
            Self::Ntru(NtruError::TooDeep { .. }) => 5,
            Self::Ntru(error) if is_devices(error) => 7,
            Self::NotMeasured { source, .. } => source.exit_code(),
            Self::Job(Error::Engine(EngineError::Step { source, .. } | EngineError::Scheme(source)))
                if source.downcast_ref().is_some_and(is_devices) =>
            {
                7
            }
            Self::Job(error) => match error.kind() {
                ErrorKind::Usage => 2,
                ErrorKind::BadFile => 3,
                ErrorKind::WrongResult => 4,
                ErrorKind::NoParameters => 5,
                ErrorKind::Io => 6,
                ErrorKind::Device => 7,
                ErrorKind::Cancelled => STOPPED,
                _ => 1,
            },
            _ => 1,
        }
    }
}

/// Whether a scheme of paper 3 failed because its device did.
fn is_devices(error: &NtruError) -> bool {
    matches!(error, NtruError::Device(error) if is_failure(error))
}

fn unmeasured(count: usize) -> String {
    if count == 1 {
        "not measured".to_owned()
    } else {
        format!("{count} measurements failed; the first")
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
            NtruError::from(failed()).into(),
            step(Box::new(FvError::from(failed()))).into(),
            step(Box::new(NtruError::from(failed()))).into(),
        ];
        for error in errors {
            assert_eq!(error.exit_code(), 7, "{error}");
        }
        let refused = step(Box::new(FvError::from(DeviceError::NoOperands)));
        assert_eq!(CliError::from(refused).exit_code(), 1);
    }
}
