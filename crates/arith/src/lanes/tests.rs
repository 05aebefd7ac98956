use proptest::prelude::*;

use super::{Lanes, Vector};
use crate::prime::primes_below;
use crate::{Modulus, Simd, WithSimd, WithVector};

fn moduli() -> Vec<Modulus> {
    let mut moduli = primes_below(1 << 50, 256, 2, &[]).unwrap();
    moduli.extend(primes_below(1 << 31, 256, 1, &[]).unwrap());
    moduli.push(Modulus::new(65537).unwrap());
    moduli
}

/// Eight residues through every operation of the lanes; the results as canonical residues.
struct Everything<'a> {
    q: Modulus,
    a: &'a [u64; 8],
    b: &'a [u64; 8],
}

impl WithSimd for Everything<'_> {
    type Output = Vec<[u64; 8]>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        let mut results = Vec::new();
        let mut table = [0u64; 16];
        for (i, &b) in self.b.iter().enumerate() {
            let (group, lane) = (i / L::WIDTH, i % L::WIDTH);
            let words = L::encode_table(&self.q, b);
            for k in 0..L::TABLE_WORDS {
                table[(group * L::TABLE_WORDS + k) * L::WIDTH + lane] = words[k];
            }
        }
        let w = L::encode_factor(&self.q, self.b[0]);
        let operands = [self.b[0], self.a[7]].map(|w| L::encode_operand(&self.q, w));
        let mut out = [[0u64; 8]; 8];
        for i in (0..8).step_by(L::WIDTH) {
            // SAFETY: i + WIDTH <= 8; `table` holds TABLE_WORDS words for each of eight residues.
            unsafe {
                let field = L::field(&self.q);
                let a = L::load(field, self.a.as_ptr().add(i));
                let b = L::load(field, self.b.as_ptr().add(i));
                let (sum, difference) = L::butterfly_unit(field, a, b);
                let (up, down) = L::butterfly(field, a, b, L::factor(&w));
                let product = sum.mul_table(field, table.as_ptr().add(i * L::TABLE_WORDS));
                let dot = L::sum_mul(L::sum_mul(L::sum_zero(field), a, b), b, b);
                let dot = L::sum_reduce(field, dot);
                let mut fixed = L::sum_mul(L::sum_zero(field), a, L::operand(operands[0]));
                fixed = L::sum_mul(fixed, b, L::operand(operands[1]));
                let fixed = L::fixed_reduce(field, fixed);
                let results = [
                    sum,
                    difference,
                    up,
                    down,
                    product,
                    dot,
                    fixed,
                    sum.reduce_lazy(field).add(field, a),
                ];
                for (row, x) in out.iter_mut().zip(results) {
                    x.store(field, row.as_mut_ptr().add(i));
                }
            }
        }
        results.extend(out);
        results
    }
}

struct Transpose;

impl WithSimd for Transpose {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> bool {
        let w = L::WIDTH;
        let source: Vec<u64> = (0..16 * w as u64).collect();
        let mut target = vec![0u64; 16 * w];
        // SAFETY: both hold `w` rows of `w` words at their strides.
        unsafe { L::transpose(source.as_ptr(), 16, target.as_mut_ptr(), w) };
        (0..w * w).all(|k| target[k % w * w + k / w] == source[k / w * 16 + k % w])
    }
}

#[test]
fn transposes() {
    for kernel in Simd::tested() {
        assert!(kernel.run(Transpose), "{kernel:?}");
    }
}

fn check(q: Modulus, a: [u64; 8], b: [u64; 8]) {
    for kernel in Simd::tested() {
        let rows = kernel.run(Everything { q, a: &a, b: &b });
        for i in 0..8 {
            let (x, y, w, v) = (a[i], b[i], b[0], a[7]);
            let expected = [
                q.add(x, y),
                q.sub(x, y),
                q.add(x, q.mul(y, w)),
                q.sub(x, q.mul(y, w)),
                q.mul(q.add(x, y), y),
                q.add(q.mul(x, y), q.mul(y, y)),
                q.add(q.mul(x, w), q.mul(y, v)),
                q.add(q.add(x, y), x),
            ];
            for (row, value) in rows.iter().zip(expected) {
                assert_eq!(row[i], value, "{kernel:?} modulo {}", q.value());
            }
        }
    }
}

