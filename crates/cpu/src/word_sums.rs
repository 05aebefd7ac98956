//! Long sums of products for several polynomials at a time.

use ringmill_arith::lanes::{Lanes, require_columns};
use ringmill_arith::{Modulus, WithSimd};

/// Products that are summed before the sum is reduced.
const TERMS: usize = 4;

/// For each polynomial the sum of its words times the elements, in some columns of one prime.
///
/// A few elements at a time pass over all columns and all polynomials, the sums being kept in between:
/// limbs are powers of two apart, and all of them at once would drive each other out of the cache.
pub(super) struct WordSums<'a, 'b> {
    pub(super) q: &'a Modulus,
    /// For each polynomial its words, as many as elements.
    pub(super) words: &'a [Vec<&'a [u64]>],
    pub(super) elements: &'a [&'a [u64]],
    /// The sums, canonical. All slices have as many columns, a multiple of 8.
    pub(super) targets: &'a mut [&'b mut [u64]],
}

impl WithSimd for WordSums<'_, '_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        const { assert!(L::TERMS >= TERMS) };
        for (words, target) in self.words.iter().zip(&*self.targets) {
            let words = &words[..self.elements.len()];
            require_columns(target.len(), words.iter().chain(self.elements).copied());
        }
        for (k, elements) in self.elements.chunks(TERMS).enumerate() {
            let last = (k + 1) * TERMS >= self.elements.len();
            for (words, target) in self.words.iter().zip(&mut *self.targets) {
                let words = &words[k * TERMS..k * TERMS + elements.len()];
                let stage = Stage {
                    first: k == 0,
                    last,
                    columns: target.len(),
                };
                let target = target.as_mut_ptr();
                // SAFETY: all slices have `columns` words; the caller saw the instructions.
                unsafe {
                    match elements.len() {
                        1 => add::<L, 1>(self.q, words, elements, target, stage),
                        2 => add::<L, 2>(self.q, words, elements, target, stage),
                        3 => add::<L, 3>(self.q, words, elements, target, stage),
                        _ => add::<L, TERMS>(self.q, words, elements, target, stage),
                    }
                }
            }
        }
    }
}

/// Where in a sum some of its terms are.
#[derive(Clone, Copy)]
struct Stage {
    /// Nothing is there yet.
    first: bool,
    /// The sum is complete with them.
    last: bool,
    columns: usize,
}

/// Adds N products to the lazy sums at `target`, and in the last stage makes these canonical.
///
/// # Safety
/// All slices and the target have the columns of the stage, a multiple of the width; the machine has the
/// instructions of `L`.
#[inline(always)]
unsafe fn add<L: Lanes, const N: usize>(
    q: &Modulus,
    words: &[&[u64]],
    elements: &[&[u64]],
    target: *mut u64,
    stage: Stage,
) {
    let mut pointers = [(target.cast_const(), target.cast_const()); N];
    for (pointers, (word, element)) in pointers.iter_mut().zip(words.iter().zip(elements)) {
        *pointers = (word.as_ptr(), element.as_ptr());
    }
    // SAFETY: see above; N is at most the products that a sum holds.
    unsafe {
        let field = L::field(q);
        for c in (0..stage.columns).step_by(L::WIDTH) {
            let mut sum = L::sum_zero(field);
            for (word, element) in pointers {
                let word = L::load(field, word.add(c));
                sum = L::sum_mul(sum, word, L::load(field, element.add(c)));
            }
            let mut x = L::sum_reduce(field, sum);
            if !stage.first {
                x = L::load_lazy(target.add(c)).reduce_lazy(field).add(field, x);
            }
            if stage.last {
                x.store(field, target.add(c));
            } else {
                x.store_lazy(target.add(c));
            }
        }
    }
}
