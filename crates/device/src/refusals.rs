//! The contract's refusals: the arguments on which an operation fails, whatever the device.
//!
//! Each function belongs to the operation of [`Device`] of the same name. A device that defines the operation itself
//! calls it first. The function fails as the contract says, before anything is computed. It returns what it found out
//! on the way that devices need too. An operation without a function here has no refusals that all devices share.
//!
//! After this call, a device refuses what it cannot do itself ([`DeviceError::Unsupported`]). Behind it, a device calls
//! its own unchecked functions, so that nothing is checked twice.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use ringmill_arith::Basis;
use ringmill_ring::Domain;

use crate::{
    Device, DeviceError, Digits, GroupedKey, Pair, Rotatable, RotatedTerm, SwitchingKey, Tensor, UsedGroup,
};

type Result<T> = std::result::Result<T, DeviceError>;

/// [`Device::upload`] refuses a wrong number of words, and words that are not canonical residues.
///
/// # Errors
/// [`DeviceError::WrongLength`], [`DeviceError::OutOfRange`].
pub fn upload<D: Device + ?Sized>(device: &D, basis: &Basis, words: &[u64]) -> Result<()> {
    let n = device.ring().n();
    let expected = basis.len() * n;
    if words.len() != expected {
        return Err(DeviceError::WrongLength {
            expected,
            got: words.len(),
        });
    }
    for (limb, q) in words.chunks_exact(n).zip(basis.moduli()) {
        let last = q.value() - 1;
        // A word is too large if it, or the difference to the largest residue, has its highest bit set: a loop
        // without branches, which the compiler makes one over vectors.
        if limb.iter().fold(0, |bits, &x| bits | x | last.wrapping_sub(x)) >> 63 == 0 {
            continue;
        }
        if let Some((index, &word)) = limb.iter().enumerate().find(|&(_, &x)| x > last) {
            let modulus = q.value();
            return Err(DeviceError::OutOfRange { modulus, index, word });
        }
    }
    Ok(())
}

/// [`Device::restrict`] refuses primes that the polynomial lacks.
///
/// # Errors
/// [`DeviceError::MissingLimb`].
pub fn restrict<D: Device + ?Sized>(device: &D, a: &D::Poly, to: &Basis) -> Result<()> {
    has_limbs(device, a, to)
}

/// [`Device::concat_limbs`] refuses an empty list, operands in different domains, and operands that share a prime.
/// Returns the basis of the result.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`], [`DeviceError::Arith`].
pub fn concat_limbs<D: Device + ?Sized>(device: &D, parts: &[&D::Poly]) -> Result<Basis> {
    let (first, rest) = parts.split_first().ok_or(DeviceError::NoOperands)?;
    for part in rest {
        in_domain(device, part, device.domain(first))?;
    }
    let mut rest = rest.iter().map(|part| device.basis(part));
    let basis = rest.try_fold(device.basis(first).clone(), |all, part| all.concat(part))?;
    Ok(basis)
}

/// [`Device::sum`] refuses an empty list, and terms over different bases or in different domains. Returns the first
/// term.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`].
pub fn sum<'a, D: Device + ?Sized>(device: &D, terms: &[&'a D::Poly]) -> Result<&'a D::Poly> {
    let (&first, rest) = terms.split_first().ok_or(DeviceError::NoOperands)?;
    rest.iter().try_for_each(|term| alike(device, first, term))?;
    Ok(first)
}

/// [`Device::sub`] refuses operands over different bases or in different domains.
///
/// # Errors
/// [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`].
pub fn sub<D: Device + ?Sized>(device: &D, a: &D::Poly, b: &D::Poly) -> Result<()> {
    alike(device, a, b)
}

/// [`Device::inner_products`] refuses an empty list of sums or of pairs, operands in coefficient domain, first operands
/// over different bases, and second operands that lack a limb of that basis. Returns the basis of the results.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`],
/// [`DeviceError::MissingLimb`].
pub fn inner_products<'a, D: Device + ?Sized>(
    device: &D,
    sums: &[Vec<(&'a D::Poly, &'a D::Poly)>],
) -> Result<&'a Basis> {
    let first = sums.first().and_then(|pairs| pairs.first());
    let &(first, _) = first.ok_or(DeviceError::NoOperands)?;
    for pairs in sums {
        if pairs.is_empty() {
            return Err(DeviceError::NoOperands);
        }
        for (a, b) in pairs {
            same_basis(device, first, a)?;
            in_domain(device, a, Domain::Evaluation)?;
            in_domain(device, b, Domain::Evaluation)?;
            has_limbs(device, b, device.basis(first))?;
        }
    }
    Ok(device.basis(first))
}

