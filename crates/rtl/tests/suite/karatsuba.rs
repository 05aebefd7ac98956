//! Paper 4's machine: host and golden model beside schoolbook products, and the simulated machine beside its model.

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;
use ringmill_rtl::RtlError;
#[cfg(feature = "rtl")]
use ringmill_rtl::karatsuba::KaratsubaSimulation;
#[cfg(feature = "rtl")]
use ringmill_rtl::karatsuba::resident::ResidentSimulation;
use ringmill_rtl::karatsuba::{Beat, Host, Model, Shape, Wide, resident};
use ringmill_schemes::karatsuba::{KaratsubaError, Method, Parameters, Scheme};

use crate::common::Random;

/// A polynomial of residues below 2^bits, and binary ones.
fn inputs(random: &mut Random, bits: u32) -> (Vec<Wide>, Vec<Vec<u8>>) {
    let coefficient = |random: &mut Random| Wide([random.word(), random.word(), random.word()]).low(bits);
    let mut key: Vec<_> = (0..Shape::N).map(|_| coefficient(random)).collect();
    // Some as large as can be.
    key[..100].fill(Wide([u64::MAX; 3]).low(bits));
    let mut binary = || {
        (0..Shape::N)
            .map(|_| (random.word() & 1) as u8)
            .collect::<Vec<_>>()
    };
    let polynomials = vec![binary(), vec![1; Shape::N], binary(), binary()];
    (key, polynomials)
}

/// The product, term by term, in words of three a coefficient.
fn schoolbook(key: &[Wide], binary: &[u8]) -> Vec<u64> {
    let mut product = vec![[0_u64; 3]; 2 * Shape::N];
    for (i, _) in binary.iter().enumerate().filter(|&(_, &bit)| bit == 1) {
        for (sum, coefficient) in product[i..].iter_mut().zip(key) {
            let mut carry = 0_u128;
            for (word, addend) in sum.iter_mut().zip(coefficient.0) {
                carry += u128::from(*word) + u128::from(addend);
                *word = carry as u64;
                carry >>= 64;
            }
        }
    }
    product.concat()
}

#[test]
fn host_and_model_multiply_like_the_schoolbook() {
    let mut random = Random::new(4);
    for bits in [1, 125, 135, 138] {
        let shape = Shape::new(bits).unwrap();
        let (key, polynomials) = inputs(&mut random, bits);
        let borrowed: Vec<&[u8]> = polynomials.iter().map(Vec::as_slice).collect();
        let (host, model) = (Host::new(shape), Model::new(shape));
        let words = model.run(&host.beats(&key, &borrowed).unwrap()).unwrap();
        let products = host.products(&words, 4).unwrap();
        for (product, polynomial) in products.iter().zip(&polynomials) {
            assert!(**product == schoolbook(&key, polynomial), "{bits} bits");
        }
        // Fewer polynomials: the others' products are zero.
        let words = model.run(&host.beats(&key, &borrowed[..1]).unwrap()).unwrap();
        let products = host.products(&words, 4).unwrap();
        assert!(products[0][..] == schoolbook(&key, &polynomials[0]));
        assert!(
            products[1..]
                .iter()
                .all(|product| product.iter().all(|&word| word == 0))
        );
    }
}

#[test]
fn sizes_are_the_papers() {
    assert_eq!(Shape::input_beats(), 145_800);
    // 25,839 coefficients to the host; ours have a zero beside them.
    assert_eq!(Shape::output_beats() / Shape::CHUNKS, 81 * 320);
    let chunk = |bits| Shape::new(bits).unwrap().key_chunk();
    assert_eq!((chunk(125), chunk(126), chunk(135)), (27, 27, 29));
    // At most one percent of fill.
    assert!(Shape::cycles() <= 145_800 + 1458, "{}", Shape::cycles());
}

#[test]
fn unfit_numbers_are_refused() {
    assert!(matches!(Shape::new(0), Err(RtlError::BadKaratsuba { .. })));
    assert!(matches!(Shape::new(139), Err(RtlError::BadKaratsuba { .. })));
    let host = Host::new(Shape::new(125).unwrap());
    let (mut key, polynomials) = inputs(&mut Random::new(1), 125);
    let binary = polynomials[0].as_slice();
    for count in [0, 5] {
        let beats = host.beats(&key, &vec![binary; count]);
        assert!(matches!(beats, Err(RtlError::BadKaratsuba { .. })));
    }
    assert!(matches!(
        host.beats(&key[1..], &[binary]),
        Err(RtlError::WrongLength { .. })
    ));
    assert!(matches!(
        host.beats(&key, &[&binary[1..]]),
        Err(RtlError::WrongLength { .. })
    ));
    assert!(matches!(
        host.beats(&key, &[&[2; 2560]]),
        Err(RtlError::BadKaratsuba { .. })
    ));
    key[7] = Wide([0, 1 << 61, 0]);
    assert!(matches!(
        host.beats(&key, &[binary]),
        Err(RtlError::BadKaratsuba { .. })
    ));
    assert!(matches!(
        host.products(&[[0; 2]; 7], 1),
        Err(RtlError::WrongLength { .. })
    ));
    let model = Model::new(Shape::new(125).unwrap());
    assert!(matches!(
        model.run(&[[0; 2]; 200]),
        Err(RtlError::WrongLength { .. })
    ));
}

