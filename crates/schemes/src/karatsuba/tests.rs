use num_bigint::BigUint;
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Gaussian, Seed};
use ringmill_arith::secret::Secret;
use ringmill_format::FormatError;
use ringmill_ring::RingError;

use super::multiplier::UNIT;
use super::residues::Residues;
use super::*;

fn seed(byte: u8) -> Seed {
    Seed::from_bytes([byte; 32])
}

/// 451 = 11 * 41: n = 400, 20 slots; padding 512 and 512, so one transform of 1024.
fn small() -> Parameters {
    Parameters::insecure_of("small-insecure", 451, 27, 5).unwrap()
}

fn draw(n: usize, count: u8) -> Vec<Randomness> {
    let gaussian = Gaussian::new(3.2).unwrap();
    (0..count)
        .map(|i| Randomness::new(n, &gaussian, &seed(100 + i)))
        .collect()
}

fn bits(count: usize, step: usize) -> Vec<bool> {
    (0..count).map(|i| (i * i + step * i) / 3 % 2 == 1).collect()
}

/// Products in Z\[x\] by definition, words modulo 2^32, for every base, packed and unpacked recursions, counts and
/// kernels.
#[test]
fn karatsuba_is_the_product() {
    // Bases 1 to 8; 7 recursions are packed, of 1500 there are 8, of 2560 9.
    for n in [1, 2, 3, 4, 5, 7, 9, 13, 40, 77, 130, 400, 1500] {
        for (words, count) in [(16, 1), (16, 4), (32, 3)] {
            let a: Vec<u32> = (0..n * words)
                .map(|i| (i as u32).wrapping_mul(2_654_435_761))
                .collect();
            let packed: Vec<u32> = (0..n as u32)
                .map(|i| {
                    (0..count)
                        .map(|f| ((i * i / (3 + f) + i * f) & 1) << (8 * f))
                        .sum()
                })
                .collect();
            let mut expected = vec![vec![0_u32; 2 * n * words]; count as usize];
            for (f, product) in expected.iter_mut().enumerate() {
                for (j, word) in packed
                    .iter()
                    .enumerate()
                    .filter(|(_, word)| **word >> (8 * f) & 1 == 1)
                {
                    assert!(u64::from(*word) < 1 << (8 * count));
                    let to = &mut product[j * words..];
                    to.iter_mut().zip(&a).for_each(|(x, &y)| *x = x.wrapping_add(y));
                }
            }
            for kernel in Simd::tested() {
                let multiplier = Multiplier::new(n, words, kernel).unwrap();
                let mut workspace = multiplier.workspace(count as usize);
                let products = multiplier
                    .multiply(&a, &packed, count as usize, &mut workspace)
                    .unwrap();
                for (product, expected) in products.zip(&expected) {
                    let (head, tail) = product.split_at(2 * n * words);
                    assert_eq!(head, expected, "n = {n} words {words} {kernel:?}");
                    assert!(tail.iter().all(|&x| x == 0));
                }
            }
        }
    }
}

/// All bits set: the largest sums of packed coefficients, and the largest products of chunks.
#[test]
fn the_largest_operands_fit() {
    let n = 2560;
    let multiplier = Multiplier::new(n, UNIT, Simd::from_environment().unwrap()).unwrap();
    assert_eq!((multiplier.padded(), multiplier.recursions()), (2560, 9));
    assert_eq!(multiplier.word_products(1), 19683 * 25 * 16);
    let chunk = (1 << 17) - 1;
    let mut workspace = multiplier.workspace(4);
    let products = multiplier
        .multiply(&vec![chunk; n * UNIT], &vec![0x0101_0101; n], 4, &mut workspace)
        .unwrap();
    for product in products {
        for (i, coefficient) in product.chunks(UNIT).enumerate().take(2 * n - 1) {
            let terms = (i + 1).min(2 * n - 1 - i) as u32;
            assert!(coefficient.iter().all(|&x| x == terms * chunk), "{i}");
        }
    }
}

