use num_bigint::{BigInt, BigUint};
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_format::FormatError;

use super::accumulation::Method;
use super::key_generation::generate_from;
use super::*;

fn pair(parameters: &Parameters, fill: u8) -> (SecretKey, PublicKey) {
    let seed = |n| Seed::from_bytes([n; 32]);
    generate_from(parameters, &seed(fill), seed(fill + 100))
}

/// The ciphertext of a seed.
fn encrypt_from(public: &PublicKey, seed: &Seed, bit: bool, method: Method, kernel: Simd) -> Ciphertext {
    public.encrypt_terms(&Terms::new(public.parameters(), seed, bit), method, kernel)
}

fn toy() -> Parameters {
    Parameters::insecure("integers-toy").unwrap()
}

/// x_i = r_i modulo p with |r_i| <= 2^rho, and p divides x_0, which is close to 2^gamma.
#[test]
fn public_elements_are_near_multiples_of_p() {
    let parameters = Parameters::tiny();
    let (secret, public) = pair(&parameters, 1);
    let (p, x0) = (secret.p(), public.barrett.modulus());
    assert_eq!(x0 % &p, BigUint::ZERO);
    assert_eq!(
        (x0 >> (parameters.gamma() - 63)) + 1_u32,
        BigUint::from(1_u32) << 63
    );
    let mut largest = 0;
    for (i, delta) in public
        .corrections
        .chunks(parameters.correction_words())
        .enumerate()
    {
        let mut chi = vec![0; parameters.words()];
        public.elements.fill(i, 0, &mut chi);
        let delta = words::number(delta);
        assert!(delta.bits() <= u64::from(parameters.correction_bits()));
        let rest = (words::number(&chi) + &p * &delta - &delta) % &p;
        let rest = rest.clone().min(&p - rest);
        assert!(rest <= BigUint::from(1_u32) << parameters.rho(), "element {i}");
        largest = largest.max(rest.bits());
    }
    assert!(
        largest + 2 >= u64::from(parameters.rho()),
        "noise of {largest} bits only"
    );
}

#[test]
fn bits_survive_and_methods_agree() {
    for (parameters, fill) in [(Parameters::tiny(), 1), (toy(), 2)] {
        let (secret, public) = pair(&parameters, fill);
        for (n, bit) in [(0, false), (1, true), (2, true), (3, false)] {
            let seed = Seed::from_bytes([n; 32]);
            let kernel = Simd::from_environment().unwrap();
            let [a, b] = Method::ALL.map(|method| encrypt_from(&public, &seed, bit, method, kernel));
            assert_eq!(a, b);
            assert_eq!(secret.decrypt(&a).unwrap(), bit);
            let other = public.encrypt(bit, kernel).unwrap();
            assert_ne!(a, other);
            assert_eq!(secret.decrypt(&other).unwrap(), bit);
            assert_eq!(
                secret.decrypt(&secret.encrypt(&public, bit).unwrap()).unwrap(),
                bit
            );
        }
    }
}

/// The mean square of measured noise is that of the formula: over 200 ciphertexts its standard deviation is below a
/// tenth, and the test allows a half. None is above the bound.
#[test]
fn noise_keeps_to_its_formula() {
    let parameters = Parameters::tiny();
    let (secret, public) = pair(&parameters, 5);
    let deviation = parameters.public_deviation();
    let mut squares = 0.0;
    for n in 0..200 {
        let bit = n % 2 == 0;
        let c = encrypt_from(
            &public,
            &Seed::from_bytes([n; 32]),
            bit,
            Method::Comba,
            Simd::from_environment().unwrap(),
        );
        let noise = secret.measured_noise(&c).unwrap();
        assert!(noise <= c.noise());
        squares += (2.0 * (noise - deviation)).exp2() / 200.0;
        let fresh = secret.encrypt(&public, bit).unwrap();
        assert!(secret.measured_noise(&fresh).unwrap() <= fresh.noise());
    }
    assert!((0.5..1.5).contains(&squares), "mean square {squares}");
}

#[test]
fn depths_are_the_stated_ones() {
    for name in Parameters::names() {
        let parameters = Parameters::insecure(name).unwrap();
        assert_eq!(parameters.depth(parameters.public_noise()), 0, "{name}");
        assert_eq!(parameters.depth(parameters.secret_noise()), 5, "{name}");
        assert!(
            parameters.public_noise() <= f64::from(parameters.noise_limit()),
            "{name}"
        );
        assert!(parameters.warning().contains("INSECURE"));
        assert_eq!(parameters.warning().lines().count(), 1);
    }
    assert!(matches!(
        Parameters::insecure("toy"),
        Err(IntegersError::UnknownSet { .. })
    ));
}

