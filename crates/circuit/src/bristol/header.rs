//! The header of either format.

use super::BristolError;
use super::text::Line;
use crate::text::{MAX_INPUT_BITS, shortened};

/// The declarations of the first lines.
pub(super) struct Header {
    pub(super) line: usize,
    pub(super) wires: u32,
    pub(super) inputs: Vec<u32>,
    pub(super) outputs: Vec<u32>,
}

impl Header {
    /// Reads the header and returns it with the lines of the gates.
    pub(super) fn read<'a, 'b>(lines: &'b [Line<'a>]) -> Result<(Self, &'b [Line<'a>]), BristolError> {
        let (sizes, rest) = next(lines, "gate and wire counts")?;
        let [gates, wires] = exactly(sizes)?;
        let (values, rest) = next(rest, "input widths")?;
        let (inputs, outputs, gate_lines) = match rest.split_first() {
            Some((line, rest)) if line.is_numeric() => (listed(values)?, (listed(*line)?, line.number), rest),
            // There is no third line of numbers: this is the older format, or a newer one that was cut off,
            // which then most likely does not have three numbers here.
            _ => {
                let [first, second, output] = exactly(values)?;
                let inputs = [first, second].into_iter().filter(|width| *width != 0);
                (inputs.collect(), (vec![output], values.number), rest)
            }
        };
        let (outputs, outputs_line) = outputs;
        let header = Self {
            line: sizes.number,
            wires,
            inputs,
            outputs,
        };
        header.check(values.number, outputs_line)?;
        check_gate_count(gates, sizes.number, gate_lines)?;
        Ok((header, gate_lines))
    }

    fn check(&self, inputs_line: usize, outputs_line: usize) -> Result<(), BristolError> {
        if self.outputs.is_empty() {
            return Err(BristolError::NoOutputs { line: outputs_line });
        }
        for (widths, line) in [(&self.inputs, inputs_line), (&self.outputs, outputs_line)] {
            if widths.contains(&0) {
                return Err(BristolError::EmptyValue { line });
            }
        }
        let (inputs, outputs) = (total(&self.inputs), total(&self.outputs));
        if inputs > MAX_INPUT_BITS {
            return Err(BristolError::TooManyInputs {
                line: inputs_line,
                bits: inputs,
                limit: MAX_INPUT_BITS,
            });
        }
        if outputs > self.wires.into() {
            return Err(BristolError::TooManyOutputs {
                line: outputs_line,
                outputs,
                wires: self.wires,
            });
        }
        Ok(())
    }
}

/// The sum of widths.
pub(super) fn total(widths: &[u32]) -> u64 {
    widths.iter().copied().map(u64::from).sum()
}

fn next<'a, 'b>(
    lines: &'b [Line<'a>],
    wanted: &'static str,
) -> Result<(Line<'a>, &'b [Line<'a>]), BristolError> {
    match lines.split_first() {
        Some((line, rest)) => Ok((*line, rest)),
        None => Err(BristolError::HeaderEnds { wanted }),
    }
}

/// The numbers of a line that must hold `N`.
fn exactly<const N: usize>(line: Line<'_>) -> Result<[u32; N], BristolError> {
    let numbers = line.numbers()?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| BristolError::HeaderLength {
        line: line.number,
        expected: N as u64,
        found,
    })
}

/// The numbers of a line that begins with their count.
fn listed(line: Line<'_>) -> Result<Vec<u32>, BristolError> {
    let numbers = line.numbers()?;
    let (count, widths) = match numbers.split_first() {
        Some((count, widths)) => (u64::from(*count), widths),
        None => (0, [].as_slice()),
    };
    if count != widths.len() as u64 {
        return Err(BristolError::HeaderLength {
            line: line.number,
            expected: count + 1,
            found: numbers.len(),
        });
    }
    Ok(widths.to_vec())
}

/// Checks that the number of lines after the header is the declared number of gates.
fn check_gate_count(gates: u32, line: usize, gate_lines: &[Line<'_>]) -> Result<(), BristolError> {
    if gate_lines.len() < gates as usize {
        return Err(BristolError::MissingGates {
            line,
            declared: gates,
            found: gate_lines.len(),
        });
    }
    match gate_lines.get(gates as usize) {
        None => Ok(()),
        Some(line) => Err(BristolError::TrailingText {
            line: line.number,
            found: shortened(line.words().next().unwrap_or_default()),
            declared: gates,
        }),
    }
}
