//! Digits in base 2^b: the conversion unit takes them piece by piece from the residues.

use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::Digits;

use super::basis_operations::{in_coefficients, new_limbs, places};
use super::chain::{Chain, Job};
use super::operations::{Limbs, combine, constant, in_place, raised, result, scale};
use super::places::Limb;
use super::poly::CorePoly;
use super::session::{Session, TableUse};
use super::{Buffer, Combination, ConversionTable, Instruction, Machine, Piece, Rounding, SlotNumber};
use crate::RtlError;
use crate::ntt_engine::Direction;

type Result<T, E = RtlError> = std::result::Result<T, E>;

/// A digit of each coefficient, in pieces: words below each prime that the digit is needed modulo.
#[derive(Debug)]
pub(super) struct Digit {
    /// The lowest first.
    pieces: Limbs,
    /// The bits of a piece, but for the last one.
    piece_bits: u32,
    /// 2^(bits-1) - 1, by which the pieces are greater than the digit.
    excess: BigUint,
}

/// Numbers below a bound, by their residues.
struct Numbers {
    moduli: Vec<Modulus>,
    limbs: Limbs,
    bound: BigUint,
    rounding: Rounding,
}

/// The digits in base 2^bits of the representatives in \[0, q), the lowest first, for the primes of `over`.
///
/// A digit d of a number h is in (-2^(bits-1), 2^(bits-1)], so d + 2^(bits-1) - 1 is what h + 2^(bits-1) - 1 is modulo
/// 2^bits. Its pieces are taken from the lowest on, and what is left of h is a number over fewer primes.
pub(super) fn base_two<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    bits: u32,
    over: &Basis,
) -> Result<Vec<Digit>> {
    let a = in_coefficients(session, a)?;
    let shortest = a
        .basis
        .moduli()
        .iter()
        .chain(over.moduli())
        .map(Modulus::bits)
        .min();
    let piece_bits = shortest.unwrap_or(0).saturating_sub(1).min(bits).max(1);
    let ones = ones(session, &a.basis)?;
    let count = Digits::BaseTwo { bits }.elements(&a.basis).len();
    let mut numbers = Numbers {
        bound: a.basis.product(),
        moduli: a.basis.moduli().to_vec(),
        limbs: a.limbs,
        rounding: Rounding::Down,
    };
    let mut digits = Vec::with_capacity(count);
    for digit in 1..=count {
        let mut pieces = Limbs::new();
        let starts = (0..bits).step_by(piece_bits as usize);
        for start in starts {
            let width = piece_bits.min(bits - start);
            let is_last = start + width == bits;
            let offset = if is_last {
                (1 << (width - 1)) - 1
            } else {
                (1 << width) - 1
            };
            let piece = Piece { bits: width, offset };
            let (limb, left) = take(session, &numbers, piece, &ones, is_last && digit == count)?;
            pieces.push(limb);
            numbers = left;
        }
        digits.push(Digit {
            pieces,
            piece_bits,
            excess: (BigUint::from(1_u32) << (bits - 1)) - 1_u32,
        });
    }
    Ok(digits)
}

/// A limb of ones.
fn ones<M: Machine>(session: &mut Session<M>, basis: &Basis) -> Result<Arc<Limb>> {
    let first = basis.moduli().first();
    let need = "1 to 31 source primes";
    constant(session, first.ok_or(RtlError::BadConversion { need })?, 1)
}