/// Products of secret-key ciphertexts to the full depth, mixed with sums, against the same in the clear; one level
/// more is refused.
#[test]
fn the_full_depth_decrypts() {
    let parameters = toy();
    let (secret, public) = pair(&parameters, 7);
    let evaluator = Evaluator::new(&public);
    let depth = parameters.depth(parameters.secret_noise());
    let mut bits: Vec<bool> = (0..1_u32 << depth).map(|i| i % 17 != 3).collect();
    let mut row: Vec<Ciphertext> = bits
        .iter()
        .map(|&bit| secret.encrypt(&public, bit).unwrap())
        .collect();
    for level in 1..=depth {
        bits = bits.chunks(2).map(|pair| pair[0] & pair[1]).collect();
        row = row
            .chunks(2)
            .map(|pair| evaluator.multiply(&pair[0], &pair[1]).unwrap())
            .collect();
        for (c, &bit) in row.iter().zip(&bits) {
            assert_eq!(secret.decrypt(c).unwrap(), bit, "level {level}");
            assert!(secret.measured_noise(c).unwrap() <= c.noise());
        }
    }
    let refused = evaluator.multiply(&row[0], &row[0]).unwrap_err();
    assert!(matches!(refused, IntegersError::TooNoisy { .. }), "{refused}");
    // A public-key ciphertext takes sums, and one product with little noise.
    let kernel = Simd::from_environment().unwrap();
    let (a, b) = (
        public.encrypt(true, kernel).unwrap(),
        public.encrypt(false, kernel).unwrap(),
    );
    let sum = evaluator.add(&a, &b).unwrap();
    assert!(secret.decrypt(&sum).unwrap());
    let one = secret.encrypt(&public, true).unwrap();
    assert!(secret.decrypt(&evaluator.multiply(&sum, &one).unwrap()).unwrap());
    assert!(matches!(
        evaluator.multiply(&a, &b),
        Err(IntegersError::TooNoisy { .. })
    ));
}

#[test]
fn xor_and_and_are_those_of_bits() {
    let (secret, public) = pair(&Parameters::tiny(), 9);
    let evaluator = Evaluator::new(&public);
    for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
        let [a, b] = [x, y].map(|bit| secret.encrypt(&public, bit).unwrap());
        let sum = evaluator.add(&a, &b).unwrap();
        assert_eq!(secret.decrypt(&sum).unwrap(), x ^ y);
        let product = evaluator.multiply(&a, &b).unwrap();
        assert_eq!(secret.decrypt(&product).unwrap(), x & y);
        // (a + b) a = a a + b a
        let left = evaluator.multiply(&sum, &a).unwrap();
        let right = evaluator
            .add(&evaluator.multiply(&a, &a).unwrap(), &product)
            .unwrap();
        assert_eq!(left.value, right.value);
    }
}

#[test]
fn barrett_is_the_remainder() {
    let mut stream = Stream::new(&Seed::from_bytes([4; 32]));
    for (bits, excess) in [(64, 64), (100, 7), (1000, 1000), (20_000, 300), (30_000, 30_000)] {
        for _ in 0..20 {
            let modulus = words::uniform(&mut stream, bits) | BigUint::from(1_u32) << (bits - 1);
            let barrett = Barrett::new(&modulus, u64::from(excess));
            let largest = (BigUint::from(1_u32) << (bits + excess)) - 1_u32;
            for x in [
                words::uniform(&mut stream, bits + excess),
                BigUint::ZERO,
                modulus.clone(),
                &modulus - 1_u32,
                &largest - &largest % &modulus,
                &largest - &largest % &modulus - 1_u32,
                largest.clone(),
                largest << 5,
            ] {
                assert_eq!(barrett.reduce(&x), &x % &modulus, "{bits} bits");
            }
        }
    }
}

