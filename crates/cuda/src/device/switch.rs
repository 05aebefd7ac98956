//! Key switching, relinearization and rotation.

use ringmill_arith::Basis;
use ringmill_device::{DeviceError, Pair, Tensor};
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
        switch: &Switch<'_>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let addends = sides(addends);
        let (first, second) = match domain {
            Domain::Coefficient => self.sums_in_coefficients(a, &addends, switch)?,
            Domain::Evaluation => self.sums_in_values(a, &addends, switch)?,
        };
        pair(self.rescale_all(&[&first, &second], to, domain)?)
    }

    /// Relinearizes as the contract defines it, if the primes of the digits are the first of `wide`. One launch makes both
    /// sums of products and another adds those of digits to them; both are divided together.
    pub(super) fn relinearized(
        &self,
        tensor: &Tensor<'_, CudaPoly>,
        addends: &[Pair<&CudaPoly>],
        (switch, wide): (&Switch<'_>, &Basis),
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let addends = sides(addends);
        let parts = self.digits_of(tensor.third, switch.digits)?;
        let products = self.dots_of(wide, &tensor.sums, tensor.multiplier, Domain::Evaluation)?;
        let mut sums = pair(products)?;
        if domain == Domain::Evaluation {
            let copies = self.copies_in_values(&addends)?;
            let evaluated = with_copies(&addends, &copies);
            self.add_key_sums(switch, &parts, &evaluated, &sums)?;
        } else {
            self.add_key_sums(switch, &parts, &in_domain(&addends, Domain::Evaluation), &sums)?;
            // The results take over the memory of the parts.
            drop(parts);
            self.transform_in_place(&mut [&mut sums.0, &mut sums.1], Domain::Coefficient)?;
            self.add_raised(switch, &sums, &in_domain(&addends, Domain::Coefficient))?;
        }
        pair(self.rescale_all(&[&sums.0, &sums.1], to, domain)?)
    }

    /// Makes the sums before the division by P, in evaluation domain. The division drops some limbs, and
    /// only those need to be transformed back.
    fn sums_in_values(
        &self,
        a: &CudaPoly,
        addends: &Addends<'_>,
        switch: &Switch<'_>,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let copies = self.copies_in_values(addends)?;
        let evaluated = with_copies(addends, &copies);
        let parts = self.digits_of(a, switch.digits)?;
        self.key_sums(switch, &parts, &evaluated, Map::IDENTITY)
    }

    /// Transformed copies of the addends in coefficient domain, side by side.
    fn copies_in_values(&self, addends: &Addends<'_>) -> Result<Vec<CudaPoly>, DeviceError> {
        self.copies_in(
            &in_domain(addends, Domain::Coefficient).concat(),
            Domain::Evaluation,
        )
    }

    /// Makes the same sums in coefficient domain, where addends that are already in it need no transform.
    fn sums_in_coefficients(
        &self,
        a: &CudaPoly,
        addends: &Addends<'_>,
        switch: &Switch<'_>,
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
        switch: &Switch<'_>,
        exponent: u64,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let map = Map::new(&self.ring, exponent, Domain::Evaluation)?;
        let copy = self.in_domain(first, Domain::Evaluation)?;
        let first = copy.as_ref().unwrap_or(first);
        self.key_sums(switch, parts, &[vec![first], Vec::new()], map)
    }
}

/// The first and the second parts of addends.
fn sides<'a>(addends: &[Pair<&'a CudaPoly>]) -> Addends<'a> {
    [
        addends.iter().map(|pair| pair.0).collect(),
        addends.iter().map(|pair| pair.1).collect(),
    ]
}

/// Two polynomials.
fn pair(polys: Vec<CudaPoly>) -> Result<Pair<CudaPoly>, DeviceError> {
    let [first, second] = <[CudaPoly; 2]>::try_from(polys).map_err(|_| DeviceError::NoOperands)?;
    Ok((first, second))
}

/// The addends that are in evaluation domain, and the copies of the others.
fn with_copies<'a>(addends: &Addends<'a>, copies: &'a [CudaPoly]) -> Addends<'a> {
    let [mut first, mut second] = in_domain(addends, Domain::Evaluation);
    let [left, _] = in_domain(addends, Domain::Coefficient);
    let (left, right) = copies.split_at(left.len());
    first.extend(left);
    second.extend(right);
    [first, second]
}

/// The addends that are in one domain.
fn in_domain<'a>(addends: &Addends<'a>, domain: Domain) -> Addends<'a> {
    let side = |side: &Vec<&'a CudaPoly>| side.iter().filter(|a| a.domain() == domain).copied().collect();
    addends.each_ref().map(side)
}
