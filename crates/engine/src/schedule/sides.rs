//! Which of a product's two factors each value is.

use std::collections::{BTreeMap, VecDeque};

use crate::ir::program::{Operation, ValueId};
use crate::schedule::steps::Step;

/// Which factor of a product a ciphertext is made ready for: some schemes treat the two in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
    /// Either, in schemes that treat both alike.
    Either,
}

impl Side {
    /// Both sides of a pair where they differ.
    pub const DIFFERENT: [Self; 2] = [Self::First, Self::Second];

    /// Both sides of a pair where they do not.
    pub const ALIKE: [Self; 2] = [Self::Either, Self::Either];
}

/// Swaps the factors of products so that a value is, as far as can be, a first factor everywhere or a second one
/// everywhere: it is then made ready once. SIMON's products pair bits of even numbers with bits of odd ones.
pub(crate) fn orient(steps: &mut [Step]) {
    let second = colours(steps);
    let is_second = |value: &ValueId| second.get(value) == Some(&true);
    for step in steps {
        if let Operation::Product { pairs, .. } = &mut step.operation {
            for (a, b) in pairs {
                if is_second(a) && !is_second(b) {
                    std::mem::swap(a, b);
                }
            }
        }
    }
}

/// Colours factors, `true` for seconds, so that as a rule two that are multiplied differ: from each value that has no
/// colour yet, breadth first. Of the values that belong together the fewer are seconds, which take more work.
fn colours(steps: &[Step]) -> BTreeMap<ValueId, bool> {
    let mut partners: BTreeMap<ValueId, Vec<ValueId>> = BTreeMap::new();
    for step in steps {
        if let Operation::Product { pairs, .. } = &step.operation {
            for (a, b) in pairs {
                partners.entry(*a).or_default().push(*b);
                partners.entry(*b).or_default().push(*a);
            }
        }
    }
    let mut colours = BTreeMap::new();
    for first in partners.keys() {
        if colours.contains_key(first) {
            continue;
        }
        let (mut found, mut queue) = (vec![*first], VecDeque::from([*first]));
        colours.insert(*first, false);
        while let Some(value) = queue.pop_front() {
            let other = !colours[&value];
            for partner in &partners[&value] {
                if !colours.contains_key(partner) {
                    colours.insert(*partner, other);
                    found.push(*partner);
                    queue.push_back(*partner);
                }
            }
        }
        let seconds = found.iter().filter(|value| colours[*value]).count();
        if 2 * seconds > found.len() {
            for value in found {
                colours.entry(value).and_modify(|second| *second = !*second);
            }
        }
    }
    colours
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn product(pairs: &[(usize, usize)]) -> Step {
        Step {
            operation: Operation::Product {
                pairs: pairs.iter().map(|(a, b)| (ValueId(*a), ValueId(*b))).collect(),
                terms: Vec::new(),
                clear: None,
            },
            at: 1,
            level: 1,
            depth: 1,
            cost: 1.0,
        }
    }

    /// First and second factors after orientation.
    fn sides(steps: &mut [Step]) -> [BTreeSet<usize>; 2] {
        orient(steps);
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        for step in steps {
            if let Operation::Product { pairs, .. } = &step.operation {
                for (a, b) in pairs {
                    sides[0].insert(a.0);
                    sides[1].insert(b.0);
                }
            }
        }
        sides
    }

    #[test]
    fn simon_needs_each_bit_once() {
        let mut steps: Vec<Step> = (0..32)
            .map(|i| product(&[((i + 31) % 32, (i + 24) % 32)]))
            .collect();
        let [firsts, seconds] = sides(&mut steps);
        assert_eq!((firsts.len(), seconds.len()), (16, 16));
        assert!(firsts.is_disjoint(&seconds));
    }

    #[test]
    fn the_factor_of_many_products_is_the_second() {
        let mut steps = vec![product(&[(0, 1), (2, 0)]), product(&[(3, 0)])];
        let [firsts, seconds] = sides(&mut steps);
        assert_eq!(firsts, BTreeSet::from([1, 2, 3]));
        assert_eq!(seconds, BTreeSet::from([0]));
    }

    #[test]
    fn squares_and_odd_rings_have_values_on_both_sides() {
        let [firsts, seconds] = sides(&mut [product(&[(5, 5)])]);
        assert_eq!((firsts, seconds), (BTreeSet::from([5]), BTreeSet::from([5])));
        // 0 1, 1 2, 2 0: three values, one of them on both sides.
        let [firsts, seconds] = sides(&mut [product(&[(0, 1)]), product(&[(1, 2)]), product(&[(2, 0)])]);
        assert_eq!(firsts.len() + seconds.len(), 4);
    }
}
