use ringmill_arith::Basis;
use ringmill_device::{Device, Pair};
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, RelinearizationKey};

impl<D: Device> Context<D> {
    /// Brings a product back to two parts, adds ciphertexts, and switches the sum to `level`, not above the
    /// product's, in the domain asked for: all with one rounding.
    ///
    /// The product has three parts, the addends two at the product's level; each may be in either domain.
    ///
    /// # Errors
    /// [`FvError::WrongParts`], [`FvError::LevelMismatch`], [`FvError::BadLevel`].
    pub fn relinearize(
        &self,
        product: &Ciphertext<D>,
        addends: &[&Ciphertext<D>],
        key: &RelinearizationKey<D>,
        level: usize,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        self.relinearize_all(&[(product, addends)], key, level, domain)?
            .pop()
            .ok_or(FvError::NoOperands)
    }

    /// Brings several products of one level back to two parts, each with its addends as [`Context::relinearize`] does,
    /// in one call of the device.
    ///
    /// # Errors
    /// As [`Context::relinearize`]; [`FvError::NoOperands`].
    pub fn relinearize_all(
        &self,
        products: &[(&Ciphertext<D>, &[&Ciphertext<D>])],
        key: &RelinearizationKey<D>,
        level: usize,
        domain: Domain,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let from = products.first().ok_or(FvError::NoOperands)?.0.level;
        let to = self.target(from, level)?;
        let mut batch = Vec::with_capacity(products.len());
        for (product, addends) in products {
            self.require_level(from, product.level)?;
            let [first, second, third] = product.parts.as_slice() else {
                return Err(FvError::WrongParts(product.parts.len()));
            };
            let mut pairs = vec![(first, second)];
            pairs.extend(self.pairs(from, addends)?);
            batch.push((third, pairs));
        }
        let switched = self
            .device
            .key_switches(&batch, self.digits()?, &key.0.digits, &to, domain)?;
        let ciphertext = |(first, second)| Ciphertext::new(vec![first, second], level);
        Ok(switched.into_iter().map(ciphertext).collect())
    }

    /// Switches to another modulus with rounding, in the same domain; the plaintext stays.
    ///
    /// The new level need not have a subset of the limbs, only a smaller modulus.
    ///
    /// # Errors
    /// [`FvError::BadLevel`] if the ciphertext's level is lower.
    pub fn switch_modulus(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, FvError> {
        let to = self.target(a.level, level)?;
        let domain = a.domain(&self.device);
        let switch = |part| {
            if level == a.level {
                self.device.copy(part)
            } else {
                self.device.rescale(part, &to, domain)
            }
        };
        let parts = a.parts.iter().map(switch).collect::<Result<_, _>>()?;
        Ok(Ciphertext::new(parts, level))
    }

    /// The limbs of a level that a ciphertext of level `from` is brought to.
    pub(crate) fn target(&self, from: usize, level: usize) -> Result<Basis, FvError> {
        if level > from {
            return Err(FvError::BadLevel { level, levels: from });
        }
        self.basis(level)
    }

    /// The two parts of each of some ciphertexts of one level.
    pub(crate) fn pairs<'a>(
        &self,
        level: usize,
        ciphertexts: &[&'a Ciphertext<D>],
    ) -> Result<Vec<Pair<&'a D::Poly>>, FvError> {
        let pair = |a: &&'a Ciphertext<D>| {
            self.require_level(level, a.level)?;
            let [first, second] = a.two_parts()?;
            Ok((first, second))
        };
        ciphertexts.iter().map(pair).collect()
    }
}
