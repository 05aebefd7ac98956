use super::*;
use crate::SecurityLevel;

fn tiny() -> ParametersSpec {
    presets::spec("fv128-n4096").unwrap()
}

fn problem(spec: &ParametersSpec) -> String {
    Parameters::new(spec).unwrap_err().to_string()
}

#[test]
fn every_preset_meets_its_level() {
    for name in Parameters::preset_names() {
        let parameters = Parameters::preset(&name).unwrap();
        assert_eq!(parameters.name(), name);
        let security = parameters.security();
        if [presets::HEPCLOUD, presets::HEPCLOUD_MACHINE].contains(&&*name) {
            assert!(security.is_insecure());
            assert_eq!(security.bits, 85);
            let warning = security.warning.as_ref().unwrap();
            assert!(warning.contains("at least 85-bit") && warning.contains("log2 q is 1228"));
            assert!((1227.5..1228.5).contains(&parameters.log2_q(25)));
            assert_eq!((parameters.levels(), parameters.special()), (25, None));
            continue;
        }
        if name == presets::MACHINE_N2048 {
            assert!(security.is_insecure() && security.bits < 30);
            assert!(parameters.levels() == 5 && security.warning.is_some());
            continue;
        }
        if name == presets::N1024_Q27 {
            let warning = security.warning.as_ref().unwrap();
            assert!(warning.contains("allows 26") && warning.contains("the 2018 standard allowed 27"));
            assert!((26.99..27.0).contains(&parameters.log2_q(1)) && security.bits == 122);
            continue;
        }
        let bits: u32 = name
            .strip_prefix("fv")
            .map_or(128, |rest| rest[..3].parse().unwrap());
        assert_eq!(security.bits, bits);
        assert_eq!(security.standard.map(SecurityLevel::bits), Some(bits));
        // Nothing much left unused.
        let total = parameters.log2_q(parameters.levels()) + parameters.log2_p();
        let budget = security.standard.unwrap().budget(parameters.n()).unwrap();
        assert!(
            total <= budget && total > 0.985 * budget,
            "{name}: {total} of {budget}"
        );
        let digits = parameters.digits_log2(parameters.levels()).len();
        assert!(digits <= 5 && (digits > 0) == (parameters.key_switching() != KeySwitching::None));
    }
}

#[test]
fn the_main_preset_is_as_planned() {
    let parameters = Parameters::preset("fv128-n32768").unwrap();
    assert_eq!(parameters.q().len(), 15);
    assert!(parameters.q().moduli().iter().all(|m| m.bits() == 48));
    let special = parameters.special().unwrap();
    assert_eq!(special.len(), 3);
    assert!(special.moduli().iter().all(|m| m.bits() == 49));
    assert_eq!(
        parameters.key_switching(),
        KeySwitching::Hybrid { digit_limbs: 3 }
    );
    assert!(parameters.log2_q(15) + parameters.log2_p() <= 868.0);
    assert_eq!(parameters.secret_bound(), 9.0);
    assert_eq!(parameters.key_basis().unwrap().len(), 18);
    let digits = parameters.digits_log2(7);
    assert_eq!(digits.len(), 3);
    assert!((digits[2] - 48.0).abs() < 0.01 && (digits[1] - 144.0).abs() < 0.01);
}

/// Other versions must choose the same primes: files carry the hash. From a separate implementation of
/// `docs/formats.md` in Python.
#[test]
fn hashes_are_golden() {
    let short = |name: &str| {
        let hash = *Parameters::preset(name).unwrap().hash();
        u64::from_be_bytes(hash[..8].try_into().unwrap())
    };
    let expected = [
        ("fv128-n4096", 11_834_236_712_898_781_106),
        ("fv128-n32768", 6_809_371_273_317_460_042),
        ("fv256-n65536", 7_221_340_987_542_879_607),
        ("hepcloud", 14_346_499_592_436_619_689),
        ("n1024-q26", 13_246_616_450_476_683_042),
        ("n1024-q27", 8_126_265_368_071_501_356),
        ("n32768-t65537", 16_504_089_800_022_732_336),
    ];
    for (name, hash) in expected {
        assert_eq!(short(name), hash, "{name}");
    }
}