#[test]
fn multipliers_refuse_wrong_lengths() {
    let kernel = Simd::Portable;
    assert!(Multiplier::new(0, 16, kernel).is_err());
    assert!(Multiplier::new(5, 8, kernel).is_err());
    let multiplier = Multiplier::new(5, 16, kernel).unwrap();
    let (a, packed) = ([0; 80], [0; 5]);
    let mut workspace = multiplier.workspace(1);
    assert!(multiplier.multiply(&a, &packed, 1, &mut workspace).is_ok());
    assert!(multiplier.multiply(&a, &packed, 5, &mut workspace).is_err());
    assert!(
        multiplier
            .multiply(&a, &packed, 2, &mut multiplier.workspace(1))
            .is_err()
    );
    assert!(multiplier.multiply(&a[1..], &packed, 1, &mut workspace).is_err());
    assert!(multiplier.multiply(&a, &packed[1..], 1, &mut workspace).is_err());
}

/// u key + e modulo Phi_m and q with big integers, coefficient by coefficient and division on paper.
fn by_definition(parameters: &Parameters, key: &[u64], one: &Randomness, part: usize) -> Vec<BigUint> {
    let (n, q) = (parameters.n(), parameters.q().product());
    let residues = Residues::new(parameters.q());
    let key: Vec<BigUint> = (0..n).map(|i| residues.integer(key, i)).collect();
    let mut product = vec![BigUint::ZERO; 2 * n - 1];
    for (j, _) in one.u.iter().enumerate().filter(|(_, bit)| **bit == 1) {
        product[j..].iter_mut().zip(&key).for_each(|(x, y)| *x += y);
    }
    for top in (n..product.len()).rev() {
        let lead = std::mem::take(&mut product[top]) % &q;
        for &(exponent, coefficient) in &parameters.ring().terms()[..parameters.ring().weight() - 1] {
            let negative = (&q - &lead) * coefficient.unsigned_abs();
            let positive = &lead * coefficient.unsigned_abs();
            product[top - n + exponent] += if coefficient > 0 { negative } else { positive };
        }
    }
    let errors = one.errors[part].iter();
    let sums = product.iter().zip(errors).map(|(x, &e)| {
        (x + &q + e.unsigned_abs() * if e < 0 { &q - 1_u32 } else { BigUint::from(1_u32) }) % &q
    });
    sums.collect()
}

/// Both methods against big integers: one and two transforms, narrow and wide primes.
#[test]
fn both_methods_are_the_definition() {
    // 3205 has the measured size; 1055 = 5 * 211: n = 840, padding 1024 and 1024; 135: 72 in 128 and 64.
    let sets = [
        small(),
        Parameters::insecure_of("wide", 451, 45, 3).unwrap(),
        Parameters::insecure_of("two lengths", 205, 27, 5).unwrap(),
        Parameters::insecure("cyclotomic-2560-135-insecure").unwrap(),
        Parameters::insecure("cyclotomic-2560-126-wide-insecure").unwrap(),
    ];
    for parameters in sets {
        let (n, limbs) = (parameters.n(), parameters.q().len());
        let scheme = Scheme::new(&parameters, Simd::from_environment().unwrap()).unwrap();
        let key = [scheme.expand(&seed(1)), scheme.expand(&seed(2))];
        let randomness = draw(n, 3);
        let residues = Residues::new(parameters.q());
        let expected: Vec<_> = randomness
            .iter()
            .map(|one| [0, 1].map(|part| by_definition(&parameters, &key[part], one, part)))
            .collect();
        for kernel in Simd::tested() {
            let padded = Padded::new(&parameters, kernel).unwrap();
            let factors = [padded.prepare(&key[0]).unwrap(), padded.prepare(&key[1]).unwrap()];
            let mut sums = Vec::new();
            padded.accumulate(&factors, &randomness, &mut sums).unwrap();
            // Again: nothing of the first call is left in what is used again.
            padded.accumulate(&factors, &randomness, &mut sums).unwrap();
            let karatsuba = Karatsuba::new(&parameters, kernel).unwrap();
            let chunked = karatsuba.prepare([&key[0], &key[1]]).unwrap();
            let mut workspaces = [karatsuba.workspace(), karatsuba.workspace()];
            let integers = karatsuba
                .accumulate(&chunked, &randomness, &mut workspaces)
                .unwrap();
            for ((sums, integers), expected) in sums.iter().zip(&integers).zip(&expected) {
                for part in 0..2 {
                    assert_eq!(sums[part].len(), n * limbs);
                    for (i, expected) in expected[part].iter().enumerate() {
                        let case = format!("{} {kernel:?} part {part} coefficient {i}", parameters.name());
                        assert_eq!(&residues.integer(&sums[part], i), expected, "padded {case}");
                        let digits = expected.iter_u64_digits().chain([0; 3]).take(3);
                        assert!(digits.eq(integers[part][i]), "Karatsuba {case}");
                    }
                    assert_eq!(karatsuba.residues(&integers[part]), sums[part]);
                }
            }
        }
    }
}

