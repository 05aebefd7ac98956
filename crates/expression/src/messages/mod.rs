//! Programs over messages: sums, differences, products and rotations of rows of integers modulo t.

mod clear;
mod parse;

use std::collections::HashMap;

pub use clear::{ClearValue, Slots};

use crate::ExpressionError;
use crate::error::Fault;

/// The most operations of a program, after equal ones are taken as one.
pub const MAX_OPERATIONS: usize = 4096;

/// The most slots by which a message can be rotated: those of a half in the largest ring, less one.
pub const MAX_ROTATION: u32 = (1 << 14) - 1;

/// An input of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageInput {
    /// Its name.
    pub name: String,
    /// Whether the evaluator sees it in the clear.
    pub public: bool,
}

/// An output of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageOutput {
    /// Its name.
    pub name: String,
    /// The operation whose value it is.
    pub value: usize,
    /// Whether it has the same number in every slot, whatever the inputs are.
    pub uniform: bool,
}

/// An operation. Operands are the places of earlier operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageOperation {
    /// The input of this place in [`MessageProgram::inputs`].
    Input(usize),
    /// The same number in every slot, not yet reduced modulo t.
    Constant(u64),
    /// The sum, slot by slot.
    Add(usize, usize),
    /// The first less the second, slot by slot.
    Subtract(usize, usize),
    /// What adds up with it to 0, slot by slot.
    Negate(usize),
    /// The product, slot by slot.
    Multiply(usize, usize),
    /// Both halves rotated by so many slots: slot i gets what was in slot i + k of its half, counted round.
    Rotate(usize, i32),
    /// Both halves exchanged.
    Swap(usize),
    /// The sum of all slots, in every slot.
    Sum(usize),
}

impl MessageOperation {
    /// The operands, at most two.
    #[must_use]
    pub fn operands(self) -> Vec<usize> {
        match self {
            Self::Input(_) | Self::Constant(_) => Vec::new(),
            Self::Negate(a) | Self::Rotate(a, _) | Self::Swap(a) | Self::Sum(a) => vec![a],
            Self::Add(a, b) | Self::Subtract(a, b) | Self::Multiply(a, b) => vec![a, b],
        }
    }

    /// The same with other operands.
    fn map(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Input(_) | Self::Constant(_) => self,
            Self::Add(a, b) => Self::Add(place(a), place(b)),
            Self::Subtract(a, b) => Self::Subtract(place(a), place(b)),
            Self::Negate(a) => Self::Negate(place(a)),
            Self::Multiply(a, b) => Self::Multiply(place(a), place(b)),
            Self::Rotate(a, k) => Self::Rotate(place(a), k),
            Self::Swap(a) => Self::Swap(place(a)),
            Self::Sum(a) => Self::Sum(place(a)),
        }
    }
}

/// A program over messages: what it computes, one operation after the other.
///
/// ```
/// use ringmill_expression::{MessageProgram, Slots};
///
/// let program = MessageProgram::compile("w: public; r = 3 * a + 1; d = inner(a, w)").unwrap();
/// let slots = Slots { t: 97, half: 4 };
/// let results = program.evaluate(slots, &[&[5, 6], &[1, 2, 3]]);
/// assert_eq!(results[0][..3], [(3 * 1 + 1), (3 * 2 + 1), (3 * 3 + 1)]);
/// assert_eq!(results[1], [5 * 1 + 6 * 2; 8]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageProgram {
    text: String,
    inputs: Vec<MessageInput>,
    operations: Vec<MessageOperation>,
    outputs: Vec<MessageOutput>,
    /// Of each operation whether it depends on an input that is not public.
    encrypted: Vec<bool>,
}

impl MessageProgram {
    /// Reads a program.
    ///
    /// # Errors
    /// [`ExpressionError`] with the place of what is wrong, and how to mend it.
    pub fn compile(text: &str) -> Result<Self, ExpressionError> {
        let program = parse::parse(text).and_then(|parsed| Self::new(text, parsed));
        program.map_err(|fault| fault.within(text))
    }