#[test]
fn equality_is_by_hash_and_ignores_the_name() {
    let one = Parameters::new(&tiny()).unwrap();
    let mut spec = tiny();
    spec.name = "mine".to_string();
    assert_eq!(one, Parameters::new(&spec).unwrap());
    spec.sigma = 3.3;
    let other = Parameters::new(&spec).unwrap();
    assert_ne!(one, other);
    assert!(one.check_hash("it", one.hash()).is_ok());
    let message = one.check_hash("the key", other.hash()).unwrap_err().to_string();
    assert!(
        message.starts_with("the key: made with other parameters"),
        "{message}"
    );
    // A hash with one byte changed is shown where it is changed.
    let mut damaged = *one.hash();
    damaged[28] ^= 0x40;
    let message = one.check_hash("the key", &damaged).unwrap_err().to_string();
    let shown = |byte: u8| format!("...{:02x}{:02x}{byte:02x}", damaged[26], damaged[27]);
    assert!(message.contains(&shown(damaged[28])), "{message}");
    assert!(message.contains(&shown(one.hash()[28])), "{message}");
}

#[test]
fn second_factors_are_rounded_finely_by_primes_that_include_the_special_ones() {
    for name in ["fv128-n8192", "fv128-n32768", "hepcloud"] {
        let parameters = Parameters::preset(name).unwrap();
        let special = parameters.special().map_or(&[][..], Basis::moduli);
        for level in 1..=parameters.levels() {
            let (basis, q) = (
                parameters.factor_basis(level).unwrap(),
                parameters.q_at(level).unwrap(),
            );
            assert!(basis.moduli().starts_with(special) && q.concat(&basis).is_ok());
            let least = q.product() * 16u32;
            assert!(basis.product() > least);
            let fewer = basis.len() - 1;
            assert!(fewer < special.len().max(1) || basis.prefix(fewer).unwrap().product() <= least);
        }
    }
    let parameters = Parameters::new(&tiny()).unwrap();
    for level in [0, 3, usize::MAX] {
        assert!(matches!(
            parameters.factor_basis(level),
            Err(FvError::BadLevel { .. })
        ));
    }
}

#[test]
fn extensions_hold_tensor_products() {
    for name in ["fv128-n8192", "fv128-n32768", "hepcloud"] {
        let parameters = Parameters::preset(name).unwrap();
        for level in 1..=parameters.levels() {
            for products in [1, 2, 3, 1000, 1024] {
                let basis = parameters.extension_for(level, products).unwrap();
                let least = parameters.q_at(level).unwrap().product()
                    * parameters.t()
                    * parameters.ring().expansion()
                    * products;
                assert!(basis.product() > least);
                // None too many.
                assert!(basis.len() == 1 || basis.prefix(basis.len() - 1).unwrap().product() <= least * 2u32);
            }
            assert_eq!(
                parameters.extension(level).unwrap(),
                parameters.extension_for(level, 2).unwrap()
            );
            let most = parameters.products_per_scaling(level).unwrap() as u64;
            let len = |products| {
                parameters
                    .extension_for(level, products)
                    .map(|basis| basis.len())
                    .ok()
            };
            assert!(most >= 2 && len(most) == len(2) && len(2 * most + 2) != len(2));
        }
        let top = parameters.levels();
        let Err(FvError::TooManyProducts { most, .. }) = parameters.extension_for(top, u64::MAX) else {
            panic!("room for 2^64 products");
        };
        assert!(most >= 1024);
        assert!(parameters.extension_for(top, most - 1).is_ok());
    }
    let parameters = Parameters::new(&tiny()).unwrap();
    for level in [0, 3, usize::MAX] {
        assert!(matches!(
            parameters.extension(level),
            Err(FvError::BadLevel { .. })
        ));
        assert!(parameters.q_at(level).is_err());
    }
}