#[test]
fn edges() {
    for q in moduli() {
        let p = q.value();
        let edge = [0, 1, p - 1, p / 2, p / 2 + 1, p - 2, 2, p / 3];
        for shift in 0..8 {
            let mut other = edge;
            other.rotate_left(shift);
            check(q, edge, other);
        }
    }
}

proptest! {
    #[test]
    fn random(a: [u64; 8], b: [u64; 8], i in 0usize..4) {
        let q = moduli()[i];
        check(q, a.map(|x| q.reduce(x)), b.map(|x| q.reduce(x)));
    }
}

/// As many products with operands as a sum may hold, a residue and a number below 2^10 times an operand besides.
struct FullSum {
    from: Modulus,
    q: Modulus,
    /// Modulo `from`.
    y: u64,
    /// Modulo `q`.
    x: u64,
    w: u64,
}

impl WithSimd for FullSum {
    type Output = (usize, [u64; 8]);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        let terms = L::fixed_terms(self.from.bits(), self.q.bits());
        let (one, word) = (
            L::encode_factor(&self.from, 1),
            L::encode_operand(&self.q, self.w),
        );
        let mut out = [0; 8];
        for i in (0..8).step_by(L::WIDTH) {
            // SAFETY: the arrays have eight words; the sum has the terms that it may have.
            unsafe {
                let (from, field) = (L::field(&self.from), L::field(&self.q));
                let y = L::load(from, [self.y; 8].as_ptr()).mul(from, L::factor(&one));
                let (y, x) = (y.representative(from), L::load(field, [self.x; 8].as_ptr()));
                let most = L::real_mul_add(L::real_zero(), L::load(from, [1; 8].as_ptr()), 1023.0);
                let mut sum = L::sum_mul(L::sum_zero(field), L::real_round(most).0, L::operand(word));
                sum = L::sum_mul(sum, x, L::operand(word));
                for _ in 0..terms {
                    sum = L::sum_mul(sum, y, L::operand(word));
                }
                L::fixed_reduce(field, sum).store(field, out.as_mut_ptr().add(i));
            }
        }
        (terms, out)
    }
}

#[test]
fn full_sums_of_products_with_operands() {
    let primes = |bits: u32| primes_below(1 << bits, 256, 1, &[]).unwrap()[0];
    for (from, to) in [
        (50, 50),
        (50, 31),
        (50, 48),
        (48, 50),
        (48, 48),
        (31, 50),
        (17, 17),
    ] {
        let (from, q) = (primes(from), primes(to));
        let p = q.value();
        // One of them is p - 1 or (p - 1) / 2 as the kernel writes it, if that multiplies by 2^52.
        let per_word = q.inv(q.reduce(1 << 52)).unwrap();
        let operands = [p - 1, p / 2, q.neg(per_word), q.mul(p / 2, per_word), 1, 0];
        let (ys, xs) = ([from.value() - 1, from.value() / 2, 1, 0], [p - 1, 0]);
        for (kernel, w) in Simd::tested()
            .into_iter()
            .flat_map(|kernel| operands.map(|w| (kernel, w)))
        {
            for (y, x) in ys.into_iter().flat_map(|y| xs.map(|x| (y, x))) {
                let (terms, sums) = kernel.run(FullSum { from, q, y, x, w });
                // AVX2 takes the representative of y that is nearest to 0.
                let near = (y > from.value() / 2).then(|| q.neg(q.reduce(from.value() - y)));
                let total = |y: u64| {
                    q.mul(
                        q.add(q.mul(y, q.reduce(terms as u64)), q.add(x, q.reduce(1023))),
                        w,
                    )
                };
                let expected = [Some(q.reduce(y)), near].map(|y| y.map(total));
                let found = Some(sums[0]);
                assert!(expected.contains(&found), "{kernel:?} {p} {y} {x} {w}: {found:?}");
                assert_eq!(sums, [sums[0]; 8], "{kernel:?}");
            }
        }
    }
}

