//! Vectors of residues modulo one prime, in the form in which each kernel computes fastest.
//!
//! Every hot loop is written once, over [`Vector`] or [`Lanes`], and compiled for each kernel. In memory, residues are
//! canonical words in `[0, p)`. In registers and in scratch memory they are *lazy*: some representative that the kernel
//! chooses, within stated bounds. Bounds are in units of p.
//!
//! [`Vector`] has what butterflies need. [`Lanes`] adds sums of products and fractions.
//!
//! | lanes | representation | primes | lazy range | products |
//! |---|---|---|---|---|
//! | [`Portable`] | unsigned word | 62 bits | [0, 4) | 64-bit Shoup |
//! | [`Avx2`], [`Avx512F`] | signed integer in a double | 50 bits | (-8, 8) | exact product by FMA, quotient rounded |
//! | the same | the same | 49 bits | (-8, 8) | the same, quotient rounded by the FMA that makes it |
//! | [`Avx512FNarrow`] | the same | 31 bits | (-2^20, 2^20) | the same |
//! | [`Avx512`] | word modulo 2^52 | 50 bits | [0, 4) | 52-bit Shoup |
//! | [`Avx512Loose`] | the same, 8p for 0 | 48 bits | (-8, 8) | 52-bit Shoup |
//! | the same | the same, 2^20 p for 0 | 31 bits | (-2^20, 2^20) | 52-bit Shoup |
//! | [`Avx2Narrow`] | unsigned half word | 31 bits | [0, 2) | 32-bit Shoup |
//! | the same, with a spare bit | unsigned half word | 30 bits | [0, 4) | 32-bit Shoup |
//!
//! The narrow ones and the loose ones are not [`Lanes`].
//!
//! The integer kernels reduce inside every butterfly, so they never leave their range. The floating-point kernel lets
//! sums grow, and a loop must call [`Vector::reduce_lazy`] often enough: if `A` is the bound of the input, a product is
//! below `1/2 + A/8`, and a sum below the sum of the bounds.
//! With the feature `shapes`, which only tests ask for, the module `bounds` runs the very same generic loops on
//! lanes that compute these bounds and fail above 8, and the module `shapes` runs them on plain arrays of every
//! width that a kernel may have.

#[cfg(any(test, feature = "shapes"))]
mod array;
#[cfg(target_arch = "x86_64")]
mod avx2_narrow;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_field;
#[cfg(target_arch = "x86_64")]
mod avx512_loose;
#[cfg(target_arch = "x86_64")]
mod avx512_rows;
#[cfg(any(test, feature = "shapes"))]
pub mod bounds;
mod columns;
mod doubles;
mod floating;
#[cfg(any(test, feature = "shapes"))]
mod half_word;
mod halves;
mod portable;
#[cfg(any(test, feature = "shapes"))]
pub mod shapes;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub use avx2_narrow::Avx2Narrow;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "x86_64")]
pub use avx512_loose::Avx512Loose;
pub use columns::{Columns, ColumnsPortable};
#[cfg(target_arch = "x86_64")]
pub use columns::{ColumnsAvx2, ColumnsAvx512, ColumnsAvx512F};
pub use doubles::{Doubles, DoublesPortable, ExactDoubles};
#[cfg(target_arch = "x86_64")]
pub use doubles::{DoublesAvx2, DoublesAvx512};
pub use floating::Floating;
pub use halves::{Halves, HalvesPortable};
#[cfg(target_arch = "x86_64")]
pub use halves::{HalvesAvx2, HalvesAvx512};
pub use portable::Portable;

/// Four residues in doubles.
#[cfg(target_arch = "x86_64")]
pub type Avx2 = Floating<DoublesAvx2, 50>;
/// Eight residues in doubles, for processors with AVX-512 but without IFMA.
#[cfg(target_arch = "x86_64")]
pub type Avx512F = Floating<DoublesAvx512, 50>;
/// The same for primes of at most 31 bits.
#[cfg(target_arch = "x86_64")]
pub type Avx512FNarrow = Floating<DoublesAvx512, 31>;

