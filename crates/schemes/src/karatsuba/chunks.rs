use num_bigint::BigUint;
use ringmill_arith::lanes::Lanes;
use ringmill_arith::{Basis, WithSimd};
use ringmill_ring::cyclotomic::Cyclotomic;

use super::KaratsubaError;
use super::multiplier::UNIT;

/// Bits of a word.
const WORD: u32 = 32;

/// How the coefficients of a public key's two polynomials, residues modulo q, lie side by side in words: the
/// chunks of the first, then those of the second (paper 4, fig. 3, with the chunks of both keys in one vector).
#[derive(Debug, Clone)]
pub(super) struct Chunks {
    /// Bits of a chunk; the last one of a coefficient has more room.
    bits: u32,
    /// Bits of the lower half of a coefficient's chunks.
    half: u32,
    /// q in two halves.
    q: [i128; 2],
    /// 2^(half + DROPPED) / q.
    unit: f64,
}

/// Chunks of a polynomial's coefficient: both make a vector's worth of words.
pub(super) const CHUNKS: usize = UNIT / 2;

/// Bits of the upper half that do not matter for the quotient by q.
const DROPPED: u32 = 24;

/// 64-bit words of a residue modulo q.
pub(super) const LIMBS: usize = 3;

impl Chunks {
    /// For residues modulo the product of these primes and products in this ring.
    ///
    /// # Errors
    /// [`KaratsubaError::Overflow`] if a chunk and its guard bits do not fit a word.
    pub fn new(basis: &Basis, ring: &Cyclotomic) -> Result<Self, KaratsubaError> {
        let q = basis.product();
        let bits = (q.bits() as u32).div_ceil(CHUNKS as u32);
        let top = q.bits() as i32 - (CHUNKS as i32 - 1) * bits as i32;
        // Residues summed up in each coefficient of a product with a binary polynomial; in one of its reduction; and
        // of such coefficients in one of their reduction.
        let n = ring.n();
        let terms: Vec<f64> = (0..2 * n - 1)
            .map(|i| (i + 1).min(2 * n - 1 - i) as f64)
            .collect();
        let residues = ring.bound(&terms);
        let coefficients = ring.bound(&vec![1.0; terms.len()]);
        let chunk = f64::from(1 << bits);
        // A product; what a carry leaves, reduced; and the last chunk, which is not carried.
        let largest = (chunk * n as f64)
            .max((chunk + n as f64) * coefficients)
            .max((2_f64.powi(top) + 1.0) * residues);
        let needed = largest.log2().ceil() as u32 + 1;
        if needed > WORD {
            return Err(KaratsubaError::Overflow {
                what: "a chunk with its guard bits",
                needed,
                most: WORD,
            });
        }
        let half = bits * CHUNKS as u32 / 2;
        let part = |x: BigUint| {
            x.iter_u64_digits()
                .rev()
                .fold(0, |part, word| part << 64 | i128::from(word))
        };
        let double = q
            .iter_u64_digits()
            .rev()
            .fold(0.0, |x, word| x * 2_f64.powi(64) + word as f64);
        Ok(Self {
            bits,
            half,
            q: [part(&q & mask(half)), part(&q >> half)],
            unit: 2_f64.powi((half + DROPPED) as i32) / double,
        })
    }

    /// A residue's chunks.
    pub fn split(&self, residue: &BigUint) -> [u32; CHUNKS] {
        let digits: Vec<u64> = residue.iter_u64_digits().chain([0; LIMBS + 1]).collect();
        std::array::from_fn(|i| {
            let (word, shift) = (i * self.bits as usize / 64, i as u32 * self.bits % 64);
            let both = u128::from(digits[word]) | u128::from(digits[word + 1]) << 64;
            (both >> shift) as u32 & ((1 << self.bits) - 1)
        })
    }
}

fn mask(bits: u32) -> BigUint {
    (BigUint::from(1_u32) << bits) - 1_u32
}

/// Restores the guard bits of coefficients (paper 4, sec. 3.2.2): what is above a chunk is added to the next, all
/// at once, so that chunks below the last have at most one bit more. The last keeps what it has.
pub(super) struct Carry<'a> {
    pub chunks: &'a Chunks,
    pub words: &'a mut [i32],
}

impl WithSimd for Carry<'_> {
    type Output = ();

    // No lanes: plain loops, which the compiler turns into the kernel's instructions.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let (bits, mask) = (self.chunks.bits, (1 << self.chunks.bits) - 1);
        for coefficient in self.words.as_chunks_mut::<CHUNKS>().0 {
            let mut carried = [0; CHUNKS];
            for i in 0..CHUNKS - 1 {
                carried[i] += coefficient[i] & mask;
                carried[i + 1] += coefficient[i] >> bits;
            }
            carried[CHUNKS - 1] += coefficient[CHUNKS - 1];
            *coefficient = carried;
        }
    }
}

/// Adds small errors to a polynomial's reduced coefficients in chunks, and reduces modulo q.
pub(super) struct Finish<'a> {
    pub chunks: &'a Chunks,
    /// Both polynomials' chunks, coefficient by coefficient.
    pub words: &'a [i32],
    pub errors: [&'a [i32]; 2],
    pub residues: [&'a mut [[u64; LIMBS]]; 2],
}

impl WithSimd for Finish<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let [first, second] = self.residues;
        let errors = self.errors[0].iter().zip(self.errors[1]);
        let residues = first.iter_mut().zip(second);
        for ((pair, (&e, &d)), (x, y)) in self.words.as_chunks::<UNIT>().0.iter().zip(errors).zip(residues) {
            *x = residue(self.chunks, pair, 0, e);
            *y = residue(self.chunks, pair, CHUNKS, d);
        }
    }
}

/// One coefficient modulo q, without branches: the quotient by q in double precision is wrong by one at most.
#[inline(always)]
fn residue(chunks: &Chunks, pair: &[i32; UNIT], start: usize, error: i32) -> [u64; LIMBS] {
    let (bits, half) = (chunks.bits, chunks.half);
    let (mut low, mut high) = (i128::from(error), 0);
    for i in 0..CHUNKS / 2 {
        low += i128::from(pair[start + i]) << (bits * i as u32);
        high += i128::from(pair[start + CHUNKS / 2 + i]) << (bits * i as u32);
    }
    // In words of 64 bits, which have instructions: what is dropped of the upper half is far below q.
    let value = (high >> DROPPED) as i64 as f64 * chunks.unit;
    let quotient = i128::from(value.floor() as i64);
    low -= quotient * chunks.q[0];
    high -= quotient * chunks.q[1];
    // Up by q if negative, then down by q unless that is negative.
    for _ in 0..2 {
        carry(&mut low, &mut high, half);
        let negative = high >> 127;
        low += chunks.q[0] & negative;
        high += chunks.q[1] & negative;
        carry(&mut low, &mut high, half);
        low -= chunks.q[0];
        high -= chunks.q[1];
    }
    low += chunks.q[0];
    high += chunks.q[1];
    carry(&mut low, &mut high, half);
    let (low, high) = (low as u128, high as u128);
    let bottom = low | high << half;
    [
        bottom as u64,
        (bottom >> 64) as u64,
        (high >> (128 - half)) as u64,
    ]
}

/// What is above the lower half to the upper one.
#[inline(always)]
fn carry(low: &mut i128, high: &mut i128, half: u32) {
    *high += *low >> half;
    *low &= (1 << half) - 1;
}
