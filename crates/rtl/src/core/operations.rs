//! The programs of the device's operations: limb by limb, a step each, so that loads are a limb ahead.

use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::DeviceError;
use ringmill_ring::{Domain, Ring, RingError};

use super::places::Limb;
use super::poly::CorePoly;
use super::session::Session;
use super::{Buffer, Combination, Instruction, Machine, SlotNumber};
use crate::RtlError;
use crate::ntt_engine::{Direction, Unit};

type Result<T, E = RtlError> = std::result::Result<T, E>;

/// The limbs of a polynomial.
pub(super) type Limbs = Vec<Arc<Limb>>;

const fn towards(domain: Domain) -> Direction {
    match domain {
        Domain::Evaluation => Direction::Forward,
        Domain::Coefficient => Direction::Inverse,
    }
}

/// A new limb, and the buffer that its words are written to.
pub(super) fn result<M: Machine>(session: &mut Session<M>, slot: SlotNumber) -> Result<(Arc<Limb>, Buffer)> {
    let limb = session.limb()?;
    let buffer = session.planner.result(limb.place(), slot)?;
    Ok((Arc::new(limb), buffer))
}

/// Writes words to memory, a limb for every n of them.
pub(super) fn upload<M: Machine>(session: &mut Session<M>, words: &[u64]) -> Result<Limbs> {
    let n = session.n();
    let write = |words: &[u64]| {
        let limb = session.limb()?;
        session.write(limb.place(), words)?;
        Ok(Arc::new(limb))
    };
    words.chunks_exact(n).map(write).collect()
}

/// Transforms in place the limbs that are the polynomial's alone, and makes it new ones for the others.
pub(super) fn transform<M: Machine>(session: &mut Session<M>, a: &mut CorePoly, to: Domain) -> Result<()> {
    let direction = towards(to);
    for (q, limb) in a.basis.moduli().iter().zip(&mut a.limbs) {
        let slot = session.step(q)?;
        let (destination, source) = if Arc::get_mut(limb).is_some() {
            let buffer = session.planner.take_over(limb.place(), slot)?;
            (buffer, buffer)
        } else {
            let source = session.planner.source(limb.place(), slot)?;
            let (new, destination) = result(session, slot)?;
            *limb = new;
            (destination, source)
        };
        session.planner.push(Instruction::Transform {
            direction,
            destination,
            source,
            slot,
        });
    }
    a.domain = to;
    Ok(())
}

/// The sum of two terms and more.
pub(super) fn sum<M: Machine>(
    session: &mut Session<M>,
    first: &CorePoly,
    terms: &[&CorePoly],
) -> Result<Limbs> {
    let mut limbs = Vec::with_capacity(first.limbs.len());
    for (at, (q, place)) in first.places().enumerate() {
        let slot = session.step(q)?;
        let mut sum = session.planner.source(place, slot)?;
        let (limb, destination) = result(session, slot)?;
        for limb in terms.iter().skip(1).filter_map(|term| term.limbs.get(at)) {
            let b = session.planner.source(limb.place(), slot)?;
            session.planner.push(Instruction::Combine {
                combination: Combination::Add,
                destination,
                a: sum,
                b,
                slot,
            });
            session.planner.release(b);
            sum = destination;
        }
        limbs.push(limb);
    }
    Ok(limbs)
}

/// a - b.
pub(super) fn sub<M: Machine>(session: &mut Session<M>, a: &CorePoly, b: &CorePoly) -> Result<Limbs> {
    let mut limbs = Vec::with_capacity(a.limbs.len());
    for ((q, a), (_, b)) in a.places().zip(b.places()) {
        let slot = session.step(q)?;
        let a = session.planner.source(a, slot)?;
        let b = session.planner.source(b, slot)?;
        let (limb, destination) = result(session, slot)?;
        session.planner.push(Instruction::Combine {
            combination: Combination::Subtract,
            destination,
            a,
            b,
            slot,
        });
        limbs.push(limb);
    }
    Ok(limbs)
}

/// An instruction with one operand on every limb.
fn each<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    instruction: impl Fn(Buffer, Buffer, SlotNumber) -> Instruction,
) -> Result<Limbs> {
    let mut limbs = Vec::with_capacity(a.limbs.len());
    for (q, place) in a.places() {
        let slot = session.step(q)?;
        let source = session.planner.source(place, slot)?;
        let (limb, destination) = result(session, slot)?;
        session.planner.push(instruction(destination, source, slot));
        limbs.push(limb);
    }
    Ok(limbs)
}

/// -a.
pub(super) fn negate<M: Machine>(session: &mut Session<M>, a: &CorePoly) -> Result<Limbs> {
    each(session, a, |destination, source, slot| Instruction::Negate {
        destination,
        source,
        slot,
    })
}

