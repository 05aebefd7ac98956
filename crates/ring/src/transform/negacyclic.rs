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
//! * Up to [`Shape::LONGEST_ROW`] words are transformed as a whole in scratch memory, which fits in a
//!   first-level cache. A longer array is a matrix with rows of [`Shape::ROW`] words: the first levels go
//!   down the columns, some columns at a time, and the rest along the rows ([`columns`]).

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

    /// Scratch memory for a row and for a block of columns of words of this size.
    const fn scratch<V: Vector>(self) -> Row {
        let column = self.rows * columns::COLUMNS;
        let words = if self.row() > column { self.row() } else { column };
        Row::new((words * size_of::<V::Word>()).div_ceil(size_of::<Line>()))
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

    /// Sets `others[j]` to `a` times the factor with the table `factors[j + 1]`, and `a` to its product with the first:
    /// n words each.
    pub(super) fn products(
        &self,
        kernel: Simd,
        a: &mut [u64],
        factors: &[&Table],
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
                rows.ahead::<Canonical>(0, data, scratch);
                return rows.tiles_ahead::<Canonical>(0, scratch, data);
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
                rows.tiles_back(0, data, scratch);
                return rows.back::<Canonical, true>(0, scratch, data);
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

struct Products<'a, 'b> {
    tables: &'a Butterflies,
    a: &'a mut [u64],
    factors: &'a [&'a Table],
    others: &'a mut [&'b mut [u64]],
}

impl WithVector for Products<'_, '_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let others = self.others.iter().map(|product| &**product);
        self.tables.require::<V>(others.chain([&*self.a]));
        for factor in self.factors {
            self.tables.require_factor::<V>(factor);
        }
        let (tables, a) = (self.tables, self.a.as_mut_ptr());
        let mut scratch = tables.shape.scratch::<V>();
        let mut values = tables.shape.scratch::<V>();
        let scratch: *mut V::Word = scratch.as_mut_ptr().cast();
        let values: *mut V::Word = values.as_mut_ptr().cast();
        // SAFETY: as for `Evaluate`; `a` and the products hold n words, the factors are tables of n residues.
        // A row of `a` is read before it is written.
        unsafe {
            let rows = RowPass::<V>::new(tables);
            let short = tables.shape.rows == 1;
            if !short {
                columns::forward::<V>(rows.field, tables, a, a, scratch);
            }
            for row in 0..tables.shape.rows {
                if short {
                    rows.ahead::<Canonical>(0, a, scratch);
                } else {
                    rows.ahead::<Lazy>(row, a.add(row * Shape::ROW).cast(), scratch);
                }
                rows.tiles_ahead::<Lazy>(row, scratch, values);
                let others = self.others.iter_mut().map(|product| product.as_mut_ptr());
                for (factor, product) in self.factors.iter().zip(std::iter::once(a).chain(others)) {
                    let product = product.add(row * Shape::ROW);
                    rows.product(row, values, factor, scratch);
                    if short {
                        rows.back::<Canonical, false>(0, scratch, product);
                    } else {
                        rows.back::<Lazy, false>(row, scratch, product.cast());
                    }
                }
            }
            if !short {
                let others = self.others.iter_mut().map(|product| product.as_mut_ptr());
                for product in std::iter::once(a).chain(others) {
                    columns::back::<V, false>(rows.field, tables, product, scratch);
                }
            }
        }
    }
}
