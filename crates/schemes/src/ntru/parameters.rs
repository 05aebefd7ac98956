use std::sync::Arc;

use ringmill_arith::Basis;
use ringmill_arith::lanes::NARROW_BITS;
use ringmill_ring::{FermatRing, Ring};
use ringmill_rlwe::{PrimeChoice, default_secret_bound};
use sha2::{Digest, Sha256};

use super::{NtruError, Scheme, Spec, sets};

/// Longest name, in bytes.
const MAX_NAME: usize = 64;

/// The most primes of a kind, and levels.
const MAX_PRIMES: usize = 64;
const MAX_LEVELS: usize = 128;

/// What the modulus of a level may be below its mark: the primes near a size are not always just below it.
const SLACK: f64 = 0.5;

/// All public choices of a scheme over an NTRU ring. Cheap to clone; equal if their hashes are.
#[derive(Debug, Clone)]
pub struct Parameters(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    spec: Spec,
    ring: Ring,
    pool: Basis,
    auxiliary: Basis,
    /// From level 1 on.
    levels: Vec<Basis>,
    secret_bound: f64,
    hash: [u8; 32],
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
    }
}

impl Eq for Parameters {}

fn bad<T>(name: &'static str, problem: impl Into<String>) -> Result<T, NtruError> {
    Err(NtruError::BadParameter {
        name,
        problem: problem.into(),
    })
}

impl Parameters {
    /// The set of a name: `yashe-1225`, `ltv-1271` or `ltv-1271-44`. See `docs/ntru.md`.
    ///
    /// # Errors
    /// [`NtruError::UnknownSet`].
    pub fn named(name: &str) -> Result<Self, NtruError> {
        Self::new(&sets::spec(name)?)
    }

    /// Names of the sets.
    #[must_use]
    pub fn names() -> Vec<String> {
        sets::names()
    }

    /// Chooses the primes and checks everything.
    ///
    /// # Errors
    /// [`NtruError::BadParameter`] naming the parameter; [`NtruError::Ring`] and [`NtruError::Arith`] for a
    /// dimension that is not offered and if there are not enough primes.
    pub fn new(spec: &Spec) -> Result<Self, NtruError> {
        check(spec)?;
        let ring = Ring::from(FermatRing::new(spec.n)?);
        let mut taken = Vec::new();
        let mut pick = |choice: PrimeChoice| -> Result<_, NtruError> {
            // The last bits are cleared because they may differ between platforms' exp2.
            let limit = (choice.bits.exp2() as u64) >> 12 << 12;
            let primes = spec.prime_rule.primes(&ring, limit, choice.count, &taken)?;
            taken.extend(primes.iter().map(|p| p.value()));
            Ok(primes)
        };
        let large = pick(spec.large)?;
        let small = spec.small.map_or(Ok(Vec::new()), &mut pick)?;
        let auxiliary = pick(PrimeChoice {
            count: spec.auxiliary,
            bits: f64::from(NARROW_BITS),
        })?;
        let pool = Basis::new(&[&small[..], &large[..]].concat())?;
        let auxiliary = Basis::new(&auxiliary)?;
        let levels = levels(spec, &pool, small.len())?;
        Ok(Self(Arc::new(Inner {
            hash: hash(spec, &pool, &auxiliary),
            secret_bound: default_secret_bound(spec.n),
            spec: spec.clone(),
            ring,
            pool,
            auxiliary,
            levels,
        })))
    }

    /// A name for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.spec.name
    }

    /// The scheme that they are for.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.0.spec.scheme
    }

    /// Says in one line what is wrong with them, to be shown at each use.
    #[must_use]
    pub fn warning(&self) -> String {
        format!(
            "{} is insecure: {} with log2 q = {:.0} at n = {} is overstretched NTRU, whose secret key sublattice attacks \
             find (Kirchner and Fouque 2017, Ducas and van Woerden 2021); for research and comparison only",
            self.name(),
            self.scheme(),
            self.0.pool.log2(),
            self.n(),
        )
    }

    /// The ring.
    #[must_use]
    pub fn ring(&self) -> &Ring {
        &self.0.ring
    }

    /// Dimension of the ring.
    #[must_use]
    pub fn n(&self) -> usize {
        self.0.spec.n
    }

    /// All primes, the small ones first: the basis of keys.
    #[must_use]
    pub fn pool(&self) -> &Basis {
        &self.0.pool
    }

    /// Primes that are not in the pool, the largest below 2^48, for which kernels are fastest: for sums beyond the modulus.
    #[must_use]
    pub fn auxiliary(&self) -> &Basis {
        &self.0.auxiliary
    }

    /// The number of levels, which is the highest; the lowest is 1. A ciphertext at level l stands l - 1
    /// further products one after the other.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.0.levels.len()
    }

    /// The primes of a level l: of the products of the first h small and the first b large primes the least
    /// with log2 at least floor + (l - 1) step - 1/2, as [`Spec`] has them; at the highest level all. Two
    /// levels can have the same.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn q_at(&self, level: usize) -> Result<&Basis, NtruError> {
        let basis = level.checked_sub(1).and_then(|i| self.0.levels.get(i));
        basis.ok_or(NtruError::BadLevel {
            level,
            levels: self.levels(),
        })
    }

    /// log2 of the modulus of a level.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn log2_q(&self, level: usize) -> Result<f64, NtruError> {
        Ok(self.q_at(level)?.log2())
    }

    /// Bits of a digit of key switching.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.0.spec.digit_bits
    }

    /// Deviation of each of the Gaussians that are folded to an error ([`Ring::unfolded_len`]).
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.0.spec.sigma
    }

    /// The largest |f(zeta)|^2 of a secret f over the complex roots zeta, against its mean: key generation
    /// draws again until a secret keeps to it, because products multiply the noise at a root by that again and
    /// again (see `ringmill_fv::noise`).
    #[must_use]
    pub fn secret_bound(&self) -> f64 {
        self.0.secret_bound
    }

    /// SHA-256 of everything but the name.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        &self.0.hash
    }

    /// Checks that something with the parameter hash `hash` belongs to these parameters.
    ///
    /// # Errors
    /// [`NtruError::ParameterMismatch`] about `what`.
    pub fn check_hash(&self, what: &'static str, hash: &[u8; 32]) -> Result<(), NtruError> {
        if hash == self.hash() {
            return Ok(());
        }
        let short = |hash: &[u8; 32]| hash[..6].iter().map(|b| format!("{b:02x}")).collect();
        Err(NtruError::ParameterMismatch {
            what,
            got: short(hash),
            expected: short(self.hash()),
        })
    }
}

