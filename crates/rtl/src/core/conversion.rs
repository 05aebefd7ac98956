use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::{Basis, Modulus};

use super::Configuration;
use crate::RtlError;
use crate::ntt_engine::Unit;

/// Rows of a lane's memory: one for each source and one for v, so there are fewer sources. Also the most targets.
pub(super) const ROWS: usize = 32;

/// The most target primes of a conversion from so many, with own words or without; 0 if there are too many sources.
pub(super) fn most_targets(sources: usize, own: bool) -> usize {
    if sources >= ROWS {
        return 0;
    }
    let each = sources + 1 + usize::from(own);
    (FACTORS.saturating_sub(3 * sources) / each).min(ROWS)
}

/// The words before a table's primes.
pub(super) const HEAD: usize = 8;

/// The most factors of a table.
pub(super) const FACTORS: usize = 1024;

/// Which of the numbers that are t x modulo D a conversion takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    /// The one in (-D/2, D/2): divisions round to the nearest.
    Nearest,
    /// The one in [0, D): divisions round down.
    Down,
}

/// What a conversion writes modulo the targets. X is the number that is t x modulo D, z what was modulo the targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversionKind {
    /// X.
    Lift,
    /// (t z - X) / D. It is t z / D, rounded, if x and z are residues of one number.
    Division,
    /// -X / D, the part of a division that comes from the sources.
    Correction,
}

/// The constants of an exact conversion from some primes, whose product is D, to others, as the core's conversion unit
/// takes them, and what it computes with them (`docs/machines/core-conversion.md`).
///
/// The method is that of Halevi, Polyakov and Shoup, "An Improved RNS Variant of the BFV Homomorphic Encryption Scheme",
/// section 2.2, with fractions in fixed point.
#[derive(Debug, Clone)]
pub struct ConversionTable {
    pub(super) width: u32,
    pub(super) latency: u64,
    pub(super) rounding: Rounding,
    pub(super) own: bool,
    /// v is the low word of the sum of fractions.
    pub(super) low: bool,
    pub(super) sources: Vec<Source>,
    pub(super) targets: Vec<Target>,
}

/// The operands of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConversionShape {
    /// The number of source primes.
    pub sources: usize,
    /// The number of target primes.
    pub targets: usize,
    /// Whether there are words that were modulo the targets before.
    pub own: bool,
}

impl ConversionShape {
    /// The shape of a table whose block begins with this word.
    pub(super) fn of(word: u64) -> Self {
        let [sources, targets, flags, ..] = word.to_le_bytes();
        Self {
            sources: sources.into(),
            targets: targets.into(),
            own: flags & 1 != 0,
        }
    }

    /// The cycles of the unit for this many slots, from the start to the next possible one, with lanes of this latency.
    ///
    /// In each of `slots` + 2 steps the lanes make y_i and fractions, in all but two of them results.
    #[must_use]
    pub fn cycles(&self, slots: u64, latency: u64) -> u64 {
        let (sources, targets) = (self.sources as u64, self.targets as u64);
        let results = (targets * (sources + 1 + u64::from(self.own))).max(latency);
        3 * sources * (slots + 2) + results * slots + 3 * latency + 2
    }
}

/// A source prime p.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) unit: Unit,
    /// t (D/p)^-1 R
    pub(super) factor: u64,
    /// floor(2^(f+W) / p), the low word and the high one.
    pub(super) reciprocal: [u64; 2],
}

/// A target prime and its factors, all times R.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) unit: Unit,
    /// That of the own word; 0 where there is none.
    pub(super) own: u64,
    /// Those of the y_i.
    pub(super) weights: Vec<u64>,
    /// That of v.
    pub(super) quotient: u64,
}

/// What a conversion makes of some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// For each target prime the words of all columns, canonical.
    pub limbs: Vec<Vec<u64>>,
    /// The columns whose rounding is not certain, in order.
    pub doubtful: Vec<usize>,
}

impl ConversionTable {
    /// The most words of a block, which the core reads.
    pub const WORDS: usize = HEAD + 2 * ROWS + FACTORS;

    /// Prepares a conversion of t x from one basis to another, where t is the product of `multiplier`.
    ///
    /// # Errors
    /// [`RtlError::BadConversion`] unless there are 1 to 31 sources and 1 to 32 targets with at most 1,024 factors, words
    /// have at least 24 bits, and source primes at most 15 bits fewer; [`RtlError::BadTransformModulus`] for a prime that
    /// does not fit the core; [`RtlError::Arith`] if a prime is in both bases.
    pub fn new(
        configuration: &Configuration,
        kind: ConversionKind,
        rounding: Rounding,
        multiplier: &[u64],
        [from, to]: [&Basis; 2],
    ) -> Result<Self, RtlError> {
        let (sizes, own) = (configuration.sizes(), kind == ConversionKind::Division);
        check(sizes.width, own, from, to)?;
        let unit = |q: &Modulus| Unit::new(q, sizes.width, sizes.word);
        let targets = to
            .moduli()
            .iter()
            .map(|q| Ok(target(kind, unit(q)?, multiplier, from)));
        Ok(Self {
            width: sizes.width,
            latency: sizes.pipeline.conversion_lane(sizes.width, sizes.word),
            rounding,
            own,
            low: false,
            sources: sources(configuration, multiplier, from)?,
            targets: targets.collect::<Result<_, RtlError>>()?,
        })
    }

