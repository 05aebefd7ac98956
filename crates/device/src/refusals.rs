//! The contract's refusals: what an operation fails on, whatever the device.
//!
//! Each function belongs to the operation of [`Device`] of its name and is the first line of a device's own
//! definition of it. It fails as the contract says, before anything is computed, and returns what it found out on
//! the way that devices need too. Operations without a function here refuse nothing that devices have in common.
//!
//! A device refuses what it cannot do itself ([`DeviceError::Unsupported`]) after these. Its operations call each
//! other behind them, so that nothing is looked at twice.

use ringmill_arith::Basis;
use ringmill_ring::Domain;

use crate::{Device, DeviceError, Digits, GroupedKey, Pair, SwitchingKey, UsedGroup};

type Result<T> = std::result::Result<T, DeviceError>;

/// [`Device::upload`]: words of the wrong number, and words that are no canonical residues.
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

/// [`Device::restrict`]: primes that the polynomial lacks.
///
/// # Errors
/// [`DeviceError::MissingLimb`].
pub fn restrict<D: Device + ?Sized>(device: &D, a: &D::Poly, to: &Basis) -> Result<()> {
    has_limbs(device, a, to)
}

/// [`Device::concat_limbs`]: no operands, operands of two domains, shared primes. The basis of the result.
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

/// [`Device::sum`]: no terms, terms over two bases or of two domains. The first term.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`].
pub fn sum<'a, D: Device + ?Sized>(device: &D, terms: &[&'a D::Poly]) -> Result<&'a D::Poly> {
    let (&first, rest) = terms.split_first().ok_or(DeviceError::NoOperands)?;
    rest.iter().try_for_each(|term| alike(device, first, term))?;
    Ok(first)
}

/// [`Device::sub`]: operands over two bases or of two domains.
///
/// # Errors
/// [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`].
pub fn sub<D: Device + ?Sized>(device: &D, a: &D::Poly, b: &D::Poly) -> Result<()> {
    alike(device, a, b)
}

/// [`Device::inner_products`]: no sums or pairs, coefficients, first operands over two bases, second ones that lack a limb of
/// it. The basis of the results.
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

/// [`Device::multiply_fixed`]: no factors, values in the batch or coefficients in the factors, a batch over two bases,
/// factors that lack a limb of it. The batch has to be wiped all the same.
///
/// # Errors
/// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`], [`DeviceError::BasisMismatch`],
/// [`DeviceError::MissingLimb`].
pub fn multiply_fixed<D: Device + ?Sized>(device: &D, batch: &[D::Poly], factors: &[&D::Poly]) -> Result<()> {
    if factors.is_empty() {
        return Err(DeviceError::NoOperands);
    }
    for a in batch {
        in_domain(device, a, Domain::Coefficient)?;
        same_basis(device, &batch[0], a)?;
    }
    for factor in factors {
        in_domain(device, factor, Domain::Evaluation)?;
        if let Some(first) = batch.first() {
            has_limbs(device, factor, device.basis(first))?;
        }
    }
    Ok(())
}

/// [`Device::automorphism`]: exponents that are no units.
///
/// # Errors
/// [`DeviceError::Ring`].
pub fn automorphism<D: Device + ?Sized>(device: &D, exponent: u64) -> Result<()> {
    device.ring().inverse(exponent)?;
    Ok(())
}

/// [`Device::lifts`]: no polynomials, values, polynomials over two bases, primes of theirs in the extension. The
/// basis of the results.
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

/// [`Device::scale`]: values, and numbers of limbs that leave nothing to drop or nothing at all. The limbs to keep,
/// and the others.
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

/// [`Device::decompose`]: special primes of the basis, limbs in no group, digits of a bad size. The basis of the
/// digits.
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

/// [`Device::decompose_base_two`]: words of a bad size.
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

/// [`Device::key_switch_grouped`]: a batch over two bases, words of a bad size, keys that do not fit. The groups of the key
/// that have limbs of the batch's basis, and which these are ([`GroupedKey::used`]); none for an empty batch.
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

/// [`Device::key_switch`]: addends over another basis, what [`decompose`] refuses, keys that do not fit. The elements
/// of the key, one for each digit.
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

/// [`Device::rotate`]: special primes of the basis, keys and digits that do not fit, exponents that are no units. The
/// elements of the key, one for each digit.
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

/// The elements of a key that digits need, with all limbs of a basis, in evaluation domain.
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