/// Moves words by a shift ([`shift`]) that is not 0.
pub(super) fn automorphism<M: Machine>(session: &mut Session<M>, a: &CorePoly, shift: u64) -> Result<Limbs> {
    each(session, a, |destination, source, slot| {
        Instruction::Automorphism {
            destination,
            source,
            slot,
            shift,
        }
    })
}

/// The shift of words that is the automorphism x -> x^k. The index of a unit modulo the conductor is made of its discrete
/// logarithms. The coefficient of zeta^e goes to zeta^(ke), so k's are added; the value at zeta^(ke) becomes the one at
/// zeta^e, so they are subtracted.
pub(super) fn shift(ring: &Ring, exponent: u64, domain: Domain) -> Result<u64, DeviceError> {
    let inverse = ring.inverse(exponent)?;
    let unit = match domain {
        Domain::Coefficient => exponent,
        Domain::Evaluation => inverse,
    };
    let index = ring.as_fermat().and_then(|ring| ring.index_of(unit));
    let d = ring.conductor();
    let index = index.ok_or(RingError::NotAUnit { exponent, d })?;
    Ok(index as u64)
}

/// The factor that takes s / R, of a product of data, to `multiplier` s: `multiplier` R^2.
pub(super) fn correction<M: Machine>(session: &Session<M>, q: &Modulus, multiplier: u64) -> Result<u64> {
    let sizes = *session.configuration().sizes();
    let unit = Unit::new(q, sizes.width, sizes.word)?;
    Ok(unit.raise(unit.raise(q.reduce(multiplier))))
}

/// A factor as SCALE takes it.
pub(super) fn raised<M: Machine>(session: &Session<M>, q: &Modulus, factor: u64) -> Result<u64> {
    let sizes = *session.configuration().sizes();
    Ok(Unit::new(q, sizes.width, sizes.word)?.raise(factor))
}

/// A limb times a factor.
pub(super) fn multiple<M: Machine>(
    session: &mut Session<M>,
    q: &Modulus,
    limb: &Limb,
    factor: u64,
) -> Result<Arc<Limb>> {
    let constant = raised(session, q, factor)?;
    let slot = session.step(q)?;
    let source = session.planner.source(limb.place(), slot)?;
    let (limb, destination) = result(session, slot)?;
    scale(session, destination, source, slot, constant);
    Ok(limb)
}

/// A limb and another one times a factor.
pub(super) fn add_multiple<M: Machine>(
    session: &mut Session<M>,
    q: &Modulus,
    limb: &Limb,
    other: &Limb,
    factor: u64,
) -> Result<Arc<Limb>> {
    let constant = raised(session, q, factor)?;
    let slot = session.step(q)?;
    let [a, b] = [limb, other].map(|limb| session.planner.source(limb.place(), slot));
    let (a, b) = (a?, b?);
    let (limb, destination) = result(session, slot)?;
    scale(session, destination, b, slot, constant);
    session.planner.push(Instruction::Combine {
        combination: Combination::Add,
        destination,
        a,
        b: destination,
        slot,
    });
    Ok(limb)
}

/// A limb of which all words are the same residue.
pub(super) fn constant<M: Machine>(session: &mut Session<M>, q: &Modulus, word: u64) -> Result<Arc<Limb>> {
    let slot = session.step(q)?;
    let (limb, destination) = result(session, slot)?;
    session.planner.push(Instruction::Fill {
        destination,
        slot,
        constant: word,
    });
    Ok(limb)
}

/// The limbs of `multiplier` times each sum of products, in a domain.
pub(super) fn inner_products<M: Machine>(
    session: &mut Session<M>,
    basis: &Basis,
    sums: &[Vec<(&CorePoly, &CorePoly)>],
    multiplier: u64,
    to: Domain,
) -> Result<Vec<Limbs>> {
    let mut results: Vec<Limbs> = sums.iter().map(|_| Vec::new()).collect();
    for q in basis.moduli() {
        for (pairs, limbs) in sums.iter().zip(&mut results) {
            limbs.push(product_sum(session, q, pairs, multiplier, to)?);
        }
    }
    Ok(results)
}

/// `multiplier` times a sum of products modulo a prime, in a domain.
pub(super) fn product_sum<M: Machine>(
    session: &mut Session<M>,
    q: &Modulus,
    pairs: &[(&CorePoly, &CorePoly)],
    multiplier: u64,
    to: Domain,
) -> Result<Arc<Limb>> {
    let constant = correction(session, q, multiplier)?;
    let slot = session.step(q)?;
    let places = pairs
        .iter()
        .map(|(a, b)| Ok((a.limb(q)?.place(), b.limb(q)?.place())));
    let places: Vec<(u64, u64)> = places.collect::<Result<_>>()?;
    let (limb, sum) = products(session, &places, slot)?;
    scale(session, sum, sum, slot, constant);
    if to == Domain::Coefficient {
        in_place(session, Direction::Inverse, sum, slot);
    }
    Ok(limb)
}