    /// Its operands.
    #[must_use]
    pub fn shape(&self) -> ConversionShape {
        ConversionShape {
            sources: self.sources.len(),
            targets: self.targets.len(),
            own: self.own,
        }
    }

    /// Converts columns as the unit does: `sources` has a limb for each source prime, `own` one for each target prime if
    /// the conversion is a division. What a doubtful column gets is not certain; [`ConversionTable::redo`] is its mend.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] if there are not as many limbs as primes, or limbs differ in length.
    pub fn run(&self, sources: &[&[u64]], own: &[&[u64]]) -> Result<Converted, RtlError> {
        let columns = sources.first().map_or(0, |limb| limb.len());
        check_length(self.sources.len(), sources.len())?;
        check_length(if self.own { self.targets.len() } else { 0 }, own.len())?;
        for limb in sources.iter().chain(own) {
            check_length(columns, limb.len())?;
        }
        let mut converted = Converted {
            limbs: vec![Vec::with_capacity(columns); self.targets.len()],
            doubtful: Vec::new(),
        };
        for column in 0..columns {
            let [sources, own] = [sources, own].map(|limbs| words_of(limbs, column));
            let mut y = self.prepare(&sources);
            let (quotient, doubtful) = self.quotient(&y);
            y.push(quotient);
            if doubtful {
                converted.doubtful.push(column);
            }
            for (limb, word) in converted.limbs.iter_mut().zip(self.combine(&y, &own)) {
                limb.push(word);
            }
        }
        Ok(converted)
    }

    /// Converts a column with big integers, whatever its fractions: what the host does with doubtful ones. `own` is empty
    /// unless the conversion is a division.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] if there are not as many words as primes.
    pub fn redo(&self, sources: &[u64], own: &[u64]) -> Result<Vec<u64>, RtlError> {
        check_length(self.sources.len(), sources.len())?;
        check_length(if self.own { self.targets.len() } else { 0 }, own.len())?;
        let mut y = self.prepare(sources);
        if self.low {
            // Exact.
            y.push(self.quotient(&y).0);
            return Ok(self.combine(&y, own).collect());
        }
        let primes = || self.sources.iter().map(|source| source.unit.modulus().value());
        let product: BigUint = primes().product();
        let terms = primes().zip(&y).map(|(p, y)| &product / p * y);
        // floor(sum y_i / p_i + h), numerator and denominator times 2 D.
        let doubled = terms.sum::<BigUint>() * 2_u32;
        let quotient = match self.rounding {
            Rounding::Nearest => (doubled + &product) / (product * 2_u32),
            Rounding::Down => doubled / (product * 2_u32),
        };
        // At most the number of sources.
        y.push(quotient.to_u64().unwrap_or(0));
        Ok(self.combine(&y, own).collect())
    }

    /// The cycles of the unit for this many slots, from the start to the next possible one.
    #[must_use]
    pub fn cycles(&self, slots: u64) -> u64 {
        self.shape().cycles(slots, self.latency)
    }

    /// y_i of a column.
    fn prepare(&self, sources: &[u64]) -> Vec<u64> {
        let words = self.sources.iter().zip(sources);
        words
            .map(|(source, &x)| multiply(&source.unit, x, source.factor))
            .collect()
    }

    /// v of a column, and whether it is not certain.
    ///
    /// What is added for a source is too small by less than two units, and never too great.
    fn quotient(&self, y: &[u64]) -> (u64, bool) {
        let bits = fraction_bits(self.width);
        let half = match self.rounding {
            Rounding::Nearest => 1 << (bits - 1),
            Rounding::Down => 0,
        };
        let terms = self.sources.iter().zip(y).map(|(source, &y)| {
            let [low, high] = source.reciprocal.map(|word| u128::from(y) * u128::from(word));
            high + (low >> self.width)
        });
        let sum = half + terms.sum::<u128>();
        if self.low {
            return ((sum & ((1 << self.width) - 1)) as u64, false);
        }
        let rest = sum & ((1 << bits) - 1);
        ((sum >> bits) as u64, rest >= (1 << bits) - 2 * ROWS as u128)
    }

