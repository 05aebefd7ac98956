//! Long sums of products for several polynomials and several groups of key elements at a time.

use std::ops::Range;

use ringmill_arith::lanes::{Lanes, prefetch_second_level, require_columns};
use ringmill_arith::{Modulus, WithSimd};

/// Groups whose sums are made together, so that a word is loaded once for all of them.
const GROUPS: usize = 4;

/// Columns ahead of which words and elements are fetched: they come from memory, on more pages than processors keep watch
/// of.
const AHEAD: usize = 64;

/// For each group and each polynomial the sum of the polynomial's words times the group's elements, in some columns of
/// one prime: in each column a product of two matrices.
///
/// As many words as a sum can hold pass over all columns, groups and polynomials, the sums being kept in between: limbs
/// are powers of two apart, and all words of a column at once would drive each other out of the cache.
pub(super) struct WordSums<'a, 'b> {
    pub(super) q: &'a Modulus,
    /// For each polynomial its words.
    pub(super) words: &'a [Vec<&'a [u64]>],
    /// For each group its elements, as many as a polynomial has words.
    pub(super) elements: &'a [Vec<&'a [u64]>],
    /// For each group the sums of all polynomials, canonical in the end. All slices have as many columns, a multiple of 8.
    pub(super) targets: &'a mut [Vec<&'b mut [u64]>],
}

/// What is added to the sums at a time.
struct Stage<'a> {
    q: &'a Modulus,
    terms: Range<usize>,
    /// Of all terms.
    count: usize,
    columns: usize,
}

impl WithSimd for WordSums<'_, '_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let count = self.elements.first().map_or(0, Vec::len);
        let columns = self
            .targets
            .iter()
            .flatten()
            .next()
            .map_or(0, |target| target.len());
        require_columns(columns, self.targets.iter().flatten().map(|target| &**target));
        assert_eq!(
            self.targets.len(),
            self.elements.len(),
            "not a list of sums for each group"
        );
        for sums in &*self.targets {
            assert_eq!(sums.len(), self.words.len(), "not a sum for each polynomial");
        }
        for factors in self.words.iter().chain(self.elements) {
            assert_eq!(factors.len(), count, "not as many words as elements");
            require_columns(columns, factors.iter().copied());
        }
        let terms = L::terms(self.q);
        for start in (0..count).step_by(terms) {
            let stage = Stage {
                q: self.q,
                terms: start..count.min(start + terms),
                count,
                columns,
            };
            let groups = self.elements.chunks(GROUPS).zip(self.targets.chunks_mut(GROUPS));
            for (elements, targets) in groups {
                // SAFETY: all slices have `columns` words, all lists `count` of them; the caller saw the instructions.
                unsafe {
                    match elements.len() {
                        1 => add_groups::<L, 1>(self.words, elements, targets, &stage),
                        2 => add_groups::<L, 2>(self.words, elements, targets, &stage),
                        3 => add_groups::<L, 3>(self.words, elements, targets, &stage),
                        _ => add_groups::<L, GROUPS>(self.words, elements, targets, &stage),
                    }
                }
            }
        }
    }
}

/// Adds a stage to the sums of G groups: two polynomials at a time where vectors are long, as there are more of them too.
///
/// # Safety
/// As for [`add`].
#[inline(always)]
unsafe fn add_groups<L: Lanes, const G: usize>(
    words: &[Vec<&[u64]>],
    elements: &[Vec<&[u64]>],
    targets: &mut [Vec<&mut [u64]>],
    stage: &Stage<'_>,
) {
    let mut next = 0;
    // SAFETY: as the caller's.
    unsafe {
        while L::WIDTH >= 8 && next + 2 <= words.len() {
            add::<L, 2, G>(words, next, elements, targets, stage);
            next += 2;
        }
        while next < words.len() {
            add::<L, 1, G>(words, next, elements, targets, stage);
            next += 1;
        }
    }
}