fn check(spec: &Spec) -> Result<(), NtruError> {
    let prefix = spec.scheme.prefix();
    let name = &spec.name;
    if !name.starts_with(prefix) || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return bad(
            "name",
            format!("{name:?}; choose one that begins with {prefix}, of at most {MAX_NAME} bytes"),
        );
    }
    let choices = [("large", Some(spec.large)), ("small", spec.small)];
    for (name, choice) in choices
        .into_iter()
        .filter_map(|(name, choice)| Some((name, choice?)))
    {
        if !(1..=MAX_PRIMES).contains(&choice.count) || !(16.0..=50.0).contains(&choice.bits) {
            return bad(
                name,
                format!(
                    "{} primes of {} bits; choose 1 to {MAX_PRIMES} of 16 to 50",
                    choice.count, choice.bits
                ),
            );
        }
    }
    if !(1..=MAX_PRIMES).contains(&spec.auxiliary) {
        return bad(
            "auxiliary",
            format!("{}; choose 1 to {MAX_PRIMES}", spec.auxiliary),
        );
    }
    if !(1..=MAX_LEVELS).contains(&spec.levels) {
        return bad("levels", format!("{}; choose 1 to {MAX_LEVELS}", spec.levels));
    }
    if !(spec.floor > 0.0 && spec.step >= 0.0 && spec.step < 4096.0 && spec.floor < 4096.0) {
        return bad(
            "levels",
            format!("from {} bits in steps of {}", spec.floor, spec.step),
        );
    }
    if !(2..=1024).contains(&spec.digit_bits) {
        return bad("digit bits", format!("{}; choose 2 to 1024", spec.digit_bits));
    }
    if !(0.5..=64.0).contains(&spec.sigma) {
        return bad("sigma", format!("{}; choose 0.5 to 64", spec.sigma));
    }
    Ok(())
}

/// The primes of each level, from 1 on: see [`Parameters::q_at`].
fn levels(spec: &Spec, pool: &Basis, small: usize) -> Result<Vec<Basis>, NtruError> {
    let mut products = Vec::new();
    for h in 0..=small {
        for b in usize::from(h == 0)..=pool.len() - small {
            let moduli = [&pool.moduli()[..h], &pool.moduli()[small..small + b]].concat();
            products.push(Basis::new(&moduli)?);
        }
    }
    products.sort_by(|a, b| a.log2().total_cmp(&b.log2()));
    let mut levels = Vec::with_capacity(spec.levels);
    for index in 0..spec.levels {
        let wanted = spec.floor + spec.step * index as f64 - SLACK;
        match products.iter().find(|product| product.log2() >= wanted) {
            Some(_) if index + 1 == spec.levels => levels.push(pool.clone()),
            Some(product) => levels.push(product.clone()),
            None => {
                return bad(
                    "levels",
                    format!(
                        "level {} needs {wanted:.0} bits, all primes together have {:.0}; choose fewer",
                        index + 1,
                        pool.log2()
                    ),
                );
            }
        }
    }
    Ok(levels)
}

/// SHA-256 of a tag and then, each as a 64-bit little-endian word: the scheme, n, the numbers of primes and the
/// primes of the pool and of the auxiliary ones, levels, floor, step, digit bits and sigma.
fn hash(spec: &Spec, pool: &Basis, auxiliary: &Basis) -> [u8; 32] {
    let mut words = vec![spec.scheme as u64, spec.n as u64];
    for basis in [pool, auxiliary] {
        words.push(basis.len() as u64);
        words.extend(basis.moduli().iter().map(|q| q.value()));
    }
    words.extend([spec.levels as u64, spec.floor.to_bits(), spec.step.to_bits()]);
    words.extend([spec.digit_bits.into(), spec.sigma.to_bits()]);
    let mut hash = Sha256::new_with_prefix(b"ringmill ntru");
    words.iter().for_each(|word| hash.update(word.to_le_bytes()));
    hash.finalize().into()
}
