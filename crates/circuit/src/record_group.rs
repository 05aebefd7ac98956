//! The group by which the records of a batch are moved.

/// A commutative group of order 2^k that moves the records of a batch: for any two records one element brings the first
/// to the place of the second.
///
/// Its *steps* g_0, g_1, ... are elements of which each doubles the group that those before it make. Element number e is
/// the product of the steps whose bits are 1 in e. So the square of each step is a product of earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordGroup {
    /// For each step the element that is its square, below 2^step.
    squares: Vec<usize>,
}

impl RecordGroup {
    /// The group whose steps have these squares; `None` unless the square of step k is below 2^k, or if there are as
    /// many steps as a number has bits.
    #[must_use]
    pub fn new(squares: Vec<usize>) -> Option<Self> {
        let is_valid = squares
            .iter()
            .enumerate()
            .all(|(step, square)| step + 1 < usize::BITS as usize && square >> step == 0);
        is_valid.then_some(Self { squares })
    }

    /// The number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.squares.len()
    }

    /// The number of elements, and of records.
    #[must_use]
    pub fn order(&self) -> usize {
        1 << self.steps()
    }

    /// The product of two elements; of numbers beyond the group's elements only the lowest bits count.
    #[must_use]
    pub fn product(&self, a: usize, b: usize) -> usize {
        let mut product = a & (self.order() - 1);
        for (step, square) in self.squares.iter().enumerate() {
            let bit = 1 << step;
            if b & bit == 0 {
                continue;
            }
            if product & bit == 0 {
                product |= bit;
            } else {
                // The square is a product of earlier steps, so that this ends.
                product = self.product(product & !bit, *square);
            }
        }
        product
    }

    /// The element that leads from a to b: a times it is b.
    #[must_use]
    pub fn ratio(&self, a: usize, b: usize) -> usize {
        // The order of a is a power of two that divides the group's.
        let mut inverse = 0;
        let mut power = a;
        for _ in 0..self.steps() {
            inverse = self.product(inverse, power);
            power = self.product(power, power);
        }
        self.product(inverse, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_group() {
        // Z_2 x Z_2 x Z_2, Z_8, and Z_4 x Z_2 with a twist.
        for squares in [vec![0, 0, 0], vec![0, 1, 2], vec![0, 1, 1], vec![]] {
            let group = RecordGroup::new(squares.clone()).unwrap();
            let all = 0..group.order();
            for a in all.clone() {
                assert_eq!(group.product(a, 0), a);
                for b in all.clone() {
                    assert_eq!(group.product(a, b), group.product(b, a), "{squares:?}");
                    assert_eq!(group.product(a, group.ratio(a, b)), b, "{squares:?} {a} {b}");
                    for c in all.clone() {
                        let (left, right) = (group.product(a, b), group.product(b, c));
                        assert_eq!(group.product(left, c), group.product(a, right));
                    }
                }
            }
        }
        assert_eq!(RecordGroup::new(vec![1]), None);
        assert_eq!(RecordGroup::new(vec![0, 2]), None);
    }
}
