use ringmill_ring::PrimeRule;
use ringmill_rlwe::PrimeChoice;

use super::{NtruError, Scheme, Spec};

/// Names of the sets.
const NAMES: [&str; 5] = [
    "yashe-1225",
    "yashe-1225-machine",
    "ltv-1271",
    "ltv-1271-44",
    "ltv-1271-machine",
];

/// The degree and slots of all sets: Phi_65535 (where paper 3 writes d = 65536, which has no slots of its own),
/// n = 32768, 2048 slots.
const N: usize = 32_768;

/// The set of a name.
///
/// * `yashe-1225`: paper 3, table 1, which is set III of Lepoint and Naehrig ("A comparison of the homomorphic
///   encryption schemes FV and YASHE", Africacrypt 2014): log2 q = 1225, w = 2^205. 25 primes just below 2^49.
///   Of the 52 levels those below the highest, which the paper does not have, only make later products cheaper.
/// * `ltv-1271`: paper 3, table 1: log2 q = 1271, 41 levels, digits of 16 bits. There are not 41 primes of 31
///   bits that are 1 modulo 2^8 * 65535. So a level is two units of 15.5 bits; a small prime has two of them
///   and a large one three, and 82 units are 26 large and 2 small ones.
/// * `ltv-1271-44`: the same log2 q in 44 levels of 28.9 bits, for the 43 products of SIMON-64/128 one after the
///   other: 28 large primes and 2 small ones, of about 43.3 and 28.9 bits.
/// * `yashe-1225-machine`, `ltv-1271-machine`: the first ones with primes for the machines in `hdl/`. There are no
///   small ones among these, so LTV's 28 levels have a prime each.
pub(super) fn spec(name: &str) -> Result<Spec, NtruError> {
    let primes = |count, bits| PrimeChoice { count, bits };
    let ltv = |large, small, levels, step| Spec {
        name: name.to_owned(),
        scheme: Scheme::Ltv,
        n: N,
        prime_rule: PrimeRule::Transform,
        large,
        small,
        levels,
        floor: step,
        step,
        digit_bits: 16,
        auxiliary: 3,
        sigma: 3.2,
    };
    let yashe = |prime_rule| Spec {
        name: name.to_owned(),
        scheme: Scheme::Yashe,
        n: N,
        prime_rule,
        large: primes(25, 49.0),
        small: None,
        levels: 52,
        floor: 240.0,
        step: 19.0,
        digit_bits: 205,
        auxiliary: 26,
        sigma: 3.2,
    };
    match name {
        "yashe-1225" => Ok(yashe(PrimeRule::Transform)),
        "yashe-1225-machine" => Ok(yashe(PrimeRule::Machine)),
        "ltv-1271" => Ok(ltv(primes(26, 46.5), Some(primes(2, 31.0)), 41, 31.0)),
        "ltv-1271-44" => Ok(ltv(primes(28, 43.33), Some(primes(2, 29.3)), 44, 1271.0 / 44.0)),
        "ltv-1271-machine" => Ok(Spec {
            prime_rule: PrimeRule::Machine,
            ..ltv(primes(28, 45.4), None, 28, 45.3)
        }),
        _ => Err(NtruError::UnknownSet {
            name: name.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}

/// Names of the sets.
pub(super) fn names() -> Vec<String> {
    NAMES.iter().map(|&name| name.to_owned()).collect()
}
