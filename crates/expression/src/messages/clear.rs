//! Values in the clear: constants and public messages, or all of a program to try it.

use super::{MessageOperation, MessageProgram};

/// The slots of a ring: integers modulo t in two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// The plaintext modulus, at least 2.
    pub t: u64,
    /// Slots in each of the two halves, at least one.
    pub half: usize,
}

/// A message in the clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClearValue {
    /// The same number below t in every slot.
    Constant(u64),
    /// A number below t for each slot, the first half before the second.
    Slots(Vec<u64>),
}

impl ClearValue {
    /// The numbers of all slots.
    #[must_use]
    pub fn numbers(&self, slots: Slots) -> Vec<u64> {
        match self {
            Self::Constant(number) => vec![*number; 2 * slots.half],
            Self::Slots(numbers) => numbers.clone(),
        }
    }

    fn at(&self, slot: usize) -> u64 {
        match self {
            Self::Constant(number) => *number,
            Self::Slots(numbers) => numbers[slot],
        }
    }
}

impl Slots {
    /// A message of at most as many numbers as there are slots, with 0 in the others.
    #[must_use]
    pub fn message(self, numbers: &[u64]) -> ClearValue {
        let mut all: Vec<u64> = numbers.iter().take(2 * self.half).map(|x| x % self.t).collect();
        all.resize(2 * self.half, 0);
        ClearValue::Slots(all)
    }

    /// The value of an operation, of its operands' values in order.
    #[must_use]
    pub fn apply(self, operation: MessageOperation, operands: &[&ClearValue]) -> ClearValue {
        let t = u128::from(self.t);
        match operation {
            MessageOperation::Constant(number) => ClearValue::Constant(number % self.t),
            MessageOperation::Add(..) => self.each(operands, |a, b| (a + b) % t),
            MessageOperation::Subtract(..) => self.each(operands, |a, b| (a + t - b) % t),
            MessageOperation::Multiply(..) => self.each(operands, |a, b| a * b % t),
            MessageOperation::Negate(_) => self.each(operands, |a, _| (t - a) % t),
            MessageOperation::Rotate(_, by) => self.moved(operands, |half, slot| {
                (
                    half,
                    (slot as i64 + i64::from(by)).rem_euclid(self.half as i64) as usize,
                )
            }),
            MessageOperation::Swap(_) => self.moved(operands, |half, slot| (1 - half, slot)),
            MessageOperation::Sum(_) => {
                let first = operands.first();
                let all = (0..2 * self.half).map(|slot| first.map_or(0, |a| u128::from(a.at(slot))));
                ClearValue::Constant((all.sum::<u128>() % t) as u64)
            }
            // Inputs have no operands; whoever has their values does not ask.
            MessageOperation::Input(_) => ClearValue::Constant(0),
        }
    }

    /// Slot by slot; the last operand stands for a second one that there is not.
    fn each(self, operands: &[&ClearValue], combine: impl Fn(u128, u128) -> u128) -> ClearValue {
        let (Some(a), Some(b)) = (operands.first(), operands.last()) else {
            return ClearValue::Constant(0);
        };
        let at = |slot| combine(u128::from(a.at(slot)), u128::from(b.at(slot))) as u64;
        match (a, b) {
            (ClearValue::Constant(_), ClearValue::Constant(_)) => ClearValue::Constant(at(0)),
            _ => ClearValue::Slots((0..2 * self.half).map(at).collect()),
        }
    }

    /// Each slot of a half from another place.
    fn moved(self, operands: &[&ClearValue], from: impl Fn(usize, usize) -> (usize, usize)) -> ClearValue {
        match operands.first() {
            Some(ClearValue::Slots(numbers)) => {
                let at = |slot: usize| {
                    let (half, slot) = from(slot / self.half, slot % self.half);
                    numbers[half * self.half + slot]
                };
                ClearValue::Slots((0..2 * self.half).map(at).collect())
            }
            Some(constant) => (*constant).clone(),
            None => ClearValue::Constant(0),
        }
    }
}

impl MessageProgram {
    /// Computes everything in the clear: of each output the numbers in all slots, the first half before the second.
    ///
    /// `inputs` has a message for each input in order; missing numbers are 0, and numbers count modulo t.
    #[must_use]
    pub fn evaluate(&self, slots: Slots, inputs: &[&[u64]]) -> Vec<Vec<u64>> {
        let last = self.last_uses();
        let mut values: Vec<Option<ClearValue>> = Vec::with_capacity(self.operations().len());
        for (place, operation) in self.operations().iter().enumerate() {
            let value = match operation {
                MessageOperation::Input(input) => {
                    slots.message(inputs.get(*input).copied().unwrap_or_default())
                }
                _ => {
                    let operands = operation.operands();
                    let operands: Vec<&ClearValue> =
                        operands.iter().filter_map(|a| values[*a].as_ref()).collect();
                    slots.apply(*operation, &operands)
                }
            };
            values.push(Some(value));
            for operand in operation.operands() {
                if last[operand] == place {
                    values[operand] = None;
                }
            }
        }
        let numbers = |value: usize| values[value].as_ref().map(|value| value.numbers(slots));
        self.outputs()
            .iter()
            .filter_map(|output| numbers(output.value))
            .collect()
    }
}
