//! Certified primes and deterministic roots of unity.

use crate::{ArithError, Modulus};

/// Bases for which the strong probable-prime test is a proof below 3.3 * 10^24, so for every word
/// (Sorenson and Webster, "Strong pseudoprimes to twelve prime bases", 2015).
const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Whether a word is prime. The answer is certain.
#[must_use]
pub fn is_prime(n: u64) -> bool {
    if n < 2 {
        return false;
    }
    for p in WITNESSES {
        if n.is_multiple_of(p) {
            return n == p;
        }
    }
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    WITNESSES.iter().all(|&base| {
        let mut x = pow_mod(base, odd, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = mul_mod(x, x, n);
            x == n - 1
        })
    })
}

fn mul_mod(a: u64, b: u64, n: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(n)) as u64
}

fn pow_mod(base: u64, exponent: u64, n: u64) -> u64 {
    let (mut result, mut square, mut rest) = (1, base % n, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = mul_mod(result, square, n);
        }
        square = mul_mod(square, square, n);
        rest >>= 1;
    }
    result
}

/// The `count` largest primes p = 1 mod `congruence` with p < `limit` that are not in `taken`, in descending order.
///
/// # Errors
/// [`ArithError::TooFewPrimes`] if there are fewer.
pub fn primes_below(
    limit: u64,
    congruence: u64,
    count: usize,
    taken: &[u64],
) -> Result<Vec<Modulus>, ArithError> {
    let mut found = Vec::with_capacity(count);
    let mut candidate = (limit.saturating_sub(2)) / congruence * congruence + 1;
    while found.len() < count && candidate > congruence {
        if !taken.contains(&candidate)
            && let Ok(modulus) = Modulus::new(candidate)
        {
            found.push(modulus);
        }
        candidate -= congruence;
    }
    if found.len() < count {
        return Err(ArithError::TooFewPrimes {
            limit,
            congruence,
            found: found.len(),
            wanted: count,
        });
    }
    Ok(found)
}

/// A root of unity of exact order `order` modulo `q`: g^((q-1)/order) for the smallest g >= 2 that gives one. The choice
/// is deterministic, so every device and every version has the same roots.
///
/// # Errors
/// [`ArithError::NoRoot`] if `order` does not divide q - 1.
pub fn root_of_unity(q: &Modulus, order: u64) -> Result<u64, ArithError> {
    let no_root = ArithError::NoRoot {
        modulus: q.value(),
        order,
    };
    if order == 0 || !(q.value() - 1).is_multiple_of(order) {
        return Err(no_root);
    }
    let factors = prime_factors(order);
    (2..q.value())
        .map(|g| q.pow(g, (q.value() - 1) / order))
        .find(|&root| factors.iter().all(|f| q.pow(root, order / f) != 1))
        .ok_or(no_root)
}

/// The distinct prime factors of a number in ascending order, by trial division; none for 0 and 1.
#[must_use]
pub fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut p = 2;
    while p * p <= n {
        if n.is_multiple_of(p) {
            factors.push(p);
            while n.is_multiple_of(p) {
                n /= p;
            }
        }
        p += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_trial_division() {
        for n in 0..20_000u64 {
            let naive = n >= 2 && (2..n).take_while(|p| p * p <= n).all(|p| n % p != 0);
            assert_eq!(is_prime(n), naive, "{n}");
        }
        assert!(is_prime((1 << 61) - 1));
        // Strong pseudoprime to the first nine prime bases.
        assert!(!is_prime(3_825_123_056_546_413_051));
    }

    #[test]
    fn primes_are_congruent_descending_and_untaken() {
        let m = 65535 * 256;
        let first = primes_below(1 << 50, m, 4, &[]).unwrap();
        let rest = primes_below(1 << 50, m, 2, &[first[0].value(), first[1].value()]).unwrap();
        assert_eq!(rest, first[2..]);
        assert!(first.windows(2).all(|w| w[0].value() > w[1].value()));
        assert!(first.iter().all(|q| q.value() % m == 1 && q.value() < 1 << 50));
        assert!(matches!(
            primes_below(1 << 26, m, 40, &[]),
            Err(ArithError::TooFewPrimes { wanted: 40, .. })
        ));
    }

    #[test]
    fn roots_have_the_exact_order() {
        let q = Modulus::new(838_848_001).unwrap();
        let root = root_of_unity(&q, 65535).unwrap();
        assert_eq!(q.pow(root, 65535), 1);
        for f in [3, 5, 17, 257] {
            assert_ne!(q.pow(root, 65535 / f), 1);
        }
        assert!(root_of_unity(&q, 7).is_err());
    }
}
