//! The automorphisms x -> x^k, k a unit modulo d, as index maps: a permutation without signs in
//! either domain.

use crate::{FermatRing, RingError};

/// What the words of an element are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Coefficients in the normal basis.
    Coefficient,
    /// Values at the primitive d-th roots of unity.
    Evaluation,
}

/// The map of x -> x^`exponent`: entry i of the result is entry `map[i]` of the argument.
///
/// Coefficients move from zeta^e to zeta^(ke); the value at zeta^e becomes the one at zeta^(ke).
/// In terms of G's discrete logarithms both are shifts, in opposite directions.
///
/// # Errors
/// [`RingError::NotAUnit`].
pub fn map(ring: &FermatRing, exponent: u64, domain: Domain) -> Result<Vec<u32>, RingError> {
    let factor = factor(ring, exponent, domain)?;
    let units = ring.exponents().iter();
    units
        .map(|&e| ring.index_of(u64::from(e) * factor).map(|i| i as u32))
        .collect::<Option<Vec<u32>>>()
        .ok_or(RingError::NotAUnit {
            exponent,
            d: ring.d(),
        })
}

/// The same map as rows moved and turned. The words of an element are rows of m words, m the largest
/// order in G; a shift of all discrete logarithms keeps rows together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// m
    pub length: usize,
    /// Row r of the result is row `sources[r]` of the argument, turned.
    pub sources: Vec<usize>,
    /// Entry j of a row of the result is entry j + `turn` modulo m of its source.
    pub turn: usize,
}

/// The map of x -> x^`exponent` as [`Rows`], without a table of n entries.
///
/// # Errors
/// [`RingError::NotAUnit`].
pub fn rows(ring: &FermatRing, exponent: u64, domain: Domain) -> Result<Rows, RingError> {
    let factor = factor(ring, exponent, domain)?;
    let length = ring.orders().last().copied().unwrap_or(1);
    let first = ring.exponents().iter().step_by(length);
    let places = first.map(|&e| ring.index_of(u64::from(e) * factor));
    let places = places.collect::<Option<Vec<usize>>>();
    let places = places.ok_or(RingError::NotAUnit {
        exponent,
        d: ring.d(),
    })?;
    Ok(Rows {
        length,
        turn: places.first().map_or(0, |place| place % length),
        sources: places.iter().map(|place| place / length).collect(),
    })
}

/// What exponents are multiplied by to find the place that an entry comes from.
fn factor(ring: &FermatRing, exponent: u64, domain: Domain) -> Result<u64, RingError> {
    let not_a_unit = RingError::NotAUnit {
        exponent,
        d: ring.d(),
    };
    match domain {
        Domain::Evaluation => Ok(exponent % ring.d()),
        Domain::Coefficient => inverse(ring, exponent).ok_or(not_a_unit),
    }
}

/// The inverse of a unit modulo d: its power of order n - 1, since G's order n is a multiple of
/// every element's.
#[must_use]
pub fn inverse(ring: &FermatRing, exponent: u64) -> Option<u64> {
    ring.index_of(exponent)?;
    let d = ring.d();
    let (mut result, mut square, mut rest) = (1, exponent % d, ring.n() - 1);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result * square % d;
        }
        square = square * square % d;
        rest >>= 1;
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use ringmill_arith::Kernel;

    #[test]
    fn rows_are_the_map() {
        for n in FermatRing::DIMENSIONS {
            let ring = FermatRing::new(n).unwrap();
            for domain in [Domain::Coefficient, Domain::Evaluation] {
                for k in [1, 2, ring.d() - 1, u64::from(ring.exponents()[n / 3])] {
                    let rows = rows(&ring, k, domain).unwrap();
                    let place = |i: usize| {
                        let (row, j) = (i / rows.length, i % rows.length);
                        (rows.sources[row] * rows.length + (j + rows.turn) % rows.length) as u32
                    };
                    let expected = map(&ring, k, domain).unwrap();
                    assert_eq!((0..n).map(place).collect::<Vec<_>>(), expected);
                }
                assert!(rows(&ring, 0, domain).is_err());
            }
        }
    }

    #[test]
    fn both_domains_agree_and_invert() {
        for n in [2048, 4096, 65536] {
            let ring = FermatRing::new(n).unwrap();
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let transform = Transform::new(&ring, q, Kernel::Portable).unwrap();
            let a: Vec<u64> = (0..n as u64).map(|i| i * i % 1009).collect();
            let permute = |a: &[u64], map: Vec<u32>| map.iter().map(|&i| a[i as usize]).collect::<Vec<_>>();
            for k in [2, 7, ring.d() - 1, u64::from(ring.exponents()[n - 1])] {
                let mut left = permute(&a, map(&ring, k, Domain::Coefficient).unwrap());
                let back = permute(&left, {
                    let inverse = inverse(&ring, k).unwrap();
                    assert_eq!(inverse * k % ring.d(), 1);
                    map(&ring, inverse, Domain::Coefficient).unwrap()
                });
                assert_eq!(back, a);
                let mut values = a.clone();
                transform.evaluate(&mut values).unwrap();
                transform.evaluate(&mut left).unwrap();
                assert_eq!(left, permute(&values, map(&ring, k, Domain::Evaluation).unwrap()));
            }
        }
        let ring = FermatRing::new(4096).unwrap();
        for k in [0, 17, 257] {
            assert!(matches!(
                map(&ring, k, Domain::Coefficient),
                Err(RingError::NotAUnit { .. })
            ));
            assert!(map(&ring, k, Domain::Evaluation).is_err());
        }
    }
}
