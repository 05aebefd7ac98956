//! Random primes of any length. Not certified: the scheme wants numbers without small factors.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use ringmill_arith::sampling::Stream;

use super::words;

/// Bases of the test of Miller and Rabin. A random number of 256 bits or more that is not prime passes for one of them
/// with a probability far below 1/4 (Damgard, Landrock and Pomerance, 1993).
const BASES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// Candidates sieved at a time, odd ones.
const SIEVE: usize = 2048;

/// The first prime not below a number of at least 64 bits.
pub(super) fn next_prime(from: &BigUint, small: &[u32]) -> BigUint {
    let mut start = from | BigUint::one();
    loop {
        let mut composite = [false; SIEVE];
        for &p in small {
            let rest = (&start % p).to_u32().unwrap_or_default();
            // start + 2k = 0 modulo p.
            let first = if rest == 0 {
                0
            } else if (p - rest).is_multiple_of(2) {
                (p - rest) / 2
            } else {
                (2 * p - rest) / 2
            };
            for place in composite.iter_mut().skip(first as usize).step_by(p as usize) {
                *place = true;
            }
        }
        for k in (0..SIEVE).filter(|&k| !composite[k]) {
            let candidate = &start + 2 * k;
            if is_prime(&candidate) {
                return candidate;
            }
        }
        start += 2 * SIEVE;
    }
}

/// The odd primes below a number.
pub(super) fn small_primes(limit: u32) -> Vec<u32> {
    let mut composite = vec![false; limit as usize];
    let mut primes = Vec::new();
    for n in 3..limit as usize {
        if n % 2 == 0 || composite[n] {
            continue;
        }
        primes.push(n as u32);
        for multiple in (n * n..limit as usize).step_by(n) {
            composite[multiple] = true;
        }
    }
    primes
}

/// A random prime of exactly the given number of bits, 64 or more.
pub(super) fn random_prime(stream: &mut Stream, bits: u32, small: &[u32]) -> BigUint {
    loop {
        let start = words::uniform(stream, bits - 1) + (BigUint::one() << (bits - 1));
        let prime = next_prime(&start, small);
        if prime.bits() == u64::from(bits) {
            return prime;
        }
    }
}

/// Whether an odd number passes the test to the bases of the first primes.
fn is_prime(n: &BigUint) -> bool {
    let minus_one = n - 1_u32;
    let twos = minus_one.trailing_zeros().unwrap_or_default();
    let odd = &minus_one >> twos;
    BASES.iter().all(|&base| {
        let mut x = BigUint::from(base).modpow(&odd, n);
        if x.is_one() || x == minus_one {
            return true;
        }
        (1..twos).any(|_| {
            x = &x * &x % n;
            x == minus_one
        })
    })
}
