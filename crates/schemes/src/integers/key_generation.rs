use num_bigint::BigUint;
use num_traits::One;
use rayon::prelude::*;
use ringmill_arith::sampling::{Seed, Stream};

use super::accumulation::Elements;
use super::primes::{next_prime, random_prime, small_primes};
use super::words::{self, uniform};
use super::{IntegersError, Parameters, PublicKey, SecretKey};

/// Bits of the primes that q_0 is a product of: far above the set's 2^lambda.
const PRIME_BITS: u32 = 256;

/// x_0 is within 2^(gamma - this) below 2^gamma, so that numbers of gamma bits are uniform modulo x_0.
const CLOSE: u32 = 64;

/// A pair of keys: Coron, Naccache and Tibouchi, section 2.2.
///
/// p is a random prime of eta bits and q_0 a product of random primes, all of 256 bits but one, with x_0 = p q_0 just
/// below 2^gamma. At large size this takes minutes, most of it for remainders of the chi_i modulo p.
///
/// # Errors
/// [`IntegersError::Arith`] without randomness.
pub fn generate(parameters: &Parameters) -> Result<(SecretKey, PublicKey), IntegersError> {
    Ok(generate_from(parameters, &Seed::random()?, Seed::random()?))
}

/// The pair of a secret seed and a public one.
pub(super) fn generate_from(parameters: &Parameters, secret: &Seed, public: Seed) -> (SecretKey, PublicKey) {
    let mut stream = Stream::new(&secret.derive("p", 0));
    let p = random_prime(&mut stream, parameters.eta(), &small_primes(1 << 16));
    let modulus = modulus(parameters, &p, secret);
    let elements = Elements::new(parameters, public);
    let corrections = (0..parameters.tau())
        .into_par_iter()
        .flat_map_iter(|i| correction(parameters, &p, &elements, i, secret));
    let public = PublicKey::new(*parameters, elements.clone(), corrections.collect(), &modulus);
    (SecretKey::new(*parameters, &p, *public.fingerprint()), public)
}

/// x_0.
fn modulus(parameters: &Parameters, p: &BigUint, secret: &Seed) -> BigUint {
    let small = small_primes(1 << 12);
    let gamma = u64::from(parameters.gamma());
    let (mut modulus, mut made) = (p.clone(), 0);
    loop {
        // Products lose up to a bit for each factor: what is missing is made in a next round.
        let count = ((gamma - modulus.bits()) / u64::from(PRIME_BITS)).saturating_sub(1);
        if count == 0 {
            break;
        }
        let primes: Vec<BigUint> = (made..made + count)
            .into_par_iter()
            .map(|i| random_prime(&mut Stream::new(&secret.derive("prime", i)), PRIME_BITS, &small))
            .collect();
        modulus *= product(&primes);
        made += count;
    }
    let most = (BigUint::one() << gamma) / &modulus;
    let least = &most - (&most >> CLOSE);
    let mut stream = Stream::new(&secret.derive("last prime", 0));
    loop {
        let start = &least + uniform(&mut stream, most.bits() as u32 - CLOSE - 1);
        let last = next_prime(&start, &small);
        if last <= most {
            return modulus * last;
        }
    }
}

/// The product of a list.
fn product(factors: &[BigUint]) -> BigUint {
    match factors {
        [] => BigUint::one(),
        [one] => one.clone(),
        _ => {
            let (left, right) = factors.split_at(factors.len() / 2);
            let (left, right) = rayon::join(|| product(left), || product(right));
            left * right
        }
    }
}

/// The words of delta_i = \[chi_i mod p\] + xi_i p - r_i: xi_i is uniform in \[1, 2^lambda\], r_i in \[-2^rho, 2^rho).
fn correction(
    parameters: &Parameters,
    p: &BigUint,
    elements: &Elements,
    i: usize,
    secret: &Seed,
) -> Vec<u64> {
    let mut chi = vec![0; elements.words()];
    elements.fill(i, 0, &mut chi);
    let mut stream = Stream::new(&secret.derive("correction", i as u64));
    let multiple = (uniform(&mut stream, parameters.lambda()) + 1_u32) * p;
    let noise = uniform(&mut stream, parameters.rho() + 1);
    let delta = words::number(&chi) % p + multiple + (BigUint::one() << parameters.rho()) - noise;
    words::words(&delta, parameters.correction_words())
}
