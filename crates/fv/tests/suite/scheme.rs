//! The scheme against plain arithmetic on bits, on the CPU device.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, Domain, FvError, KeySwitching, Noise, Plaintext};

use crate::common::{Cpu, Party, bits, context, for_machines, party, seed, toy, zip};

#[test]
fn every_operation_acts_on_slots() {
    let hybrid = KeySwitching::Hybrid { digit_limbs: 2 };
    for parameters in [
        toy(2048, 5, hybrid),
        toy(2048, 5, KeySwitching::BaseTwo { bits: 40 }),
        for_machines(2048, 5, hybrid),
    ] {
        let p = party(parameters);
        let (context, model) = (&p.context, p.context.noise_model());
        let (a, b) = (bits(context, 1), bits(context, 2));
        let (fresh, level) = (model.fresh_public(5), 5);
        let (x, y) = (p.encrypt(&a, level, 10), p.encrypt(&b, level, 11));
        p.check(&x, &a, &fresh, 4.0);
        p.check(
            &context.add(&x, &y).unwrap(),
            &zip(&a, &b, |a, b| a ^ b),
            &model.sum(&[&fresh, &fresh]),
            5.0,
        );
        let difference = context.sub(&x, &y).unwrap();
        p.check(
            &difference,
            &zip(&a, &b, |a, b| a ^ b),
            &model.sum(&[&fresh, &fresh]),
            5.0,
        );
        let not: Vec<bool> = a.iter().map(|a| !a).collect();
        p.check(
            &context.sum_with(&[&x], true).unwrap(),
            &not,
            &model.add_plain(level, &fresh),
            5.0,
        );
        let plain = context.encode(&b).unwrap();
        let sum = context.add_plain(&x, &plain).unwrap();
        p.check(
            &sum,
            &zip(&a, &b, |a, b| a ^ b),
            &model.add_plain(level, &fresh),
            5.0,
        );
        let product = context.multiply_plain(&x, &plain).unwrap();
        p.check(
            &product,
            &zip(&a, &b, |a, b| a & b),
            &model.multiply_plain(&fresh),
            7.0,
        );

        let (u, v) = (context.lift(&x).unwrap(), context.lift(&y).unwrap());
        let product = context.multiply(&u, &v).unwrap();
        let and = zip(&a, &b, |a, b| a & b);
        assert_eq!(product.parts(), 3);
        let predicted = model.multiply(level, &fresh, &fresh);
        p.check(&product, &and, &predicted, 6.0);
        let product = p.relinearize(&product);
        p.check(&product, &and, &model.key_switch(level, &predicted), 6.0);
        let square = context.multiply(&u, &u).unwrap();
        p.check(&square, &a, &model.square(level, &fresh), 6.0);
        check_products(&p, (&a, &x), (&b, &y));
        // a b + a a = a (b + 1)
        let pairs = context.multiply_sum(&[(&u, &v), (&u, &u)]).unwrap();
        assert_eq!(p.decrypt(&pairs), zip(&a, &b, |a, b| a & !b));
        for to in (1..level).rev() {
            let low = context.switch_modulus(&x, to).unwrap();
            assert_eq!(low.level(), to);
            p.check(&low, &a, &model.switch_modulus(to, &fresh), 4.0);
        }
        let k = context.parameters().ring().conductor() - 2;
        let moved = context.automorphism(&x, &p.galois(k)).unwrap();
        p.check(
            &moved,
            &p.moved(&a, k),
            &model.automorphism(level, &fresh, &()),
            6.0,
        );
        let seeded = context
            .encrypt_with_secret(&p.secret, &context.encode(&a).unwrap(), 3, &seed(30))
            .unwrap();
        p.check(&seeded, &a, &model.fresh_secret(3), 4.0);
    }
}

