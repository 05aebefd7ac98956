use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

use super::division;
use super::{Chain, Kind, Place, Program};
use crate::RtlError;

/// What a tile does with a coefficient, and where its words are.
#[derive(Debug, Clone)]
pub struct Conversion {
    program: Program,
    input: (Place, usize),
    output: (Place, usize),
    one: Place,
}

/// The places of the words of a basis in a tile: residues, from the next triple on y_i, a word that is one, and v, and from
/// another triple on results.
#[derive(Debug, Clone, Copy)]
struct Places {
    residues: Place,
    y: Place,
    one: Place,
    v: Place,
    results: Place,
}

impl Places {
    fn new(primes: usize) -> Self {
        let residues = 0;
        let y = primes.next_multiple_of(3) as Place;
        let one = y + primes as Place;
        Self {
            residues,
            y,
            one,
            v: one + 1,
            results: (one + 2).next_multiple_of(3),
        }
    }
}

impl Conversion {
    /// The paper's small-CRT: from residues modulo the primes of q to those of the centred number modulo others.
    ///
    /// # Errors
    /// [`RtlError::BadConversion`] unless primes have at most 30 bits and are distinct and 1 modulo 2^16, and there are at
    /// most 84.
    pub fn small_crt(from: &[u32], to: &[u32]) -> Result<Self, RtlError> {
        check(from, to)?;
        let (places, product) = (Places::new(from.len()), product(from));
        let mut program = Program::default();
        fractions(&mut program, from, &product, places, true)?;
        for (j, &p) in to.iter().enumerate() {
            let modulus = BigUint::from(p);
            let weight = |x: BigUint| raised(x % &modulus, p);
            let mut constants: Vec<u32> = from.iter().map(|q| weight(&product / q)).collect();
            constants.extend([0, weight(&modulus - &product % &modulus)]);
            let kind = Kind::Residue { modulus: p };
            program.push(
                kind,
                Chain::Fresh,
                places.y,
                &constants,
                places.results + j as Place,
            );
        }
        Ok(Self {
            program,
            input: (places.residues, from.len()),
            output: (places.results, to.len()),
            one: places.one,
        })
    }

    /// The paper's large-CRT: from residues to words of the number in \[0, q).
    ///
    /// # Errors
    /// As [`Conversion::small_crt`].
    pub fn large_crt(primes: &[u32]) -> Result<Self, RtlError> {
        let words = words_of(&product(primes));
        Self::integer(primes, &BigUint::ZERO, words, false)
    }

    /// The same for the centred number and an offset that is not less than half the product.
    fn integer(primes: &[u32], offset: &BigUint, count: usize, centred: bool) -> Result<Self, RtlError> {
        check(primes, &[])?;
        let (places, product) = (Places::new(primes.len()), product(primes));
        let mut program = Program::default();
        fractions(&mut program, primes, &product, places, centred)?;
        let cofactors: Vec<BigUint> = primes.iter().map(|q| &product / q).collect();
        let negative = (BigUint::one() << (32 * count)) - &product;
        for k in 0..count {
            let mut constants: Vec<u32> = cofactors.iter().map(|x| word(x, k)).collect();
            constants.extend([word(offset, k), word(&negative, k)]);
            let chain = if k == 0 { Chain::Fresh } else { Chain::Shift };
            program.push(
                Kind::Word,
                chain,
                places.y,
                &constants,
                places.results + k as Place,
            );
        }
        Ok(Self {
            program,
            input: (places.residues, primes.len()),
            output: (places.results, count),
            one: places.one,
        })
    }

    /// The large-CRT before a division: from residues modulo all primes to words of c + K q, where c is the centred number
    /// and K q is a multiple of the product of the first `kept` primes.
    ///
    /// # Errors
    /// As [`Conversion::small_crt`].
    pub fn large_crt_for_division(primes: &[u32], kept: usize) -> Result<Self, RtlError> {
        let offset = division::Sizes::new(primes, kept).offset;
        let words = words_of(&(product(primes) + &offset));
        Self::integer(primes, &offset, words, true)
    }

