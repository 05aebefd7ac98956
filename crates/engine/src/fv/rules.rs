//! The rules by which noise follows, for all secrets by bins of roots or for one secret by pairs of roots.

use ringmill_fv::noise::Roots;
use ringmill_fv::{Bins, Noise, NoiseModel};

use crate::fv::former::FormerResults;
use crate::fv::motions::Motions;
use crate::fv::packed::{Unpacking, above};
use crate::fv::product_form::ProductForm;
use crate::fv::rule::{NoiseId, Rule};

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
    /// Whether factors of products may depend on each other in any way, so that squares may be squared again.
    pub related: bool,
}

/// What the power of an encryption under the public key counts times in the BGV form. It is mostly |e u|^2 of two elements
/// that are Gaussian at each root. The product of two of these exceeds its mean by 15.2 bits with a probability of 2^-80, for
/// two Gaussians the bound is 11.6. In the BFV form the reserve counts it as a level.
const HEAVY_ENCRYPTION: f64 = 4.0;

/// log2 of the statistical distance that the noise of a batch's outputs may have to that of any other computation.
const HIDDEN: f64 = 64.0;

/// Bits by which flooding raises a bound B on the noise of outputs. Uniform noise below A hides noise below B up to a
/// distance of B/A a coefficient, so A is at least 2^[`HIDDEN`] times B times the number of coefficients. A is a power of
/// two, at most twice that, and the noise below it makes the sum a little more.
fn flooding_bits(n: usize, ciphertexts: usize) -> f64 {
    HIDDEN + ((n * ciphertexts.max(1)) as f64).log2() + 2.0
}

/// The noise model with what is asked of it.
pub(crate) struct Rules<R: Roots = Bins> {
    model: NoiseModel<R>,
    form: ProductForm,
    /// The highest level, of inputs that are results of another plan theirs.
    levels: usize,
    /// The noise of such inputs.
    former: Option<Noise<R::Values>>,
    demand: Demand,
    motions: Motions<R>,
    /// log2 of a bound over the deviation of the noise that it bounds.
    tail: f64,
    /// Bits by which flooding raises the noise of outputs: see [`flooding_bits`]; 0 without it.
    flooding: f64,
}

impl<R: Roots> Rules<R> {
    /// The rules for parameters of this dimension and so many levels.
    pub fn new(
        model: NoiseModel<R>,
        (n, levels): (usize, usize),
        form: ProductForm,
        demand: Demand,
        motions: Motions<R>,
    ) -> Self {
        // The same for all noises, and slow to compute.
        let any = model.trivial(1);
        let bound = any.bound_log2(&model, demand.log2_failure, demand.ciphertexts);
        let former = demand.former.as_ref();
        Self {
            tail: bound - any.coefficient_deviation_log2(&model),
            flooding: if demand.flooding {
                flooding_bits(n, demand.ciphertexts)
            } else {
                0.0
            },
            levels: former.map_or(levels, |former| former.level),
            former: former.map(|former| model.of_bins(&former.log2_powers)),
            model,
            form,
            demand,
            motions,
        }
    }

    /// The model.
    pub fn model(&self) -> &NoiseModel<R> {
        &self.model
    }

    /// What is asked of it.
    pub fn demand(&self) -> &Demand {
        &self.demand
    }

    /// How products are computed.
    pub fn form(&self) -> ProductForm {
        self.form
    }

    /// The highest level.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// log2 of the largest noise with which an output may be returned, before it is flooded.
    pub fn limit(&self) -> f64 {
        LIMIT - self.flooding
    }

    /// Bits by which flooding raises the noise of outputs.
    pub fn flooding(&self) -> f64 {
        self.flooding
    }

