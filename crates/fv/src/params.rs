use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Ring;

mod definition;
mod groups;
mod levels;
mod spec;

pub(crate) use definition::{Definition, MAX_NAME};
pub use ringmill_ring::PrimeRule;
pub use ringmill_rlwe::{PrimeChoice, SecretDistribution};
pub use spec::{KeySwitching, ParametersSpec, RingKind};

use crate::{FvError, Security, presets};
use levels::Levels;

/// Exclusive upper limit of every prime: what the vector kernels can take.
pub(crate) const PRIME_LIMIT: u64 = 1 << 50;

/// Exclusive upper limit of narrow primes, whose transforms take less time on machines with AVX-512.
pub const NARROW_LIMIT: u64 = 1 << 48;

/// The most limbs of q or of P.
pub(crate) const MAX_LIMBS: usize = 64;

/// The most small primes.
pub(crate) const MAX_SMALL: usize = 8;

/// The most auxiliary primes: for 64 limbs of q and the product's growth, all of nearly 50 bits.
pub(crate) const MAX_AUXILIARY: usize = 68;

/// Bits by which log2 B of [`Parameters::factor_basis`] is at least above log2 q: the rounding of a second factor to B has
/// 2^-8 of the power that a rounding to q has.
const FACTOR_BITS: f64 = 4.0;

/// Products whose sum the auxiliary primes can hold at the highest level.
const LEAST_PRODUCTS: u64 = 1024;

/// All public choices of the scheme. Cheap to clone; equal if their hashes are.
#[derive(Debug, Clone)]
pub struct Parameters(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    definition: Definition,
    ring: Ring,
    q: Basis,
    levels: Levels,
    groups: Vec<Basis>,
    special: Option<Basis>,
    auxiliary: Basis,
    log2_p: f64,
    security: Security,
    hash: [u8; 32],
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
    }
}

impl Eq for Parameters {}

impl Parameters {
    /// Chooses the primes and checks everything.
    ///
    /// # Errors
    /// [`FvError::BadParameter`] naming the parameter; [`FvError::Insecure`] for less than 128 bits
    /// without `allow_insecure`; [`FvError::Ring`] and [`FvError::Arith`] for a dimension that is not
    /// offered and if there are not enough primes.
    pub fn new(spec: &ParametersSpec) -> Result<Self, FvError> {
        Self::from_definition(Definition::choose(spec)?)
    }

    /// The preset of this name.
    ///
    /// # Errors
    /// [`FvError::UnknownPreset`].
    pub fn preset(name: &str) -> Result<Self, FvError> {
        Self::new(&presets::spec(name)?)
    }

    /// Names of the presets.
    #[must_use]
    pub fn preset_names() -> Vec<String> {
        presets::names()
    }

    pub(crate) fn from_definition(definition: Definition) -> Result<Self, FvError> {
        let checked = definition.check()?;
        let log2_p = checked.special.as_ref().map_or(0.0, Basis::log2);
        let total = checked.q.log2() + log2_p;
        let security = if definition.is_hepcloud() {
            Security::hepcloud(checked.q.log2())
        } else {
            Security::of(definition.n, total, definition.secret, definition.sigma)
        };
        if let (Some(warning), false) = (&security.warning, definition.allow_insecure) {
            return Err(FvError::Insecure {
                name: definition.name,
                warning: warning.clone(),
            });
        }
        let hash = definition.hash();
        Ok(Self(Arc::new(Inner {
            definition,
            ring: checked.ring,
            q: checked.q,
            levels: checked.levels,
            groups: checked.groups,
            special: checked.special,
            auxiliary: checked.auxiliary,
            log2_p,
            security,
            hash,
        })))
    }

    pub(crate) fn definition(&self) -> &Definition {
        &self.0.definition
    }

