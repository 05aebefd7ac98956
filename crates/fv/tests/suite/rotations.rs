//! Hoisted automorphisms and their combinations.

use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Domain, FvError, KeySwitching, Rotation, RotationSum};

use crate::common::{bits, fine, party, seed, zip};

const DOMAINS: [Domain; 2] = [Domain::Coefficient, Domain::Evaluation];

fn xor(a: &[bool], b: &[bool]) -> Vec<bool> {
    zip(a, b, |a, b| a ^ b)
}

/// f_1 a(x^j) + f_2 a(x^k) + a(x^j) + a + b + c, b and c being addends in both domains, to several levels.
#[test]
fn combinations_act_on_slots() {
    for (key_switching, n) in [
        (KeySwitching::Hybrid { digit_limbs: 2 }, 2048),
        (KeySwitching::Hybrid { digit_limbs: 1 }, 4096),
        (KeySwitching::BaseTwo { bits: 20 }, 2048),
    ] {
        let p = party(fine(n, 3, key_switching));
        let (context, model) = (&p.context, p.context.noise_model());
        let [a, b, c, f, g] = [1, 2, 3, 4, 5].map(|i| bits(context, i));
        let (j, k) = (3 * 17 * 257 + 2, context.parameters().ring().conductor() - 2);
        let (j, k) = if p.context.parameters().ring().is_unit(j) {
            (j, k)
        } else {
            (7, k)
        };
        let (key_j, key_k) = (p.galois(j), p.galois(k));
        let plain = [&f, &g].map(|bits| context.encode(bits).unwrap());
        let factors = plain
            .each_ref()
            .map(|plain| context.factor(&plain.centred(2)).unwrap());
        let powers = plain.each_ref().map(|plain| {
            plain
                .power(context.parameters().ring(), context.parameters().t())
                .unwrap()
        });
        let expected = [
            zip(&f, &p.moved(&a, j), |f, a| f & a),
            zip(&g, &p.moved(&a, k), |g, a| g & a),
            p.moved(&a, j),
            a.clone(),
            b.clone(),
            c.clone(),
        ];
        let expected = expected.into_iter().reduce(|a, b| xor(&a, &b)).unwrap();
        let top = context.parameters().levels();
        for (i, level) in (4..=top).rev().enumerate() {
            let x = context
                .transform(p.encrypt(&a, level, 10), DOMAINS[i % 2])
                .unwrap();
            let y = p.encrypt(&b, level, 11);
            let z = context.evaluated(&p.encrypt(&c, level, 12)).unwrap();
            let noise = model.fresh_public(level);
            let moved = model.rotate(level, &noise, &());

            let decomposed = context.decompose(&x).unwrap();
            let (u, v) = (
                context.rotate(&decomposed, &key_j).unwrap(),
                context.rotate(&decomposed, &key_k).unwrap(),
            );
            let extended = context.extend_by_p(&x).unwrap();
            assert_eq!(
                (decomposed.level(), u.level(), extended.level()),
                (level, level, level)
            );
            let terms = [
                (&u, Some(&factors[0])),
                (&v, Some(&factors[1])),
                (&u, None),
                (&extended, None),
            ];
            let predicted = model.sum(&[
                &model.multiply_plain_power(&moved, powers[0]),
                &model.multiply_plain_power(&moved, powers[1]),
                &moved,
                &noise,
                &noise,
                &noise,
            ]);
            for to in (1..=level).rev().step_by(2) {
                let predicted = model.switch_modulus(to, &predicted);
                if predicted.margin_bits(model, -64.0, 1) < 0.0 {
                    break;
                }
                let domain = DOMAINS[to % 2];
                let result = context.combine(&terms, &[&y, &z], to, domain).unwrap();
                assert_eq!((result.level(), result.domain(context.device())), (to, domain));
                p.check(&result, &expected, &predicted, 5.0);
                // Rotated and combined at once they are the same bits.
                let combined = context.combine(&terms, &[&y, &z], to, DOMAINS[0]).unwrap();
                let rotation = |key, factor| Rotation {
                    operand: 1,
                    key,
                    factor,
                };
                let sum = RotationSum {
                    terms: vec![
                        rotation(Some(0), Some(&factors[0])),
                        rotation(Some(1), Some(&factors[1])),
                        rotation(Some(0), None),
                        rotation(None, None),
                    ],
                    addends: vec![&y, &z],
                    level: to,
                };
                let other = context.decompose(&y).unwrap();
                let operands = [&other, &decomposed];
                let sums = context
                    .sum_rotations(&operands, &[&key_j, &key_k], &[sum])
                    .unwrap();
                assert_eq!(sums.len(), 1);
                assert_eq!(written(context, &sums[0]), written(context, &combined));
                let unmoved = context.unmoved(&x).unwrap();
                let kept = || RotationSum {
                    terms: vec![Rotation {
                        operand: 0,
                        key: None,
                        factor: Some(&factors[1]),
                    }],
                    addends: vec![],
                    level: to,
                };
                let sums = context
                    .sum_rotations(&[&unmoved], &[], &[kept(), kept()])
                    .unwrap();
                let product = context.combine(&[(&extended, Some(&factors[1]))], &[], to, DOMAINS[0]);
                let product = written(context, &product.unwrap());
                assert!(sums.len() == 2 && sums.iter().all(|sum| written(context, sum) == product));
            }

            // One automorphism in one step is the same bits, in the ciphertext's domain.
            let one = context.automorphism(&x, &key_k).unwrap();
            assert_eq!(one.domain(context.device()), DOMAINS[i % 2]);
            let predicted = model.automorphism(level, &noise, &());
            if predicted.margin_bits(model, -64.0, 1) > 0.0 {
                p.check(&one, &p.moved(&a, k), &predicted, 4.0);
            }
        }
    }
}

