//! Tables for digits in base 2^b: conversions that find v, and that take low bits from a number.

use ringmill_arith::{Basis, Modulus};

use super::conversion::{Source, Target, check_sizes, cofactor, most_targets, product, sources};
use super::{Configuration, ConversionTable, Rounding};
use crate::RtlError;
use crate::ntt_engine::Unit;

/// The sources of a piece behind the residues: v, and ones.
const BEHIND: usize = 2;

/// A piece of a digit: the lowest bits of h + `offset`, where h is a number that is known by its residues.
///
/// With e = (h + offset) mod 2^bits, what is left is h' = (h + offset - e) / 2^bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// Its bits, at most those of a word.
    pub bits: u32,
    /// At most 2^bits - 1.
    pub offset: u64,
}

impl ConversionTable {
    /// The most primes that a table of a piece of a number over so many primes can leave.
    pub(super) fn most_left(sources: usize) -> usize {
        most_targets(sources + BEHIND, false).saturating_sub(1)
    }

    /// Prepares the conversion that gives v, modulo the first prime: how often the product of the basis is in the sum of
    /// y_i D/p_i, if numbers are in (-D/2, D/2), or in \[0, D).
    ///
    /// # Errors
    /// As [`ConversionTable::new`].
    pub fn quotient_of(
        configuration: &Configuration,
        rounding: Rounding,
        from: &Basis,
    ) -> Result<Self, RtlError> {
        check_sizes(configuration.sizes().width, from, [from.len(), 1], false)?;
        let sources = sources(configuration, &[], from)?;
        let targets = sources.iter().take(1).map(|first| Target {
            unit: first.unit,
            own: 0,
            weights: vec![0; from.len()],
            quotient: first.unit.raise(1),
        });
        Ok(Self {
            targets: targets.collect(),
            ..Self::empty(configuration, rounding, sources)
        })
    }

    /// Prepares a conversion that takes a piece from numbers. Sources are the residues modulo a basis, v
    /// ([`ConversionTable::quotient_of`]) and ones. Targets are e, as it is if the first prime is greater, and h' modulo
    /// the primes that are left.
    ///
    /// # Errors
    /// [`RtlError::BadConversion`] for more bits than a word or a prime of the basis has, and as [`ConversionTable::new`].
    pub fn piece(
        configuration: &Configuration,
        piece: Piece,
        from: &Basis,
        left: &[Modulus],
    ) -> Result<Self, RtlError> {
        let sizes = configuration.sizes();
        let counts = [from.len() + BEHIND, left.len() + 1];
        check_sizes(sizes.width, from, counts, false)?;
        if piece.bits >= sizes.width || from.moduli().iter().any(|p| p.value() >> piece.bits == 0) {
            return Err(RtlError::BadConversion {
                need: "pieces of digits that are shorter than words and primes",
            });
        }
        // The low word is e times 2^shift.
        let (shift, mask) = (sizes.width - piece.bits, (1 << piece.bits) - 1);
        let whole = |primes: &mut dyn Iterator<Item = u64>| primes.fold(1, u64::wrapping_mul) & mask;
        let mut sources = sources(configuration, &[], from)?;
        for (source, p) in sources.iter_mut().zip(from.moduli()) {
            source.reciprocal = [0, whole(&mut cofactor(from, p)) << shift];
        }
        let negative = whole(&mut from.moduli().iter().map(Modulus::value)).wrapping_neg() & mask;
        if let Some(unit) = sources.first().map(|first| first.unit) {
            sources.push(word(unit, 1, negative << shift));
            sources.push(word(unit, piece.offset, 1 << shift));
        }
        let mut targets: Vec<Target> = sources
            .iter()
            .take(1)
            .map(|first| lowest(first.unit, shift, counts[0]))
            .collect();
        for q in left {
            targets.push(rest(
                Unit::new(q, sizes.width, sizes.word)?,
                piece.bits,
                sizes.width,
                from,
            ));
        }
        Ok(Self {
            targets,
            low: true,
            ..Self::empty(configuration, Rounding::Down, sources)
        })
    }

    fn empty(configuration: &Configuration, rounding: Rounding, sources: Vec<Source>) -> Self {
        let sizes = configuration.sizes();
        Self {
            width: sizes.width,
            latency: sizes.pipeline.conversion_lane(sizes.width, sizes.word),
            rounding,
            own: false,
            low: false,
            sources,
            targets: Vec::new(),
        }
    }
}

/// A source whose y is its word times a factor, and whose words are not residues.
const fn word(unit: Unit, factor: u64, weight: u64) -> Source {
    Source {
        unit,
        factor: unit.raise(factor),
        reciprocal: [0, weight],
    }
}

/// e, from the low word.
fn lowest(unit: Unit, shift: u32, sources: usize) -> Target {
    Target {
        unit,
        own: 0,
        weights: vec![0; sources],
        quotient: unit.raise(inverse_power(unit.modulus(), shift)),
    }
}

/// h' = (sum of y_i D/p_i - v D + offset - e) / 2^bits.
fn rest(unit: Unit, bits: u32, width: u32, from: &Basis) -> Target {
    let q = *unit.modulus();
    let divided = |x: u64| unit.raise(q.mul(x, inverse_power(&q, bits)));
    let whole = product(&q, from.moduli().iter().map(Modulus::value));
    let weights = from
        .moduli()
        .iter()
        .map(|p| divided(product(&q, cofactor(from, p))));
    Target {
        unit,
        own: 0,
        weights: weights.chain([divided(q.neg(whole)), divided(1)]).collect(),
        quotient: unit.raise(q.neg(inverse_power(&q, width))),
    }
}

/// 2^-bits.
fn inverse_power(q: &Modulus, bits: u32) -> u64 {
    // An odd prime has the inverse.
    q.inv(q.reduce(1 << bits)).unwrap_or(0)
}
