//! Whether a plan's promise holds for one secret key.
//!
//! A plan follows noise for all secrets at once: the roots in bins by rank, each root that an automorphism moves as good as
//! any other. Whoever has the secret knows better. The same rules are followed again at every pair of roots, with the power
//! that the secret has there, and automorphisms bring noise from root to root as they do in the ring.

use std::collections::BTreeSet;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::noise::Roots;
use ringmill_fv::{Context, FvError, Noise, NoiseModel, Pairs, SecretKey};

use crate::fv::former::SUMS;
use crate::fv::motions::Motions;
use crate::fv::noises::Noises;
use crate::fv::predict::Predictor;
use crate::fv::product_form::ProductForm;
use crate::fv::rule::{NoiseId, Rule};
use crate::fv::rules::Rules;
use crate::{OutputSource, Plan};

/// What a plan asks of a secret key: the rules by which its noise follows, each noise once.
///
/// Security: what it says of a secret depends on the secret. That a key was admitted may be known, how near it was may not.
pub struct Admission<'a> {
    pub(super) plan: &'a Plan,
    pub(super) model: NoiseModel,
    rules: Vec<Rule>,
    /// For each rule the last that its noise goes into; none if no output needs it.
    last_uses: Vec<Option<usize>>,
    ends: Vec<End>,
}

/// A noise that must be below the limit.
struct End {
    noise: NoiseId,
    /// Products in a row.
    depth: u32,
    /// Bits for what is not followed.
    more: f64,
}

/// The noise of a value at every pair of roots.
struct Followed {
    noise: PairNoise,
    /// The part that products left; in the BGV form.
    old: Option<PairNoise>,
}

type PairNoise = Noise<<Pairs as Roots>::Values>;

impl Plan {
    /// What the plan asks of a secret key.
    #[must_use]
    pub fn admission(&self) -> Admission<'_> {
        Admission::new(self)
    }

    /// A secret key for which the plan's promise holds, a function of the seed.
    ///
    /// # Errors
    /// As [`Context::generate_admitted_key`].
    pub fn generate_secret_key<D: Device>(
        &self,
        context: &Context<D>,
        seed: &Seed,
    ) -> Result<SecretKey<D>, FvError> {
        let admission = self.admission();
        context.generate_admitted_key(seed, |powers| Ok(admission.spare_bits(powers)? >= 0.0))
    }

    /// Refuses a secret key for which the plan's promise does not hold.
    ///
    /// # Errors
    /// [`FvError::KeyNotAdmitted`].
    pub fn check_secret_key<D: Device>(
        &self,
        context: &Context<D>,
        secret: &SecretKey<D>,
    ) -> Result<(), FvError> {
        let spare = self.admission().spare_bits(&context.secret_powers(secret)?)?;
        if spare >= 0.0 {
            Ok(())
        } else {
            Err(FvError::KeyNotAdmitted)
        }
    }
}

impl<'a> Admission<'a> {
    /// Follows a plan's noise by rule.
    fn new(plan: &'a Plan) -> Self {
        let (recipe, schedule) = (plan.recipe(), plan.schedule());
        let mut predictor = Predictor::new(
            plan.parameters(),
            recipe.form,
            plan.demand.clone(),
            plan.maps().powers(),
        );
        let sources = schedule.outputs().iter().flat_map(|port| &port.sources);
        let outputs = sources.filter_map(|source| match source {
            OutputSource::Encrypted(value) => Some(*value),
            OutputSource::Clear(_) => None,
        });
        let noises = Noises::new(schedule.steps(), outputs, &mut predictor);
        let (depth, further) = (plan.prediction().depth, plan.demand.further);
        let returned: BTreeSet<NoiseId> = noises.returned.into_iter().collect();
        let mut ends = Vec::new();
        for noise in returned {
            ends.push(End {
                noise,
                depth,
                more: 0.0,
            });
            if let Some(noise) = predictor.chain((noise, plan.prediction().output_level)) {
                ends.push(End {
                    noise,
                    depth: depth + further,
                    more: SUMS * f64::from(further),
                });
            }
        }
        let model = predictor.rules().model().clone();
        let rules = predictor.into_rules();
        Self {
            plan,
            model,
            last_uses: last_uses(&rules, &ends),
            rules,
            ends,
        }
    }

    /// The bits that the worst output is below the limit less its reserve, for a secret of which
    /// [`Context::secret_powers`] returns this. Infinite if no output is encrypted.
    ///
    /// # Errors
    /// If there are not n powers.
    pub fn spare_bits(&self, powers: &[f64]) -> Result<f64, FvError> {
        let (plan, demand) = (self.plan, &self.plan.demand);
        let parameters = plan.parameters();
        let model = self.model.of_secret(parameters, powers)?;
        let unpacking = demand.unpacking.as_ref();
        let motions = Motions::of_pairs(model.roots(), parameters, plan.maps(), unpacking)?;
        let size = (parameters.n(), parameters.levels());
        let rules = Rules::new(model, size, plan.form(), demand.clone(), motions);
        Ok(self.follow(&rules))
    }

    /// Follows the rules in order, and frees each noise after its last use.
    fn follow(&self, rules: &Rules<Pairs>) -> f64 {
        let none = rules.model().none();
        let mut followed: Vec<Option<Followed>> = Vec::with_capacity(self.rules.len());
        let mut inherited: f64 = 0.0;
        for (index, rule) in self.rules.iter().enumerate() {
            if self.last_uses[index].is_none() {
                followed.push(None);
                continue;
            }
            let known = |id: &NoiseId| followed[id.0].as_ref();
            let get = |id: &NoiseId| known(id).map_or(&none, |known| &known.noise);
            let old = |id: &NoiseId| known(id).and_then(|known| known.old.as_ref()).unwrap_or(&none);
            let next = match rules.form() {
                ProductForm::Bfv => Followed {
                    noise: rules.noise(rule, &get),
                    old: None,
                },
                ProductForm::Bgv => {
                    for (factor, at) in rule.factors() {
                        let share = rules.model().inherited_share(at, old(&factor), get(&factor));
                        inherited = inherited.max(share);
                    }
                    Followed {
                        noise: rules.noise(rule, &get),
                        old: Some(rules.inherited(rule, &get, &old)),
                    }
                }
            };
            followed.push(Some(next));
            for operand in rule.operands() {
                if self.last_uses[operand.0] == Some(index) {
                    followed[operand.0] = None;
                }
            }
        }
        let excesses = self.ends.iter().map(|end| {
            let noise = followed[end.noise.0].as_ref().map_or(&none, |known| &known.noise);
            rules.excess(end.depth, inherited, noise) + end.more
        });
        -excesses.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// For each rule the last that its noise goes into; beyond all rules for an end, none for what no end needs.
fn last_uses(rules: &[Rule], ends: &[End]) -> Vec<Option<usize>> {
    let mut last = vec![None; rules.len()];
    for end in ends {
        last[end.noise.0] = Some(rules.len());
    }
    for (index, rule) in rules.iter().enumerate().rev() {
        if last[index].is_some() {
            for operand in rule.operands() {
                last[operand.0] = last[operand.0].max(Some(index));
            }
        }
    }
    last
}
