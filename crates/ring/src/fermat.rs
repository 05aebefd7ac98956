use std::fmt;
use std::sync::Arc;

use ringmill_arith::secret::Secret;
use ringmill_arith::{ArithError, Modulus, prime};

use crate::RingError;

/// The Fermat primes 2^(2^i) + 1 and a primitive root of each: 3 generates the units of every
/// Fermat prime but 3 itself (Pepin).
const FERMAT: [(u64, u64); 5] = [(3, 2), (5, 3), (17, 3), (257, 3), (65537, 3)];

/// The ring Z\[x\]/Phi_d, d a squarefree product of Fermat primes, of dimension n = phi(d) = 2^k.
///
/// In *coefficient domain* an element is its n coefficients in the normal basis { zeta^e : e in G }, G =
/// (Z/d)*; in *evaluation domain* it is its values at zeta^e, e in G. The index in both is made of the
/// discrete logarithms of e to the generators of the prime factors, smallest prime first, row-major:
/// `index = ((j_0 * m_1 + j_1) * m_2 + j_2) ...` with m_i = p_i - 1.
///
/// Clones share their tables and are cheap.
#[derive(Clone)]
pub struct FermatRing(Arc<Tables>);

/// A prime factor of d.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    prime: u64,
    /// Of the units modulo the prime.
    pub(crate) generator: u64,
    /// 1 modulo the prime and 0 modulo all others.
    pub(crate) idempotent: u64,
}

impl Factor {
    /// The order p - 1 of the prime's group.
    pub(crate) fn order(&self) -> usize {
        self.prime as usize - 1
    }
}

struct Tables {
    d: u64,
    /// The smallest prime first.
    factors: Vec<Factor>,
    /// The order p - 1 of each prime's group, smallest first.
    orders: Vec<usize>,
    /// The unit of each index.
    exponents: Vec<u32>,
    /// The index of each unit; `u32::MAX` elsewhere.
    indices: Vec<u32>,
}

impl PartialEq for FermatRing {
    fn eq(&self, other: &Self) -> bool {
        self.0.d == other.0.d
    }
}

impl Eq for FermatRing {}

/// Without its tables.
impl fmt::Debug for FermatRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FermatRing({})", self.n())
    }
}

impl FermatRing {
    /// The dimensions that are offered: 2^11 to 2^17.
    pub const DIMENSIONS: [usize; 7] = [2048, 4096, 8192, 16384, 32768, 65536, 131_072];

    /// Makes the Fermat ring of dimension n.
    ///
    /// # Errors
    /// [`RingError::BadDimension`] unless n is one of [`FermatRing::DIMENSIONS`].
    pub fn new(n: usize) -> Result<Self, RingError> {
        if !Self::DIMENSIONS.contains(&n) {
            return Err(RingError::BadDimension {
                n,
                offered: &Self::DIMENSIONS,
            });
        }
        // Here k = log2 n = sum of 2^i over the primes F_i that divide d.
        let k = n.trailing_zeros();
        let primes = || (0..5).filter(|i| k >> i & 1 == 1).map(|i| FERMAT[i]);
        let d = primes().map(|(prime, _)| prime).product();
        let factor = |(prime, generator)| Factor {
            prime,
            generator,
            idempotent: d / prime * inverse(d / prime % prime, prime),
        };
        let factors: Vec<Factor> = primes().map(factor).collect();
        // The Chinese remainder theorem gives the exponents, one prime's powers after the other.
        let mut exponents = vec![0u64];
        for factor in &factors {
            let powers = std::iter::successors(Some(1), |x| Some(x * factor.generator % factor.prime));
            let powers: Vec<u64> = powers
                .take(factor.order())
                .map(|x| x * factor.idempotent % d)
                .collect();
            exponents = exponents
                .iter()
                .flat_map(|e| powers.iter().map(move |x| (e + x) % d))
                .collect();
        }
        let mut indices = vec![u32::MAX; d as usize];
        for (i, &e) in exponents.iter().enumerate() {
            indices[e as usize] = i as u32;
        }
        Ok(Self(Arc::new(Tables {
            d,
            orders: factors.iter().map(Factor::order).collect(),
            factors,
            exponents: exponents.into_iter().map(|e| e as u32).collect(),
            indices,
        })))
    }

    /// The conductor d.
    #[must_use]
    pub fn d(&self) -> u64 {
        self.0.d
    }

    /// The dimension n = phi(d).
    #[must_use]
    pub fn n(&self) -> usize {
        self.0.exponents.len()
    }

    /// The orders of the cyclic factors of G, smallest first; their product is n.
    #[must_use]
    pub fn orders(&self) -> &[usize] {
        &self.0.orders
    }

    /// The prime factors of d, smallest first.
    pub(crate) fn factors(&self) -> &[Factor] {
        &self.0.factors
    }

