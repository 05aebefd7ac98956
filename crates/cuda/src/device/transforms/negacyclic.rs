//! Z\[x\]/(x^n + 1): `kernels/transform_negacyclic.cuh`.

use ringmill_arith::{Modulus, prime};
use ringmill_device::DeviceError;
use ringmill_ring::{Domain, NegacyclicRing};

use super::{Pass, ROW, powers, reverse_bits};

/// The number of words in a row's leaf: a tree of four levels.
const LEAF: usize = 16;

/// Goes down the columns and along the rows, or the other way round; a limb of one row needs only the rows.
pub(super) fn passes(n: usize, to: Domain) -> Vec<Pass> {
    let way = match to {
        Domain::Evaluation => "ahead",
        Domain::Coefficient => "back",
    };
    let mut passes = Vec::new();
    if n > ROW {
        passes.push(Pass::columns(n, format!("negacyclic_columns_{n}_{way}")));
    }
    passes.push(Pass::rows(n, format!("negacyclic_rows_{n}_{way}")));
    if to == Domain::Coefficient {
        passes.reverse();
    }
    passes
}

/// The factors of a prime's tables, in the order of `NegacyclicTables`, for transforms to values and to coefficients.
///
/// Node b of level l of the tree of x^n + 1 has z = psi^(n/2^(l+1) (2 brv_l(b) + 1)). Transforms to
/// coefficients use the inverses, with the root's divided by n, and have 1/n at the unused place 0.
pub(super) fn factors(ring: &NegacyclicRing, q: &Modulus) -> Result<[Vec<u64>; 2], DeviceError> {
    let psi = prime::root_of_unity(q, ring.conductor())?;
    let powers = powers(q, psi, 2 * ring.n());
    Ok([Domain::Evaluation, Domain::Coefficient].map(|to| tree(q, &powers, to)))
}

/// The factors of transforms to a domain, from the powers of psi.
fn tree(q: &Modulus, powers: &[u64], to: Domain) -> Vec<u64> {
    let n = powers.len() / 2;
    let factor = |level: usize, b: usize| {
        let exponent = (n >> (level + 1)) * (2 * reverse_bits(b, 1 << level) + 1);
        match to {
            Domain::Evaluation => powers[exponent],
            Domain::Coefficient => powers[2 * n - exponent],
        }
    };
    let mut factors = vec![0];
    for level in 0..(n / LEAF).ilog2() as usize {
        factors.extend((0..1 << level).map(|b| factor(level, b)));
    }
    if to == Domain::Coefficient {
        // The inverse exists because n is a power of two and the modulus is odd.
        let scale = q.inv(q.reduce(n as u64)).unwrap_or(0);
        factors[0] = scale;
        factors[1] = q.mul(factors[1], scale);
    }
    let leaves = n.min(ROW) / LEAF;
    let top = (n / LEAF).ilog2() as usize;
    for row in 0..n / (leaves * LEAF) {
        for node in 0..LEAF {
            factors.extend((0..leaves).map(|leaf| match node.checked_ilog2() {
                None => 0,
                Some(level) => {
                    let first = (row * leaves + leaf) << level;
                    factor(top + level as usize, first + node - (1 << level))
                }
            }));
        }
    }
    factors
}
