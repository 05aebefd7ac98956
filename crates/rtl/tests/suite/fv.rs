//! Tests FV at n = 1024 with the products of encryption and decryption on the machine (the paper's
//! algorithms 5 and 7).

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Parameters, Plaintext, PublicKey, SecretKey};
use ringmill_rtl::ntt_multiplier::{Link, RtlDevice, Shape};

use crate::common::Random;

struct Party<D: Device> {
    context: Context<D>,
    secret: SecretKey<D>,
    public: PublicKey<D>,
}

fn party<D: Device>(preset: &str, device: D) -> Party<D> {
    let context = Context::new(Parameters::preset(preset).unwrap(), Arc::new(device)).unwrap();
    let secret = context.generate_secret_key(&Seed::from_bytes([1; 32])).unwrap();
    let public = context
        .generate_public_key(&secret, &Seed::from_bytes([2; 32]))
        .unwrap();
    Party {
        context,
        secret,
        public,
    }
}

fn bytes<D: Device>(party: &Party<D>, ciphertexts: &[Ciphertext<D>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    party.context.write_ciphertexts(&mut bytes, ciphertexts).unwrap();
    bytes
}

/// The machine's ciphertexts equal the CPU's bit for bit, and each side decrypts its own and the other's.
fn same_bits(preset: &str) {
    let kernel = Simd::from_environment().unwrap();
    let machine = party(preset, RtlDevice::new(Shape::PAPER, Link::PAPER, kernel).unwrap());
    let ring = machine.context.parameters().ring().clone();
    let cpu = party(preset, CpuDevice::new(&ring, kernel));
    let (t, mut random) = (cpu.context.parameters().t(), Random::new(1));
    let mut message = || Plaintext::new((0..1024).map(|_| random.word() % t).collect(), t).unwrap();
    let messages: Vec<Plaintext> = (0..70).map(|_| message()).collect();
    let seed = Seed::from_bytes([3; 32]);
    let theirs = cpu
        .context
        .encrypt_many(&cpu.public, &messages, 1, &seed)
        .unwrap();
    let ours = machine
        .context
        .encrypt_many(&machine.public, &messages, 1, &seed)
        .unwrap();
    let (their_bytes, our_bytes) = (bytes(&cpu, &theirs), bytes(&machine, &ours));
    assert_eq!(our_bytes, their_bytes);
    assert_eq!(machine.context.device().statistics().products, 140);
    let exchanged = machine.context.read_ciphertexts(their_bytes.as_slice()).unwrap();
    for (message, ciphertext) in messages.iter().cycle().zip(exchanged.iter().chain(&ours)) {
        assert_eq!(
            machine.context.decrypt(&machine.secret, ciphertext).unwrap(),
            *message
        );
    }
    let exchanged = cpu.context.read_ciphertexts(our_bytes.as_slice()).unwrap();
    for (message, ciphertext) in messages.iter().zip(&exchanged) {
        assert_eq!(cpu.context.decrypt(&cpu.secret, ciphertext).unwrap(), *message);
    }
    // A key is loaded once for encryption and once for decryption.
    let statistics = machine.context.device().statistics();
    assert_eq!(
        (statistics.jobs, statistics.products, statistics.loads),
        (210, 280, 2)
    );
}

#[test]
fn ciphertexts_of_27_bits() {
    same_bits("n1024-q27");
}

#[test]
fn ciphertexts_of_26_bits() {
    same_bits("n1024-q26");
}
