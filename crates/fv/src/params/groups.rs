use num_bigint::BigUint;
use ringmill_arith::{ArithError, Basis, Modulus};

/// The limbs of q, of which the first `small` are the small primes, in groups: one for each digit of hybrid
/// key switching with the special primes of product P.
///
/// Groups are `digit_limbs` large primes each, in order. The small primes join the first group if their
/// product then is at most that of the largest other group or P, so that a key switch is no noisier;
/// otherwise they are a group of their own, in front, or if that were still too large one each.
pub(super) fn groups(
    q: &Basis,
    small: usize,
    digit_limbs: usize,
    special: &Basis,
) -> Result<Vec<Basis>, ArithError> {
    let (small, large) = q.moduli().split_at(small);
    let mut groups: Vec<Vec<Modulus>> = large.chunks(digit_limbs).map(<[Modulus]>::to_vec).collect();
    if !small.is_empty() {
        let joined = [small, groups.first().map_or(&[][..], Vec::as_slice)].concat();
        let others = groups.iter().skip(1).map(|group| product(group)).max();
        let most = others.unwrap_or_default().max(special.product());
        match groups.first_mut() {
            Some(first) if product(&joined) <= most => *first = joined,
            _ if product(small) <= most => groups.insert(0, small.to_vec()),
            _ => drop(groups.splice(0..0, small.iter().map(|q| vec![*q]))),
        }
    }
    groups.iter().map(|group| Basis::new(group)).collect()
}

fn product(moduli: &[Modulus]) -> BigUint {
    moduli.iter().map(Modulus::value).product()
}
