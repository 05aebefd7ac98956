use ringmill_arith::Modulus;

use crate::negacyclic::{TILE, in_tile};
use crate::{FermatRing, NegacyclicRing, Ring, RingError};

/// The representation that the words of an element are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// The words are coefficients: in the normal basis of a Fermat ring, or of 1, x, ..., x^(n-1) modulo
    /// x^n + 1.
    Coefficient,
    /// The words are values at the primitive roots of unity.
    Evaluation,
}

/// The automorphism x -> x^k, with k a unit modulo the conductor, as a map of an element's words in one
/// domain.
///
/// Words move in rows. All words of row r of the result come from row [`Automorphism::source`] of the
/// argument, so a caller can make the result one row at a time.
///
/// * Fermat rings: a coefficient moves from zeta^e to zeta^(ke), and the value at zeta^e becomes the one at
///   zeta^(ke). In terms of the discrete logarithms both are shifts, in opposite directions: rows of m
///   words, with m the largest order in G, change places and rotate.
/// * x^n + 1, values: the same rule holds. Tiles of 64 words change places. Within a tile, the j-th value in
///   natural order belongs to an exponent a + j 2n/64, and j goes to k j + c.
/// * x^n + 1, coefficients: the coefficient of x^i goes to x^(ki), with the sign of x^n = -1. There is one
///   row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automorphism {
    row_len: usize,
    words: Words,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Words {
    /// Row r is row `sources[r]` of the argument; its entry j is entry j + `turn` there, modulo the row's
    /// length.
    Turned { sources: Vec<usize>, turn: usize },
    /// Tile t is tile `sources[t].0` of the argument; its j-th value in natural order is value `factor` j +
    /// `sources[t].1` there, modulo 64.
    Tiles {
        sources: Vec<(usize, usize)>,
        factor: usize,
    },
    /// Entry i is the argument's entry at `inverse` i modulo 2n, with the sign of x^n = -1.
    Signed { inverse: usize },
}

/// The longest rows of values of x^n + 1: half of a first-level cache.
const ROW: usize = 1024;

impl Automorphism {
    /// Makes the map of x -> x^`exponent` in one domain.
    ///
    /// # Errors
    /// [`RingError::NotAUnit`] if the exponent is not a unit modulo the conductor.
    pub fn new(ring: &Ring, exponent: u64, domain: Domain) -> Result<Self, RingError> {
        let inverse = ring.inverse(exponent)?;
        let exponent = exponent % ring.conductor();
        Ok(match (ring, domain) {
            (Ring::Fermat(ring), Domain::Coefficient) => turned(ring, inverse),
            (Ring::Fermat(ring), Domain::Evaluation) => turned(ring, exponent),
            (Ring::Negacyclic(ring), Domain::Coefficient) => Self {
                row_len: ring.n(),
                words: Words::Signed {
                    inverse: inverse as usize,
                },
            },
            (Ring::Negacyclic(ring), Domain::Evaluation) => tiles(ring, exponent),
        })
    }

    /// The number of words in a row; it divides n.
    #[must_use]
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// The row of the argument from which row `row` of the result is made.
    #[must_use]
    pub fn source(&self, row: usize) -> usize {
        match &self.words {
            Words::Turned { sources, .. } => sources[row],
            Words::Tiles { sources, .. } => sources[row * self.row_len / TILE].0 * TILE / self.row_len,
            Words::Signed { .. } => row,
        }
    }

    /// Makes row `row` of the result from its source row, on residues modulo q. Both slices must have
    /// [`Automorphism::row_len`] words; words beyond that stay as they are.
    pub fn place(&self, q: &Modulus, row: usize, source: &[u64], to: &mut [u64]) {
        match &self.words {
            Words::Turned { turn, .. } => {
                let (front, back) = source.split_at(*turn);
                let (start, end) = to.split_at_mut(back.len());
                start.copy_from_slice(back);
                end.copy_from_slice(front);
            }
            Words::Tiles { sources, factor } => {
                let first = self.source(row) * self.row_len / TILE;
                let sources = &sources[row * self.row_len / TILE..];
                for (to, &(tile, start)) in to.chunks_exact_mut(TILE).zip(sources) {
                    place_tile(&source[(tile - first) * TILE..], *factor, start, to);
                }
            }
            Words::Signed { inverse } => {
                let mask = 2 * self.row_len - 1;
                for (i, to) in to.iter_mut().enumerate() {
                    let from = (i * inverse) & mask;
                    let x = source[from & (mask / 2)];
                    *to = if from > mask / 2 { q.neg(x) } else { x };
                }
            }
        }
    }

    /// Applies the whole map to `from`, n residues modulo q, and writes the result to `to`.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless both slices have the same number of whole rows.
    pub fn apply(&self, q: &Modulus, from: &[u64], to: &mut [u64]) -> Result<(), RingError> {
        if from.len() != to.len() || !from.len().is_multiple_of(self.row_len) {
            return Err(RingError::WrongLength {
                expected: from.len(),
                got: to.len(),
            });
        }
        for (row, to) in to.chunks_exact_mut(self.row_len).enumerate() {
            let start = self.source(row) * self.row_len;
            self.place(q, row, &from[start..start + self.row_len], to);
        }
        Ok(())
    }
}

/// Shifts all discrete logarithms: the place of e gets the entry at e `factor`. Both are units.
fn turned(ring: &FermatRing, factor: u64) -> Automorphism {
    let row_len = ring.orders().last().copied().unwrap_or(1);
    let first = ring.exponents().iter().step_by(row_len);
    let places = first.filter_map(|&e| ring.index_of(u64::from(e) * factor));
    let places: Vec<usize> = places.collect();
    Automorphism {
        row_len,
        words: Words::Turned {
            turn: places.first().map_or(0, |place| place % row_len),
            sources: places.iter().map(|place| place / row_len).collect(),
        },
    }
}

