use std::ops::Range;

use super::halving::Halving;
use super::split::{Repeated, Split};

/// How many automorphisms more a key is worth. One of 27 MB (for SIMON at n = 32768) takes 0.9 s at 250 megabits a second,
/// and so do about as many key switches on a core.
pub(super) const KEY: usize = 32;

/// The steps from the root to the leaves.
pub(super) struct Steps {
    pub halvings: Vec<Halving>,
    /// Of each, the first of those before it whose automorphism is a power of its own.
    first: Vec<usize>,
    /// The nodes of all trees that it takes apart.
    nodes: Vec<usize>,
}

impl Steps {
    pub fn new(halvings: Vec<Halving>, first: Vec<usize>, wanted: usize) -> Self {
        let depth = halvings.len();
        let nodes = (0..depth).map(|above| wanted.div_ceil(1 << (depth - above)));
        Self {
            nodes: nodes.collect(),
            halvings,
            first,
        }
    }

    /// What it costs that steps share the key of the last one, which they repeat: each automorphism is the square of the
    /// next one.
    fn shared(&self, steps: Range<usize>) -> usize {
        let last = steps.end - 1;
        let repeated = steps.map(|step| self.nodes[step] << (last - step));
        repeated.sum::<usize>() + KEY
    }

    /// What it costs to take this step and the next one together: three keys, but one decomposition where one after the
    /// other takes three.
    fn paired(&self, first: usize) -> usize {
        self.nodes[first] + 3 * KEY
    }

    /// Groups of steps that share a key, or are two together, at the least cost of all: in automorphisms of ciphertexts, as
    /// [`KEY`] of which a key counts.
    fn groups(&self) -> Vec<(Range<usize>, Kind)> {
        // By the number of steps, from the first: their cost, where the last group begins, and what it is.
        let mut least = vec![(0, 0, Kind::Shared)];
        for end in 1..=self.halvings.len() {
            let shared = self.first[end - 1]..end;
            let shared = shared.map(|start| (least[start].0 + self.shared(start..end), start, Kind::Shared));
            let paired = end
                .checked_sub(2)
                .map(|start| (least[start].0 + self.paired(start), start, Kind::Paired));
            let best = shared.chain(paired).min_by_key(|(cost, ..)| *cost);
            least.extend(best);
        }
        let (mut groups, mut end) = (Vec::new(), self.halvings.len());
        while end > 0 {
            let (_, start, kind) = least[end];
            groups.push((start..end, kind));
            end = start;
        }
        groups.reverse();
        groups
    }

    pub fn splits(&self, d: u64) -> Vec<Split> {
        let leaves = |end: usize| 1 << (self.halvings.len() - end);
        let splits = self.groups().into_iter().flat_map(|(steps, kind)| {
            let (last, end) = (steps.end - 1, steps.end);
            match kind {
                Kind::Paired => {
                    let [first, second] = [&self.halvings[steps.start], &self.halvings[last]];
                    vec![Split::pair(first, second, leaves(end), d)]
                }
                Kind::Shared => steps
                    .map(|step| {
                        let by = Repeated {
                            exponent: self.halvings[last].exponent,
                            times: 1 << (last - step),
                        };
                        Split::single(&self.halvings[step], by, leaves(step + 1), d)
                    })
                    .collect(),
            }
        });
        splits.collect()
    }
}

/// What the steps of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The key of the last one.
    Shared,
    /// They are two, taken together.
    Paired,
}
