//! One gate of a file.

use super::BristolError;
use super::text::Line;
use crate::text::shortened;

/// One gate's line.
pub(super) struct GateLine<'a> {
    pub(super) operation: &'a str,
    pub(super) reads: Vec<u32>,
    pub(super) writes: Vec<u32>,
}

impl<'a> GateLine<'a> {
    /// Takes a line apart without checking its operation's rules.
    pub(super) fn read(line: Line<'a>) -> Result<Self, BristolError> {
        let mut words: Vec<&str> = line.words().collect();
        let operation = words.pop().unwrap_or_default();
        if operation.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BristolError::UnknownOperation {
                line: line.number,
                found: shortened(operation),
            });
        }
        let numbers: Result<Vec<u32>, _> = words.iter().map(|word| line.number(word)).collect();
        let numbers = numbers?;
        let (announced, wires) = match numbers.as_slice() {
            [reads, writes, wires @ ..] => ((*reads, *writes), wires),
            short => {
                return Err(BristolError::GateLength {
                    line: line.number,
                    announced: 2,
                    found: short.len(),
                });
            }
        };
        let (reads, writes) = announced;
        let count = u64::from(reads) + u64::from(writes);
        if count != wires.len() as u64 {
            return Err(BristolError::GateLength {
                line: line.number,
                announced: count,
                found: wires.len(),
            });
        }
        let (reads, writes) = wires.split_at(reads as usize);
        Ok(Self {
            operation,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
        })
    }

    /// The error about the number of wires.
    pub(super) fn misshapen(&self, line: Line<'_>) -> BristolError {
        BristolError::GateShape {
            line: line.number,
            operation: self.operation.to_owned(),
            reads: self.reads.len() as u32,
            writes: self.writes.len() as u32,
        }
    }
}
