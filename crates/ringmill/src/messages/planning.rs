//! Parameters for a program over messages.

use std::sync::Arc;

use ringmill_arith::prime::is_prime;
use ringmill_expression::{ExpressionError, MessageOperation, MessageProgram};
use ringmill_fv::{
    FvError, KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution,
    SecurityLevel,
};

use super::MessagePlan;
use crate::Error;

/// The plaintext modulus unless another is given: a prime = 1 modulo 2n for every dimension offered.
pub const DEFAULT_MODULUS: u64 = 65537;

/// Others that have slots in every dimension, for whoever asks for one that has none.
const OTHER_MODULI: &str = "65537, 786433, 1179649, 1376257, 1769473";

/// The dimensions that are tried, the smallest first.
const DIMENSIONS: [usize; 4] = [4096, 8192, 16384, 32768];

/// The largest plaintext modulus, exclusive: primes of q are larger by 2^8 at least.
const MODULUS_LIMIT: u64 = 1 << 32;

/// Bits of the largest primes of q; those of P have one more.
const MOST_BITS: f64 = 49.0;

/// The fewest bits of primes: below there are too few of them.
const LEAST_BITS: f64 = 30.0;

/// Bits by which primes exceed the plaintext modulus, at least.
const ABOVE_MODULUS: f64 = 9.0;

/// The most special primes.
const MOST_SPECIAL: usize = 8;

/// How parameters for a program over messages are chosen.
///
/// ```
/// use ringmill::messages::MessagePlanning;
///
/// # fn main() -> Result<(), ringmill::Error> {
/// let plan = MessagePlanning::new().modulus(786_433).plan("r = a * b + 3 * c")?;
/// assert_eq!(plan.parameters().t(), 786_433);
/// assert!(plan.missing_bits() <= 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct MessagePlanning {
    modulus: u64,
    numbers: usize,
    security: SecurityLevel,
}

impl Default for MessagePlanning {
    fn default() -> Self {
        Self {
            modulus: DEFAULT_MODULUS,
            numbers: 1,
            security: SecurityLevel::Bits128,
        }
    }
}

impl MessagePlanning {
    /// The defaults: numbers modulo 65537, 128 bits of security, the smallest dimension that fits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The plaintext modulus t: a prime = 1 modulo 2n.
    #[must_use]
    pub const fn modulus(mut self, t: u64) -> Self {
        self.modulus = t;
        self
    }

    /// Numbers that a message must have room for, at least.
    #[must_use]
    pub const fn numbers(mut self, numbers: usize) -> Self {
        self.numbers = numbers;
        self
    }

    /// The security, by the published table.
    #[must_use]
    pub const fn security(mut self, security: SecurityLevel) -> Self {
        self.security = security;
        self
    }

    /// Chooses parameters for a program: the smallest dimension that fits it, there the fewest primes of q, and with
    /// these the special primes that make a key switch cheapest.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a program that cannot be read, with the place, and for a modulus
    /// without slots; [`ErrorKind::NoParameters`](crate::ErrorKind::NoParameters) if none fit.
    pub fn plan(&self, program: &str) -> Result<MessagePlan, Error> {
        let program = Arc::new(read_program(program)?);
        let dimensions = self.dimensions(&program)?;
        let mut least: Option<(usize, f64)> = None;
        for n in dimensions {
            match self.in_dimension(n, &program)? {
                Ok(plan) => return Ok(plan),
                Err(missing) => least = Some((n, missing)),
            }
        }
        let (n, missing) = least.unwrap_or((0, f64::INFINITY));
        let missing = if missing.is_finite() {
            format!("{missing:.0} bits of q are missing")
        } else {
            "the security table leaves no room for primes of q".to_owned()
        };
        let deeper = if DIMENSIONS.last() == Some(&n) {
            "use fewer products one upon the other, or fewer with public messages"
        } else {
            "use fewer products one upon the other, or a modulus with slots in larger dimensions: --modulus 65537"
        };
        Err(Error::NoParameters(format!(
            "no parameters of {} bits of security bear the noise of this program: at n = {n}, the largest dimension with \
             slots modulo {}, {missing}; {deeper}",
            self.security.bits(),
            self.modulus
        )))
    }

