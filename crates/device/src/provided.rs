//! Operations that are made of others, for devices that have nothing better of their own.
//!
//! Each function defines the operation of [`Device`] of the same name. A device names those that it takes in
//! [`provide!`](crate::provide). The contract itself provides none, so no operation comes to a device, or bypasses one
//! that delegates, without being named.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ringmill_arith::Basis;
use ringmill_ring::Domain;

use crate::{
    Device, DeviceError, Digits, GroupedKey, Pair, Rotatable, RotatedTerm, SecretPoly, SwitchingKey, Tensor,
    UsedGroup, refusals,
};

type Result<T> = std::result::Result<T, DeviceError>;

/// [`Device::memory`] of a device that uses the host's memory.
pub fn memory<D: Device + ?Sized>(_device: &D) -> Option<u64> {
    None
}

/// [`Device::narrow_transform_time`] of a device with one kernel for all primes.
pub fn narrow_transform_time<D: Device + ?Sized>(_device: &D) -> f64 {
    1.0
}

/// [`Device::finish`] of a device whose operations return when they are done.
///
/// # Errors
/// None.
pub fn finish<D: Device + ?Sized>(_device: &D) -> Result<()> {
    Ok(())
}

/// [`Device::hint_idle`] of a device that keeps everything in one place.
pub fn hint_idle<D: Device + ?Sized>(_device: &D, _a: &D::Poly) {}

/// [`Device::prefetch`] of a device that keeps everything in one place.
pub fn prefetch<D: Device + ?Sized>(_device: &D, _a: &D::Poly) {}

/// [`Device::release`] of a device that keeps no memory of freed polynomials.
pub fn release<D: Device + ?Sized>(_device: &D) {}

/// [`Device::inner_product`] by [`Device::inner_products`].
///
/// # Errors
/// As [`Device::inner_product`].
pub fn inner_product<D: Device + ?Sized>(
    device: &D,
    pairs: &[(&D::Poly, &D::Poly)],
    to: Domain,
) -> Result<D::Poly> {
    let sums = device.inner_products(&[pairs.to_vec()], 1, to)?;
    sums.into_iter().next().ok_or(DeviceError::NoOperands)
}

/// [`Device::multiply_fixed`] by [`Device::transform`] and [`Device::inner_products`].
///
/// # Errors
/// As [`Device::multiply_fixed`].
pub fn multiply_fixed<D: Device + ?Sized>(
    device: &D,
    batch: Vec<D::Poly>,
    factors: &[&D::Poly],
) -> Result<Vec<Vec<D::Poly>>> {
    let batch = secret(device, batch);
    let polys: Vec<&D::Poly> = batch.iter().map(|a| &**a).collect();
    refusals::multiply_fixed(device, &polys, factors)?;
    let row = |a: &D::Poly| {
        let a = SecretPoly::new(device, device.copy(a)?).transform(Domain::Evaluation)?;
        let pairs: Vec<_> = factors.iter().map(|&factor| vec![(&*a, factor)]).collect();
        Ok(secret(
            device,
            device.inner_products(&pairs, 1, Domain::Coefficient)?,
        ))
    };
    let rows = polys.into_iter().map(row).collect::<Result<Vec<_>>>()?;
    let open = |row: Vec<SecretPoly<_>>| row.into_iter().map(SecretPoly::into_inner).collect();
    Ok(rows.into_iter().map(open).collect())
}

fn secret<D: Device + ?Sized>(device: &D, polys: Vec<D::Poly>) -> Vec<SecretPoly<&D>> {
    let guard = |poly| SecretPoly::new(device, poly);
    polys.into_iter().map(guard).collect()
}

/// [`Device::lift`] by [`Device::lifts`].
///
/// # Errors
/// As [`Device::lift`].
pub fn lift<D: Device + ?Sized>(device: &D, a: &D::Poly, extension: &Basis, to: Domain) -> Result<D::Poly> {
    let lifted = device.lifts(&[a], extension, to)?;
    lifted.into_iter().next().ok_or(DeviceError::NoOperands)
}

