//! Karatsuba's recursions: lower half, upper half and their sum, in this order.

use std::ops::Add;

use super::Wide;

/// The pieces of a polynomial after so many recursions; its length is a multiple of as many powers of two.
pub fn split<T: Copy + Add<Output = T>>(polynomial: &[T], recursions: u32) -> Vec<Vec<T>> {
    let mut pieces = vec![polynomial.to_vec()];
    for _ in 0..recursions {
        let halves = pieces.iter().flat_map(|piece| {
            let (lower, upper) = piece.split_at(piece.len() / 2);
            let sum = lower.iter().zip(upper).map(|(&a, &b)| a + b).collect();
            [lower.to_vec(), upper.to_vec(), sum]
        });
        pieces = halves.collect();
    }
    pieces
}

/// The product of polynomials from those of their pieces, each of twice a piece's length (the last coefficient is zero).
pub fn join(mut products: Vec<Vec<Wide>>) -> Vec<Wide> {
    while products.len() >= 3 {
        products = products.chunks_exact(3).map(join_three).collect();
    }
    products.pop().unwrap_or_default()
}

/// L + x^h (S - L - H) + x^(2h) H.
fn join_three(products: &[Vec<Wide>]) -> Vec<Wide> {
    let [lower, upper, sum] = products else {
        return Vec::new();
    };
    let length = lower.len();
    let mut product = [lower.as_slice(), upper].concat();
    let middle = sum.iter().zip(lower).zip(upper).map(|((&s, &l), &h)| s - l - h);
    for (place, middle) in product.iter_mut().skip(length / 2).zip(middle) {
        *place = *place + middle;
    }
    product
}
