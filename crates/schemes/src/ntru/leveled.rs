use ringmill_device::Device;
use ringmill_ring::Domain;

use super::{Base, NtruError};

/// A polynomial over the primes of a level: what ciphertexts are.
pub(crate) struct Leveled<D: Device> {
    pub poly: D::Poly,
    pub level: usize,
}

impl<D: Device> Base<D> {
    /// The sum of polynomials of one level and domain.
    pub(crate) fn sum(&self, terms: &[&Leveled<D>]) -> Result<Leveled<D>, NtruError> {
        let first = terms.first().ok_or(NtruError::NoOperands)?;
        let polys = terms.iter().map(|term| {
            require_level(first.level, term.level)?;
            Ok(&term.poly)
        });
        let polys = polys.collect::<Result<Vec<_>, NtruError>>()?;
        Ok(Leveled {
            poly: self.device().sum(&polys)?,
            level: first.level,
        })
    }

    /// Switches to a modulus that is not larger, with rounding, in the same domain.
    pub(crate) fn switch(&self, a: &Leveled<D>, level: usize) -> Result<Leveled<D>, NtruError> {
        if level > a.level {
            return Err(NtruError::BadLevel {
                level,
                levels: a.level,
            });
        }
        let (device, to) = (self.device(), self.parameters().q_at(level)?);
        let poly = match to == device.basis(&a.poly) {
            true => device.copy(&a.poly)?,
            false => device.rescale(&a.poly, to, device.domain(&a.poly))?,
        };
        Ok(Leveled { poly, level })
    }

    /// A polynomial brought to a domain, as a copy.
    pub(crate) fn in_domain(&self, a: &D::Poly, domain: Domain) -> Result<D::Poly, NtruError> {
        Ok(self.device().transform(self.device().copy(a)?, domain)?)
    }
}

/// Sees that two levels are the same.
pub(crate) fn require_level(expected: usize, got: usize) -> Result<(), NtruError> {
    match expected == got {
        true => Ok(()),
        false => Err(NtruError::LevelMismatch { expected, got }),
    }
}