/// Takes a piece from numbers: its words, and what is left, over the fewest primes that hold it. Nothing is left of the
/// last one.
fn take<M: Machine>(
    session: &mut Session<M>,
    numbers: &Numbers,
    piece: Piece,
    ones: &Arc<Limb>,
    is_last: bool,
) -> Result<(Arc<Limb>, Numbers)> {
    let bound = (&numbers.bound >> piece.bits) + 1_u32;
    let left = if is_last {
        0
    } else {
        primes_for(&numbers.moduli, &bound)
    };
    let moduli = numbers.moduli.get(..left).unwrap_or_default();
    let quotient = new_limbs(session, 1)?;
    let table = session.table(TableUse::Quotient(numbers.rounding), [&numbers.moduli, &[]])?;
    let sources = places(&numbers.limbs);
    let job = Job {
        sources: sources.clone(),
        own: Vec::new(),
        results: places(&quotient),
    };
    let chain = Chain::new(session.configuration(), vec![table], vec![job])?;
    session.convert(&chain)?;

    let sources: Vec<u64> = sources
        .into_iter()
        .chain(places(&quotient))
        .chain([ones.place()])
        .collect();
    let most = ConversionTable::most_left(numbers.moduli.len()).max(1);
    let mut words = None;
    let mut limbs = Limbs::new();
    // Once at least, for the piece.
    for start in (0..left.max(1)).step_by(most) {
        let part = moduli.get(start..left.min(start + most)).unwrap_or_default();
        let table = session.table(TableUse::Piece(piece), [&numbers.moduli, part])?;
        let results = new_limbs(session, 1 + part.len())?;
        let job = Job {
            sources: sources.clone(),
            own: Vec::new(),
            results: places(&results),
        };
        let chain = Chain::new(session.configuration(), vec![table], vec![job])?;
        session.convert(&chain)?;
        let mut results = results.into_iter();
        words = results.next();
        limbs.extend(results);
    }
    let words = words.ok_or(RtlError::BadConversion { need: "a piece" })?;
    let left = Numbers {
        moduli: moduli.to_vec(),
        limbs,
        bound,
        rounding: Rounding::Nearest,
    };
    Ok((words, left))
}

/// The fewest primes whose product is three times the bound: then numbers below it are far from half the product, and
/// the core is certain of v.
fn primes_for(moduli: &[Modulus], bound: &BigUint) -> usize {
    let mut product = BigUint::from(1_u32);
    let enough = moduli.iter().position(|q| {
        product *= q.value();
        product >= bound * 3_u32
    });
    enough.map_or(moduli.len(), |at| at + 1)
}

/// The digits' limbs over a basis, in evaluation domain.
pub(super) fn decompose<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    bits: u32,
    over: &Basis,
) -> Result<Vec<Limbs>> {
    let digits = base_two(session, a, bits, over)?;
    let limbs = |digit: &Digit| {
        let limb = |q: &Modulus| {
            let slot = session.step(q)?;
            let (limb, destination) = result(session, slot)?;
            values(session, digit, q, destination, slot)?;
            Ok(limb)
        };
        over.moduli().iter().map(limb).collect()
    };
    digits.iter().map(limbs).collect()
}

/// Writes the values of a digit modulo a prime to a buffer.
pub(super) fn values<M: Machine>(
    session: &mut Session<M>,
    digit: &Digit,
    q: &Modulus,
    destination: Buffer,
    slot: SlotNumber,
) -> Result<()> {
    let step = raised(session, q, q.pow(2, digit.piece_bits.into()))?;
    let mut pieces = digit.pieces.iter().rev();
    let Some(last) = pieces.next() else {
        return Ok(());
    };
    let first = session.planner.source(last.place(), slot)?;
    let mut sum = first;
    for piece in pieces {
        scale(session, destination, sum, slot, step);
        let lower = session.planner.source(piece.place(), slot)?;
        combine(session, Combination::Add, [destination, destination, lower], slot);
        session.planner.release(lower);
        sum = destination;
    }
    let excess = session.planner.scratch(slot)?;
    let constant = (&digit.excess % q.value()).to_u64().unwrap_or(0);
    session.planner.push(Instruction::Fill {
        destination: excess,
        slot,
        constant,
    });
    combine(session, Combination::Subtract, [destination, sum, excess], slot);
    session.planner.release(excess);
    session.planner.release(first);
    // Their next prime is another one.
    digit
        .pieces
        .iter()
        .for_each(|piece| session.planner.forget(piece.place()));
    in_place(session, Direction::Forward, destination, slot);
    Ok(())
}
