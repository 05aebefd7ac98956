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
        let [first, second, third] = product.parts.as_slice() else {
            return Err(FvError::WrongParts(product.parts.len()));
        };
        let to = self.target(product.level, level)?;
        let mut pairs = vec![(first, second)];
        pairs.extend(self.pairs(product.level, addends)?);
        let key = &key.0.digits;
        let (first, second) = self
            .device
            .key_switch(third, &pairs, self.digits()?, key, &to, domain)?;
        Ok(Ciphertext::new(vec![first, second], level))
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
