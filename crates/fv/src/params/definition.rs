use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Ring;
use sha2::{Digest, Sha256};

use super::groups::groups;
use super::levels::Levels;
use super::{
    KeySwitching, LEAST_PRODUCTS, MAX_AUXILIARY, MAX_LIMBS, MAX_SMALL, PRIME_LIMIT, ParametersSpec,
    PrimeChoice, RingKind, SecretDistribution, values,
};
use crate::FvError;

/// Longest name, in bytes.
pub(crate) const MAX_NAME: usize = 64;

/// Bits by which a digit may be larger than P. A key switch adds noise in proportion to digit / P, which the
/// noise model counts; beyond this it would exceed the rounding noise of every dimension offered by far.
const DIGIT_EXCESS_BITS: u32 = 20;

/// Parameters as they are written to files: numbers not yet checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    pub name: String,
    pub ring: RingKind,
    pub n: usize,
    pub t: u64,
    /// All limbs, the small primes first.
    pub q: Vec<u64>,
    /// Number of small primes.
    pub small: usize,
    pub special: Vec<u64>,
    pub auxiliary: Vec<u64>,
    pub key_switching: KeySwitching,
    pub sigma: f64,
    pub secret: SecretDistribution,
    pub secret_bound: f64,
    pub allow_insecure: bool,
}

/// The result of checking a [`Definition`].
pub(super) struct Checked {
    pub ring: Ring,
    pub q: Basis,
    pub levels: Levels,
    pub groups: Vec<Basis>,
    pub special: Option<Basis>,
    pub auxiliary: Basis,
}

fn bad<T>(name: &'static str, problem: impl Into<String>) -> Result<T, FvError> {
    Err(FvError::BadParameter {
        name,
        problem: problem.into(),
    })
}

impl Definition {
    /// Chooses the primes of a specification.
    pub fn choose(spec: &ParametersSpec) -> Result<Self, FvError> {
        let ring = spec.ring.ring(spec.n)?;
        let mut taken = Vec::new();
        let mut pick = |name, choice: PrimeChoice, most| -> Result<Vec<u64>, FvError> {
            if choice.count == 0 || choice.count > most {
                return bad(name, format!("{} primes; choose 1 to {most}", choice.count));
            }
            let limit = limit(name, choice.bits)?;
            let primes = values(&spec.prime_rule.primes(&ring, limit, choice.count, &taken)?);
            taken.extend(&primes);
            Ok(primes)
        };
        let large = pick("limbs", spec.limbs, MAX_LIMBS)?;
        let special = match spec.special {
            Some(choice) => pick("special", choice, MAX_LIMBS)?,
            None => Vec::new(),
        };
        let mut q = match spec.small {
            Some(choice) => pick("small", choice, MAX_SMALL)?,
            None => Vec::new(),
        };
        let small = q.len();
        q.extend(large);
        let mut auxiliary = Vec::new();
        let limit = spec
            .auxiliary_bits
            .map_or(Ok(PRIME_LIMIT), |bits| limit("auxiliary", bits))?;
        let needed = auxiliary_log2(&ring, &q, spec.t);
        while log2(&auxiliary) < needed {
            // One too many at worst, which the check would not mind.
            auxiliary = values(
                &spec
                    .prime_rule
                    .primes(&ring, limit, auxiliary.len() + 1, &taken)?,
            );
        }
        Ok(Self {
            name: spec.name.clone(),
            ring: spec.ring,
            n: spec.n,
            t: spec.t,
            q,
            small,
            special,
            auxiliary,
            key_switching: spec.key_switching,
            sigma: spec.sigma,
            secret: spec.secret,
            secret_bound: spec
                .secret_bound
                .unwrap_or_else(|| ringmill_rlwe::default_secret_bound(spec.n)),
            allow_insecure: spec.allow_insecure,
        })
    }

    /// Checks all but security.
    pub(super) fn check(&self) -> Result<Checked, FvError> {
        if self.name.is_empty() || self.name.len() > MAX_NAME || self.name.chars().any(char::is_control) {
            return bad(
                "name",
                format!("needs 1 to {MAX_NAME} bytes without control characters"),
            );
        }
        let ring = self.ring.ring(self.n)?;
        let q = basis("q", &ring, &self.q, MAX_LIMBS)?;
        let special = match self.special.as_slice() {
            [] => None,
            primes => Some(basis("special", &ring, primes, MAX_LIMBS)?),
        };
        let auxiliary = basis("auxiliary", &ring, &self.auxiliary, MAX_AUXILIARY)?;
        // Each prime once in all three.
        let mut all = q.concat(&auxiliary)?;
        if let Some(special) = &special {
            all = all.concat(special)?;
        }
        self.check_plaintext(&all)?;
        self.check_small()?;
        let levels = Levels::new(&q, self.small)?;
        let groups = self.check_key_switching(&q, special.as_ref())?;
        self.check_distributions()?;
        let needed = auxiliary_log2(&ring, &self.q, self.t);
        if auxiliary.log2() < needed {
            return bad(
                "auxiliary",
                format!(
                    "{:.0} bits where {needed:.0} are needed; add primes",
                    auxiliary.log2()
                ),
            );
        }
        Ok(Checked {
            ring,
            q,
            levels,
            groups,
            special,
            auxiliary,
        })
    }