/// [`Device::multiply_fixed`] refuses an empty list of factors, a batch in evaluation domain, factors in coefficient
/// domain, a batch over different bases, and factors that lack a limb of its basis. The device must wipe the batch even
/// then.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`], [`DeviceError::BasisMismatch`],
/// [`DeviceError::MissingLimb`].
pub fn multiply_fixed<D: Device + ?Sized>(
    device: &D,
    batch: &[impl Borrow<D::Poly>],
    factors: &[&D::Poly],
) -> Result<()> {
    if factors.is_empty() {
        return Err(DeviceError::NoOperands);
    }
    for a in batch {
        in_domain(device, a.borrow(), Domain::Coefficient)?;
        same_basis(device, batch[0].borrow(), a.borrow())?;
    }
    for factor in factors {
        in_domain(device, factor, Domain::Evaluation)?;
        if let Some(first) = batch.first() {
            has_limbs(device, factor, device.basis(first.borrow()))?;
        }
    }
    Ok(())
}

/// [`Device::automorphism`] refuses an exponent that is not a unit modulo the conductor.
///
/// # Errors
/// [`DeviceError::Ring`].
pub fn automorphism<D: Device + ?Sized>(device: &D, exponent: u64) -> Result<()> {
    device.ring().inverse(exponent)?;
    Ok(())
}

/// [`Device::lifts`] refuses an empty list, polynomials in evaluation domain or over different bases, and an extension
/// that shares a prime with their basis. Returns the basis of the results.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`], [`DeviceError::BasisMismatch`],
/// [`DeviceError::Arith`].
pub fn lifts<D: Device + ?Sized>(device: &D, polys: &[&D::Poly], extension: &Basis) -> Result<Basis> {
    let first = polys.first().ok_or(DeviceError::NoOperands)?;
    for a in polys {
        in_domain(device, a, Domain::Coefficient)?;
        same_basis(device, first, a)?;
    }
    Ok(device.basis(first).concat(extension)?)
}

/// [`Device::scale`] refuses a polynomial in evaluation domain, and a number of limbs that leaves nothing to drop or
/// nothing to keep. Returns the limbs to keep, and the others.
///
/// # Errors
/// [`DeviceError::WrongDomain`], [`DeviceError::BadLimbCount`].
pub fn scale<D: Device + ?Sized>(device: &D, c: &D::Poly, keep: usize) -> Result<(Basis, Basis)> {
    in_domain(device, c, Domain::Coefficient)?;
    let basis = device.basis(c);
    let limbs = basis.len();
    if keep == 0 || keep >= limbs {
        return Err(DeviceError::BadLimbCount { keep, limbs });
    }
    Ok((basis.prefix(keep)?, basis.slice(keep..limbs)?))
}

/// [`Device::decompose`] refuses special primes that are in the basis, limbs that are in no group, and digits of an
/// unsupported size. Returns the basis of the digits.
///
/// # Errors
/// [`DeviceError::Arith`], [`DeviceError::MissingLimb`], [`DeviceError::BadDigits`].
pub fn decompose<D: Device + ?Sized>(device: &D, a: &D::Poly, digits: &Digits) -> Result<Basis> {
    let basis = device.basis(a);
    match digits {
        Digits::Limbs { groups, .. } => drop(Digits::limbs_of(groups, basis)?),
        Digits::BaseTwo { bits } => decompose_base_two(*bits)?,
    }
    digits.extended(basis)
}

/// [`Device::decompose_base_two`] refuses digits of an unsupported size.
///
/// # Errors
/// [`DeviceError::BadDigits`].
pub fn decompose_base_two(bits: u32) -> Result<()> {
    if Digits::WORD_BITS.contains(&bits) {
        Ok(())
    } else {
        Err(DeviceError::BadDigits(bits as usize))
    }
}