use crate::Modulus;

/// The most bits of primes with longer sums: [`Lanes::NARROW_TERMS`].
pub const NARROW_BITS: u32 = 48;

/// How close to a half a fraction may come before its rounding is decided exactly.
///
/// A fraction is a sum of at most 128 terms y_i / p_i of magnitude at most 1, accumulated in double
/// precision: each term errs by at most 2^-52, each partial sum by at most 2^-46, together below
/// 128 * (2^-52 + 2^-46) < 2^-38. The margin leaves a factor of 4 beyond that.
pub const ROUNDING_MARGIN: f64 = 1.0 / (1u64 << 36) as f64;

/// One vector of residues modulo a prime: loads, stores, butterflies.
///
/// All functions are `unsafe` for two reasons, and their callers answer for both: the machine must
/// have the kernel's instructions (they run inside [`crate::Simd::run`] or
/// [`crate::Simd::run_vector`]), and every pointer must be valid for the words that the function's
/// description names and aligned for one of them (not for vectors).
///
/// *Blocks* are eight vectors of as many consecutive words. Vector i of eight lanes is block i, the words 8 i to
/// 8 i + 7; narrower vectors hold pieces of blocks. *Columns* are the same words transposed: lane b of vector j is
/// word 8 b + j, so that the entries of blocks meet in vectors.
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Vector: Copy {
    /// The word in which lazy residues and tables are stored: `u64` or `u32`.
    type Word: Copy;
    /// The residues in a vector: a power of two, at most 8.
    const WIDTH: usize;
    /// The words that each residue takes in a table of fixed factors.
    const TABLE_WORDS: usize;
    /// The prime and what belongs to it, in every lane.
    type Field: Copy;
    /// A fixed factor in every lane, with its companion.
    type Factor: Copy;

    /// The prime in all lanes.
    unsafe fn field(q: &Modulus) -> Self::Field;
    /// A fixed factor as [`Vector::factor`] reads it from memory.
    fn encode_factor(q: &Modulus, w: u64) -> [Self::Word; 2];
    /// A fixed factor as [`Vector::mul_table`] reads it from memory: the first `TABLE_WORDS` words.
    fn encode_table(q: &Modulus, w: u64) -> [Self::Word; 2];

    /// Loads `WIDTH` canonical residues; bound 1.
    unsafe fn load(field: Self::Field, from: *const u64) -> Self;
    /// Stores the canonical residues of a lazy vector.
    unsafe fn store(self, field: Self::Field, to: *mut u64);
    /// Loads a lazy vector that [`Vector::store_lazy`] stored.
    unsafe fn load_lazy(from: *const Self::Word) -> Self;
    /// Stores a lazy vector as it is.
    unsafe fn store_lazy(self, to: *mut Self::Word);
    /// Loads a fixed factor into all lanes, from two words of [`Vector::encode_factor`].
    unsafe fn factor(from: *const [Self::Word; 2]) -> Self::Factor;
    /// The blocks of 8 `WIDTH` words, lazy vectors.
    unsafe fn load_blocks(from: *const Self::Word) -> [Self; 8];
    /// Stores blocks as [`Vector::load_blocks`] found them.
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut Self::Word);
    /// Columns from blocks, and blocks from columns.
    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8];

    /// A representative of small bound: `1/2` for signed lanes. No effect on integer lanes.
    unsafe fn reduce_lazy(self, field: Self::Field) -> Self;
    /// Product with a fixed factor; bound `1/2 + A/8` (integer lanes: 2).
    unsafe fn mul(self, field: Self::Field, factor: Self::Factor) -> Self;
    /// Product with a vector of fixed factors: `WIDTH` first words, then, if `TABLE_WORDS` is 2,
    /// `WIDTH` second words. One word beyond them may be read.
    unsafe fn mul_table(self, field: Self::Field, table: *const Self::Word) -> Self;
    /// `(u + v, u - v)`.
    unsafe fn butterfly_unit(field: Self::Field, u: Self, v: Self) -> (Self, Self);
    /// `(u + v, u - v)` for a product v.
    unsafe fn add_sub(field: Self::Field, u: Self, v: Self) -> (Self, Self);
    /// `(u + v, u - v)` for products, canonical residues or such sums; the difference is to be multiplied.
    unsafe fn add_sub_back(field: Self::Field, u: Self, v: Self) -> (Self, Self);
    /// `(u + v w, u - v w)`.
    #[inline(always)]
    unsafe fn butterfly(field: Self::Field, u: Self, v: Self, w: Self::Factor) -> (Self, Self) {
        // SAFETY: the caller's promises are the callees'.
        unsafe { Self::add_sub(field, u, v.mul(field, w)) }
    }
    /// `(u + v w, u - v w)` for a vector of fixed factors w, as [`Vector::mul_table`] takes it.
    #[inline(always)]
    unsafe fn butterfly_table(
        field: Self::Field,
        u: Self,
        v: Self,
        table: *const Self::Word,
    ) -> (Self, Self) {
        // SAFETY: the caller's promises are the callees'.
        unsafe { Self::add_sub(field, u, v.mul_table(field, table)) }
    }
    /// `(u + v, (u - v) w)`, for what [`Vector::add_sub_back`] takes.
    #[inline(always)]
    unsafe fn butterfly_back(field: Self::Field, u: Self, v: Self, w: Self::Factor) -> (Self, Self) {
        // SAFETY: the caller's promises are the callees'.
        unsafe {
            let (sum, difference) = Self::add_sub_back(field, u, v);
            (sum, difference.mul(field, w))
        }
    }
}

