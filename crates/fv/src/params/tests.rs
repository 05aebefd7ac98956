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
        if name == presets::HEPCLOUD {
            assert!(security.is_insecure());
            assert_eq!(security.bits, 85);
            let warning = security.warning.as_ref().unwrap();
            assert!(warning.contains("at least 85-bit") && warning.contains("log2 q is 1228"));
            assert!((1227.5..1228.5).contains(&parameters.log2_q(25)));
            assert_eq!((parameters.levels(), parameters.special()), (25, None));
            continue;
        }
        let bits: u32 = name[2..5].parse().unwrap();
        assert_eq!(security.bits, bits);
        assert_eq!(security.standard.map(SecurityLevel::bits), Some(bits));
        // Nothing much left unused.
        let total = parameters.log2_q(parameters.levels()) + parameters.log2_p();
        let budget = security.standard.unwrap().budget(parameters.n()).unwrap();
        assert!(
            total <= budget && total > 0.985 * budget,
            "{name}: {total} of {budget}"
        );
        assert!((1..=5).contains(&parameters.digits_log2(parameters.levels()).len()));
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
        1_820_212_939_124_316_507,
        11_701_385_599_557_321_010,
        16_228_562_312_183_301_705,
        3_433_419_628_935_220_165,
    ];
    let names = ["fv128-n4096", "fv128-n32768", "fv256-n65536", "hepcloud"];
    assert_eq!(names.map(short), expected);
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
        message.starts_with("the key was made with other parameters"),
        "{message}"
    );
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
        (change(&|s| s.t = 1), "parameter t"),
        (change(&|s| s.t = 1 << 30), "parameter t"),
        (change(&|s| s.limbs.count = 0), "parameter limbs"),
        (change(&|s| s.limbs.count = 65), "parameter limbs"),
        (change(&|s| s.limbs.bits = 50.5), "parameter limbs"),
        (change(&|s| s.limbs.bits = f64::NAN), "parameter limbs"),
        (change(&|s| s.limbs.bits = 20.2), "only "),
        (change(&|s| s.special = None), "needs primes of P"),
        (
            change(&|s| s.key_switching = KeySwitching::Words { bits: 8 }),
            "has no P",
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
            change(&|s| (s.special, s.key_switching) = (None, KeySwitching::Words { bits: 61 })),
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
