//! Every operation that takes either domain, on coefficients and on values at the roots.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, Domain, KeySwitching};

use crate::common::{Party, bits, fine, party, seed, zip};

const DOMAINS: [Domain; 2] = [Domain::Coefficient, Domain::Evaluation];

fn xor(a: &[bool], b: &[bool]) -> Vec<bool> {
    zip(a, b, |a, b| a ^ b)
}

fn in_domain(p: &Party, c: Ciphertext<CpuDevice>, domain: Domain) -> Ciphertext<CpuDevice> {
    let c = p.context.transform(c, domain).unwrap();
    assert_eq!(c.domain(p.context.device()), domain);
    c
}

#[test]
fn linear_operations_stay_in_their_domain() {
    for (n, level) in [(2048, 8), (2048, 5), (4096, 3)] {
        let p = party(fine(n, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
        let (context, model) = (&p.context, p.context.noise_model());
        let (a, b) = (bits(context, 1), bits(context, 2));
        let not: Vec<bool> = a.iter().map(|a| !a).collect();
        let plain = context.encode(&b).unwrap();
        let fresh = model.fresh_public(level);
        let twice = model.sum(&[&fresh, &fresh]);
        let with_plain = model.add_plain(level, &fresh);
        let power = plain
            .power(context.parameters().ring(), context.parameters().t())
            .unwrap();
        for domain in DOMAINS {
            let [x, y] =
                [(&a, 10), (&b, 11)].map(|(bits, i)| in_domain(&p, p.encrypt(bits, level, i), domain));
            let results = [
                (context.add(&x, &y), xor(&a, &b), &twice),
                (context.sub(&x, &y), xor(&a, &b), &twice),
                (context.negate(&x), a.clone(), &fresh),
                (context.sum_with(&[&x], true), not.clone(), &with_plain),
                (context.sum_with(&[&x, &y], true), xor(&not, &b), &twice),
                (context.add_plain(&x, &plain), xor(&a, &b), &with_plain),
                (
                    context.multiply_plain(&x, &plain),
                    zip(&a, &b, |a, b| a & b),
                    &model.multiply_plain_power(&fresh, power),
                ),
            ];
            for (i, (result, expected, predicted)) in results.into_iter().enumerate() {
                let result = result.unwrap();
                assert_eq!(
                    (result.domain(context.device()), result.level()),
                    (domain, level),
                    "{i}"
                );
                p.check(&result, &expected, predicted, 6.0);
            }
        }
    }
}

/// Files hold coefficients: what is in evaluation domain is written the same, with or without a seed.
#[test]
fn files_do_not_depend_on_the_domain() {
    let p = party(fine(2048, 2, KeySwitching::Hybrid { digit_limbs: 1 }));
    let context = &p.context;
    let a = bits(context, 3);
    let plain = context.encode(&a).unwrap();
    let write = |domain| {
        let seeded = context
            .encrypt_with_secret(&p.secret, &plain, 6, &seed(12))
            .unwrap();
        let ciphertexts = [p.encrypt(&a, 4, 13), seeded].map(|c| in_domain(&p, c, domain));
        let mut file = Vec::new();
        context.write_ciphertexts(&mut file, &ciphertexts).unwrap();
        file
    };
    let [coefficients, values] = DOMAINS.map(write);
    assert!(coefficients == values);
    let read = context.read_ciphertexts(values.as_slice()).unwrap();
    assert_eq!(read.iter().map(Ciphertext::level).collect::<Vec<_>>(), [4, 6]);
    for c in &read {
        assert_eq!(c.domain(context.device()), Domain::Coefficient);
        assert_eq!(p.decrypt(c), a);
    }
}
