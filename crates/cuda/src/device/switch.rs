//! Key switching and rotation.

use ringmill_arith::Basis;
use ringmill_device::{DeviceError, Pair};
use ringmill_ring::Domain;

use super::automorphism::Map;
use super::key_sums::{Addends, Switch};
use super::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Switches keys as the contract defines it. The digits of all groups are made and transformed together,
    /// one launch makes both sums, and both are divided together.
    pub(super) fn key_switched(
        &self,
        a: &CudaPoly,
        addends: &[Pair<&CudaPoly>],
        switch: Switch<'_>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let addends: Addends<'_> = [
            addends.iter().map(|pair| pair.0).collect(),
            addends.iter().map(|pair| pair.1).collect(),
        ];
        let (first, second) = match domain {
            Domain::Coefficient => self.sums_in_coefficients(a, &addends, switch)?,
            Domain::Evaluation => self.sums_in_values(a, &addends, switch)?,
        };
        let mut results = self.rescale_all(&[&first, &second], to, domain)?.into_iter();
        match (results.next(), results.next()) {
            (Some(first), Some(second)) => Ok((first, second)),
            _ => Err(DeviceError::NoOperands),
        }
    }

    /// Makes the sums before the division by P, in evaluation domain. The division drops some limbs, and
    /// only those need to be transformed back.
    fn sums_in_values(
        &self,
        a: &CudaPoly,
        addends: &Addends<'_>,
        switch: Switch<'_>,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let [mut first, mut second] = in_domain(addends, Domain::Evaluation);
        let [left, right] = in_domain(addends, Domain::Coefficient);
        let transformed = self.copies_in(&[&left[..], &right].concat(), Domain::Evaluation)?;
        let (left, right) = transformed.split_at(left.len());
        first.extend(left);
        second.extend(right);
        let parts = self.digits_of(a, switch.digits)?;
        self.key_sums(switch, &parts, &[first, second], Map::IDENTITY)
    }

    /// Makes the same sums in coefficient domain, where addends that are already in it need no transform.
    fn sums_in_coefficients(
        &self,
        a: &CudaPoly,
        addends: &Addends<'_>,
        switch: Switch<'_>,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let parts = self.digits_of(a, switch.digits)?;
        let evaluated = in_domain(addends, Domain::Evaluation);
        let mut sums = self.key_sums(switch, &parts, &evaluated, Map::IDENTITY)?;
        // The results take over the memory of the parts.
        drop(parts);
        self.transform_in_place(&mut [&mut sums.0, &mut sums.1], Domain::Coefficient)?;
        self.add_raised(switch, &sums, &in_domain(addends, Domain::Coefficient))?;
        Ok(sums)
    }

    /// Applies an automorphism to a ciphertext as the contract defines it: one launch does both the sums and
    /// the automorphism.
    pub(super) fn rotated(
        &self,
        first: &CudaPoly,
        parts: &[CudaPoly],
        switch: Switch<'_>,
        exponent: u64,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let map = Map::new(&self.ring, exponent, Domain::Evaluation)?;
        let copy = self.in_domain(first, Domain::Evaluation)?;
        let first = copy.as_ref().unwrap_or(first);
        self.key_sums(switch, parts, &[vec![first], Vec::new()], map)
    }
}

/// The addends that are in one domain.
fn in_domain<'a>(addends: &Addends<'a>, domain: Domain) -> Addends<'a> {
    let side = |side: &Vec<&'a CudaPoly>| side.iter().filter(|a| a.domain() == domain).copied().collect();
    addends.each_ref().map(side)
}
