use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, Lifted};

impl<D: Device> Context<D> {
    /// Makes a ciphertext of two parts, in either domain, ready for products.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn lift(&self, a: &Ciphertext<D>) -> Result<Lifted<D>, FvError> {
        self.lift_all(&[a])?.pop().ok_or(FvError::NoOperands)
    }

    /// Makes several ciphertexts of one level ready for products, each as [`Context::lift`] does, in one call of the
    /// device.
    ///
    /// # Errors
    /// [`FvError::WrongParts`], [`FvError::LevelMismatch`], [`FvError::NoOperands`].
    pub fn lift_all(&self, ciphertexts: &[&Ciphertext<D>]) -> Result<Vec<Lifted<D>>, FvError> {
        let level = ciphertexts.first().ok_or(FvError::NoOperands)?.level;
        let (device, extension) = (&self.device, self.parameters.extension(level)?);
        let (mut given, mut copies) = (Vec::new(), Vec::new());
        for a in ciphertexts {
            self.require_level(level, a.level)?;
            for part in a.two_parts()? {
                let copy = match device.domain(part) {
                    Domain::Coefficient => None,
                    Domain::Evaluation => Some(device.transform(device.copy(part)?, Domain::Coefficient)?),
                };
                given.push(part);
                copies.push(copy);
            }
        }
        let parts = given
            .iter()
            .zip(&copies)
            .map(|(part, copy)| copy.as_ref().unwrap_or(part));
        let mut lifted = device
            .lifts(&parts.collect::<Vec<_>>(), &extension, Domain::Evaluation)?
            .into_iter();
        let mut results = Vec::with_capacity(ciphertexts.len());
        while let (Some(first), Some(second)) = (lifted.next(), lifted.next()) {
            results.push(Lifted {
                parts: [first, second],
                level,
            });
        }
        Ok(results)
    }

    /// The product, of three parts, in coefficient domain: AND of the slots for t = 2.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`].
    pub fn multiply(&self, a: &Lifted<D>, b: &Lifted<D>) -> Result<Ciphertext<D>, FvError> {
        self.multiply_sum(&[(a, b)])
    }

    /// The sum of products, of three parts, in coefficient domain. As many products as the larger basis
    /// holds ([`crate::Parameters::products_per_scaling`]) are scaled at once.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`], [`FvError::NoOperands`].
    pub fn multiply_sum(&self, pairs: &[(&Lifted<D>, &Lifted<D>)]) -> Result<Ciphertext<D>, FvError> {
        self.multiply_sums(&[pairs])?.pop().ok_or(FvError::NoOperands)
    }

    /// Several sums of products of one level, each as [`Context::multiply_sum`] makes it, in one call of the device for
    /// each step.
    ///
    /// # Errors
    /// As [`Context::multiply_sum`].
    pub fn multiply_sums(&self, sums: &[&[(&Lifted<D>, &Lifted<D>)]]) -> Result<Vec<Ciphertext<D>>, FvError> {
        let first = sums.first().and_then(|pairs| pairs.first());
        let level = first.ok_or(FvError::NoOperands)?.0.level;
        for (a, b) in sums.iter().copied().flatten() {
            self.require_level(level, a.level)?;
            self.require_level(level, b.level)?;
        }
        let (t, limbs) = (self.parameters.t(), self.parameters.limbs_at(level));
        let most = self.parameters.products_per_scaling(level)?;
        let mut tensors = Vec::new();
        for pairs in sums.iter().flat_map(|pairs| pairs.chunks(most)) {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.parts[..], &b.parts[..])).collect();
            tensors.extend(tensor(&pairs));
        }
        let tensors = self.device.inner_products(&tensors, 1, Domain::Coefficient)?;
        let scaled = self
            .device
            .scales(&tensors.iter().collect::<Vec<_>>(), t, limbs)?;
        drop(tensors);
        let mut parts = scaled.into_iter();
        let mut next = || Ciphertext::new(parts.by_ref().take(3).collect(), level);
        let mut results = Vec::with_capacity(sums.len());
        for pairs in sums {
            let terms: Vec<_> = pairs.chunks(most).map(|_| next()).collect();
            results.push(match <[_; 1]>::try_from(terms) {
                Ok([product]) => product,
                Err(terms) => self.sum(&terms.iter().collect::<Vec<_>>())?,
            });
        }
        Ok(results)
    }

    /// The sum of products of ciphertexts in the BGV form: of three parts, like the operands of one level
    /// and in evaluation domain; AND of the slots.
    ///
    /// t c(s) is w = q v modulo q, which is small and has the plaintext as its lowest bit, q being odd: a
    /// ciphertext in the manner of Brakerski, Gentry and Vaikuntanathan (their equivalence is in Alperin-
    /// Sheriff and Peikert, "Practical bootstrapping in quasilinear time", 2013, section 3). So t times the
    /// tensor product modulo q, with no larger basis and no scaling, has t c''(s) = w w', and the noise
    /// v'' = q v v': small only where q v is, just after modulus switching.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2: the plaintext of the product would come with a factor;
    /// [`FvError::LevelMismatch`], [`FvError::DomainMismatch`], [`FvError::WrongParts`],
    /// [`FvError::NoOperands`].
    pub fn multiply_bgv(&self, pairs: &[(&Ciphertext<D>, &Ciphertext<D>)]) -> Result<Ciphertext<D>, FvError> {
        self.require_binary()?;
        let level = pairs.first().ok_or(FvError::NoOperands)?.0.level;
        for operand in pairs.iter().flat_map(|(a, b)| [a, b]) {
            self.require_level(level, operand.level)?;
            self.require_domain(Domain::Evaluation, operand)?;
            operand.two_parts()?;
        }
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.parts[..], &b.parts[..])).collect();
        let t = self.parameters.t();
        let parts = self
            .device
            .inner_products(&tensor(&pairs), t, Domain::Evaluation)?;
        Ok(Ciphertext::new(parts, level))
    }
}

/// A sum of products, as [`Device::inner_products`] takes it.
type Products<'a, P> = Vec<(&'a P, &'a P)>;

/// The three parts of the sum of the tensor products of operands of two parts each.
fn tensor<'a, P>(pairs: &[(&'a [P], &'a [P])]) -> [Products<'a, P>; 3] {
    let part = |i: usize, j: usize| pairs.iter().map(move |&(a, b)| (&a[i], &b[j]));
    [
        part(0, 0).collect(),
        part(0, 1).chain(part(1, 0)).collect(),
        part(1, 1).collect(),
    ]
}
