//! Integers in the slots of x^n + 1 against plain arithmetic, slot by slot.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, Domain, FvError, Noise, Parameters, Plaintext};
use ringmill_ring::{FermatRing, Ring};

use crate::common::{Cpu, Party, context, party, seed};

const T: u64 = 65537;

fn integers(n: usize, seed: u64) -> Vec<u64> {
    let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1));
    let words = std::iter::successors(Some(seed), next).skip(1);
    words.take(n).map(|x| (x >> 33) % T).collect()
}

fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b) % T).collect()
}

/// Both rows moved to the left by k.
fn rotated(a: &[u64], k: usize) -> Vec<u64> {
    let (mut first, mut second) = (a[..a.len() / 2].to_vec(), a[a.len() / 2..].to_vec());
    first.rotate_left(k);
    second.rotate_left(k);
    [first, second].concat()
}

/// The rows exchanged.
fn swapped(a: &[u64]) -> Vec<u64> {
    [&a[a.len() / 2..], &a[..a.len() / 2]].concat()
}

/// Decrypts, and holds the measured noise against the prediction, as [`Party::check`] does for bits.
fn check(p: &Party, c: &Ciphertext<CpuDevice>, expected: &[u64], predicted: &Noise, slack: f64) {
    let plaintext = p.context.decrypt(&p.secret, c).unwrap();
    assert!(p.context.decode_integers(&plaintext).unwrap() == expected);
    let measured = p.context.measure_noise(&p.secret, c, &plaintext).unwrap();
    let bound = predicted.bound_log2(p.context.noise_model(), -64.0, 1);
    assert!(
        measured <= bound && bound <= measured + slack,
        "measured {measured:.2}, predicted {bound:.2}, slack {slack}"
    );
}

fn encrypt(p: &Party, a: &[u64], level: usize, i: u8) -> Ciphertext<CpuDevice> {
    let plaintext = p.context.encode_integers(a).unwrap();
    p.context.encrypt(&p.public, &plaintext, level, &seed(i)).unwrap()
}

/// x -> x^(3^k) and x -> x^-1 of the plaintext itself, coefficient by coefficient.
#[test]
fn automorphisms_move_slots_as_documented() {
    for n in [4096, 32768] {
        let context = context(Parameters::preset(&format!("n{n}-t65537")).unwrap());
        let a = integers(n, 1);
        let plaintext = context.encode_integers(&a).unwrap();
        assert!(context.decode_integers(&plaintext).unwrap() == a);
        let moved = |exponent: usize| {
            let mut coefficients = vec![0; n];
            for (j, &x) in plaintext.coefficients().iter().enumerate() {
                let place = j * exponent % (2 * n);
                coefficients[place % n] = if place < n { x } else { (T - x) % T };
            }
            let moved = Plaintext::new(coefficients, T).unwrap();
            context.decode_integers(&moved).unwrap()
        };
        assert!(moved(3) == rotated(&a, 1));
        assert!(moved(27) == rotated(&a, 3));
        assert!(moved(2 * n - 1) == swapped(&a));
    }
}

/// A product of plaintexts modulo x^n + 1 and t is one in every slot; the few given are the first.
#[test]
fn slots_multiply() {
    let context = context(Parameters::preset("n4096-t65537").unwrap());
    let n = 4096;
    let (a, b) = (integers(n, 2), vec![7, 65536, 3]);
    let [x, y] = [&a, &b].map(|a| context.encode_integers(a).unwrap());
    let mut product = vec![0; n];
    for (i, &x) in x.coefficients().iter().enumerate() {
        for (j, &y) in y.coefficients().iter().enumerate() {
            let place = &mut product[(i + j) % n];
            let term = if i + j < n { x * y % T } else { T - x * y % T };
            *place = (*place + term) % T;
        }
    }
    let product = context
        .decode_integers(&Plaintext::new(product, T).unwrap())
        .unwrap();
    assert_eq!(product[..3], [7 * a[0] % T, 65536 * a[1] % T, 3 * a[2] % T]);
    assert!(product[3..].iter().all(|&x| x == 0));
}

