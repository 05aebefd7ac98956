//! YASHE and LTV on the core and its golden model: the ciphertexts of products are the CPU's, byte for byte.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::PrimeRule;
use ringmill_rlwe::PrimeChoice;
use ringmill_rtl::core::CoreDevice;
use ringmill_schemes::ltv::Ltv;
use ringmill_schemes::ntru::{Context, NtruScheme, Parameters, Scheme, Spec};
use ringmill_schemes::yashe::Yashe;

use crate::common::Random;
use crate::core_model::{Core, LIMB, N, configuration, on_machines};

fn spec(scheme: Scheme) -> Spec {
    let (name, count, digit_bits, auxiliary) = match scheme {
        Scheme::Yashe => ("yashe-core", 3, 100, 5),
        Scheme::Ltv => ("ltv-core", 3, 16, 3),
    };
    Spec {
        name: name.to_owned(),
        scheme,
        n: N,
        prime_rule: PrimeRule::Machine,
        large: PrimeChoice { count, bits: 49.0 },
        small: None,
        levels: count,
        floor: 48.9,
        step: 48.9,
        digit_bits,
        auxiliary,
        sigma: 3.2,
    }
}

/// The file of a product and a third ciphertext, at the highest level but one, and its slots.
fn product<S: NtruScheme, D: Device>(context: &Context<S, D>, bits: [&[bool]; 3]) -> (Vec<u8>, Vec<bool>) {
    let seed = |i| Seed::from_bytes([i; 32]);
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let key = context
        .generate_evaluation_key(&secret, &public, &seed(3))
        .unwrap();
    let level = context.parameters().levels();
    let encrypted = [4, 5, 6].into_iter().zip(bits).map(|(i, bits)| {
        let plaintext = context.encode(bits).unwrap();
        context.encrypt(&public, &plaintext, level, &seed(i)).unwrap()
    });
    let encrypted: Vec<_> = encrypted.collect();
    let factors = [0, 1].map(|i| context.factor(&encrypted[i]).unwrap());
    let product = context.multiply(&[(&factors[0], &factors[1])]).unwrap();
    let product = context
        .relinearize(&key, &product, &[&encrypted[2]], level - 1)
        .unwrap();
    let mut file = Vec::new();
    context
        .write_ciphertexts(&mut file, std::slice::from_ref(&product))
        .unwrap();
    let plaintext = context.decrypt(&secret, &product).unwrap();
    (file, context.decode(&plaintext).unwrap())
}

fn products_are_the_cpus<S: NtruScheme, M: Core + 'static>(scheme: Scheme) {
    let parameters = Parameters::new(&spec(scheme)).unwrap();
    let core = CoreDevice::new(M::core(configuration(), 0, 800 * LIMB + (4 << 20))).unwrap();
    let cpu = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    let core = Context::<S, _>::new(parameters.clone(), Arc::new(core)).unwrap();
    let cpu = Context::<S, _>::new(parameters, Arc::new(cpu)).unwrap();
    let mut random = Random::new(1);
    let slots = cpu.slots().len();
    let [a, b, c] = [(); 3].map(|()| (0..slots).map(|_| random.word() % 2 == 1).collect::<Vec<_>>());
    let (ours, decrypted) = product(&core, [&a, &b, &c]);
    let (theirs, _) = product(&cpu, [&a, &b, &c]);
    assert!(ours == theirs);
    let expected: Vec<bool> = (0..slots).map(|i| a[i] & b[i] ^ c[i]).collect();
    assert_eq!(decrypted, expected);
}

fn yashe_products_are_the_cpus<M: Core + 'static>() {
    products_are_the_cpus::<Yashe, M>(Scheme::Yashe);
}

fn ltv_products_are_the_cpus<M: Core + 'static>() {
    products_are_the_cpus::<Ltv, M>(Scheme::Ltv);
}

on_machines!(yashe_products_are_the_cpus, ltv_products_are_the_cpus);
