//! Parameter sets by name.
//!
//! `fv128-n4096` ... `fv128-n65536`, `fv192-...`, `fv256-...` use all of q P that the security table
//! allows for 128, 192 and 256 bits; plaintext modulus 2. `hepcloud` is the set of the HEPCloud paper,
//! kept to compare with that paper's figures: see [`crate::Security::warning`].

use crate::{FvError, KeySwitching, ParametersSpec, PrimeChoice, SecretDistribution};

/// The name of the paper's set.
pub const HEPCLOUD: &str = "hepcloud";

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

/// Names of all presets.
#[must_use]
pub fn names() -> Vec<String> {
    let family = FAMILY.iter().map(|row| format!("fv{}-n{}", row.0, row.1));
    family.chain([HEPCLOUD.to_string()]).collect()
}

/// The specification of a preset, to be changed before use if need be.
///
/// # Errors
/// [`FvError::UnknownPreset`].
pub fn spec(name: &str) -> Result<ParametersSpec, FvError> {
    if name == HEPCLOUD {
        return Ok(hepcloud());
    }
    let row = FAMILY
        .iter()
        .find(|row| format!("fv{}-n{}", row.0, row.1) == name);
    let Some(&(_, n, limbs, limb_bits, special, special_bits, digit_limbs)) = row else {
        return Err(FvError::UnknownPreset {
            name: name.to_string(),
            known: names().join(", "),
        });
    };
    Ok(ParametersSpec {
        name: name.to_string(),
        n,
        t: 2,
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
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: false,
    })
}

/// n = 32768, log2 q = 1228, sigma = 50, secret uniform in {-1, 1}, words of 59 bits.
fn hepcloud() -> ParametersSpec {
    ParametersSpec {
        name: HEPCLOUD.to_string(),
        n: 32768,
        t: 2,
        limbs: PrimeChoice {
            count: 25,
            bits: 49.12,
        },
        small: None,
        special: None,
        key_switching: KeySwitching::Words { bits: 59 },
        sigma: 50.0,
        secret: SecretDistribution::Signs,
        secret_bound: None,
        allow_insecure: true,
    }
}