/// [`Device::key_switch_grouped`] refuses a batch over different bases, digits of an unsupported size, and keys that do
/// not fit. Returns the groups of the key that have limbs of the batch's basis, each with those limbs
/// ([`GroupedKey::used`]), and none for an empty batch.
///
/// # Errors
/// [`DeviceError::BasisMismatch`], [`DeviceError::BadDigits`], [`DeviceError::MissingLimb`],
/// [`DeviceError::ShortKey`], [`DeviceError::WrongDomain`].
pub fn key_switch_grouped<'k, D: Device + ?Sized>(
    device: &D,
    batch: &[&D::Poly],
    key: &'k GroupedKey<D::Poly>,
) -> Result<Vec<UsedGroup<'k, D::Poly>>> {
    let Some(first) = batch.first() else {
        return Ok(Vec::new());
    };
    batch.iter().try_for_each(|a| same_basis(device, first, a))?;
    decompose_base_two(key.bits)?;
    let basis = device.basis(first);
    let used = key.used(basis)?;
    for (group, _) in &used {
        for element in group.elements.iter().take(key.words(basis)) {
            in_domain(device, element, Domain::Evaluation)?;
            has_limbs(device, element, &key.auxiliary)?;
        }
    }
    Ok(used)
}

/// [`Device::key_switch`] refuses addends over another basis, whatever [`decompose`] refuses, and keys that do not fit.
/// Returns the elements of the key, one for each digit.
///
/// # Errors
/// [`DeviceError::BasisMismatch`], [`DeviceError::ShortKey`], [`DeviceError::WrongDomain`],
/// [`DeviceError::MissingLimb`], and as [`decompose`].
pub fn key_switch<'k, D: Device + ?Sized>(
    device: &D,
    a: &D::Poly,
    addends: &[Pair<&D::Poly>],
    digits: &Digits,
    key: &'k SwitchingKey<D::Poly>,
) -> Result<Vec<&'k Pair<D::Poly>>> {
    for addend in addends.iter().flat_map(|pair| [pair.0, pair.1]) {
        same_basis(device, a, addend)?;
    }
    let extended = decompose(device, a, digits)?;
    elements(device, &digits.elements(device.basis(a)), key, &extended)
}

/// [`Device::relinearize`] refuses whatever [`key_switch`] refuses of the third part, the addends and the key, whatever
/// [`inner_products`] refuses of the sums, and sums over a basis that lacks a prime of the digits. Returns the elements of
/// the key, one for each digit, and the basis of the sums.
///
/// # Errors
/// As [`key_switch`] and [`inner_products`]; [`DeviceError::MissingLimb`].
pub fn relinearize<'k, D: Device + ?Sized>(
    device: &D,
    tensor: &Tensor<'k, D::Poly>,
    addends: &[Pair<&D::Poly>],
    digits: &Digits,
    key: &'k SwitchingKey<D::Poly>,
) -> Result<(Vec<&'k Pair<D::Poly>>, &'k Basis)> {
    let elements = key_switch(device, tensor.third, addends, digits, key)?;
    let wide = inner_products(device, &tensor.sums)?;
    let extended = digits.extended(device.basis(tensor.third))?;
    match extended.moduli().iter().find(|q| wide.position(q).is_none()) {
        Some(q) => Err(DeviceError::MissingLimb(q.value())),
        None => Ok((elements, wide)),
    }
}

/// [`Device::rotate`] refuses special primes that are in the basis, keys and digits that do not fit, and an exponent that
/// is not a unit modulo the conductor. Returns the elements of the key, one for each digit.
///
/// # Errors
/// [`DeviceError::Arith`], [`DeviceError::ShortKey`], [`DeviceError::WrongDomain`], [`DeviceError::MissingLimb`],
/// [`DeviceError::WrongDigits`], [`DeviceError::BasisMismatch`], [`DeviceError::Ring`].
pub fn rotate<'k, D: Device + ?Sized>(
    device: &D,
    first: &D::Poly,
    parts: &[D::Poly],
    digits: &Digits,
    key: &'k SwitchingKey<D::Poly>,
    exponent: u64,
) -> Result<Vec<&'k Pair<D::Poly>>> {
    let basis = device.basis(first);
    let extended = digits.extended(basis)?;
    let elements = elements(device, &digits.elements(basis), key, &extended)?;
    if parts.len() != elements.len() {
        return Err(DeviceError::WrongDigits {
            needed: elements.len(),
            got: parts.len(),
        });
    }
    for part in parts {
        equal(&extended, device.basis(part))?;
        in_domain(device, part, Domain::Evaluation)?;
    }
    automorphism(device, exponent)?;
    Ok(elements)
}

