//! Definitions in an order in which each comes after those that it reads.

/// How far a definition is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Untouched,
    Entered,
    Placed,
}

/// Orders the definitions `0..count`, where `operands` are those that a definition reads. What is in order
/// stays so.
///
/// # Errors
/// A definition that reads itself, be it through others.
pub(crate) fn ordered<I: Iterator<Item = usize>>(
    count: usize,
    operands: impl Fn(usize) -> I,
) -> Result<Vec<usize>, usize> {
    let mut states = vec![State::Untouched; count];
    let mut order = Vec::with_capacity(count);
    // An explicit stack, because chains of any length occur.
    let mut open = Vec::new();
    for root in 0..count {
        open.push(root);
        while let Some(definition) = open.last().copied() {
            let Some(state) = states
                .get_mut(definition)
                .filter(|state| **state != State::Placed)
            else {
                open.pop();
                continue;
            };
            let entered_before = std::mem::replace(state, State::Entered) == State::Entered;
            let waiting = open.len();
            let is_placed = |operand: &usize| states.get(*operand) == Some(&State::Placed);
            open.extend(operands(definition).filter(|operand| !is_placed(operand)));
            if open.len() == waiting {
                order.push(definition);
                if let Some(state) = states.get_mut(definition) {
                    *state = State::Placed;
                }
            } else if entered_before {
                // What it reads was to be placed before it came up again.
                return Err(definition);
            }
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(reads: &[&[usize]]) -> Result<Vec<usize>, usize> {
        ordered(reads.len(), |definition| reads[definition].iter().copied())
    }

    #[test]
    fn operands_come_first() {
        assert_eq!(of(&[&[], &[0], &[0, 1]]), Ok(vec![0, 1, 2]));
        assert_eq!(of(&[&[3, 1], &[3], &[], &[2, 2]]), Ok(vec![2, 3, 1, 0]));
    }

    #[test]
    fn cycles_are_found() {
        assert_eq!(of(&[&[0]]), Err(0));
        assert_eq!(of(&[&[], &[0, 3], &[1], &[0, 2]]), Err(1));
    }

    #[test]
    fn chains_are_as_long_as_they_like() {
        let count = 1 << 20;
        let order = ordered(count, |definition| (definition + 1..count).take(1)).unwrap();
        assert!(order.into_iter().eq((0..count).rev()));
    }
}