/// Tile t holds the exponents a + j s with a < s = 2n/64, and k a + k j s = a' + (k j + c) s.
fn tiles(ring: &NegacyclicRing, exponent: u64) -> Automorphism {
    let step = ring.conductor() / TILE as u64;
    let source = |tile: usize| {
        let image = ring.exponent_at(tile * TILE) * exponent;
        let source = ring.position_of(image % step).unwrap_or(0) / TILE; // a unit's image is odd
        (source, (image / step) as usize % TILE)
    };
    Automorphism {
        row_len: ring.n().min(ROW),
        words: Words::Tiles {
            sources: (0..ring.n() / TILE).map(source).collect(),
            factor: (exponent % TILE as u64) as usize,
        },
    }
}

fn place_tile(from: &[u64], factor: usize, start: usize, to: &mut [u64]) {
    for (i, to) in to.iter_mut().enumerate() {
        *to = from[in_tile((factor * in_tile(i) + start) % TILE)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use ringmill_arith::Simd;

    fn rings() -> Vec<Ring> {
        let fermat = FermatRing::DIMENSIONS.map(|n| FermatRing::new(n).unwrap().into());
        let negacyclic = NegacyclicRing::DIMENSIONS.map(|n| NegacyclicRing::new(n).unwrap().into());
        fermat.into_iter().chain(negacyclic).collect()
    }

    /// Applies the definition: finds the origin of each word by its exponent.
    fn defined(ring: &Ring, q: &Modulus, k: u64, domain: Domain, a: &[u64]) -> Vec<u64> {
        let d = ring.conductor();
        let exponent = |i| match domain {
            Domain::Coefficient => ring.coefficient_exponent(i),
            Domain::Evaluation => ring.value_exponent(i),
        };
        let mut by_exponent = vec![0; d as usize];
        for (i, &x) in a.iter().enumerate() {
            match domain {
                Domain::Coefficient => by_exponent[(exponent(i) * k % d) as usize] = x,
                Domain::Evaluation => by_exponent[exponent(i) as usize] = x,
            }
        }
        let word = |i| match (ring, domain) {
            (_, Domain::Evaluation) => by_exponent[(exponent(i) * k % d) as usize],
            (Ring::Fermat(_), Domain::Coefficient) => by_exponent[exponent(i) as usize],
            // x^(n + i) = -x^i
            (Ring::Negacyclic(_), Domain::Coefficient) => q.sub(by_exponent[i], by_exponent[i + a.len()]),
        };
        (0..a.len()).map(word).collect()
    }

    #[test]
    fn words_move_as_defined() {
        for ring in rings() {
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let a: Vec<u64> = (1..=ring.n() as u64).collect();
            for domain in [Domain::Coefficient, Domain::Evaluation] {
                for k in [1, ring.conductor() - 1, ring.value_exponent(ring.n() / 3), 7] {
                    if !ring.is_unit(k) {
                        continue;
                    }
                    let mut moved = vec![0; ring.n()];
                    let automorphism = Automorphism::new(&ring, k, domain).unwrap();
                    automorphism.apply(&q, &a, &mut moved).unwrap();
                    assert!(
                        moved == defined(&ring, &q, k, domain, &a),
                        "{ring:?} {k} {domain:?}"
                    );
                }
                assert!(Automorphism::new(&ring, 0, domain).is_err());
            }
        }
    }

    #[test]
    fn both_domains_agree_and_invert() {
        for ring in rings()
            .into_iter()
            .filter(|ring| ring.n() <= 4096 || ring.n() == 65536)
        {
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let transform = Transform::new(&ring, q, Simd::Portable).unwrap();
            let a: Vec<u64> = (0..ring.n() as u64).map(|i| i * i % 1009).collect();
            let moved = |a: &[u64], k, domain| {
                let mut result = vec![0; a.len()];
                let automorphism = Automorphism::new(&ring, k, domain).unwrap();
                automorphism.apply(&q, a, &mut result).unwrap();
                result
            };
            let d = ring.conductor();
            for k in [7, d - 1, ring.value_exponent(ring.n() - 1)] {
                if !ring.is_unit(k) {
                    continue;
                }
                let mut left = moved(&a, k, Domain::Coefficient);
                assert_eq!(moved(&left, ring.inverse(k).unwrap(), Domain::Coefficient), a);
                let mut values = a.clone();
                transform.evaluate(&mut values).unwrap();
                transform.evaluate(&mut left).unwrap();
                assert!(left == moved(&values, k, Domain::Evaluation), "{ring:?} {k}");
            }
        }
    }

    #[test]
    fn refuses_what_is_no_unit() {
        let ring = FermatRing::new(4096).unwrap().into();
        for k in [0, 17, 257] {
            for domain in [Domain::Coefficient, Domain::Evaluation] {
                let refusal = Automorphism::new(&ring, k, domain);
                assert!(matches!(refusal, Err(RingError::NotAUnit { .. })));
            }
        }
        let ring = NegacyclicRing::new(64).unwrap().into();
        assert!(Automorphism::new(&ring, 64, Domain::Evaluation).is_err());
        let automorphism = Automorphism::new(&ring, 3, Domain::Evaluation).unwrap();
        let q = ring.primes(1 << 30, 1, &[]).unwrap()[0];
        assert!(automorphism.apply(&q, &[0; 64], &mut [0; 63]).is_err());
    }
}
