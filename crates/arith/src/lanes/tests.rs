use proptest::prelude::*;

use super::Lanes;
use crate::prime::primes_below;
use crate::{Kernel, Modulus, Task};

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

impl Task for Everything<'_> {
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
        let operand = L::encode_operand(&self.q, self.b[0]);
        let mut out = [[0u64; 8]; 7];
        for i in (0..8).step_by(L::WIDTH) {
            // SAFETY: i + WIDTH <= 8; `table` holds TABLE_WORDS words for each of eight residues.
            unsafe {
                let field = L::field(&self.q);
                let a = L::load(field, self.a.as_ptr().add(i));
                let b = L::load(field, self.b.as_ptr().add(i));
                let (sum, difference) = L::butterfly_unit(field, a, b);
                let (up, down) = L::butterfly(field, a, b, L::factor(&w));
                let product = sum.mul_table(field, table.as_ptr().add(i * L::TABLE_WORDS));
                let mut dot = L::sum_mul(L::sum_zero(), a, b);
                dot = L::sum_mul(dot, b, L::operand(operand));
                let dot = L::sum_reduce(field, dot, 2);
                let results = [
                    sum,
                    difference,
                    up,
                    down,
                    product,
                    dot,
                    sum.tidy(field).add(field, a),
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

impl Task for Transpose {
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
    for kernel in Kernel::available() {
        assert!(kernel.run(Transpose), "{kernel:?}");
    }
}

fn check(q: Modulus, a: [u64; 8], b: [u64; 8]) {
    for kernel in Kernel::available() {
        let rows = kernel.run(Everything { q, a: &a, b: &b });
        for i in 0..8 {
            let (x, y, w) = (a[i], b[i], b[0]);
            let expected = [
                q.add(x, y),
                q.sub(x, y),
                q.add(x, q.mul(y, w)),
                q.sub(x, q.mul(y, w)),
                q.mul(q.add(x, y), y),
                q.add(q.mul(x, y), q.mul(y, w)),
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
