//! The S-box and its inverse, 33 ANDs at depth 4.

use super::linear::ByteMap;
use super::tower::Tower;
use crate::{Builder, CircuitError, Wire, Word};

/// The constant of the affine map.
const SHIFT: u8 = 0x63;

/// The linear part of the affine map: each bit is the sum of itself and of the
/// four bits from the fourth to the seventh after it (FIPS 197, 5.1.1).
fn affine() -> ByteMap {
    ByteMap::new(|byte| (0..5).fold(0, |sum, turn| sum ^ byte.rotate_left(turn)))
}

/// The S-box.
///
/// # Errors
///
/// Those of word operations on words that are not bytes.
pub(super) fn forward(builder: &mut Builder, tower: &Tower, byte: &Word) -> Result<Word, CircuitError> {
    let element = tower.enter.build(builder, byte);
    let inverse = invert(builder, tower, &element)?;
    let linear = tower.leave.then(&affine()).build(builder, &inverse);
    Ok(shift(builder, &linear, SHIFT))
}

/// The inverse S-box.
///
/// # Errors
///
/// The same as for [`forward`].
pub(super) fn inverse(builder: &mut Builder, tower: &Tower, byte: &Word) -> Result<Word, CircuitError> {
    let byte = shift(builder, byte, SHIFT);
    let element = affine().inverse().then(&tower.enter).build(builder, &byte);
    let inverse = invert(builder, tower, &element)?;
    Ok(tower.leave.build(builder, &inverse))
}

/// The sum of a byte and a constant.
fn shift(builder: &mut Builder, byte: &Word, constant: u8) -> Word {
    let bits = byte
        .wires()
        .iter()
        .zip(0..)
        .map(|(wire, bit)| match constant >> bit & 1 {
            0 => *wire,
            _ => builder.not(*wire),
        });
    Word::new(bits.collect())
}

/// The inverse in GF(256), 0 for 0. With the norm `n = c a^2 + a b + b^2` of `a y + b` it is
/// `(a / n) y + (a + b) / n`.
fn invert(builder: &mut Builder, tower: &Tower, element: &Word) -> Result<Word, CircuitError> {
    let [b, a] = element.split();
    let squares = tower.norm_squares().build(builder, element);
    let [squares, _] = squares.split();
    let product = multiply16(builder, &a, &b)?;
    let norm = builder.xor_words(&squares, &product)?;
    let norm = invert16(builder, &norm);
    let sum = builder.xor_words(&a, &b)?;
    let high = multiply16(builder, &a, &norm)?;
    let low = multiply16(builder, &sum, &norm)?;
    Ok(low.concat(&high))
}

/// The product in GF(16), 9 ANDs, by Karatsuba's method.
fn multiply16(builder: &mut Builder, left: &Word, right: &Word) -> Result<Word, CircuitError> {
    let ([b, a], [d, c]) = (left.split(), right.split());
    let high = multiply4(builder, &a, &c)?;
    let low = multiply4(builder, &b, &d)?;
    let (left, right) = (builder.xor_words(&a, &b)?, builder.xor_words(&c, &d)?);
    let all = multiply4(builder, &left, &right)?;
    // `w (h w + l)` is `(h + l) w + h`.
    let [h0, h1] = high.split();
    let turned = h1.concat(&builder.xor_words(&h0, &h1)?);
    let constant = builder.xor_words(&low, &turned)?;
    Ok(constant.concat(&builder.xor_words(&all, &low)?))
}

/// The product in GF(4), 3 ANDs, by Karatsuba's method.
fn multiply4(builder: &mut Builder, left: &Word, right: &Word) -> Result<Word, CircuitError> {
    let ([b, a], [d, c]): ([Word; 2], [Word; 2]) = (left.split(), right.split());
    let high = builder.and_words(&a, &c)?;
    let low = builder.and_words(&b, &d)?;
    let (left, right) = (builder.xor_words(&a, &b)?, builder.xor_words(&c, &d)?);
    let all = builder.and_words(&left, &right)?;
    let constant = builder.xor_words(&low, &high)?;
    Ok(constant.concat(&builder.xor_words(&all, &low)?))
}

/// The inverse in GF(16), 0 for 0, with 6 ANDs at depth 2: two products of sums of the bits, then for each
/// bit of the result one product of sums of all of these. Among all pairs of first products 280 allow that;
/// this is the one with the fewest terms. The least number of ANDs for four independent cubic polynomials at
/// depth 2 with one first product would be 5, which no choice reaches.
fn invert16(builder: &mut Builder, element: &Word) -> Word {
    let [x0, x1, x2, x3] = element.split().map(|bit: Word| first(builder, &bit));
    let one = builder.constant(true);
    let p = builder.and(x1, x3);
    let upper = builder.xor(x2, x3);
    let q = builder.and(x0, upper);
    let mut term = |left: &[Wire], right: &[Wire], rest: &[Wire]| {
        let (left, right) = (builder.xor_all(left), builder.xor_all(right));
        let product = builder.and(left, right);
        let rest = builder.xor_all(rest);
        builder.xor(product, rest)
    };
    Word::new(vec![
        term(&[x1, x2], &[x2, p, q], &[x0, x1, q]),
        term(&[x0, x2], &[x2, p], &[x1, x3]),
        term(&[x2], &[one, x1, p, q], &[q]),
        term(&[x2], &[one, x0, p], &[x3, q]),
    ])
}

/// The first bit of a word.
fn first(builder: &mut Builder, word: &Word) -> Wire {
    match word.wires().first() {
        Some(wire) => *wire,
        None => builder.constant(false),
    }
}
