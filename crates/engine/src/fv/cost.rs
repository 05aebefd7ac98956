//! The costs of operations, in work and in memory.

use ringmill_fv::{FvError, Parameters};
use ringmill_ring::{Packing, Split};

use crate::fv::calibration::Work;
use crate::fv::packed::{self, PackedInputs};
use crate::fv::product_form::ProductForm;
use crate::fv::slot_maps::SlotMaps;
use crate::ir::program::Operation;
use crate::schedule::memory::Sizes;
use crate::schedule::sides::Side;

/// Bytes of a process beside what is counted: code, stacks, plans.
const PROCESS: u64 = 12 << 20;

/// Work and sizes by level under one set of parameters.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    form: ProductForm,
    n: usize,
    /// Whether all primes are narrow.
    narrow: bool,
    /// Limbs, by level.
    limbs: Vec<usize>,
    /// Limbs of the basis of second factors, by level.
    extension: Vec<usize>,
    /// Bytes of a ciphertext in a file, by level.
    stored: Vec<u64>,
    /// Digits of a key switch, by level.
    digits: Vec<usize>,
    /// Limbs of P.
    special: usize,
    /// Terms of each map, and those among them that are automorphisms.
    maps: Vec<(usize, usize)>,
    /// Constants, and automorphisms with a key.
    factors: usize,
    galois_keys: usize,
}

impl Costs {
    pub fn new(
        parameters: &Parameters,
        form: ProductForm,
        (maps, packing): (&SlotMaps, Option<&Packing>),
        count: usize,
    ) -> Result<Self, FvError> {
        let mut galois = maps.exponents();
        galois.extend(packing.into_iter().flat_map(packed::exponents));
        let mut costs = Self::of_operations(parameters, form, galois.len())?;
        costs.factors = maps.factors().len();
        costs.maps = (0..count)
            .map(|map| {
                let terms = maps.terms(map);
                (
                    terms.len(),
                    terms.iter().filter(|term| term.exponent != 1).count(),
                )
            })
            .collect();
        Ok(costs)
    }

    /// Of operations without linear maps.
    pub fn of_operations(
        parameters: &Parameters,
        form: ProductForm,
        galois_keys: usize,
    ) -> Result<Self, FvError> {
        let mut costs = Self {
            form,
            n: parameters.n(),
            narrow: parameters.are_narrow(),
            limbs: vec![0],
            extension: vec![0],
            stored: vec![0],
            digits: vec![0],
            special: parameters.special().map_or(0, |special| special.len()),
            maps: Vec::new(),
            factors: 0,
            galois_keys,
        };
        for level in 1..=parameters.levels() {
            costs.limbs.push(parameters.limbs_at(level));
            costs.stored.push(parameters.ciphertext_bytes(level, false)?);
            costs.digits.push(parameters.digits_log2(level).len());
            // The BGV form has no use for one.
            costs.extension.push(match form {
                ProductForm::Bfv => parameters.factor_basis(level)?.len(),
                ProductForm::Bgv => 0,
            });
        }
        Ok(costs)
    }

    fn work(&self, transforms: usize, passes: usize, conversions: usize) -> Work {
        let (transforms, none) = (transforms as f64, 0.0);
        let (transforms, narrow_transforms) = if self.narrow {
            (none, transforms)
        } else {
            (transforms, none)
        };
        Work {
            transforms,
            narrow_transforms,
            passes: passes as f64,
            conversions: conversions as f64,
        }
    }

    /// Work of an operation computed at level `at` from operands there, brought to level `to`; without
    /// the preparation of factors and rotations.
    pub fn operation(&self, operation: &Operation, at: usize, to: usize) -> Work {
        let limbs = self.limbs[at];
        match operation {
            Operation::Input { .. } => Work::default(),
            Operation::Product { pairs, terms, clear } => {
                self.product(pairs.len(), at, to)
                    + self.work(0, 2 * limbs * terms.len(), 0)
                    + self.encoding(clear.is_some(), to)
            }
            Operation::PlainProduct { .. } => self.plain_product(at),
            Operation::Map { images, terms, clear } => {
                let all = limbs + self.special;
                let products: usize = images.iter().map(|(_, map)| self.maps[map.index()].0).sum();
                self.work(2 * limbs * terms.len(), 2 * all * (products + terms.len()), 0)
                    + self.rescale(all, self.limbs[to])
                    + self.encoding(clear.is_some(), to)
            }
            Operation::Linear { terms, clear } => {
                self.sum(terms.len(), false, at) + self.encoding(clear.is_some(), to)
            }
            Operation::Switch { .. } => self.switch(at, to),
        }
    }

