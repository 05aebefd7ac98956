//! The transform of Z\[x\]/(x^n + 1) modulo one prime.
//!
//! x^n + 1 = x^n - psi^n splits level by level into x - psi^e; a level is n/2 butterflies
//! (u + z v, u - z v), with z fixed for a node of the tree of factors, so that a transform needs no
//! multiplication by powers of psi before (Harvey, "Faster arithmetic for number-theoretic transforms", 2014).
//! The inverse runs the levels backwards, (u + v, (u - v) / z), and divides by n on the way.
//!
//! * Vectors hold consecutive words while nodes are longer than eight words, so the factor is the same in all lanes
//!   ([`passes`]). Then blocks of eight words become the lanes of eight vectors ([`tiles`]), by one transposition in a
//!   transform; this leaves the evaluation order.
//! * Up to [`Shape::LONGEST_ROW`] words are transformed as a whole: in place where a vector has eight words of 64 bits,
//!   else in scratch memory, which fits in a first-level cache. A longer array is a matrix with rows of
//!   [`Shape::ROW`] words: the first levels go down the columns, some columns at a time, and the rest along the
//!   rows ([`columns`]).

mod columns;
mod passes;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod tiles;

use ringmill_arith::lanes::Vector;
use ringmill_arith::secret::Scratch;
use ringmill_arith::{ArithError, Modulus, Simd, WithVector};

use crate::{NegacyclicRing, RingError};
use passes::{Canonical, Lazy};
use rows::RowPass;
pub(super) use tables::Table;
use tables::{Encode, EncodeValues, Factors, Last, Line};

/// The division of an array of n words into rows and columns.
#[derive(Debug, Clone, Copy)]
struct Shape {
    n: usize,
    /// The number of rows: 1, or n / [`Shape::ROW`].
    rows: usize,
}

impl Shape {
    const LONGEST_ROW: usize = 4096;
    const ROW: usize = 1024;

    fn new(n: usize) -> Self {
        let rows = if n <= Self::LONGEST_ROW { 1 } else { n / Self::ROW };
        Self { n, rows }
    }

    /// Whether a transform needs no memory but its array: lazy words are as wide as canonical ones, and tiles have the
    /// words of one group.
    const fn in_place<V: Vector>(self) -> bool {
        self.rows == 1 && V::WIDTH == tiles::BLOCK && size_of::<V::Word>() == size_of::<u64>()
    }

    /// Scratch memory for a row and for a block of columns of words of this size; none where arrays suffice.
    const fn scratch<V: Vector>(self) -> Row {
        if self.in_place::<V>() {
            return Row::new(0);
        }
        let column = self.rows * columns::COLUMNS;
        let words = if self.row() > column { self.row() } else { column };
        Row::new((words * size_of::<V::Word>()).div_ceil(size_of::<Line>()))
    }

    /// Where a whole array is transformed.
    const fn row_of<V: Vector>(self, data: *mut u64, scratch: *mut V::Word) -> *mut V::Word {
        if self.in_place::<V>() {
            data.cast()
        } else {
            scratch
        }
    }

    const fn row(self) -> usize {
        self.n / self.rows
    }

    /// The number of levels along columns.
    const fn column_levels(self) -> usize {
        self.rows.ilog2() as usize
    }

    /// The number of levels along rows, down to the nodes that are left to tiles.
    const fn row_levels(self) -> usize {
        (self.row() / tiles::BLOCK).ilog2() as usize
    }
}

/// The transform of Z\[x\]/(x^n + 1): tables of about 4n words.
#[derive(Debug, Clone)]
pub(super) struct Butterflies {
    shape: Shape,
    modulus: Modulus,
    ahead: Factors,
    back: Factors,
    last: Last,
}

/// Scratch memory of a row or of a block of columns.
type Row = Scratch<Line, { Shape::LONGEST_ROW / 8 }>;

impl Butterflies {
    /// # Errors
    /// The prime must be 1 modulo 2n and small enough for the kernel.
    pub(super) fn new(ring: &NegacyclicRing, modulus: &Modulus, kernel: Simd) -> Result<Self, RingError> {
        if modulus.bits() > kernel.max_modulus_bits() {
            return Err(ArithError::BadModulus(modulus.value()).into());
        }
        let encode = Encode {
            shape: Shape::new(ring.n()),
            modulus,
            psi: tables::root(modulus, ring.n())?,
        };
        Ok(kernel.run_vector(modulus, encode))
    }

    /// Turns coefficients into values: n words.
    pub(super) fn evaluate(&self, kernel: Simd, data: &mut [u64]) {
        let task = Evaluate { tables: self, data };
        kernel.run_vector(&self.modulus, task);
    }

    /// Turns values into coefficients: n words.
    pub(super) fn interpolate(&self, kernel: Simd, data: &mut [u64]) {
        let task = Interpolate { tables: self, data };
        kernel.run_vector(&self.modulus, task);
    }

    /// Makes the table of a fixed factor of products: n words in evaluation domain.
    pub(super) fn prepare(&self, kernel: Simd, values: &[u64]) -> Table {
        let modulus = &self.modulus;
        kernel.run_vector(modulus, EncodeValues { modulus, values })
    }