/// The Fermat ring: at every root of unity the sum is key times u plus e, checked at one by the definition.
#[test]
fn the_fermat_ring_accumulates() {
    let fermat = Fermat::new(2048, 45, 2, Simd::from_environment().unwrap()).unwrap();
    let n = fermat.ring().n();
    let randomness = draw(n, 2);
    let key: Vec<u64> = (0..2 * n as u64).map(|i| i * i * 977 + 5).collect();
    let factors = [fermat.prepare(&key).unwrap(), fermat.prepare(&key).unwrap()];
    let mut sums = Vec::new();
    fermat.accumulate(&factors, &randomness, &mut sums).unwrap();
    for (limb, q) in fermat.q().moduli().iter().enumerate() {
        let zeta = ringmill_arith::prime::root_of_unity(q, fermat.ring().d()).unwrap();
        let exponents = fermat.ring().exponents();
        let value = |coefficients: &mut dyn Iterator<Item = u64>| {
            let terms = coefficients.zip(exponents);
            terms.fold(0, |sum, (x, &e)| q.add(sum, q.mul(x, q.pow(zeta, e.into()))))
        };
        let of = |words: &[u64]| value(&mut words[limb * n..][..n].iter().copied());
        for (one, sums) in randomness.iter().zip(&sums) {
            let u = value(&mut one.u.iter().map(|&bit| bit.into()));
            for (part, sum) in sums.iter().enumerate() {
                let e = value(&mut one.errors[part].iter().map(|&e| q.from_signed(e.into())));
                assert_eq!(of(sum), q.add(q.mul(of(&key), u), e));
            }
        }
    }
}

/// A product term by term, in words of three a coefficient.
fn schoolbook(a: &[[u64; 3]], u: &[u8]) -> Secret<Vec<u64>> {
    let number = |words: &[u64; 3]| {
        words
            .iter()
            .rev()
            .fold(BigUint::ZERO, |x, &word| (x << 64) + word)
    };
    let a: Vec<_> = a.iter().map(number).collect();
    let mut product = vec![BigUint::ZERO; 2 * a.len() - 1];
    for (i, _) in u.iter().enumerate().filter(|&(_, &bit)| bit == 1) {
        product[i..].iter_mut().zip(&a).for_each(|(sum, x)| *sum += x);
    }
    let words = product
        .iter()
        .flat_map(|x| x.iter_u64_digits().chain([0; 3]).take(3).collect::<Vec<_>>());
    Secret::new(words.collect())
}

