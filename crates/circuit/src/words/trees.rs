//! Combines many bits into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{Builder, Wire};

impl Builder {
    /// The product of all bits, 1 if there are none. It multiplies the two shallowest first, which gives the
    /// least possible depth, as in the trees of Huffman and Golumbic.
    pub fn and_all(&mut self, wires: &[Wire]) -> Wire {
        let mut open: BinaryHeap<Reverse<(u32, Wire)>> = wires
            .iter()
            .map(|wire| Reverse((self.and_depth(*wire), *wire)))
            .collect();
        loop {
            match (open.pop(), open.pop()) {
                (None, _) => return self.constant(true),
                (Some(Reverse((_, last))), None) => return last,
                (Some(Reverse((_, left))), Some(Reverse((_, right)))) => {
                    let product = self.and(left, right);
                    open.push(Reverse((self.and_depth(product), product)));
                }
            }
        }
    }

    /// Whether any bit is 1; 0 if there are none. The depth is that of [`and_all`](Self::and_all).
    pub fn or_all(&mut self, wires: &[Wire]) -> Wire {
        let complements: Vec<Wire> = wires.iter().map(|wire| self.not(*wire)).collect();
        let none = self.and_all(&complements);
        self.not(none)
    }

    /// The sum over GF(2) of all bits, 0 if there are none. It consists of balanced trees of bits of the
    /// same AND depth, which are then added from the shallowest to the deepest. The last XOR reads the
    /// latest bit, once.
    pub fn xor_all(&mut self, wires: &[Wire]) -> Wire {
        let mut wires = wires.to_vec();
        wires.sort_by_key(|wire| self.and_depth(*wire));
        let mut sum = None;
        let same_depth = |left: &Wire, right: &Wire| self.and_depth(*left) == self.and_depth(*right);
        let levels: Vec<&[Wire]> = wires.chunk_by(same_depth).collect();
        for level in levels {
            let level = self.xor_balanced(level);
            sum = Some(sum.map_or(level, |sum| self.xor(sum, level)));
        }
        match sum {
            Some(sum) => sum,
            None => self.constant(false),
        }
    }

    fn xor_balanced(&mut self, wires: &[Wire]) -> Wire {
        match wires {
            [] => self.constant(false),
            [wire] => *wire,
            wires => {
                let (left, right) = wires.split_at(wires.len() / 2);
                let (left, right) = (self.xor_balanced(left), self.xor_balanced(right));
                self.xor(left, right)
            }
        }
    }
}
