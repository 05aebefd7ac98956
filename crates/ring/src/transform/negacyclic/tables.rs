use ringmill_arith::lanes::Vector;
use ringmill_arith::{Modulus, WithVector, prime};

use super::columns::COLUMNS;
use super::passes::last_factors;
use super::tiles::{BLOCK, FACTORS, place};
use super::{Butterflies, Shape};
use crate::RingError;
use crate::negacyclic::reverse_bits;

/// A cache line; in an array of lines no vector straddles two.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([u64; 8]);

/// The words of vectors, or pairs of words, of any type.
#[derive(Debug, Clone)]
pub(in crate::transform) struct Table(Vec<Line>);

impl Table {
    fn new<T: Copy>(words: &[T]) -> Self {
        let bytes = size_of_val(words);
        let mut lines = vec![Line([0; 8]); bytes.div_ceil(size_of::<Line>())];
        // SAFETY: the lines have as many bytes; words and pairs of them have no padding.
        unsafe {
            let from: *const u8 = words.as_ptr().cast();
            std::ptr::copy_nonoverlapping(from, lines.as_mut_ptr().cast(), bytes);
        }
        Self(lines)
    }

    /// Whether there is room for this many words of a type.
    #[inline(always)]
    fn holds<T>(&self, words: usize) -> bool {
        words * size_of::<T>() <= size_of_val(self.0.as_slice())
    }

    /// The words under their original type.
    #[inline(always)]
    pub(super) fn as_ptr<T>(&self) -> *const T {
        self.0.as_ptr().cast()
    }
}

/// The factors of a transform in one direction. In the tree of factors of x^n + 1, node b of level l is
/// x^m - z^2, m = n / 2^l, with
///
/// ```text
/// z = psi^( m/2 (2 brv_l(b) + 1) )
/// ```
///
/// and its children are x^(m/2) - z and x^(m/2) + z.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    /// For the column pass: the nodes above the rows, level by level.
    pub(super) columns: Table,
    /// For each row: the nodes above those of tiles, level by level.
    pub(super) rows: Table,
    /// For tiles: see [`super::tiles`].
    pub(super) tiles: Table,
}

/// The factors of the last pass back, for [`super::passes::back`].
#[derive(Debug, Clone)]
pub(super) struct Last {
    /// For the column pass, with the scale 1/n; for the row pass if there are no columns.
    pub(super) scaled: Table,
    /// The same without the scale.
    pub(super) plain: Table,
    /// For each row, if there are columns.
    pub(super) rows: Table,
}

impl Butterflies {
    /// Stops the program unless arrays have n words, and the tables and the memory of a row are as long as loops
    /// over these vectors take for granted. Each loop calls it once, before the first load.
    #[inline(always)]
    pub(super) fn require<'a, V: Vector>(&self, arrays: impl IntoIterator<Item = &'a [u64]>) {
        let Shape { n, rows } = self.shape;
        let (column_levels, row_levels) = (self.shape.column_levels(), self.shape.row_levels());
        let nodes = |levels: usize| (1 << levels) - 1;
        for Factors {
            columns,
            rows: each,
            tiles,
        } in [&self.ahead, &self.back]
        {
            assert!(columns.holds::<[V::Word; 2]>(nodes(column_levels)), "columns");
            assert!(each.holds::<[V::Word; 2]>(rows * nodes(row_levels)), "rows");
            assert!(tiles.holds::<V::Word>(words::<V>(n / BLOCK * FACTORS)), "tiles");
        }
        let Last {
            scaled,
            plain,
            rows: each,
        } = &self.last;
        let levels = if rows > 1 { column_levels } else { row_levels };
        for last in [scaled, plain] {
            assert!(last.holds::<[V::Word; 2]>(last_factors(levels)), "last levels");
        }
        let of_rows = if rows > 1 {
            rows * last_factors(row_levels)
        } else {
            0
        };
        assert!(each.holds::<[V::Word; 2]>(of_rows), "last levels of rows");
        assert!(
            self.shape.row().max(rows * COLUMNS) <= Shape::LONGEST_ROW,
            "scratch memory"
        );
        for array in arrays {
            assert!(array.len() == n, "an array does not have n words");
        }
    }

    /// Does the same for a factor's table.
    #[inline(always)]
    pub(super) fn require_factor<V: Vector>(&self, factor: &Table) {
        assert!(factor.holds::<V::Word>(words::<V>(self.shape.n)), "a factor");
    }
}

/// The words of a table for `mul_table` of this many residues, with the one that may be read beyond.
const fn words<V: Vector>(residues: usize) -> usize {
    residues * V::TABLE_WORDS + 1
}

/// Makes the tables for the vectors that will use them.
pub(super) struct Encode<'a> {
    pub(super) shape: Shape,
    pub(super) modulus: &'a Modulus,
    pub(super) psi: u64,
}

impl WithVector for Encode<'_> {
    type Output = Butterflies;

    unsafe fn run<V: Vector>(self) -> Butterflies {
        let (shape, q) = (self.shape, self.modulus);
        let inverse_psi = q.pow(self.psi, 2 * shape.n as u64 - 1);
        let [ahead, back] = [self.psi, inverse_psi].map(|psi| Tree { q, psi, n: shape.n });
        let scale = scale(q, shape.n);
        let levels = if shape.rows > 1 {
            shape.column_levels()
        } else {
            shape.row_levels()
        };
        let rows = (0..shape.rows).filter(|_| shape.rows > 1);
        let rows = rows.flat_map(|row| back.last::<V>(shape.column_levels(), row, shape.row_levels(), 1));
        Butterflies {
            shape,
            modulus: *q,
            ahead: ahead.factors::<V>(shape),
            back: back.factors::<V>(shape),
            last: Last {
                scaled: Table::new(&back.last::<V>(0, 0, levels, scale)),
                plain: Table::new(&back.last::<V>(0, 0, levels, 1)),
                rows: Table::new(&rows.collect::<Vec<_>>()),
            },
        }
    }
}