/// One vector of residues modulo a prime, in 64-bit words: also transpositions.
///
/// As for [`Vector`], callers answer for instructions and pointers.
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Rows: Vector<Word = u64> {
    /// Transposes a block of `WIDTH` lazy vectors, or of canonical ones: lane j of the vector at
    /// `from + i * from_stride` goes to lane i of the vector at `to + j * to_stride`.
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize);
}

/// One vector of residues modulo a prime: also sums of products and fractions.
///
/// As for [`Vector`], callers answer for instructions and pointers.
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Lanes: Rows {
    /// The products of two canonical residues that a [`Lanes::Sum`] can hold, modulo any prime.
    const TERMS: usize;
    /// The same for primes of at most [`NARROW_BITS`] bits.
    const NARROW_TERMS: usize;
    /// The most products that take less time one by one, as [`Lanes::product`], than as a sum.
    const SINGLE_PRODUCTS: usize = 0;
    /// Unreduced sum of products.
    type Sum: Copy;
    /// Double-precision numbers, one for each residue.
    type Real: Copy;
    /// The kernel's vectors of half words, for loops without a prime.
    type Halves: Halves;
    /// The kernel's vectors of digits of long integers.
    type Columns: Columns;
    /// The kernel's vectors of doubles.
    type Doubles: Doubles;
    /// The kernel's vectors for primes of at most [`Lanes::LOOSE_BITS`] bits, with the same tables of fixed factors: their
    /// sums grow as those of doubles do.
    type Loose: Rows;
    /// The most bits of a prime for [`Lanes::Loose`].
    const LOOSE_BITS: u32;

    /// The products of two canonical residues modulo q that a [`Lanes::Sum`] can hold.
    #[inline(always)]
    fn terms(q: &Modulus) -> usize {
        if q.bits() <= NARROW_BITS {
            Self::NARROW_TERMS
        } else {
            Self::TERMS
        }
    }
    /// The number of products of a [`Lanes::representative`] modulo a prime of `from` bits and an operand modulo one of `to`
    /// bits that a [`Lanes::Sum`] can hold for [`Lanes::fixed_reduce`]. The sum can then also hold a canonical residue
    /// times an operand, and an operand times a number below 2^10.
    fn fixed_terms(from: u32, to: u32) -> usize;
    /// A fixed operand of a sum as [`Lanes::operand`] reads it from memory.
    fn encode_operand(q: &Modulus, w: u64) -> u64;
    /// A fixed operand of a sum, in all lanes.
    unsafe fn operand(word: u64) -> Self;

    /// The representative of a product that a sum's fixed terms are made of.
    unsafe fn representative(self, field: Self::Field) -> Self;
    /// The empty sum.
    unsafe fn sum_zero(field: Self::Field) -> Self::Sum;
    /// Adds a product to a sum.
    unsafe fn sum_mul(sum: Self::Sum, a: Self, b: Self) -> Self::Sum;
    /// A lazy residue of a sum of products; bound 1.25 (integer lanes: within range).
    unsafe fn sum_reduce(field: Self::Field, sum: Self::Sum) -> Self;
    /// The same of a sum of products with operands, no more than [`Lanes::fixed_terms`] says.
    #[inline(always)]
    unsafe fn fixed_reduce(field: Self::Field, sum: Self::Sum) -> Self {
        // SAFETY: as the caller's.
        unsafe { Self::sum_reduce(field, sum) }
    }
    /// The product of two canonical residues; bound 3/4 (integer lanes: within range).
    #[inline(always)]
    unsafe fn product(self, field: Self::Field, other: Self) -> Self {
        // SAFETY: as the caller's.
        unsafe { Self::sum_reduce(field, Self::sum_mul(Self::sum_zero(field), self, other)) }
    }
    /// Sum of two lazy residues, kept in the lazy range by the caller's count (integer lanes: by
    /// themselves).
    unsafe fn add(self, field: Self::Field, other: Self) -> Self;

    /// Zero fractions.
    unsafe fn real_zero() -> Self::Real;
    /// `sum + y * inverse` for a vector y of representatives.
    unsafe fn real_mul_add(sum: Self::Real, y: Self, inverse: f64) -> Self::Real;
    /// Nearest integers, as sum operands (below 2^10 in magnitude), and a mask of the lanes within
    /// [`ROUNDING_MARGIN`] of a half.
    unsafe fn real_round(sum: Self::Real) -> (Self, u32);
}

