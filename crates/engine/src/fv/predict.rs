//! Noise by rule, each rule computed once.
//!
//! The wires of a word mostly have the same history, so that a circuit of thousands of operations has
//! few different noises: a noise is named by an id, and an operation on the same ids at the same level
//! gives the same id.

use std::collections::HashMap;

use ringmill_fv::noise::Emphasis;
use ringmill_fv::{Noise, NoiseModel, Parameters};

use crate::fv::former::FormerResults;
use crate::fv::packed::{Unpacking, above};
use crate::fv::product_form::ProductForm;
use crate::fv::slot_maps::MapPower;
use crate::ir::id_hasher::BuildIdHasher;
use crate::ir::origins::Origins;
use crate::ir::program::{Operation, ValueId};

/// log2 of the noise up to which decryption is relied on. It is right up to 1/2, but decryption
/// refuses fractions beyond 0.45, as they hardly come from right ciphertexts.
pub(crate) const LIMIT: f64 = -1.2;

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
        at: usize,
        to: usize,
        /// Whether both have the same noise, for each.
        pairs: Vec<(NoiseId, NoiseId, bool)>,
        terms: Vec<NoiseId>,
        clear: bool,
    },
    PlainProduct {
        a: NoiseId,
    },
    Map {
        at: usize,
        to: usize,
        images: Vec<(NoiseId, usize)>,
        terms: Vec<NoiseId>,
        clear: bool,
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
    Returned {
        level: usize,
        a: NoiseId,
    },
}

/// The terms of a prediction: the probability of failure, and how inputs are encrypted.
#[derive(Debug, Clone)]
pub(crate) struct Demand {
    pub log2_failure: f64,
    /// Ciphertexts among which the probability of failure is shared.
    pub ciphertexts: usize,
    pub inputs: InputKey,
    /// Whether the noise of outputs is drowned before they are returned.
    pub flooding: bool,
    /// How inputs are taken apart, if they are packed.
    pub unpacking: Option<Unpacking>,
    /// The results of another plan that the inputs are, if they are.
    pub former: Option<FormerResults>,
    /// Levels of products that outputs must bear in other plans.
    pub further: u32,
}

/// log2 of the statistical distance that the noise of a batch's outputs may have to that of any other computation.
const HIDDEN: f64 = 64.0;

/// Bits by which flooding raises a bound B on the noise of outputs. Uniform noise below A hides noise below B up to a
/// distance of B/A a coefficient, so A is at least 2^[`HIDDEN`] times B times the number of coefficients. A is a power of
/// two, at most twice that, and the noise below it makes the sum a little more.
fn flooding_bits(n: usize, ciphertexts: usize) -> f64 {
    HIDDEN + ((n * ciphertexts.max(1)) as f64).log2() + 2.0
}

/// The noise model with what is asked of it.
pub(crate) struct Predictor {
    model: NoiseModel,
    form: ProductForm,
    /// The highest level, of inputs that are results of another plan theirs.
    levels: usize,
    /// The noise of such inputs.
    former: Option<Noise>,
    log2_q: Vec<f64>,
    demand: Demand,
    maps: Vec<MapPower>,
    /// log2 of a bound over the deviation of the noise that it bounds.
    tail: f64,
    /// Bits by which flooding raises the noise of outputs: see [`flooding_bits`]; 0 without it.
    flooding: f64,
    /// How much bins matter, by the number of products to come.
    emphases: HashMap<u32, Emphasis>,
    known: HashMap<Rule, NoiseId, BuildIdHasher>,
    noises: Vec<Noise>,
    /// The part of each noise that products left, whose tails are heavier than a Gaussian's. Only in the BGV form.
    olds: Vec<Noise>,
}

impl Predictor {
    pub fn new(parameters: &Parameters, form: ProductForm, demand: Demand, maps: Vec<MapPower>) -> Self {
        let model = NoiseModel::new(parameters);
        // The same for all noises, and slow to compute.
        let any = model.trivial(1);
        let bound = any.bound_log2(&model, demand.log2_failure, demand.ciphertexts);
        Self {
            tail: bound - any.coefficient_deviation_log2(&model),
            flooding: if demand.flooding {
                flooding_bits(parameters.n(), demand.ciphertexts)
            } else {
                0.0
            },
            emphases: HashMap::new(),
            model,
            form,
            levels: demand.former.map_or(parameters.levels(), |former| former.level),
            former: demand
                .former
                .map(|former| Noise::from_log2_powers(&former.log2_powers)),
            log2_q: (0..=parameters.levels())
                .map(|level| parameters.log2_q(level))
                .collect(),
            demand,
            maps,
            known: HashMap::default(),
            noises: Vec::new(),
            olds: Vec::new(),
        }
    }

