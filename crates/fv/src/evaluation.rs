use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::keys::SwitchingKey;
use crate::{Ciphertext, Context, FvError, GaloisKey, Lifted, Plaintext, RelinearizationKey};

impl<D: Device> Context<D> {
    /// The sum of ciphertexts of one level: XOR of their slots for t = 2.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`], [`FvError::NoOperands`].
    pub fn sum(&self, terms: &[&Ciphertext<D>]) -> Result<Ciphertext<D>, FvError> {
        self.sum_with(terms, false)
    }

    /// The sum of ciphertexts of one level, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sum_with(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, FvError> {
        let first = terms.first().ok_or(FvError::NoOperands)?;
        for term in terms {
            self.require_level(first.level, term.level)?;
        }
        let ones = if complement {
            Some(self.ones(first.level)?)
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
    /// [`FvError::LevelMismatch`].
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

    /// Adds a plaintext.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`].
    pub fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        let zero = vec![0i64; self.n()];
        let message = self.upload_small(&self.basis(a.level)?, &zero, Some(plaintext))?;
        let Some((first, rest)) = a.parts.split_first() else {
            return Err(FvError::WrongParts(0));
        };
        let mut parts = vec![self.device.sum(&[first, &message])?];
        for part in rest {
            parts.push(self.device.copy(part)?);
        }
        Ok(Ciphertext::new(parts, a.level))
    }

    /// Multiplies by a plaintext, taken with centred coefficients. For t = 2 these are 0 and 1 or
    /// -1 by the parity of their place, so that they have no mean to add up.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`].
    pub fn multiply_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        let t = self.parameters.t();
        if plaintext.coefficients().len() != self.n() {
            return Err(FvError::WrongPlaintext {
                expected: self.n(),
                got: plaintext.coefficients().len(),
            });
        }
        let centred = plaintext
            .coefficients()
            .iter()
            .enumerate()
            .map(|(i, &m)| match t {
                2 if i % 2 == 1 => -(m as i64),
                _ if m > t / 2 => m as i64 - t as i64,
                _ => m as i64,
            });
        let centred: Vec<i64> = centred.collect();
        let device = &self.device;
        let factor = self.upload_small(&self.basis(a.level)?, &centred, None)?;
        let factor = device.transform(factor, Domain::Evaluation)?;
        let product = |part| {
            let part = device.transform(device.copy(part)?, Domain::Evaluation)?;
            device.dot(&[(&part, &factor)], Domain::Coefficient)
        };
        let parts = a.parts.iter().map(product).collect::<Result<_, _>>()?;
        Ok(Ciphertext::new(parts, a.level))
    }

    /// Makes a ciphertext of two parts ready for products.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn lift(&self, a: &Ciphertext<D>) -> Result<Lifted<D>, FvError> {
        let [first, second] = a.parts.as_slice() else {
            return Err(FvError::WrongParts(a.parts.len()));
        };
        let extension = self.parameters.extension(a.level)?;
        let mut parts = self
            .device
            .lifts(&[first, second], &extension, Domain::Evaluation)?
            .into_iter();
        match (parts.next(), parts.next()) {
            (Some(first), Some(second)) => Ok(Lifted {
                parts: [first, second],
                level: a.level,
            }),
            _ => Err(FvError::WrongParts(a.parts.len())),
        }
    }

    /// The product, of three parts: AND of the slots for t = 2.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`].
    pub fn multiply(&self, a: &Lifted<D>, b: &Lifted<D>) -> Result<Ciphertext<D>, FvError> {
        self.multiply_sum(&[(a, b)])
    }

    /// The sum of products, of three parts, scaled (and later relinearized) once.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`], [`FvError::NoOperands`]; [`FvError::TooManyProducts`] if the sum
    /// could exceed the larger basis.
    pub fn multiply_sum(&self, pairs: &[(&Lifted<D>, &Lifted<D>)]) -> Result<Ciphertext<D>, FvError> {
        let level = pairs.first().ok_or(FvError::NoOperands)?.0.level;
        for (a, b) in pairs {
            self.require_level(level, a.level)?;
            self.require_level(level, b.level)?;
        }
        let needed = self.parameters.extension_for(level, pairs.len() as u64)?.len();
        if needed > self.parameters.extension(level)?.len() {
            return Err(FvError::TooManyProducts {
                products: pairs.len() as u64,
                level,
                most: 2,
            });
        }
        let part = |i: usize, j: usize| pairs.iter().map(move |(a, b)| (&a.parts[i], &b.parts[j]));
        let sums = [
            part(0, 0).collect(),
            part(0, 1).chain(part(1, 0)).collect(),
            part(1, 1).collect(),
        ];
        let sums = self.device.dots(&sums, Domain::Coefficient)?;
        let scaled = sums
            .iter()
            .map(|sum| self.device.scale(sum, self.parameters.t(), level));
        let parts = scaled.collect::<Result<_, _>>()?;
        Ok(Ciphertext::new(parts, level))
    }

    /// Brings a product back to two parts.
    ///
    /// # Errors
    /// [`FvError::WrongParts`] unless it has three.
    pub fn relinearize(
        &self,
        a: &Ciphertext<D>,
        key: &RelinearizationKey<D>,
    ) -> Result<Ciphertext<D>, FvError> {
        let [first, second, third] = a.parts.as_slice() else {
            return Err(FvError::WrongParts(a.parts.len()));
        };
        let (x, y) = self.switch_key(third, &key.0)?;
        let parts = vec![self.device.sum(&[first, &x])?, self.device.sum(&[second, &y])?];
        Ok(Ciphertext::new(parts, a.level))
    }

    /// x -> x^k with the key for k; moves slots as [`ringmill_ring::Slots::permutation`] says.
    ///
    /// # Errors
    /// [`FvError::WrongParts`] unless it has two.
    pub fn automorphism(&self, a: &Ciphertext<D>, key: &GaloisKey<D>) -> Result<Ciphertext<D>, FvError> {
        let [first, second] = a.parts.as_slice() else {
            return Err(FvError::WrongParts(a.parts.len()));
        };
        let first = self.device.automorphism(first, key.exponent)?;
        let second = self.device.automorphism(second, key.exponent)?;
        let (x, y) = self.switch_key(&second, &key.key)?;
        Ok(Ciphertext::new(vec![self.device.sum(&[&first, &x])?, y], a.level))
    }

    /// Divides by the last limbs with rounding, so that `level` remain; the plaintext stays.
    ///
    /// # Errors
    /// [`FvError::BadLevel`] if the ciphertext's level is lower.
    pub fn switch_modulus(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, FvError> {
        if level == 0 || level > a.level {
            return Err(FvError::BadLevel {
                level,
                levels: a.level,
            });
        }
        let switch = |part| match level == a.level {
            true => self.device.copy(part),
            false => self.device.drop_limbs(part, level),
        };
        let parts = a.parts.iter().map(switch).collect::<Result<_, _>>()?;
        Ok(Ciphertext::new(parts, level))
    }

    fn switch_key(&self, a: &D::Poly, key: &SwitchingKey<D>) -> Result<(D::Poly, D::Poly), FvError> {
        Ok(self.device.key_switch(a, self.digits(), &key.digits)?)
    }

    fn require_level(&self, expected: usize, got: usize) -> Result<(), FvError> {
        if expected == got {
            Ok(())
        } else {
            Err(FvError::LevelMismatch { expected, got })
        }
    }
}
