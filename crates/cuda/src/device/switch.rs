//! Key switching and rotation.

use ringmill_arith::Basis;
use ringmill_device::{DeviceError, Pair, SwitchOperand};
use ringmill_ring::Domain;

use super::automorphism::Map;
use super::key_sums::{Addends, Switch};
use super::{CudaDevice, CudaPoly};

/// Polynomials of one basis whose keys are switched, with what is added to both sides.
struct Operands<'a> {
    polys: Vec<&'a CudaPoly>,
    addends: Vec<Addends<'a>>,
}

impl CudaDevice {
    /// Switches keys of polynomials of one basis as the contract defines it. The digits of all polynomials are made and
    /// transformed together, one launch makes both sums of each, and all sums are divided together.
    pub(super) fn key_switched_all(
        &self,
        batch: &[SwitchOperand<'_, CudaPoly>],
        switch: Switch<'_>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Vec<Pair<CudaPoly>>, DeviceError> {
        let operands = Operands {
            polys: batch.iter().map(|(a, _)| *a).collect(),
            addends: batch.iter().map(|(_, addends)| sides(addends)).collect(),
        };
        let sums = match domain {
            Domain::Coefficient => self.sums_in_coefficients(&operands, switch)?,
            Domain::Evaluation => self.sums_in_values(&operands, switch)?,
        };
        let halves: Vec<&CudaPoly> = sums.iter().flat_map(|(b, a)| [b, a]).collect();
        let mut results = self.rescale_all(&halves, to, domain)?.into_iter();
        let mut pairs = Vec::with_capacity(batch.len());
        while let (Some(first), Some(second)) = (results.next(), results.next()) {
            pairs.push((first, second));
        }
        Ok(pairs)
    }

    /// Makes the sums before the division by P, in evaluation domain. The division drops some limbs, and
    /// only those need to be transformed back.
    fn sums_in_values(
        &self,
        operands: &Operands<'_>,
        switch: Switch<'_>,
    ) -> Result<Vec<Pair<CudaPoly>>, DeviceError> {
        let all: Vec<&CudaPoly> = operands.addends.iter().flatten().flatten().copied().collect();
        let transformed = self.all_in_domain(&all, Domain::Evaluation)?;
        let mut addends = all
            .iter()
            .zip(&transformed)
            .map(|(a, copy)| copy.as_ref().unwrap_or(a));
        let mut next = |side: &Vec<&CudaPoly>| addends.by_ref().take(side.len()).collect();
        let addends: Vec<Addends<'_>> = operands
            .addends
            .iter()
            .map(|sides| sides.each_ref().map(&mut next))
            .collect();
        self.sums(operands, &addends, switch)
    }

    /// Makes the same sums in coefficient domain, where addends that are already in it need no transform.
    fn sums_in_coefficients(
        &self,
        operands: &Operands<'_>,
        switch: Switch<'_>,
    ) -> Result<Vec<Pair<CudaPoly>>, DeviceError> {
        let of = |domain| {
            operands
                .addends
                .iter()
                .map(move |addends| in_domain(addends, domain))
        };
        let mut sums = self.sums(operands, &of(Domain::Evaluation).collect::<Vec<_>>(), switch)?;
        let mut halves: Vec<&mut CudaPoly> = sums.iter_mut().flat_map(|(b, a)| [b, a]).collect();
        self.transform_in_place(&mut halves, Domain::Coefficient)?;
        for (sums, addends) in sums.iter().zip(of(Domain::Coefficient)) {
            self.add_raised(switch, sums, &addends)?;
        }
        Ok(sums)
    }

    /// Makes the sums of all digits and of addends in evaluation domain.
    fn sums(
        &self,
        operands: &Operands<'_>,
        addends: &[Addends<'_>],
        switch: Switch<'_>,
    ) -> Result<Vec<Pair<CudaPoly>>, DeviceError> {
        // What comes next takes over the memory of the digits.
        let digits = self.digits_of(&operands.polys, switch.digits)?;
        let sums = digits.iter().zip(addends);
        sums.map(|(parts, addends)| self.key_sums(switch, parts, addends, Map::IDENTITY))
            .collect()
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
        let copies = self.all_in_domain(&[first], Domain::Evaluation)?;
        let first = copies.iter().flatten().next().unwrap_or(first);
        self.key_sums(switch, parts, &[vec![first], Vec::new()], map)
    }
}

/// What is added to each side.
fn sides<'a>(addends: &[Pair<&'a CudaPoly>]) -> Addends<'a> {
    [
        addends.iter().map(|pair| pair.0).collect(),
        addends.iter().map(|pair| pair.1).collect(),
    ]
}

/// The addends that are in one domain.
fn in_domain<'a>(addends: &Addends<'a>, domain: Domain) -> Addends<'a> {
    let side = |side: &Vec<&'a CudaPoly>| side.iter().filter(|a| a.domain() == domain).copied().collect();
    addends.each_ref().map(side)
}
