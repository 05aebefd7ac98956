use ringmill_arith::lanes::{Lanes, Rows};
use ringmill_arith::secret::Scratch;
use ringmill_arith::{ArithError, Modulus, Simd, WithSimd, prime};

use super::passes::{COLUMNS, GROUP, Passes, ROW};
use super::require;
use super::twiddles::{Joining, Splitting, encode_table};
use super::two_passes::{ColumnShape, Factors, PITCH};
use crate::negacyclic::reverse_bits;
use crate::{FermatRing, RingError};

/// The most rows that an array has.
const MOST_ROWS: usize = 512;

/// The root that a transform over G uses: w or w^-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// A fixed linear operator that the transform over G makes diagonal: it transforms, multiplies by a table
/// and transforms back. If the second root is the inverse of the first, it is a convolution over G; if the
/// roots are equal, a correlation.
#[derive(Debug, Clone)]
pub(crate) struct Operator {
    modulus: Modulus,
    kernel: Simd,
    n: usize,
    /// The orders of the dimensions along columns: all but the last, and the slow half of a last dimension
    /// of 2^16.
    column_orders: Vec<usize>,
    first: Splitting,
    second: Joining,
    /// The factors between rows and columns of a dimension of 2^16 (else empty), for `first` and `second`.
    between: [Vec<u64>; 2],
    diagonal: Diagonal,
}

/// The table of an operator, divided by n, in the order in which the passes use it.
#[derive(Debug, Clone)]
enum Diagonal {
    /// An entry is the product of a factor for its place in the row and one for its row: the operator is a tensor
    /// product over the dimensions, as are transforms of Fermat rings, whose Gauss sums factor.
    Factors {
        rows: Vec<[u64; 2]>,
        columns: Vec<[u64; 2]>,
        shape: ColumnShape,
    },
    Table(Vec<u64>),
}

impl Operator {
    /// Makes the operator; `table` is in natural order of frequencies, for roots w.
    pub(crate) fn new(
        ring: &FermatRing,
        modulus: &Modulus,
        kernel: Simd,
        directions: (Direction, Direction),
        table: &[u64],
    ) -> Result<Self, RingError> {
        if modulus.bits() > kernel.max_modulus_bits() {
            return Err(ArithError::BadModulus(modulus.value()).into());
        }
        let n = ring.n();
        require(n, table)?;
        let last = last_order(ring);
        let root = prime::root_of_unity(modulus, last as u64)?;
        let inverse_root = modulus.pow(root, last as u64 - 1);
        let choose = |d| if d == Direction::Up { root } else { inverse_root };
        let roots = [choose(directions.0), choose(directions.1)];
        let mut column_orders = ring.orders().to_vec();
        column_orders.pop();
        if last > ROW {
            column_orders.push(last / ROW);
        }
        // The inverse exists because n is a power of two and the modulus is odd.
        let scale = modulus.inv(modulus.reduce(n as u64)).unwrap_or(0);
        let scaled: Vec<u64> = table.iter().map(|&x| modulus.mul(x, scale)).collect();
        let order = frequencies(ring);
        Ok(kernel.run(Encode {
            modulus,
            kernel,
            n,
            last,
            column_orders,
            roots,
            table: order.iter().map(|&k| scaled[k]).collect(),
        }))
    }

    /// Stops the program unless the array and the tables are as long as the passes take for granted. Each run calls
    /// it once, before the first load.
    #[inline(always)]
    fn require<L: Rows>(&self, data: &[u64], rows: usize) {
        assert!(data.len() == rows * ROW, "the array does not have n words");
        assert!(rows <= MOST_ROWS && rows.is_multiple_of(GROUP), "rows");
        assert!(
            self.column_orders.iter().product::<usize>() == rows,
            "orders of columns"
        );
        match &self.diagonal {
            Diagonal::Factors {
                rows: along,
                columns,
                shape,
            } => {
                assert!(along.len() == ROW && columns.len() == rows, "the factors");
                assert!(shape.rows() == rows, "the shape of columns");
                self.second.require::<L>();
            }
            Diagonal::Table(table) => assert!(table.len() >= self.n * L::TABLE_WORDS, "the table"),
        }
        for between in &self.between {
            assert!(
                between.len().is_multiple_of(ROW * L::TABLE_WORDS),
                "factors between"
            );
        }
    }

    #[cfg(test)]
    pub(super) fn takes_two_passes(&self) -> bool {
        matches!(self.diagonal, Diagonal::Factors { .. })
    }

    /// Applies the operator in place to canonical residues.
    pub(crate) fn apply(&self, data: &mut [u64]) -> Result<(), RingError> {
        require(self.n, data)?;
        self.kernel.run(Apply {
            operator: self,
            from: None,
            data,
        });
        Ok(())
    }

