use clap::ValueEnum;
use ringmill_circuit::{Builder, Circuit, Visibility, simon};

use crate::error::CliError;

/// The circuits that come with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CircuitName {
    /// SIMON-64/128 decryption: public blocks, private key (its last four round keys).
    SimonDecrypt,
    /// SIMON-64/128 encryption: public blocks, private key.
    SimonEncrypt,
    /// AND of two private bytes, to try the steps with.
    And8,
}

impl CircuitName {
    /// The circuit.
    pub fn build(self) -> Result<Circuit, CliError> {
        Ok(match self {
            Self::SimonDecrypt => simon::decrypt_circuit()?,
            Self::SimonEncrypt => simon::encrypt_circuit()?,
            Self::And8 => {
                let mut builder = Builder::new();
                let a = builder.input("a", Visibility::Private, 8);
                let b = builder.input("b", Visibility::Private, 8);
                let both = builder.and_words(&a, &b)?;
                builder.output("and", &both);
                builder.finish()?
            }
        })
    }

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SimonDecrypt => "simon-decrypt",
            Self::SimonEncrypt => "simon-encrypt",
            Self::And8 => "and8",
        }
    }

    /// Whether its private input is a SIMON key.
    pub fn takes_simon_key(self) -> bool {
        matches!(self, Self::SimonDecrypt | Self::SimonEncrypt)
    }

    /// The private input bytes that a SIMON key of 16 bytes stands for.
    pub fn key_bytes(self, key: [u8; 16]) -> [u8; 16] {
        match self {
            Self::SimonDecrypt => {
                let words = simon::Simon64::from_key_bytes(key).decryption_key();
                let mut bytes = [0; 16];
                for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
                bytes
            }
            _ => key,
        }
    }
}

/// Bits of all input ports of a visibility together.
pub fn input_bits(circuit: &Circuit, visibility: Visibility) -> usize {
    let ports = circuit
        .inputs()
        .iter()
        .filter(|port| port.visibility == visibility);
    ports.map(|port| port.wires.len()).sum()
}

/// Bits of all output ports together.
pub fn output_bits(circuit: &Circuit) -> usize {
    circuit.outputs().iter().map(|port| port.wires.len()).sum()
}
