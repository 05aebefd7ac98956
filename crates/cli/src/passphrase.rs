//! Passphrases: from files, or asked for on the terminal.

use std::path::Path;

use ringmill::{Passphrase, is_sealed};

use crate::error::CliError;

/// The passphrase of a secret key: from a file if one is named, else asked for; none if the key is under none.
pub fn of_key(key: &Path, file: Option<&Path>) -> Result<Option<Passphrase>, CliError> {
    if ringmill::files::is_standard(key) {
        // It can be read only once.
        return Ok(file.map(Passphrase::open).transpose()?);
    }
    if !is_sealed(key)? {
        return match file {
            None => Ok(None),
            Some(file) => Err(CliError::usage(format!(
                "{} is under no passphrase; leave out --passphrase-file {}",
                key.display(),
                file.display()
            ))),
        };
    }
    match file {
        Some(file) => Ok(Some(Passphrase::open(file)?)),
        None => ask(&format!("passphrase of {}: ", key.display())).map(Some),
    }
}

/// A new passphrase, asked for twice.
pub fn new() -> Result<Passphrase, CliError> {
    let first = prompt("passphrase of the new secret key: ")?;
    if *first != *prompt("the same again: ")? {
        return Err(CliError::usage("the two passphrases differ"));
    }
    Ok(Passphrase::new(first.as_bytes())?)
}

fn ask(text: &str) -> Result<Passphrase, CliError> {
    Ok(Passphrase::new(prompt(text)?.as_bytes())?)
}

fn prompt(text: &str) -> Result<zeroize::Zeroizing<String>, CliError> {
    let answer = rpassword::prompt_password(text);
    let answer = answer.map_err(|_| {
        CliError::usage(
            "a passphrase is needed, and there is no terminal to ask for it; give --passphrase-file FILE",
        )
    })?;
    Ok(zeroize::Zeroizing::new(answer))
}