    /// Bits of margin kept because this noise, after so many products in a row, has heavier tails than the model's; in the
    /// BGV form with factors of which so much was inherited.
    pub fn reserve(&self, depth: u32, inherited: f64, noise: &Noise<R::Values>) -> f64 {
        let former = self.demand.former.as_ref().map_or(0, |former| former.depth);
        let (depth, failure) = ((depth + former) as usize, self.demand.log2_failure);
        // Encryption under the public key is a product too.
        let levels =
            depth + usize::from(self.demand.inputs == InputKey::Public || self.demand.former.is_some());
        let each = failure - (self.demand.ciphertexts.max(1) as f64).log2();
        match self.form {
            ProductForm::Bgv => self.model.reserve_bgv(depth, inherited, noise, failure),
            ProductForm::Bfv if self.demand.related => self.model.reserve_bits_any(levels, noise, each),
            ProductForm::Bfv => self.model.reserve_bits(levels, noise, each),
        }
    }

    /// log2 of the magnitude that a noise stays below with the probability asked for.
    pub fn bound(&self, noise: &Noise<R::Values>) -> f64 {
        noise.coefficient_deviation_log2(&self.model) + self.tail
    }

    /// Bits by which a noise after so many products in a row is above the limit with its reserve; negative for bits to spare.
    pub fn excess(&self, depth: u32, inherited: f64, noise: &Noise<R::Values>) -> f64 {
        self.bound(noise) - (self.limit() - self.reserve(depth, inherited, noise))
    }

    /// The noise of a product before its key switch, of different values.
    pub fn product(&self, level: usize, a: &Noise<R::Values>, b: &Noise<R::Values>) -> Noise<R::Values> {
        match self.form {
            ProductForm::Bfv => self.model.multiply(level, a, b),
            ProductForm::Bgv => self.model.multiply_bgv(level, a, b),
        }
    }

    /// The noise of an input at a level: encrypted there, or taken apart just above.
    pub fn fresh(&self, level: usize) -> Noise<R::Values> {
        if let Some(former) = &self.former {
            return self.model.switch_modulus(level, former);
        }
        let fresh = |level| match (self.demand.inputs, self.form) {
            (InputKey::Secret, _) => self.model.fresh_secret(level),
            (InputKey::Public, ProductForm::Bfv) => self.model.fresh_public(level),
            (InputKey::Public, ProductForm::Bgv) => {
                let fresh = self.model.fresh_public(level);
                self.model.multiply_plain_power(&fresh, HEAVY_ENCRYPTION)
            }
        };
        let Some(unpacking) = &self.demand.unpacking else {
            return fresh(level);
        };
        // Higher nodes are at levels that are not lower, and have less noise.
        let node = above(level, self.levels);
        let splits = unpacking.splits.iter().zip(&self.motions.unpacking);
        let noise = splits.fold(fresh(node), |noise, (split, motions)| {
            let times = split.automorphisms().iter().map(|a| a.times);
            let automorphisms: Vec<_> = motions.iter().zip(times).collect();
            self.model
                .split((node, node), &noise, (&automorphisms, split.power()))
        });
        let noise = if unpacking.alike_outputs {
            self.model.multiply_plain_power(&noise, unpacking.roots_alike)
        } else {
            noise
        };
        self.model.switch_modulus(level, &noise)
    }

