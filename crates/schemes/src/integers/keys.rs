use num_bigint::BigUint;
use ringmill_arith::secret::Secret;
use sha2::{Digest, Sha256};

use super::accumulation::Elements;
use super::words;
use super::{Barrett, Parameters};

/// The secret prime p, wiped when dropped.
///
/// What is computed with it is not: `num-bigint` does not wipe the numbers that it frees.
pub struct SecretKey {
    pub(super) parameters: Parameters,
    p: Secret<Vec<u64>>,
    /// [`PublicKey::fingerprint`] of the public key made with it.
    pub(super) key: [u8; 32],
}

impl SecretKey {
    pub(super) fn new(parameters: Parameters, p: &BigUint, key: [u8; 32]) -> Self {
        let count = parameters.eta().div_ceil(64) as usize;
        let p = Secret::new(words::words(p, count));
        Self { parameters, p, key }
    }

    /// The prime, as a number that nobody wipes.
    pub(super) fn p(&self) -> BigUint {
        words::number(&self.p)
    }

    /// The words of the prime, lowest first.
    pub(super) fn words(&self) -> &[u64] {
        &self.p
    }

    /// Its parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The modulus x_0 = p q_0, and the elements x_i = chi_i - delta_i as a seed of the chi_i and the corrections delta_i.
#[derive(Clone)]
pub struct PublicKey {
    pub(super) parameters: Parameters,
    pub(super) elements: Elements,
    /// Corrections one after the other, each of [`Parameters::correction_words`].
    pub(super) corrections: Vec<u64>,
    /// Reduction of sums modulo x_0.
    pub(super) barrett: Barrett,
    fingerprint: [u8; 32],
}

impl PublicKey {
    pub(super) fn new(
        parameters: Parameters,
        elements: Elements,
        corrections: Vec<u64>,
        modulus: &BigUint,
    ) -> Self {
        let mut hash = Sha256::new_with_prefix(parameters.hash());
        hash.update(elements.seed().as_bytes());
        for word in modulus.iter_u64_digits().chain(corrections.iter().copied()) {
            hash.update(word.to_le_bytes());
        }
        // Twice a sum of tau products with factors of alpha bits, and x_0 and noise.
        let terms = parameters.tau().next_power_of_two().ilog2();
        let excess = u64::from(parameters.alpha() + terms + 2);
        Self {
            parameters,
            elements,
            corrections,
            barrett: Barrett::new(modulus, excess),
            fingerprint: hash.finalize().into(),
        }
    }

    /// Its parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The numbers chi_i.
    #[must_use]
    pub const fn elements(&self) -> &Elements {
        &self.elements
    }

    /// The words of the corrections delta_i, as many of each, the lowest first.
    #[must_use]
    pub fn corrections(&self) -> &[u64] {
        &self.corrections
    }

    /// The modulus x_0.
    #[must_use]
    pub const fn modulus(&self) -> &BigUint {
        self.barrett.modulus()
    }

    /// SHA-256 of the key.
    #[must_use]
    pub const fn fingerprint(&self) -> &[u8; 32] {
        &self.fingerprint
    }

    /// Bytes of its file's payload, nearly all of what it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        32 + 8 * (self.parameters.words() + self.corrections.len()) as u64
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PublicKey({})", self.parameters)
    }
}