/// A new limb with the sum of products, divided by R. The core takes as many pairs at once as its buffers hold.
fn products<M: Machine>(
    session: &mut Session<M>,
    pairs: &[(u64, u64)],
    slot: SlotNumber,
) -> Result<(Arc<Limb>, Buffer)> {
    let most = usize::from(session.configuration().sizes().limbs - 2) / 2;
    let mut sum = None;
    let mut rest = pairs;
    while !rest.is_empty() {
        let (count, a, b) = operands(session, rest, most, slot)?;
        let (_, later) = rest.split_at(count.into());
        rest = later;
        let destination = match &sum {
            None => sum.insert(result(session, slot)?).1,
            Some(_) => session.planner.scratch(slot)?,
        };
        session.planner.push(Instruction::MultiplyAccumulate {
            destination,
            a,
            b,
            slot,
            count,
        });
        (a..a + count)
            .chain(b..b + count)
            .for_each(|buffer| session.planner.release(buffer));
        if let Some((_, total)) = sum.as_ref().filter(|(_, total)| *total != destination) {
            session.planner.push(Instruction::Combine {
                combination: Combination::Add,
                destination: *total,
                a: *total,
                b: destination,
                slot,
            });
            session.planner.release(destination);
        }
    }
    sum.ok_or(RtlError::BadCore { need: "operands" })
}

/// Brings the operands of the first pairs to consecutive buffers: `most` pairs, or as many as there is room for.
fn operands<M: Machine>(
    session: &mut Session<M>,
    pairs: &[(u64, u64)],
    most: usize,
    slot: SlotNumber,
) -> Result<(u8, Buffer, Buffer)> {
    for count in (1..=most.min(pairs.len())).rev() {
        let (now, _) = pairs.split_at(count);
        if let Some((a, b)) = session.planner.operands(now, slot)? {
            return Ok((count as u8, a, b));
        }
    }
    Err(RtlError::BadCore {
        need: "more limb buffers for a sum of products",
    })
}

pub(super) fn scale<M: Machine>(
    session: &mut Session<M>,
    destination: Buffer,
    source: Buffer,
    slot: SlotNumber,
    constant: u64,
) {
    session.planner.push(Instruction::Scale {
        destination,
        source,
        slot,
        constant,
    });
}

/// Combines two buffers, into one of them or another.
pub(super) fn combine<M: Machine>(
    session: &mut Session<M>,
    combination: Combination,
    [destination, a, b]: [Buffer; 3],
    slot: SlotNumber,
) {
    session.planner.push(Instruction::Combine {
        combination,
        destination,
        a,
        b,
        slot,
    });
}

pub(super) fn in_place<M: Machine>(
    session: &mut Session<M>,
    direction: Direction,
    buffer: Buffer,
    slot: SlotNumber,
) {
    session.planner.push(Instruction::Transform {
        direction,
        destination: buffer,
        source: buffer,
        slot,
    });
}

/// The products of a batch with fixed factors, in coefficient domain. Limb by limb, a transform of a polynomial of the
/// batch serves all its products, and its correction too.
pub(super) fn multiply_fixed<M: Machine>(
    session: &mut Session<M>,
    batch: &[CorePoly],
    factors: &[&CorePoly],
) -> Result<Vec<Vec<CorePoly>>> {
    let Some(first) = batch.first() else {
        return Ok(Vec::new());
    };
    let empty = || CorePoly {
        basis: first.basis.clone(),
        domain: Domain::Coefficient,
        limbs: Vec::new(),
    };
    let row = |_: &CorePoly| factors.iter().map(|_| empty()).collect();
    let mut rows: Vec<Vec<CorePoly>> = batch.iter().map(row).collect();
    for q in first.basis.moduli() {
        let constant = correction(session, q, 1)?;
        for (a, row) in batch.iter().zip(&mut rows) {
            let slot = session.step(q)?;
            let values = session.planner.scratch(slot)?;
            let source = session.planner.source(a.limb(q)?.place(), slot)?;
            session.planner.push(Instruction::Transform {
                direction: Direction::Forward,
                destination: values,
                source,
                slot,
            });
            session.planner.release(source);
            scale(session, values, values, slot, constant);
            for (factor, product) in factors.iter().zip(row) {
                let factor = factor.limb(q)?.place();
                product.limbs.push(times(session, values, factor, slot)?);
            }
        }
    }
    Ok(rows)
}

/// A new limb with the coefficients of a product of values, which are times R, and a factor.
fn times<M: Machine>(
    session: &mut Session<M>,
    values: Buffer,
    factor: u64,
    slot: SlotNumber,
) -> Result<Arc<Limb>> {
    let b = session.planner.source(factor, slot)?;
    let (limb, destination) = result(session, slot)?;
    session.planner.push(Instruction::Combine {
        combination: Combination::Multiply,
        destination,
        a: values,
        b,
        slot,
    });
    in_place(session, Direction::Inverse, destination, slot);
    session.planner.release(b);
    session.planner.release(destination);
    Ok(limb)
}
