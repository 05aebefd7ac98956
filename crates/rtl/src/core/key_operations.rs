//! Key switching and relinearization: keys are streamed from memory, while digits are transformed and both sums stay on
//! chip.

use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::{BasisChange, Digits, Pair, Tensor};
use ringmill_ring::Domain;

use super::basis_operations::{self, DigitLimb};
use super::digits;
use super::operations::{Limbs, combine, correction, in_place, product_sum, raised, result, scale};
use super::places::Limb;
use super::poly::CorePoly;
use super::session::Session;
use super::{Buffer, Combination, Instruction, Machine, SlotNumber};
use crate::RtlError;
use crate::ntt_engine::Direction;

type Result<T, E = RtlError> = std::result::Result<T, E>;

/// A limb in a domain.
type Operand<'a> = (&'a Limb, Domain);

/// A digit modulo one prime, and both halves of its key element.
struct Term<'a> {
    digit: &'a DigitLimb,
    key: [&'a Limb; 2],
}

/// Sums of products modulo one prime, in evaluation domain, times R^-1: a digit at a time.
fn accumulate<M: Machine>(
    session: &mut Session<M>,
    q: &Modulus,
    terms: &[Term<'_>],
) -> Result<[Arc<Limb>; 2]> {
    let mut sums: Vec<Arc<Limb>> = Vec::new();
    for term in terms {
        let slot = session.step(q)?;
        let digit = digit_values(session, term.digit, q, slot)?;
        for (side, key) in term.key.iter().enumerate() {
            let b = session.planner.source(key.place(), slot)?;
            let Some(limb) = sums.get(side) else {
                let (limb, sum) = result(session, slot)?;
                combine(session, Combination::Multiply, [sum, digit, b], slot);
                session.planner.release(b);
                session.planner.release(sum);
                sums.push(limb);
                continue;
            };
            let product = session.planner.scratch(slot)?;
            combine(session, Combination::Multiply, [product, digit, b], slot);
            session.planner.release(b);
            let sum = session.planner.take_over(limb.place(), slot)?;
            combine(session, Combination::Add, [sum, sum, product], slot);
            session.planner.release(product);
            session.planner.release(sum);
        }
    }
    <[Arc<Limb>; 2]>::try_from(sums).map_err(|_| RtlError::BadCore { need: "digits" })
}

/// A buffer with the values of a digit modulo a prime.
fn digit_values<M: Machine>(
    session: &mut Session<M>,
    digit: &DigitLimb,
    q: &Modulus,
    slot: SlotNumber,
) -> Result<Buffer> {
    match digit {
        DigitLimb::Limb(limb, domain) => values(session, (limb, *domain), slot),
        DigitLimb::Pieces(digit) => {
            let destination = session.planner.scratch(slot)?;
            digits::values(session, digit, q, destination, slot)?;
            Ok(destination)
        }
    }
}

/// A buffer with the values of a limb.
fn values<M: Machine>(
    session: &mut Session<M>,
    (limb, domain): Operand<'_>,
    slot: SlotNumber,
) -> Result<Buffer> {
    let source = session.planner.source(limb.place(), slot)?;
    if domain == Domain::Evaluation {
        return Ok(source);
    }
    let destination = session.planner.scratch(slot)?;
    session.planner.push(Instruction::Transform {
        direction: Direction::Forward,
        destination,
        source,
        slot,
    });
    session.planner.release(source);
    Ok(destination)
}

/// The terms of digits and of key elements modulo the prime at a place of their basis.
fn terms<'a>(
    digits: &'a [Vec<DigitLimb>],
    key: &[&'a Pair<CorePoly>],
    at: usize,
    q: &Modulus,
) -> Result<Vec<Term<'a>>> {
    let term = |(digit, pair): (&'a Vec<DigitLimb>, &&'a Pair<CorePoly>)| {
        let digit = digit.get(at).ok_or(RtlError::MissingLimb(q.value()))?;
        Ok(Term {
            digit,
            key: [pair.0.limb(q)?, pair.1.limb(q)?],
        })
    };
    digits.iter().zip(key).map(term).collect()
}

/// Adds a limb times a factor, in evaluation domain, to a sum.
fn add_values<M: Machine>(
    session: &mut Session<M>,
    sum: Buffer,
    addend: Operand<'_>,
    (slot, constant): (SlotNumber, u64),
) -> Result<()> {
    let values = values(session, addend, slot)?;
    let product = session.planner.scratch(slot)?;
    scale(session, product, values, slot, constant);
    combine(session, Combination::Add, [sum, sum, product], slot);
    session.planner.release(product);
    session.planner.release(values);
    Ok(())
}

/// The product of the special primes, if digits have some, modulo q.
fn special_product(digits: &Digits, q: &Modulus) -> u64 {
    let special = match digits {
        Digits::Limbs { special, .. } => special.moduli(),
        Digits::BaseTwo { .. } => &[],
    };
    let primes = special.iter().map(Modulus::value);
    primes.fold(1, |product, p| q.mul(product, q.reduce(p)))
}

/// What a key switch has beside its key.
pub(super) struct Switch<'a> {
    pub(super) a: &'a CorePoly,
    pub(super) addends: &'a [Pair<&'a CorePoly>],
    pub(super) digits: &'a Digits,
    pub(super) extended: &'a Basis,
    /// The products of a relinearization.
    pub(super) products: Option<&'a Tensor<'a, CorePoly>>,
    /// The basis of the sums: that of the products, or `extended` without any.
    pub(super) wide: &'a Basis,
}