/// As many products of canonical residues as a sum may hold, and those that are taken one by one.
struct FullProducts {
    q: Modulus,
    a: u64,
    b: u64,
}

impl WithSimd for FullProducts {
    type Output = ([usize; 2], [[u64; 8]; 2]);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        let terms = [L::terms(&self.q), L::SINGLE_PRODUCTS.max(1)];
        let mut out = [[0; 8]; 2];
        for i in (0..8).step_by(L::WIDTH) {
            // SAFETY: the arrays have eight words; the sum has the terms that it may have.
            unsafe {
                let field = L::field(&self.q);
                let [a, b] = [self.a, self.b].map(|x| L::load(field, [x; 8].as_ptr()));
                let mut sum = L::sum_zero(field);
                for _ in 0..terms[0] {
                    sum = L::sum_mul(sum, a, b);
                }
                let mut one_by_one = a.product(field, b);
                for _ in 1..terms[1] {
                    one_by_one = one_by_one.add(field, a.product(field, b));
                }
                for (row, x) in out.iter_mut().zip([L::sum_reduce(field, sum), one_by_one]) {
                    x.store(field, row.as_mut_ptr().add(i));
                }
            }
        }
        (terms, out)
    }
}

#[test]
fn full_sums_of_products() {
    for bits in [9, 17, 31, 47, 48, 49, 50] {
        let q = primes_below(1 << bits, 2, 1, &[]).unwrap()[0];
        let p = q.value();
        let edges = [0, 1, p / 2, p / 2 + 1, p - 2, p - 1];
        for (kernel, a) in Simd::tested().into_iter().flat_map(|k| edges.map(|a| (k, a))) {
            for b in edges {
                let (terms, sums) = kernel.run(FullProducts { q, a, b });
                let expected = terms.map(|terms| [q.mul(q.mul(a, b), q.reduce(terms as u64)); 8]);
                assert_eq!(sums, expected, "{kernel:?} modulo {p}: {a} times {b}");
            }
        }
    }
}

/// Residues for the widest columns: eight blocks of eight.
const LEN: usize = 64;

/// Every operation of butterflies on some residues; the results as canonical residues.
struct Butterflies<'a> {
    q: Modulus,
    a: &'a [u64; LEN],
    b: &'a [u64; LEN],
}

impl WithVector for Butterflies<'_> {
    type Output = [[u64; LEN]; 7];

    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> Self::Output {
        let w = V::encode_factor(&self.q, self.b[0]);
        let mut out = [[0u64; LEN]; 7];
        for i in (0..LEN).step_by(V::WIDTH) {
            let encoded = self.b[i..i + V::WIDTH]
                .iter()
                .map(|&b| V::encode_table(&self.q, b));
            let encoded: Vec<[V::Word; 2]> = encoded.collect();
            let mut table: Vec<V::Word> = encoded.iter().map(|words| words[0]).collect();
            table.extend(encoded.iter().map(|words| words[1]));
            table.push(w[0]);
            // SAFETY: i + WIDTH <= LEN; `table` holds two words for each residue of a vector and one more.
            unsafe {
                let field = V::field(&self.q);
                let a = V::load(field, self.a.as_ptr().add(i));
                let b = V::load(field, self.b.as_ptr().add(i));
                let (up, down) = V::butterfly(field, a, b, V::factor(&w));
                let (sum, difference) = V::butterfly_back(field, a, b, V::factor(&w));
                let product = up.reduce_lazy(field).mul_table(field, table.as_ptr());
                let (more, less) = V::butterfly_unit(field, up, down);
                let results = [up, down, sum, difference, product, more, less];
                for (row, x) in out.iter_mut().zip(results) {
                    x.store(field, row.as_mut_ptr().add(i));
                }
            }
        }
        out
    }
}