/// [`Device::key_switch_grouped`] by [`Device::decompose_base_two`], [`Device::inner_product`], [`Device::lift`], [`Device::restrict`] and
/// [`Device::concat_limbs`].
///
/// # Errors
/// As [`Device::key_switch_grouped`].
pub fn key_switch_grouped<D: Device + ?Sized>(
    device: &D,
    batch: &[&D::Poly],
    key: &GroupedKey<D::Poly>,
    domain: Domain,
) -> Result<Vec<D::Poly>> {
    let used = refusals::key_switch_grouped(device, batch, key)?;
    let switched = |a: &&D::Poly| {
        let words = device.decompose_base_two(a, key.bits, &key.auxiliary)?;
        let limbs = |(group, own): &UsedGroup<'_, D::Poly>| {
            let pairs: Vec<_> = words.iter().zip(&group.elements).collect();
            let sum = device.inner_product(&pairs, Domain::Coefficient)?;
            device.restrict(&device.lift(&sum, own, Domain::Coefficient)?, own)
        };
        let limbs = used.iter().map(limbs).collect::<Result<Vec<_>>>()?;
        let joined = device.concat_limbs(&limbs.iter().collect::<Vec<_>>())?;
        device.transform(device.restrict(&joined, device.basis(a))?, domain)
    };
    batch.iter().map(switched).collect()
}

/// [`Device::extend_by_p`] by [`Device::rescale`].
///
/// # Errors
/// As [`Device::extend_by_p`].
pub fn extend_by_p<D: Device + ?Sized>(device: &D, a: &D::Poly, digits: &Digits) -> Result<D::Poly> {
    let extended = digits.extended(device.basis(a))?;
    device.rescale(a, &extended, device.domain(a))
}

/// [`Device::key_switch`] by [`Device::decompose`], [`Device::inner_product`], [`Device::extend_by_p`], [`Device::transform`],
/// [`Device::sum`] and [`Device::rescale`].
///
/// # Errors
/// As [`Device::key_switch`].
pub fn key_switch<D: Device + ?Sized>(
    device: &D,
    a: &D::Poly,
    addends: &[Pair<&D::Poly>],
    digits: &Digits,
    key: &SwitchingKey<D::Poly>,
    to: &Basis,
    domain: Domain,
) -> Result<Pair<D::Poly>> {
    let elements = refusals::key_switch(device, a, addends, digits, key)?;
    let parts = device.decompose(a, digits)?;
    let sum = |side: fn(&Pair<D::Poly>) -> &D::Poly, addends: Vec<&D::Poly>| {
        let mut terms = vec![key_sum(device, &parts, &elements, side)?];
        for addend in addends {
            let extended = device.extend_by_p(addend, digits)?;
            terms.push(device.transform(extended, Domain::Evaluation)?);
        }
        let sum = device.sum(&terms.iter().collect::<Vec<_>>())?;
        device.rescale(&sum, to, domain)
    };
    Ok((
        sum(|pair| &pair.0, addends.iter().map(|pair| pair.0).collect())?,
        sum(|pair| &pair.1, addends.iter().map(|pair| pair.1).collect())?,
    ))
}

/// [`Device::relinearize`] by [`Device::decompose`], [`Device::inner_product`], [`Device::inner_products`],
/// [`Device::sum`] and [`Device::rescale`].
///
/// # Errors
/// As [`Device::relinearize`].
pub fn relinearize<D: Device + ?Sized>(
    device: &D,
    tensor: &Tensor<'_, D::Poly>,
    addends: &[Pair<&D::Poly>],
    digits: &Digits,
    key: &SwitchingKey<D::Poly>,
    to: &Basis,
    domain: Domain,
) -> Result<Pair<D::Poly>> {
    let (elements, wide) = refusals::relinearize(device, tensor, addends, digits, key)?;
    let parts = device.decompose(tensor.third, digits)?;
    let side = |side: usize, half: fn(&Pair<D::Poly>) -> &D::Poly| {
        let mut terms = device.inner_products(
            std::slice::from_ref(&tensor.sums[side]),
            tensor.multiplier,
            Domain::Evaluation,
        )?;
        let switched = key_sum(device, &parts, &elements, half)?;
        terms.push(device.rescale(&switched, wide, Domain::Evaluation)?);
        for addend in addends.iter().map(|pair| [pair.0, pair.1][side]) {
            terms.push(device.rescale(addend, wide, Domain::Evaluation)?);
        }
        let sum = device.sum(&terms.iter().collect::<Vec<_>>())?;
        device.rescale(&sum, to, domain)
    };
    Ok((side(0, |pair| &pair.0)?, side(1, |pair| &pair.1)?))
}