    /// The paper's divide and round: from those words to those of round(2 c / q) modulo q, in \[0, q).
    ///
    /// # Errors
    /// As [`Conversion::small_crt`].
    pub fn divide_and_round(primes: &[u32], kept: usize) -> Result<Self, RtlError> {
        check(primes, &[])?;
        let sizes = division::Sizes::new(primes, kept);
        let (program, one, output) = division::program(&sizes);
        Ok(Self {
            program,
            input: (0, sizes.words()),
            output,
            one,
        })
    }

    /// What tiles do.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Where the words of the input are, and how many there are.
    #[must_use]
    pub const fn input(&self) -> (Place, usize) {
        self.input
    }

    /// Where the words of the result are, and how many there are.
    #[must_use]
    pub const fn output(&self) -> (Place, usize) {
        self.output
    }

    /// The word that must be 1.
    #[must_use]
    pub const fn one(&self) -> Place {
        self.one
    }
}

/// y_i = x_i (q/q_i)^-1 mod q_i, and v = floor(sum y_i / q_i + h), h = 1/2 or 0.
///
/// Fractions are so long that v is right for all numbers: with F bits each term is too small by less than 2^30 units of
/// 2^-F, and the sum is a multiple of 1 / q and no half integer, as q is odd. So 2^F > 2 k 2^30 q is enough.
fn fractions(
    program: &mut Program,
    primes: &[u32],
    product: &BigUint,
    places: Places,
    centred: bool,
) -> Result<(), RtlError> {
    for (i, &q) in primes.iter().enumerate() {
        let cofactor = product / q % q;
        let need = "distinct primes";
        let inverse = cofactor
            .modinv(&q.into())
            .ok_or(RtlError::BadConversion { need })?;
        let (i, kind) = (i as Place, Kind::Residue { modulus: q });
        program.push(
            kind,
            Chain::Fresh,
            places.residues + i,
            &[raised(inverse, q)],
            places.y + i,
        );
    }
    program.wait();
    let bits = product.bits() + 31 + u64::from(primes.len().ilog2() + 1);
    let words = bits.div_ceil(32) as usize;
    let reciprocals: Vec<BigUint> = primes
        .iter()
        .map(|q| (BigUint::one() << (32 * words)) / q)
        .collect();
    let half = BigUint::from(u32::from(centred)) << (32 * words - 1);
    for k in 0..=words {
        let mut constants: Vec<u32> = reciprocals.iter().map(|x| word(x, k)).collect();
        constants.push(word(&half, k));
        let chain = if k == 0 { Chain::Fresh } else { Chain::Shift };
        // Words below the point only carry; the integer part is v.
        let kind = if k < words { Kind::Keep } else { Kind::Word };
        program.push(kind, chain, places.y, &constants, places.v);
    }
    program.wait();
    Ok(())
}

/// A constant of a residue, which is multiplied by 2^-48.
fn raised(x: BigUint, q: u32) -> u32 {
    ((x << 48_u32) % q).to_u32().unwrap_or_default()
}

pub(super) fn product(primes: &[u32]) -> BigUint {
    primes.iter().product()
}

/// Word k of a number.
pub(super) fn word(x: &BigUint, k: usize) -> u32 {
    x.iter_u32_digits().nth(k).unwrap_or_default()
}

/// The words that numbers below it take.
pub(super) fn words_of(x: &BigUint) -> usize {
    x.bits().div_ceil(32) as usize
}

/// Looks for what tiles cannot convert.
fn check(from: &[u32], to: &[u32]) -> Result<(), RtlError> {
    let mut all = [from, to].concat();
    all.sort_unstable();
    let rules = [
        ((1..=84).contains(&from.len()) && to.len() <= 84, "1 to 84 primes"),
        (
            all.iter().all(|q| q >> 30 == 0 && q % (1 << 16) == 1),
            "primes of at most 30 bits that are 1 modulo 2^16",
        ),
        (all.windows(2).all(|pair| pair[0] != pair[1]), "distinct primes"),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, need)) => Err(RtlError::BadConversion { need }),
        None => Ok(()),
    }
}