    /// Work of a product with a plaintext.
    pub fn plain_product(&self, level: usize) -> Work {
        // Two transforms of each part and one of the plaintext, the products, and its encoding.
        self.work(5 * self.limbs[level] + 4, 2 * self.limbs[level], 0)
    }

    /// Work of a sum of so many ciphertexts, and of a plaintext.
    pub fn sum(&self, terms: usize, with_clear: bool, level: usize) -> Work {
        // Additions are about half a product, and memory is what they wait for.
        self.work(0, self.limbs[level] * terms, 0) + self.encoding(with_clear, level)
    }

    /// Work of making a plaintext a term, as if no other step of the wave shared it.
    fn encoding(&self, needed: bool, level: usize) -> Work {
        if needed {
            self.work(4, 2 * self.limbs[level], 0)
        } else {
            Work::default()
        }
    }

    /// Work of switching a ciphertext in coefficient domain.
    pub fn switch(&self, from: usize, to: usize) -> Work {
        let dropped = self.limbs[from].saturating_sub(self.limbs[to]).max(1);
        self.work(0, 2 * (dropped + self.limbs[to]), 2 * dropped * self.limbs[to])
    }

    /// Work of making a ciphertext a factor.
    pub fn factor(&self, level: usize, side: Side) -> Work {
        let (limbs, extension) = (self.limbs[level], self.extension[level]);
        let conversion = match side {
            // In the BGV form there is no extension.
            Side::First | Side::Either => self.work(0, 2 * limbs, 2 * limbs * extension),
            Side::Second => self.work(0, 2 * (limbs + extension), 4 * limbs * extension),
        };
        self.work(2 * (limbs + extension), 0, 0) + conversion
    }

    /// Work of decomposing a ciphertext into digits.
    pub fn decompose(&self, level: usize) -> Work {
        let (limbs, all) = (self.limbs[level], self.limbs[level] + self.special);
        self.work(limbs + self.digits[level] * all, all, limbs * all)
    }

    /// Work of one automorphism of a decomposed ciphertext.
    pub fn rotate(&self, level: usize) -> Work {
        let all = self.limbs[level] + self.special;
        // Products of digits with both halves of the key, and the permuted sums.
        self.work(0, 2 * all * self.digits[level] + 2 * all, 0)
    }

    /// Work of taking packed inputs apart.
    pub fn unpacking(&self, packed: &PackedInputs) -> Work {
        let node = |(level, split, children): (usize, &Split, usize)| {
            let (limbs, all) = (self.limbs[level], self.limbs[level] + self.special);
            let repeated = self.decompose(level) + self.rotate(level) + self.rescale(all, limbs);
            let again: usize = split.automorphisms().iter().map(|a| a.times - 1).sum();
            // The node itself, both parts, and its images.
            let images = self.decompose(level) + self.work(2 * limbs, 0, 0);
            let images = split
                .automorphisms()
                .iter()
                .fold(images, |sum, _| sum + self.rotate(level));
            // All children but the first have a product for each part of each image.
            let terms = 2 * all * (1 + split.automorphisms().len());
            let child = self.work(0, terms, 0) + self.rescale(all, limbs);
            let work = (0..again).fold(images, |sum, _| sum + repeated);
            (0..children).fold(work, |sum, _| sum + child)
        };
        let nodes = packed.nodes().map(node);
        nodes.fold(Work::default(), |sum, node| sum + node)
    }

    /// A sum of products of factors, relinearized.
    fn product(&self, pairs: usize, at: usize, to: usize) -> Work {
        let (limbs, digits, to) = (self.limbs[at], self.digits[at], self.limbs[to]);
        let all = limbs + self.special;
        // Digits are made and transformed, multiplied with both halves of the key. (In the BGV form the
        // product has to be transformed back first, but then digits are there in their own limbs.)
        let switching = self.work(digits * all, 2 * digits * all, limbs * all);
        let (tensor, divided) = match self.form {
            // The third part is divided first, then the sums of both others and of the digits.
            ProductForm::Bfv => {
                let both = limbs + self.extension[at];
                let third = self.work(both, 0, self.extension[at] * limbs);
                (third + self.work(0, 4 * pairs * both, 0), both)
            }
            ProductForm::Bgv => (self.work(0, 4 * pairs * limbs, 0), all),
        };
        tensor + switching + self.rescale(divided, to)
    }

