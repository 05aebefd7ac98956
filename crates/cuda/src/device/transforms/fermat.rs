//! Fermat rings: `kernels/transform_fermat.cuh`.

use ringmill_arith::{Modulus, prime};
use ringmill_device::DeviceError;
use ringmill_ring::{FermatRing, diagonals};

use super::{Pass, ROW, powers, reverse_bits};

/// Goes down the columns, along the rows and back, and down the columns, with the same kernels for both
/// directions.
pub(super) fn passes(n: usize) -> Vec<Pass> {
    let columns = |way: &str| Pass::columns(n, format!("fermat_columns_{n}_{way}"));
    let rows = Pass::rows(n, format!("fermat_rows_{n}"));
    vec![columns("ahead"), rows, columns("back")]
}

/// The factors of a prime's tables, in the order of `FermatTables`, for transforms to values and to coefficients.
///
/// A transform to values is a correlation with two transforms over G for w^-1; a transform to coefficients
/// is one with two transforms for w, the root of the largest order in G.
pub(super) fn factors(ring: &FermatRing, q: &Modulus) -> Result<[Vec<u64>; 2], DeviceError> {
    let last = ring.orders().last().copied().unwrap_or(1);
    let root = prime::root_of_unity(q, last as u64)?;
    let [spectrum, inverse] = diagonals(ring, q)?;
    Ok([
        correlation(last, q, q.pow(root, last as u64 - 1), &spectrum),
        correlation(last, q, root, &inverse),
    ])
}

/// The factors of a correlation with two transforms for a root of order `last`; its table is in natural order.
fn correlation(last: usize, q: &Modulus, root: u64, table: &[u64]) -> Vec<u64> {
    let n = table.len();
    let powers = powers(q, root, last);
    let short = last / ROW;
    let mut factors: Vec<u64> = (0..8).map(|b| powers[short * 16 * reverse_bits(b, 8)]).collect();
    factors.extend((0..ROW).map(|i| powers[short * (i / 16) * (i % 16)]));
    // The inverse exists because n is a power of two and the modulus is odd.
    let scale = q.inv(q.reduce(n as u64)).unwrap_or(0);
    factors.extend((0..n).map(|place| q.mul(table[frequency(last, place)], scale)));
    if last > ROW {
        factors.extend((0..last).map(|place| powers[place / ROW * (place % ROW)]));
    }
    factors
}

/// The natural index over G of the frequency at a position. In a dimension of 2^16 the rows hold the low
/// digit.
fn frequency(last: usize, place: usize) -> usize {
    let (others, k) = (place / last * last, place % last);
    if last > ROW {
        others + k / ROW + k % ROW * ROW
    } else {
        place
    }
}