/// q = 30 30 45 45 45 bits: all sub-bases of a first few of each, ascending.
fn fine(special: (usize, f64), digit_limbs: usize) -> Parameters {
    let choice = |count, bits| PrimeChoice { count, bits };
    Parameters::new(&ParametersSpec {
        small: Some(choice(2, 30.0)),
        limbs: choice(3, 45.0),
        special: Some(choice(special.0, special.1)),
        key_switching: KeySwitching::Hybrid { digit_limbs },
        allow_insecure: true,
        ..tiny()
    })
    .unwrap()
}

#[test]
fn small_primes_make_fine_levels() {
    let parameters = fine((1, 46.0), 1);
    assert_eq!((parameters.small_prime_count(), parameters.q().len()), (2, 5));
    let levels = 1..=parameters.levels();
    let bits: Vec<f64> = levels
        .clone()
        .map(|level| parameters.log2_q(level).round())
        .collect();
    assert_eq!(
        bits,
        [
            30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 135.0, 150.0, 165.0, 195.0
        ]
    );
    assert!((parameters.log2_q(99) - 195.0).abs() < 0.05);
    let limbs: Vec<usize> = levels.clone().map(|level| parameters.limbs_at(level)).collect();
    assert_eq!(limbs, [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5]);
    let q = parameters.q().moduli();
    // 105 is two small primes and the first large one, 135 all large ones.
    assert_eq!(parameters.q_at(6).unwrap().moduli(), &q[..3]);
    assert_eq!(parameters.q_at(8).unwrap().moduli(), &q[2..]);
    for level in levels {
        let product = parameters.q_at(level).unwrap().product();
        assert!(level == 1 || product > parameters.q_at(level - 1).unwrap().product());
    }
    // Security counts them all.
    assert!(
        parameters
            .security()
            .warning
            .as_ref()
            .unwrap()
            .contains("log2(qP) is 241")
    );
    let mut other = parameters.definition().clone();
    other.small = 0;
    assert_ne!(other.hash(), *parameters.hash());
    assert!(other.check().is_ok());
    other.small = 5;
    assert!(other.check().is_err());
    other.small = 3;
    assert!(other.check().is_err());
}

#[test]
fn small_primes_join_a_digit_where_it_stays_small() {
    let sizes =
        |parameters: &Parameters| -> Vec<usize> { parameters.groups().iter().map(Basis::len).collect() };
    // A group of their own would have 60 bits, beside three of 45 and P of 46: one each.
    let parameters = fine((1, 46.0), 1);
    assert_eq!(sizes(&parameters), [1, 1, 1, 1, 1]);
    let digits = |level| -> Vec<f64> { parameters.digits_log2(level).iter().map(|d| d.round()).collect() };
    assert_eq!(digits(11), [30.0, 30.0, 45.0, 45.0, 45.0]);
    assert_eq!(digits(8), [45.0, 45.0, 45.0]);
    assert_eq!(digits(4), [30.0, 45.0]);
    assert_eq!(digits(1), [30.0]);
    // 60 + 90 bits would be more than P, and more than the other digit of 45.
    assert_eq!(sizes(&fine((2, 46.0), 2)), [2, 2, 1]);
    let choice = |count, bits| PrimeChoice { count, bits };
    let joined = Parameters::new(&ParametersSpec {
        small: Some(choice(1, 30.0)),
        limbs: choice(3, 45.0),
        special: Some(choice(2, 38.0)),
        key_switching: KeySwitching::Hybrid { digit_limbs: 1 },
        allow_insecure: true,
        ..tiny()
    })
    .unwrap();
    assert_eq!(sizes(&joined), [2, 1, 1]);
    // P may be smaller than a digit, but not by more than 20 bits.
    assert!(fine((1, 39.0), 1).log2_p() < 45.0);
    let spec = ParametersSpec {
        special: Some(choice(1, 24.5)),
        ..ParametersSpec {
            small: Some(choice(2, 30.0)),
            limbs: choice(3, 45.0),
            allow_insecure: true,
            ..tiny()
        }
    };
    assert!(problem(&spec).contains("more than 20 bits"));
}

