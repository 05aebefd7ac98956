//! Division by q with rounding, and reduction modulo q, by reciprocals.

use num_bigint::BigUint;
use num_traits::One;

use super::conversion::{product, word, words_of};
use super::{Chain, Kind, Place, Program};

/// The numbers of a division of c by q, where c is centred modulo the product Q of all primes.
#[derive(Debug)]
pub(super) struct Sizes {
    q: BigUint,
    /// K q with K q >= Q / 2, which makes c positive.
    pub(super) offset: BigUint,
    k: BigUint,
    /// The bound of c + K q.
    dividend: BigUint,
}

impl Sizes {
    pub(super) fn new(primes: &[u32], kept: usize) -> Self {
        let (q, all) = (product(primes.get(..kept).unwrap_or(primes)), product(primes));
        let k = &all / (&q * 2_u32) + 1_u32;
        let offset = &k * &q;
        Self {
            dividend: &all + &offset,
            q,
            offset,
            k,
        }
    }

    /// The words of c + K q.
    pub(super) fn words(&self) -> usize {
        words_of(&self.dividend)
    }
}

/// A reciprocal of q, so long that quotients of numbers below a bound are exact: r = ceil(t 2^(32 words) / q). For c below
/// 2^a and q below 2^b the product exceeds t c / q by less than 2^(a - 32 words), and 32 words >= a + b + 1 makes that less
/// than 1 / (2 q). q is odd.
struct Reciprocal {
    digits: Vec<u32>,
    /// The words below the point.
    words: usize,
}

impl Reciprocal {
    fn new(factor: u32, q: &BigUint, bound: &BigUint) -> Self {
        let words = (bound.bits() + q.bits() + 1).div_ceil(32) as usize;
        let scaled = BigUint::from(factor) << (32 * words);
        Self {
            digits: ((scaled + q - 1_u32) / q).to_u32_digits(),
            words,
        }
    }
}

/// The words of a product, from `words` on, of `count` words of the memory and of a reciprocal; those below only carry.
/// `rounding` adds 1/2.
fn multiply(
    program: &mut Program,
    (first, count): (Place, usize),
    reciprocal: &Reciprocal,
    (one, rounding): (Place, bool),
    destination: (Place, usize),
) {
    let (to, results) = destination;
    for k in 0..reciprocal.words + results {
        // Words i of the number with digit k - i: those that exist.
        let from = (k + 1).saturating_sub(reciprocal.digits.len());
        let until = count.min(k + 1);
        let digits: Vec<u32> = (from..until)
            .map(|i| reciprocal.digits.get(k - i).copied().unwrap_or_default())
            .collect();
        let chain = if k == 0 { Chain::Fresh } else { Chain::Shift };
        let kind = if k < reciprocal.words {
            Kind::Keep
        } else {
            Kind::Word
        };
        let place = (to as usize + k.saturating_sub(reciprocal.words)) as Place;
        let half = rounding && k + 1 == reciprocal.words;
        program.push(
            if half { Kind::Keep } else { kind },
            chain,
            first + from.min(count) as Place,
            &digits,
            place,
        );
        if half {
            program.push(kind, Chain::Continue, one, &[1 << 31], place);
        }
    }
}

/// The program, the place of the one, and the places of the result.
pub(super) fn program(sizes: &Sizes) -> (Program, Place, (Place, usize)) {
    let mut program = Program::default();
    let (q, count) = (&sizes.q, sizes.words());
    let place = |words: usize| (words as Place).next_multiple_of(3);
    // w = round(2 (c + K q) / q) = round(2 c / q) + 2 K.
    let one = place(count);
    let w = one + 3;
    let quotient_bound: BigUint = (&sizes.dividend * 2_u32) / q + 2_u32;
    let words = words_of(&quotient_bound);
    multiply(
        &mut program,
        (0, count),
        &Reciprocal::new(2, q, &sizes.dividend),
        (one, true),
        (w, words),
    );
    // w + M q - 2 K, which is not negative.
    let multiple = (&sizes.k * 2_u32) / q + 1_u32;
    let shift: BigUint = multiple * q - &sizes.k * 2_u32;
    let bound = &quotient_bound + &shift;
    let (u, u_words) = (w + place(words), words_of(&bound));
    program.wait();
    for k in 0..u_words {
        let chain = if k == 0 { Chain::Fresh } else { Chain::Shift };
        let unit: &[u32] = if k < words { &[1] } else { &[0] };
        program.push(Kind::Keep, chain, w + k.min(words - 1) as Place, unit, 0);
        program.push(
            Kind::Word,
            Chain::Continue,
            one,
            &[word(&shift, k)],
            u + k as Place,
        );
    }
    // The quotient by q, exactly.
    let reciprocal = Reciprocal::new(1, q, &bound);
    let (v, v_words) = (u + place(u_words), words_of(&(&bound / q + 1_u32)));
    program.wait();
    multiply(
        &mut program,
        (u, u_words),
        &reciprocal,
        (one, false),
        (v, v_words),
    );
    // The rest: u - v q modulo 2^(32 words).
    let results = words_of(q);
    let result = v + place(v_words);
    let negative = (BigUint::one() << (32 * results)) - q;
    program.wait();
    for k in 0..results {
        let chain = if k == 0 { Chain::Fresh } else { Chain::Shift };
        program.push(Kind::Keep, chain, u + k as Place, &[1], 0);
        let digits: Vec<u32> = (0..v_words.min(k + 1)).map(|j| word(&negative, k - j)).collect();
        program.push(Kind::Word, Chain::Continue, v, &digits, result + k as Place);
    }
    (program, one, (result, results))
}