#[test]
fn messages_come_back_by_both_methods() {
    for parameters in [
        small(),
        Parameters::insecure("cyclotomic-2560-125-insecure").unwrap(),
    ] {
        let scheme = Scheme::new(&parameters, Simd::from_environment().unwrap()).unwrap();
        assert!(scheme.slots() >= 20);
        let (secret, public) = scheme.generate_keys().unwrap();
        let messages: Vec<Vec<bool>> = (0..4).map(|i| bits(scheme.slots(), i)).collect();
        let messages: Vec<&[bool]> = messages.iter().map(Vec::as_slice).collect();
        let seeds: Vec<Seed> = (0..4).map(seed).collect();
        let [first, second] = [Method::Karatsuba, Method::Padded].map(|method| {
            let encryptor = scheme.encryptor(&public, method).unwrap();
            for (ciphertext, message) in encryptor.encrypt(&messages).unwrap().iter().zip(&messages) {
                assert_eq!(&scheme.decrypt(&secret, ciphertext).unwrap(), message);
            }
            encryptor.encrypt_with(&messages, &seeds).unwrap()
        });
        assert!(first.iter().zip(&second).all(|(x, y)| x.parts == y.parts));
        for at_once in [1, 3] {
            let third = scheme.encrypt_by(&public, &messages, &seeds, at_once, &mut |a, polynomials| {
                assert!(polynomials.len() <= at_once);
                Ok::<_, KaratsubaError>(polynomials.iter().map(|u| schoolbook(a, u)).collect())
            });
            assert!(
                third
                    .unwrap()
                    .iter()
                    .zip(&second)
                    .all(|(x, y)| x.parts == y.parts)
            );
        }
        let nothing = scheme.encrypt_by(&public, &messages, &seeds, 4, &mut |_, _| Ok(Vec::new()));
        assert!(matches!(
            nothing,
            Err(KaratsubaError::WrongLength { what: "products", .. })
        ));
        let short = scheme.encrypt_by(&public, &messages, &seeds[1..], 4, &mut |_, _| Ok(Vec::new()));
        assert!(matches!(
            short,
            Err(KaratsubaError::WrongLength { what: "seeds", .. })
        ));
        let nothing = scheme.encrypt_by_sums(&public, &messages, &seeds, &mut |_, _| Ok(Vec::new()));
        assert!(matches!(
            nothing,
            Err(KaratsubaError::WrongLength { what: "sums", .. })
        ));
        let short = scheme.encrypt_by_sums(&public, &messages, &seeds, &mut |_, pairs| {
            Ok(pairs.iter().map(|_| Secret::zeros(3)).collect())
        });
        assert!(matches!(
            short,
            Err(KaratsubaError::WrongLength {
                what: "coefficients of a sum",
                got: 1,
                ..
            })
        ));
        let short = scheme.encryptor(&public, Method::Padded).unwrap();
        let short = short.encrypt(&[&[true, false, true]]).unwrap();
        let plain = scheme.decrypt(&secret, &short[0]).unwrap();
        assert_eq!(plain[..3], [true, false, true]);
        assert!(plain[3..].iter().all(|bit| !bit));
    }
}

/// The mean square of many coefficients' noise lies between the average variance that the formula's terms allow, and
/// below its largest; never beyond what the tail allows.
#[test]
fn noise_is_as_predicted() {
    let parameters = small();
    let scheme = Scheme::new(&parameters, Simd::from_environment().unwrap()).unwrap();
    let message = bits(scheme.slots(), 1);
    let predicted = error_variance(&parameters);
    let mut squares = vec![0.0; parameters.n()];
    let runs = 60_u8;
    for run in 0..runs {
        let (secret, public) = scheme.keys_of(&seed(run), seed(run + 60)).unwrap();
        let encryptor = scheme.encryptor(&public, Method::Padded).unwrap();
        let ciphertext = encryptor.encrypt_with(&[&message], &[seed(run + 120)]).unwrap();
        let noise = scheme.noise(&secret, &ciphertext[0], &message).unwrap();
        assert!(noise.iter().all(|x| x.abs() < 9.0 * predicted.sqrt()));
        squares.iter_mut().zip(&noise).for_each(|(sum, x)| *sum += x * x);
    }
    // The middle coefficient that has the largest variance is not known here; the largest of 400 measured ones is
    // near it: chi-square of 60 degrees of freedom, largest of 400 below 2 in all but one of 10^3 cases.
    let largest = squares.iter().copied().fold(0.0, f64::max) / f64::from(runs);
    assert!(
        largest > 0.8 * predicted && largest < 2.2 * predicted,
        "{largest} {predicted}"
    );
    assert!(failure(&parameters) < -64.0);
}

