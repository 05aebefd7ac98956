//! The sum of products by GMP's functions on words (`mpn_mul`, `mpn_add_n`), tile by tile as our methods.

use rayon::prelude::*;
use ringmill_schemes::integers::accumulation::{Elements, Factors};

/// Words of a tile at most: what our product scanning takes.
const TILE: usize = 2048;

#[link(name = "gmp")]
unsafe extern "C" {
    fn __gmpn_mul(product: *mut u64, a: *const u64, a_words: i64, b: *const u64, b_words: i64) -> u64;
    fn __gmpn_add_n(sum: *mut u64, a: *const u64, b: *const u64, words: i64) -> u64;
}

/// The words of sum_i chi_i b_i.
pub fn weighted_sum(elements: &Elements, factors: &Factors) -> Vec<u64> {
    let most = TILE.min(elements.words().div_ceil(rayon::current_num_threads()));
    let tile = |i: usize| {
        let start = i * most;
        let words = most.min(elements.words() - start);
        (start, tile(elements, factors, start, words))
    };
    let tiles: Vec<_> = (0..elements.words().div_ceil(most))
        .into_par_iter()
        .map(tile)
        .collect();
    let each = factors.iter().next().map_or(0, <[u64]>::len);
    let mut sum = vec![0_u64; elements.words() + each + 1];
    for (start, words) in tiles {
        let mut carry = false;
        for (i, place) in sum[start..].iter_mut().enumerate() {
            let (partial, first) = place.overflowing_add(words.get(i).copied().unwrap_or(0));
            let (total, second) = partial.overflowing_add(carry.into());
            (*place, carry) = (total, first || second);
        }
    }
    sum
}

fn tile(elements: &Elements, factors: &Factors, start: usize, words: usize) -> Vec<u64> {
    let each = factors.iter().next().map_or(0, <[u64]>::len);
    assert!(each > 0 && words >= each, "GMP wants the longer factor first");
    let mut chi = vec![0; words];
    let mut product = vec![0; words + each];
    let mut sum = vec![0; words + each + 1];
    for (i, factor) in factors.iter().enumerate() {
        elements.fill(i, start, &mut chi);
        // SAFETY: the product has the words of both factors, the first has at least as many as the second, and
        // nothing overlaps but sum and first addend, which may.
        let carry = unsafe {
            __gmpn_mul(
                product.as_mut_ptr(),
                chi.as_ptr(),
                words as i64,
                factor.as_ptr(),
                each as i64,
            );
            __gmpn_add_n(
                sum.as_mut_ptr(),
                sum.as_ptr(),
                product.as_ptr(),
                (words + each) as i64,
            )
        };
        sum[words + each] += carry;
    }
    sum
}
