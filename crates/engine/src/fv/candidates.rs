//! Parameter sets to try for a circuit.

use ringmill_fv::{
    KeySwitching, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution, SecurityLevel,
};
use ringmill_ring::FermatRing;

use crate::fv::product_form::ProductForm;

/// Dimensions to try, the smallest first.
pub(crate) const DIMENSIONS: [usize; 6] = [4096, 8192, 16384, 32768, 65536, 131_072];

/// Bits of the largest primes that vector kernels can take.
const LARGEST_PRIME: f64 = 50.0;

/// Bits of the largest narrow primes ([`ringmill_fv::NARROW_LIMIT`]).
const LARGEST_NARROW: f64 = 48.0;

/// Bits below which primes are not made smaller to have more of them.
const LEAST_SQUEEZED: f64 = 45.0;

/// The most special primes.
const MOST_SPECIAL: usize = 6;

/// The most limbs of q, small primes included.
const MOST_LIMBS: usize = 64;

/// Bits by which P may be smaller than the largest digit: key switching then adds about as much noise as
/// there is in a product just before its modulus is switched.
const SHORT_BY: f64 = 10.0;

/// Bits that small primes have beyond those of what they are 1 modulo, so that there are some.
const ENOUGH_PRIMES: f64 = 8.0;

/// Small primes of q in the BGV form.
const SMALL: usize = 2;

/// The primes of a parameter set, to be counted out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub n: usize,
    pub form: ProductForm,
    /// The rule of all primes.
    pub prime_rule: PrimeRule,
    /// Large primes of q, and their bits.
    pub large: usize,
    pub large_bits: f64,
    /// Whether all primes are narrow.
    pub narrow: bool,
    /// Bits of the small primes; there are none in the BFV form.
    pub small_bits: f64,
    /// Primes of P, and so limbs in a digit.
    pub special: usize,
    /// log2 of q P that is secure.
    budget: f64,
}

impl Candidate {
    /// For each number of special primes the most large primes, within a security level in one dimension.
    pub fn all(security: SecurityLevel, n: usize, form: ProductForm, prime_rule: PrimeRule) -> Vec<Self> {
        let Some(budget) = security.budget(n) else {
            return Vec::new();
        };
        let (large_bits, small_bits) = match form {
            ProductForm::Bfv => (LARGEST_PRIME.min(budget / 2.0 - 1.0), 0.0),
            ProductForm::Bgv => {
                let large = (3.0 * level_bits(n)).min(LARGEST_PRIME);
                let Ok(ring) = FermatRing::new(n) else {
                    return Vec::new();
                };
                let congruence = prime_rule.congruence(&ring.into());
                let least = (congruence as f64).log2() + ENOUGH_PRIMES;
                (large, (large * 2.0 / 3.0).max(least))
            }
        };
        let one = Self {
            n,
            form,
            prime_rule,
            large: 0,
            large_bits,
            narrow: false,
            small_bits,
            special: 1,
            budget,
        };
        let with_special = |special| Self { special, ..one }.with_most_large();
        (1..=MOST_SPECIAL).filter_map(with_special).collect()
    }

    /// The same with as many large primes as fit.
    fn with_most_large(self) -> Option<Self> {
        // A hair for the primes' being a little smaller than their bits say.
        let least_special = self.special as f64 * self.large_bits - self.slack();
        let room = self.budget - self.small() as f64 * self.small_bits - least_special;
        let large = ((room / self.large_bits) as usize).min(MOST_LIMBS - self.small());
        (large >= self.special.max(1)).then_some(Self { large, ..self })
    }

    /// The same with `large` large primes, if these are not more.
    pub fn with_large(self, large: usize) -> Option<Self> {
        let special = self.special.min(large);
        (1..=self.large).contains(&large).then_some(Self {
            large,
            special,
            ..self
        })
    }

    /// The same with `large` large primes; in the BFV form, where their size does not matter, if need be
    /// with all primes as much smaller as the security level demands.
    pub fn squeezed(self, large: usize) -> Option<Self> {
        if large <= self.large {
            return self.with_large(large);
        }
        let large_bits = self.budget / (large + self.special) as f64 - 0.01;
        let fits = self.form == ProductForm::Bfv && large <= MOST_LIMBS && large_bits >= LEAST_SQUEEZED;
        fits.then_some(Self {
            large,
            large_bits,
            ..self
        })
    }

    /// The same with `large` large primes, all primes narrow, and if need be as much smaller as the security level
    /// demands; in the BFV form, where their size does not matter.
    pub fn narrow(self, large: usize) -> Option<Self> {
        let most = ((self.budget / LARGEST_NARROW) as usize).saturating_sub(self.special);
        let narrow = Self {
            large: most.min(MOST_LIMBS),
            large_bits: LARGEST_NARROW,
            narrow: true,
            ..self
        };
        match self.form {
            ProductForm::Bfv => narrow.squeezed(large),
            ProductForm::Bgv => None,
        }
    }

    fn slack(&self) -> f64 {
        match self.form {
            // Products there are relinearized at a modulus at which noise counts.
            ProductForm::Bfv => 0.0,
            ProductForm::Bgv => SHORT_BY,
        }
    }

