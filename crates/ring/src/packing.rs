//! Several elements modulo 2 in one, to be taken apart again by automorphisms.

mod halving;
mod split;
mod steps;

pub use split::{Factor, Repeated, Split};

use ringmill_arith::secret::Secret;

use self::halving::Halving;
use self::steps::Steps;
use crate::{FermatRing, RingError};

/// What the elements that are packed have in common, so that automorphisms leave them as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alike {
    /// Each slot holds a value of a subfield, whatever the others hold: a bit of each record, or a byte.
    Slots,
    /// All records hold the same.
    Records,
}

/// Packs up to 2^k elements of R/2 into one, and says how they are taken apart.
///
/// Let H_1 < H_2 < ... < H_k be groups of automorphisms, each of index 2 in the next, H_0 of the identity only, and
/// K_i the elements that H_i leaves as they are. All elements to be packed are in K_k. From K_(i-1) to K_i leads the
/// trace Tr_i(x) = x + sigma_i(x), with any sigma_i in H_i but not in H_(i-1). Take theta_i in K_(i-1) whose trace T_i is
/// invertible modulo 2. From
///
/// ```text
/// x = (sigma_i(theta_i) a + b) / T_i        with a, b in K_i
/// ```
///
/// Tr_i(x) = a and Tr_i(theta_i x) = b come back modulo 2, since Tr_i(sigma_i(theta_i)) = T_i, Tr_i(1) = 2 = 0 and
/// theta_i sigma_i(theta_i) is in K_i. So two elements of K_i make one of K_(i-1), and 2^k of K_k one of R: packing goes
/// from the leaves of a binary tree to its root, unpacking from the root to the leaves with one automorphism a node. A
/// ciphertext is unpacked in the same way; its noise grows by the powers of theta_i and of its image at a root of unity,
/// which are 1 for most steps.
///
/// This is how SealPIR and Lattigo expand coefficients modulo x^n + 1, where theta is a power of x. (There the trace of
/// 1 is even, which modulo 2 would lose everything; here primes are odd.)
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    ring: FermatRing,
    halvings: Vec<Halving>,
    splits: Vec<Split>,
}

/// Automorphisms x -> x^(generator^i): a cyclic group of an order that is a power of two.
struct Cyclic {
    generator: u64,
    order: usize,
}

impl Cyclic {
    /// The generator of the subgroup of an order.
    fn of_order(&self, order: usize, d: u64) -> u64 {
        power(self.generator, self.order / order, d)
    }
}

/// A unit to a power, modulo d.
fn power(unit: u64, times: usize, d: u64) -> u64 {
    (0..times).fold(1, |product, _| product * unit % d)
}

impl Packing {
    /// Packs as many elements as there are, up to `wanted`, that automorphisms leave as they are: `fixed` says of each by
    /// its exponent whether it leaves all that will be packed, modulo 2. Two steps are taken together where that is worth
    /// more than the key that it needs. For values that are alike in all records, automorphisms are repeated where a key
    /// is worth more; for others each step has its own.
    pub fn new(ring: &FermatRing, alike: Alike, fixed: impl Fn(u64) -> bool, wanted: usize) -> Self {
        let steps = wanted.next_power_of_two().trailing_zeros() as usize;
        let (d, mut group, mut halvings, mut first) = (ring.d(), vec![1], Vec::new(), Vec::new());
        for (cyclic, most) in parts(ring, alike, fixed, steps) {
            let begin = halvings.len();
            for log in 1..=most {
                let sigma = cyclic.of_order(1 << log, d);
                let Some(halving) = Halving::find(ring, &group, sigma) else {
                    break;
                };
                first.push(match alike {
                    Alike::Slots => halvings.len(),
                    Alike::Records => begin,
                });
                halvings.push(halving);
                group = group.iter().flat_map(|unit| [*unit, unit * sigma % d]).collect();
            }
        }
        let steps = Steps::new(halvings, first, wanted);
        Self {
            ring: ring.clone(),
            splits: steps.splits(d),
            halvings: steps.halvings,
        }
    }

    /// How many elements fit in one.
    #[must_use]
    pub fn capacity(&self) -> usize {
        1 << self.halvings.len()
    }

