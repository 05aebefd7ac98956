//! Pointwise operations on one limb.

use ringmill_arith::lanes::{Lanes, prefetch, require_columns};
use ringmill_arith::{Modulus, Simd, WithSimd};

/// Two limbs to be multiplied.
pub(super) type Product<'a> = (&'a [u64], &'a [u64]);

/// result = sum of the terms, all canonical.
pub(super) fn sum(kernel: Simd, q: &Modulus, terms: &[&[u64]], result: &mut [u64]) {
    kernel.run(Sum { q, terms, result });
}

/// result = x - y or -y, canonical.
pub(super) fn sub(kernel: Simd, q: &Modulus, x: Option<&[u64]>, y: &[u64], result: &mut [u64]) {
    kernel.run(Sub { q, x, y, result });
}

/// Products, and what their sum is multiplied with.
pub(super) type Multiple<'a> = (&'a [Product<'a>], u64);

/// result = the sum of multiples of sums of products from column `start` on, all canonical; `result` has a multiple of 8
/// words, the pairs have all those columns.
pub(super) fn dot(kernel: Simd, q: &Modulus, multiples: &[Multiple<'_>], start: usize, result: &mut [u64]) {
    kernel.run(Dot {
        q,
        multiples,
        start,
        result,
    });
}

/// Both results = the sums of products from column `start` on, all canonical; they have a multiple of 8 words, the pairs
/// have all those columns. The first factors are the same in both sums.
pub(super) fn dot_both(
    kernel: Simd,
    q: &Modulus,
    products: &[Vec<Product<'_>>; 2],
    start: usize,
    results: [&mut [u64]; 2],
) {
    kernel.run(DotBoth {
        q,
        products,
        start,
        results,
    });
}

struct DotBoth<'a> {
    q: &'a Modulus,
    products: &'a [Vec<Product<'a>>; 2],
    start: usize,
    results: [&'a mut [u64]; 2],
}

impl WithSimd for DotBoth<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let [first, second] = self.products;
        let [x, y] = self.results;
        let operands = first.iter().chain(second).flat_map(|(a, b)| [a, b]);
        let operands = operands.map(|words| words.get(self.start..).unwrap_or_default());
        require_columns(x.len(), operands.chain([&*y]));
        let most = L::terms(self.q);
        let split = first.len().min(most);
        let (firsts, seconds) = (first.split_at(split), second.split_at(split));
        // SAFETY: the caller saw the instructions.
        let field = unsafe { L::field(self.q) };
        for c in (0..x.len()).step_by(L::WIDTH) {
            // SAFETY: every operand and both results have the columns of the first result, as many as a multiple of the
            // width; two reduced sums have a sum within every lazy range; the caller saw the instructions.
            unsafe {
                let at = self.start + c;
                let [mut u, mut v] = partials::<L>(field, firsts.0, seconds.0, at);
                let rest = firsts.1.chunks(most).zip(seconds.1.chunks(most));
                for (firsts, seconds) in rest {
                    let [s, t] = partials::<L>(field, firsts, seconds, at);
                    u = u.reduce_lazy(field).add(field, s);
                    v = v.reduce_lazy(field).add(field, t);
                }
                u.store(field, x.as_mut_ptr().add(c));
                v.store(field, y.as_mut_ptr().add(c));
            }
        }
    }
}

/// Two sums of at most [`Lanes::terms`] products at column c, of which the first factors are the same.
#[inline(always)]
unsafe fn partials<L: Lanes>(
    field: L::Field,
    firsts: &[Product<'_>],
    seconds: &[Product<'_>],
    c: usize,
) -> [L; 2] {
    // SAFETY: see the caller.
    unsafe {
        let (mut u, mut v) = (L::sum_zero(field), L::sum_zero(field));
        for ((a, b), (_, d)) in firsts.iter().zip(seconds) {
            let a = L::load(field, a.as_ptr().add(c));
            u = L::sum_mul(u, a, L::load(field, b.as_ptr().add(c)));
            v = L::sum_mul(v, a, L::load(field, d.as_ptr().add(c)));
        }
        [L::sum_reduce(field, u), L::sum_reduce(field, v)]
    }
}

struct Sum<'a> {
    q: &'a Modulus,
    terms: &'a [&'a [u64]],
    result: &'a mut [u64],
}

