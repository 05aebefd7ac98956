//! Noise by rule, each rule computed once.
//!
//! The wires of a word mostly have the same history, so that a circuit of thousands of operations has
//! few different noises: a noise is named by an id, and an operation on the same ids at the same level
//! gives the same id.

use std::collections::HashMap;

use ringmill_fv::noise::Emphasis;
use ringmill_fv::{Noise, NoiseModel, Parameters};

use crate::fv::motions::Motions;
use crate::fv::product_form::ProductForm;
use crate::fv::rule::{NoiseId, Rule};
use crate::fv::rules::{Demand, Rules};
use crate::fv::slot_maps::MapPower;
use crate::ir::id_hasher::BuildIdHasher;

/// The noises of a plan in the making, for all secrets.
pub(crate) struct Predictor {
    rules: Rules,
    log2_q: Vec<f64>,
    /// How much bins matter, by the number of products to come.
    emphases: HashMap<u32, Emphasis>,
    known: HashMap<Rule, NoiseId, BuildIdHasher>,
    noises: Vec<Noise>,
    /// The part of each noise that products left, whose tails are heavier than a Gaussian's. Only in the BGV form.
    olds: Vec<Noise>,
}

impl Predictor {
    pub fn new(parameters: &Parameters, form: ProductForm, demand: Demand, maps: &[MapPower]) -> Self {
        let size = (parameters.n(), parameters.levels());
        let motions = Motions::of_powers(maps, demand.unpacking.as_ref());
        let levels = 0..=parameters.levels();
        Self {
            rules: Rules::new(NoiseModel::new(parameters), size, form, demand, motions),
            log2_q: levels.map(|level| parameters.log2_q(level)).collect(),
            emphases: HashMap::new(),
            known: HashMap::default(),
            noises: Vec::new(),
            olds: Vec::new(),
        }
    }

    /// The rules that noise follows.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rules of all noises that were followed, in the order of their ids.
    pub fn into_rules(self) -> Vec<Rule> {
        let mut rules: Vec<(Rule, NoiseId)> = self.known.into_iter().collect();
        rules.sort_unstable_by_key(|rule| rule.1);
        rules.into_iter().map(|rule| rule.0).collect()
    }

    /// The highest level.
    pub fn levels(&self) -> usize {
        self.rules.levels()
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
        self.rules.form()
    }

    /// log2 of the largest noise with which an output may be returned, before it is flooded.
    pub fn limit(&self) -> f64 {
        self.rules.limit()
    }

    /// The noise of an output of a level, with the encryption of zero that flooding adds.
    pub fn returned(&mut self, noise: NoiseId, level: usize) -> NoiseId {
        if self.rules.demand().flooding {
            self.rule(Rule::Returned { level, a: noise })
        } else {
            noise
        }
    }

    /// Bits of margin kept because noise after many products has heavier tails than the model's: [`Rules::reserve`] of this
    /// noise, if there is any.
    pub fn reserve(&self, depth: u32, inherited: f64, noise: Option<NoiseId>) -> f64 {
        noise.map_or(0.0, |noise| {
            self.rules.reserve(depth, inherited, self.noise(noise))
        })
    }

    /// A noise that is known.
    pub fn noise(&self, noise: NoiseId) -> &Noise {
        &self.noises[noise.0]
    }

    /// Whether inputs are results of other operations, so that their noises may be the same.
    pub fn related_inputs(&self) -> bool {
        self.rules.demand().former.is_some()
    }

    /// Levels of products that outputs must bear in other plans.
    pub fn further(&self) -> u32 {
        self.rules.demand().further
    }

    /// log2 of the probability with which outputs may fail.
    pub fn log2_failure(&self) -> f64 {
        self.rules.demand().log2_failure
    }

    /// The share of a noise at a level that products left; in the BFV form nobody asks for it.
    pub fn inherited(&self, noise: NoiseId, level: usize) -> f64 {
        self.olds.get(noise.0).map_or(0.0, |old| {
            self.rules.model().inherited_share(level, old, self.noise(noise))
        })
    }

    /// A noise at another level.
    pub fn switch(&mut self, a: NoiseId, level: usize) -> NoiseId {
        self.rule(Rule::Switch { level, a })
    }

    /// A fresh encryption.
    pub fn fresh(&mut self, level: usize) -> NoiseId {
        self.rule(Rule::Fresh { level })
    }

    /// A product of two different values of this noise at its level, relinearized.
    pub fn product_of_equals(&mut self, level: usize, factor: NoiseId) -> NoiseId {
        self.rule(Rule::product_of_equals(level, factor))
    }

    /// log2 of the magnitude that a noise stays below with the probability asked for.
    pub fn bound(&self, noise: NoiseId) -> f64 {
        self.rules.bound(self.noise(noise))
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
        let (noise, model) = (&self.noises[noise.0], self.rules.model());
        let power = match (self.rules.form(), later) {
            (ProductForm::Bgv, 1..) => noise.largest_log2(),
            _ => {
                let emphasis = self.emphases.entry(later);
                noise.coefficient_power_log2(emphasis.or_insert_with(|| model.emphasis(later)))
            }
        };
        power / 2.0
    }

    /// The noise of a rule.
    pub fn rule(&mut self, rule: Rule) -> NoiseId {
        if let Some(id) = self.known.get(&rule) {
            return *id;
        }
        let get = |id: &NoiseId| &self.noises[id.0];
        let noise = self.rules.noise(&rule, &get);
        if self.form() == ProductForm::Bgv {
            let old = self.rules.inherited(&rule, &get, &|id| &self.olds[id.0]);
            self.olds.push(old);
        }
        let id = NoiseId(self.noises.len());
        self.noises.push(noise);
        self.known.insert(rule, id);
        id
    }
}