    /// The results of a column from its y_i and v.
    fn combine(&self, y: &[u64], own: &[u64]) -> impl Iterator<Item = u64> {
        self.targets.iter().enumerate().map(move |(j, target)| {
            let (unit, q) = (&target.unit, target.unit.modulus());
            let factors = target.weights.iter().chain([&target.quotient]);
            let terms = factors.zip(y).map(|(&factor, &y)| multiply(unit, y, factor));
            let first = own.get(j).map_or(0, |&word| multiply(unit, word, target.own));
            terms.fold(first, |sum, term| q.add(sum, term))
        })
    }
}

/// The sources of a conversion of t x, where t is the product of `multiplier`.
pub(super) fn sources(
    configuration: &Configuration,
    multiplier: &[u64],
    from: &Basis,
) -> Result<Vec<Source>, RtlError> {
    let sizes = configuration.sizes();
    let source = |p: &Modulus| {
        // The primes of a basis are distinct, so the cofactor has an inverse.
        let inverse = p.inv(product(p, cofactor(from, p))).unwrap_or(0);
        let unit = Unit::new(p, sizes.width, sizes.word)?;
        let t = product(p, multiplier.iter().copied());
        Ok(Source {
            unit,
            factor: unit.raise(p.mul(t, inverse)),
            reciprocal: reciprocal(p.value(), sizes.width),
        })
    };
    from.moduli().iter().map(source).collect()
}

/// The bits of a fraction: with them the reciprocal of a prime of at least `width` - 15 bits has two words.
const fn fraction_bits(width: u32) -> u32 {
    2 * width - 16
}

/// floor(2^(f+W) / p): the low word and the high one.
const fn reciprocal(p: u64, width: u32) -> [u64; 2] {
    let (p, power) = (p as u128, 1 << fraction_bits(width));
    [(((power % p) << width) / p) as u64, (power / p) as u64]
}

/// a b / R, for any word a.
const fn multiply(unit: &Unit, a: u64, b: u64) -> u64 {
    unit.mul(unit.modulus().reduce(a), b)
}

/// The primes of a basis but one.
pub(super) fn cofactor<'a>(basis: &'a Basis, but: &'a Modulus) -> impl Iterator<Item = u64> + 'a {
    let others = basis.moduli().iter().filter(move |p| *p != but);
    others.map(Modulus::value)
}

/// A product modulo a prime.
pub(super) fn product(q: &Modulus, factors: impl Iterator<Item = u64>) -> u64 {
    factors.fold(1, |product, factor| q.mul(product, q.reduce(factor)))
}

fn words_of(limbs: &[&[u64]], column: usize) -> Vec<u64> {
    limbs
        .iter()
        .filter_map(|limb| limb.get(column).copied())
        .collect()
}

/// The factors of a target prime.
fn target(kind: ConversionKind, unit: Unit, multiplier: &[u64], from: &Basis) -> Target {
    let q = *unit.modulus();
    let whole = product(&q, from.moduli().iter().map(Modulus::value));
    // The bases share no prime, so D has an inverse.
    let inverse = q.inv(whole).unwrap_or(0);
    // A lift takes X as it is, the others -X / D.
    let fold = match kind {
        ConversionKind::Lift => 1,
        ConversionKind::Division | ConversionKind::Correction => q.neg(inverse),
    };
    let own = match kind {
        ConversionKind::Division => q.mul(product(&q, multiplier.iter().copied()), inverse),
        ConversionKind::Lift | ConversionKind::Correction => 0,
    };
    let weights = from.moduli().iter().map(|p| product(&q, cofactor(from, p)));
    Target {
        unit,
        own: unit.raise(own),
        weights: weights.map(|weight| unit.raise(q.mul(weight, fold))).collect(),
        quotient: unit.raise(q.mul(q.neg(whole), fold)),
    }
}

/// Looks for what the unit cannot convert.
fn check(width: u32, own: bool, from: &Basis, to: &Basis) -> Result<(), RtlError> {
    from.concat(to)?;
    check_sizes(width, from, [from.len(), to.len()], own)
}

/// The same, for so many sources and targets.
pub(super) fn check_sizes(
    width: u32,
    from: &Basis,
    [sources, targets]: [usize; 2],
    own: bool,
) -> Result<(), RtlError> {
    let factors = 3 * sources + targets * (sources + 1 + usize::from(own));
    let rules = [
        (sources < ROWS, "1 to 31 source primes"),
        (targets <= ROWS, "1 to 32 target primes"),
        (factors <= FACTORS, "at most 1,024 factors"),
        (width >= 24, "words of at least 24 bits"),
        (
            from.moduli().iter().all(|p| p.bits() + 15 >= width),
            "source primes that are at most 15 bits shorter than words",
        ),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, need)) => Err(RtlError::BadConversion { need }),
        None => Ok(()),
    }
}

const fn check_length(expected: usize, got: usize) -> Result<(), RtlError> {
    if expected == got {
        Ok(())
    } else {
        Err(RtlError::WrongLength { expected, got })
    }
}