#[test]
fn files_come_back() {
    let parameters = Parameters::tiny();
    let (secret, public) = pair(&parameters, 11);
    let mut files = [Vec::new(), Vec::new(), Vec::new()];
    let c = secret.encrypt(&public, true).unwrap();
    secret.write(&mut files[0]).unwrap();
    public.write(&mut files[1]).unwrap();
    public
        .write_ciphertexts(&mut files[2], &[c.clone(), c.clone()])
        .unwrap();
    let secret = SecretKey::read(&parameters, &files[0][..]).unwrap();
    let public = PublicKey::read(&parameters, &files[1][..]).unwrap();
    let read = public.read_ciphertexts(&files[2][..]).unwrap();
    assert_eq!(read, [c.clone(), c]);
    assert!(secret.decrypt(&read[1]).unwrap());
    let seed = Seed::from_bytes([1; 32]);
    let again = encrypt_from(&public, &seed, true, Method::Comba, Simd::Portable);
    assert!(secret.decrypt(&again).unwrap());
}

/// Equation 1 by big integers, from what a machine gets; the noise has either sign.
#[test]
fn terms_are_those_of_the_ciphertext() {
    let parameters = Parameters::tiny();
    let (_, public) = pair(&parameters, 15);
    let x0 = BigInt::from(public.modulus().clone());
    let mut negative = 0;
    for n in 0..20 {
        let terms = Terms::new(&parameters, &Seed::from_bytes([n; 32]), n % 2 == 0);
        let noise = terms.noise(&parameters);
        let bytes: Vec<u8> = noise.iter().flat_map(|word| word.to_le_bytes()).collect();
        let noise = BigInt::from_signed_bytes_le(&bytes);
        assert!(noise.bits() <= u64::from(parameters.fresh_rho()) + 2);
        assert_eq!(noise.bit(0), n % 2 == 0);
        negative += u32::from(noise < BigInt::ZERO);
        let corrections = public.corrections().chunks(parameters.correction_words());
        let mut sum = noise;
        for ((i, delta), factor) in corrections.enumerate().zip(terms.factors().iter()) {
            let mut chi = vec![0; parameters.words()];
            public.elements().fill(i, 0, &mut chi);
            let x = BigInt::from(words::number(&chi)) - BigInt::from(words::number(delta));
            sum += x * BigInt::from(words::number(factor)) * 2;
        }
        let value = ((sum % &x0 + &x0) % &x0).to_biguint().unwrap();
        let words = words::words(&value, parameters.words());
        let expected = public.encrypt_terms(&terms, Method::Comba, Simd::Portable);
        assert_eq!(public.ciphertext(&words).unwrap(), expected);
    }
    assert!((1..20).contains(&negative));
    let x0 = words::words(public.modulus(), parameters.words());
    assert!(matches!(public.ciphertext(&x0), Err(IntegersError::NotReduced)));
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let parameters = Parameters::tiny();
    let (secret, public) = pair(&parameters, 13);
    let (other_secret, other) = pair(&parameters, 14);
    let c = secret.encrypt(&public, true).unwrap();
    let mut files = [Vec::new(), Vec::new(), Vec::new()];
    secret.write(&mut files[0]).unwrap();
    public.write(&mut files[1]).unwrap();
    public
        .write_ciphertexts(&mut files[2], std::slice::from_ref(&c))
        .unwrap();
    let read = |which: usize, file: &[u8], parameters: &Parameters| match which {
        0 => SecretKey::read(parameters, file).map(drop),
        1 => PublicKey::read(parameters, file).map(drop),
        _ => public.read_ciphertexts(file).map(drop),
    };
    for (which, file) in files.iter().enumerate() {
        for cut in [0, 10, 47, 60, file.len() - 1] {
            assert!(read(which, &file[..cut], &parameters).is_err(), "cut at {cut}");
        }
        for place in (0..file.len()).step_by(53) {
            let mut bad = file.clone();
            bad[place] ^= 4;
            assert!(read(which, &bad, &parameters).is_err(), "byte {place}");
        }
        if which < 2 {
            let refusal = read(which, file, &toy()).unwrap_err();
            assert!(refusal.to_string().contains("other parameters"), "{refusal}");
        }
        let wrong = read((which + 1) % 3, file, &parameters).unwrap_err();
        assert!(
            matches!(wrong, IntegersError::Format(FormatError::WrongKind { .. })),
            "{wrong}"
        );
    }
    for refusal in [
        other.read_ciphertexts(&files[2][..]).unwrap_err(),
        other_secret.decrypt(&c).unwrap_err(),
        other_secret.encrypt(&public, true).unwrap_err(),
        Evaluator::new(&other).add(&c, &c).unwrap_err(),
        other.write_ciphertexts(Vec::new(), &[c]).unwrap_err(),
    ] {
        assert!(refusal.to_string().contains("another key"), "{refusal}");
    }
}
