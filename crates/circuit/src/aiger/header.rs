//! The first line.

use super::AigerError;
use super::read::MAX_ANDS;
use super::source::Source;
use crate::text::{MAX_INPUT_BITS, shortened};

/// The declarations of the first line.
pub(super) struct Header {
    /// Whether the inputs are not listed and the ANDs not text.
    pub(super) binary: bool,
    /// The greatest variable.
    pub(super) variables: u32,
    pub(super) inputs: u32,
    pub(super) outputs: u32,
    pub(super) ands: u32,
}

impl Header {
    pub(super) fn read(source: &mut Source<'_>) -> Result<Self, AigerError> {
        let line = source.line()?;
        let text = line.map_or("", |line| line.text);
        let (magic, counts) = text.split_once(' ').unwrap_or((text, ""));
        let binary = match magic {
            "aag" => false,
            "aig" => true,
            found => {
                return Err(AigerError::NotAiger {
                    found: shortened(found),
                });
            }
        };
        let counts = super::source::Line {
            number: 1,
            text: counts,
        };
        let counts: Vec<u32> = counts.numbers().collect::<Result<_, _>>()?;
        let [variables, inputs, latches, outputs, ands, properties @ ..] = counts.as_slice() else {
            return Err(AigerError::HeaderLength { found: counts.len() });
        };
        if properties.len() > 4 {
            return Err(AigerError::HeaderLength { found: counts.len() });
        }
        let header = Self {
            binary,
            variables: *variables,
            inputs: *inputs,
            outputs: *outputs,
            ands: *ands,
        };
        header.check(*latches, properties.iter().copied().map(u64::from).sum())?;
        Ok(header)
    }

    fn check(&self, latches: u32, properties: u64) -> Result<(), AigerError> {
        let defined = u64::from(self.inputs) + u64::from(self.ands);
        let declared = u64::from(self.variables);
        let fits = if self.binary {
            declared == defined
        } else {
            declared >= defined
        };
        if latches > 0 {
            Err(AigerError::Latches { latches })
        } else if properties > 0 {
            Err(AigerError::Properties { properties })
        } else if self.outputs == 0 {
            Err(AigerError::NoOutputs)
        } else if u64::from(self.inputs) > MAX_INPUT_BITS {
            Err(AigerError::TooManyInputs {
                inputs: self.inputs,
                limit: MAX_INPUT_BITS,
            })
        } else if self.ands > MAX_ANDS {
            Err(AigerError::TooManyAnds {
                ands: self.ands,
                limit: MAX_ANDS,
            })
        } else if !fits {
            Err(AigerError::VariableCount {
                declared: self.variables,
                found: defined,
            })
        } else {
            Ok(())
        }
    }

    /// The greatest literal.
    pub(super) fn greatest_literal(&self) -> u32 {
        self.variables.saturating_mul(2).saturating_add(1)
    }
}