/// How many words ahead operands of sums are prefetched: half a page.
const AHEAD: usize = 256;

/// Words in a piece that stays in the first-level cache while several operations use it.
pub(super) const PIECE: usize = 1024;

impl WithSimd for Sum<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        for (k, piece) in self.result.chunks_mut(PIECE).enumerate() {
            let range = k * PIECE..k * PIECE + piece.len();
            let rest = match self.terms {
                [] => return,
                [only] => {
                    piece.copy_from_slice(&only[range.clone()]);
                    &[]
                }
                [first, second, rest @ ..] => {
                    let terms = first[range.clone()].iter().zip(&second[range.clone()]);
                    for (sum, (&x, &y)) in piece.iter_mut().zip(terms) {
                        *sum = below(x + y, self.q.value());
                    }
                    rest
                }
            };
            for term in rest {
                for (x, &y) in piece.iter_mut().zip(&term[range.clone()]) {
                    *x = below(*x + y, self.q.value());
                }
            }
        }
    }
}

struct Sub<'a> {
    q: &'a Modulus,
    x: Option<&'a [u64]>,
    y: &'a [u64],
    result: &'a mut [u64],
}

impl WithSimd for Sub<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let q = self.q.value();
        match self.x {
            Some(x) => {
                for (result, (&x, &y)) in self.result.iter_mut().zip(x.iter().zip(self.y)) {
                    *result = below(x + q - y, q);
                }
            }
            None => {
                for (result, &y) in self.result.iter_mut().zip(self.y) {
                    *result = below(q - y, q);
                }
            }
        }
    }
}

/// [0, 2q) -> [0, q), by the sign of the difference: words are below 2^63, and signed comparison
/// is what vector units have.
#[inline(always)]
fn below(x: u64, q: u64) -> u64 {
    let difference = x.wrapping_sub(q) as i64;
    if difference < 0 { x } else { difference as u64 }
}

struct Dot<'a> {
    q: &'a Modulus,
    multiples: &'a [Multiple<'a>],
    start: usize,
    result: &'a mut [u64],
}

impl WithSimd for Dot<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let pairs = self.multiples.iter().flat_map(|(pairs, _)| *pairs);
        let operands = pairs.flat_map(|(a, b)| [a, b]);
        require_columns(
            self.result.len(),
            operands.map(|words| words.get(self.start..).unwrap_or_default()),
        );
        let Some((&(pairs, multiplier), others)) = self.multiples.split_first() else {
            return self.result.fill(0);
        };
        let words = L::encode_factor(self.q, self.q.reduce(multiplier));
        let most = L::terms(self.q);
        let split = pairs.split_at(pairs.len().min(most));
        let mut further = Vec::with_capacity(others.len());
        for &(pairs, multiplier) in others {
            let words = L::encode_factor(self.q, self.q.reduce(multiplier));
            further.push((pairs.split_at(pairs.len().min(most)), words));
        }
        // SAFETY: the caller saw the instructions.
        let field = unsafe { L::field(self.q) };
        for c in (0..self.result.len()).step_by(L::WIDTH) {
            // SAFETY: every operand has the columns of the result, as many as a multiple of the width; a reduced sum and
            // a product have a sum within every lazy range; the caller saw the instructions.
            unsafe {
                let at = self.start + c;
                let mut x = products::<L>(field, split, most, at);
                if multiplier != 1 {
                    x = x.mul(field, L::factor(&words));
                }
                for (split, words) in &further {
                    let y = products::<L>(field, *split, most, at).mul(field, L::factor(words));
                    x = x.reduce_lazy(field).add(field, y);
                }
                x.store(field, self.result.as_mut_ptr().add(c));
            }
        }
    }
}

