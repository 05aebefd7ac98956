//! Noise by rule, each rule computed once.
//!
//! The bits of a word mostly have the same history, so that a circuit of thousands of operations has
//! few different noises: a noise is named by an id, and an operation on the same ids at the same level
//! gives the same id.

use std::collections::HashMap;

use ringmill_fv::{Noise, NoiseModel, Parameters};

use crate::program::{Operation, ValueId};

/// log2 of the noise up to which decryption is relied on. It is right up to 1/2, but decryption
/// refuses fractions beyond 0.45, as they hardly come from right ciphertexts.
const LIMIT: f64 = -1.2;

/// The key under which inputs are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKey {
    /// The public key, or either.
    Public,
    /// The secret key, by its owner. Leaves about 8 bits less noise at n = 32768.
    Secret,
}

/// A noise known to a [`Predictor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NoiseId(usize);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Rule {
    Fresh {
        level: usize,
    },
    Product {
        level: usize,
        a: NoiseId,
        b: NoiseId,
        same: bool,
    },
    PlainProduct {
        a: NoiseId,
    },
    Linear {
        level: usize,
        terms: Vec<NoiseId>,
        clear: bool,
    },
    Switch {
        level: usize,
        a: NoiseId,
    },
}

/// The noise model with the probability of failure that is asked for.
pub(crate) struct Predictor {
    model: NoiseModel,
    levels: usize,
    log2_failure: f64,
    /// Ciphertexts among which the probability of failure is shared.
    ciphertexts: usize,
    inputs: InputKey,
    known: HashMap<Rule, NoiseId>,
    noises: Vec<Noise>,
    bounds: Vec<f64>,
    lowest: HashMap<(NoiseId, u32, u64), usize>,
}

impl Predictor {
    pub fn new(parameters: &Parameters, inputs: InputKey, log2_failure: f64, ciphertexts: usize) -> Self {
        Self {
            model: NoiseModel::new(parameters),
            levels: parameters.levels(),
            log2_failure,
            ciphertexts,
            inputs,
            known: HashMap::new(),
            noises: Vec::new(),
            bounds: Vec::new(),
            lowest: HashMap::new(),
        }
    }

    /// The highest level.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// log2 of the largest noise with which an output may be returned.
    pub fn limit(&self) -> f64 {
        LIMIT
    }

    /// The noise of what an operation makes at a level from values of these noises.
    pub fn operation(&mut self, operation: &Operation, level: usize, noise: &[NoiseId]) -> NoiseId {
        let of = |value: &ValueId| noise[value.0];
        let rule = match operation {
            Operation::Input { .. } => Rule::Fresh { level },
            Operation::Product { left, right } => Rule::Product {
                level,
                a: of(left).min(of(right)),
                b: of(left).max(of(right)),
                same: left == right,
            },
            Operation::PlainProduct { operand, .. } => Rule::PlainProduct { a: of(operand) },
            Operation::Linear { terms, clear } => {
                let mut terms: Vec<NoiseId> = terms.iter().map(of).collect();
                terms.sort_unstable();
                Rule::Linear {
                    level,
                    terms,
                    clear: clear.is_some(),
                }
            }
            Operation::Switch { operand } => Rule::Switch {
                level,
                a: of(operand),
            },
        };
        self.rule(rule)
    }

    /// A noise at another level.
    pub fn switch(&mut self, a: NoiseId, level: usize) -> NoiseId {
        self.rule(Rule::Switch { level, a })
    }

    /// log2 of the magnitude that the noise stays below with the probability asked for.
    pub fn bound(&self, noise: NoiseId) -> f64 {
        self.bounds[noise.0]
    }

    /// log2 of the probability that one of all outputs of this noise fails.
    pub fn failure(&self, noise: NoiseId) -> f64 {
        self.noises[noise.0].failure_log2(&self.model, self.ciphertexts)
    }

    /// The largest by bound.
    pub fn worst(&self, noises: impl Iterator<Item = NoiseId>) -> Option<NoiseId> {
        noises.max_by(|a, b| self.bound(*a).total_cmp(&self.bound(*b)))
    }

    /// The lowest level to which a noise can be switched so that this adds at most `tolerance` bits to
    /// the noise after `later` further products.
    ///
    /// Products multiply the power at each root by about the secret's there, so that only the roots
    /// where it is large count in the end.
    pub fn lowest_level(&mut self, noise: NoiseId, later: u32, tolerance: f64) -> usize {
        let key = (noise, later, tolerance.to_bits());
        if let Some(level) = self.lowest.get(&key) {
            return *level;
        }
        let before = self.weighted(noise, later);
        let found = (1..self.levels).find(|level| {
            let switched = self.switch(noise, *level);
            (self.weighted(switched, later) - before) / 2.0 <= tolerance
        });
        let level = found.unwrap_or(self.levels);
        self.lowest.insert(key, level);
        level
    }

    /// Products that fit between fresh encryption and the limit, in a chain of products of different
    /// values of equal noise, and the bits by which each makes the noise grow.
    pub fn fitting_depth(&mut self, most: u32) -> (u32, f64) {
        let level = self.levels;
        let mut noise = self.rule(Rule::Fresh { level });
        let mut growth = 0.0;
        for depth in 0..most {
            let before = self.bound(noise);
            noise = self.rule(Rule::Product {
                level,
                a: noise,
                b: noise,
                same: false,
            });
            if self.bound(noise) > LIMIT {
                return (
                    depth,
                    if depth == 0 {
                        self.bound(noise) - before
                    } else {
                        growth
                    },
                );
            }
            growth = self.bound(noise) - before;
        }
        (most, growth)
    }

    /// log2 of the power in all bins, after multiplying each by the secret's `later` times.
    fn weighted(&self, noise: NoiseId, later: u32) -> f64 {
        let bins = self.model.bins();
        let powers = self.noises[noise.0].log2_powers().iter();
        let terms = powers.zip(bins.log2_shares()).zip(bins.x());
        let terms = terms.map(|((power, share), x)| power + share + f64::from(later) * x.max(1e-9).log2());
        let terms: Vec<f64> = terms.collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest
            + terms
                .iter()
                .map(|term| (term - largest).exp2())
                .sum::<f64>()
                .log2()
    }

    fn rule(&mut self, rule: Rule) -> NoiseId {
        if let Some(id) = self.known.get(&rule) {
            return *id;
        }
        let (model, get) = (&self.model, |id: &NoiseId| &self.noises[id.0]);
        let noise = match &rule {
            Rule::Fresh { level } => match self.inputs {
                InputKey::Public => model.fresh_public(*level),
                InputKey::Secret => model.fresh_secret(*level),
            },
            Rule::Product { level, a, b, same } => {
                let product = match same {
                    true => model.square(*level, get(a)),
                    false => model.multiply(*level, get(a), get(b)),
                };
                model.key_switch(*level, &product)
            }
            Rule::PlainProduct { a } => model.multiply_plain(get(a)),
            Rule::Linear { level, terms, clear } => {
                let sum = model.sum(&terms.iter().map(get).collect::<Vec<_>>());
                if *clear {
                    model.add_plain(*level, &sum)
                } else {
                    sum
                }
            }
            Rule::Switch { level, a } => model.switch_modulus(*level, get(a)),
        };
        let id = NoiseId(self.noises.len());
        self.bounds
            .push(noise.bound_log2(model, self.log2_failure, self.ciphertexts));
        self.noises.push(noise);
        self.known.insert(rule, id);
        id
    }
}
