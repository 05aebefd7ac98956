use std::collections::HashMap;

use crate::ir::id_hasher::BuildIdHasher;
use crate::ir::program::{Operation, ValueId};

/// What has the same noise: each value's origin is the first value that is computed in the same way, but for values in
/// the clear that are added and for switches to other levels.
///
/// Adding a value in the clear leaves noise as it is, and of two switches of what differs by such a value only the
/// rounding of one part differs. So the product of two values of one origin has the noise of a square.
#[derive(Debug)]
pub(crate) struct Origins(Vec<ValueId>);

impl Origins {
    /// Follows operations, each of which makes the value of its index. Inputs that are `related`, as results of other
    /// operations are, count as having the same noise.
    pub(crate) fn new<'a>(operations: impl Iterator<Item = &'a Operation>, related: bool) -> Self {
        let mut input = None;
        let mut origins: Vec<ValueId> = Vec::new();
        let mut known: HashMap<Operation, ValueId, BuildIdHasher> = HashMap::default();
        for (index, operation) in operations.enumerate() {
            let stripped = stripped(operation.with_operands(|operand| origins[operand.0]));
            origins.push(match &stripped {
                Operation::Input { .. } if related => *input.get_or_insert(ValueId(index)),
                Operation::Input { .. } => ValueId(index),
                Operation::Switch { operand } => *operand,
                Operation::Linear { terms, .. } if terms.len() == 1 => terms[0],
                _ => *known.entry(stripped).or_insert(ValueId(index)),
            });
        }
        Self(origins)
    }

    /// Whether any product of these operations is one of two values with the same noise.
    pub(crate) fn has_squares(operations: &[Operation]) -> bool {
        let origins = Self::new(operations.iter(), false);
        let same = |(a, b): &(ValueId, ValueId)| origins.are_same(*a, *b);
        operations
            .iter()
            .any(|operation| matches!(operation, Operation::Product { pairs, .. } if pairs.iter().any(same)))
    }

    /// Whether two values have the same noise.
    pub(crate) fn are_same(&self, a: ValueId, b: ValueId) -> bool {
        self.0[a.0] == self.0[b.0]
    }
}

/// An operation without what it adds in the clear, its operands in an order that depends on nothing else.
fn stripped(mut operation: Operation) -> Operation {
    match &mut operation {
        Operation::Product { pairs, terms, clear } => {
            for (a, b) in pairs.iter_mut() {
                (*a, *b) = ((*a).min(*b), (*a).max(*b));
            }
            pairs.sort_unstable();
            terms.sort_unstable();
            *clear = None;
        }
        Operation::Map { images, terms, clear } => {
            images.sort_unstable();
            terms.sort_unstable();
            *clear = None;
        }
        Operation::Linear { terms, clear } => {
            terms.sort_unstable();
            *clear = None;
        }
        Operation::Input { .. } | Operation::PlainProduct { .. } | Operation::Switch { .. } => {}
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::clear::{ClearId, ClearProgram};

    fn input(wire: usize) -> Operation {
        Operation::Input { port: 0, wire }
    }

    fn sum(terms: &[usize], clear: Option<ClearId>) -> Operation {
        Operation::Linear {
            terms: terms.iter().map(|term| ValueId(*term)).collect(),
            clear,
        }
    }

    fn product(a: usize, b: usize, clear: Option<ClearId>) -> Operation {
        Operation::Product {
            pairs: vec![(ValueId(a), ValueId(b))],
            terms: vec![],
            clear,
        }
    }

    /// Results of other operations may have the same noise, whichever they are.
    #[test]
    fn related_inputs_have_one_origin() {
        let operations = [input(0), input(1), sum(&[0], None), sum(&[0, 1], None)];
        let same = |related| {
            let origins = Origins::new(operations.iter(), related);
            [(0, 1), (1, 2), (0, 3)].map(|(a, b)| origins.are_same(ValueId(a), ValueId(b)))
        };
        assert_eq!(same(false), [false, false, false]);
        assert_eq!(same(true), [true, true, false]);
    }

    #[test]
    fn values_in_the_clear_and_switches_make_no_difference() {
        let mut clear = ClearProgram::default();
        let [c, d] = [false, true].map(|bit| Some(clear.bit(bit)));
        let operations = [
            input(0),
            input(1),
            sum(&[0], c),
            Operation::Switch { operand: ValueId(2) },
            product(0, 1, None),
            product(1, 3, d),
            sum(&[0, 1], None),
            sum(&[1, 2], d),
            sum(&[4], c),
            product(0, 0, None),
        ];
        let origins = Origins::new(operations.iter(), false);
        let same = [(0, 2), (0, 3), (4, 5), (4, 8), (6, 7)];
        for a in 0..operations.len() {
            for b in 0..operations.len() {
                let origin = |x| {
                    same.iter()
                        .filter(|(_, other)| *other == x)
                        .map(|(first, _)| *first)
                        .min()
                };
                let expected = origin(a).unwrap_or(a) == origin(b).unwrap_or(b);
                assert_eq!(origins.are_same(ValueId(a), ValueId(b)), expected, "{a} {b}");
            }
        }
    }
}