    fn check_small(&self) -> Result<(), FvError> {
        if self.small > MAX_SMALL || self.small >= self.q.len() {
            return bad(
                "small",
                format!(
                    "{} of {} limbs; choose at most {MAX_SMALL}, and at least one large prime",
                    self.small,
                    self.q.len()
                ),
            );
        }
        let (small, large) = self.q.split_at(self.small);
        if let (Some(largest), Some(least)) = (small.iter().max(), large.iter().min())
            && largest >= least
        {
            return bad(
                "small",
                format!("{largest} is not below the large primes, of which {least} is the least"),
            );
        }
        Ok(())
    }

    fn check_plaintext(&self, all: &Basis) -> Result<(), FvError> {
        let least = values(all.moduli()).into_iter().min().unwrap_or(0);
        // Far below every prime, which being prime are then coprime to it too.
        if self.t < 2 || self.t > least >> 8 {
            return bad(
                "t",
                format!("{}; choose 2 to {} with these primes", self.t, least >> 8),
            );
        }
        Ok(())
    }

    /// Checks the choice of key switching, and returns the groups of its digits.
    fn check_key_switching(&self, q: &Basis, special: Option<&Basis>) -> Result<Vec<Basis>, FvError> {
        match (self.key_switching, special) {
            (KeySwitching::Hybrid { digit_limbs }, Some(special)) => {
                let large = q.len() - self.small;
                if !(1..=large).contains(&digit_limbs) {
                    return bad("digit_limbs", format!("{digit_limbs}; choose 1 to {large}"));
                }
                let groups = groups(q, self.small, digit_limbs, special)?;
                let most = special.product() << DIGIT_EXCESS_BITS;
                if groups.iter().any(|group| group.product() > most) {
                    return bad(
                        "special",
                        format!(
                            "P is smaller than a digit by more than {DIGIT_EXCESS_BITS} bits; \
                             enlarge its primes or take fewer limbs a digit"
                        ),
                    );
                }
                Ok(groups)
            }
            (KeySwitching::Hybrid { .. }, None) => bad("special", "hybrid key switching needs primes of P"),
            (KeySwitching::BaseTwo { .. } | KeySwitching::None, Some(_)) => {
                bad("special", "only hybrid key switching has P")
            }
            (KeySwitching::None, None) => Ok(Vec::new()),
            (KeySwitching::BaseTwo { bits }, None) => {
                if (2..=60).contains(&bits) {
                    Ok(Vec::new())
                } else {
                    bad("word bits", format!("{bits}; choose 2 to 60"))
                }
            }
        }
    }

    fn check_distributions(&self) -> Result<(), FvError> {
        if !(0.5..=64.0).contains(&self.sigma) {
            return bad("sigma", format!("{}; choose 0.5 to 64", self.sigma));
        }
        // Below, fewer than one secret in 400 would do, at the cost of as much of the key's entropy.
        let least = (self.n as f64 / 12.0).ln();
        if !(least..=1000.0).contains(&self.secret_bound) {
            return bad(
                "secret_bound",
                format!("{}; choose {least:.2} to 1000", self.secret_bound),
            );
        }
        Ok(())
    }

    /// Whether this is the set of the HEPCloud paper.
    pub fn is_hepcloud(&self) -> bool {
        self.n == 32768
            && self.sigma == 50.0
            && self.secret == SecretDistribution::Signs
            && self.special.is_empty()
            && (1226.5..1229.0).contains(&log2(&self.q))
    }

    /// SHA-256 of the encoding with an empty name: a name is for people only.
    pub fn hash(&self) -> [u8; 32] {
        let nameless = Self {
            name: String::new(),
            ..self.clone()
        };
        Sha256::digest(crate::storage::encode_definition(&nameless)).into()
    }
}

/// A basis whose primes suit the ring.
fn basis(name: &'static str, ring: &Ring, primes: &[u64], most: usize) -> Result<Basis, FvError> {
    if primes.len() > most {
        return bad(name, format!("{} primes; at most {most}", primes.len()));
    }
    let congruence = ring.congruence();
    for p in primes {
        if *p >= PRIME_LIMIT || p % congruence != 1 {
            return bad(name, format!("{p} is not 1 modulo {congruence} and below 2^50"));
        }
    }
    let moduli: Vec<Modulus> = primes
        .iter()
        .map(|&p| Modulus::new(p))
        .collect::<Result<_, _>>()?;
    Ok(Basis::new(&moduli)?)
}

fn log2(primes: &[u64]) -> f64 {
    primes.iter().map(|&p| (p as f64).log2()).sum()
}

/// The exclusive limit of primes of so many bits.
fn limit(name: &'static str, bits: f64) -> Result<u64, FvError> {
    if (16.0..=50.0).contains(&bits) {
        // The last bits are cleared because they may differ between platforms' exp2.
        return Ok((bits.exp2() as u64) >> 12 << 12);
    }
    bad(name, format!("primes of {bits} bits; choose 16 to 50"))
}

/// log2 that the auxiliary primes must reach: for sums of [`LEAST_PRODUCTS`] products at the highest level.
fn auxiliary_log2(ring: &Ring, q: &[u64], t: u64) -> f64 {
    let factors = t as f64 * ring.expansion() as f64 * LEAST_PRODUCTS as f64;
    log2(q) + factors.log2() + 2e-6
}
