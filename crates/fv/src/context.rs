use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ringmill_arith::sampling::{Gaussian, Seed, Stream, uniform};
use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Simd};
use ringmill_device::{Device, Digits, SecretPoly};
use ringmill_ring::{Domain, Slots};
use ringmill_rlwe::{Sampler, Scaling};

use crate::integers::IntegerSlots;
use crate::{FvError, KeySwitching, NoiseModel, Parameters, Plaintext, RingKind};

/// The polynomial round(q/t) (1 in every slot), by level and domain.
type Ones<P> = RwLock<HashMap<(usize, Domain), Arc<P>>>;

/// A parameter set on a device: what every operation needs. Share it behind an [`Arc`].
pub struct Context<D: Device> {
    pub(crate) parameters: Parameters,
    pub(crate) device: Arc<D>,
    /// `None` but in Fermat rings.
    slots: Option<Slots>,
    /// `None` unless t is a prime = 1 modulo 2n and the ring x^n + 1.
    integers: Option<IntegerSlots>,
    gaussian: Gaussian,
    /// `None` without key switching.
    digits: Option<Digits>,
    /// q and the special primes.
    key_basis: Basis,
    noise: NoiseModel,
    /// For what is computed outside of the device.
    kernel: Simd,
    ones: Ones<D::Poly>,
    /// By level, from 1.
    scalings: Vec<OnceLock<Scaling>>,
}

