use std::sync::{Arc, OnceLock};

use ringmill_arith::Simd;
use ringmill_arith::sampling::Gaussian;
use ringmill_arith::secret::Secret;
use ringmill_device::{Device, Digits, SecretPoly};
use ringmill_ring::{Domain, Slots};
use ringmill_rlwe::{Plaintext, Sampler, Scaling};

use super::spec::T;
use super::{NoiseModel, NtruError, NtruScheme, Parameters};

/// Parameters of a scheme on a device: keys, encryption, evaluation and files.
pub struct Context<S: NtruScheme, D: Device> {
    parameters: Parameters,
    device: Arc<D>,
    slots: Slots,
    gaussian: Gaussian,
    kernel: Simd,
    digits: Digits,
    noise: NoiseModel<S>,
    tables: S::Tables,
    /// From level 1 on.
    scalings: Vec<Scaling>,
    /// The encodings of 1 in every slot, from level 1 on.
    ones: Vec<OnceLock<D::Poly>>,
}

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// Makes all tables.
    ///
    /// # Errors
    /// [`NtruError::WrongScheme`] for parameters of another scheme; [`NtruError::WrongRing`] if the device is
    /// for another ring; [`NtruError::BadParameter`] if the auxiliary primes cannot hold what the scheme
    /// computes modulo them.
    pub fn new(parameters: Parameters, device: Arc<D>) -> Result<Self, NtruError> {
        if parameters.scheme() != S::SCHEME {
            return Err(NtruError::WrongScheme {
                name: parameters.name().to_owned(),
                expected: S::SCHEME,
                got: parameters.scheme(),
            });
        }
        let wrong = NtruError::WrongRing {
            expected: parameters.n(),
            got: device.ring().n(),
        };
        let ring = match parameters.ring().as_fermat() {
            Some(ring) if device.ring() == parameters.ring() => ring,
            _ => return Err(wrong),
        };
        let kernel = Simd::from_environment()?;
        let levels = 1..=parameters.levels();
        let scalings = levels
            .clone()
            .map(|level| Ok(Scaling::new(parameters.q_at(level)?, T, kernel)));
        Ok(Self {
            slots: Slots::new(ring, kernel)?,
            gaussian: Gaussian::new(parameters.sigma())?,
            kernel,
            digits: Digits::BaseTwo {
                bits: parameters.digit_bits(),
            },
            noise: NoiseModel::new(&parameters),
            tables: S::tables(&parameters)?,
            scalings: scalings.collect::<Result<_, NtruError>>()?,
            ones: levels.map(|_| OnceLock::new()).collect(),
            parameters,
            device,
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The slot encoder.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The noise model.
    #[must_use]
    pub fn noise_model(&self) -> &NoiseModel<S> {
        &self.noise
    }

    /// Elements of an evaluation key: the digits of an element modulo the whole pool.
    #[must_use]
    pub fn key_elements(&self) -> usize {
        self.digits.elements(self.parameters.pool()).len()
    }

    /// A plaintext with these bits in its first slots and 0 in the others.
    ///
    /// # Errors
    /// More bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Plaintext, NtruError> {
        Ok(Plaintext::new(self.slots.encode(bits)?, T)?)
    }

    /// The bits in all slots of a plaintext.
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<bool>, NtruError> {
        Ok(self.slots.decode(plaintext.coefficients())?)
    }

    pub(super) fn n(&self) -> usize {
        self.parameters.n()
    }

    pub(super) fn shared_device(&self) -> &Arc<D> {
        &self.device
    }

    pub(crate) fn digits(&self) -> &Digits {
        &self.digits
    }

    pub(crate) fn tables(&self) -> &S::Tables {
        &self.tables
    }

    /// Draws small polynomials on the device.
    pub(super) fn sampler(&self) -> Sampler<'_, D> {
        Sampler::new(&self.device, &self.gaussian, self.kernel)
    }

    /// A polynomial brought to a domain, as a copy.
    pub(crate) fn in_domain(&self, a: &D::Poly, domain: Domain) -> Result<D::Poly, NtruError> {
        Ok(self.device.transform(self.device.copy(a)?, domain)?)
    }

    /// The scaling between messages and a level.
    pub(super) fn scaling(&self, level: usize) -> Result<&Scaling, NtruError> {
        let scaling = level.checked_sub(1).and_then(|i| self.scalings.get(i));
        scaling.ok_or(NtruError::BadLevel {
            level,
            levels: self.scalings.len(),
        })
    }

    /// round(q m/2) at a level, in coefficient domain.
    pub(crate) fn message(&self, level: usize, message: &Plaintext) -> Result<SecretPoly<&D>, NtruError> {
        self.require_plaintext(message)?;
        let basis = self.parameters.q_at(level)?;
        let mut words = Secret::zeros(basis.len() * self.n());
        self.scaling(level)?.add_all(message.coefficients(), &mut words);
        let poly = self.device.upload(basis, Domain::Coefficient, &words)?;
        Ok(SecretPoly::new(self.device(), poly))
    }

    /// The polynomial added to ciphertexts of a level for 1 in every slot, kept on the device.
    pub(super) fn ones(&self, level: usize) -> Result<&D::Poly, NtruError> {
        self.parameters.q_at(level)?;
        let place = &self.ones[level - 1];
        if let Some(poly) = place.get() {
            return Ok(poly);
        }
        let message = self.message(level, &self.encode(&vec![true; self.slots.len()])?)?;
        let poly = message.transform(S::DOMAIN)?.into_inner();
        Ok(place.get_or_init(|| poly))
    }

    pub(super) fn require_plaintext(&self, plaintext: &Plaintext) -> Result<(), NtruError> {
        let (expected, got) = (self.n(), plaintext.coefficients().len());
        if expected == got {
            Ok(())
        } else {
            Err(NtruError::WrongPlaintext { expected, got })
        }
    }
}