#[test]
fn insecure_sets_need_to_be_asked_for() {
    let mut spec = tiny();
    spec.limbs.bits = 36.0;
    spec.special = Some(PrimeChoice { count: 1, bits: 37.0 });
    assert!(matches!(Parameters::new(&spec), Err(FvError::Insecure { .. })));
    assert!(problem(&spec).contains("allow_insecure"));
    spec.allow_insecure = true;
    let parameters = Parameters::new(&spec).unwrap();
    assert!(parameters.security().is_insecure());
    assert!((120..128).contains(&parameters.security().bits));
}

#[test]
fn wrong_values_are_named() {
    let change = |change: &dyn Fn(&mut ParametersSpec)| {
        let mut spec = tiny();
        change(&mut spec);
        problem(&spec)
    };
    for (message, expected) in [
        (change(&|s| s.n = 5000), "dimension 5000"),
        (
            change(&|s| (s.ring, s.n) = (RingKind::Negacyclic, 3 << 10)),
            "dimension 3072",
        ),
        (
            change(&|s| s.key_switching = KeySwitching::None),
            "only hybrid key switching has P",
        ),
        (change(&|s| s.t = 1), "parameter t"),
        (change(&|s| s.t = 1 << 30), "parameter t"),
        (change(&|s| s.limbs.count = 0), "parameter limbs"),
        (change(&|s| s.limbs.count = 65), "parameter limbs"),
        (change(&|s| s.limbs.bits = 50.5), "parameter limbs"),
        (change(&|s| s.limbs.bits = f64::NAN), "parameter limbs"),
        (change(&|s| s.limbs.bits = 20.2), "only "),
        (
            change(&|s| s.small = Some(PrimeChoice { count: 9, bits: 30.0 })),
            "parameter small",
        ),
        (
            change(&|s| s.small = Some(PrimeChoice { count: 1, bits: 36.5 })),
            "not below the large primes",
        ),
        (change(&|s| s.special = None), "needs primes of P"),
        (
            change(&|s| s.key_switching = KeySwitching::BaseTwo { bits: 8 }),
            "only hybrid key switching has P",
        ),
        (
            change(&|s| s.key_switching = KeySwitching::Hybrid { digit_limbs: 2 }),
            "smaller than a digit",
        ),
        (
            change(&|s| s.key_switching = KeySwitching::Hybrid { digit_limbs: 0 }),
            "digit_limbs",
        ),
        (
            change(&|s| (s.special, s.key_switching) = (None, KeySwitching::BaseTwo { bits: 61 })),
            "word bits",
        ),
        (change(&|s| s.sigma = 0.1), "sigma"),
        (change(&|s| s.sigma = f64::NAN), "sigma"),
        (change(&|s| s.secret_bound = Some(2.0)), "secret_bound"),
        (change(&|s| s.secret_bound = Some(f64::INFINITY)), "secret_bound"),
        (change(&|s| s.name = String::new()), "parameter name"),
        (change(&|s| s.name = "x".repeat(65)), "parameter name"),
        (change(&|s| s.name = "a\nb".to_string()), "parameter name"),
    ] {
        assert!(
            message.contains(expected),
            "{message:?} does not contain {expected:?}"
        );
    }
    let unknown = Parameters::preset("fv129").unwrap_err().to_string();
    assert!(unknown.contains("fv128-n4096"), "{unknown}");
}