    /// How nodes are taken apart, from the root to the leaves.
    #[must_use]
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// What each image is multiplied by in each child of a split. The first image is the node itself, the others are those
    /// under its automorphisms.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] for the split of another ring.
    pub fn factors(&self, split: &Split) -> Result<Vec<Vec<Factor>>, RingError> {
        split.factors(&self.ring)
    }

    /// Packs elements, each given by n coefficients 0 or 1; they may be secrets. Unpacked, the first half of them comes
    /// of Tr_1(x) and the second of Tr_1(theta_1 x), and so on. Fewer than [`Packing::capacity`] end with zeros.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless all have n coefficients; [`RingError::TooManyBits`] if there are too many.
    pub fn pack(&self, elements: &[Secret<Vec<u64>>]) -> Result<Secret<Vec<u64>>, RingError> {
        if elements.len() > self.capacity() {
            return Err(RingError::TooManyBits {
                got: elements.len(),
                slots: self.capacity(),
            });
        }
        let n = self.ring.n();
        if let Some(element) = elements.iter().find(|element| element.len() != n) {
            return Err(RingError::WrongLength {
                expected: n,
                got: element.len(),
            });
        }
        let packed = self.subtree(elements, 0);
        let folded = Secret::new(self.ring.fold_with(&packed, |a, b| a ^ b)?);
        Ok(Secret::collect(folded.iter().map(|&bit| u64::from(bit))))
    }

    /// The root of a subtree over these leaves, by exponent: d coefficients modulo x^d - 1.
    fn subtree(&self, leaves: &[Secret<Vec<u64>>], depth: usize) -> Secret<Vec<u8>> {
        let Some(halving) = self.halvings.get(depth) else {
            let mut full = Secret::zeros(self.ring.d() as usize);
            for (bit, exponent) in leaves
                .iter()
                .flat_map(|leaf| leaf.iter())
                .zip(self.ring.exponents())
            {
                full[*exponent as usize] = *bit as u8;
            }
            return full;
        };
        let half = leaves.len().min(1 << (self.halvings.len() - depth - 1));
        let (first, second) = leaves.split_at(half);
        let mut packed = Secret::zeros(self.ring.d() as usize);
        if !first.is_empty() {
            halving.add_first(&self.subtree(first, depth + 1), &mut packed);
        }
        if !second.is_empty() {
            halving.add_second(&self.subtree(second, depth + 1), &mut packed);
        }
        packed
    }
}

/// The cyclic groups of automorphisms to go through, in order, and how many steps to go in each.
///
/// Values of slots stay as they are under powers of 2, as far as they lie in subfields. Values that are alike in all
/// records also stay under automorphisms of single dimensions. Steps in the last and largest dimension have the largest
/// factors, so that it takes what the others leave; but it comes first, as do large ones before small ones: most is
/// repeated at the beginning of a dimension, so that had better be where nodes are few.
fn parts(ring: &FermatRing, alike: Alike, fixed: impl Fn(u64) -> bool, steps: usize) -> Vec<(Cyclic, usize)> {
    let (d, orders) = (ring.d(), ring.orders());
    let fixed = |cyclic: &Cyclic| {
        let within = |log: &usize| fixed(cyclic.of_order(1 << log, d));
        let logs = 1..=cyclic.order.trailing_zeros() as usize;
        logs.take_while(within).count()
    };
    if alike == Alike::Slots {
        let order = (1..=64).find(|times| power(2, *times, d) == 1);
        let cyclic = order.map(|order| Cyclic { generator: 2, order });
        return cyclic
            .into_iter()
            .map(|cyclic| {
                let most = fixed(&cyclic).min(steps);
                (cyclic, most)
            })
            .collect();
    }
    let dimension = |index: usize| Cyclic {
        generator: ring.exponents()[orders[index + 1..].iter().product::<usize>()].into(),
        order: orders[index],
    };
    let last = orders.len() - 1;
    let mut left = steps;
    let mut take = |index: usize| {
        let cyclic = dimension(index);
        let most = fixed(&cyclic).min(left);
        left -= most;
        (cyclic, most)
    };
    let mut parts: Vec<(Cyclic, usize)> = (0..last).rev().map(&mut take).collect();
    parts.insert(0, take(last));
    parts
}

#[cfg(test)]
mod tests;