    /// The model.
    pub fn model(&self) -> &NoiseModel {
        &self.model
    }

    /// The noise of a product before its key switch, of different values.
    pub fn product(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        match self.form {
            ProductForm::Bfv => self.model.multiply(level, a, b),
            ProductForm::Bgv => self.model.multiply_bgv(level, a, b),
        }
    }

    /// The highest level.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The lowest level from `low` to `high` whose modulus is so many bits larger than that of `low`; otherwise
    /// `high`.
    pub fn above(&self, low: usize, high: usize, bits: f64) -> usize {
        let wanted = self.log2_q[low] + bits;
        (low..high)
            .find(|level| self.log2_q[*level] >= wanted)
            .unwrap_or(high)
    }

    /// How products are computed.
    pub fn form(&self) -> ProductForm {
        self.form
    }

    /// log2 of the largest noise with which an output may be returned, before it is flooded.
    pub fn limit(&self) -> f64 {
        LIMIT - self.flooding
    }

    /// Bits by which flooding raises the noise of outputs.
    pub fn flooding(&self) -> f64 {
        self.flooding
    }

    /// The noise of an output of a level, with the encryption of zero that flooding adds.
    pub fn returned(&mut self, noise: NoiseId, level: usize) -> NoiseId {
        if self.demand.flooding {
            self.rule(Rule::Returned { level, a: noise })
        } else {
            noise
        }
    }

    /// Bits of margin kept because noise after many products has heavier tails than the model's: of this noise, if there is
    /// any, after so many in a row, in the BGV form with factors of which so much was inherited.
    pub fn reserve(&self, depth: u32, inherited: f64, noise: Option<NoiseId>) -> f64 {
        let depth = depth + self.demand.former.map_or(0, |former| former.depth);
        noise.map_or(0.0, |noise| match self.form {
            ProductForm::Bfv => self.model.reserve_bits(depth as usize, &self.noises[noise.0]),
            ProductForm::Bgv => self
                .model
                .reserve_bgv(depth as usize, inherited, &self.noises[noise.0]),
        })
    }

    /// A noise that is known.
    pub fn noise(&self, noise: NoiseId) -> &Noise {
        &self.noises[noise.0]
    }

    /// Whether inputs are results of other operations, so that their noises may be the same.
    pub fn related_inputs(&self) -> bool {
        self.former.is_some()
    }

    /// Levels of products that outputs must bear in other plans.
    pub fn further(&self) -> u32 {
        self.demand.further
    }

    /// The share of a noise at a level that products left; in the BFV form nobody asks for it.
    pub fn inherited(&self, noise: NoiseId, level: usize) -> f64 {
        self.olds.get(noise.0).map_or(0.0, |old| {
            self.model.inherited_share(level, old, &self.noises[noise.0])
        })
    }

    /// The larger of two noises by bound: of two of one origin, the one with a rounding more.
    fn larger(&self, a: NoiseId, b: NoiseId) -> &Noise {
        let larger = if self.bound(a) >= self.bound(b) { a } else { b };
        &self.noises[larger.0]
    }