    /// The number w of prime factors of d.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.0.orders.len() as u32
    }

    /// The units modulo d in index order.
    #[must_use]
    pub fn exponents(&self) -> &[u32] {
        &self.0.exponents
    }

    /// The index of a unit modulo d, or `None` if `exponent` is not a unit.
    #[must_use]
    pub fn index_of(&self, exponent: u64) -> Option<usize> {
        match self.0.indices.get((exponent % self.0.d) as usize) {
            Some(&index) if index != u32::MAX => Some(index as usize),
            _ => None,
        }
    }

    /// The primes of a transform are 1 modulo this number: d times the largest order in G, so that all roots
    /// of unity exist.
    #[must_use]
    pub fn congruence(&self) -> u64 {
        self.0.d * self.0.orders.last().map_or(1, |&m| m as u64)
    }

    /// Finds the `count` largest suitable primes below `limit` that are not in `taken`, in descending order.
    ///
    /// # Errors
    /// [`ArithError::TooFewPrimes`] if there are fewer.
    pub fn primes(&self, limit: u64, count: usize, taken: &[u64]) -> Result<Vec<Modulus>, ArithError> {
        prime::primes_below(limit, self.congruence(), count, taken)
    }

    /// A bound of a product's growth: the magnitudes of its coefficients are at most this number times the
    /// product of the factors' largest magnitudes. It is n 2^w, because each product of two basis elements
    /// is a sum of at most 2^w basis elements with signs.
    #[must_use]
    pub fn expansion(&self) -> u64 {
        (self.n() as u64) << self.weight()
    }

    /// Folds an element of Z\[x\]/(x^d - 1) to the normal basis. The coefficients are given by exponent and
    /// are below 2^58.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are d coefficients.
    pub fn fold(&self, full: &[i64]) -> Result<Vec<i64>, RingError> {
        self.fold_with(full, |a, b| a - b)
    }

    /// Folds over any ring of coefficients, given the ring's subtraction.
    ///
    /// In each prime's dimension it subtracts the residue 0 from all others, because 1 = -(x + x^2 + ... +
    /// x^(p-1)) for a primitive p-th root x.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are d coefficients.
    pub fn fold_with<T: Copy + Default>(
        &self,
        full: &[T],
        subtract: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, RingError> {
        let d = self.d() as usize;
        if full.len() != d {
            return Err(RingError::WrongLength {
                expected: d,
                got: full.len(),
            });
        }
        let mut work = Secret::copy_of(full);
        for m in self.orders() {
            let p = m + 1;
            // zero + k * (d/p) runs through the exponents that differ from a multiple of p only modulo p.
            for zero in (0..d).step_by(p) {
                let value = work[zero];
                let mut other = zero;
                for _ in 1..p {
                    other += d / p;
                    if other >= d {
                        other -= d;
                    }
                    work[other] = subtract(work[other], value);
                }
            }
        }
        Ok(self.exponents().iter().map(|&e| work[e as usize]).collect())
    }
}

/// Finds the inverse modulo a small prime by search. Only setup uses it.
fn inverse(a: u64, p: u64) -> u64 {
    (1..p).find(|x| a * x % p == 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_match_the_table() {
        let expected = [3855, 4369, 13107, 21845, 65535, 65537, 196_611];
        for (n, d) in FermatRing::DIMENSIONS.into_iter().zip(expected) {
            let ring = FermatRing::new(n).unwrap();
            assert_eq!((ring.n(), ring.d()), (n, d));
            assert_eq!(ring.orders().iter().product::<usize>(), n);
            for (i, &e) in ring.exponents().iter().enumerate() {
                assert_eq!(ring.index_of(e.into()), Some(i));
            }
        }
        for n in [0, 1, 1024, 3000, 1 << 18] {
            assert!(
                matches!(FermatRing::new(n), Err(RingError::BadDimension { n: refused, .. }) if refused == n)
            );
        }
        assert_eq!(FermatRing::new(4096).unwrap().index_of(17), None);
    }

    #[test]
    fn folding_keeps_the_value_at_a_root_of_unity() {
        for n in [2048, 4096, 8192, 65536] {
            let ring = FermatRing::new(n).unwrap();
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let zeta = prime::root_of_unity(&q, ring.d()).unwrap();
            let full: Vec<i64> = (0..ring.d() as i64)
                .map(|k| (k * k * 7919 + k) % 2001 - 1000)
                .collect();
            let folded = ring.fold(&full).unwrap();
            let value = |terms: &mut dyn Iterator<Item = (u64, i64)>| {
                terms.fold(0, |sum, (e, c)| {
                    q.add(sum, q.mul(q.from_signed(c), q.pow(zeta, e)))
                })
            };
            let left = value(&mut full.iter().enumerate().map(|(e, &c)| (e as u64, c)));
            let units = ring.exponents().iter().map(|&e| u64::from(e));
            assert_eq!(left, value(&mut units.zip(folded)));
        }
        assert!(FermatRing::new(4096).unwrap().fold(&[0; 10]).is_err());
    }
}
