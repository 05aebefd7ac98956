//! Products in the BGV form, modulus switching in fine steps, and fused relinearization.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{
    Ciphertext, Domain, FvError, KeySwitching, Noise, NoiseModel, Parameters, ParametersSpec, Plaintext,
    PrimeChoice,
};

use crate::common::{Party, bits, fine, party, seed, spec, zip};

const DOMAINS: [Domain; 2] = [Domain::Coefficient, Domain::Evaluation];

/// The highest level below `level` at which this noise is at most half a bit above what rounding leaves
/// there at least: from here on a product in the BGV form consumes no more than it must.
fn settled(model: &NoiseModel, level: usize, noise: &Noise) -> usize {
    let deviation = |noise: &Noise| noise.coefficient_deviation_log2(model);
    let least = |to| deviation(&model.switch_modulus(to, &model.sum(&[])));
    let settled = |to: &usize| deviation(&model.switch_modulus(*to, noise)) < least(*to) + 0.5;
    (1..level).rev().find(settled).unwrap()
}

#[test]
fn both_products_agree_at_every_level() {
    for (key_switching, name) in [
        (KeySwitching::Hybrid { digit_limbs: 2 }, "hybrid"),
        (KeySwitching::BaseTwo { bits: 20 }, "words"),
    ] {
        let p = party(fine(2048, 3, key_switching));
        let (context, model) = (&p.context, p.context.noise_model());
        let (a, b) = (bits(context, 1), bits(context, 2));
        let and = zip(&a, &b, |a, b| a & b);
        let top = context.parameters().levels();
        let fresh = model.fresh_public(top);
        let (x, y) = (p.encrypt(&a, top, 10), p.encrypt(&b, top, 11));
        for level in 3..=top {
            let noise = model.switch_modulus(level, &fresh);
            let (x, y) = [&x, &y].map(|c| context.switch_modulus(c, level).unwrap()).into();
            let (u, v) = (context.evaluated(&x).unwrap(), context.evaluated(&y).unwrap());
            let low = context.multiply_bgv(&[(&u, &v)]).unwrap();
            assert_eq!(
                (low.parts(), low.level(), low.domain(context.device())),
                (3, level, Domain::Evaluation)
            );
            let predicted = model.multiply_bgv(level, &noise, &noise);
            if predicted.margin_bits(model, -64.0, 1) < 0.0 {
                continue;
            }
            // Fresh noise is allowed a bit too much in each factor.
            p.check(&low, &and, &predicted, 4.5);
            let square = context.multiply_bgv(&[(&u, &u)]).unwrap();
            p.check(&square, &a, &model.square_bgv(level, &noise), 4.5);
            let full = context
                .multiply(&context.lift(&x).unwrap(), &context.lift(&v).unwrap())
                .unwrap();
            assert_eq!(full.domain(context.device()), Domain::Coefficient);
            assert_eq!(p.decrypt(&full), and, "{name} {level}");

            // Relinearized to lower levels, with addends in either domain.
            let expected = zip(&and, &zip(&a, &b, |a, b| a ^ b), |x, y| x ^ y);
            let sum = model.sum(&[&predicted, &noise, &noise]);
            let sum = model.key_switch_extended(level, &sum);
            for to in (1..=level).rev().step_by(2) {
                let predicted = model.switch_modulus(to, &sum);
                if predicted.margin_bits(model, -64.0, 1) < 0.0 {
                    break;
                }
                let domain = DOMAINS[to % 2];
                let product = context
                    .transform(context.evaluated(&low).unwrap(), DOMAINS[to / 2 % 2])
                    .unwrap();
                let result = context
                    .relinearize(&product, &[&x, &v], &p.relinearization, to, domain)
                    .unwrap();
                assert_eq!(
                    (result.parts(), result.level(), result.domain(context.device())),
                    (2, to, domain)
                );
                p.check(&result, &expected, &predicted, 4.5);
            }
        }
    }
}

