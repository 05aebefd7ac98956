use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Digits, GroupedKey};

use crate::ntru::{NtruError, Parameters};

/// The groups of primes that evaluation keys are cut into: the primes of the pool in order, each group as long as
/// the auxiliary primes can hold.
///
/// # Errors
/// [`NtruError::BadParameter`] if they cannot hold the sums of a relinearization modulo one prime.
pub fn groups(parameters: &Parameters) -> Result<Vec<Basis>, NtruError> {
    let (bits, expansion) = (parameters.digit_bits(), parameters.ring().expansion());
    let words = (Digits::BaseTwo { bits }).elements(parameters.pool()).len();
    let fits = |group: &[Modulus]| {
        let log2 = group.iter().map(|q| (q.value() as f64).log2()).sum();
        let needed = GroupedKey::<()>::auxiliary_bits(bits, words, log2, expansion);
        // The hair is for the rounding of logarithms.
        needed + 1e-6 < parameters.auxiliary().log2()
    };
    let mut groups: Vec<Vec<Modulus>> = Vec::new();
    for q in parameters.pool().moduli() {
        if !fits(&[*q]) {
            return Err(NtruError::BadParameter {
                name: "auxiliary",
                problem: format!(
                    "{} primes cannot hold a sum of words times residues modulo {}; choose more",
                    parameters.auxiliary().len(),
                    q.value()
                ),
            });
        }
        match groups.last_mut() {
            Some(group) if fits(&[&group[..], &[*q]].concat()) => group.push(*q),
            _ => groups.push(vec![*q]),
        }
    }
    let groups = groups.iter().map(|group| Ok(Basis::new(group)?));
    groups.collect()
}
