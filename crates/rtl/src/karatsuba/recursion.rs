//! Karatsuba's recursions: lower half, upper half and their sum, in this order. All pieces lie in one vector, one after the
//! other, and nothing of them is left elsewhere, so that who wipes it wipes all.

use std::ops::Add;

use super::Wide;

/// The pieces of a polynomial after so many recursions; its length is a multiple of as many powers of two.
pub fn split<T: Copy + Default + Add<Output = T>>(polynomial: &[T], recursions: u32) -> Vec<T> {
    let mut length = polynomial.len();
    let mut pieces = vec![T::default(); (length >> recursions) * 3_usize.pow(recursions)];
    pieces[..length].copy_from_slice(polynomial);
    let mut count = 1;
    for _ in 0..recursions {
        let half = length / 2;
        // From the last piece on: each becomes longer, and what it covers was read before.
        for piece in (0..count).rev() {
            let (from, to) = (piece * length, piece * 3 * half);
            for i in from..from + half {
                pieces[to - from + 2 * half + i] = pieces[i] + pieces[half + i];
            }
            pieces.copy_within(from + half..from + length, to + half);
            pieces.copy_within(from..from + half, to);
        }
        (count, length) = (3 * count, half);
    }
    pieces
}

/// The product of polynomials, in the first words, from those of their pieces, each of `length` coefficients, twice as many
/// as a piece has (the last is zero). Gives its length.
pub fn join(products: &mut [Wide], mut length: usize) -> usize {
    let mut count = products.len() / length.max(1);
    while count >= 3 {
        count /= 3;
        for product in 0..count {
            join_three(products, 3 * product * length, 2 * product * length, length);
        }
        length *= 2;
    }
    length
}

/// L + x^h (S - L - H) + x^(2h) H of three products of 2h coefficients, at `to`, which is not behind them.
fn join_three(products: &mut [Wide], from: usize, to: usize, length: usize) {
    let [upper, sum] = [from + length, from + 2 * length];
    for i in 0..length {
        products[sum + i] = products[sum + i] - products[from + i] - products[upper + i];
    }
    products.copy_within(from..sum, to);
    for i in 0..length {
        let place = to + length / 2 + i;
        products[place] = products[place] + products[sum + i];
    }
}
