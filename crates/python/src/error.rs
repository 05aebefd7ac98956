use pyo3::prelude::*;
use ringmill::circuits::ExpressionError;
use ringmill::{Error, ErrorKind};

/// The exception for an error of the library, with its text; the exception itself if Python code that the library called has
/// raised it.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    if let Error::Io { source, .. } = error
        && let Some(exception) = source.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>())
    {
        return exception.clone_ref(py);
    }
    let class = match error.kind() {
        ErrorKind::Usage => "UsageError",
        ErrorKind::BadFile => "BadFileError",
        ErrorKind::WrongResult => "WrongResultError",
        ErrorKind::NoParameters => "NoParametersError",
        ErrorKind::Io => "FileError",
        ErrorKind::Device => "DeviceError",
        ErrorKind::Cancelled => "CancelledError",
        _ => "InternalError",
    };
    let made = make(py, class, &error.to_string());
    if let (Ok(exception), Error::Kept { batches, partial, .. }) = (&made, error) {
        let kept = exception
            .setattr("batches", *batches)
            .and_then(|()| exception.setattr("partial", partial));
        if let Err(error) = kept {
            return error;
        }
    }
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The same for what is wrong with a program, whose place Python knows better.
pub fn raise_expression(py: Python<'_>, error: &ExpressionError) -> PyErr {
    circuit_error(py, &format!("{}; {}", error.message, error.help))
}

/// An error of what cannot be part of a circuit.
pub fn circuit_error(py: Python<'_>, problem: &str) -> PyErr {
    make(py, "CircuitError", problem).map_or_else(|error| error, PyErr::from_value)
}

/// An error of wrong usage.
pub fn usage(py: Python<'_>, problem: impl Into<String>) -> PyErr {
    raise(py, &Error::Usage(problem.into()))
}

fn make<'py>(py: Python<'py>, class: &str, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("ringmill.errors")?.getattr(class)?.call1((text,))
}