/// The sum of products at column c: of the first ones, at most as many as a sum can hold, and of the rest.
#[inline(always)]
unsafe fn products<L: Lanes>(
    field: L::Field,
    (first, rest): (&[Product<'_>], &[Product<'_>]),
    most: usize,
    c: usize,
) -> L {
    // SAFETY: at most `most` canonical products go into one sum; see the caller.
    unsafe {
        let mut x = partial::<L>(field, first, c);
        for pairs in rest.chunks(most) {
            x = x.reduce_lazy(field).add(field, partial::<L>(field, pairs, c));
        }
        x
    }
}

/// The sum of at most [`Lanes::terms`] products at column c. Not a closure: those are not inlined reliably,
/// and what is not inlined is compiled without the kernel's instructions.
#[inline(always)]
unsafe fn partial<L: Lanes>(field: L::Field, pairs: &[Product<'_>], c: usize) -> L {
    // SAFETY: see the caller.
    unsafe {
        if let [first, rest @ ..] = pairs
            && rest.len() < L::SINGLE_PRODUCTS
        {
            let (a, b) = operands::<L>(field, *first, c);
            let mut x = a.product(field, b);
            for pair in rest {
                let (a, b) = operands::<L>(field, *pair, c);
                x = x.add(field, a.product(field, b));
            }
            return x;
        }
        let mut sum = L::sum_zero(field);
        for pair in pairs {
            let (a, b) = operands::<L>(field, *pair, c);
            sum = L::sum_mul(sum, a, b);
        }
        L::sum_reduce(field, sum)
    }
}

/// Both factors of a product at column c; those further on are prefetched.
#[inline(always)]
unsafe fn operands<L: Lanes>(field: L::Field, (a, b): Product<'_>, c: usize) -> (L, L) {
    // SAFETY: see the caller.
    unsafe {
        let (a, b) = (a.as_ptr().add(c), b.as_ptr().add(c));
        prefetch(a.wrapping_add(AHEAD));
        prefetch(b.wrapping_add(AHEAD));
        (L::load(field, a), L::load(field, b))
    }
}

/// x += a y, all canonical, of equal length, a multiple of 8.
pub(super) fn add_product(kernel: Simd, q: &Modulus, x: &mut [u64], a: u64, y: &[u64]) {
    kernel.run(AddProduct { q, x, a, y });
}

struct AddProduct<'a> {
    q: &'a Modulus,
    x: &'a mut [u64],
    a: u64,
    y: &'a [u64],
}

impl WithSimd for AddProduct<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        require_columns(self.x.len(), [self.y]);
        let (x, y) = (self.x.as_mut_ptr(), self.y.as_ptr());
        let words = L::encode_factor(self.q, self.a);
        // SAFETY: both have as many words, a multiple of the width; a canonical residue and a product
        // have a sum within every lazy range; the caller saw the instructions.
        unsafe {
            let (field, factor) = (L::field(self.q), L::factor(&words));
            for c in (0..self.x.len()).step_by(L::WIDTH) {
                let product = L::load(field, y.add(c)).mul(field, factor);
                L::load(field, x.add(c))
                    .add(field, product)
                    .store(field, x.add(c));
            }
        }
    }
}

/// x += y, all canonical, of equal length.
pub(super) fn add(kernel: Simd, q: &Modulus, x: &mut [u64], y: &[u64]) {
    kernel.run(Add { q, x, y });
}

struct Add<'a> {
    q: &'a Modulus,
    x: &'a mut [u64],
    y: &'a [u64],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let q = self.q.value();
        for (x, &y) in self.x.iter_mut().zip(self.y) {
            *x = below(*x + y, q);
        }
    }
}

/// x += y z, word by word, all canonical, of equal length, a multiple of 8.
pub(super) fn add_products(kernel: Simd, q: &Modulus, x: &mut [u64], y: &[u64], z: &[u64]) {
    kernel.run(AddProducts { q, x, y, z });
}

struct AddProducts<'a> {
    q: &'a Modulus,
    x: &'a mut [u64],
    y: &'a [u64],
    z: &'a [u64],
}