/// Products of which one factor is over B: alone, as a square, in sums, with addends, and switched to every level.
fn check_products(
    p: &Party,
    (a, x): (&[bool], &Ciphertext<CpuDevice>),
    (b, y): (&[bool], &Ciphertext<CpuDevice>),
) {
    let (context, model, level) = (&p.context, p.context.noise_model(), x.level());
    let fresh = model.fresh_public(level);
    let evaluated = context.evaluated(y).unwrap();
    let (u, v) = (
        context.first_factor(x).unwrap(),
        context.second_factor(&evaluated).unwrap(),
    );
    let (and, key) = (zip(a, b, |a, b| a & b), &p.relinearization);
    let product = context.product(&[(&u, &v)]).unwrap();
    let predicted = model.key_switch_extended(level, &model.multiply(level, &fresh, &fresh));
    for to in 1..=level {
        let predicted = model.switch_modulus(to, &predicted);
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let product = context
                .relinearize_product(&product, &[], key, to, domain)
                .unwrap();
            assert_eq!((product.level(), product.domain(context.device())), (to, domain));
            p.check(&product, &and, &predicted, 6.0);
        }
    }
    // a b + a + b, the addends in both domains.
    let addends = [x, &evaluated];
    let sum = context.relinearize_product(&product, &addends, key, level, Domain::Coefficient);
    let predicted = model.sum(&[&model.switch_modulus(level, &predicted), &fresh, &fresh]);
    p.check(&sum.unwrap(), &zip(a, b, |a, b| a | b), &predicted, 7.0);
    let square = context.multiply_relinearize([x, x], key, level, Domain::Coefficient);
    let predicted = model.key_switch(level, &model.square(level, &fresh));
    p.check(&square.unwrap(), a, &predicted, 6.0);
    // Any number of products at once: an odd number of a b and an even one of a a.
    let w = context.second_factor(x).unwrap();
    let factors: Vec<_> = (0..101).map(|i| (&u, if i % 2 == 0 { &v } else { &w })).collect();
    let sum = context.product(&factors).unwrap();
    let sum = context.relinearize_product(&sum, &[], key, level, Domain::Coefficient);
    assert_eq!(p.decrypt(&sum.unwrap()), and);
}

/// Random chains of products and sums: the prediction is never below the measured noise, and at
/// most two bits a level (and four for the tail) above.
#[test]
fn predicted_noise_bounds_measured_noise() {
    for (n, limbs) in [(2048, 6), (4096, 6), (8192, 5)] {
        let p = party(toy(n, limbs, KeySwitching::Hybrid { digit_limbs: 2 }));
        let (context, model) = (&p.context, p.context.noise_model());
        let fresh = model.fresh_public(limbs);
        let inputs: Vec<Vec<bool>> = (0..3).map(|i| bits(context, i + n as u64)).collect();
        let mut state: Vec<(Vec<bool>, Ciphertext<CpuDevice>, Noise)> = inputs
            .iter()
            .enumerate()
            .map(|(i, b)| (b.clone(), p.encrypt(b, limbs, 40 + i as u8), fresh.clone()))
            .collect();
        let depth = (48 * limbs - 40) / 16;
        for level in 1..=depth {
            let lifted: Vec<_> = state.iter().map(|(_, c, _)| context.lift(c).unwrap()).collect();
            let next = |i: usize| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let product = context.multiply(&lifted[i], &lifted[j]).unwrap();
                let product = p.relinearize(&product);
                let noise = model.multiply_relinearize(limbs, &state[i].2, &state[j].2);
                let and = zip(&state[i].0, &state[j].0, |a, b| a & b);
                (
                    zip(&and, &state[k].0, |a, b| a ^ b),
                    context.add(&product, &state[k].1).unwrap(),
                    model.sum(&[&noise, &state[k].2]),
                )
            };
            state = (0..3).map(next).collect();
            for (bits, ciphertext, noise) in &state {
                p.check(ciphertext, bits, noise, 4.0 + 2.0 * level as f64);
            }
        }
    }
}