impl<D: Device> Context<D> {
    /// A context; makes the tables of slot encoding and of error sampling.
    ///
    /// # Errors
    /// [`FvError::WrongRing`] if the device is for another ring.
    pub fn new(parameters: Parameters, device: Arc<D>) -> Result<Self, FvError> {
        if device.ring() != parameters.ring() {
            return Err(FvError::WrongRing {
                expected: (RingKind::of(parameters.ring()), parameters.n()),
                got: (RingKind::of(device.ring()), device.ring().n()),
            });
        }
        let digits = match (parameters.key_switching(), parameters.special()) {
            (KeySwitching::Hybrid { .. }, Some(special)) => Some(Digits::Limbs {
                groups: parameters.groups().to_vec(),
                special: special.clone(),
            }),
            (KeySwitching::BaseTwo { bits }, None) => Some(Digits::BaseTwo { bits }),
            (KeySwitching::None, None) => None,
            _ => return Err(FvError::BadSwitching),
        };
        let (ring, kernel) = (parameters.ring(), Simd::from_environment()?);
        let slots = ring.as_fermat().map(|ring| Slots::new(ring, kernel));
        Ok(Self {
            key_basis: parameters.key_basis()?,
            noise: NoiseModel::new(&parameters),
            slots: slots.transpose()?,
            integers: IntegerSlots::new(ring, parameters.t(), kernel)?,
            gaussian: Gaussian::new(parameters.sigma())?,
            ones: Ones::default(),
            scalings: (0..parameters.levels()).map(|_| OnceLock::new()).collect(),
            parameters,
            device,
            digits,
            kernel,
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The noise model of the parameters.
    #[must_use]
    pub fn noise_model(&self) -> &NoiseModel {
        &self.noise
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The slot encoder for bits and bytes.
    ///
    /// # Errors
    /// [`FvError::NoBitSlots`] unless the ring is a Fermat ring.
    pub fn slots(&self) -> Result<&Slots, FvError> {
        self.slots.as_ref().ok_or_else(|| FvError::NoBitSlots {
            name: self.parameters.name().to_owned(),
        })
    }

    pub(crate) fn integers(&self) -> Option<&IntegerSlots> {
        self.integers.as_ref()
    }

    /// A plaintext with these bits in its first slots and 0 in the others.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; [`FvError::NoBitSlots`]; more bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Plaintext, FvError> {
        self.require_binary()?;
        Ok(Plaintext::new(self.slots()?.encode(bits)?, 2)?)
    }

    /// The bits in all slots of a plaintext.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; [`FvError::NoBitSlots`]; a plaintext of another ring.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<bool>, FvError> {
        self.require_binary()?;
        Ok(self.slots()?.decode(plaintext.coefficients())?)
    }

    pub(crate) fn require_binary(&self) -> Result<(), FvError> {
        match self.parameters.t() {
            2 => Ok(()),
            t => Err(FvError::NotBinary(t)),
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.parameters.n()
    }

    pub(crate) fn digits(&self) -> Result<&Digits, FvError> {
        self.digits.as_ref().ok_or_else(|| FvError::NoKeySwitching {
            name: self.parameters.name().to_owned(),
        })
    }

    /// Number of elements of a switching key; 0 if there are no such keys.
    pub(crate) fn key_elements(&self) -> usize {
        let digits = self.digits.as_ref();
        digits.map_or(0, |digits| digits.elements(self.parameters.q()).len())
    }

    pub(crate) fn key_basis(&self) -> &Basis {
        &self.key_basis
    }

    /// The basis q_l of a level.
    pub(crate) fn basis(&self, level: usize) -> Result<Basis, FvError> {
        self.parameters.q_at(level)
    }

    /// The uniform polynomial, in evaluation domain, that a public seed stands for: limb i from the
    /// stream of `seed.derive("limb", i)`.
    pub(crate) fn expand(&self, seed: &Seed, basis: &Basis) -> Result<D::Poly, FvError> {
        let mut words = vec![0; basis.len() * self.n()];
        for (i, (limb, q)) in words.chunks_exact_mut(self.n()).zip(basis.moduli()).enumerate() {
            uniform(&mut Stream::new(&seed.derive("limb", i as u64)), q, limb);
        }
        Ok(self.device.upload(basis, Domain::Evaluation, &words)?)
    }

    /// Draws small polynomials on the device.
    pub(crate) fn sampler(&self) -> Sampler<'_, D> {
        Sampler::new(&self.device, &self.gaussian, self.kernel)
    }

    /// round(q m/t) at a level, in coefficient domain.
    pub(crate) fn upload_message(
        &self,
        level: usize,
        message: &Plaintext,
    ) -> Result<SecretPoly<&D>, FvError> {
        self.require_plaintext(message)?;
        let basis = self.basis(level)?;
        let mut words = Secret::zeros(basis.len() * self.n());
        self.scaling(level)?.add_all(message.coefficients(), &mut words);
        let poly = self.device.upload(&basis, Domain::Coefficient, &words)?;
        Ok(SecretPoly::new(&*self.device, poly))
    }

    pub(crate) fn require_plaintext(&self, plaintext: &Plaintext) -> Result<(), FvError> {
        let (expected, got) = (self.n(), plaintext.coefficients().len());
        if expected == got {
            Ok(())
        } else {
            Err(FvError::WrongPlaintext { expected, got })
        }
    }

    /// How plaintexts are scaled at a level.
    pub(crate) fn scaling(&self, level: usize) -> Result<&Scaling, FvError> {
        let basis = self.parameters.q_at(level)?;
        let (t, levels) = (self.parameters.t(), self.scalings.len());
        let place = self.scalings.get(level - 1);
        let place = place.ok_or(FvError::BadLevel { level, levels })?;
        Ok(place.get_or_init(|| Scaling::new(&basis, t, self.kernel)))
    }

    /// The encoding of 1 in every slot at a level, kept on the device.
    pub(crate) fn ones(&self, level: usize, domain: Domain) -> Result<Arc<D::Poly>, FvError> {
        let read = self.ones.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(poly) = read.get(&(level, domain)) {
            return Ok(Arc::clone(poly));
        }
        drop(read);
        let message = self.encode(&vec![true; self.slots()?.len()])?;
        let poly = self.upload_message(level, &message)?.transform(domain)?;
        let poly = Arc::new(poly.into_inner());
        let mut write = self.ones.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(write.entry((level, domain)).or_insert(poly)))
    }
}
