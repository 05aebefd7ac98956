//! The steps of a job without a circuit: numbers are encrypted and decrypted, and nothing else.

pub mod decrypt;
pub mod encrypt;
pub mod params;

use std::io::Read;
use std::path::Path;

use ringmill_fv::Parameters;
use ringmill_fv::format::FormatError;

use crate::error::CliError;
use crate::files;
use crate::session::warn;

/// Reads parameters that were made for messages, and warns if they are insecure.
pub fn parameters(path: &Path) -> Result<Parameters, CliError> {
    let (parameters, more) = files::read(path, |input| {
        let parameters = Parameters::read(&mut *input)?;
        let mut rest = Vec::new();
        input
            .take(1 << 16)
            .read_to_end(&mut rest)
            .map_err(FormatError::from)?;
        Ok((parameters, !rest.is_empty()))
    })?;
    if more {
        return Err(CliError::data(
            path,
            "these parameters have a plan for a circuit; name it with --circuit, or make parameters for messages \
             with `ringmill params --preset NAME`",
        ));
    }
    warn(&parameters);
    Ok(parameters)
}

/// Refuses options that only a circuit gives a meaning to, if they are given.
pub fn refuse(options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::Usage(format!("{option} is of use with --circuit only"))),
        None => Ok(()),
    }
}