/// [`Device::rotated_sums`] refuses what [`Device::rotate`] refuses of any ciphertext with any key, ciphertexts over
/// several bases, sums without terms, terms of ciphertexts and keys that are not there, and factors that lack a limb or
/// are in coefficient domain. Returns the elements of each key, one for each digit.
///
/// # Errors
/// Those of [`rotate`]; [`DeviceError::NoOperands`].
pub fn rotated_sums<'k, D: Device + ?Sized>(
    device: &D,
    operands: &[Rotatable<'_, D::Poly>],
    digits: &Digits,
    keys: &[(u64, &'k SwitchingKey<D::Poly>)],
    sums: &[Vec<RotatedTerm<'_, D::Poly>>],
) -> Result<Vec<Vec<&'k Pair<D::Poly>>>> {
    let first = operands.first().ok_or(DeviceError::NoOperands)?.first;
    let basis = device.basis(first);
    let extended = digits.extended(basis)?;
    for operand in operands {
        equal(basis, device.basis(operand.first))?;
        equal(basis, device.basis(operand.second))?;
    }
    let mut checked = BTreeSet::new();
    for sum in sums {
        if sum.is_empty() {
            return Err(DeviceError::NoOperands);
        }
        for term in sum {
            let operand = operands.get(term.operand).ok_or(DeviceError::NoOperands)?;
            if let Some(key) = term.key
                && checked.insert((term.operand, key))
            {
                let (exponent, key) = keys.get(key).ok_or(DeviceError::NoOperands)?;
                rotate(device, operand.first, operand.parts, digits, key, *exponent)?;
            }
            if let Some(factor) = term.factor {
                in_domain(device, factor, Domain::Evaluation)?;
                has_limbs(device, factor, &extended)?;
            }
        }
    }
    let wanted = digits.elements(basis);
    keys.iter()
        .map(|(_, key)| elements(device, &wanted, key, &extended))
        .collect()
}

/// The elements of a key that the digits need. Refuses a key that has too few, or whose elements lack a limb of the
/// basis or are in coefficient domain.
fn elements<'k, D: Device + ?Sized>(
    device: &D,
    wanted: &[usize],
    key: &'k SwitchingKey<D::Poly>,
    basis: &Basis,
) -> Result<Vec<&'k Pair<D::Poly>>> {
    let needed = wanted.last().map_or(0, |last| last + 1);
    if key.len() < needed {
        return Err(DeviceError::ShortKey {
            needed,
            got: key.len(),
        });
    }
    let elements: Vec<_> = wanted.iter().map(|&i| &key[i]).collect();
    for half in elements.iter().flat_map(|(b, a)| [b, a]) {
        in_domain(device, half, Domain::Evaluation)?;
        has_limbs(device, half, basis)?;
    }
    Ok(elements)
}

fn in_domain<D: Device + ?Sized>(device: &D, a: &D::Poly, domain: Domain) -> Result<()> {
    if device.domain(a) == domain {
        Ok(())
    } else {
        Err(DeviceError::WrongDomain(domain))
    }
}

fn same_basis<D: Device + ?Sized>(device: &D, a: &D::Poly, b: &D::Poly) -> Result<()> {
    equal(device.basis(a), device.basis(b))
}

fn equal(a: &Basis, b: &Basis) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(DeviceError::BasisMismatch {
        left: a.len(),
        right: b.len(),
    })
}

fn alike<D: Device + ?Sized>(device: &D, a: &D::Poly, b: &D::Poly) -> Result<()> {
    same_basis(device, a, b)?;
    in_domain(device, b, device.domain(a))
}

fn has_limbs<D: Device + ?Sized>(device: &D, a: &D::Poly, basis: &Basis) -> Result<()> {
    let own = device.basis(a);
    match basis.moduli().iter().find(|q| own.position(q).is_none()) {
        Some(q) => Err(DeviceError::MissingLimb(q.value())),
        None => Ok(()),
    }
}