#[test]
fn wrong_keys_and_spent_budgets_are_noticed() {
    let p = party(toy(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    let a = bits(&p.context, 5);
    let mut x = p.encrypt(&a, 2, 50);
    let other = p.context.generate_secret_key(&seed(99)).unwrap();
    assert!(matches!(
        p.context.decrypt(&other, &x),
        Err(FvError::NoiseOverflow { .. })
    ));
    for _ in 0..8 {
        let lifted = p.context.lift(&x).unwrap();
        x = p.relinearize(&p.context.multiply(&lifted, &lifted).unwrap());
    }
    assert!(matches!(
        p.context.decrypt(&p.secret, &x),
        Err(FvError::NoiseOverflow { .. })
    ));
}

#[test]
fn files_come_back_and_damage_is_named() {
    let p = party(toy(2048, 3, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, a) = (&p.context, bits(&p.context, 7));
    let plaintext = context.encode(&a).unwrap();
    let fresh = context
        .encrypt_with_secret(&p.secret, &plaintext, 3, &seed(60))
        .unwrap();
    let low = context.switch_modulus(&p.encrypt(&a, 3, 61), 2).unwrap();
    let galois = p.galois(7);
    let mut files: [Vec<u8>; 5] = Default::default();
    context.write_secret_key(&mut files[0], &p.secret).unwrap();
    context.write_public_key(&mut files[1], &p.public).unwrap();
    context
        .write_relinearization_key(&mut files[2], &p.relinearization)
        .unwrap();
    context.write_galois_keys(&mut files[3], &[galois]).unwrap();
    context.write_ciphertexts(&mut files[4], &[fresh, low]).unwrap();
    assert_eq!(files[1].len() as u64, context.public_key_bytes());
    assert_eq!(files[2].len() as u64, context.relinearization_key_bytes());

    // All of it read by another context: a product, an automorphism and a decryption with what was read.
    let other = self::context(p.context.parameters().clone());
    let secret = other.read_secret_key(files[0].as_slice()).unwrap();
    let public = other.read_public_key(files[1].as_slice()).unwrap();
    let relinearization = other.read_relinearization_key(files[2].as_slice()).unwrap();
    let galois = other.read_galois_keys(files[3].as_slice()).unwrap();
    let read = other.read_ciphertexts(files[4].as_slice()).unwrap();
    assert_eq!(read.iter().map(Ciphertext::level).collect::<Vec<_>>(), [3, 2]);
    let bits_of = |c: &Ciphertext<CpuDevice>| other.decode(&other.decrypt(&secret, c).unwrap()).unwrap();
    assert!(read.iter().all(|c| bits_of(c) == a));
    let again = other.encrypt(&public, &plaintext, 3, &seed(63)).unwrap();
    let (u, v) = (other.lift(&read[0]).unwrap(), other.lift(&again).unwrap());
    let product = other.multiply(&u, &v).unwrap();
    let product = other
        .relinearize(&product, &[], &relinearization, 3, Domain::Coefficient)
        .unwrap();
    assert_eq!(bits_of(&product), a);
    let moved = other.automorphism(&again, &galois[0]).unwrap();
    assert_eq!(bits_of(&moved), p.moved(&a, 7));

    // Damage of every file: cut anywhere, or one bit flipped anywhere (sampled).
    let alien = self::context(toy(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    type Read = fn(&Cpu, &[u8]) -> Result<(), FvError>;
    let readers: [Read; 5] = [
        |c, f| c.read_secret_key(f).map(drop),
        |c, f| c.read_public_key(f).map(drop),
        |c, f| c.read_relinearization_key(f).map(drop),
        |c, f| c.read_galois_keys(f).map(drop),
        |c, f| c.read_ciphertexts(f).map(drop),
    ];
    for (file, read) in files.iter().zip(readers) {
        assert!(matches!(
            read(&alien, file),
            Err(FvError::ParameterMismatch { .. })
        ));
        for k in 0..24 {
            let at = if k < 12 {
                k * 5
            } else {
                (file.len() - 1) * (k - 11) / 12
            };
            assert!(read(&other, &file[..at]).is_err(), "cut at {at}");
            let mut flipped = file.clone();
            flipped[at] ^= 1 << (k % 8);
            assert!(read(&other, &flipped).is_err(), "flipped at {at}");
        }
    }
}

#[test]
fn misuse_is_refused() {
    let p = party(toy(2048, 3, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, a) = (&p.context, bits(&p.context, 7));
    let (x, y) = (p.encrypt(&a, 3, 70), p.encrypt(&a, 2, 71));
    assert!(matches!(context.add(&x, &y), Err(FvError::LevelMismatch { .. })));
    assert!(matches!(context.sum(&[]), Err(FvError::NoOperands)));
    assert!(matches!(
        context.switch_modulus(&y, 3),
        Err(FvError::BadLevel { .. })
    ));
    assert!(matches!(
        context.switch_modulus(&y, 0),
        Err(FvError::BadLevel { .. })
    ));
    assert!(matches!(
        context.relinearize(&x, &[], &p.relinearization, 3, Domain::Coefficient),
        Err(FvError::WrongParts(2))
    ));
    let (u, v) = (context.lift(&x).unwrap(), context.lift(&y).unwrap());
    assert!(matches!(
        context.multiply(&u, &v),
        Err(FvError::LevelMismatch { .. })
    ));
    let (first, second) = (
        context.first_factor(&x).unwrap(),
        context.second_factor(&y).unwrap(),
    );
    let mismatch = context.product(&[(&first, &second)]).err();
    assert!(matches!(mismatch, Some(FvError::LevelMismatch { .. })));
    assert!(matches!(context.product(&[]).err(), Some(FvError::NoOperands)));
    let second = context.second_factor(&x).unwrap();
    let product = context.product(&[(&first, &second)]).unwrap();
    let relinearized = |addends: &[&Ciphertext<CpuDevice>], level| {
        let key = &p.relinearization;
        context.relinearize_product(&product, addends, key, level, Domain::Coefficient)
    };
    assert!(matches!(
        relinearized(&[&y], 3),
        Err(FvError::LevelMismatch { .. })
    ));
    assert!(matches!(relinearized(&[], 4), Err(FvError::BadLevel { .. })));
    let product = context.multiply(&u, &u).unwrap();
    assert!(matches!(context.lift(&product), Err(FvError::WrongParts(3))));
    assert!(matches!(
        context.first_factor(&product).err(),
        Some(FvError::WrongParts(3))
    ));
    assert!(matches!(
        context.second_factor(&product).err(),
        Some(FvError::WrongParts(3))
    ));
    assert!(matches!(context.multiply_sum(&[]), Err(FvError::NoOperands)));
    assert!(matches!(
        Plaintext::new(vec![0, 2], 2),
        Err(ringmill_rlwe::RlweError::PlaintextOutOfRange { index: 1, .. })
    ));
    let short = Plaintext::new(vec![0; 5], 2).unwrap();
    assert!(matches!(
        context.add_plain(&x, &short),
        Err(FvError::WrongPlaintext { .. })
    ));
    let plaintext = context.encode(&a).unwrap();
    assert!(context.encrypt(&p.public, &plaintext, 4, &seed(1)).is_err());
    assert!(
        context
            .encode(&vec![true; context.slots().unwrap().len() + 1])
            .is_err()
    );
    assert!(context.generate_galois_key(&p.secret, 257, &seed(1)).is_err());
}

/// The powers of noise at the roots: what doubles the noise adds two bits to each, and a product's are near the
/// model's where the secret is large and where it is small.
#[test]
fn noise_is_measured_at_roots() {
    let p = party(toy(2048, 3, KeySwitching::Hybrid { digit_limbs: 2 }));
    let (context, model) = (&p.context, p.context.noise_model());
    let top = context.parameters().levels();
    let powers = |c: &Ciphertext<CpuDevice>| {
        let plaintext = context.decrypt(&p.secret, c).unwrap();
        context.measure_noise_powers(&p.secret, c, &plaintext).unwrap()
    };
    let zero = p.encrypt(&vec![false; context.slots().unwrap().len()], top, 1);
    let twice = context.add(&zero, &zero).unwrap();
    for (double, single) in powers(&twice).iter().zip(powers(&zero).iter()) {
        assert!((double - single - 2.0).abs() < 1e-6, "{double} {single}");
    }
    let a = p.encrypt(&bits(context, 1), top, 2);
    let b = p.encrypt(&bits(context, 2), top, 3);
    let product = context
        .multiply(&context.lift(&a).unwrap(), &context.lift(&b).unwrap())
        .unwrap();
    let (measured, secret) = (powers(&product), context.secret_powers(&p.secret).unwrap());
    let mean = secret.iter().sum::<f64>() / secret.len() as f64;
    assert!((mean - 1.0).abs() < 0.1, "{mean}");
    let fresh = model.fresh_public(top);
    let predicted = model.multiply(top, &fresh, &fresh).log2_powers();
    // Means over many roots of about one power of the secret; a bin has the largest power that its ranks may have.
    for (bin, x) in model.bins().x().iter().enumerate() {
        let near: Vec<f64> = secret
            .iter()
            .zip(measured.iter())
            .filter(|(s, _)| (x * 0.9..=*x).contains(*s))
            .map(|(_, m)| m.exp2())
            .collect();
        if near.len() >= 100 {
            let power = (near.iter().sum::<f64>() / near.len() as f64).log2();
            assert!(
                (-1.0..0.3).contains(&(power - predicted[bin])),
                "{bin}: {power} {}",
                predicted[bin]
            );
        }
    }
}