/// Stops the program unless `columns` fill whole vectors of every kernel's [`Lanes`] and every slice has that many
/// words.
///
/// A loop that loads vectors of 64-bit words through pointers calls it once, before the first load and in every build.
/// Functions for users return errors for wrong lengths, so what gets here is a programming error: to go on would read
/// or write memory of others.
///
/// # Panics
/// For such lengths.
#[inline(always)]
#[track_caller]
pub fn require_columns<'a>(columns: usize, slices: impl IntoIterator<Item = &'a [u64]>) {
    assert!(columns.is_multiple_of(8), "columns do not fill vectors");
    for slice in slices {
        assert!(slice.len() >= columns, "a slice has too few columns");
    }
}

/// Prefetches the cache line at an address, valid or not. Processors foresee loads within a page only: a loop that leaps
/// between pages says itself what it will read.
#[inline(always)]
pub fn prefetch(address: *const u64) {
    prefetch_into::<1>(address);
}

/// [`prefetch`] into the second-level cache only: for loops over more arrays than the first level holds lines of, at
/// distances that are powers of two.
#[inline(always)]
pub fn prefetch_second_level(address: *const u64) {
    prefetch_into::<2>(address);
}

/// Prefetches into the caches from this level on.
#[inline(always)]
fn prefetch_into<const LEVEL: u32>(address: *const u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect on memory and does not fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        if LEVEL == 1 {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        } else {
            _mm_prefetch::<_MM_HINT_T1>(address.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Whether vectors are no wider than loops may take for granted.
const fn fit<L: Lanes>() -> bool {
    L::WIDTH <= 8 && L::Halves::WIDTH <= 16 && L::Columns::WIDTH <= 8 && L::Doubles::WIDTH <= 8
}

const _: () = assert!(fit::<Portable>());
#[cfg(target_arch = "x86_64")]
const _: () = assert!(fit::<Avx2>() && fit::<Avx512F>() && fit::<Avx512>());
