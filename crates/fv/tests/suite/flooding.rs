//! Encrypting anew and drowning noise.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, FvError, KeySwitching, Parameters, Plaintext};

use crate::common::{Cpu, Party, bits, party, seed, toy};

fn integers(context: &Cpu) -> Plaintext {
    let t = context.parameters().t();
    let coefficients = (0..context.parameters().n() as u64).map(|i| i * i % t);
    Plaintext::new(coefficients.collect(), t).unwrap()
}

/// log2 of the amplitude that uses up all but so many bits of the room for noise.
fn amplitude(party: &Party, level: usize, bits: f64) -> u32 {
    let parameters = party.context.parameters();
    (parameters.log2_q(level) - (parameters.t() as f64).log2() - bits).floor() as u32
}

fn noise(party: &Party, ciphertext: &Ciphertext<CpuDevice>, plaintext: &Plaintext) -> f64 {
    party
        .context
        .measure_noise(&party.secret, ciphertext, plaintext)
        .unwrap()
}

fn stored(context: &Cpu, ciphertext: &Ciphertext<CpuDevice>) -> Vec<u8> {
    let mut out = Vec::new();
    context.write_ciphertexts(&mut out, &[ciphertext]).unwrap();
    out
}

/// Little noise and much more of it are told apart before flooding and not afterwards; the plaintext stays, and c_1 is
/// another one. In both kinds of rings, with amplitudes of one word and of more.
#[test]
fn noise_is_drowned() {
    let toy = party(toy(2048, 5, KeySwitching::Hybrid { digit_limbs: 2 }));
    let bits = toy.context.encode(&bits(&toy.context, 1)).unwrap();
    let whole = party(Parameters::preset("n4096-t65537").unwrap());
    let numbers = integers(&whole.context);
    for (party, plaintext, level, room) in [
        (&toy, &bits, 5, 4.0),
        (&toy, &bits, 2, 10.0),
        (&whole, &numbers, 1, 2.0),
    ] {
        let context = &party.context;
        let k = amplitude(party, level, room);
        let one = context
            .encrypt(&party.public, plaintext, level, &seed(20))
            .unwrap();
        let nothing = Plaintext::new(vec![0; context.parameters().n()], context.parameters().t()).unwrap();
        let many: Vec<_> = (0..64)
            .map(|i| {
                context
                    .encrypt(&party.public, &nothing, level, &seed(30 + i))
                    .unwrap()
            })
            .collect();
        let mut terms = vec![&one];
        terms.extend(&many);
        let sum = context.sum(&terms).unwrap();
        assert!(noise(party, &sum, plaintext) > noise(party, &one, plaintext) + 2.0);
        let step = context.parameters().log2_q(level) - (context.parameters().t() as f64).log2();
        let mut noises = Vec::new();
        for (index, ciphertext) in [&one, &sum].into_iter().enumerate() {
            let flooded = context
                .flood(&party.public, ciphertext, k, &seed(100 + index as u8))
                .unwrap();
            assert_eq!((flooded.level(), flooded.parts()), (level, 2));
            assert!(
                context.decrypt(&party.secret, &flooded).unwrap().coefficients() == plaintext.coefficients()
            );
            let log2 = noise(party, &flooded, plaintext);
            // The largest of thousands of uniform coefficients.
            assert!((log2 - (f64::from(k) - step)).abs() < 0.15, "{log2} {k} {step}");
            noises.push(log2);
            // The second part is in the second half of a file, whatever comes before the first.
            let (before, after) = (stored(context, ciphertext), stored(context, &flooded));
            let half = before.len() / 2;
            assert!(before.len() == after.len() && before[half..] != after[half..]);
            let again = context
                .flood(&party.public, ciphertext, k, &seed(200 + index as u8))
                .unwrap();
            assert!(stored(context, &again)[half..] != after[half..]);
        }
        assert!((noises[0] - noises[1]).abs() < 0.3);
    }
}

/// More than there is room for is noticed when it is decrypted; three parts are refused.
#[test]
fn floods_that_do_not_fit() {
    let p = party(toy(2048, 5, KeySwitching::Hybrid { digit_limbs: 2 }));
    let context = &p.context;
    let plaintext = context.encode(&bits(context, 1)).unwrap();
    let ciphertext = context.encrypt(&p.public, &plaintext, 3, &seed(20)).unwrap();
    let flooded = context
        .flood(&p.public, &ciphertext, amplitude(&p, 3, 0.0), &seed(21))
        .unwrap();
    assert!(matches!(
        context.decrypt(&p.secret, &flooded),
        Err(FvError::NoiseOverflow { .. })
    ));
    let lifted = context.lift(&ciphertext).unwrap();
    let product = context.multiply(&lifted, &lifted).unwrap();
    let refused = context.flood(&p.public, &product, 10, &seed(22));
    assert!(matches!(refused, Err(FvError::WrongParts(3))));
}