    /// Applies the operator to canonical residues, which it leaves as they are.
    pub(crate) fn apply_to(&self, from: &[u64], data: &mut [u64]) -> Result<(), RingError> {
        require(self.n, from)?;
        require(self.n, data)?;
        let from = match self.diagonal {
            Diagonal::Factors { .. } => Some(from),
            Diagonal::Table(_) => {
                data.copy_from_slice(from);
                None
            }
        };
        self.kernel.run(Apply {
            operator: self,
            from,
            data,
        });
        Ok(())
    }
}

/// The order of the last (largest) dimension.
fn last_order(ring: &FermatRing) -> usize {
    ring.orders().last().copied().unwrap_or(1)
}

/// The frequency (natural index over G) that the passes leave at each position.
///
/// Each dimension comes out bit-reversed. A dimension of 2^16 is done as 256 x 256, by columns and then
/// rows, and has its low frequency digit along the columns.
fn frequencies(ring: &FermatRing) -> Vec<usize> {
    let mut places = vec![0];
    for &m in ring.orders() {
        let dimension: Vec<usize> = (0..m)
            .map(|place| {
                if m > ROW {
                    reverse_bits(place / ROW, m / ROW) + reverse_bits(place % ROW, ROW) * (m / ROW)
                } else {
                    reverse_bits(place, m)
                }
            })
            .collect();
        places = places
            .iter()
            .flat_map(|p| dimension.iter().map(move |k| p * m + k))
            .collect();
    }
    places
}

/// The multidimensional cyclic transform over G with root w, with natural order in and out. Only setup uses
/// it.
pub(crate) fn spectrum(ring: &FermatRing, q: &Modulus, a: &[u64]) -> Result<Vec<u64>, RingError> {
    let last = last_order(ring);
    let root = prime::root_of_unity(q, last as u64)?;
    let mut data = a.to_vec();
    let mut stride = ring.n();
    for &m in ring.orders() {
        stride /= m;
        let powers = powers(q, q.pow(root, (last / m) as u64), m);
        let mut line = vec![0; m];
        for block in data.chunks_exact_mut(m * stride) {
            for offset in 0..stride {
                for (k, x) in line.iter_mut().enumerate() {
                    *x = block[reverse_bits(k, m) * stride + offset];
                }
                decimation_in_time(q, &mut line, &powers);
                for (k, &x) in line.iter().enumerate() {
                    block[k * stride + offset] = x;
                }
            }
        }
    }
    Ok(data)
}

/// The cyclic transform of one dimension with a root of its order, with natural order in and out.
pub(super) fn spectrum_of_line(q: &Modulus, root: u64, a: &[u64]) -> Vec<u64> {
    let mut line: Vec<u64> = (0..a.len()).map(|k| a[reverse_bits(k, a.len())]).collect();
    decimation_in_time(q, &mut line, &powers(q, root, a.len()));
    line
}

/// The first `count` powers 1, w, w^2, ....
fn powers(q: &Modulus, w: u64, count: usize) -> Vec<u64> {
    let powers = std::iter::successors(Some(1), |&x| Some(q.mul(x, w)));
    powers.take(count).collect()
}

/// Textbook radix-2 transform of bit-reversed input.
fn decimation_in_time(q: &Modulus, line: &mut [u64], powers: &[u64]) {
    let mut half = 1;
    while half < line.len() {
        let step = line.len() / (2 * half);
        for block in line.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (j, (u, v)) in low.iter_mut().zip(high).enumerate() {
                let t = q.mul(*v, powers[j * step]);
                (*u, *v) = (q.add(*u, t), q.sub(*u, t));
            }
        }
        half *= 2;
    }
}

/// Builds an operator's tables for the kernel that runs it.
struct Encode<'a> {
    modulus: &'a Modulus,
    kernel: Simd,
    n: usize,
    last: usize,
    column_orders: Vec<usize>,
    roots: [u64; 2],
    table: Vec<u64>,
}

impl WithSimd for Encode<'_> {
    type Output = Operator;

    unsafe fn run<L: Lanes>(self) -> Operator {
        let q = self.modulus;
        let [first, second] = self.roots.map(|root| q.pow(root, (self.last / ROW) as u64));
        let between = self.roots.map(|root| {
            let mut words = Vec::new();
            if self.last > ROW {
                let rows = self.last / ROW;
                for row in 0..rows {
                    let step = q.pow(root, reverse_bits(row, rows) as u64);
                    powers(q, step, ROW)
                        .chunks_exact(L::WIDTH)
                        .for_each(|factors| encode_table::<L>(q, factors, &mut words));
                }
            }
            words
        });
        let diagonal = self.diagonal::<L>();
        Operator {
            modulus: *q,
            kernel: self.kernel,
            n: self.n,
            column_orders: self.column_orders,
            first: Splitting::new::<L>(q, first),
            second: Joining::new::<L>(q, second),
            between,
            diagonal,
        }
    }
}

