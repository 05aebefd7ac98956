//! Plaintexts times q/t and back, with rounding, in words.

mod narrow;

use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Modulus, Simd};

use crate::Plaintext;
use narrow::{Add, Narrow, Round};

/// A factor modulo some m below 2^63 and its companion floor(2^64 factor / m) (Shoup).
type Fixed = (u64, u64);

/// The constants of scaling for one modulus q of ciphertexts and t; t is coprime to q.
#[derive(Debug)]
pub struct Scaling {
    t: u64,
    /// q modulo t.
    q: Fixed,
    /// -1/q modulo t.
    minus_inverse: Fixed,
    one: Fixed,
    limbs: Vec<Limb>,
    /// If there is one limb and it is small enough.
    narrow: Option<Narrow>,
    kernel: Simd,
}

#[derive(Debug)]
struct Limb {
    q: Modulus,
    /// 1/t modulo q_i.
    inverse: Fixed,
    /// t (q/q_i)^-1 modulo q_i.
    scale: Fixed,
    /// q/q_i modulo t.
    cofactor: Fixed,
    reciprocal: f64,
}

impl Scaling {
    /// The scaling between q, the product of a basis, and t, which is coprime to it and smaller than its primes.
    #[must_use]
    pub fn new(basis: &Basis, t: u64, kernel: Simd) -> Self {
        let product_mod_t = |skip: Option<&Modulus>| {
            let others = basis.moduli().iter().filter(|q| Some(*q) != skip);
            others.fold(1, |x, q| {
                (u128::from(x) * u128::from(q.value()) % u128::from(t)) as u64
            })
        };
        let limb = |q: &Modulus| {
            let others = basis.moduli().iter().filter(|other| *other != q);
            let cofactor = others.fold(1, |x, other| q.mul(x, q.reduce(other.value())));
            let t_mod_q = q.reduce(t);
            // Neither is 0: the primes are distinct, and larger than t.
            let [inverse, cofactor] = [t_mod_q, cofactor].map(|x| q.inv(x).unwrap_or(0));
            let scale = q.mul(t_mod_q, cofactor);
            Limb {
                q: *q,
                inverse: (inverse, q.shoup(inverse)),
                scale: (scale, q.shoup(scale)),
                cofactor: fixed(product_mod_t(Some(q)), t),
                reciprocal: 1.0 / q.value() as f64,
            }
        };
        let q = product_mod_t(None);
        let minus_inverse = t - inverse(q, t);
        let narrow = match basis.moduli() {
            [q] if q.value() < narrow::LIMIT => Some(Narrow::new(q, t, minus_inverse)),
            _ => None,
        };
        Self {
            narrow,
            kernel,
            t,
            q: fixed(q, t),
            minus_inverse: fixed(minus_inverse, t),
            one: fixed(1, t),
            limbs: basis.moduli().iter().map(limb).collect(),
        }
    }

    /// Adds round(q m / t) to residues modulo all primes, limb after limb, m in [0, t).
    pub fn add_all(&self, message: &[u64], words: &mut [u64]) {
        if let Some(narrow) = self.narrow {
            return self.kernel.run(Add {
                narrow,
                message,
                words,
            });
        }
        for (limb, words) in words.chunks_exact_mut(message.len()).enumerate() {
            self.add(limb, message, words);
        }
    }

    /// Adds round(q m / t) to residues modulo the limb's prime, m in [0, t), without a branch.
    ///
    /// With r = \[q m\]_t in (-t/2, t/2] that is (q m - r)/t, and so -r/t modulo every prime of q.
    fn add(&self, limb: usize, message: &[u64], words: &mut [u64]) {
        let Limb { q, inverse, .. } = &self.limbs[limb];
        let t = self.t;
        for (x, &m) in words.iter_mut().zip(message) {
            let r = times(m, self.q, t);
            // -r for r <= t/2, t - r above; then q more for what is negative.
            let minus_r = (t & ((t / 2).wrapping_sub(r) as i64 >> 63) as u64).wrapping_sub(r);
            let minus_r = minus_r.wrapping_add(q.value() & (minus_r as i64 >> 63) as u64);
            *x = lower(*x + q.mul_shoup(minus_r, inverse.0, inverse.1), q.value());
        }
    }

