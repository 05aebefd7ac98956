//! Functions of a few bits as polynomials over GF(2), at the least AND depth.
//!
//! A function of `k` bits is a sum of products of these bits in exactly one way, its algebraic normal form.
//! Sums have no AND depth. A product of bits with depths `d_i` is possible at the least `d` with
//! `2^d >= sum of 2^d_i` (a tree in the manner of Huffman). The deepest product is therefore a lower bound
//! for any circuit for the function, unless the circuit uses relations between the bits.

use std::collections::HashMap;

use crate::{Builder, Wire};

/// Computes the coefficients of a function from its values. Entry `m` of the coefficients belongs to the
/// product of the bits set in `m`; entry `m` of the values belongs to the input with these bits. The length
/// must be a power of 2.
pub(crate) fn coefficients(mut values: Vec<bool>) -> Vec<bool> {
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half.min(block.len()));
            for (high, low) in high.iter_mut().zip(low) {
                *high ^= *low;
            }
        }
        half *= 2;
    }
    values
}

/// The least depth of the product of bits with these depths.
pub(crate) fn product_depth(depths: impl Iterator<Item = u32>) -> u32 {
    // The sum of 2^(d - base), which fits unless depths differ by more than 100; then all shallower ones
    // together count as one more beside the deepest.
    let depths: Vec<u32> = depths.collect();
    let deepest = depths.iter().copied().max().unwrap_or_default();
    let base = deepest.saturating_sub(100);
    let sum: u128 = depths
        .iter()
        .map(|depth| 1_u128 << depth.saturating_sub(base))
        .sum();
    base + sum.max(1).next_power_of_two().trailing_zeros()
}

/// Builds functions of the same bits.
///
/// The bits are kept in the order of their depths. A function is written as the sum over all products `u` of
/// the deeper bits of `u f_u`, where `f_u` is a sum of products of the shallower bits. After the few
/// products within either part, each function takes one AND per `u`. With no deeper bits this is the plain
/// sum of products.
pub(crate) struct Functions<'a> {
    builder: &'a mut Builder,
    /// The bits from the shallowest on, each with its original number.
    bits: Vec<(Wire, usize)>,
    depths: Vec<u32>,
    /// The products of bits; the key is their set in the sorted order.
    products: HashMap<usize, Wire>,
}

impl<'a> Functions<'a> {
    /// Prepares for functions of `bits`.
    pub(crate) fn new(builder: &'a mut Builder, bits: &[Wire]) -> Self {
        let mut bits: Vec<(Wire, usize)> = bits.iter().copied().zip(0..).collect();
        bits.sort_by_key(|(wire, _)| builder.and_depth(*wire));
        let depths = bits.iter().map(|(wire, _)| builder.and_depth(*wire)).collect();
        Self {
            builder,
            bits,
            depths,
            products: HashMap::new(),
        }
    }

    /// Builds the functions with the given [`coefficients`].
    pub(crate) fn make(&mut self, functions: &[Vec<bool>]) -> Vec<Wire> {
        let sorted: Vec<Vec<usize>> = functions.iter().map(|function| self.sorted(function)).collect();
        let shallow = self.best_cut(&sorted);
        sorted
            .iter()
            .map(|function| self.make_one(function, shallow))
            .collect()
    }

    /// The AND depth of the function with the given [`coefficients`], and the number of its ANDs.
    pub(crate) fn price_of(&self, function: &[bool]) -> (u32, usize) {
        let sorted = [self.sorted(function)];
        self.price(&sorted, self.best_cut(&sorted))
    }

    /// The products of a function as sets in the sorted order.
    fn sorted(&self, coefficients: &[bool]) -> Vec<usize> {
        let present = coefficients
            .iter()
            .zip(0_usize..)
            .filter(|(present, _)| **present);
        let rename = |(_, given): (_, usize)| {
            let bits = self.bits.iter().zip(0..);
            let set = bits.filter(|((_, number), _)| given >> number & 1 == 1);
            set.fold(0, |set, (_, place)| set | 1 << place)
        };
        present.map(rename).collect()
    }

    /// The best number of shallower bits to keep together: least depth first, then the fewest ANDs.
    fn best_cut(&self, functions: &[Vec<usize>]) -> usize {
        let cuts = 0..=self.bits.len();
        let best = cuts.min_by_key(|shallow| self.price(functions, *shallow));
        best.unwrap_or_default()
    }

    /// The depth and the number of ANDs of the functions when cut at `shallow`.
    fn price(&self, functions: &[Vec<usize>], shallow: usize) -> (u32, usize) {
        let low = (1_usize << shallow) - 1;
        let mut products = std::collections::HashSet::new();
        let (mut depth, mut count) = (0, 0);
        for function in functions {
            // For each product of deeper bits: the depth of its factor.
            let mut factors: HashMap<usize, u32> = HashMap::new();
            for set in function {
                let (low, high) = (set & low, set & !low);
                let factor = factors.entry(high).or_default();
                if low != 0 {
                    *factor = (*factor).max(self.depth(low) + 1);
                }
                products.extend([low, high]);
            }
            for (high, factor) in factors {
                // Depths are stored plus one, so that 0 marks a factor 1.
                let alone = high == 0 || factor == 0;
                let deepest = self.depth(high).max(factor.saturating_sub(1));
                depth = depth.max(deepest + u32::from(!alone));
                count += usize::from(!alone);
            }
        }
        let within = products.iter().filter(|set| set.count_ones() > 1).count();
        (depth, count + within)
    }

    /// The least depth of a product.
    fn depth(&self, set: usize) -> u32 {
        let members = self
            .depths
            .iter()
            .zip(0..)
            .filter(|(_, place)| set >> place & 1 == 1);
        product_depth(members.map(|(depth, _)| *depth))
    }

    fn make_one(&mut self, function: &[usize], shallow: usize) -> Wire {
        let low = (1_usize << shallow) - 1;
        let mut factors: Vec<(usize, Vec<Wire>)> = Vec::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        for set in function {
            let term = self.product(set & low);
            let place = *places.entry(set & !low).or_insert(factors.len());
            match factors.get_mut(place) {
                Some((_, terms)) => terms.push(term),
                None => factors.push((set & !low, vec![term])),
            }
        }
        let mut terms = Vec::with_capacity(factors.len());
        for (high, factor) in factors {
            let factor = self.builder.xor_all(&factor);
            let product = self.product(high);
            terms.push(self.builder.and(factor, product));
        }
        self.builder.xor_all(&terms)
    }

    /// The product of a set of bits; 1 for none.
    fn product(&mut self, set: usize) -> Wire {
        if let Some(wire) = self.products.get(&set) {
            return *wire;
        }
        let depth = self.depth(set);
        // In the order of depths, some cut into two runs is always best.
        let mut cuts = (1..self.bits.len()).rev().map(|place| set & ((1 << place) - 1));
        let best = cuts.find(|low| {
            let high = set & !low;
            *low != 0 && high != 0 && self.depth(*low).max(self.depth(high)) < depth
        });
        let wire = match best {
            Some(low) => {
                let (low, high) = (self.product(low), self.product(set & !low));
                self.builder.and(low, high)
            }
            None => {
                let members = self
                    .bits
                    .iter()
                    .zip(0..)
                    .filter(|(_, place)| set >> place & 1 == 1);
                let members: Vec<Wire> = members.map(|((wire, _), _)| *wire).collect();
                self.builder.and_all(&members)
            }
        };
        self.products.insert(set, wire);
        wire
    }
}
