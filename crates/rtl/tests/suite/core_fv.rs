//! FV on the core and its golden model: ciphertexts that it made, read from a file, added, multiplied, rotated, switched to
//! another modulus and written are the CPU's, byte for byte.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_fv::{
    Ciphertext, Context, KeySwitching, Parameters, ParametersSpec, Plaintext, PrimeChoice, PrimeRule,
    RingKind, SecretDistribution, SecretKey,
};
use ringmill_ring::Domain;
use ringmill_rtl::core::CoreDevice;

use crate::common::Random;
use crate::core_model::{Core, LIMB, N, configuration, on_machines};

/// Three primes for machines. Their ring is too small to be secure.
fn parameters(key_switching: KeySwitching) -> Parameters {
    let special = PrimeChoice { count: 1, bits: 49.9 };
    let spec = ParametersSpec {
        name: "core-n2048".to_owned(),
        ring: RingKind::Fermat,
        n: N,
        t: 2,
        prime_rule: PrimeRule::Machine,
        limbs: PrimeChoice { count: 3, bits: 49.9 },
        small: None,
        special: (key_switching != KeySwitching::None).then_some(special),
        key_switching,
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    };
    Parameters::new(&spec).unwrap()
}

fn bytes<D: Device>(context: &Context<D>, ciphertexts: &[Ciphertext<D>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    context.write_ciphertexts(&mut bytes, ciphertexts).unwrap();
    bytes
}

/// The files of encryptions of messages and of their sum.
fn files<D: Device>(
    context: &Context<D>,
    secret: &SecretKey<D>,
    messages: &[Plaintext],
) -> (Vec<u8>, Vec<u8>) {
    let public = context
        .generate_public_key(secret, &Seed::from_bytes([2; 32]))
        .unwrap();
    let seed = Seed::from_bytes([3; 32]);
    let fresh = bytes(
        context,
        &context.encrypt_many(&public, messages, 1, &seed).unwrap(),
    );
    let read = context.read_ciphertexts(fresh.as_slice()).unwrap();
    let [a, b, c] = read.as_slice() else {
        panic!("{} ciphertexts", read.len());
    };
    let sum = context.add(&context.sub(a, b).unwrap(), c).unwrap();
    (fresh, bytes(context, &[sum]))
}

fn sums_of_ciphertexts_are_the_cpus<M: Core + 'static>() {
    let parameters = parameters(KeySwitching::None);
    let core = CoreDevice::new(M::core(configuration(), 0, 100 * LIMB)).unwrap();
    let cpu = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    let core = Context::new(parameters.clone(), Arc::new(core)).unwrap();
    let cpu = Context::new(parameters, Arc::new(cpu)).unwrap();
    let mut random = Random::new(1);
    let bits: Vec<Vec<u64>> = (0..3)
        .map(|_| (0..N).map(|_| random.word() % 2).collect())
        .collect();
    let messages: Vec<Plaintext> = bits
        .iter()
        .map(|bits| Plaintext::new(bits.clone(), 2).unwrap())
        .collect();
    let seed = Seed::from_bytes([1; 32]);
    let secret = core.generate_secret_key(&seed).unwrap();
    let ours = files(&core, &secret, &messages);
    let theirs = files(&cpu, &cpu.generate_secret_key(&seed).unwrap(), &messages);
    assert!(ours == theirs);
    let sum = core.read_ciphertexts(ours.1.as_slice()).unwrap();
    let expected: Vec<u64> = (0..N)
        .map(|i| bits.iter().map(|bits| bits[i]).sum::<u64>() % 2)
        .collect();
    let decrypted = core.decrypt(&secret, &sum[0]).unwrap();
    assert_eq!(decrypted, Plaintext::new(expected, 2).unwrap());
}

/// The files of a product, relinearized to a lower level, of its image under an automorphism, and of that with another
/// modulus; and the last one, decrypted.
fn products<D: Device>(context: &Context<D>, messages: &[Plaintext]) -> (Vec<u8>, Plaintext) {
    let seed = |i| Seed::from_bytes([i; 32]);
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let relinearization = context.generate_relinearization_key(&secret, &seed(3)).unwrap();
    let galois = context.generate_galois_key(&secret, EXPONENT, &seed(4)).unwrap();
    let fresh = context.encrypt_many(&public, messages, 3, &seed(5)).unwrap();
    let lifted = [0, 1].map(|i| context.lift(&fresh[i]).unwrap());
    let product = context.multiply(&lifted[0], &lifted[1]).unwrap();
    let domain = Domain::Evaluation;
    let level = product.level();
    let product = context.relinearize(&product, &[&fresh[2]], &relinearization, level - 1, domain);
    let product = product.unwrap();
    let moved = context.automorphism(&product, &galois).unwrap();
    let switched = context.switch_modulus(&moved, level - 2).unwrap();
    let decrypted = context.decrypt(&secret, &switched).unwrap();
    (bytes(context, &[product, moved, switched]), decrypted)
}

/// x -> x^7.
const EXPONENT: u64 = 7;

fn products_of_ciphertexts_are_the_cpus<M: Core + 'static>() {
    let parameters = parameters(KeySwitching::Hybrid { digit_limbs: 1 });
    let core = CoreDevice::new(M::core(configuration(), 0, 200 * LIMB + (1 << 20))).unwrap();
    let cpu = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    let core = Context::new(parameters.clone(), Arc::new(core)).unwrap();
    let cpu = Context::new(parameters.clone(), Arc::new(cpu)).unwrap();
    let slots = cpu.slots().unwrap();
    let mut random = Random::new(1);
    let mut bits = || -> Vec<bool> {
        slots
            .representatives()
            .iter()
            .map(|_| random.word() % 2 == 1)
            .collect()
    };
    let [a, b, c] = [bits(), bits(), bits()];
    let messages = [&a, &b, &c].map(|bits| Plaintext::new(slots.encode(bits).unwrap(), 2).unwrap());
    let (ours, decrypted) = products(&core, &messages);
    let (theirs, expected) = products(&cpu, &messages);
    assert!(ours == theirs);
    assert_eq!(decrypted, expected);
    let values: Vec<bool> = (0..a.len()).map(|i| a[i] & b[i] ^ c[i]).collect();
    let permutation = slots.permutation(EXPONENT).unwrap();
    let moved: Vec<bool> = permutation.iter().map(|&from| values[from]).collect();
    assert_eq!(slots.decode(decrypted.coefficients()).unwrap(), moved);
}

on_machines!(
    sums_of_ciphertexts_are_the_cpus,
    products_of_ciphertexts_are_the_cpus
);
