use super::columns::ColumnsArray;
use super::shapes::Fault;
use super::{DoublesPortable, HalvesPortable, Lanes, Rows, Vector};
use crate::Modulus;

/// `W` scalars of one kind as a vector: plain arrays and loops, with the layout in memory of a vector kernel of as
/// many lanes. `T` is the number of words that an entry of a table has. Nothing is inlined: loops are compiled for many shapes, and each operation is a loop itself.
#[derive(Clone, Copy)]
pub(super) struct Array<S, const W: usize, const T: usize>([S; W]);

/// The prime, for the scalars and as it is.
#[derive(Clone, Copy)]
pub(super) struct Field<F> {
    scalars: F,
    q: Modulus,
}

impl<S: Vector, const W: usize, const T: usize> Array<S, W, T> {
    /// The side of the squares that a transposition is made of.
    const SIDE: usize = if W < 8 { W } else { 8 };

    fn of(lane: impl FnMut(usize) -> S) -> Self {
        Self(std::array::from_fn(lane))
    }

    /// With lanes in the wrong order, if that is the fault.
    fn faulty(mut self, fault: Fault) -> Self {
        if fault.is_present() {
            self.0.rotate_left(1);
        }
        self
    }

    fn pair(self, other: Self, mut both: impl FnMut(S, S) -> (S, S)) -> (Self, Self) {
        let pairs: [(S, S); W] = std::array::from_fn(|i| both(self.0[i], other.0[i]));
        (Self::of(|i| pairs[i].0), Self::of(|i| pairs[i].1))
    }

    /// The word that a lane of a vector of blocks holds.
    const fn word(vector: usize, lane: usize) -> usize {
        let (side, block) = (Self::SIDE, vector % Self::SIDE + lane / Self::SIDE * Self::SIDE);
        8 * block + lane % side + vector / side * side
    }
}

impl<S, const W: usize, const T: usize> Vector for Array<S, W, T>
where
    S: Vector<Word: Into<u64>>,
{
    type Word = S::Word;
    const WIDTH: usize = W;
    const TABLE_WORDS: usize = T;
    type Field = Field<S::Field>;
    type Factor = S::Factor;

    #[inline(never)]
    unsafe fn field(q: &Modulus) -> Self::Field {
        // SAFETY: the caller's promise is the scalar's, here and below.
        let scalars = unsafe { S::field(q) };
        Field { scalars, q: *q }
    }

    fn encode_factor(q: &Modulus, w: u64) -> [S::Word; 2] {
        S::encode_factor(q, w)
    }

    fn encode_table(q: &Modulus, w: u64) -> [S::Word; 2] {
        S::encode_table(q, w)
    }

    #[inline(never)]
    unsafe fn load(field: Self::Field, from: *const u64) -> Self {
        // SAFETY: the caller vouches for W words.
        Self::of(|i| unsafe { S::load(field.scalars, from.add(i)) })
    }

    #[inline(never)]
    unsafe fn store(self, field: Self::Field, to: *mut u64) {
        for (i, x) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for W words.
            unsafe { x.store(field.scalars, to.add(i)) };
        }
    }

    #[inline(never)]
    unsafe fn load_lazy(from: *const S::Word) -> Self {
        // SAFETY: the caller vouches for W words.
        Self::of(|i| unsafe { S::load_lazy(from.add(i)) })
    }

    #[inline(never)]
    unsafe fn store_lazy(self, to: *mut S::Word) {
        for (i, x) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for W words.
            unsafe { x.store_lazy(to.add(i)) };
        }
    }

    #[inline(never)]
    unsafe fn factor(from: *const [S::Word; 2]) -> S::Factor {
        // SAFETY: the caller vouches for two words.
        unsafe { S::factor(from) }
    }

    #[inline(never)]
    unsafe fn load_blocks(from: *const S::Word) -> [Self; 8] {
        // SAFETY: the caller vouches for 8 W words.
        std::array::from_fn(|v| Self::of(|i| unsafe { S::load_lazy(from.add(Self::word(v, i))) }))
    }

    #[inline(never)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut S::Word) {
        for (v, block) in blocks.into_iter().enumerate() {
            for (i, x) in block.0.into_iter().enumerate() {
                // SAFETY: the caller vouches for 8 W words.
                unsafe { x.store_lazy(to.add(Self::word(v, i))) };
            }
        }
    }

    #[inline(never)]
    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8] {
        let side = Self::SIDE;
        std::array::from_fn(|v| {
            Self::of(|i| vectors[v / side * side + i % side].0[i / side * side + v % side])
        })
    }

    #[inline(never)]
    unsafe fn reduce_lazy(self, field: Self::Field) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { self.0[i].reduce_lazy(field.scalars) })
    }

    #[inline(never)]
    unsafe fn mul(self, field: Self::Field, factor: S::Factor) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { self.0[i].mul(field.scalars, factor) }).faulty(Fault::Product)
    }

    #[inline(never)]
    unsafe fn mul_table(self, field: Self::Field, table: *const S::Word) -> Self {
        Self::of(|i| {
            // SAFETY: the caller vouches for T words for each of W lanes.
            unsafe {
                let w = *table.add(i);
                let words = match T {
                    1 => S::encode_table(&field.q, w.into()),
                    _ => [w, *table.add(W + i)],
                };
                self.0[i].mul_table(field.scalars, words.as_ptr())
            }
        })
    }

    #[inline(never)]
    unsafe fn butterfly_unit(field: Self::Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: see `field`.
        u.pair(v, |u, v| unsafe { S::butterfly_unit(field.scalars, u, v) })
    }

    #[inline(never)]
    unsafe fn add_sub(field: Self::Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: see `field`.
        u.pair(v, |u, v| unsafe { S::add_sub(field.scalars, u, v) })
    }

    #[inline(never)]
    unsafe fn add_sub_back(field: Self::Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: see `field`.
        u.pair(v, |u, v| unsafe { S::add_sub_back(field.scalars, u, v) })
    }
}

