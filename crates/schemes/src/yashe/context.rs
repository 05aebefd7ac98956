use std::sync::{Arc, OnceLock};

use ringmill_arith::Basis;
use ringmill_device::{Device, Digits};
use ringmill_fv::{Plaintext, Scaling};
use ringmill_ring::Domain;

use super::NoiseModel;
use crate::ntru::{Base, NtruError, Parameters, Scheme, T};

/// YASHE parameters on a device: what every operation needs.
pub struct Context<D: Device> {
    base: Base<D>,
    digits: Digits,
    noise: NoiseModel,
    /// By level, from 1.
    scalings: Vec<OnceLock<Scaling>>,
    /// round(q/2) (1 in every slot), by level.
    ones: Vec<OnceLock<D::Poly>>,
}

impl<D: Device> Context<D> {
    /// A context; makes the tables of slot encoding and of error sampling.
    ///
    /// # Errors
    /// [`NtruError::WrongScheme`] for parameters of LTV; [`NtruError::WrongRing`] if the device is for another
    /// ring; [`NtruError::BadParameter`] if the auxiliary primes do not hold a product.
    pub fn new(parameters: Parameters, device: Arc<D>) -> Result<Self, NtruError> {
        let levels = parameters.levels();
        let digits = Digits::Words {
            bits: parameters.digit_bits(),
        };
        let base = Base::new(parameters, Scheme::Yashe, device)?;
        let context = Self {
            noise: NoiseModel::new(&base),
            scalings: (0..levels).map(|_| OnceLock::new()).collect(),
            ones: (0..levels).map(|_| OnceLock::new()).collect(),
            digits,
            base,
        };
        context.extension(levels)?;
        Ok(context)
    }

    /// What YASHE shares with other schemes: parameters, secret and public keys, slots.
    #[must_use]
    pub fn base(&self) -> &Base<D> {
        &self.base
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.base.parameters()
    }

    /// The noise model.
    #[must_use]
    pub fn noise_model(&self) -> &NoiseModel {
        &self.noise
    }

    pub(super) fn device(&self) -> &D {
        self.base.device()
    }

    pub(super) fn digits(&self) -> &Digits {
        &self.digits
    }

    /// Elements of the evaluation key.
    #[must_use]
    pub fn key_elements(&self) -> usize {
        self.digits.elements(self.parameters().pool()).len()
    }

    /// B: the primes by which ciphertexts of a level are extended for a product, the shortest prefix of the
    /// auxiliary ones with B > n 2^w q.
    ///
    /// A product of two centred polynomials has coefficients of at most n 2^w q^2/4: times t = 2 that is within
    /// the centred range of q B, and after the division by q in that of B.
    pub(super) fn extension(&self, level: usize) -> Result<Basis, NtruError> {
        let (auxiliary, needed) = (self.parameters().auxiliary(), self.product_log2(level)?);
        let prefixes = (1..=auxiliary.len()).map(|len| auxiliary.prefix(len));
        for prefix in prefixes {
            let prefix = prefix?;
            if prefix.log2() >= needed {
                return Ok(prefix);
            }
        }
        Err(NtruError::BadParameter {
            name: "auxiliary",
            problem: format!(
                "{} primes have {:.0} bits where {needed:.0} are needed; add some",
                auxiliary.len(),
                auxiliary.log2()
            ),
        })
    }

    /// The products that can be summed before the sum is scaled.
    pub(super) fn products(&self, level: usize) -> Result<usize, NtruError> {
        let room = self.extension(level)?.log2() - self.product_log2(level)?;
        Ok(room.exp2().min(1024.0) as usize)
    }

    fn product_log2(&self, level: usize) -> Result<f64, NtruError> {
        let expansion = self.parameters().ring().expansion() as f64;
        // The hair is for sums in another order.
        Ok(self.parameters().log2_q(level)? + expansion.log2() + 1e-6)
    }

    /// How plaintexts are scaled at a level.
    pub(super) fn scaling(&self, level: usize) -> Result<&Scaling, NtruError> {
        let basis = self.parameters().q_at(level)?;
        let kernel = self.base.kernel();
        Ok(self.scalings[level - 1].get_or_init(|| Scaling::new(basis, T, kernel)))
    }

    /// round(q m/2) at a level, in coefficient domain.
    pub(super) fn message(&self, level: usize, message: &Plaintext) -> Result<D::Poly, NtruError> {
        self.base.require_plaintext(message)?;
        let basis = self.parameters().q_at(level)?;
        let mut words = vec![0; basis.len() * self.base.n()];
        self.scaling(level)?.add_all(message.coefficients(), &mut words);
        Ok(self.device().upload(basis, Domain::Coefficient, &words)?)
    }

    /// The encoding of 1 in every slot at a level, kept on the device.
    pub(super) fn ones(&self, level: usize) -> Result<&D::Poly, NtruError> {
        self.parameters().q_at(level)?;
        let place = &self.ones[level - 1];
        if let Some(poly) = place.get() {
            return Ok(poly);
        }
        let ones = self.base.encode(&vec![true; self.base.slots().len()])?;
        let poly = self.message(level, &ones)?;
        Ok(place.get_or_init(|| poly))
    }
}
