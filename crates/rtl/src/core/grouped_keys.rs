//! Key switching with keys cut into groups.

use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::UsedGroup;
use ringmill_ring::Domain;

use super::digits::{self, Digit};
use super::operations::{Limbs, combine, correction, in_place, result, scale};
use super::places::Limb;
use super::poly::CorePoly;
use super::session::Session;
use super::{Combination, Machine, basis_operations};
use crate::RtlError;
use crate::ntt_engine::Direction;

type Result<T, E = RtlError> = std::result::Result<T, E>;

/// Buffers that are not for sums: a digit, an element, their product, and an element that is loaded meanwhile.
const OTHERS: usize = 4;

/// The limbs of sum_k d_k Z_k for a polynomial, group by group, as the contract defines it; `auxiliary` is T.
///
/// Digits are small and elements large, so a digit is transformed again for each round of groups whose sums fit on chip,
/// and each element is loaded once.
pub(super) fn key_switch<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    (bits, auxiliary): (u32, &Basis),
    used: &[UsedGroup<'_, CorePoly>],
    domain: Domain,
) -> Result<Vec<(Modulus, Arc<Limb>)>> {
    let digits = digits::base_two(session, a, bits, auxiliary)?;
    let room = usize::from(session.configuration().sizes().limbs)
        .saturating_sub(OTHERS)
        .max(1);
    let mut limbs = Vec::new();
    for groups in used.chunks(room) {
        let mut sums: Vec<Limbs> = groups.iter().map(|_| Limbs::new()).collect();
        for q in auxiliary.moduli() {
            let of_groups = accumulate(session, q, &digits, groups)?;
            sums.iter_mut()
                .zip(of_groups)
                .for_each(|(sums, limb)| sums.push(limb));
        }
        for (limbs_of_sum, (_, own)) in sums.into_iter().zip(groups) {
            let sum = CorePoly {
                basis: auxiliary.clone(),
                domain: Domain::Coefficient,
                limbs: limbs_of_sum,
            };
            let lifted = basis_operations::lifts(session, &[&sum], own, domain)?;
            limbs.extend(own.moduli().iter().copied().zip(lifted.into_iter().flatten()));
        }
    }
    Ok(limbs)
}

/// For each group the coefficients of its sum modulo a prime of T.
fn accumulate<M: Machine>(
    session: &mut Session<M>,
    q: &Modulus,
    digits: &[Digit],
    groups: &[UsedGroup<'_, CorePoly>],
) -> Result<Limbs> {
    let mut sums = Limbs::new();
    for (k, digit) in digits.iter().enumerate() {
        let slot = session.step(q)?;
        let values = session.planner.scratch(slot)?;
        digits::values(session, digit, q, values, slot)?;
        for (at, (group, _)) in groups.iter().enumerate() {
            let element = group.elements.get(k).ok_or(RtlError::BadCore {
                need: "an element for each digit",
            })?;
            let element = element.limb(q)?;
            let b = session.planner.source(element.place(), slot)?;
            if let Some(sum) = sums.get(at) {
                let product = session.planner.scratch(slot)?;
                combine(session, Combination::Multiply, [product, values, b], slot);
                let sum = session.planner.take_over(sum.place(), slot)?;
                combine(session, Combination::Add, [sum, sum, product], slot);
                session.planner.release(product);
                session.planner.release(sum);
            } else {
                let (limb, sum) = result(session, slot)?;
                combine(session, Combination::Multiply, [sum, values, b], slot);
                session.planner.release(sum);
                sums.push(limb);
            }
            session.planner.release(b);
            // It is not needed again, the sums are.
            session.planner.forget(element.place());
        }
    }
    let constant = correction(session, q, 1)?;
    for sum in &sums {
        let slot = session.step(q)?;
        let buffer = session.planner.take_over(sum.place(), slot)?;
        scale(session, buffer, buffer, slot, constant);
        in_place(session, Direction::Inverse, buffer, slot);
    }
    Ok(sums)
}