    /// The noise that a rule makes of others.
    pub fn noise<'a>(&self, rule: &Rule, get: &impl Fn(&NoiseId) -> &'a Noise<R::Values>) -> Noise<R::Values>
    where
        R::Values: 'a,
    {
        let model = &self.model;
        let finish = |noise: Noise<R::Values>, to: usize, clear: bool| {
            let noise = model.switch_modulus(to, &noise);
            if clear { model.add_plain(to, &noise) } else { noise }
        };
        match rule {
            Rule::Fresh { level } => self.fresh(*level),
            Rule::Product {
                at,
                to,
                pairs,
                terms,
                clear,
            } => {
                let products = pairs.iter().map(|(a, b, same)| match (self.form, same) {
                    (_, false) => self.product(*at, get(a), get(b)),
                    (ProductForm::Bfv, true) => model.square(*at, self.larger(get(a), get(b))),
                    (ProductForm::Bgv, true) => model.square_bgv(*at, self.larger(get(a), get(b))),
                });
                let products: Vec<_> = products.collect();
                let sum = self.sum(&products, terms, get);
                finish(model.key_switch_extended(*at, &sum), *to, *clear)
            }
            Rule::PlainProduct { a } => model.multiply_plain(get(a)),
            Rule::Map {
                at,
                to,
                images,
                terms,
                clear,
            } => {
                let rotate = |a: &_, motion: &_| model.rotate(*at, a, motion);
                let images = images
                    .iter()
                    .flat_map(|(a, map)| self.images(*map, get(a), rotate));
                let images: Vec<_> = images.collect();
                finish(self.sum(&images, terms, get), *to, *clear)
            }
            Rule::Linear { level, terms, clear } => {
                let sum = self.sum(&[], terms, get);
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

    /// What of a noise comes from products: all of a product's, and what its operands had of an operation
    /// that is linear. Of the operands `get` returns all noise, `old` that part.
    pub fn inherited<'a>(
        &self,
        rule: &Rule,
        get: &impl Fn(&NoiseId) -> &'a Noise<R::Values>,
        old: &impl Fn(&NoiseId) -> &'a Noise<R::Values>,
    ) -> Noise<R::Values>
    where
        R::Values: 'a,
    {
        let model = &self.model;
        match rule {
            Rule::Fresh { .. } => model.none(),
            // Before it is brought to another level: the rounding of that is new.
            Rule::Product { at, pairs, terms, .. } => {
                let unfinished = Rule::Product {
                    at: *at,
                    to: *at,
                    pairs: pairs.clone(),
                    terms: terms.clone(),
                    clear: false,
                };
                self.noise(&unfinished, get)
            }
            Rule::PlainProduct { a } => model.multiply_plain(old(a)),
            Rule::Map { images, terms, .. } => {
                let moved = |a: &_, motion: &_| model.moved(a, motion);
                let images = images
                    .iter()
                    .flat_map(|(a, map)| self.images(*map, old(a), moved));
                let images: Vec<_> = images.collect();
                self.sum(&images, terms, old)
            }
            Rule::Linear { terms, .. } => self.sum(&[], terms, old),
            Rule::Switch { a, .. } | Rule::Returned { a, .. } => old(a).clone(),
        }
    }

    /// The noise of a sum of noises and of terms that are known.
    fn sum<'a>(
        &self,
        noises: &[Noise<R::Values>],
        terms: &[NoiseId],
        get: &impl Fn(&NoiseId) -> &'a Noise<R::Values>,
    ) -> Noise<R::Values>
    where
        R::Values: 'a,
    {
        let mut all: Vec<&Noise<R::Values>> = noises.iter().collect();
        for term in terms {
            all.push(get(term));
        }
        self.model.sum(&all)
    }

    /// The noise of a map's images, which are summed: of all that an automorphism moves together, and of the operand where
    /// it stays. Automorphisms bring noise of different roots together, which is independent.
    fn images(
        &self,
        map: usize,
        a: &Noise<R::Values>,
        moved: impl Fn(&Noise<R::Values>, &R::Motion) -> Noise<R::Values>,
    ) -> impl Iterator<Item = Noise<R::Values>> {
        let map = &self.motions.maps[map];
        let terms = map.moved.iter();
        let terms: Vec<_> = terms
            .map(|term| self.model.multiply_factor(&moved(a, &term.motion), &term.factor))
            .collect();
        let together = (!terms.is_empty()).then(|| self.model.sum_independent(&terms));
        let kept = map
            .kept
            .as_ref()
            .map(|factor| self.model.multiply_factor(a, factor));
        together.into_iter().chain(kept)
    }

    /// The larger of two noises by bound: of two of one origin, the one with a rounding more.
    fn larger<'a>(&self, a: &'a Noise<R::Values>, b: &'a Noise<R::Values>) -> &'a Noise<R::Values> {
        if self.bound(a) >= self.bound(b) { a } else { b }
    }
}