/// Whole products at full size, for both moduli of the paper; beats and words in every cycle.
#[cfg(feature = "rtl")]
#[test]
fn the_machine_does_what_its_model_does() {
    let mut random = Random::new(8);
    for bits in [125, 135] {
        let shape = Shape::new(bits).unwrap();
        let (key, polynomials) = inputs(&mut random, bits);
        let borrowed: Vec<&[u8]> = polynomials.iter().map(Vec::as_slice).collect();
        let beats = Host::new(shape).beats(&key, &borrowed).unwrap();
        let mut machine = KaratsubaSimulation::new(shape).unwrap();
        let simulated = machine.run(&beats).unwrap();
        assert!(simulated.words == Model::new(shape).run(&beats).unwrap());
        assert_eq!(simulated.buffered, Shape::cycles());
        assert!(simulated.cycles <= Shape::cycles() + 810, "{}", simulated.cycles);
    }
}

/// Four FV messages through the machine: the ciphertexts of the software's two ways, byte for byte, and they decrypt.
fn messages_pass(name: &str, run: fn(Shape, &[Beat]) -> Secret<Vec<Beat>>) {
    let parameters = Parameters::insecure(name).unwrap();
    let shape = Shape::new(parameters.q().product().bits() as u32).unwrap();
    let scheme = Scheme::new(&parameters, Simd::from_environment().unwrap()).unwrap();
    let (secret, public) = scheme.generate_keys().unwrap();
    let messages: Vec<Vec<bool>> = (0..4)
        .map(|i| (0..scheme.slots()).map(|slot| slot % (2 + i) == 0).collect())
        .collect();
    let messages: Vec<&[bool]> = messages.iter().map(Vec::as_slice).collect();
    let seeds: Vec<Seed> = (0..4).map(|i| Seed::from_bytes([i; 32])).collect();
    let host = Host::new(shape);
    let ciphertexts = scheme.encrypt_by(&public, &messages, &seeds, 4, &mut |key, polynomials| {
        let key: Vec<_> = key.iter().map(|&words| Wide(words)).collect();
        let words = run(shape, &host.beats(&key, polynomials).unwrap());
        Ok::<_, KaratsubaError>(host.products(&words, polynomials.len()).unwrap())
    });
    let ciphertexts = ciphertexts.unwrap();
    for method in [Method::Karatsuba, Method::Padded] {
        let encryptor = scheme.encryptor(&public, method).unwrap();
        let expected = encryptor.encrypt_with(&messages, &seeds).unwrap();
        assert!(
            ciphertexts
                .iter()
                .zip(&expected)
                .all(|(ours, theirs)| ours.parts() == theirs.parts())
        );
    }
    for (ciphertext, message) in ciphertexts.iter().zip(&messages) {
        assert_eq!(&scheme.decrypt(&secret, ciphertext).unwrap(), message);
    }
}

#[test]
fn messages_pass_the_model() {
    for name in ["cyclotomic-2560-125-insecure", "cyclotomic-2560-135-insecure"] {
        messages_pass(name, |shape, beats| Model::new(shape).run(beats).unwrap());
    }
}

#[cfg(feature = "rtl")]
#[test]
fn messages_pass_the_machine() {
    for name in ["cyclotomic-2560-125-insecure", "cyclotomic-2560-135-insecure"] {
        messages_pass(name, |shape, beats| {
            KaratsubaSimulation::new(shape).unwrap().run(beats).unwrap().words
        });
    }
}

