//! Parameter sets by name.
//!
//! * `fv128-n4096` ... `fv128-n65536`, `fv192-...`, `fv256-...`: Fermat rings, plaintext modulus 2, all of
//!   q P that the security table allows for 128, 192 and 256 bits.
//! * `n4096-t65537` ... `n32768-t65537`: x^n + 1 with n slots for integers modulo 65537, 128 bits.
//! * `n1024-q26`: x^1024 + 1, plaintext modulus 256, one limb and no key switching, 128 bits.
//! * `n1024-q27`: the same with the 27 bits that the 2018 standard allowed and the 2024 table does not, the
//!   modulus of papers that use this ring (paper 2); `hepcloud`: the set of the HEPCloud paper. Both are kept
//!   to compare with those papers' figures: see [`crate::Security::warning`].

use crate::{FvError, KeySwitching, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution};

/// The name of the paper's set.
pub const HEPCLOUD: &str = "hepcloud";

/// HEPCloud's set with primes for the machines in `hdl/`.
pub const HEPCLOUD_MACHINE: &str = "hepcloud-machine";

/// A small set for simulated machines: n = 2048, five primes of 50 bits, far below any security.
pub const MACHINE_N2048: &str = "machine-n2048";

/// Security level, dimension, limbs of q and their bits, primes of P and their bits, limbs of a digit.
type Row = (u32, usize, usize, f64, usize, f64, usize);

/// P is about as large as the largest digit, and there are one to five digits. Primes of a row fit the
/// table's budget with all factors at their upper limit.
const FAMILY: [Row; 15] = [
    (128, 4096, 2, 35.0, 1, 36.0, 1),
    (128, 8192, 4, 42.7, 1, 43.2, 1),
    (128, 16384, 7, 47.7, 2, 48.0, 2),
    (128, 32768, 15, 48.0, 3, 49.0, 3),
    (128, 65536, 30, 48.4, 6, 49.1, 6),
    (192, 4096, 1, 36.0, 1, 37.0, 1),
    (192, 8192, 3, 36.5, 1, 37.5, 1),
    (192, 16384, 5, 49.4, 1, 50.0, 1),
    (192, 32768, 10, 49.6, 2, 50.0, 2),
    (192, 65536, 20, 49.9, 4, 50.0, 4),
    (256, 4096, 1, 27.7, 1, 28.3, 1),
    (256, 8192, 2, 37.7, 1, 38.5, 1),
    (256, 16384, 4, 45.8, 1, 46.8, 1),
    (256, 32768, 8, 46.1, 2, 46.5, 2),
    (256, 65536, 15, 48.8, 4, 49.2, 4),
];

/// The set of the 2018 standard's size at n = 1024.
pub const N1024_Q27: &str = "n1024-q27";

/// Dimensions of the family for integers, whose primes are as large as those of [`FAMILY`].
const INTEGERS: [usize; 4] = [4096, 8192, 16384, 32768];

/// Its plaintext modulus, a prime = 1 modulo 2n for all of them.
const INTEGERS_T: u64 = 65537;

/// Names of all presets.
#[must_use]
pub fn names() -> Vec<String> {
    let family = FAMILY.iter().map(|row| format!("fv{}-n{}", row.0, row.1));
    let integers = INTEGERS.iter().map(|n| format!("n{n}-t{INTEGERS_T}"));
    let others = ["n1024-q26", N1024_Q27, HEPCLOUD, HEPCLOUD_MACHINE, MACHINE_N2048].map(str::to_string);
    family.chain(integers).chain(others).collect()
}

/// The specification of a preset, to be changed before use if need be.
///
/// # Errors
/// [`FvError::UnknownPreset`].
pub fn spec(name: &str) -> Result<ParametersSpec, FvError> {
    match name {
        HEPCLOUD => return Ok(hepcloud(name, PrimeRule::Transform)),
        HEPCLOUD_MACHINE => return Ok(hepcloud(name, PrimeRule::Machine)),
        MACHINE_N2048 => {
            return Ok(ParametersSpec {
                prime_rule: PrimeRule::Machine,
                allow_insecure: true,
                ..of_family(name, &(0, 2048, 5, 49.9, 1, 49.9, 1), RingKind::Fermat, 2)
            });
        }
        "n1024-q26" => return Ok(one_limb(name, 26.0)),
        N1024_Q27 => return Ok(one_limb(name, 27.0)),
        _ => {}
    }
    if let Some(row) = FAMILY
        .iter()
        .find(|row| format!("fv{}-n{}", row.0, row.1) == name)
    {
        return Ok(of_family(name, row, RingKind::Fermat, 2));
    }
    let integers = INTEGERS.iter().find(|n| format!("n{n}-t{INTEGERS_T}") == name);
    let row = integers.and_then(|n| FAMILY.iter().find(|row| (row.0, row.1) == (128, *n)));
    let row = row.ok_or_else(|| FvError::UnknownPreset {
        name: name.to_string(),
        known: names().join(", "),
    })?;
    Ok(of_family(name, row, RingKind::Negacyclic, INTEGERS_T))
}

fn of_family(name: &str, row: &Row, ring: RingKind, t: u64) -> ParametersSpec {
    let &(_, n, limbs, limb_bits, special, special_bits, digit_limbs) = row;
    ParametersSpec {
        name: name.to_string(),
        ring,
        n,
        t,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice {
            count: limbs,
            bits: limb_bits,
        },
        small: None,
        special: Some(PrimeChoice {
            count: special,
            bits: special_bits,
        }),
        key_switching: KeySwitching::Hybrid { digit_limbs },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: false,
    }
}

/// x^1024 + 1 with one prime, for fresh encryptions of coefficients modulo 256 and their sums. Sets beyond
/// the security table are taken because they are asked for by name.
fn one_limb(name: &str, bits: f64) -> ParametersSpec {
    ParametersSpec {
        name: name.to_string(),
        ring: RingKind::Negacyclic,
        n: 1024,
        t: 256,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 1, bits },
        small: None,
        special: None,
        key_switching: KeySwitching::None,
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: name == N1024_Q27,
    }
}

/// n = 32768, log2 q = 1228, sigma = 50, secret uniform in {-1, 1}, words of 59 bits.
fn hepcloud(name: &str, prime_rule: PrimeRule) -> ParametersSpec {
    ParametersSpec {
        name: name.to_string(),
        ring: RingKind::Fermat,
        n: 32768,
        t: 2,
        prime_rule,
        limbs: PrimeChoice {
            count: 25,
            bits: 49.12,
        },
        small: None,
        special: None,
        key_switching: KeySwitching::BaseTwo { bits: 59 },
        auxiliary_bits: None,
        sigma: 50.0,
        secret: SecretDistribution::Signs,
        secret_bound: None,
        allow_insecure: true,
    }
}