/// The digits, each over the extended basis.
fn digit_limbs<M: Machine>(session: &mut Session<M>, switch: &Switch<'_>) -> Result<Vec<Vec<DigitLimb>>> {
    let (a, extended) = (switch.a, switch.extended);
    match switch.digits {
        Digits::Limbs { groups, .. } => {
            basis_operations::digits(session, a, &Digits::limbs_of(groups, &a.basis)?, extended)
        }
        Digits::BaseTwo { bits } => {
            let digits = digits::base_two(session, a, *bits, extended)?
                .into_iter()
                .map(Arc::new);
            let limbs = |digit| vec![DigitLimb::Pieces(digit); extended.len()];
            Ok(digits.map(limbs).collect())
        }
    }
}

/// Key switching and relinearization as the contract defines them.
pub(super) fn key_switch<M: Machine>(
    session: &mut Session<M>,
    switch: &Switch<'_>,
    key: &[&Pair<CorePoly>],
    to: &Basis,
    domain: Domain,
) -> Result<[Limbs; 2]> {
    let change = BasisChange::new(switch.wide, to)?;
    let is_dropped = |q: &Modulus| to.position(q).is_none();
    let digits = digit_limbs(session, switch)?;
    let mut sums = [Vec::new(), Vec::new()];
    for q in switch.wide.moduli() {
        let limbs = match switch.extended.position(q) {
            Some(at) => accumulate(session, q, &terms(&digits, key, at, q)?)?.map(Some),
            None => [None, None],
        };
        let to = if is_dropped(q) {
            Domain::Coefficient
        } else {
            domain
        };
        for (side, (limb, sums)) in limbs.into_iter().zip(&mut sums).enumerate() {
            sums.push(finish(session, switch, side, q, limb, to)?);
        }
    }
    drop(digits);
    let [x, y] = sums.map(|limbs| divide(session, switch.wide, limbs, to, domain, &change));
    Ok([x?, y?])
}

/// Makes one side's sum modulo a prime whole: digits times key elements, if the prime is theirs, with the products and
/// the addends, in a domain.
fn finish<M: Machine>(
    session: &mut Session<M>,
    switch: &Switch<'_>,
    side: usize,
    q: &Modulus,
    keys: Option<Arc<Limb>>,
    to: Domain,
) -> Result<Arc<Limb>> {
    let products = |session: &mut _, to| {
        let sum = |tensor: &Tensor<'_, _>| product_sum(session, q, &tensor.sums[side], tensor.multiplier, to);
        switch.products.map(sum).transpose()
    };
    let Some(limb) = keys else {
        return products(session, to)?.ok_or(RtlError::BadCore { need: "digits" });
    };
    let product = products(session, Domain::Evaluation)?;
    let constant = correction(session, q, switch.wide.product_beyond(switch.extended, q))?;
    let p = raised(session, q, switch.wide.product_beyond(&switch.a.basis, q))?;
    let slot = session.step(q)?;
    let sum = session.planner.take_over(limb.place(), slot)?;
    scale(session, sum, sum, slot, constant);
    if let Some(product) = &product {
        let values = session.planner.source(product.place(), slot)?;
        combine(session, Combination::Add, [sum, sum, values], slot);
        session.planner.release(values);
        session.planner.forget(product.place());
    }
    for pair in switch.addends {
        let addend = [pair.0, pair.1][side];
        if let Ok(limb) = addend.limb(q) {
            add_values(session, sum, (limb, addend.domain), (slot, p))?;
        }
    }
    if to == Domain::Coefficient {
        in_place(session, Direction::Inverse, sum, slot);
    }
    Ok(limb)
}

/// Divides a sum, whose limbs that are given up are in coefficient domain, the others in the domain of the result.
fn divide<M: Machine>(
    session: &mut Session<M>,
    wide: &Basis,
    limbs: Limbs,
    to: &Basis,
    domain: Domain,
    change: &BasisChange,
) -> Result<Limbs> {
    let sum = CorePoly {
        basis: wide.clone(),
        domain,
        limbs,
    };
    match (&change.dropped, domain) {
        (Some(dropped), Domain::Evaluation) => {
            let given_up = dropped.moduli().iter().map(|q| sum.limb(q).cloned());
            let given_up = CorePoly {
                basis: dropped.clone(),
                domain: Domain::Coefficient,
                limbs: given_up.collect::<Result<_>>()?,
            };
            basis_operations::rescale_values(session, &given_up, &sum, to, change)
        }
        _ => basis_operations::rescale(session, &sum, to, change, domain),
    }
}

/// A rotation as the contract defines it, with the shift of words that is its automorphism.
pub(super) fn rotate<M: Machine>(
    session: &mut Session<M>,
    first: &CorePoly,
    digits: &[Vec<DigitLimb>],
    key: &[&Pair<CorePoly>],
    (kind, extended): (&Digits, &Basis),
    shift: u64,
) -> Result<[Limbs; 2]> {
    let mut moved = [Vec::new(), Vec::new()];
    for (at, q) in extended.moduli().iter().enumerate() {
        let terms = terms(digits, key, at, q)?;
        let constant = correction(session, q, 1)?;
        let p = raised(session, q, special_product(kind, q))?;
        let sums = accumulate(session, q, &terms)?;
        for (side, (limb, moved)) in sums.iter().zip(&mut moved).enumerate() {
            let slot = session.step(q)?;
            let sum = session.planner.take_over(limb.place(), slot)?;
            scale(session, sum, sum, slot, constant);
            if let (0, Ok(limb)) = (side, first.limb(q)) {
                add_values(session, sum, (limb, first.domain), (slot, p))?;
            }
            let (limb, destination) = result(session, slot)?;
            session.planner.push(Instruction::Automorphism {
                destination,
                source: sum,
                slot,
                shift,
            });
            moved.push(limb);
        }
        sums.iter().for_each(|limb| session.planner.forget(limb.place()));
    }
    Ok(moved)
}