    /// Work of bringing a sum over q P to a level.
    pub fn to_level(&self, at: usize, to: usize) -> Work {
        self.rescale(self.limbs[at] + self.special, self.limbs[to])
    }

    /// Bytes of a ciphertext of a level over the special primes too.
    pub fn extended_bytes(&self, level: usize) -> u64 {
        2 * self.polynomial(self.limbs[level] + self.special)
    }

    /// Bytes of the digits of a ciphertext.
    pub fn digits_bytes(&self, level: usize) -> u64 {
        self.polynomial(self.digits[level] * (self.limbs[level] + self.special))
    }

    /// Bytes that a thread takes at most to make the children of a node: its digits, and over the special primes too the node,
    /// its images and the children.
    pub fn splitting_bytes(&self, packing: &Packing, level: usize) -> u64 {
        let values = |split: &Split| 1 + split.automorphisms().len() + split.children();
        let most = packing.splits().iter().map(values).max().unwrap_or(0);
        self.digits_bytes(level) + most as u64 * self.extended_bytes(level)
    }

    /// Bytes of what images are multiplied by in children.
    pub fn split_factors_bytes(&self, packing: &Packing) -> u64 {
        let factors = |split: &Split| (split.children() - 1) * (1 + split.automorphisms().len());
        let all = self.limbs.iter().copied().max().unwrap_or(0) + self.special;
        self.polynomial(packing.splits().iter().map(factors).sum::<usize>() * all)
    }

    /// From evaluation domain over `all` limbs to coefficient domain over `to`, both parts.
    fn rescale(&self, all: usize, to: usize) -> Work {
        let dropped = all.saturating_sub(to);
        self.work(2 * all, 2 * dropped, 2 * dropped * to)
    }

    /// The size in bytes of a polynomial with the given number of limbs.
    fn polynomial(&self, limbs: usize) -> u64 {
        (limbs * self.n * 8) as u64
    }

    /// Bytes of the keys and constants in memory.
    fn keys(&self) -> u64 {
        let top = self.limbs.len() - 1;
        let all = self.limbs.iter().copied().max().unwrap_or(0) + self.special;
        2 * (1 + self.galois_keys as u64) * self.digits[top] as u64 * self.polynomial(all)
            + self.polynomial(self.factors * all)
    }

    /// Bytes of the device's tables, about: two vectors of n words, with a second word each for
    /// products by a constant, for every prime.
    fn tables(&self) -> u64 {
        let top = self.limbs.len() - 1;
        let limbs = self.limbs.iter().copied().max().unwrap_or(0);
        4 * self.polynomial(limbs + self.extension[top].max(self.special))
    }
}

impl Sizes for Costs {
    fn fixed(&self) -> u64 {
        PROCESS + self.keys() + self.tables()
    }

    fn ciphertext_bytes(&self, level: usize) -> u64 {
        2 * self.polynomial(self.limbs[level])
    }

    fn stored_bytes(&self, level: usize) -> u64 {
        self.stored[level]
    }

    fn factor_bytes(&self, level: usize) -> u64 {
        2 * self.polynomial(self.limbs[level] + self.extension[level])
    }

    fn rotation_bytes(&self, level: usize, moved: bool) -> u64 {
        let digits = if moved { self.digits_bytes(level) } else { 0 };
        self.ciphertext_bytes(level) + digits
    }

    fn workspace(&self, operation: &Operation, level: usize) -> u64 {
        let limbs = self.limbs[level];
        let all = limbs + self.special;
        match operation {
            Operation::Input { .. } | Operation::Switch { .. } => 0,
            Operation::Product { .. } => {
                // The third part of the product, the digits and the two sums; a device may have them all at a time.
                let divided = all.max(limbs + self.extension[level]);
                self.polynomial(limbs + self.digits[level] * all + 2 * divided)
            }
            // The plaintext, the transformed parts.
            Operation::PlainProduct { .. } => self.polynomial(3 * limbs + 1),
            // Two sums over q P.
            Operation::Map { .. } => self.polynomial(2 * all),
            // The plaintext, its words and the polynomial of them.
            Operation::Linear { clear, .. } => {
                if clear.is_some() {
                    self.polynomial(2 * limbs + 1)
                } else {
                    0
                }
            }
        }
    }
}