#[test]
fn sums_of_products_are_relinearized_once() {
    let p = party(fine(4096, 3, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, model) = (&p.context, p.context.noise_model());
    let level = context.parameters().levels() - 1;
    let noise = model.fresh_public(level);
    let inputs: Vec<Vec<bool>> = (0..4).map(|i| bits(context, 7 + i)).collect();
    let fresh = |(i, bits): (usize, &Vec<bool>)| p.encrypt(bits, level, 20 + i as u8);
    let ciphertexts: Vec<_> = inputs.iter().enumerate().map(fresh).collect();
    let evaluated: Vec<_> = ciphertexts
        .iter()
        .map(|c| context.evaluated(c).unwrap())
        .collect();
    let lifted: Vec<_> = ciphertexts.iter().map(|c| context.lift(c).unwrap()).collect();
    let indices = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (3, 3)];
    let and = |&(i, j): &(usize, usize)| zip(&inputs[i], &inputs[j], |a, b| a & b);
    let expected = indices
        .iter()
        .map(and)
        .reduce(|a, b| zip(&a, &b, |a, b| a ^ b))
        .unwrap();
    let pairs: Vec<_> = indices
        .iter()
        .map(|&(i, j)| (&evaluated[i], &evaluated[j]))
        .collect();
    let low = context.multiply_bgv(&pairs).unwrap();
    let (one, square) = (
        model.multiply_bgv(level, &noise, &noise),
        model.square_bgv(level, &noise),
    );
    let predicted = model.sum(&[&one, &one, &one, &one, &one, &one, &square]);
    // Amplitudes are added, where these are nearly independent: half of log2 7.
    p.check(&low, &expected, &predicted, 4.5);
    let pairs: Vec<_> = indices.iter().map(|&(i, j)| (&lifted[i], &lifted[j])).collect();
    let full = context.multiply_sum(&pairs).unwrap();
    let (one, square) = (model.multiply(level, &noise, &noise), model.square(level, &noise));
    let predicted = model.sum(&[&one, &one, &one, &one, &one, &one, &square]);
    p.check(&full, &expected, &predicted, 5.5);
    let result = context
        .relinearize(
            &full,
            &[&ciphertexts[0], &evaluated[0]],
            &p.relinearization,
            level,
            Domain::Evaluation,
        )
        .unwrap();
    p.check(
        &result,
        &expected,
        &model.key_switch(level, &model.sum(&[&predicted, &noise, &noise])),
        5.5,
    );
}

/// Sums that the larger basis does not hold at once are scaled in pieces.
#[test]
fn long_sums_of_products_are_scaled_in_pieces() {
    // 83 + 15 of 100 bits of the larger basis are for one product.
    let limbs = PrimeChoice { count: 2, bits: 41.5 };
    let spec = ParametersSpec {
        limbs,
        ..spec(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 })
    };
    let p = party(Parameters::new(&spec).unwrap());
    let context = &p.context;
    let most = context.parameters().products_per_scaling(2).unwrap();
    assert!((2..6).contains(&most), "{most}");
    let a = bits(context, 3);
    let lifted = context.lift(&p.encrypt(&a, 2, 30)).unwrap();
    for count in [2 * most, 2 * most + 1] {
        let sum = context.multiply_sum(&vec![(&lifted, &lifted); count]).unwrap();
        let expected: Vec<bool> = a.iter().map(|a| a & (count % 2 == 1)).collect();
        assert_eq!(p.decrypt(&sum), expected);
    }
}