    /// Leaves out what no output needs, and checks what is left.
    fn new(text: &str, parsed: parse::Parsed) -> Result<Self, Box<Fault>> {
        let (operations, places) = reachable(&parsed);
        let encrypted = depends_on_private(&operations, &parsed.inputs);
        let uniform = uniform(&operations);
        let mut outputs = Vec::with_capacity(parsed.outputs.len());
        for (identifier, value) in parsed.outputs {
            let value = places.get(&value).copied().unwrap_or_default();
            if encrypted.get(value) != Some(&true) {
                let message = format!("`{}` depends on no encrypted input", identifier.text);
                let help = "compute it in the clear; every output needs an input that is not public";
                return Err(Fault::new(identifier.span, message, help));
            }
            outputs.push(MessageOutput {
                name: identifier.text,
                value,
                uniform: uniform.get(value) == Some(&true),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            inputs: parsed.inputs,
            operations,
            outputs,
            encrypted,
        })
    }

    /// The text that it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The inputs, in the order in which the text names them first.
    #[must_use]
    pub fn inputs(&self) -> &[MessageInput] {
        &self.inputs
    }

    /// The operations, each after its operands.
    #[must_use]
    pub fn operations(&self) -> &[MessageOperation] {
        &self.operations
    }

    /// The outputs, in the order of the text.
    #[must_use]
    pub fn outputs(&self) -> &[MessageOutput] {
        &self.outputs
    }

    /// Whether the value of an operation depends on an input that is not public.
    #[must_use]
    pub fn is_encrypted(&self, operation: usize) -> bool {
        self.encrypted.get(operation) == Some(&true)
    }

    /// Of each operation the last one that uses it, or itself; those of outputs are used to the end.
    #[must_use]
    pub fn last_uses(&self) -> Vec<usize> {
        let mut last: Vec<usize> = (0..self.operations.len()).collect();
        for (place, operation) in self.operations.iter().enumerate() {
            for operand in operation.operands() {
                last[operand] = place;
            }
        }
        for output in &self.outputs {
            last[output.value] = self.operations.len();
        }
        last
    }
}

/// The operations that outputs need, and their new places by their old ones.
fn reachable(parsed: &parse::Parsed) -> (Vec<MessageOperation>, HashMap<usize, usize>) {
    let mut needed = vec![false; parsed.operations.len()];
    for (_, value) in &parsed.outputs {
        needed[*value] = true;
    }
    for (place, operation) in parsed.operations.iter().enumerate().rev() {
        if needed[place] {
            operation
                .operands()
                .into_iter()
                .for_each(|operand| needed[operand] = true);
        }
    }
    let mut places = HashMap::new();
    let mut operations = Vec::new();
    for (place, operation) in parsed
        .operations
        .iter()
        .enumerate()
        .filter(|(place, _)| needed[*place])
    {
        places.insert(place, operations.len());
        operations.push(operation.map(|operand| places.get(&operand).copied().unwrap_or_default()));
    }
    (operations, places)
}

fn depends_on_private(operations: &[MessageOperation], inputs: &[MessageInput]) -> Vec<bool> {
    let mut encrypted: Vec<bool> = Vec::with_capacity(operations.len());
    for operation in operations {
        let own = match operation {
            MessageOperation::Input(input) => !inputs[*input].public,
            _ => operation.operands().into_iter().any(|operand| encrypted[operand]),
        };
        encrypted.push(own);
    }
    encrypted
}

/// Of each operation whether it is known to have the same number in every slot.
fn uniform(operations: &[MessageOperation]) -> Vec<bool> {
    let mut uniform: Vec<bool> = Vec::with_capacity(operations.len());
    for operation in operations {
        let own = match operation {
            MessageOperation::Input(_) => false,
            MessageOperation::Constant(_) | MessageOperation::Sum(_) => true,
            _ => operation.operands().into_iter().all(|operand| uniform[operand]),
        };
        uniform.push(own);
    }
    uniform
}
