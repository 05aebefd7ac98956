//! Room in plans for what the model of all secrets does not see.
//!
//! It takes an automorphism to move noise from each root to one as good as random. But automorphisms are few and fixed: one of
//! low order brings noise back to where it was, and its powers at the roots of a pair, or of four, are multiplied again and
//! again. Most plans have less noise than the model says, which counts the heaviest root after each map anew; some have
//! more. So a plan with automorphisms is followed root by root for a few secrets that everybody knows.

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_fv::FvError;

use crate::fv::admission::Admission;
use crate::fv::planner::Planner;
use crate::{Plan, PlanError};

/// Secrets for which a plan is followed. If it holds for three at random, key generation hardly refuses more than every
/// other.
const SAMPLES: u8 = 3;

/// Bits of room beyond what the worst of them lacks.
const MORE: f64 = 0.5;

impl Planner {
    /// A plan that holds for sample secrets too: the first as it is, others with the more room the more it lacks.
    pub(crate) fn with_room(
        &self,
        plan: impl Fn(&Self) -> Result<Plan, PlanError>,
    ) -> Result<Plan, PlanError> {
        let mut planner = self.clone();
        loop {
            let found = plan(&planner)?;
            if found.galois_exponents().is_empty() {
                return Ok(found);
            }
            let spare = found.admission().spare_bits_of_samples()?;
            if spare >= 0.0 {
                return Ok(found);
            }
            planner.room += MORE - spare;
        }
    }
}

impl Admission<'_> {
    /// The least of [`Admission::spare_bits`] for the samples.
    fn spare_bits_of_samples(&self) -> Result<f64, FvError> {
        let parameters = self.plan.parameters();
        let samples = (0..SAMPLES).into_par_iter().map(|sample| {
            let seed = Seed::from_bytes([sample; 32]);
            let secret = parameters.candidates(&self.model, &seed).next();
            let secret = secret.ok_or(FvError::NoSecretWithinBound(parameters.secret_bound()))??;
            self.spare_bits(secret.powers())
        });
        samples.try_reduce(|| f64::INFINITY, |a, b| Ok(a.min(b)))
    }
}
