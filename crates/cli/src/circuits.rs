//! Circuits by name or from files.

use std::path::Path;

use clap::Args;
use ringmill_circuit::aes::{self, KeySize};
use ringmill_circuit::bristol::{self, BristolError, Ports};
use ringmill_circuit::{Builder, Circuit, CircuitError, Visibility, bundled, compose, compose_record};

use crate::ciphers::Cipher;
use crate::error::CliError;
use crate::input::{Input, is_standard};
use crate::optimising::Optimise;

/// Which circuit.
#[derive(Debug, Clone, Args)]
pub struct CircuitChoice {
    /// A circuit of `ringmill circuits`, or a file in Bristol Fashion or Bristol Format; - for standard input.
    // Some steps do without a circuit; the others miss it when they get their arguments.
    #[arg(long, visible_alias = "cipher", value_name = "NAME|FILE", required = false)]
    pub circuit: String,
    /// A circuit that takes the results of the first as its private inputs; both are evaluated as one. Output ports
    /// become private inputs in order, and must have the same widths. Of a block cipher each block is a record of the
    /// private inputs as in a binary table: each in whole bytes, what is left of the block is padding.
    #[arg(long, value_name = "NAME|FILE", requires = "circuit")]
    pub then: Option<String>,
    /// An input port that the evaluator sees in the clear, of the last circuit named (in files ports are
    /// x0, x1, ...). May be repeated.
    #[arg(long, value_name = "PORT", requires = "circuit")]
    pub public: Vec<String>,
    /// Which variants of the circuit `params` plans. The one taken stands in the parameters file, and all other
    /// steps follow that, whatever they are told here.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        requires = "circuit",
        num_args = 0..=1,
        default_value = "auto",
        default_missing_value = "auto"
    )]
    pub optimise: Optimise,
}

/// A circuit and what is known of it.
pub struct Named {
    /// What it is called.
    pub name: String,
    /// The circuit.
    pub circuit: Circuit,
    /// If its first part is a block cipher.
    pub cipher: Option<Cipher>,
}

impl CircuitChoice {
    /// A bundled circuit.
    pub fn bundled(name: &str) -> Self {
        Self {
            circuit: name.to_owned(),
            then: None,
            public: Vec::new(),
            optimise: Optimise::Off,
        }
    }

    /// The options that may name a file.
    pub fn inputs(&self) -> [(&str, Option<&Path>); 2] {
        [
            ("--circuit", Some(Path::new(&self.circuit))),
            ("--then", self.then.as_deref().map(Path::new)),
        ]
    }

    /// Builds or reads it.
    pub fn build(&self) -> Result<Named, CliError> {
        let first = find(&self.circuit)?;
        let Some(then) = &self.then else {
            return self.with_public(first);
        };
        let then = self.with_public(find(then)?)?;
        // A cipher's block is data, which may hold more than is asked for.
        let joined = match first.cipher {
            Some(_) => compose_record(&first.circuit, &then.circuit),
            None => compose(&first.circuit, &then.circuit),
        };
        Ok(Named {
            name: format!("{} then {}", first.name, then.name),
            circuit: joined.map_err(unfit)?,
            cipher: first.cipher,
        })
    }

    fn with_public(&self, mut named: Named) -> Result<Named, CliError> {
        for port in &self.public {
            let visible = named.circuit.with_visibility(port, Visibility::Public);
            named.circuit = visible.map_err(|error| CliError::Usage(format!("--public: {error}")))?;
        }
        Ok(named)
    }
}

/// Choices of circuits that do not go together.
fn unfit(error: CircuitError) -> CliError {
    CliError::Usage(format!("--then: {error}"))
}

/// The names of all circuits that come with the program.
pub fn names() -> Vec<String> {
    let mut names = vec!["and8".to_owned()];
    names.extend(bundled::names().map(str::to_owned));
    for size in KeySize::ALL {
        let bits = 8 * size.bytes();
        for what in ["encrypt", "decrypt", "ctr", "encrypt-row", "decrypt-row"] {
            names.push(format!("aes-{bits}-{what}"));
        }
    }
    names
}

/// A circuit that comes with the program, or else of a file.
pub fn find(name: &str) -> Result<Named, CliError> {
    let (circuit, cipher) = match builtin(name) {
        Some((circuit, cipher)) => (circuit?, cipher),
        None => (read(Path::new(name))?, None),
    };
    Ok(Named {
        name: name.to_owned(),
        circuit,
        cipher,
    })
}

type Built = (Result<Circuit, CircuitError>, Option<Cipher>);

fn builtin(name: &str) -> Option<Built> {
    if name == "and8" {
        return Some((and8(), None));
    }
    if let Some(circuit) = bundled::circuit(name) {
        let cipher = match name {
            "simon-encrypt" => Some(Cipher::simon(false)),
            "simon-decrypt" => Some(Cipher::simon(true)),
            "aes128-encrypt" | "aes128-decrypt" => Some(Cipher::aes_bits()),
            _ => None,
        };
        return Some((circuit, cipher));
    }
    let (bits, what) = name.strip_prefix("aes-")?.split_once('-')?;
    let size = KeySize::ALL
        .into_iter()
        .find(|size| (8 * size.bytes()).to_string() == bits)?;
    let (circuit, cipher) = match what {
        "encrypt" => (aes::encrypt_circuit(size), Cipher::aes_encrypt(size)),
        "decrypt" => (aes::decrypt_circuit(size), Cipher::aes_decrypt(size)),
        "ctr" => (aes::ctr_circuit(size), Cipher::aes_ctr(size)),
        "encrypt-row" => (aes::row_encrypt_circuit(size), Cipher::aes_encrypt_row(size)),
        "decrypt-row" => (aes::row_decrypt_circuit(size), Cipher::aes_decrypt(size)),
        _ => return None,
    };
    Some((circuit, Some(cipher)))
}

/// The AND of two private bytes, to try the steps with.
fn and8() -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 8);
    let b = builder.input("b", Visibility::Private, 8);
    let both = builder.and_words(&a, &b)?;
    builder.output("and", &both);
    builder.finish()
}

fn read(path: &Path) -> Result<Circuit, CliError> {
    if !is_standard(path) && path.symlink_metadata().is_err() {
        return Err(CliError::Usage(format!(
            "there is neither a circuit nor a file {}; `ringmill circuits` lists the circuits",
            path.display()
        )));
    }
    bristol::read(Input::open(path)?, &Ports::default()).map_err(|error| match error {
        BristolError::Io(error) => CliError::io(path, error),
        error => CliError::data(path, error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_circuit() {
        for name in names() {
            let named = find(&name).unwrap();
            let private = named.circuit.inputs().iter();
            let private = private.filter(|port| port.visibility == Visibility::Private);
            let bytes: usize = private
                .map(|port| match port.kind.is_bit() {
                    true => port.wires.len().div_ceil(8),
                    false => port.wires.len() * port.kind.slots(),
                })
                .sum();
            if let Some(cipher) = named.cipher {
                let given = cipher.private_bytes(&vec![3; cipher.key_bytes]).unwrap();
                assert_eq!(given.len(), bytes, "{name}");
                assert!(cipher.private_bytes(&[0; 3]).is_err() || bytes == 16, "{name}");
            }
        }
    }
}