/// Adds a stage to the lazy sums of G groups and of P polynomials from `first` on, and in the last stage makes these
/// canonical.
///
/// # Safety
/// All slices have the columns of the stage, whole vectors, and all lists its `count` of slices; the machine has the
/// instructions of `L`.
#[inline(always)]
unsafe fn add<L: Lanes, const P: usize, const G: usize>(
    words: &[Vec<&[u64]>],
    first: usize,
    elements: &[Vec<&[u64]>],
    targets: &mut [Vec<&mut [u64]>],
    stage: &Stage<'_>,
) {
    let terms = stage.terms.clone();
    let words: [&[&[u64]]; P] = std::array::from_fn(|p| &words[first + p][terms.clone()]);
    let elements: [&[&[u64]]; G] = std::array::from_fn(|g| &elements[g][terms.clone()]);
    let targets: [[*mut u64; P]; G] =
        std::array::from_fn(|g| std::array::from_fn(|p| targets[g][first + p].as_mut_ptr()));
    let (begins, ends) = (terms.start == 0, terms.end == stage.count);
    // SAFETY: see above; there are no more terms than a sum can hold.
    unsafe {
        let field = L::field(stage.q);
        for c in (0..stage.columns).step_by(L::WIDTH) {
            let mut sums = [[L::sum_zero(field); P]; G];
            for t in 0..terms.len() {
                let mut factors = [L::load(field, words[0].get_unchecked(t).as_ptr().add(c)); P];
                for p in 0..P {
                    let word = words[p].get_unchecked(t).as_ptr().add(c);
                    prefetch_second_level(word.wrapping_add(AHEAD));
                    factors[p] = L::load(field, word);
                }
                for g in 0..G {
                    let element = elements[g].get_unchecked(t).as_ptr().add(c);
                    prefetch_second_level(element.wrapping_add(AHEAD));
                    let element = L::load(field, element);
                    for p in 0..P {
                        sums[g][p] = L::sum_mul(sums[g][p], factors[p], element);
                    }
                }
            }
            for g in 0..G {
                for p in 0..P {
                    let target = targets[g][p].add(c);
                    let mut x = L::sum_reduce(field, sums[g][p]);
                    if !begins {
                        x = L::load_lazy(target).reduce_lazy(field).add(field, x);
                    }
                    if ends {
                        x.store(field, target);
                    } else {
                        x.store_lazy(target);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::Simd;
    use ringmill_arith::lanes::NARROW_BITS;
    use ringmill_arith::prime::primes_below;

    fn slices(lists: &[Vec<Vec<u64>>]) -> Vec<Vec<&[u64]>> {
        let slices = lists.iter().map(|list| list.iter().map(Vec::as_slice).collect());
        slices.collect()
    }

    #[test]
    fn sums_are_those_of_all_groups_and_polynomials() {
        for bits in [50, NARROW_BITS] {
            sums_modulo(&primes_below(1 << bits, 2048, 1, &[]).unwrap()[0]);
        }
    }

    fn sums_modulo(q: &Modulus) {
        const COLUMNS: usize = 16;
        let p = u128::from(q.value());
        // The largest residues where the first polynomial meets the first group, others elsewhere.
        let factor = |list: usize, term: usize, column: usize| {
            let other = (list * 131 + term * 17 + column + 1) as u64;
            q.value()
                - 1
                - if list == 0 {
                    0
                } else {
                    other * 0x1234_5678_9abc % q.value() / 2
                }
        };
        for (polynomials, groups, terms) in [
            (1, 1, 1),
            (3, 2, 4),
            (2, 3, 12),
            (1, 4, 13),
            (2, 4, 30),
            (4, 5, 31),
            (3, 7, 80),
        ] {
            let lists = |count: usize| -> Vec<Vec<Vec<u64>>> {
                let limb = |list, term| (0..COLUMNS).map(|column| factor(list, term, column)).collect();
                let list = |list| (0..terms).map(|term| limb(list, term)).collect();
                (0..count).map(list).collect()
            };
            let (words, elements) = (lists(polynomials), lists(groups));
            for kernel in Simd::tested() {
                let mut sums = vec![vec![vec![u64::MAX; COLUMNS]; polynomials]; groups];
                let targets = sums
                    .iter_mut()
                    .map(|sums| sums.iter_mut().map(Vec::as_mut_slice).collect());
                kernel.run(WordSums {
                    q,
                    words: &slices(&words),
                    elements: &slices(&elements),
                    targets: &mut targets.collect::<Vec<_>>(),
                });
                for (group, sums) in sums.iter().enumerate() {
                    for (polynomial, sums) in sums.iter().enumerate() {
                        for (column, &sum) in sums.iter().enumerate() {
                            let term = |t| {
                                u128::from(factor(polynomial, t, column))
                                    * u128::from(factor(group, t, column))
                                    % p
                            };
                            let expected = (0..terms).map(term).sum::<u128>() % p;
                            assert_eq!(u128::from(sum), expected, "{}, {groups} groups", kernel.name());
                        }
                    }
                }
            }
        }
    }
}