/// Encrypts four messages through the machine with a resident key: the software's ciphertexts, and they decrypt. `run`
/// gets the beats of a key and of jobs, and gives those of results.
fn messages_pass_resident<R>(name: &str, mut run: R)
where
    R: FnMut(resident::Shape, &[Beat], &[Beat]) -> Secret<Vec<Beat>>,
{
    let parameters = Parameters::insecure(name).unwrap();
    let scheme = Scheme::new(&parameters, Simd::from_environment().unwrap()).unwrap();
    let mut modulus = Wide::default();
    for (word, digit) in modulus
        .0
        .iter_mut()
        .zip(parameters.q().product().iter_u64_digits())
    {
        *word = digit;
    }
    let shape = resident::Shape::new(modulus).unwrap();
    let host = resident::Host::new(shape);
    let (secret, public) = scheme.generate_keys().unwrap();
    let messages: Vec<Vec<bool>> = (0..4)
        .map(|i| (0..scheme.slots()).map(|slot| slot % (3 + i) == 0).collect())
        .collect();
    let messages: Vec<&[bool]> = messages.iter().map(Vec::as_slice).collect();
    let seeds: Vec<Seed> = (0..4).map(|i| Seed::from_bytes([40 + i; 32])).collect();
    let ciphertexts = scheme.encrypt_by_sums(&public, &messages, &seeds, &mut |key, pairs| {
        let key: Vec<_> = key.iter().map(|&words| Wide(words)).collect();
        let jobs = pairs
            .iter()
            .map(|&(bits, errors)| host.job(bits, errors).unwrap());
        let jobs: Vec<Beat> = jobs.flat_map(|job| job.to_vec()).collect();
        let results = run(shape, &host.key(&key).unwrap(), &jobs);
        let results = results.chunks_exact(shape.result_beats());
        Ok::<_, KaratsubaError>(results.map(|result| host.residues(result).unwrap()).collect())
    });
    let ciphertexts = ciphertexts.unwrap();
    let encryptor = scheme.encryptor(&public, Method::Padded).unwrap();
    let expected = encryptor.encrypt_with(&messages, &seeds).unwrap();
    for ((ours, theirs), message) in ciphertexts.iter().zip(&expected).zip(&messages) {
        assert!(ours.parts() == theirs.parts());
        assert_eq!(&scheme.decrypt(&secret, ours).unwrap(), message);
    }
}

#[test]
fn messages_pass_the_model_with_a_resident_key() {
    for name in ["cyclotomic-2560-125-insecure", "cyclotomic-2560-135-insecure"] {
        messages_pass_resident(name, |shape, key, jobs| {
            resident::Model::new(shape).run(key, jobs).unwrap()
        });
    }
}

/// The same through the simulated machine, whose results are its model's; one job alone, and four in the time.
#[cfg(feature = "rtl")]
#[test]
fn messages_pass_the_machine_with_a_resident_key() {
    for name in ["cyclotomic-2560-125-insecure", "cyclotomic-2560-135-insecure"] {
        let mut machine = None;
        messages_pass_resident(name, |shape, key, jobs| {
            let machine = machine.get_or_insert_with(|| ResidentSimulation::new(shape).unwrap());
            assert!(machine.run(&jobs[..1]).is_err());
            machine.load(key).unwrap();
            let one = machine.run(&jobs[..resident::Shape::JOB_BEATS]).unwrap();
            assert_eq!(one.cycles, shape.cycles(1));
            assert!(one.cycles <= 32_000);
            let four = machine.run(jobs).unwrap();
            assert_eq!(four.cycles, shape.cycles(4));
            assert!(four.cycles <= 126_000);
            assert!(four.results[..shape.result_beats()] == one.results[..]);
            assert!(four.results == resident::Model::new(shape).run(key, jobs).unwrap());
            four.results
        });
    }
}

#[test]
fn unfit_jobs_are_refused() {
    let modulus = Wide([5, 0, 1 << 6]);
    let shape = resident::Shape::new(modulus).unwrap();
    assert_eq!(shape.modulus_bits(), 135);
    assert!(matches!(
        resident::Shape::new(Wide([1, 0, 0])),
        Err(RtlError::BadKaratsuba { .. })
    ));
    assert!(matches!(
        resident::Shape::new(Wide([0, 0, 1 << 7])),
        Err(RtlError::BadKaratsuba { .. })
    ));
    let host = resident::Host::new(shape);
    let (bits, errors) = (vec![1; 2560], vec![-128; 2560]);
    assert!(host.job(&bits, &errors).is_ok());
    assert!(matches!(
        host.job(&bits[1..], &errors),
        Err(RtlError::WrongLength { .. })
    ));
    assert!(matches!(
        host.job(&bits, &errors[1..]),
        Err(RtlError::WrongLength { .. })
    ));
    assert!(matches!(
        host.job(&[2; 2560], &errors),
        Err(RtlError::BadKaratsuba { .. })
    ));
    assert!(matches!(
        host.job(&bits, &[128; 2560]),
        Err(RtlError::BadKaratsuba { .. })
    ));
    assert!(matches!(
        host.key(&vec![modulus; 2560]),
        Err(RtlError::BadKaratsuba { .. })
    ));
    assert!(matches!(host.key(&[modulus]), Err(RtlError::WrongLength { .. })));
    assert!(matches!(
        host.residues(&[[0; 2]; 7]),
        Err(RtlError::WrongLength { .. })
    ));
    let model = resident::Model::new(shape);
    assert!(matches!(
        model.run(&[[0; 2]; 7], &[]),
        Err(RtlError::WrongLength { .. })
    ));
    let key = vec![[0; 2]; resident::Shape::KEY_BEATS];
    assert!(matches!(
        model.run(&key, &[[0; 2]; 7]),
        Err(RtlError::WrongLength { .. })
    ));
}