impl Encode<'_> {
    /// The table as factors, if it is such a product, or as it is.
    fn diagonal<L: Lanes>(&self) -> Diagonal {
        let q = self.modulus;
        let rows: Vec<&[u64]> = self.table.chunks_exact(ROW).collect();
        if let (Some(inverse), Some(shape)) = (self.factors(), ColumnShape::of(&self.column_orders)) {
            let encode = |&w: &u64| L::encode_factor(q, w);
            let columns = rows.iter().map(|row| q.mul(row[0], inverse));
            return Diagonal::Factors {
                rows: rows[0].iter().map(encode).collect(),
                columns: columns.map(|w| encode(&w)).collect(),
                shape,
            };
        }
        let mut table = Vec::with_capacity(self.n * L::TABLE_WORDS);
        for group in rows.chunks_exact(GROUP) {
            for c in 0..ROW {
                for lines in group.chunks_exact(L::WIDTH) {
                    let factors: Vec<u64> = lines.iter().map(|line| line[c]).collect();
                    encode_table::<L>(q, &factors, &mut table);
                }
            }
        }
        Diagonal::Table(table)
    }

    /// The inverse of the first entry, if the table is the product of its first row and its first column, divided by
    /// that entry. A dimension of 2^16 lies in rows and columns, and its own table is no product.
    fn factors(&self) -> Option<u64> {
        let q = self.modulus;
        let (&corner, first) = (self.table.first()?, self.table.get(..ROW)?);
        if self.last > ROW || corner == 0 {
            return None;
        }
        let is_product = self.table.chunks_exact(ROW).all(|row| {
            let entries = row.iter().zip(first);
            entries
                .into_iter()
                .all(|(&entry, &above)| q.mul(entry, corner) == q.mul(row[0], above))
        });
        if is_product { q.inv(corner) } else { None }
    }
}

struct Apply<'a> {
    operator: &'a Operator,
    /// What two passes read, if it is not in place.
    from: Option<&'a [u64]>,
    data: &'a mut [u64],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the caller saw the instructions; the tables of both lanes are the same.
        unsafe {
            if self.operator.modulus.bits() <= L::LOOSE_BITS {
                self.pass::<L::Loose>();
            } else {
                self.pass::<L>();
            }
        }
    }
}

impl Apply<'_> {
    #[inline(always)]
    unsafe fn pass<L: Rows>(self) {
        let operator = self.operator;
        let rows = operator.n / ROW;
        operator.require::<L>(self.data, rows);
        // What is read in place is read through the pointer that is written through.
        let data = self.data.as_mut_ptr();
        let from = match self.from {
            Some(from) => {
                assert!(from.len() == self.data.len(), "the array that is read");
                from.as_ptr()
            }
            None => data.cast_const(),
        };
        let mut scratch = Scratch::<u64, { MOST_ROWS * COLUMNS }>::new((rows * COLUMNS).max(PITCH * GROUP));
        // SAFETY: `data` and what is read hold n = rows * ROW words; rows <= MOST_ROWS is a multiple of GROUP; the tables
        // were made for n; the passes write scratch before they read it, rows * COLUMNS words of it or
        // PITCH * GROUP; the caller saw the instructions.
        unsafe {
            let passes = Passes::<L>::new(&operator.modulus, data, scratch.as_mut_ptr());
            let (orders, first, second) = (&operator.column_orders, &operator.first, &operator.second);
            match &operator.diagonal {
                Diagonal::Factors {
                    rows: along,
                    columns,
                    shape,
                } => {
                    let factors = Factors {
                        first,
                        along,
                        down: columns,
                        second,
                    };
                    passes.by_factors(from, *shape, &factors);
                }
                Diagonal::Table(table) => {
                    passes.columns_forward(rows, orders, first, &operator.between[0]);
                    passes.rows(rows, first, table, second);
                    passes.columns_back(rows, orders, second, &operator.between[1]);
                }
            }
        }
    }
}

/// The worst bounds of floating-point lanes and of loose ones.
#[cfg(test)]
pub(super) fn worst_bounds(operator: &Operator) -> [f64; 2] {
    let mut data = vec![0u64; operator.n];
    let mut widened = operator.clone();
    // The bounding lanes have one word for each table entry; its value does not matter.
    if let Diagonal::Table(table) = &mut widened.diagonal {
        *table = vec![0; operator.n];
    }
    use ringmill_arith::lanes::bounds::{Floating, Loose, worst_bound};
    let floating = worst_bound::<Floating, 4, _>(Apply {
        operator: &widened,
        from: None,
        data: &mut data,
    });
    let loose = worst_bound::<Loose, 4, _>(Apply {
        operator: &widened,
        from: None,
        data: &mut data,
    });
    [floating, loose]
}