#[test]
fn every_operation_acts_on_integers() {
    for n in [4096, 8192] {
        let p = party(Parameters::preset(&format!("n{n}-t65537")).unwrap());
        let (context, model) = (&p.context, p.context.noise_model());
        let level = context.parameters().levels();
        let (a, b) = (integers(n, 1), integers(n, 2));
        let (x, y) = (encrypt(&p, &a, level, 10), encrypt(&p, &b, level, 11));
        let fresh = model.fresh_public(level);
        check(&p, &x, &a, &fresh, 3.5);
        let sum = model.sum(&[&fresh, &fresh]);
        check(
            &p,
            &context.add(&x, &y).unwrap(),
            &zip(&a, &b, |a, b| a + b),
            &sum,
            4.5,
        );
        check(
            &p,
            &context.sub(&x, &y).unwrap(),
            &zip(&a, &b, |a, b| a + T - b),
            &sum,
            4.5,
        );
        let plain = context.encode_integers(&b).unwrap();
        let with_plain = context.add_plain(&x, &plain).unwrap();
        let predicted = model.add_plain(level, &fresh);
        check(&p, &with_plain, &zip(&a, &b, |a, b| a + b), &predicted, 3.5);
        let power = plain
            .power(context.parameters().ring(), context.parameters().t())
            .unwrap();
        let product = context.multiply_plain(&x, &plain).unwrap();
        let predicted = model.multiply_plain_power(&fresh, power);
        check(&p, &product, &zip(&a, &b, |a, b| a * b), &predicted, 6.0);

        let (u, v) = (context.lift(&x).unwrap(), context.lift(&y).unwrap());
        let product = context.multiply(&u, &v).unwrap();
        let predicted = model.multiply(level, &fresh, &fresh);
        let expected = zip(&a, &b, |a, b| a * b);
        check(&p, &product, &expected, &predicted, 5.0);
        let product = p.relinearize(&product);
        let predicted = model.key_switch(level, &predicted);
        check(&p, &product, &expected, &predicted, 5.0);
        let rotations = [
            (3, rotated(&expected, 1)),
            (243, rotated(&expected, 5)),
            (2 * n as u64 - 1, swapped(&expected)),
        ];
        for (exponent, expected) in rotations {
            let moved = context.automorphism(&product, &p.galois(exponent)).unwrap();
            check(
                &p,
                &moved,
                &expected,
                &model.automorphism(level, &predicted, &()),
                5.0,
            );
        }
        for to in 1..level {
            let low = context.switch_modulus(&x, to).unwrap();
            check(&p, &low, &a, &model.switch_modulus(to, &fresh), 4.0);
        }
        let seeded = context
            .encrypt_with_secret(&p.secret, &plain, level, &seed(30))
            .unwrap();
        check(&p, &seeded, &b, &model.fresh_secret(level), 3.5);
    }
}

/// As deep as the model says that it goes: x^(2^depth) slot by slot.
#[test]
fn depth_is_as_predicted() {
    for (n, depth) in [(4096, 1), (8192, 4)] {
        let p = party(Parameters::preset(&format!("n{n}-t65537")).unwrap());
        let (context, model) = (&p.context, p.context.noise_model());
        let level = context.parameters().levels();
        let mut expected = integers(n, 3);
        let (mut c, mut noise) = (encrypt(&p, &expected, level, 40), model.fresh_public(level));
        for _ in 0..depth {
            let lifted = context.lift(&c).unwrap();
            c = p.relinearize(&context.multiply(&lifted, &lifted).unwrap());
            noise = model.key_switch(level, &model.square(level, &noise));
            expected = zip(&expected, &expected, |a, b| a * b);
            check(&p, &c, &expected, &noise, 8.0);
        }
        assert!(noise.margin_bits(model, -64.0, 1) > 0.0);
        let next = model.key_switch(level, &model.square(level, &noise));
        assert!(next.margin_bits(model, -64.0, 1) < 0.0, "n = {n} goes deeper");
    }
}

#[test]
fn what_has_no_slots_is_refused() {
    let integers = context(Parameters::preset("n4096-t65537").unwrap());
    assert!(matches!(integers.encode(&[true]), Err(FvError::NotBinary(T))));
    assert!(matches!(integers.slots(), Err(FvError::NoBitSlots { .. })));
    let too_many = integers.encode_integers(&[0; 4097]);
    assert!(matches!(
        too_many,
        Err(FvError::TooManyIntegers {
            got: 4097,
            slots: 4096
        })
    ));
    let too_large = integers.encode_integers(&[0, T]);
    assert!(matches!(
        too_large,
        Err(FvError::PlaintextOutOfRange { index: 1, .. })
    ));
    let short = Plaintext::new(vec![0; 2048], T).unwrap();
    assert!(matches!(
        integers.decode_integers(&short),
        Err(FvError::WrongPlaintext { .. })
    ));
    // 256 is no prime; a Fermat ring has other slots.
    for name in ["n1024-q26", "fv128-n4096"] {
        let other = context(Parameters::preset(name).unwrap());
        assert!(matches!(
            other.encode_integers(&[1]),
            Err(FvError::NoIntegerSlots { .. })
        ));
    }
    // A device for the other ring of this dimension.
    let device = CpuDevice::new(
        &Ring::from(FermatRing::new(4096).unwrap()),
        ringmill_arith::Simd::Portable,
    );
    let wrong = Cpu::new(integers.parameters().clone(), std::sync::Arc::new(device));
    assert!(matches!(wrong, Err(FvError::WrongRing { .. })));
}

/// Keys and ciphertexts of these sets in files.
#[test]
fn files_come_back() {
    let p = party(Parameters::preset("n4096-t65537").unwrap());
    let a = integers(4096, 5);
    let mut files = [const { Vec::new() }; 4];
    let [parameters, secret, galois, ciphertexts] = &mut files;
    p.context.parameters().write(&mut *parameters).unwrap();
    p.context.write_secret_key(&mut *secret, &p.secret).unwrap();
    p.context
        .write_galois_keys(&mut *galois, &[p.galois(8191)])
        .unwrap();
    let fresh = [encrypt(&p, &a, 2, 50)];
    p.context.write_ciphertexts(&mut *ciphertexts, &fresh).unwrap();
    let context = context(Parameters::read(parameters.as_slice()).unwrap());
    let secret = context.read_secret_key(secret.as_slice()).unwrap();
    let galois = context.read_galois_keys(galois.as_slice()).unwrap();
    let read = context.read_ciphertexts(ciphertexts.as_slice()).unwrap();
    let moved = context.automorphism(&read[0], &galois[0]).unwrap();
    let moved = context.transform(moved, Domain::Evaluation).unwrap();
    let plaintext = context.decrypt(&secret, &moved).unwrap();
    assert!(context.decode_integers(&plaintext).unwrap() == swapped(&a));
}