    /// A name for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.definition.name
    }

    /// The ring.
    #[must_use]
    pub fn ring(&self) -> &Ring {
        &self.0.ring
    }

    /// Dimension of the ring.
    #[must_use]
    pub fn n(&self) -> usize {
        self.0.definition.n
    }

    /// Plaintext modulus.
    #[must_use]
    pub fn t(&self) -> u64 {
        self.0.definition.t
    }

    /// All limbs of q, the small primes first. See [`Parameters::q_at`].
    #[must_use]
    pub fn q(&self) -> &Basis {
        &self.0.q
    }

    /// The strictest rule that all primes follow, those of P and the auxiliary ones too.
    #[must_use]
    pub fn prime_rule(&self) -> PrimeRule {
        let Definition {
            q,
            special,
            auxiliary,
            ..
        } = self.definition();
        PrimeRule::of([q, special, auxiliary].into_iter().flatten().copied())
    }

    /// Whether all primes, those of P and the auxiliary ones too, are below [`NARROW_LIMIT`].
    #[must_use]
    pub fn are_narrow(&self) -> bool {
        let Definition {
            q,
            special,
            auxiliary,
            ..
        } = self.definition();
        let mut primes = [q, special, auxiliary].into_iter().flatten();
        primes.all(|prime| *prime < NARROW_LIMIT)
    }

    /// Number of small primes: the first limbs of q, each smaller than the others.
    #[must_use]
    pub fn small_prime_count(&self) -> usize {
        self.0.definition.small
    }

    /// The number of levels, which is the highest; the lowest is 1.
    ///
    /// A level is a modulus that ciphertexts can have: the product of the first h small primes and the first
    /// b large ones, of any h and b that are not both 0. Levels are sorted by that product. Without small
    /// primes level l has the first l limbs.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.0.levels.len()
    }

    /// The limbs of a level, small primes first: a basis of its own, not always a prefix of
    /// [`Parameters::q`].
    ///
    /// # Errors
    /// [`FvError::BadLevel`].
    pub fn q_at(&self, level: usize) -> Result<Basis, FvError> {
        Ok(self.0.levels.basis(level)?.clone())
    }

    /// Number of limbs of a level; of the highest for any larger number, 0 for level 0.
    #[must_use]
    pub fn limbs_at(&self, level: usize) -> usize {
        self.0.levels.clamped(level).map_or(0, Basis::len)
    }

    /// The primes of the key-switching modulus P; `None` but with [`KeySwitching::Hybrid`].
    #[must_use]
    pub fn special(&self) -> Option<&Basis> {
        self.0.special.as_ref()
    }

    /// The basis of key-switching keys: all limbs of q, then those of P.
    ///
    /// # Errors
    /// None for checked parameters.
    pub fn key_basis(&self) -> Result<Basis, FvError> {
        match &self.0.special {
            Some(special) => Ok(self.0.q.concat(special)?),
            None => Ok(self.0.q.clone()),
        }
    }

    /// The auxiliary primes, prefixes of which hold tensor products: see [`Parameters::extension`].
    #[must_use]
    pub fn auxiliary(&self) -> &Basis {
        &self.0.auxiliary
    }

    /// B_l: the primes by which ciphertexts of a level are extended for a product.
    ///
    /// The shortest prefix of the auxiliary primes with log2 B >= log2 q_l + log2 t + log2(n 2^w) + 1.
    /// Parts of a tensor product of centred ciphertexts are sums of at most two products of elements
    /// of magnitude q_l/2, so at most n 2^w q_l^2/2. They stay in the centred range of q_l B, and t/q_l
    /// times them in that of B, if B > t n 2^w q_l. The further bit allows for a sum of two such
    /// products; [`Parameters::extension_for`] for more.
    ///
    /// # Errors
    /// [`FvError::BadLevel`].
    pub fn extension(&self, level: usize) -> Result<Basis, FvError> {
        self.extension_for(level, 2)
    }

    /// B of [`crate::Context::first_factor`] and [`crate::Context::second_factor`] at a level: all special primes, then
    /// auxiliary ones, the fewest with log2 B >= log2 q_l + 4.
    ///
    /// The tensor product of factors over q_l and over B is needed modulo q_l B only, whatever its magnitude. So B does not
    /// grow with the number of products, and need not exceed q_l by their growth, as [`Parameters::extension`] must.
    ///
    /// # Errors
    /// [`FvError::BadLevel`]; [`FvError::TooManyProducts`] if there are too few auxiliary primes for one.
    pub fn factor_basis(&self, level: usize) -> Result<Basis, FvError> {
        self.q_at(level)?;
        let needed = self.log2_q(level) + FACTOR_BITS;
        let special = self.special().map_or(&[][..], Basis::moduli);
        let (mut log2, mut primes) = (self.log2_p(), special.to_vec());
        for prime in self.0.auxiliary.moduli() {
            if log2 >= needed {
                break;
            }
            log2 += (prime.value() as f64).log2();
            primes.push(*prime);
        }
        if log2 < needed {
            let (products, most) = (1, 0);
            return Err(FvError::TooManyProducts {
                products,
                level,
                most,
            });
        }
        Ok(Basis::new(&primes)?)
    }

    /// As [`Parameters::extension`] for a sum of at most `products` tensor products.
    ///
    /// # Errors
    /// [`FvError::BadLevel`]; [`FvError::TooManyProducts`], with at most 1024 always possible.
    pub fn extension_for(&self, level: usize, products: u64) -> Result<Basis, FvError> {
        self.q_at(level)?;
        let one = self.product_log2(level);
        let needed = one + (products.max(1) as f64).log2();
        let mut log2 = 0.0;
        for (i, prime) in self.0.auxiliary.moduli().iter().enumerate() {
            log2 += (prime.value() as f64).log2();
            if log2 >= needed {
                return Ok(self.0.auxiliary.prefix(i + 1)?);
            }
        }
        Err(FvError::TooManyProducts {
            products,
            level,
            most: (log2 - one).exp2() as u64,
        })
    }

    /// The tensor products of a level that can be summed before the sum is scaled: as many as
    /// [`Parameters::extension`] holds, at least 2.
    ///
    /// # Errors
    /// [`FvError::BadLevel`].
    pub fn products_per_scaling(&self, level: usize) -> Result<usize, FvError> {
        let room = self.extension(level)?.log2() - self.product_log2(level);
        // The hair is for sums in another order.
        Ok((room - 1e-9).max(1.0).exp2() as usize)
    }

    /// log2 that the auxiliary primes' product must reach for one product, with 2^-20 for rounding.
    fn product_log2(&self, level: usize) -> f64 {
        let definition = &self.0.definition;
        let factors = definition.t as f64 * self.0.ring.expansion() as f64;
        self.log2_q(level) + factors.log2() + 1e-6
    }

    /// How keys are switched.
    #[must_use]
    pub fn key_switching(&self) -> KeySwitching {
        self.0.definition.key_switching
    }

    /// The limbs of q that make up each digit of hybrid key switching; none but with [`KeySwitching::Hybrid`].
    ///
    /// Groups of `digit_limbs` large primes in order. The small primes belong to the first of them if the
    /// product then is at most that of another group or P; otherwise they are a group in front.
    #[must_use]
    pub fn groups(&self) -> &[Basis] {
        &self.0.groups
    }

    /// log2 of the range of each key-switching digit of a polynomial at a level, in order: of the product
    /// of those of its limbs that are in a group, or its bits as a word. Groups of which it has none have
    /// no digit.
    ///
    /// Its length is the number of digits.
    #[must_use]
    pub fn digits_log2(&self, level: usize) -> Vec<f64> {
        let Some(basis) = self.0.levels.clamped(level) else {
            return Vec::new();
        };
        match self.key_switching() {
            KeySwitching::Hybrid { .. } => {
                let has = |m: &&Modulus| basis.position(m).is_some();
                let digits = self.0.groups.iter().map(|group| {
                    let own = group.moduli().iter().filter(has);
                    own.map(|m| (m.value() as f64).log2()).sum()
                });
                digits.filter(|log2| *log2 > 0.0).collect()
            }
            KeySwitching::BaseTwo { bits } => {
                let total = basis.product().bits();
                vec![f64::from(bits); (total + 1).div_ceil(bits.into()) as usize]
            }
            KeySwitching::None => Vec::new(),
        }
    }

    /// Deviation of each of the Gaussians that are folded to an error ([`Ring::unfolded_len`]).
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.0.definition.sigma
    }

    /// Distribution of the secret.
    #[must_use]
    pub fn secret(&self) -> SecretDistribution {
        self.0.definition.secret
    }

    /// The largest |s(zeta)|^2 / (n V) of a secret s over the complex roots zeta, V being the variance
    /// of its coefficients: key generation draws again until a secret keeps to it.
    ///
    /// That ratio is about exponentially distributed, so that one secret in exp(n/2 exp(-bound)) does.
    #[must_use]
    pub fn secret_bound(&self) -> f64 {
        self.0.definition.secret_bound
    }

    /// log2 of q at a level; of the highest for any larger number, 0 for level 0.
    #[must_use]
    pub fn log2_q(&self, level: usize) -> f64 {
        self.0.levels.log2(level)
    }

    /// log2 of the key-switching modulus P; 0 but with [`KeySwitching::Hybrid`].
    #[must_use]
    pub fn log2_p(&self) -> f64 {
        self.0.log2_p
    }

    /// Security, from log2(q P), n and the distributions.
    #[must_use]
    pub fn security(&self) -> &Security {
        &self.0.security
    }

    /// SHA-256 of the canonical encoding (see [`ringmill_format`]) without the name.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        &self.0.hash
    }

    /// Checks that something with the parameter hash `hash` belongs to these parameters.
    ///
    /// # Errors
    /// [`FvError::ParameterMismatch`] about `what`.
    pub fn check_hash(&self, what: &'static str, hash: &[u8; 32]) -> Result<(), FvError> {
        if hash == self.hash() {
            return Ok(());
        }
        // Where the hashes begin alike, a byte of one was changed: the part that differs is shown.
        let differs = hash
            .iter()
            .zip(self.hash())
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        let (from, before) = if differs < 6 {
            (0, "")
        } else {
            (differs.min(26), "...")
        };
        let short = |hash: &[u8; 32]| {
            let bytes = hash.iter().skip(from).take(6);
            bytes.fold(before.to_owned(), |text, byte| format!("{text}{byte:02x}"))
        };
        Err(FvError::ParameterMismatch {
            what,
            got: short(hash),
            expected: short(self.hash()),
        })
    }
}

/// The words of moduli.
fn values(moduli: &[Modulus]) -> Vec<u64> {
    moduli.iter().map(Modulus::value).collect()
}

#[cfg(test)]
mod tests;
