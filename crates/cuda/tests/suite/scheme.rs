//! The FV scheme on an emulated GPU: all files are those that the CPU writes, byte for byte.

use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_cuda::gpu::EmulatorOptions;
use ringmill_device::Device;
use ringmill_fv::{
    Ciphertext, Context, Domain, KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind,
    SecretDistribution,
};

use crate::common::emulator::{ARITHMETICS, cpu, emulated};

/// Small and therefore insecure parameters, with two limbs in the first digit and one in the second.
fn parameters(key_switching: KeySwitching) -> Parameters {
    let special = match key_switching {
        KeySwitching::Hybrid { digit_limbs } => Some(PrimeChoice {
            count: digit_limbs,
            bits: 49.0,
        }),
        _ => None,
    };
    let spec = ParametersSpec {
        name: "toy".to_owned(),
        ring: RingKind::Fermat,
        n: 2048,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 3, bits: 48.0 },
        small: Some(PrimeChoice { count: 2, bits: 32.0 }),
        special,
        key_switching,
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    };
    Parameters::new(&spec).unwrap()
}

fn seed(i: u8) -> Seed {
    Seed::from_bytes([i; 32])
}

/// Makes keys, a batch of encryptions, a product with addends, modulus switching, rotations and their sum,
/// and writes the result of each step to a file.
fn files<D: Device>(parameters: &Parameters, device: D) -> Vec<(&'static str, Vec<u8>)> {
    let context = Context::new(parameters.clone(), Arc::new(device)).unwrap();
    let mut files = Vec::new();
    let mut write = |name, ciphertexts: &[Ciphertext<D>]| {
        let mut file = Vec::new();
        context.write_ciphertexts(&mut file, ciphertexts).unwrap();
        files.push((name, file));
    };
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let relinearization = context.generate_relinearization_key(&secret, &seed(3)).unwrap();
    let galois = context.generate_galois_key(&secret, 7, &seed(4)).unwrap();
    let bits = |k: usize| (0..64).map(|i| i * k % 5 < 2).collect::<Vec<bool>>();
    let plaintexts: Vec<_> = (1..5).map(|k| context.encode(&bits(k)).unwrap()).collect();
    let level = parameters.levels();
    let fresh = context
        .encrypt_many(&public, &plaintexts, level, &seed(5))
        .unwrap();
    let lifted: Vec<_> = fresh.iter().map(|a| context.lift(a).unwrap()).collect();
    let product = context
        .multiply_sum(&[(&lifted[0], &lifted[1]), (&lifted[2], &lifted[2])])
        .unwrap();
    let values = context.evaluated(&fresh[3]).unwrap();
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        let relinearized = context
            .relinearize(
                &product,
                &[&fresh[3], &values],
                &relinearization,
                level - 1,
                domain,
            )
            .unwrap();
        assert_eq!(
            context
                .decode(&context.decrypt(&secret, &relinearized).unwrap())
                .unwrap()[..64],
            (0..64)
                .map(|i| (bits(1)[i] & bits(2)[i]) ^ bits(3)[i])
                .collect::<Vec<_>>()[..],
        );
        write("product", &[relinearized]);
    }
    write("lower", &[context.switch_modulus(&fresh[1], level - 2).unwrap()]);
    let decomposed = context.decompose(&fresh[0]).unwrap();
    let rotated = context.rotate(&decomposed, &galois).unwrap();
    let factor = context.factor(&plaintexts[1].centred(2)).unwrap();
    let terms = [(&rotated, Some(&factor)), (&rotated, None)];
    write(
        "combination",
        &[context
            .combine(&terms, &[&fresh[2]], level, Domain::Coefficient)
            .unwrap()],
    );
    write("rotated", &[context.automorphism(&values, &galois).unwrap()]);
    write("fresh", &fresh);
    files
}

#[test]
fn files_are_those_of_the_cpu() {
    for key_switching in [
        KeySwitching::Hybrid { digit_limbs: 2 },
        KeySwitching::BaseTwo { bits: 40 },
    ] {
        let parameters = parameters(key_switching);
        let expected = files(&parameters, cpu(parameters.ring()));
        // Everything is done as late as possible: code that forgets to wait gets wrong words.
        let late = EmulatorOptions {
            lazy: true,
            ..EmulatorOptions::default()
        };
        for arithmetic in ARITHMETICS {
            let got = files(&parameters, emulated(parameters.ring(), arithmetic, late));
            for ((name, got), (_, expected)) in got.iter().zip(&expected) {
                assert!(got == expected, "{name}, {key_switching:?}, {arithmetic:?}");
            }
        }
    }
}