    /// round(t x / q) mod t of every coefficient, and the largest distance |t x / q - round(t x / q)|.
    ///
    /// t x = \[t x\]_q + q m with the centred rest, so m = -\[t x\]_q / q modulo t. With
    /// z_i = \[t x (q/q_i)^-1\] mod q_i the rest is sum_i z_i q/q_i - v q, v = round(sum_i z_i / q_i): the
    /// sum's error, below 2^-38, can only matter where the fraction is a half, which is refused.
    pub fn round(&self, words: Secret<Vec<u64>>) -> (Plaintext, f64) {
        if let Some(narrow) = self.narrow {
            return self.round_narrow(narrow, words);
        }
        let n = words.len() / self.limbs.len();
        let t = self.t;
        let mut worst = 0.0f64;
        let coefficients = (0..n).map(|c| {
            let (mut fraction, mut rest) = (0.0f64, 0);
            for (i, limb) in self.limbs.iter().enumerate() {
                let z = limb.q.mul_shoup(words[i * n + c], limb.scale.0, limb.scale.1);
                fraction += z as f64 * limb.reciprocal;
                rest += times(z, limb.cofactor, t);
            }
            let turns = (fraction + 0.5) as u64; // not negative
            worst = worst.max((fraction - turns as f64).abs());
            // -(rest - turns q)/q = turns - rest/q
            times(times(rest, self.minus_inverse, t) + turns, self.one, t)
        });
        let coefficients = Secret::collect(coefficients);
        (Plaintext::of_rounded(coefficients), worst)
    }

    fn round_narrow(&self, narrow: Narrow, mut words: Secret<Vec<u64>>) -> (Plaintext, f64) {
        let worst = self.kernel.run(Round {
            narrow,
            words: &mut words,
        });
        let plaintext = Plaintext::of_rounded(words);
        (plaintext, worst as f64 * self.limbs[0].reciprocal)
    }
}

/// A factor in [0, m) with its companion.
fn fixed(factor: u64, m: u64) -> Fixed {
    (factor, ((u128::from(factor) << 64) / u128::from(m)) as u64)
}

/// A word times a fixed factor, modulo m.
#[inline]
fn times(a: u64, (factor, companion): Fixed, m: u64) -> u64 {
    let quotient = ((u128::from(a) * u128::from(companion)) >> 64) as u64;
    lower(a.wrapping_mul(factor).wrapping_sub(quotient.wrapping_mul(m)), m)
}

/// [0, 2m) -> [0, m), without a branch.
#[inline]
fn lower(x: u64, m: u64) -> u64 {
    x.min(x.wrapping_sub(m))
}

/// The inverse modulo m of what is coprime to it, in [1, m), by Euclid's algorithm.
fn inverse(a: u64, m: u64) -> u64 {
    let (mut old, mut new) = ((i128::from(m), 0), (i128::from(a % m), 1));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(i128::from(m)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint};
    use ringmill_arith::prime::primes_below;

    /// The definitions with big integers, for several t and numbers of limbs.
    #[test]
    fn agrees_with_big_integers() {
        let primes = primes_below(1 << 40, 2048, 5, &[]).unwrap();
        let small = primes_below(1 << 31, 2048, 1, &[]).unwrap();
        let bases = (1..=5).map(|count| Basis::new(&primes[..count]).unwrap());
        let bases: Vec<Basis> = bases.chain([Basis::new(&small).unwrap()]).collect();
        for t in [2, 3, 256, 65537, 1_000_003, 1 << 30, (1 << 32) - 1] {
            let fits = |q: &Modulus| t <= q.value() >> 8;
            for basis in bases.iter().filter(|basis| basis.moduli().iter().all(fits)) {
                let (kernel, q) = (Simd::from_environment().unwrap(), basis.product());
                let scaling = Scaling::new(basis, t, kernel);
                let messages: Vec<u64> = [0, 1, t / 2, t / 2 + 1, t - 1, 12_345 % t]
                    .into_iter()
                    .filter(|m| *m < t)
                    .collect();
                // Noise of up to nearly q/2t, in both directions.
                let most = BigInt::from(&q / (2 * t) * 99u32 / 100u32);
                let mut words = Vec::new();
                for (i, prime) in basis.moduli().iter().enumerate() {
                    let mut limb = vec![0; messages.len()];
                    scaling.add(i, &messages, &mut limb);
                    for (x, m) in limb.iter_mut().zip(&messages) {
                        // round half down: (q m - r)/t with r in (-t/2, t/2]
                        let rounded = (&q * *m * 2u32 + BigUint::from(t - 1)) / (2 * t);
                        assert_eq!(BigUint::from(*x), rounded % prime.value(), "t = {t}");
                        let noise = if m % 2 == 0 { most.clone() } else { -&most };
                        let noisy: BigInt = (BigInt::from(*x) + noise) % prime.value();
                        let noisy = (noisy + prime.value()) % prime.value();
                        *x = noisy.try_into().unwrap();
                    }
                    words.extend(limb);
                }
                let (rounded, worst) = scaling.round(Secret::new(words));
                assert_eq!(rounded.coefficients(), messages, "t = {t}, {basis:?}");
                assert!((0.48..0.5).contains(&worst), "t = {t}, {basis:?}: {worst}");
            }
        }
    }

    #[test]
    fn residues_are_inverted() {
        for m in [2, 9, 256, 65537, (1 << 42) - 11] {
            for a in [1, 5, 7, 65_535].into_iter().filter(|a| gcd(*a, m) == 1) {
                assert_eq!(
                    u128::from(inverse(a, m)) * u128::from(a) % u128::from(m),
                    1,
                    "{a} {m}"
                );
            }
        }
    }

    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
}
