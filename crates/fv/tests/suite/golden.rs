//! Files written by version 3 of the format must stay readable, and the same seeds must give the same
//! files. `RINGMILL_WRITE_GOLDEN=1 cargo test -p ringmill-fv --test suite golden` writes them anew: only for a
//! new version of the format, beside the old ones.

use std::path::{Path, PathBuf};

use ringmill_fv::{
    Domain, KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution,
};

use crate::common::{context, seed};

/// Small files, so an insecure set.
fn parameters() -> Parameters {
    Parameters::new(&ParametersSpec {
        name: "golden".to_owned(),
        ring: RingKind::Fermat,
        n: 2048,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 1, bits: 40.0 },
        small: Some(PrimeChoice { count: 1, bits: 35.0 }),
        special: Some(PrimeChoice { count: 1, bits: 42.0 }),
        key_switching: KeySwitching::Hybrid { digit_limbs: 1 },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    })
    .unwrap()
}

fn bits() -> Vec<bool> {
    (0..128).map(|i| i * i % 7 < 3).collect()
}

/// Name and content of every file, made from fixed seeds.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let context = context(parameters());
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let relinearization = context.generate_relinearization_key(&secret, &seed(3)).unwrap();
    let galois = context.generate_galois_key(&secret, 7, &seed(4)).unwrap();
    let plaintext = context.encode(&bits()).unwrap();
    let ciphertexts = [
        context.encrypt(&public, &plaintext, 3, &seed(5)).unwrap(),
        context
            .encrypt_with_secret(&secret, &plaintext, 2, &seed(6))
            .unwrap(),
    ];
    let mut files = [
        "parameters",
        "secret",
        "public",
        "relinearization",
        "galois",
        "ciphertexts",
    ]
    .map(|name| (name, Vec::new()));
    context.parameters().write(&mut files[0].1).unwrap();
    context.write_secret_key(&mut files[1].1, &secret).unwrap();
    context.write_public_key(&mut files[2].1, &public).unwrap();
    context
        .write_relinearization_key(&mut files[3].1, &relinearization)
        .unwrap();
    context.write_galois_keys(&mut files[4].1, &[galois]).unwrap();
    context.write_ciphertexts(&mut files[5].1, &ciphertexts).unwrap();
    files.into()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(format!("{name}.v3"))
}

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

#[test]
fn the_same_seeds_give_the_golden_files() {
    for (name, file) in files() {
        if std::env::var_os("RINGMILL_WRITE_GOLDEN").is_some() {
            std::fs::write(path(name), &file).unwrap();
        }
        assert!(file == golden(name), "{name} differs");
    }
}

#[test]
fn golden_files_are_read_and_work() {
    let parameters = Parameters::read(golden("parameters").as_slice()).unwrap();
    let context = context(parameters);
    let secret = context.read_secret_key(golden("secret").as_slice()).unwrap();
    let public = context.read_public_key(golden("public").as_slice()).unwrap();
    let relinearization = context
        .read_relinearization_key(golden("relinearization").as_slice())
        .unwrap();
    let galois = context.read_galois_keys(golden("galois").as_slice()).unwrap();
    let ciphertexts = context
        .read_ciphertexts(golden("ciphertexts").as_slice())
        .unwrap();
    let decrypt = |c| context.decode(&context.decrypt(&secret, c).unwrap()).unwrap();
    for ciphertext in &ciphertexts {
        assert_eq!(decrypt(ciphertext), bits());
    }
    let moved = context.automorphism(&ciphertexts[0], &galois[0]).unwrap();
    let expected: Vec<bool> = context
        .slots()
        .unwrap()
        .permutation(7)
        .unwrap()
        .iter()
        .map(|&i| bits()[i])
        .collect();
    assert_eq!(decrypt(&moved), expected);
    let fresh = context
        .encrypt(&public, &context.encode(&bits()).unwrap(), 3, &seed(9))
        .unwrap();
    let (u, v) = (
        context.lift(&ciphertexts[0]).unwrap(),
        context.lift(&fresh).unwrap(),
    );
    let product = context.multiply(&u, &v).unwrap();
    let product = context
        .relinearize(&product, &[], &relinearization, 3, Domain::Coefficient)
        .unwrap();
    assert_eq!(decrypt(&product), bits());
}

/// Version 1 had no small primes and other Galois keys, version 2 no kinds of rings; they were never released.
#[test]
fn files_of_older_versions_are_refused() {
    for version in [1, 2] {
        let file = std::fs::read(path("parameters").with_extension(format!("v{version}"))).unwrap();
        let error = Parameters::read(file.as_slice()).unwrap_err().to_string();
        assert!(
            error.contains(&format!("version {version}")) && error.contains("write the file again"),
            "{error}"
        );
    }
}
