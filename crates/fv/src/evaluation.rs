use ringmill_arith::secret::Secret;
use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, Plaintext};

impl<D: Device> Context<D> {
    /// Transforms or transforms back; nothing if it is in that domain already.
    ///
    /// # Errors
    /// If the device fails.
    pub fn transform(&self, mut a: Ciphertext<D>, to: Domain) -> Result<Ciphertext<D>, FvError> {
        let parts = a.parts.into_iter().map(|part| self.device.transform(part, to));
        a.parts = parts.collect::<Result<_, _>>()?;
        Ok(a)
    }

    /// Says that a ciphertext will not be used for a while ([`Device::hint_idle`]).
    pub fn hint_idle(&self, a: &Ciphertext<D>) {
        a.parts.iter().for_each(|part| self.device.hint_idle(part));
    }

    /// Says that a ciphertext that was at rest will be used soon ([`Device::prefetch`]).
    pub fn prefetch(&self, a: &Ciphertext<D>) {
        a.parts.iter().for_each(|part| self.device.prefetch(part));
    }

    /// A copy in evaluation domain: what [`Context::multiply_bgv`] takes.
    ///
    /// # Errors
    /// If the device fails.
    pub fn evaluated(&self, a: &Ciphertext<D>) -> Result<Ciphertext<D>, FvError> {
        let parts = a.parts.iter().map(|part| self.device.copy(part));
        let copy = Ciphertext::new(parts.collect::<Result<_, _>>()?, a.level);
        self.transform(copy, Domain::Evaluation)
    }

    /// The sum of ciphertexts of one level and domain, in that domain: XOR of their slots for t = 2.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`], [`FvError::DomainMismatch`], [`FvError::NoOperands`].
    pub fn sum(&self, terms: &[&Ciphertext<D>]) -> Result<Ciphertext<D>, FvError> {
        self.sum_with(terms, false)
    }

    /// The sum of ciphertexts of one level and domain, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sum_with(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, FvError> {
        let first = terms.first().ok_or(FvError::NoOperands)?;
        let domain = first.domain(&self.device);
        for term in terms {
            self.require_level(first.level, term.level)?;
            self.require_domain(domain, term)?;
        }
        let ones = if complement {
            Some(self.ones(first.level, domain)?)
        } else {
            None
        };
        let count = terms.iter().map(|t| t.parts.len()).max().unwrap_or(0);
        let part = |i: usize| {
            let parts = terms.iter().filter_map(|t| t.parts.get(i));
            let parts: Vec<&D::Poly> = parts.chain(ones.as_deref().filter(|_| i == 0)).collect();
            Ok(self.device.sum(&parts)?)
        };
        let parts = (0..count).map(part).collect::<Result<_, FvError>>()?;
        Ok(Ciphertext::new(parts, first.level))
    }

    /// a + b.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn add(&self, a: &Ciphertext<D>, b: &Ciphertext<D>) -> Result<Ciphertext<D>, FvError> {
        self.sum(&[a, b])
    }

    /// a - b.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sub(&self, a: &Ciphertext<D>, b: &Ciphertext<D>) -> Result<Ciphertext<D>, FvError> {
        let b = self.negate(b)?;
        self.sum(&[a, &b])
    }

    /// -a.
    ///
    /// # Errors
    /// If the device fails.
    pub fn negate(&self, a: &Ciphertext<D>) -> Result<Ciphertext<D>, FvError> {
        let parts = a.parts.iter().map(|part| self.device.negate(part));
        Ok(Ciphertext::new(parts.collect::<Result<_, _>>()?, a.level))
    }

    /// A public plaintext as a ciphertext of one part, in coefficient domain: it hides nothing, has no noise, and is a
    /// term of sums.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`], [`FvError::BadLevel`].
    pub fn trivial(&self, plaintext: &Plaintext, level: usize) -> Result<Ciphertext<D>, FvError> {
        let message = self.upload_message(level, plaintext)?;
        Ok(Ciphertext::new(vec![message.into_inner()], level))
    }

    /// Adds a plaintext, in the ciphertext's domain.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`].
    pub fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        let message = self.upload_message(a.level, plaintext)?;
        let message = message.transform(a.domain(&self.device))?;
        let Some((first, rest)) = a.parts.split_first() else {
            return Err(FvError::WrongParts(0));
        };
        let mut parts = vec![self.device.sum(&[first, &message])?];
        for part in rest {
            parts.push(self.device.copy(part)?);
        }
        Ok(Ciphertext::new(parts, a.level))
    }

    /// Multiplies by a plaintext, taken with centred coefficients ([`Plaintext::centred`]), in the
    /// ciphertext's domain.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`].
    pub fn multiply_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        let device = &self.device;
        let centred = self.centred(plaintext)?;
        let factor = self.sampler().small(&self.basis(a.level)?, &centred)?;
        let factor = factor.transform(Domain::Evaluation)?;
        let domain = a.domain(device);
        let product = |part| {
            let part = device.transform(device.copy(part)?, Domain::Evaluation)?;
            device.inner_product(&[(&part, &factor)], domain)
        };
        let parts = a.parts.iter().map(product).collect::<Result<_, _>>()?;
        Ok(Ciphertext::new(parts, a.level))
    }

    /// The centred coefficients of a plaintext of this ring.
    pub(crate) fn centred(&self, plaintext: &Plaintext) -> Result<Secret<Vec<i64>>, FvError> {
        self.require_plaintext(plaintext)?;
        Ok(plaintext.centred(self.parameters.t()))
    }

    pub(crate) fn require_level(&self, expected: usize, got: usize) -> Result<(), FvError> {
        if expected == got {
            Ok(())
        } else {
            Err(FvError::LevelMismatch { expected, got })
        }
    }

    pub(crate) fn require_domain(&self, expected: Domain, a: &Ciphertext<D>) -> Result<(), FvError> {
        let got = a.domain(&self.device);
        if expected == got {
            Ok(())
        } else {
            Err(FvError::DomainMismatch { expected, got })
        }
    }
}
