use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use ringmill_arith::sampling::{Gaussian, Seed, Stream, signs, ternary, uniform};
use ringmill_arith::{Basis, Kernel};
use ringmill_device::{Device, Digits};
use ringmill_ring::{Domain, Slots};
use zeroize::Zeroizing;

use crate::{FvError, KeySwitching, NoiseModel, Parameters, Plaintext, SecretDistribution};

/// The polynomial round(q/t) (1 in every slot), by level and domain.
type Ones<P> = RwLock<HashMap<(usize, Domain), Arc<P>>>;

/// A parameter set on a device: what every operation needs. Share it behind an [`Arc`].
pub struct Context<D: Device> {
    pub(crate) parameters: Parameters,
    pub(crate) device: Arc<D>,
    slots: Slots,
    gaussian: Gaussian,
    digits: Digits,
    /// q and the special primes.
    key_basis: Basis,
    noise: NoiseModel,
    ones: Ones<D::Poly>,
}

impl<D: Device> Context<D> {
    /// A context; makes the tables of slot encoding and of error sampling.
    ///
    /// # Errors
    /// [`FvError::WrongRing`] if the device is for another ring.
    pub fn new(parameters: Parameters, device: Arc<D>) -> Result<Self, FvError> {
        if device.ring() != parameters.ring() {
            return Err(FvError::WrongRing {
                expected: parameters.ring().n(),
                got: device.ring().n(),
            });
        }
        let digits = match (parameters.key_switching(), parameters.special()) {
            (KeySwitching::Hybrid { .. }, Some(special)) => Digits::Limbs {
                groups: parameters.groups().to_vec(),
                special: special.clone(),
            },
            (KeySwitching::Words { bits }, None) => Digits::Words { bits },
            _ => return Err(FvError::BadSwitching),
        };
        Ok(Self {
            key_basis: parameters.key_basis()?,
            noise: NoiseModel::new(&parameters),
            slots: Slots::new(parameters.ring(), Kernel::from_environment()?)?,
            gaussian: Gaussian::new(parameters.sigma())?,
            ones: Ones::default(),
            parameters,
            device,
            digits,
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

    /// The slot encoder.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// A plaintext with these bits in its first slots and 0 in the others.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; more bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Plaintext, FvError> {
        self.require_binary()?;
        Plaintext::new(self.slots.encode(bits)?, 2)
    }

    /// The bits in all slots of a plaintext.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; a plaintext of another ring.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<bool>, FvError> {
        self.require_binary()?;
        Ok(self.slots.decode(plaintext.coefficients())?)
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

    pub(crate) fn digits(&self) -> &Digits {
        &self.digits
    }

    /// Number of elements of a switching key.
    pub(crate) fn key_elements(&self) -> usize {
        self.digits.elements(self.parameters.q()).len()
    }

    pub(crate) fn key_basis(&self) -> &Basis {
        &self.key_basis
    }

    /// The basis q_l of a level.
    pub(crate) fn basis(&self, level: usize) -> Result<Basis, FvError> {
        self.parameters.q_at(level)
    }

    /// Coefficients drawn from the distribution of secrets.
    pub(crate) fn sample_secret(&self, seed: &Seed) -> Zeroizing<Vec<i8>> {
        let mut small = Zeroizing::new(vec![0i8; self.n()]);
        let mut stream = Stream::new(seed);
        match self.parameters.secret() {
            SecretDistribution::Ternary => ternary(&mut stream, &mut small),
            SecretDistribution::Signs => signs(&mut stream, &mut small),
        }
        small
    }

    /// A spherical error: d Gaussians folded to the normal basis.
    pub(crate) fn sample_error(&self, seed: &Seed) -> Result<Zeroizing<Vec<i64>>, FvError> {
        let mut full = Zeroizing::new(vec![0i32; self.parameters.ring().d() as usize]);
        self.gaussian.sample(&mut Stream::new(seed), &mut full);
        let full = Zeroizing::new(full.iter().map(|&x| i64::from(x)).collect::<Vec<i64>>());
        Ok(Zeroizing::new(self.parameters.ring().fold(&full)?))
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

    /// Uploads small signed coefficients, and wipes what it made of them on the way.
    pub(crate) fn upload_small<T: Copy + Into<i64>>(
        &self,
        basis: &Basis,
        small: &[T],
        message: Option<&Plaintext>,
    ) -> Result<D::Poly, FvError> {
        let mut words = Zeroizing::new(Vec::with_capacity(basis.len() * small.len()));
        for q in basis.moduli() {
            // Without a branch: q is added to negative values by the mask of their sign.
            words.extend(small.iter().map(|&x| {
                let x: i64 = x.into();
                (x as u64).wrapping_add(q.value() & (x >> 63) as u64)
            }));
        }
        if let Some(message) = message {
            self.add_message(basis, message, &mut words)?;
        }
        Ok(self.device.upload(basis, Domain::Coefficient, &words)?)
    }

    /// Adds round(q m / t), q the product of the basis, to coefficients over it.
    ///
    /// With r = \[q m\]_t in (-t/2, t/2], that is (q m - r)/t, and so -r/t modulo every prime of q.
    pub(crate) fn add_message(
        &self,
        basis: &Basis,
        message: &Plaintext,
        words: &mut [u64],
    ) -> Result<(), FvError> {
        let (n, t) = (self.n(), self.parameters.t());
        if message.coefficients().len() != n {
            return Err(FvError::WrongPlaintext {
                expected: n,
                got: message.coefficients().len(),
            });
        }
        let t_wide = u128::from(t);
        let q_mod_t = basis
            .moduli()
            .iter()
            .fold(1, |x, q| x * u128::from(q.value() % t) % t_wide);
        let minus_r = message.coefficients().iter().map(|&m| {
            let r = (u128::from(m) * q_mod_t % t_wide) as i64;
            // -r for r <= t/2, t - r above, without a branch on the message.
            (t as i64 & ((t / 2) as i64 - r) >> 63) - r
        });
        let minus_r = Zeroizing::new(minus_r.collect::<Vec<i64>>());
        for (limb, q) in words.chunks_exact_mut(n).zip(basis.moduli()) {
            let inverse = q.inv(q.reduce(t)).ok_or(FvError::BadSwitching)?;
            let companion = q.shoup(inverse);
            for (x, &r) in limb.iter_mut().zip(minus_r.iter()) {
                let r = (r as u64).wrapping_add(q.value() & (r >> 63) as u64);
                *x = q.add(*x, q.mul_shoup(r, inverse, companion));
            }
        }
        Ok(())
    }

    /// The encoding of 1 in every slot at a level, kept on the device.
    pub(crate) fn ones(&self, level: usize, domain: Domain) -> Result<Arc<D::Poly>, FvError> {
        let read = self.ones.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(poly) = read.get(&(level, domain)) {
            return Ok(Arc::clone(poly));
        }
        drop(read);
        let message = self.encode(&vec![true; self.slots.len()])?;
        let zero = vec![0i64; self.n()];
        let poly = self.upload_small(&self.basis(level)?, &zero, Some(&message))?;
        let poly = Arc::new(self.device.transform(poly, domain)?);
        let mut write = self.ones.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(write.entry((level, domain)).or_insert(poly)))
    }
}