/// [`Device::rotate`] by [`Device::extend_by_p`], [`Device::transform`], [`Device::inner_product`], [`Device::sum`] and
/// [`Device::automorphism`].
///
/// # Errors
/// As [`Device::rotate`].
pub fn rotate<D: Device + ?Sized>(
    device: &D,
    first: &D::Poly,
    parts: &[D::Poly],
    digits: &Digits,
    key: &SwitchingKey<D::Poly>,
    exponent: u64,
) -> Result<Pair<D::Poly>> {
    let elements = refusals::rotate(device, first, parts, digits, key, exponent)?;
    let extended = device.transform(device.extend_by_p(first, digits)?, Domain::Evaluation)?;
    let b = key_sum(device, parts, &elements, |pair| &pair.0)?;
    let b = device.sum(&[&extended, &b])?;
    let a = key_sum(device, parts, &elements, |pair| &pair.1)?;
    Ok((
        device.automorphism(&b, exponent)?,
        device.automorphism(&a, exponent)?,
    ))
}

/// [`Device::rotated_sums`] by [`Device::rotate`], [`Device::extend_by_p`], [`Device::transform`],
/// [`Device::inner_products`] and [`Device::sum`].
///
/// # Errors
/// As [`Device::rotated_sums`].
pub fn rotated_sums<D: Device + ?Sized>(
    device: &D,
    operands: &[Rotatable<'_, D::Poly>],
    digits: &Digits,
    keys: &[(u64, &SwitchingKey<D::Poly>)],
    sums: &[Vec<RotatedTerm<'_, D::Poly>>],
) -> Result<Vec<Pair<D::Poly>>> {
    refusals::rotated_sums(device, operands, digits, keys, sums)?;
    let mut images = BTreeMap::new();
    for term in sums.iter().flatten() {
        if let Entry::Vacant(entry) = images.entry((term.operand, term.key)) {
            let Rotatable { first, second, parts } = &operands[term.operand];
            let extended =
                |part: &D::Poly| device.transform(device.extend_by_p(part, digits)?, Domain::Evaluation);
            entry.insert(match term.key.map(|key| &keys[key]) {
                Some((exponent, key)) => device.rotate(first, parts, digits, key, *exponent)?,
                None => (extended(first)?, extended(second)?),
            });
        }
    }
    let image = |term: &RotatedTerm<'_, D::Poly>, half: usize| {
        let (b, a) = &images[&(term.operand, term.key)];
        [b, a][half]
    };
    // One call for all products: images are in several sums.
    let mut products = Vec::new();
    for (sum, half) in sums.iter().flat_map(|sum| [(sum, 0), (sum, 1)]) {
        let pairs = sum
            .iter()
            .filter_map(|term| Some((image(term, half), term.factor?)));
        products.push(pairs.collect::<Vec<_>>());
    }
    let has_products: Vec<bool> = products.iter().map(|pairs| !pairs.is_empty()).collect();
    products.retain(|pairs| !pairs.is_empty());
    let products = match products.as_slice() {
        [] => Vec::new(),
        products => device.inner_products(products, 1, Domain::Evaluation)?,
    };
    let mut products = products.into_iter();
    let mut results = has_products.into_iter().enumerate().map(|(index, has_products)| {
        let (sum, half) = (&sums[index / 2], index % 2);
        let product = if has_products { products.next() } else { None };
        let plain = sum.iter().filter(|term| term.factor.is_none());
        let terms: Vec<&D::Poly> = plain.map(|term| image(term, half)).chain(&product).collect();
        device.sum(&terms)
    });
    let mut pairs = Vec::with_capacity(sums.len());
    while let (Some(b), Some(a)) = (results.next(), results.next()) {
        pairs.push((b?, a?));
    }
    Ok(pairs)
}

/// The sum of the digits times one half of their key elements, in evaluation domain.
fn key_sum<D: Device + ?Sized>(
    device: &D,
    parts: &[D::Poly],
    elements: &[&Pair<D::Poly>],
    side: fn(&Pair<D::Poly>) -> &D::Poly,
) -> Result<D::Poly> {
    let pairs: Vec<_> = parts.iter().zip(elements.iter().map(|pair| side(pair))).collect();
    device.inner_product(&pairs, Domain::Evaluation)
}