/// The scale 1/n, which exists because n is a power of two and the modulus is odd.
pub(super) fn scale(q: &Modulus, n: usize) -> u64 {
    q.inv(q.reduce(n as u64)).unwrap_or(0)
}

/// The tree of factors for psi, or, with psi's inverse, of their inverses.
struct Tree<'a> {
    q: &'a Modulus,
    psi: u64,
    n: usize,
}

impl Tree<'_> {
    /// The factor z of a node.
    fn factor(&self, level: usize, node: usize) -> u64 {
        let turn = 2 * reverse_bits(node, 1 << level) + 1;
        self.q.pow(self.psi, ((self.n >> (level + 1)) * turn) as u64)
    }

    fn factors<V: Vector>(&self, shape: Shape) -> Factors {
        let columns = self.below::<V>(0, 0, shape.column_levels());
        let rows =
            (0..shape.rows).flat_map(|row| self.below::<V>(shape.column_levels(), row, shape.row_levels()));
        Factors {
            columns: Table::new(&columns),
            rows: Table::new(&rows.collect::<Vec<_>>()),
            tiles: Table::new(&self.tiles::<V>()),
        }
    }

    /// The nodes of `levels` levels, starting at a node, in the order in which [`super::passes::forward`]
    /// uses them: level by level in the first pass, and a node followed by its children in the others.
    fn below<V: Vector>(&self, level: usize, node: usize, levels: usize) -> Vec<[V::Word; 2]> {
        let first = if levels.is_multiple_of(2) {
            levels.min(2)
        } else {
            3
        };
        let mut nodes: Vec<(usize, usize)> = (0..first)
            .flat_map(|l| (0..1 << l).map(move |b| (l, b)))
            .collect();
        for l in (first..levels).step_by(2) {
            nodes.extend((0..1 << l).flat_map(|b| [(l, b), (l + 1, 2 * b), (l + 1, 2 * b + 1)]));
        }
        let factor = |(l, b)| self.factor(level + l, (node << l) + b);
        let encode = |place| V::encode_factor(self.q, factor(place));
        nodes.into_iter().map(encode).collect()
    }

    /// The factors that the last pass over `levels` levels, starting at a node, uses.
    fn last<V: Vector>(&self, level: usize, node: usize, levels: usize, scale: u64) -> Vec<[V::Word; 2]> {
        let encode = |w: u64| V::encode_factor(self.q, w);
        let scaled = |w: u64| encode(self.q.mul(w, scale));
        let [top, left, right] =
            [(0, 0), (1, 0), (1, 1)].map(|(l, b)| self.factor(level + l, (node << l) + b));
        let end = [encode(top), scaled(top), encode(scale)];
        if levels.is_multiple_of(2) {
            return [scaled(left), scaled(right)].into_iter().chain(end).collect();
        }
        let leaves = (0..4).map(|b| scaled(self.factor(level + 2, 4 * node + b)));
        let children = [encode(left), encode(right), scaled(left), scaled(right)];
        leaves.chain(children).chain(end).collect()
    }

    /// For each group of lanes: the nodes of the last level but two, of the next and of the last.
    fn tiles<V: Vector>(&self) -> Vec<V::Word> {
        let level = (self.n / BLOCK).ilog2() as usize;
        let mut words = Vec::new();
        for group in 0..self.n / (BLOCK * V::WIDTH) {
            for (l, child) in [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)] {
                let node = |lane| ((group * V::WIDTH + lane) << l) + child;
                let factors = (0..V::WIDTH).map(|lane| self.factor(level + l, node(lane)));
                encode::<V>(self.q, &factors.collect::<Vec<_>>(), &mut words);
            }
        }
        padded(words)
    }
}

/// Encodes the factors of one vector for `mul_table`.
fn encode<V: Vector>(q: &Modulus, factors: &[u64], words: &mut Vec<V::Word>) {
    for word in 0..V::TABLE_WORDS {
        words.extend(factors.iter().map(|&w| V::encode_table(q, w)[word]));
    }
}

/// Appends the extra word that `mul_table` may read.
fn padded<W: Copy>(mut words: Vec<W>) -> Vec<W> {
    words.extend(words.first().copied());
    words
}

/// Makes the table of a fixed factor of products, scaled by 1/n, for [`super::tiles::back`].
pub(super) struct EncodeValues<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) values: &'a [u64],
}

impl WithVector for EncodeValues<'_> {
    type Output = Table;

    unsafe fn run<V: Vector>(self) -> Table {
        let q = self.modulus;
        let (scale, n) = (scale(q, self.values.len()), self.values.len());
        let companion = q.shoup(scale);
        let mut words = Vec::with_capacity(words::<V>(n));
        for group in 0..n / (BLOCK * V::WIDTH) {
            for m in 0..BLOCK {
                let first = place::<V>(group) + m * BLOCK;
                for word in 0..V::TABLE_WORDS {
                    let values = &self.values[first..first + V::WIDTH];
                    let scaled = values.iter().map(|&x| q.mul_shoup(x, scale, companion));
                    words.extend(scaled.map(|w| V::encode_table(q, w)[word]));
                }
            }
        }
        Table::new(&padded(words))
    }
}

/// The root psi of a ring of dimension n.
pub(super) fn root(q: &Modulus, n: usize) -> Result<u64, RingError> {
    Ok(prime::root_of_unity(q, 2 * n as u64)?)
}
