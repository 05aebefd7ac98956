use ringmill_arith::{ArithError, Modulus, prime};
use ringmill_ring::FermatRing;

use super::{RingKind, Schedule, Shape, Work};
use crate::RtlError;
use crate::ntt_engine::{Direction, Unit};

/// The number that primes must be 1 modulo, so that all roots of unity of the ring's transform exist.
pub(super) fn congruence(shape: &Shape) -> Result<u64, RtlError> {
    match shape.ring() {
        RingKind::Fermat => Ok(FermatRing::new(shape.n())?.congruence()),
        RingKind::Cyclic | RingKind::Negacyclic => Ok(2 * shape.n() as u64),
    }
}

/// The constants of both directions that the host loads, times R, in the order of their addresses.
pub(super) fn constants(schedule: &Schedule, unit: &Unit) -> Result<Vec<u64>, RtlError> {
    let words = match schedule.shape().ring() {
        RingKind::Fermat => fermat(schedule.shape(), unit.modulus())?,
        RingKind::Cyclic | RingKind::Negacyclic => power(schedule, unit.modulus())?,
    };
    Ok(words.into_iter().map(|word| unit.raise(word)).collect())
}

/// For each dimension, the largest first: its Gauss sums over its order m, in bit-reversed order of frequencies, and m/2
/// powers of its root. Each is followed by its counterpart of the inverse transform.
///
/// With z of order p = m + 1, evaluation is a correlation with z^(g^j), g a generator modulo p. So it is a transform with
/// the root w^-1, the product by the Gauss sums, and a transform with w^-1 again (Rader); interpolation has their inverses
/// and w.
fn fermat(shape: &Shape, q: &Modulus) -> Result<Vec<u64>, RtlError> {
    let ring = FermatRing::new(shape.n())?;
    let zeta = prime::root_of_unity(q, ring.d())?;
    let mut words = Vec::new();
    for dimension in shape.dimensions() {
        let m = dimension.order() as u64;
        let p = m + 1;
        // The idempotent of the Chinese remainders takes zeta to the root of order p.
        let cofactor = ring.d() / p;
        let idempotent = (1..p).map(|i| i * cofactor).find(|e| e % p == 1).unwrap_or(1);
        let z = q.pow(zeta, idempotent);
        let exponents = ring
            .exponents()
            .iter()
            .step_by(1 << dimension.low)
            .take(m as usize);
        let kernel: Vec<u64> = exponents.map(|&e| q.pow(z, u64::from(e) % p)).collect();
        let root = prime::root_of_unity(q, m)?;
        let scale = inverse(q, m)?;
        for place in 0..m {
            let step = q.pow(root, reversed(place, dimension.bits));
            // Horner's rule, as the sum's powers of the root are those of j.
            let sum = kernel.iter().rev().fold(0, |sum, &x| q.add(q.mul(sum, step), x));
            words.extend([q.mul(sum, scale), q.mul(inverse(q, sum)?, scale)]);
        }
        for e in 0..m / 2 {
            words.extend([q.pow(root, (m - e) % m), q.pow(root, e)]);
        }
    }
    Ok(words)
}

/// The factor of each unit in each cycle of the forward, then of the inverse transform.
fn power(schedule: &Schedule, q: &Modulus) -> Result<Vec<u64>, RtlError> {
    let shape = schedule.shape();
    let order = 2 * shape.n() as u64;
    let psi = prime::root_of_unity(q, order)?;
    let scale = inverse(q, shape.n() as u64)?;
    let mut words = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        for pass in schedule.passes(direction) {
            for time in 0..shape.depth() {
                for cycle in 0..pass.cycles_per_slot() {
                    words.extend(schedule.slots(&pass, time).map(|slot| {
                        let e = exponent(shape, slot.index, pass.bit);
                        match (direction, pass.work, cycle) {
                            (_, Work::Scale, 0) => scale,
                            (_, Work::Scale, _) => q.mul(q.pow(psi, (order - e) % order), scale),
                            (Direction::Forward, ..) => q.pow(psi, e),
                            (Direction::Inverse, ..) => q.pow(psi, (order - e) % order),
                        }
                    }));
                }
            }
        }
    }
    Ok(words)
}

/// The exponent E with which a pass on a bit splits x^(2s) - psi^2E into x^s - psi^E, for bit 0, and x^s + psi^E =
/// x^s - psi^(E+n), for bit 1. At the top is x^n - 1, or x^n + 1 = x^n - psi^n.
fn exponent(shape: &Shape, index: usize, bit: u32) -> u64 {
    let n = shape.n() as u64;
    let top = match shape.ring() {
        RingKind::Negacyclic => n / 2,
        RingKind::Cyclic | RingKind::Fermat => 0,
    };
    let above = (bit + 1..shape.log_n()).rev();
    above.fold(top, |e, m| (e + (index as u64 >> m & 1) * n) / 2)
}

/// Reverses the lowest bits of a number.
const fn reversed(x: u64, bits: u32) -> u64 {
    x.reverse_bits() >> (u64::BITS - bits)
}

fn inverse(q: &Modulus, a: u64) -> Result<u64, RtlError> {
    Ok(q.inv(a).ok_or(ArithError::BadModulus(q.value()))?)
}