/// The bytes that a ciphertext is written as.
fn written<D: Device>(context: &Context<D>, a: &Ciphertext<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    context.write_ciphertexts(&mut bytes, &[a]).unwrap();
    bytes
}

#[test]
fn misuse_is_refused() {
    let p = party(fine(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, a) = (&p.context, bits(&p.context, 7));
    let (x, low) = (p.encrypt(&a, 5, 70), p.encrypt(&a, 4, 71));
    let u = context.evaluated(&x).unwrap();
    let product = context.multiply_bgv(&[(&u, &u)]).unwrap();
    assert!(matches!(
        context.decompose(&product).err(),
        Some(FvError::WrongParts(3))
    ));
    assert!(matches!(
        context.extend_by_p(&product).err(),
        Some(FvError::WrongParts(3))
    ));
    assert!(matches!(
        context.unmoved(&product).err(),
        Some(FvError::WrongParts(3))
    ));
    let refused = |operands: &[&ringmill_fv::Decomposed<_>], addends: &[&Ciphertext<_>], level, operand| {
        let sum = RotationSum {
            terms: vec![Rotation {
                operand,
                key: None,
                factor: None,
            }],
            addends: addends.to_vec(),
            level,
        };
        context.sum_rotations(operands, &[], &[sum]).err().unwrap()
    };
    let (high, below) = (context.unmoved(&x).unwrap(), context.unmoved(&low).unwrap());
    assert!(matches!(refused(&[], &[], 5, 0), FvError::NoOperands));
    assert!(matches!(
        refused(&[&high, &below], &[], 4, 0),
        FvError::LevelMismatch { .. }
    ));
    assert!(matches!(
        refused(&[&high], &[&low], 4, 0),
        FvError::LevelMismatch { .. }
    ));
    assert!(matches!(refused(&[&high], &[], 6, 0), FvError::BadLevel { .. }));
    assert!(matches!(refused(&[&high], &[], 5, 1), FvError::Device(_)));
    let (extended, lower) = (
        context.extend_by_p(&x).unwrap(),
        context.extend_by_p(&low).unwrap(),
    );
    let refused = |terms: &[_], addends: &[_], level| {
        context
            .combine(terms, addends, level, Domain::Evaluation)
            .err()
            .unwrap()
    };
    assert!(matches!(refused(&[], &[], 5), FvError::NoOperands));
    assert!(matches!(
        refused(&[(&extended, None), (&lower, None)], &[], 4),
        FvError::LevelMismatch { .. }
    ));
    assert!(matches!(
        refused(&[(&extended, None)], &[&low], 4),
        FvError::LevelMismatch { .. }
    ));
    assert!(matches!(
        refused(&[(&extended, None)], &[&product], 4),
        FvError::WrongParts(3)
    ));
    assert!(matches!(
        refused(&[(&extended, None)], &[], 6),
        FvError::BadLevel { .. }
    ));
    let short = ringmill_fv::Plaintext::new(vec![0; 5], 2).unwrap();
    assert!(matches!(
        context.factor(&short.centred(2)).err(),
        Some(FvError::WrongPlaintext { .. })
    ));
    assert!(
        short
            .power(context.parameters().ring(), context.parameters().t())
            .is_err()
    );
    // Not a unit modulo d.
    assert!(context.generate_galois_key(&p.secret, 257, &seed(1)).is_err());
}