    /// Sets `others[j]` to `a` times the factor with table j + 1, and `a` to its product with the first: n words
    /// each.
    pub(super) fn products<'a>(
        &self,
        kernel: Simd,
        a: &mut [u64],
        factors: impl Iterator<Item = &'a Table> + Clone,
        others: &mut [&mut [u64]],
    ) {
        let task = Products {
            tables: self,
            a,
            factors,
            others,
        };
        kernel.run_vector(&self.modulus, task);
    }
}

struct Evaluate<'a> {
    tables: &'a Butterflies,
    data: &'a mut [u64],
}

impl WithVector for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        self.tables.require::<V>([&*self.data]);
        let (tables, data) = (self.tables, self.data.as_mut_ptr());
        let mut scratch = tables.shape.scratch::<V>();
        let scratch: *mut V::Word = scratch.as_mut_ptr().cast();
        // SAFETY: `data` holds n words and the tables were made for n and these vectors; scratch holds a row or
        // a block of columns and is written before it is read; the caller saw the instructions.
        unsafe {
            let rows = RowPass::<V>::new(tables);
            if tables.shape.rows == 1 {
                let row = tables.shape.row_of::<V>(data, scratch);
                rows.ahead::<Canonical>(0, data, row);
                return rows.tiles_ahead::<Canonical>(0, row, data);
            }
            columns::forward::<V>(rows.field, tables, data, data, scratch);
            for row in 0..tables.shape.rows {
                let data = data.add(row * Shape::ROW);
                rows.ahead::<Lazy>(row, data.cast(), scratch);
                rows.tiles_ahead::<Canonical>(row, scratch, data);
            }
        }
    }
}

struct Interpolate<'a> {
    tables: &'a Butterflies,
    data: &'a mut [u64],
}

impl WithVector for Interpolate<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        self.tables.require::<V>([&*self.data]);
        let (tables, data) = (self.tables, self.data.as_mut_ptr());
        let mut scratch = tables.shape.scratch::<V>();
        let scratch: *mut V::Word = scratch.as_mut_ptr().cast();
        // SAFETY: as for `Evaluate`.
        unsafe {
            let rows = RowPass::<V>::new(tables);
            if tables.shape.rows == 1 {
                let row = tables.shape.row_of::<V>(data, scratch);
                rows.tiles_back(0, data, row);
                return rows.back::<Canonical, true>(0, row, data);
            }
            for row in 0..tables.shape.rows {
                let data = data.add(row * Shape::ROW);
                rows.tiles_back(row, data, scratch);
                rows.back::<Lazy, false>(row, scratch, data.cast());
            }
            columns::back::<V, true>(rows.field, tables, data, scratch);
        }
    }
}

struct Products<'a, 'b, F> {
    tables: &'a Butterflies,
    a: &'a mut [u64],
    factors: F,
    others: &'a mut [&'b mut [u64]],
}

impl<'f, F: Iterator<Item = &'f Table> + Clone> WithVector for Products<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let others = self.others.iter().map(|product| &**product);
        self.tables.require::<V>(others.chain([&*self.a]));
        for factor in self.factors.clone() {
            self.tables.require_factor::<V>(factor);
        }
        let (tables, a) = (self.tables, self.a.as_mut_ptr());
        let mut scratch = tables.shape.scratch::<V>();
        let mut values = tables.shape.scratch::<V>();
        let scratch: *mut V::Word = scratch.as_mut_ptr().cast();
        let values: *mut V::Word = values.as_mut_ptr().cast();
        // SAFETY: as for `Evaluate`; `a` and the products hold n words, the factors are tables of n residues. `a`, which may
        // hold the values, is overwritten last, and each group of tiles only after it was read.
        unsafe {
            let rows = RowPass::<V>::new(tables);
            let (factors, others) = (&self.factors, self.others);
            if tables.shape.rows == 1 {
                let row = tables.shape.row_of::<V>(a, scratch);
                let values = tables.shape.row_of::<V>(a, values);
                rows.ahead::<Canonical>(0, a, row);
                rows.tiles_ahead::<Lazy>(0, row, values);
                for (factor, product) in each(factors, others, a) {
                    let row = tables.shape.row_of::<V>(product, scratch);
                    rows.product(0, values, factor, row);
                    rows.back::<Canonical, false>(0, row, product);
                }
                return;
            }
            columns::forward::<V>(rows.field, tables, a, a, scratch);
            for row in 0..tables.shape.rows {
                rows.ahead::<Lazy>(row, a.add(row * Shape::ROW).cast(), scratch);
                rows.tiles_ahead::<Lazy>(row, scratch, values);
                for (factor, product) in each(factors, others, a) {
                    rows.product(row, values, factor, scratch);
                    rows.back::<Lazy, false>(row, scratch, product.add(row * Shape::ROW).cast());
                }
            }
            for (_, product) in each(factors, others, a) {
                columns::back::<V, false>(rows.field, tables, product, scratch);
            }
        }
    }
}

/// The factors after the first with the arrays of their products, then the first with `a`.
#[inline(always)]
fn each<'f>(
    factors: &(impl Iterator<Item = &'f Table> + Clone),
    others: &mut [&mut [u64]],
    a: *mut u64,
) -> impl Iterator<Item = (&'f Table, *mut u64)> {
    let others = others.iter_mut().map(|product| product.as_mut_ptr());
    let rest = factors.clone().skip(1).zip(others);
    rest.chain(factors.clone().take(1).map(move |first| (first, a)))
}
