//! Secrets that may become keys.

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_arith::secret::Secret;
use ringmill_ring::embedding;

use crate::{FvError, NoiseModel, Parameters};

/// Secrets drawn before there are no more candidates; about one in seven is one.
const ATTEMPTS: u64 = 10_000;

/// A secret that the noise model covers ([`NoiseModel::covers`]). Wiped when dropped.
#[derive(Debug)]
pub struct Candidate {
    pub(crate) coefficients: Secret<Vec<i8>>,
    powers: Secret<Vec<f64>>,
}

impl Candidate {
    /// |s(zeta^e)|^2 of the secret s over its mean n V_s, at every position of evaluation domain.
    #[must_use]
    pub fn powers(&self) -> &[f64] {
        &self.powers
    }
}

impl Parameters {
    /// The candidates of a seed, in order; others of its secrets are passed over.
    pub fn candidates<'a>(
        &'a self,
        model: &'a NoiseModel,
        seed: &'a Seed,
    ) -> impl Iterator<Item = Result<Candidate, FvError>> + 'a {
        (0..ATTEMPTS).filter_map(move |attempt| {
            let mut coefficients = Secret::zeros(self.n());
            let mut stream = Stream::new(&seed.derive("secret", attempt));
            self.secret().draw(&mut stream, &mut coefficients);
            match self.secret_powers(&coefficients) {
                Ok(powers) => model
                    .covers(&powers)
                    .then_some(Ok(Candidate { coefficients, powers })),
                Err(error) => Some(Err(error)),
            }
        })
    }

    /// [`Candidate::powers`] of a secret.
    pub(crate) fn secret_powers(&self, coefficients: &[i8]) -> Result<Secret<Vec<f64>>, FvError> {
        let real = Secret::collect(coefficients.iter().map(|&x| f64::from(x)));
        let powers = embedding::powers(self.ring(), &real)?;
        let mean = self.n() as f64 * self.secret().variance();
        Ok(Secret::collect(powers.iter().map(|power| power / mean)))
    }
}