fn check_butterflies(q: Modulus, a: [u64; LEN], b: [u64; LEN]) {
    for kernel in Simd::tested() {
        let rows = kernel.run_vector(&q, Butterflies { q, a: &a, b: &b });
        for i in 0..LEN {
            let (x, y, w) = (a[i], b[i], b[0]);
            let (up, down) = (q.add(x, q.mul(y, w)), q.sub(x, q.mul(y, w)));
            let expected = [
                up,
                down,
                q.add(x, y),
                q.mul(q.sub(x, y), w),
                q.mul(up, y),
                q.add(x, x),
                q.mul(q.add(y, y), w),
            ];
            for (row, value) in rows.iter().zip(expected) {
                assert_eq!(row[i], value, "{kernel:?} modulo {}", q.value());
            }
        }
    }
}

/// Primes at the edges of what the lanes take: 30 and 31 bits, and 50.
#[test]
fn butterflies() {
    let bits = [20, 29, 30, 31, 32, 50];
    for q in bits.map(|bits| primes_below(1 << bits, 256, 1, &[]).unwrap()[0]) {
        let p = q.value();
        let edge = [0, 1, p - 1, p / 2, p / 2 + 1, p - 2, 2, p / 3];
        let a: [u64; LEN] = std::array::from_fn(|i| edge[i % 8]);
        for shift in 0..8 {
            check_butterflies(q, a, std::array::from_fn(|i| edge[(i + i / 8 + shift) % 8]));
        }
        let random = |i: usize| q.mul(q.pow(i as u64 + 3, 11), p - 5);
        check_butterflies(
            q,
            std::array::from_fn(random),
            std::array::from_fn(|i| random(i + LEN)),
        );
    }
}

/// Where columns come from, and that they go back.
struct Columns(Modulus);

impl WithVector for Columns {
    type Output = (usize, [[u64; LEN]; 2]);

    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> Self::Output {
        let source: [u64; LEN] = std::array::from_fn(|i| i as u64);
        let mut words = [V::encode_factor(&self.0, 0)[0]; LEN];
        let (mut columns, mut back) = ([0; LEN], [0; LEN]);
        // SAFETY: the first 8 WIDTH of LEN words are used.
        unsafe {
            let field = V::field(&self.0);
            for i in (0..LEN).step_by(V::WIDTH) {
                V::load(field, source.as_ptr().add(i)).store_lazy(words.as_mut_ptr().add(i));
            }
            let found = V::transposed(V::load_blocks(words.as_ptr()));
            for (j, x) in found.into_iter().enumerate() {
                x.store(field, columns.as_mut_ptr().add(j * V::WIDTH));
            }
            V::store_blocks(V::transposed(found), words.as_mut_ptr());
            for i in (0..LEN).step_by(V::WIDTH) {
                V::load_lazy(words.as_ptr().add(i)).store(field, back.as_mut_ptr().add(i));
            }
        }
        (V::WIDTH, [columns, back])
    }
}

#[test]
fn columns() {
    let primes = [30, 31, 50].map(|bits| primes_below(1 << bits, 256, 1, &[]).unwrap()[0]);
    for kernel in Simd::tested() {
        for q in primes {
            let (width, [columns, back]) = kernel.run_vector(&q, Columns(q));
            for (j, lane) in (0..8).flat_map(|j| (0..width).map(move |lane| (j, lane))) {
                let word = (8 * lane + j) as u64;
                assert_eq!(columns[j * width + lane], word, "{kernel:?} of {} bits", q.bits());
            }
            assert!(back.iter().enumerate().all(|(i, &x)| x == i as u64), "{kernel:?}");
        }
    }
}

#[test]
fn columns_are_there_or_nothing_is_read() {
    let refused = |columns: usize, len: usize| {
        let words = vec![0; len];
        std::panic::catch_unwind(|| super::require_columns(columns, [&[0; 16][..], &words])).is_err()
    };
    assert!(!refused(8, 8) && !refused(8, 9) && !refused(0, 0));
    assert!(refused(8, 7) && refused(16, 8) && refused(12, 12) && refused(24, 24));
}
