//! Automorphisms, of polynomials and hoisted ones of ciphertexts.

use rayon::prelude::*;
use ringmill_ring::{Automorphism, Domain};

use super::digits::special_product;
use super::switch::terms;
use super::{CpuDevice, CpuPoly, limbs};
use ringmill_device::{DeviceError, Digits, Pair};

/// x -> x^exponent, in either domain.
pub(super) fn automorphism(device: &CpuDevice, a: &CpuPoly, exponent: u64) -> Result<CpuPoly, DeviceError> {
    let map = Automorphism::new(&device.ring, exponent, a.domain())?;
    let mut result = device.allocate(a.basis(), a.domain());
    let limbs = result.limbs_mut().par_iter_mut().zip(a.limbs());
    let limbs = limbs.zip(a.basis().moduli());
    limbs.try_for_each(|((to, from), q)| map.apply(q, from, to))?;
    Ok(result)
}

/// The automorphism of a ciphertext as the contract defines it, row by row: a row of both sums is made
/// and put in its place while it is in cache.
pub(super) fn rotate(
    device: &CpuDevice,
    first: &CpuPoly,
    parts: &[CpuPoly],
    digits: &Digits,
    key: &[&Pair<CpuPoly>],
    exponent: u64,
) -> Result<Pair<CpuPoly>, DeviceError> {
    let basis = digits.extended(first.basis())?;
    let map = Automorphism::new(&device.ring, exponent, Domain::Evaluation)?;
    let m = map.row_len();
    let mut place = None;
    let first = match first.domain() {
        Domain::Evaluation => first,
        Domain::Coefficient => place.insert(device.transformed(first, Domain::Evaluation)?),
    };
    let [mut b, mut a] = [0, 1].map(|_| device.allocate(&basis, Domain::Evaluation));
    let limbs = b.limbs_mut().par_iter_mut().zip(a.limbs_mut());
    limbs.zip(basis.moduli()).try_for_each_init(
        || device.pool.take_one(),
        |scratch, ((b, a), q)| {
            let row = &mut scratch[..m];
            let parts = parts.iter().map(|part| part.limb(q));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let sides = [
                terms(&parts, key, |pair| &pair.0, q)?,
                terms(&parts, key, |pair| &pair.1, q)?,
            ];
            let (first, factor) = (first.limb(q).ok(), special_product(digits, q));
            let targets = b.chunks_exact_mut(m).zip(a.chunks_exact_mut(m));
            for (r, (b, a)) in targets.enumerate() {
                let start = map.source(r) * m;
                limbs::dot(device.kernel, q, &[(&sides[0], 1)], start, row);
                if let Some(first) = first {
                    limbs::add_product(device.kernel, q, row, factor, &first[start..start + m]);
                }
                map.place(q, r, row, b);
                limbs::dot(device.kernel, q, &[(&sides[1], 1)], start, row);
                map.place(q, r, row, a);
            }
            Ok::<(), DeviceError>(())
        },
    )?;
    Ok((b, a))
}