    /// The noise of what an operation makes from values of these noises: computed at level `at`, then
    /// brought to level `to`.
    pub fn operation(
        &mut self,
        operation: &Operation,
        (at, to): (usize, usize),
        origins: &Origins,
        noise: impl Fn(ValueId) -> NoiseId,
    ) -> NoiseId {
        let sorted = |terms: &[ValueId]| {
            let mut terms: Vec<NoiseId> = terms.iter().map(|term| noise(*term)).collect();
            terms.sort_unstable();
            terms
        };
        let rule = match operation {
            Operation::Input { .. } => Rule::Fresh { level: to },
            Operation::Product { pairs, terms, clear } => {
                let pair = |(a, b): &(ValueId, ValueId)| {
                    let (x, y) = (noise(*a), noise(*b));
                    (x.min(y), x.max(y), origins.are_same(*a, *b))
                };
                let mut pairs: Vec<_> = pairs.iter().map(pair).collect();
                pairs.sort_unstable();
                Rule::Product {
                    at,
                    to,
                    pairs,
                    terms: sorted(terms),
                    clear: clear.is_some(),
                }
            }
            Operation::PlainProduct { operand, .. } => Rule::PlainProduct { a: noise(*operand) },
            Operation::Map { images, terms, clear } => {
                let mut images: Vec<_> = images
                    .iter()
                    .map(|(operand, map)| (noise(*operand), map.index()))
                    .collect();
                images.sort_unstable();
                Rule::Map {
                    at,
                    to,
                    images,
                    terms: sorted(terms),
                    clear: clear.is_some(),
                }
            }
            Operation::Linear { terms, clear } => Rule::Linear {
                level: to,
                terms: sorted(terms),
                clear: clear.is_some(),
            },
            Operation::Switch { operand } => Rule::Switch {
                level: to,
                a: noise(*operand),
            },
        };
        self.rule(rule)
    }

    /// A noise at another level.
    pub fn switch(&mut self, a: NoiseId, level: usize) -> NoiseId {
        self.rule(Rule::Switch { level, a })
    }

    /// A fresh encryption.
    pub fn fresh(&mut self, level: usize) -> NoiseId {
        self.rule(Rule::Fresh { level })
    }

    /// The noise of an input at a level: encrypted there, or taken apart just above.
    pub fn fresh_noise(&self, level: usize) -> Noise {
        if let Some(former) = &self.former {
            return self.model.switch_modulus(level, former);
        }
        let fresh = |level| match self.demand.inputs {
            InputKey::Public => self.model.fresh_public(level),
            InputKey::Secret => self.model.fresh_secret(level),
        };
        let Some(unpacking) = &self.demand.unpacking else {
            return fresh(level);
        };
        // Higher nodes are at levels that are not lower, and have less noise.
        let node = above(level, self.levels);
        let noise = unpacking.steps.iter().fold(fresh(node), |noise, step| {
            self.model.halve((node, node), &noise, *step)
        });
        let noise = if unpacking.alike_outputs {
            self.model.multiply_plain_power(&noise, unpacking.roots_alike())
        } else {
            noise
        };
        self.model.switch_modulus(level, &noise)
    }

    /// log2 of the magnitude that a noise stays below with the probability asked for.
    pub fn bound_of(&self, noise: &Noise) -> f64 {
        noise.coefficient_deviation_log2(&self.model) + self.tail
    }

    /// [`Predictor::bound_of`] a noise that is known.
    pub fn bound(&self, noise: NoiseId) -> f64 {
        self.bound_of(&self.noises[noise.0])
    }

    /// log2 of the probability that one of all outputs of this noise fails. With flooding, that the noise is above its
    /// bound: below it no flood makes it too large.
    pub fn failure(&self, noise: NoiseId) -> f64 {
        if self.demand.flooding {
            return self.demand.log2_failure;
        }
        self.noises[noise.0].failure_log2(&self.model, self.demand.ciphertexts)
    }

    /// The largest by bound.
    pub fn worst(&self, noises: impl Iterator<Item = NoiseId>) -> Option<NoiseId> {
        noises.max_by(|a, b| self.bound(*a).total_cmp(&self.bound(*b)))
    }

    /// How bad a noise is before `later` further products, in bits of deviation.
    ///
    /// In the BFV form products multiply the power at each root by about the secret's there, so that
    /// only the roots where it is large count in the end. In the BGV form they square it, and it must
    /// not grow at any root.
    pub fn weight(&mut self, noise: NoiseId, later: u32) -> f64 {
        let noise = &self.noises[noise.0];
        let power = match (self.form, later) {
            (ProductForm::Bgv, 1..) => noise.largest_log2(),
            _ => {
                let emphasis = self.emphases.entry(later);
                noise.coefficient_power_log2(emphasis.or_insert_with(|| self.model.emphasis(later)))
            }
        };
        power / 2.0
    }

    /// A product of two different values of this noise at its level, relinearized.
    pub fn product_of_equals(&mut self, level: usize, factor: NoiseId) -> NoiseId {
        self.rule(Rule::Product {
            at: level,
            to: level,
            pairs: vec![(factor, factor, false)],
            terms: Vec::new(),
            clear: false,
        })
    }

