//! How many products in a row a parameter set bears, whatever the circuit around them.

use ringmill_fv::{Noise, Parameters};

use crate::error::PlanError;
use crate::fv::former::SUMS;
use crate::fv::misfit::Shortfall;
use crate::fv::planner::Planner;
use crate::fv::predict::Predictor;
use crate::fv::product_form::ProductForm;
use crate::fv::rule::NoiseId;
use crate::ir::program::{Operation, Program};

impl Planner {
    /// Refuses a program that is too deep for these parameters, much sooner than planning it would.
    ///
    /// # Errors
    /// [`PlanError::DoesNotFit`].
    pub(crate) fn require_depth(
        &self,
        program: &Program,
        parameters: &Parameters,
        form: ProductForm,
    ) -> Result<(), PlanError> {
        // Maps are left out: this is about products.
        let mut predictor = Predictor::new(parameters, form, self.demand(program), &[]);
        if predictor.admits(program) {
            return Ok(());
        }
        let shortfall = predictor.shortfall(
            parameters,
            program.depth() + self.further,
            (u32::MAX, f64::INFINITY),
        );
        Err(shortfall.into())
    }
}

impl Predictor {
    /// Whether a program's depth alone leaves any hope. If not, no choice of levels makes it fit.
    ///
    /// The noise of a path with as many products is followed from below: the other factor of each is an input,
    /// and each bin has the power of the level that is best for it. What else a circuit does only adds noise,
    /// but for linear maps, which spread it over the roots: with them no bin has more than the mean.
    pub fn admits(&self, program: &Program) -> bool {
        let depth = program.depth() + self.further();
        let limit = self.limit() - self.reserve(depth, 0.0, None);
        let rules = self.rules();
        let model = rules.model();
        let spreads = program
            .operations
            .iter()
            .any(|operation| matches!(operation, Operation::Map { .. }));
        let from_below = |noise: Noise| {
            if spreads {
                noise.least(&model.moved(&noise, &()))
            } else {
                noise
            }
        };
        // Switched down from the top or encrypted where it is used.
        let top = rules.fresh(self.levels());
        let inputs = (1..=self.levels()).map(|level| {
            let switched = model.switch_modulus(level, &top);
            from_below(switched.least(&rules.fresh(level)))
        });
        let inputs: Vec<Noise> = inputs.collect();
        let mut path: Option<Noise> = None;
        for _ in 0..depth {
            let products = inputs.iter().zip(1..).map(|(input, level)| {
                let switched = path.as_ref().map(|noise| model.switch_modulus(level, noise));
                let product = rules.product(level, switched.as_ref().unwrap_or(input), input);
                model.key_switch_extended(level, &product)
            });
            path = products
                .reduce(|least, noise| least.least(&noise))
                .map(from_below);
            if path.as_ref().is_some_and(|noise| rules.bound(noise) > limit) {
                return false;
            }
        }
        true
    }

    /// Products that fit between fresh encryption and the limit, in a chain of products of different
    /// values of equal noise with the best of modulus switching, and the bits by which the last of them, or the
    /// first that does not fit, makes the noise grow.
    pub fn fitting_depth(&mut self, most: u32) -> (u32, f64) {
        let mut noise = self.fresh(self.levels());
        let (mut growth, mut top) = (0.0, self.levels());
        for depth in 0..most {
            let Some((level, next)) = self.best_square(noise, top) else {
                return (depth, growth);
            };
            let fits = self.bound(next) <= self.limit() - self.reserve(depth + 1, 0.0, Some(next));
            if fits || depth == 0 {
                growth = self.bound(next) - self.bound(noise);
            }
            if !fits {
                return (depth, growth);
            }
            (noise, top) = (next, level);
        }
        (most, growth)
    }

    /// The least noisy product of two values of this noise at levels up to `top`.
    fn best_square(&mut self, noise: NoiseId, top: usize) -> Option<(usize, NoiseId)> {
        let products = (1..=top).map(|level| {
            let switched = if level == top {
                noise
            } else {
                self.switch(noise, level)
            };
            let product = self.product_of_equals(level, switched);
            (level, product, self.weight(product, 1))
        });
        let best = products.min_by(|a, b| a.2.total_cmp(&b.2));
        best.map(|(level, product, _)| (level, product))
    }

    /// The noise after the products that an output must bear in other plans, each at its best level; `None` if it must bear
    /// none, or has no level.
    pub fn chain(&mut self, (mut noise, mut top): (NoiseId, usize)) -> Option<NoiseId> {
        for _ in 0..self.further() {
            (top, noise) = self.best_square(noise, top)?;
        }
        (self.further() > 0).then_some(noise)
    }

    /// Bits by which the worst output, of a program of this depth, is too noisy at its level for the products that it must
    /// bear; minus infinity if there are none.
    pub fn lacks_further(&mut self, depth: u32, output: Option<(NoiseId, usize)>) -> f64 {
        let (further, Some(output)) = (self.further(), output) else {
            return f64::NEG_INFINITY;
        };
        match self.chain(output) {
            Some(end) => {
                self.rules().excess(depth + further, 0.0, self.noise(end)) + SUMS * f64::from(further)
            }
            None if further > 0 => f64::INFINITY,
            None => f64::NEG_INFINITY,
        }
    }

    /// By how much a program of this depth does not fit, of which at most `held` products in a row stay below the
    /// limit and whose outputs are `over` bits above it.
    pub fn shortfall(&mut self, parameters: &Parameters, depth: u32, (held, over): (u32, f64)) -> Shortfall {
        let (chain, growth) = self.fitting_depth(depth);
        let fitting = chain.min(held).min(depth.saturating_sub(1));
        let fresh = self.fresh(self.levels());
        // What the circuit's own products took, where they take more than a chain's.
        let own = (self.limit() - self.bound(fresh)) / f64::from(fitting + 1);
        // Noise beyond 1 multiplies itself and says nothing of q any more, unless no product follows.
        let most = growth.max(own) * f64::from(depth.saturating_sub(fitting).max(1));
        Shortfall {
            name: parameters.name().to_string(),
            n: parameters.n(),
            log2_q: parameters.log2_q(parameters.levels()),
            missing: if depth == 0 { over } else { over.min(most) },
            depth,
            fitting,
            needed: None,
        }
    }
}