    /// The dimensions that have slots, and enough of them.
    fn dimensions(&self, program: &MessageProgram) -> Result<Vec<usize>, Error> {
        let t = self.modulus;
        if t >= MODULUS_LIMIT || !is_prime(t) || t % (2 * DIMENSIONS[0] as u64) != 1 {
            return Err(Error::Usage(format!(
                "--modulus {t}: not a prime below 2^32 that is 1 modulo 2n, for n = 4096 at least, so that there are no \
                 slots for numbers modulo {t}; take one of {OTHER_MODULI}"
            )));
        }
        let operations = program.operations().iter();
        let furthest = operations.map(|operation| match operation {
            MessageOperation::Rotate(_, by) => by.unsigned_abs() as usize,
            _ => 0,
        });
        let half = furthest.max().unwrap_or(0) + 1;
        let wanted = DIMENSIONS.into_iter().filter(|n| t % (2 * *n as u64) == 1);
        let wanted: Vec<usize> = wanted.filter(|n| *n >= self.numbers && *n / 2 >= half).collect();
        if wanted.is_empty() {
            return Err(Error::Usage(format!(
                "no dimension with slots modulo {t} has room for messages of {} numbers in halves of at least {half}; at most \
                 32768 numbers in halves of 16384 are possible, modulo one of {OTHER_MODULI}",
                self.numbers
            )));
        }
        Ok(wanted)
    }

    /// A plan in a dimension; else the bits of margin that the roomiest parameters lack.
    fn in_dimension(
        &self,
        n: usize,
        program: &Arc<MessageProgram>,
    ) -> Result<Result<MessagePlan, f64>, Error> {
        let plan = |limbs, special| self.with_primes(n, (limbs, special), program);
        // The fewest limbs that fit, by halving: with a special prime, which leaves the most for q, more limbs hold more.
        let most = (1..)
            .take_while(|limbs| self.bits(n, *limbs, 1).is_some())
            .count();
        let roomiest = if most == 0 { None } else { plan(most, 1)? };
        let Some(roomiest) = roomiest else {
            return Ok(Err(f64::INFINITY));
        };
        if roomiest.missing_bits() > 0.0 {
            return Ok(Err(roomiest.missing_bits()));
        }
        let (mut low, mut best) = (0, (most, roomiest));
        while best.0 - low > 1 {
            let middle = usize::midpoint(low, best.0);
            match plan(middle, 1)? {
                Some(found) if found.missing_bits() <= 0.0 => best = (middle, found),
                _ => low = middle,
            }
        }
        let (limbs, mut best) = best;
        // Transforms of a key switch: digits, each over q and P.
        let cost = |special: usize| limbs.div_ceil(special) * (limbs + special);
        let mut others: Vec<usize> = (2..=limbs.min(MOST_SPECIAL))
            .filter(|special| cost(*special) < cost(1))
            .collect();
        others.sort_by_key(|special| cost(*special));
        for special in others {
            match plan(limbs, special)? {
                Some(found) if found.missing_bits() <= 0.0 => {
                    best = found;
                    break;
                }
                _ => {}
            }
        }
        Ok(Ok(best))
    }

    /// A plan with so many primes of q and of P; none if the security table has no room for them.
    fn with_primes(
        &self,
        n: usize,
        (limbs, special): (usize, usize),
        program: &Arc<MessageProgram>,
    ) -> Result<Option<MessagePlan>, Error> {
        let Some(bits) = self.bits(n, limbs, special) else {
            return Ok(None);
        };
        let primes = |count, bits| PrimeChoice { count, bits };
        let spec = ParametersSpec {
            name: format!("integers-n{n}-t{}-q{limbs}-p{special}", self.modulus),
            ring: RingKind::Negacyclic,
            n,
            t: self.modulus,
            prime_rule: PrimeRule::default(),
            limbs: primes(limbs, bits),
            small: None,
            special: Some(primes(special, bits + 1.0)),
            key_switching: KeySwitching::Hybrid { digit_limbs: special },
            auxiliary_bits: None,
            sigma: 3.2,
            secret: SecretDistribution::Ternary,
            secret_bound: None,
            allow_insecure: false,
        };
        let plan =
            Parameters::new(&spec).and_then(|parameters| MessagePlan::new(Arc::clone(program), parameters));
        match plan {
            Ok(plan) => Ok(Some(plan)),
            // Too few primes of this size.
            Err(FvError::Ring(_) | FvError::Arith(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Bits of each prime of q, as many as the security table leaves, in tenths; none if that is too few.
    fn bits(&self, n: usize, limbs: usize, special: usize) -> Option<f64> {
        let budget = self.security.budget(n)?;
        let each = (budget - special as f64) / (limbs + special) as f64;
        let bits = (each.min(MOST_BITS) * 10.0).floor() / 10.0;
        let least = LEAST_BITS.max((self.modulus as f64).log2() + ABOVE_MODULUS);
        (bits >= least).then_some(bits)
    }
}

/// Reads a program; what is wrong with it is a matter of usage.
pub(super) fn read_program(text: &str) -> Result<MessageProgram, Error> {
    MessageProgram::compile(text)
        .map_err(|error: ExpressionError| Error::Usage(format!("the program: {error}")))
}