    fn small(&self) -> usize {
        match self.form {
            ProductForm::Bfv => 0,
            ProductForm::Bgv => SMALL,
        }
    }

    /// The specification of the parameters.
    pub fn spec(&self, security: SecurityLevel) -> ParametersSpec {
        let small = self.small();
        let q = self.large as f64 * self.large_bits + small as f64 * self.small_bits;
        let largest = if self.narrow {
            LARGEST_NARROW
        } else {
            LARGEST_PRIME
        };
        let special_bits = ((self.budget - q) / self.special as f64).min(largest);
        ParametersSpec {
            name: self.name(security),
            ring: RingKind::Fermat,
            n: self.n,
            t: 2,
            prime_rule: self.prime_rule,
            // Below those of P, which are chosen after them.
            limbs: PrimeChoice {
                count: self.large,
                bits: self.large_bits,
            },
            small: (small > 0).then_some(PrimeChoice {
                count: small,
                bits: self.small_bits,
            }),
            special: Some(PrimeChoice {
                count: self.special,
                bits: special_bits,
            }),
            key_switching: KeySwitching::Hybrid {
                digit_limbs: self.special,
            },
            auxiliary_bits: self.narrow.then_some(LARGEST_NARROW),
            sigma: 3.2,
            secret: SecretDistribution::Ternary,
            secret_bound: Some(secret_bound(self.n)),
            allow_insecure: false,
        }
    }

    /// Security, dimension, form, limbs of q and of P.
    fn name(&self, security: SecurityLevel) -> String {
        let form = match self.form {
            ProductForm::Bfv => "high",
            ProductForm::Bgv => "low",
        };
        let (bits, limbs) = (security.bits(), self.large + self.small());
        let rule = match self.prime_rule {
            PrimeRule::Transform => "",
            PrimeRule::Machine => "-machine",
        };
        let narrow = if self.narrow { "-narrow" } else { "" };
        format!(
            "{form}{bits}-n{}-q{limbs}-p{}{narrow}{rule}",
            self.n, self.special
        )
    }
}

/// Noise depends most on the roots where the secret is largest: one secret in 240 is taken, not one in seven as for
/// presets. That costs 8 bits of a key's entropy and up to a second, and saves a twelfth of a bit for each level.
fn secret_bound(n: usize) -> f64 {
    ringmill_rlwe::default_secret_bound(n) - 1.0
}

/// Bits of q that a level of products takes in the BGV form: the rounding noise of modulus switching at the
/// root where the secret is largest has the power R = n (1 + S)/3, and w -> w^2/2^x + R stays put for
/// 2^(2x) >= 4 R; half a bit for key switching and sums.
fn level_bits(n: usize) -> f64 {
    let secret = n as f64 * 2.0 / 3.0 * secret_bound(n);
    ((4.0 * n as f64 * (1.0 + secret) / 3.0).log2() + 0.5) / 2.0
}

#[cfg(test)]
mod tests {
    use ringmill_fv::Parameters;

    use super::*;

    #[test]
    fn candidates_are_secure() {
        for n in DIMENSIONS {
            for form in ProductForm::ALL {
                let candidates = Candidate::all(SecurityLevel::Bits128, n, form, PrimeRule::Transform);
                // Small primes leave no room for others at n = 4096.
                assert_eq!(
                    candidates.is_empty(),
                    n == 4096 && form == ProductForm::Bgv,
                    "{n} {form}"
                );
                for candidate in candidates {
                    let parameters = Parameters::new(&candidate.spec(SecurityLevel::Bits128)).unwrap();
                    assert_eq!(parameters.security().bits, 128, "{candidate:?}");
                    let fewer = candidate.with_large(1).unwrap();
                    Parameters::new(&fewer.spec(SecurityLevel::Bits128)).unwrap();
                    assert_eq!(candidate.with_large(candidate.large + 1), None);
                }
            }
        }
    }

    #[test]
    fn narrow_primes_become_smaller_where_there_are_more() {
        let all = |form| Candidate::all(SecurityLevel::Bits128, 32768, form, PrimeRule::Transform);
        let three = all(ProductForm::Bfv)[2];
        for (large, bits) in [(14, 48.0), (15, 48.0), (16, 45.6)] {
            let candidate = three.narrow(large).unwrap();
            assert_eq!((candidate.large, candidate.special), (large, 3));
            assert!(
                (bits..bits + 0.1).contains(&candidate.large_bits),
                "{candidate:?}"
            );
            let parameters = Parameters::new(&candidate.spec(SecurityLevel::Bits128)).unwrap();
            assert!(parameters.are_narrow());
            assert_eq!(parameters.security().bits, 128);
            assert!(parameters.name().ends_with(&format!("q{large}-p3-narrow")));
        }
        assert_eq!(three.narrow(17), None, "below 45 bits");
        assert_eq!(all(ProductForm::Bgv)[0].narrow(2), None);
    }

    #[test]
    fn levels_take_as_many_bits_as_the_text_says() {
        assert!((16.5..17.0).contains(&level_bits(32768)));
        assert!(level_bits(4096) < level_bits(8192));
    }
}