impl WithSimd for AddProducts<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        require_columns(self.x.len(), [self.y, self.z]);
        let pair = [(self.y, self.z)];
        // SAFETY: all have as many words, a multiple of the width; a canonical residue and a reduced sum of one product
        // have a sum within every lazy range; the caller saw the instructions.
        unsafe {
            let field = L::field(self.q);
            for c in (0..self.x.len()).step_by(L::WIDTH) {
                let at = self.x.as_mut_ptr().add(c);
                let product = partial::<L>(field, &pair, c);
                L::load(field, at).add(field, product).store(field, at);
            }
        }
    }
}

/// x = a x, canonical.
pub(super) fn scale(kernel: Simd, q: &Modulus, a: u64, x: &mut [u64]) {
    if a != 1 {
        kernel.run(Scale { q, a, x });
    }
}

struct Scale<'a> {
    q: &'a Modulus,
    a: u64,
    x: &'a mut [u64],
}

impl WithSimd for Scale<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        require_columns(self.x.len(), []);
        let words = L::encode_factor(self.q, self.q.reduce(self.a));
        // SAFETY: the length is a multiple of the width; the caller saw the instructions.
        unsafe {
            let (field, factor) = (L::field(self.q), L::factor(&words));
            for c in (0..self.x.len()).step_by(L::WIDTH) {
                let at = self.x.as_mut_ptr().add(c);
                L::load(field, at).mul(field, factor).store(field, at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::word_sums::WordSums;
    use super::*;
    use ringmill_arith::prime::primes_below;

    /// Whether a call stops, and leaves its result as it was.
    fn refused(result: &mut [u64], call: impl FnOnce(&mut [u64])) -> bool {
        let before = result.to_vec();
        let call = std::panic::AssertUnwindSafe(|| call(result));
        std::panic::catch_unwind(call).is_err() && *result == before
    }

    /// With each kernel, in every build: a loop that reads through pointers stops before it reads beyond an operand.
    #[test]
    fn short_operands_stop_before_they_are_read() {
        let q = &primes_below(1 << 50, 2048, 1, &[]).unwrap()[0];
        let (whole, short) = (&vec![3_u64; 64][..], &vec![5_u64; 56][..]);
        for kernel in Simd::tested() {
            let mut result = vec![7; 64];
            for (pairs, start, columns) in [
                ([(whole, whole), (whole, short)], 0, 64),
                ([(short, whole), (whole, whole)], 0, 64),
                ([(whole, whole), (whole, whole)], 8, 64),
                ([(whole, whole), (whole, whole)], 72, 8),
                ([(whole, whole), (whole, whole)], 0, 60),
            ] {
                let stops = refused(&mut result[..columns], |x| {
                    dot(kernel, q, &[(&pairs, 1)], start, x)
                });
                assert!(stops, "{kernel:?} {start} {columns}");
            }
            assert!(
                refused(&mut result, |x| add_product(kernel, q, x, 2, short)),
                "{kernel:?}"
            );
            assert!(
                refused(&mut result[..60], |x| add_product(kernel, q, x, 2, whole)),
                "{kernel:?}"
            );
            assert!(
                refused(&mut result[..60], |x| scale(kernel, q, 2, x)),
                "{kernel:?}"
            );
            for (words, elements) in [([whole, short], [whole, whole]), ([whole, whole], [short, whole])] {
                let stops = refused(&mut result, |x| {
                    kernel.run(WordSums {
                        q,
                        words: &[words.to_vec()],
                        elements: &[elements.to_vec()],
                        targets: &mut [vec![x]],
                    });
                });
                assert!(stops, "{kernel:?}");
            }
            let stops = refused(&mut result, |x| {
                kernel.run(WordSums {
                    q,
                    words: &[vec![whole]],
                    elements: &[vec![whole, whole]],
                    targets: &mut [vec![x]],
                });
            });
            assert!(stops, "{kernel:?}: fewer words than elements");
            dot(kernel, q, &[(&[(whole, whole)], 1)], 0, &mut result);
            assert_eq!(result, [9; 64], "{kernel:?}");
        }
    }
}
