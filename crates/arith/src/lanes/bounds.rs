//! Lanes that compute bounds instead of residues: a proof, by running the very loop.
//!
//! A [`Bound`] is the largest magnitude, in units of p, that a kernel's value may have at that place. Running a loop on it
//! visits every sum and product that the kernel would; the largest bound seen must stay within the lazy range for the
//! kernel to be exact. The range is 8 for [`Floating`] and [`Loose`] lanes, and 2^20 for [`Roomy`] ones.

use std::cell::Cell;
use std::marker::PhantomData;

use super::array::Array;
use super::{ColumnsPortable, DoublesPortable, HalvesPortable, Lanes, Rows, Vector};
use crate::{Modulus, WithSimd, WithVector};

thread_local! {
    static WORST: Cell<f64> = const { Cell::new(0.0) };
}

/// The bounds of one kind of lanes.
pub trait Rule: Copy {
    /// Of a product of a residue of this bound with a fixed factor.
    fn product(bound: f64) -> f64;
    /// Of a product with a factor of a table.
    fn product_with_table(bound: f64) -> f64 {
        Self::product(bound)
    }
    /// Of what [`Vector::reduce_lazy`] makes of a residue of this bound.
    fn reduced(bound: f64) -> f64;
}

/// Doubles, as AVX2 has them.
#[derive(Clone, Copy, Debug)]
pub struct Floating;

impl Rule for Floating {
    fn product(bound: f64) -> f64 {
        0.5 + bound / 8.0
    }

    /// The quotient is made of the product, which is a third rounding.
    fn product_with_table(bound: f64) -> f64 {
        0.5 + 3.0 * bound / 16.0
    }

    fn reduced(_: f64) -> f64 {
        0.5 + f64::EPSILON * 8.0
    }
}

/// Words modulo 2^52 for primes of 48 bits.
#[derive(Clone, Copy, Debug)]
pub struct Loose;

impl Rule for Loose {
    fn product(_: f64) -> f64 {
        1.0
    }

    fn reduced(_: f64) -> f64 {
        1.0
    }
}

/// The same for primes of 31 bits, which nothing brings down.
#[derive(Clone, Copy, Debug)]
pub struct Roomy;

impl Rule for Roomy {
    fn product(_: f64) -> f64 {
        1.0
    }

    fn reduced(bound: f64) -> f64 {
        bound
    }
}

/// The largest bound that occurs while `task` runs on `WIDTH` bounds at a time, in units of p. The memory that
/// the task reads must hold what [`Bound`] stores: bit patterns of doubles (canonical residues are
/// loaded as bound 1 whatever the memory holds).
pub fn worst_bound<R: Rule, const WIDTH: usize, T: WithSimd>(task: T) -> f64 {
    WORST.set(0.0);
    // SAFETY: these lanes need no particular instructions; the task's pointers are its own matter.
    unsafe { task.run::<Array<Bound<R>, WIDTH, 1>>() };
    WORST.get()
}

/// [`worst_bound`] of a loop over vectors.
pub fn worst_vector_bound<R: Rule, const WIDTH: usize, T: WithVector>(task: T) -> f64 {
    WORST.set(0.0);
    // SAFETY: as above.
    unsafe { task.run::<Array<Bound<R>, WIDTH, 1>>() };
    WORST.get()
}

/// A bound on |x| / p, for lanes of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Bound<R>(f64, PhantomData<R>);

impl<R: Rule> Bound<R> {
    fn new(bound: f64) -> Self {
        WORST.set(WORST.get().max(bound));
        Self(bound, PhantomData)
    }
}

impl<R: Rule> Vector for Bound<R> {
    type Word = u64;
    const WIDTH: usize = 1;
    const TABLE_WORDS: usize = 1;
    type Field = ();
    type Factor = ();

    unsafe fn field(_: &Modulus) {}

    fn encode_factor(_: &Modulus, _: u64) -> [u64; 2] {
        [0; 2]
    }

    fn encode_table(_: &Modulus, _: u64) -> [u64; 2] {
        [0; 2]
    }

    unsafe fn load((): (), _: *const u64) -> Self {
        Self::new(1.0)
    }

    unsafe fn store(self, (): (), to: *mut u64) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = 0 }
    }

    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for the pointer.
        Self::new(f64::from_bits(unsafe { *from }))
    }

    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = self.0.to_bits() }
    }

    unsafe fn factor(_: *const [u64; 2]) {}

    unsafe fn reduce_lazy(self, (): ()) -> Self {
        Self::new(R::reduced(self.0))
    }

    unsafe fn mul(self, (): (), (): ()) -> Self {
        Self::new(R::product(self.0))
    }

    unsafe fn mul_table(self, (): (), _: *const u64) -> Self {
        Self::new(R::product_with_table(self.0))
    }

    unsafe fn butterfly_unit((): (), u: Self, v: Self) -> (Self, Self) {
        let sum = Self::new(u.0 + v.0);
        (sum, sum)
    }

    unsafe fn add_sub((): (), u: Self, v: Self) -> (Self, Self) {
        let sum = Self::new(u.0 + v.0);
        (sum, sum)
    }

    unsafe fn add_sub_back((): (), u: Self, v: Self) -> (Self, Self) {
        let sum = Self::new(u.0 + v.0);
        (sum, sum)
    }

    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        // SAFETY: the caller vouches for eight words.
        [0, 1, 2, 3, 4, 5, 6, 7].map(|j| unsafe { Self::load_lazy(from.add(j)) })
    }

    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u64) {
        for (j, x) in blocks.into_iter().enumerate() {
            // SAFETY: the caller vouches for eight words.
            unsafe { x.store_lazy(to.add(j)) };
        }
    }

    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8] {
        vectors
    }
}

impl<R: Rule> Rows for Bound<R> {
    unsafe fn transpose(from: *const u64, _: usize, to: *mut u64, _: usize) {
        // SAFETY: the caller vouches for the pointers.
        unsafe { *to = *from }
    }
}

impl<R: Rule> Lanes for Bound<R> {
    const TERMS: usize = 4;
    const NARROW_TERMS: usize = 15;
    type Sum = ();
    type Real = ();
    type Halves = HalvesPortable;
    type Columns = ColumnsPortable;
    type Doubles = DoublesPortable;
    type Loose = Self;
    const LOOSE_BITS: u32 = 0;

    fn fixed_terms(_: u32, _: u32) -> usize {
        10
    }

    fn encode_operand(_: &Modulus, _: u64) -> u64 {
        0
    }

    unsafe fn operand(_: u64) -> Self {
        Self::new(0.5)
    }

    unsafe fn representative(self, (): ()) -> Self {
        self
    }

    unsafe fn sum_zero((): ()) {}

    unsafe fn sum_mul((): (), _: Self, _: Self) {}

    unsafe fn sum_reduce((): (), (): ()) -> Self {
        Self::new(1.25)
    }

    unsafe fn add(self, (): (), other: Self) -> Self {
        Self::new(self.0 + other.0)
    }

    unsafe fn real_zero() {}

    unsafe fn real_mul_add((): (), _: Self, _: f64) {}

    unsafe fn real_round((): ()) -> (Self, u32) {
        (Self::new(0.0), 0)
    }
}