#[test]
fn moduli_switch_between_all_levels() {
    let p = party(fine(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, model) = (&p.context, p.context.noise_model());
    let a = bits(context, 9);
    for from in 1..=context.parameters().levels() {
        let (x, fresh) = (p.encrypt(&a, from, 40), model.fresh_public(from));
        p.check(&x, &a, &fresh, 3.0);
        let y = context.evaluated(&x).unwrap();
        for to in 1..=from {
            let predicted = if to == from {
                fresh.clone()
            } else {
                model.switch_modulus(to, &fresh)
            };
            for (c, domain) in [(&x, Domain::Coefficient), (&y, Domain::Evaluation)] {
                let low = context.switch_modulus(c, to).unwrap();
                assert_eq!((low.level(), low.domain(context.device())), (to, domain));
                p.check(&low, &a, &predicted, 3.0);
            }
        }
    }
}

/// A round of three values, each the product of two plus the third, in the BGV form: relinearized,
/// added and switched to the next modulus in one step.
fn chain(p: &Party, rounds: usize, slack: f64) {
    let (context, model) = (&p.context, p.context.noise_model());
    let top = context.parameters().levels();
    let fresh = model.fresh_public(top);
    let mut level = settled(model, top, &fresh);
    let mut noise = model.switch_modulus(level, &fresh);
    let mut state: Vec<(Vec<bool>, Ciphertext<CpuDevice>)> = (0..3)
        .map(|i| {
            let bits = bits(context, 60 + i);
            let c = context.evaluated(&p.encrypt(&bits, top, 50 + i as u8)).unwrap();
            (bits, context.switch_modulus(&c, level).unwrap())
        })
        .collect();
    for round in 0..rounds {
        let product = model.multiply_bgv(level, &noise, &noise);
        let sum = model.key_switch_extended(level, &model.sum(&[&product, &noise]));
        let to = settled(model, level, &sum);
        noise = model.switch_modulus(to, &sum);
        let next = |i: usize| {
            let [a, b, c] = [0, 1, 2].map(|j| &state[(i + j) % 3]);
            let product = context.multiply_bgv(&[(&a.1, &b.1)]).unwrap();
            let result = context
                .relinearize(&product, &[&c.1], &p.relinearization, to, Domain::Evaluation)
                .unwrap();
            let bits = zip(&zip(&a.0, &b.0, |a, b| a & b), &c.0, |x, y| x ^ y);
            p.check(&result, &bits, &noise, slack);
            (bits, result)
        };
        state = (0..3).map(next).collect();
        assert!(to < level, "round {round}");
        level = to;
    }
}

#[test]
fn chains_of_low_products_stay_as_predicted() {
    chain(
        &party(fine(2048, 4, KeySwitching::Hybrid { digit_limbs: 2 })),
        8,
        2.5,
    );
    chain(
        &party(fine(4096, 4, KeySwitching::Hybrid { digit_limbs: 2 })),
        7,
        2.5,
    );
}

/// At the dimension of use: `cargo test -p ringmill-fv --test suite bgv -- --ignored`.
#[test]
#[ignore = "takes ten seconds and a gigabyte"]
fn chains_of_low_products_at_full_dimension() {
    chain(
        &party(fine(32768, 8, KeySwitching::Hybrid { digit_limbs: 3 })),
        16,
        2.5,
    );
}

#[test]
fn misuse_is_refused() {
    let p = party(fine(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, a) = (&p.context, bits(&p.context, 7));
    let (x, low) = (p.encrypt(&a, 5, 70), p.encrypt(&a, 4, 71));
    let (u, v) = (context.evaluated(&x).unwrap(), context.evaluated(&low).unwrap());
    let key = &p.relinearization;
    assert!(matches!(context.multiply_bgv(&[]), Err(FvError::NoOperands)));
    assert!(matches!(
        context.multiply_bgv(&[(&u, &u), (&u, &v)]),
        Err(FvError::LevelMismatch { expected: 5, got: 4 })
    ));
    for pair in [(&x, &u), (&u, &x)] {
        let message = context.multiply_bgv(&[pair]).err().unwrap().to_string();
        assert!(
            message.contains("Coefficient") && message.contains("transform it"),
            "{message}"
        );
    }
    let product = context.multiply_bgv(&[(&u, &u)]).unwrap();
    assert!(matches!(
        context.multiply_bgv(&[(&product, &u)]),
        Err(FvError::WrongParts(3))
    ));
    let refused = |product, addend, level| {
        context
            .relinearize(product, &[addend], key, level, Domain::Evaluation)
            .err()
            .unwrap()
    };
    assert!(matches!(refused(&u, &u, 5), FvError::WrongParts(2)));
    assert!(matches!(refused(&product, &product, 5), FvError::WrongParts(3)));
    assert!(matches!(refused(&product, &v, 5), FvError::LevelMismatch { .. }));
    assert!(matches!(
        refused(&product, &u, 6),
        FvError::BadLevel { level: 6, levels: 5 }
    ));
    assert!(matches!(refused(&product, &u, 0), FvError::BadLevel { .. }));
    assert!(matches!(
        context.sum(&[&x, &u]),
        Err(FvError::DomainMismatch { .. })
    ));
    assert!(matches!(context.sub(&u, &x), Err(FvError::DomainMismatch { .. })));
    assert!(matches!(
        context.switch_modulus(&v, 5),
        Err(FvError::BadLevel { .. })
    ));

    // With another plaintext modulus products in the BGV form have a factor.
    let parameters = Parameters::new(&ParametersSpec {
        t: 3,
        ..spec(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 })
    })
    .unwrap();
    let p = party(parameters);
    let plaintext = Plaintext::new(vec![2; 2048], 3).unwrap();
    let x = p.context.encrypt(&p.public, &plaintext, 2, &seed(72)).unwrap();
    assert_eq!(p.context.decrypt(&p.secret, &x).unwrap(), plaintext);
    let u = p.context.evaluated(&x).unwrap();
    assert!(matches!(
        p.context.multiply_bgv(&[(&u, &u)]),
        Err(FvError::NotBinary(3))
    ));
}