#[test]
fn wrong_keys_and_other_parameters_are_noticed() {
    let kernel = Simd::from_environment().unwrap();
    let (parameters, other) = (small(), Parameters::insecure_of("other", 451, 25, 5).unwrap());
    let (scheme, foreign) = (
        Scheme::new(&parameters, kernel).unwrap(),
        Scheme::new(&other, kernel).unwrap(),
    );
    let (_, public) = scheme.generate_keys().unwrap();
    let (wrong, _) = scheme.generate_keys().unwrap();
    let encryptor = scheme.encryptor(&public, Method::Karatsuba).unwrap();
    let ciphertext = encryptor.encrypt(&[&[true; 20]]).unwrap().remove(0);
    assert!(matches!(
        scheme.decrypt(&wrong, &ciphertext),
        Err(KaratsubaError::Ring(RingError::NotABit { .. }))
    ));
    assert!(matches!(
        foreign.encryptor(&public, Method::Padded).map(drop),
        Err(KaratsubaError::ParameterMismatch { .. })
    ));
    assert!(matches!(
        foreign.decrypt(&wrong, &ciphertext),
        Err(KaratsubaError::ParameterMismatch { .. })
    ));
    assert!(encryptor.encrypt(&[&[true; 21]]).is_err());
    assert!(
        Parameters::insecure("secure")
            .unwrap_err()
            .to_string()
            .contains("cyclotomic-2560-135-insecure")
    );
    assert!(Parameters::names().iter().all(|name| name.ends_with("insecure")));
    assert!(!format!("{wrong:?}").contains('1'));
}

#[test]
fn files_come_back_and_damage_is_noticed() {
    let kernel = Simd::from_environment().unwrap();
    let scheme = Scheme::new(&small(), kernel).unwrap();
    let foreign = Scheme::new(&Parameters::insecure_of("other", 451, 25, 5).unwrap(), kernel).unwrap();
    let (secret, public) = scheme.generate_keys().unwrap();
    let message = bits(20, 2);
    let encryptor = scheme.encryptor(&public, Method::Padded).unwrap();
    let ciphertexts = encryptor.encrypt(&[&message, &message]).unwrap();
    let mut files = [Vec::new(), Vec::new(), Vec::new()];
    scheme.write_secret_key(&mut files[0], &secret).unwrap();
    scheme.write_public_key(&mut files[1], &public).unwrap();
    scheme.write_ciphertexts(&mut files[2], &ciphertexts).unwrap();

    let read = scheme.read_secret_key(&files[0][..]).unwrap();
    let public = scheme.read_public_key(&files[1][..]).unwrap();
    for ciphertext in scheme.read_ciphertexts(&files[2][..]).unwrap() {
        assert_eq!(scheme.decrypt(&read, &ciphertext).unwrap(), message);
    }
    let again = scheme.encryptor(&public, Method::Padded).unwrap();
    let again = again.encrypt(&[&message]).unwrap();
    assert_eq!(scheme.decrypt(&secret, &again[0]).unwrap(), message);

    let attempt = |scheme: &Scheme, which: usize, bytes: &[u8]| match which {
        0 => scheme.read_secret_key(bytes).map(drop),
        1 => scheme.read_public_key(bytes).map(drop),
        _ => scheme.read_ciphertexts(bytes).map(drop),
    };
    for (which, file) in files.iter().enumerate() {
        assert!(matches!(
            attempt(&foreign, which, file),
            Err(KaratsubaError::ParameterMismatch { .. })
        ));
        assert!(matches!(
            attempt(&scheme, (which + 1) % 3, file),
            Err(KaratsubaError::Format(FormatError::WrongKind { .. }))
        ));
        for length in [0, 47, 60, file.len() - 1] {
            let refusal = attempt(&scheme, which, &file[..length]).unwrap_err();
            assert!(
                matches!(refusal, KaratsubaError::Format(FormatError::Truncated)),
                "{refusal}"
            );
        }
        for position in (0..file.len()).step_by(file.len() / 50) {
            let mut damaged = file.clone();
            damaged[position] ^= 0x10;
            assert!(
                attempt(&scheme, which, &damaged).is_err(),
                "file {which} byte {position}"
            );
        }
        assert!(attempt(&scheme, which, &[&file[..], b"x"].concat()).is_err());
    }
}
