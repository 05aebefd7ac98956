use std::marker::PhantomData;

use ringmill_rlwe::{Bins, tail};

use super::spec::T;
use super::{Noise, NtruError, NtruScheme, Parameters};

/// log2 of the probability that a ciphertext decrypts wrongly which is still allowed.
const FAILURE_LOG2: f64 = -64.0;

/// Predicts the noise of a scheme's ciphertexts, as `ringmill_fv::noise` does that of FV's: by its power at the
/// complex roots zeta, in bins of roots sorted by |f(zeta)|^2, because products multiply powers.
///
/// What the noise is and how products and switches change it are a scheme's own: see the modules
/// [`yashe`](crate::yashe) and [`ltv`](crate::ltv).
#[derive(Debug, Clone)]
pub struct NoiseModel<S> {
    parameters: Parameters,
    bins: Bins,
    scheme: PhantomData<S>,
}

impl<S: NtruScheme> NoiseModel<S> {
    /// The model of a set.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            bins: Bins::new(parameters.ring(), parameters.secret_bound()),
            parameters: parameters.clone(),
            scheme: PhantomData,
        }
    }

    /// The bins by which powers are kept.
    #[must_use]
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// A sum: amplitudes are added, which is right even for equal noises.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise]) -> Noise {
        let mut bin = 0..;
        Noise::new(&self.bins, |_| {
            let bin = bin.next().unwrap_or(0);
            2.0 * tail::log2_sum(terms.iter().map(|term| term.log2_powers()[bin] / 2.0))
        })
    }

    /// log2 of a magnitude that all coefficients keep below but for a probability of 2^-64, with coefficients
    /// taken as Gaussian.
    #[must_use]
    pub fn bound_log2(&self, a: &Noise) -> f64 {
        a.bound_log2(&self.bins, FAILURE_LOG2, self.parameters.n())
    }

    /// Sees that a circuit of this depth can be evaluated.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn check_depth(&self, depth: usize) -> Result<(), NtruError> {
        let most = S::depth(self)?;
        if depth <= most {
            return Ok(());
        }
        Err(NtruError::TooDeep {
            name: self.parameters.name().to_owned(),
            depth,
            most,
        })
    }

    /// Whether a secret with these powers at the roots keeps to the bins.
    pub(super) fn covers(&self, powers: &[f64]) -> bool {
        self.bins.cover(powers, self.secret_power(1.0))
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn n(&self) -> f64 {
        self.parameters.n() as f64
    }

    /// F: |f(zeta)|^2 in the bin of x. Its mean is 4 n 2/3 of 2 f', and 1 of 1.
    pub(crate) fn secret_power(&self, x: f64) -> f64 {
        ((T * T) as f64 * self.n() * 2.0 / 3.0 + 1.0) * x
    }

    /// E: an error's power.
    pub(crate) fn error_power(&self) -> f64 {
        self.parameters.ring().unfolded_len() as f64 * self.parameters.sigma().powi(2)
    }

    /// G: the power of a ternary polynomial, g of the public key or s of an encryption.
    pub(crate) fn ternary_power(&self) -> f64 {
        self.n() * 2.0 / 3.0
    }
}
