use ringmill_device::Device;
use ringmill_fv::Plaintext;
use ringmill_ring::Domain;

use super::{Context, EvaluationKey};
use crate::ntru::{Leveled, NtruError, T, require_level};

/// A YASHE ciphertext on a device: one polynomial over the primes of its level, in coefficient domain.
pub struct Ciphertext<D: Device>(pub(super) Leveled<D>);

/// A ciphertext made ready to be a factor: lifted to the larger basis and transformed, once for all the
/// products it is used in.
pub struct Factor<D: Device>(Leveled<D>);

/// A sum of products, scaled, which f^2 decrypts: to be relinearized.
pub struct Product<D: Device>(pub(super) Leveled<D>);

impl<D: Device> Ciphertext<D> {
    /// Its level: see [`crate::ntru::Parameters::q_at`].
    #[must_use]
    pub fn level(&self) -> usize {
        self.0.level
    }
}

impl<D: Device> Context<D> {
    /// The sum of ciphertexts of one level: XOR of their slots.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::NoOperands`].
    pub fn sum(&self, terms: &[&Ciphertext<D>]) -> Result<Ciphertext<D>, NtruError> {
        self.sum_with(terms, false)
    }

    /// The sum of ciphertexts of one level, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sum_with(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, NtruError> {
        let level = terms.first().ok_or(NtruError::NoOperands)?.level();
        let mut polys = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            require_level(level, term.level())?;
            polys.push(&term.0.poly);
        }
        if complement {
            polys.push(self.ones(level)?);
        }
        let poly = self.device().sum(&polys)?;
        Ok(Ciphertext(Leveled { poly, level }))
    }

    /// Adds a plaintext.
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, NtruError> {
        let level = a.level();
        let message = self.message(level, plaintext)?;
        let poly = self.device().sum(&[&a.0.poly, &message])?;
        Ok(Ciphertext(Leveled { poly, level }))
    }

    /// Multiplies by a plaintext, taken with small coefficients ([`Plaintext::centred`]).
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn multiply_plain(
        &self,
        a: &Ciphertext<D>,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext<D>, NtruError> {
        self.base().require_plaintext(plaintext)?;
        let (device, level) = (self.device(), a.level());
        let basis = self.parameters().q_at(level)?;
        let factor = self.base().sampler().small(basis, &plaintext.centred(T))?;
        let factor = device.transform(factor, Domain::Evaluation)?;
        let a = self.base().in_domain(&a.0.poly, Domain::Evaluation)?;
        let poly = device.dot(&[(&a, &factor)], Domain::Coefficient)?;
        Ok(Ciphertext(Leveled { poly, level }))
    }

    /// Makes a ciphertext ready for products.
    ///
    /// # Errors
    /// If the device fails.
    pub fn lift(&self, a: &Ciphertext<D>) -> Result<Factor<D>, NtruError> {
        let level = a.level();
        let poly = self
            .device()
            .lift(&a.0.poly, &self.extension(level)?, Domain::Evaluation)?;
        Ok(Factor(Leveled { poly, level }))
    }

    /// The sum of products, round((2/q) sum c c'): AND of the slots. As many products as the larger basis holds
    /// are scaled at once.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::NoOperands`].
    pub fn multiply(&self, pairs: &[(&Factor<D>, &Factor<D>)]) -> Result<Product<D>, NtruError> {
        let level = pairs.first().ok_or(NtruError::NoOperands)?.0.0.level;
        for (a, b) in pairs {
            require_level(level, a.0.level)?;
            require_level(level, b.0.level)?;
        }
        let (device, keep) = (self.device(), self.parameters().q_at(level)?.len());
        let mut sums = Vec::new();
        for pairs in pairs.chunks(self.products(level)?) {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.0.poly, &b.0.poly)).collect();
            let poly = device.scale(&device.dot(&pairs, Domain::Coefficient)?, T, keep)?;
            sums.push(Leveled { poly, level });
        }
        Ok(Product(match sums.len() {
            1 => sums.swap_remove(0),
            _ => self.base().sum(&sums.iter().collect::<Vec<_>>())?,
        }))
    }

    /// Brings a product back to f, adds ciphertexts of its level, and switches the sum to `level`, not above
    /// that.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::BadLevel`].
    pub fn relinearize(
        &self,
        product: &Product<D>,
        addends: &[&Ciphertext<D>],
        key: &EvaluationKey<D>,
        level: usize,
    ) -> Result<Ciphertext<D>, NtruError> {
        let (device, own) = (self.device(), product.0.level);
        let digits = device.decompose(&product.0.poly, self.digits())?;
        let pairs: Vec<_> = digits.iter().zip(&key.elements).collect();
        let switched = device.dot(&pairs, Domain::Coefficient)?;
        drop(digits);
        let mut terms = vec![&switched];
        for addend in addends {
            require_level(own, addend.level())?;
            terms.push(&addend.0.poly);
        }
        let poly = match addends {
            [] => switched,
            _ => device.sum(&terms)?,
        };
        self.switch_owned(Leveled { poly, level: own }, level)
    }

    /// Switches to a modulus that is not larger, with rounding; the plaintext stays.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`] if the ciphertext's level is lower.
    pub fn switch(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, NtruError> {
        Ok(Ciphertext(self.base().switch(&a.0, level)?))
    }

    fn switch_owned(&self, a: Leveled<D>, level: usize) -> Result<Ciphertext<D>, NtruError> {
        match level == a.level {
            true => Ok(Ciphertext(a)),
            false => self.switch(&Ciphertext(a), level),
        }
    }
}