    fn rule(&mut self, rule: Rule) -> NoiseId {
        if let Some(id) = self.known.get(&rule) {
            return *id;
        }
        let noise = self.compute(&rule);
        if self.form == ProductForm::Bgv {
            let old = self.inherit(&rule);
            self.olds.push(old);
        }
        let id = NoiseId(self.noises.len());
        self.noises.push(noise);
        self.known.insert(rule, id);
        id
    }

    /// What of a noise comes from products: all of a product's, and what its operands had of an operation
    /// that is linear.
    fn inherit(&self, rule: &Rule) -> Noise {
        let (model, get) = (&self.model, |id: &NoiseId| &self.olds[id.0]);
        match rule {
            Rule::Fresh { .. } => model.sum(&[]),
            // Before it is brought to another level: the rounding of that is new.
            Rule::Product { at, pairs, terms, .. } => self.compute(&Rule::Product {
                at: *at,
                to: *at,
                pairs: pairs.clone(),
                terms: terms.clone(),
                clear: false,
            }),
            Rule::PlainProduct { a } => model.multiply_plain(get(a)),
            Rule::Map { images, terms, .. } => {
                let images: Vec<Noise> = images
                    .iter()
                    .flat_map(|(a, map)| {
                        let power = &self.maps[*map];
                        let moved = power
                            .moved
                            .map(|power| model.multiply_plain_power(&model.moved(get(a)), power));
                        let kept = power.kept.map(|power| model.multiply_plain_power(get(a), power));
                        moved.into_iter().chain(kept)
                    })
                    .collect();
                model.sum(&images.iter().chain(terms.iter().map(get)).collect::<Vec<_>>())
            }
            Rule::Linear { terms, .. } => model.sum(&terms.iter().map(get).collect::<Vec<_>>()),
            Rule::Switch { a, .. } | Rule::Returned { a, .. } => get(a).clone(),
        }
    }

    fn compute(&self, rule: &Rule) -> Noise {
        let (model, get) = (&self.model, |id: &NoiseId| &self.noises[id.0]);
        let finish = |noise: Noise, to: usize, clear: bool| {
            let noise = model.switch_modulus(to, &noise);
            if clear { model.add_plain(to, &noise) } else { noise }
        };
        match rule {
            Rule::Fresh { level } => self.fresh_noise(*level),
            Rule::Product {
                at,
                to,
                pairs,
                terms,
                clear,
            } => {
                let products = pairs.iter().map(|(a, b, same)| match (self.form, same) {
                    (_, false) => self.product(*at, get(a), get(b)),
                    (ProductForm::Bfv, true) => model.square(*at, self.larger(*a, *b)),
                    (ProductForm::Bgv, true) => model.square_bgv(*at, self.larger(*a, *b)),
                });
                let products: Vec<Noise> = products.collect();
                let all: Vec<&Noise> = products.iter().chain(terms.iter().map(get)).collect();
                finish(model.key_switch_extended(*at, &model.sum(&all)), *to, *clear)
            }
            Rule::PlainProduct { a } => model.multiply_plain(get(a)),
            Rule::Map {
                at,
                to,
                images,
                terms,
                clear,
            } => {
                let images = images.iter().flat_map(|(a, map)| {
                    let power = &self.maps[*map];
                    let moved = power
                        .moved
                        .map(|power| model.multiply_plain_power(&model.rotate(*at, get(a)), power));
                    let kept = power.kept.map(|power| model.multiply_plain_power(get(a), power));
                    moved.into_iter().chain(kept)
                });
                let images: Vec<Noise> = images.collect();
                let all: Vec<&Noise> = images.iter().chain(terms.iter().map(get)).collect();
                finish(model.sum(&all), *to, *clear)
            }
            Rule::Linear { level, terms, clear } => {
                let sum = model.sum(&terms.iter().map(get).collect::<Vec<_>>());
                if *clear {
                    model.add_plain(*level, &sum)
                } else {
                    sum
                }
            }
            Rule::Switch { level, a } => model.switch_modulus(*level, get(a)),
            Rule::Returned { level, a } => model.sum(&[get(a), &model.fresh_public(*level)]),
        }
    }
}
