//! The schemes without a device: over general cyclotomic rings and over the integers.

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Gaussian, Seed, Stream};
use ringmill_format::HEADER_BYTES;
use ringmill_ring::cyclotomic::Batching;
use ringmill_schemes::integers;
use ringmill_schemes::integers::accumulation::{Elements, Factors, Method as Sum, weighted_sum};
use ringmill_schemes::karatsuba::{Karatsuba, Method, Padded, Parameters, Randomness, Scheme};

use crate::patterns::{ERROR, Patterns};
use crate::report::Report;

fn bits(count: usize, seed: u8) -> Vec<bool> {
    let mut words = vec![0; count];
    Stream::new(&Seed::from_bytes([seed; 32])).fill_words(&mut words);
    words.iter().map(|x| x & 1 == 1).collect()
}

/// Coefficients 0 and 1 in every width.
fn binary(patterns: &mut Patterns, name: &str, bits: &[u8]) {
    patterns.add(&format!("{name}, bytes"), 1.0, bits);
    let words: Vec<u64> = bits.iter().map(|&bit| bit.into()).collect();
    patterns.add(&format!("{name}, words"), 1.0, &words);
    let packed: Vec<u32> = bits.iter().map(|&bit| bit.into()).collect();
    patterns.add(&format!("{name}, half words"), 1.0, &packed);
    let bytes: Vec<u8> = bits
        .chunks(8)
        .map(|bits| bits.iter().enumerate().fold(0, |byte, (i, bit)| byte | bit << i))
        .collect();
    patterns.add(&format!("{name}, packed"), 8.0, &bytes[..bits.len() / 8]);
}

/// The bits of a secret key, from its file.
fn key_bits(scheme: &Scheme, file: &[u8]) -> Vec<u8> {
    let bytes = &file[HEADER_BYTES as usize..];
    (0..scheme.parameters().n())
        .map(|i| bytes[i / 8] >> (i % 8) & 1)
        .collect()
}

#[test]
fn cyclotomic_rings_leave_nothing() {
    let mut report = Report::new();
    let kernel = Simd::from_environment().unwrap();
    let parameters = Parameters::insecure_of("toy", 451, 27, 5).unwrap();
    let scheme = Scheme::new(&parameters, kernel).unwrap();

    // Keys are random: what they are is known when they are made.
    let mut file = Vec::with_capacity(1 << 12);
    report.later("key generation", || {
        let (secret, _) = scheme.generate_keys().unwrap();
        scheme.write_secret_key(&mut file, &secret).unwrap();
    });
    let mut patterns = Patterns::default();
    binary(&mut patterns, "secret", &key_bits(&scheme, &file));
    report.look(&patterns);

    let (secret, public) = scheme.generate_keys().unwrap();
    file.clear();
    scheme.write_secret_key(&mut file, &secret).unwrap();
    let mut patterns = Patterns::default();
    binary(&mut patterns, "secret", &key_bits(&scheme, &file));
    report.phase("reading the secret key", &patterns, || {
        drop(scheme.read_secret_key(&file[..]).unwrap());
    });

    let message = bits(scheme.slots(), 7);
    let words = Batching::new(parameters.ring())
        .unwrap()
        .encode(&message)
        .unwrap();
    patterns.add("message", 32.0, &words);
    let unpacked: Vec<u64> = (0..parameters.n())
        .map(|i| words[i / 64] >> (i % 64) & 1)
        .collect();
    patterns.add("message, words", 1.0, &unpacked);
    for method in [Method::Karatsuba, Method::Padded] {
        let encryptor = scheme.encryptor(&public, method).unwrap();
        let encrypt = || encryptor.encrypt(&[&message]).unwrap();
        let encrypted = report.phase("encryption", &patterns, encrypt);
        report.phase("decryption", &patterns, || {
            drop(scheme.decrypt(&secret, &encrypted[0]).unwrap());
        });
    }
    report.finish();
}

/// What encryption over a general cyclotomic ring is made of.
#[test]
fn cyclotomic_masks_are_wiped() {
    let mut report = Report::new();
    let kernel = Simd::from_environment().unwrap();
    let parameters = Parameters::insecure_of("toy", 451, 27, 5).unwrap();
    let (n, gaussian) = (parameters.n(), Gaussian::new(parameters.sigma()).unwrap());
    let seed = Seed::from_bytes([8; 32]);
    let mut patterns = Patterns::default();
    let mut words = vec![0; n.div_ceil(64)];
    Stream::new(&seed.derive("binary", 0)).fill_words(&mut words);
    patterns.add("mask, drawn", 64.0, &words);
    let mask: Vec<u8> = (0..n).map(|i| (words[i / 64] >> (i % 64) & 1) as u8).collect();
    binary(&mut patterns, "mask", &mask);
    let mut error = vec![0; n];
    gaussian.sample(&mut Stream::new(&seed.derive("error", 0)), &mut error);
    patterns.add("error", ERROR, &error);

    let key = vec![1; n * parameters.q().len()];
    let draw = || [Randomness::new(n, &gaussian, &seed)];
    let padded = Padded::new(&parameters, kernel).unwrap();
    let factors = [padded.prepare(&key).unwrap(), padded.prepare(&key).unwrap()];
    report.phase("padded transforms", &patterns, || {
        padded.accumulate(&factors, &draw(), &mut Vec::new()).unwrap();
    });
    report.phase("the end of padded transforms", &patterns, || drop(padded));
    let karatsuba = Karatsuba::new(&parameters, kernel).unwrap();
    let factor = karatsuba.prepare([&key, &key]).unwrap();
    report.phase("Karatsuba's method", &patterns, || {
        let mut workspaces = [karatsuba.workspace()];
        karatsuba.accumulate(&factor, &draw(), &mut workspaces).unwrap();
    });
    report.finish();
}

/// The factors of an encryption over the integers. The numbers of `num-bigint`, the secret prime among them, are not
/// wiped, as the documentation says.
#[test]
fn integer_factors_are_wiped() {
    let mut report = Report::new();
    let parameters = integers::Parameters::insecure("integers-toy").unwrap();
    let elements = Elements::new(&parameters, Seed::from_bytes([3; 32]));
    let seed = Seed::from_bytes([4; 32]);
    let draw = || Factors::random(&parameters, &mut Stream::new(&seed));
    let mut patterns = Patterns::default();
    let factors = draw();
    let words: Vec<u64> = factors.iter().flatten().copied().collect();
    patterns.add("factors", 64.0, &words);
    let kernel = Simd::from_environment().unwrap();
    let sum = weighted_sum(&elements, &factors, Sum::Comba, kernel);
    patterns.add("weighted sum", 64.0, &sum[..]);
    for method in Sum::ALL {
        report.phase("encryption", &patterns, || {
            drop(weighted_sum(&elements, &draw(), method, kernel));
        });
    }
    report.finish();
}
