//! Products of three parts: as paper 1 computes them, which the machines of the papers carry out, and in the BGV form.
//! [`Context::product`] takes less work where the product is relinearized.

use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, Lifted};

impl<D: Device> Context<D> {
    /// Makes a ciphertext of two parts, in either domain, ready for products.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn lift(&self, a: &Ciphertext<D>) -> Result<Lifted<D>, FvError> {
        let parts = a.two_parts()?;
        let extension = self.parameters.extension(a.level)?;
        Ok(Lifted {
            parts: self.lifted(parts, &extension)?,
            level: a.level,
        })
    }

    /// Two polynomials of one basis and domain lifted by an extension, in evaluation domain.
    pub(crate) fn lifted(
        &self,
        [first, second]: [&D::Poly; 2],
        extension: &Basis,
    ) -> Result<[D::Poly; 2], FvError> {
        let device = &self.device;
        let lifts = |parts: [&D::Poly; 2]| device.lifts(&parts, extension, Domain::Evaluation);
        let lifted = match device.domain(first) {
            Domain::Coefficient => lifts([first, second])?,
            Domain::Evaluation => {
                let back = |part| device.transform(device.copy(part)?, Domain::Coefficient);
                lifts([&back(first)?, &back(second)?])?
            }
        };
        <[D::Poly; 2]>::try_from(lifted).map_err(|other| FvError::WrongParts(other.len()))
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
        let level = pairs.first().ok_or(FvError::NoOperands)?.0.level;
        for (a, b) in pairs {
            self.require_level(level, a.level)?;
            self.require_level(level, b.level)?;
        }
        let (t, limbs) = (self.parameters.t(), self.parameters.limbs_at(level));
        let mut sums = Vec::new();
        for pairs in pairs.chunks(self.parameters.products_per_scaling(level)?) {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.parts[..], &b.parts[..])).collect();
            let parts = self
                .device
                .inner_products(&tensor(&pairs), 1, Domain::Coefficient)?;
            let parts = parts.iter().map(|part| self.device.scale(part, t, limbs));
            sums.push(Ciphertext::new(parts.collect::<Result<_, _>>()?, level));
        }
        match sums.len() {
            1 => sums.pop().ok_or(FvError::NoOperands),
            _ => self.sum(&sums.iter().collect::<Vec<_>>()),
        }
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