impl<S: Lanes, const W: usize, const T: usize> Rows for Array<S, W, T> {
    #[inline(never)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        for (i, j) in (0..W).flat_map(|i| (0..W).map(move |j| (i, j))) {
            // SAFETY: the caller vouches for W rows of W words on each side.
            unsafe { *to.add(j * to_stride + i) = *from.add(i * from_stride + j) };
        }
    }
}

impl<S: Lanes, const W: usize, const T: usize> Lanes for Array<S, W, T> {
    const TERMS: usize = S::TERMS;
    const NARROW_TERMS: usize = S::NARROW_TERMS;
    type Sum = [S::Sum; W];
    type Real = [S::Real; W];
    type Halves = HalvesPortable<W>;
    type Columns = ColumnsArray<W>;
    type Doubles = DoublesPortable<W>;
    type Loose = Self;
    const LOOSE_BITS: u32 = 0;

    fn fixed_terms(from: u32, to: u32) -> usize {
        S::fixed_terms(from, to)
    }

    fn encode_operand(q: &Modulus, w: u64) -> u64 {
        S::encode_operand(q, w)
    }

    #[inline(never)]
    unsafe fn operand(word: u64) -> Self {
        // SAFETY: see `field`.
        Self::of(|_| unsafe { S::operand(word) })
    }

    #[inline(never)]
    unsafe fn representative(self, field: Self::Field) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { self.0[i].representative(field.scalars) })
    }

    #[inline(never)]
    unsafe fn sum_zero(field: Self::Field) -> Self::Sum {
        // SAFETY: see `field`.
        [unsafe { S::sum_zero(field.scalars) }; W]
    }

    #[inline(never)]
    unsafe fn sum_mul(sum: Self::Sum, a: Self, b: Self) -> Self::Sum {
        // SAFETY: see `field`.
        std::array::from_fn(|i| unsafe { S::sum_mul(sum[i], a.0[i], b.0[i]) })
    }

    #[inline(never)]
    unsafe fn sum_reduce(field: Self::Field, sum: Self::Sum) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { S::sum_reduce(field.scalars, sum[i]) }).faulty(Fault::Sum)
    }

    #[inline(never)]
    unsafe fn fixed_reduce(field: Self::Field, sum: Self::Sum) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { S::fixed_reduce(field.scalars, sum[i]) }).faulty(Fault::Sum)
    }

    #[inline(never)]
    unsafe fn add(self, field: Self::Field, other: Self) -> Self {
        // SAFETY: see `field`.
        Self::of(|i| unsafe { self.0[i].add(field.scalars, other.0[i]) })
    }

    #[inline(never)]
    unsafe fn real_zero() -> Self::Real {
        // SAFETY: see `field`.
        [unsafe { S::real_zero() }; W]
    }

    #[inline(never)]
    unsafe fn real_mul_add(sum: Self::Real, y: Self, inverse: f64) -> Self::Real {
        // SAFETY: see `field`.
        std::array::from_fn(|i| unsafe { S::real_mul_add(sum[i], y.0[i], inverse) })
    }

    #[inline(never)]
    unsafe fn real_round(sum: Self::Real) -> (Self, u32) {
        // SAFETY: see `field`.
        let rounded = sum.map(|sum| unsafe { S::real_round(sum) });
        let mask = (0..W).map(|i| rounded[i].1 << i).sum();
        (Self::of(|i| rounded[i].0).faulty(Fault::Fraction), mask)
    }
}
