use std::sync::Arc;

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus, prime};
use ringmill_ring::cyclotomic::{Cyclotomic, Reduction};
use ringmill_ring::{NegacyclicRing, Ring};
use sha2::{Digest, Sha256};

use super::KaratsubaError;

/// The conductor of paper 4's degree 2560: 5 * 641. Of the five rings of that degree it has the cheapest
/// reduction, 3.3 additions a coefficient, and 40 slots (the paper: 22).
pub const CONDUCTOR: u64 = 3205;

/// The sets by name: bits of a prime, primes.
const SETS: [(&str, u32, usize); 4] = [
    ("cyclotomic-2560-135-insecure", 27, 5),
    ("cyclotomic-2560-125-insecure", 25, 5),
    ("cyclotomic-2560-135-wide-insecure", 45, 3),
    ("cyclotomic-2560-126-wide-insecure", 42, 3),
];

/// The parameter of the Gaussian errors.
const SIGMA: f64 = 3.2;

/// Says in one line what is wrong with the sets of this family; a front end prints it at each use.
#[must_use]
pub const fn warning() -> &'static str {
    "insecure, for comparison with paper 4 only: n = 2560 with log2 q = 125 or 135 and binary secrets is far \
     below 128 bits of security (which allows about 66 bits of q), and errors are not spherical in this ring"
}

/// Parameters of FV encryption over Z\[x\]/Phi_m with t = 2, binary secrets and Gaussian errors in the power basis, as
/// paper 4 has it. Insecure: see [`warning`]. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Parameters(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    ring: Cyclotomic,
    basis: Basis,
    reduction: Reduction,
    hash: [u8; 32],
}

impl Parameters {
    /// The names of the sets: n = 2560, log2 q = 135 and 125 in five primes for 32-bit lanes; "wide" ones have three
    /// primes for 50-bit lanes.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        SETS.iter().map(|(name, ..)| *name).collect()
    }

    /// The set of this name.
    ///
    /// # Errors
    /// [`KaratsubaError::UnknownSet`].
    pub fn insecure(name: &str) -> Result<Self, KaratsubaError> {
        let known = SETS.iter().find(|(known, ..)| *known == name);
        let &(name, bits, limbs) = known.ok_or_else(|| KaratsubaError::UnknownSet {
            name: name.to_owned(),
            known: Self::names().join(", "),
        })?;
        Self::insecure_of(name, CONDUCTOR, bits, limbs)
    }

    /// A set of one's own: conductor m, and as q the product of the `limbs` largest primes of at most `bits` bits
    /// that the padded transform can use.
    ///
    /// # Errors
    /// If there are no such ring or primes.
    pub fn insecure_of(name: &str, m: u64, bits: u32, limbs: usize) -> Result<Self, KaratsubaError> {
        let ring = Cyclotomic::new(m)?;
        let congruence = padding(ring.n())?[0].congruence();
        let basis = Basis::new(&prime::primes_below(1 << bits, congruence, limbs, &[])?)?;
        let reduction = Reduction::folding(&ring);
        let mut hash = Sha256::new_with_prefix(b"ringmill cyclotomic");
        hash.update(m.to_le_bytes());
        hash.update(SIGMA.to_bits().to_le_bytes());
        basis
            .moduli()
            .iter()
            .for_each(|q| hash.update(q.value().to_le_bytes()));
        Ok(Self(Arc::new(Inner {
            name: name.to_owned(),
            ring,
            basis,
            reduction,
            hash: hash.finalize().into(),
        })))
    }

    /// The name of the set.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The ring.
    #[must_use]
    pub fn ring(&self) -> &Cyclotomic {
        &self.0.ring
    }

    /// The dimension n.
    #[must_use]
    pub fn n(&self) -> usize {
        self.0.ring.n()
    }

    /// The primes of q.
    #[must_use]
    pub fn q(&self) -> &Basis {
        &self.0.basis
    }

    /// The parameter of the Gaussian errors.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        SIGMA
    }

    /// How products are reduced.
    #[must_use]
    pub fn reduction(&self) -> &Reduction {
        &self.0.reduction
    }

    /// Hash of all that matters; in every file.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        &self.0.hash
    }

    /// The residues of floor(q / 2), which carries a message bit.
    pub(super) fn delta(&self) -> Vec<u64> {
        let half: BigUint = self.q().product() >> 1;
        let residue = |modulus: &Modulus| (&half % modulus.value()).iter_u64_digits().next().unwrap_or(0);
        self.q().moduli().iter().map(residue).collect()
    }
}

/// The rings x^N + 1 in which a product of two polynomials of n coefficients is computed: one of at least 2n - 1
/// coefficients, or a power of two below and a smaller one that has the rest.
pub(super) fn padding(n: usize) -> Result<Vec<Ring>, KaratsubaError> {
    let length = 2 * n - 1;
    let smallest = NegacyclicRing::DIMENSIONS[0];
    let long = (length.next_power_of_two() / 2).max(smallest);
    let rest = length.saturating_sub(long).next_power_of_two().max(smallest);
    let lengths = match (length <= long, rest < long) {
        (true, _) => vec![long],
        (_, false) => vec![2 * long],
        _ => vec![long, rest],
    };
    let rings = lengths.into_iter().map(|n| Ok(NegacyclicRing::new(n)?.into()));
    rings.collect()
}
