//! The sets of one limb at n = 1024: fresh encryptions, one by one and many, their sums and products with
//! plaintexts.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, Domain, FvError, KeySwitching, Parameters, Plaintext, PublicKey, SecretKey};

use crate::common::{Cpu, context, seed};

const N: usize = 1024;
const T: u64 = 256;

fn keys(context: &Cpu) -> (SecretKey<CpuDevice>, PublicKey<CpuDevice>) {
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    (secret, public)
}

fn plaintext(i: usize) -> Plaintext {
    let coefficients = (0..N).map(|j| ((i + 1) * (j * j + 7) % 257 % 256) as u64);
    Plaintext::new(coefficients.collect(), T).unwrap()
}

fn words(context: &Cpu, c: &Ciphertext<CpuDevice>) -> Vec<u8> {
    let mut file = Vec::new();
    context.write_ciphertexts(&mut file, &[c]).unwrap();
    file
}

#[test]
fn many_encryptions_decrypt_and_differ() {
    for name in ["n1024-q26", "n1024-q27"] {
        let context = context(Parameters::preset(name).unwrap());
        let (secret, public) = keys(&context);
        for count in [0, 1, 2, 100] {
            let plaintexts: Vec<Plaintext> = (0..count).map(plaintext).collect();
            let ciphertexts = context.encrypt_many(&public, &plaintexts, 1, &seed(3)).unwrap();
            assert_eq!(ciphertexts.len(), count);
            for (ciphertext, plaintext) in ciphertexts.iter().zip(&plaintexts) {
                assert_eq!(context.decrypt(&secret, ciphertext).unwrap(), *plaintext);
            }
        }
        // Encryptions of one plaintext by one seed have different masks.
        let same = [plaintext(0), plaintext(0)];
        let same = context.encrypt_many(&public, &same, 1, &seed(3)).unwrap();
        assert!(words(&context, &same[0]) != words(&context, &same[1]));
    }
}

/// The place in a batch is all that matters, not how it is cut or run.
#[test]
fn batches_do_not_depend_on_threads() {
    let context = context(Parameters::preset("n1024-q26").unwrap());
    let (_, public) = keys(&context);
    let plaintexts: Vec<Plaintext> = (0..150).map(plaintext).collect();
    let encrypt = |threads, count| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let many = pool.install(|| context.encrypt_many(&public, &plaintexts[..count], 1, &seed(4)));
        many.unwrap()
            .iter()
            .map(|c| words(&context, c))
            .collect::<Vec<_>>()
    };
    let all = encrypt(1, 150);
    assert!(encrypt(3, 150) == all);
    assert!(encrypt(1, 40) == all[..40]);
    let one = context.encrypt(&public, &plaintexts[0], 1, &seed(4)).unwrap();
    assert!(words(&context, &one) == all[0]);
}

/// Measured noise, also of many encryptions together, is as the model says: a Gaussian of the predicted
/// deviation, which is an upper bound by its allowance for large randomness.
#[test]
fn noise_is_as_predicted() {
    let context = context(Parameters::preset("n1024-q26").unwrap());
    let (secret, public) = keys(&context);
    let (model, level) = (context.noise_model(), 1);
    let fresh = model.fresh_public(level);
    assert!(fresh.failure_log2(model, 1 << 20) < -64.0);
    let plaintexts: Vec<Plaintext> = (0..64).map(plaintext).collect();
    let ciphertexts = context
        .encrypt_many(&public, &plaintexts, level, &seed(5))
        .unwrap();
    let measure = |c, m| context.measure_noise(&secret, c, m).unwrap();
    let largest = ciphertexts
        .iter()
        .zip(&plaintexts)
        .map(|(c, m)| measure(c, m))
        .fold(f64::MIN, f64::max);
    // The largest of 2^16 coefficients is 4.3 deviations, nearly surely between 3.9 and 6.
    let deviation = fresh.coefficient_deviation_log2(model);
    let (least, most) = (deviation + 3.9f64.log2() - 1.0, deviation + 6f64.log2());
    assert!((least..most).contains(&largest), "{least} {largest} {most}");
    let sum = context.sum(&ciphertexts.iter().collect::<Vec<_>>()).unwrap();
    let expected = (0..N).map(|j| plaintexts.iter().map(|m| m.coefficients()[j]).sum::<u64>() % T);
    let expected = Plaintext::new(expected.collect(), T).unwrap();
    assert_eq!(context.decrypt(&secret, &sum).unwrap(), expected);
    let predicted = model.sum(&vec![&fresh; 64]);
    assert!(measure(&sum, &expected) < predicted.bound_log2(model, -64.0, 1));
    // In evaluation domain too.
    let sum = context.transform(sum, Domain::Evaluation).unwrap();
    assert_eq!(context.decrypt(&secret, &sum).unwrap(), expected);
}

/// x^3 times m moves coefficients, with the sign of x^1024 = -1.
#[test]
fn plaintext_products_are_negacyclic() {
    let context = context(Parameters::preset("n1024-q26").unwrap());
    let (secret, public) = keys(&context);
    let mut monomial = vec![0; N];
    monomial[3] = 1;
    let m = plaintext(5);
    let c = context.encrypt(&public, &m, 1, &seed(6)).unwrap();
    let moved = context
        .multiply_plain(&c, &Plaintext::new(monomial, T).unwrap())
        .unwrap();
    let mut expected = m.coefficients().to_vec();
    expected.rotate_right(3);
    expected[..3].iter_mut().for_each(|x| *x = (T - *x) % T);
    assert_eq!(context.decrypt(&secret, &moved).unwrap().coefficients(), expected);
}

#[test]
fn key_switching_is_refused() {
    let parameters = Parameters::preset("n1024-q26").unwrap();
    assert_eq!(parameters.key_switching(), KeySwitching::None);
    let context = context(parameters);
    let (secret, public) = keys(&context);
    let c = context.encrypt(&public, &plaintext(0), 1, &seed(7)).unwrap();
    let errors = [
        context.generate_relinearization_key(&secret, &seed(8)).err(),
        context.generate_galois_key(&secret, 3, &seed(8)).err(),
        context.decompose(&c).err(),
        context.extend_by_p(&c).err(),
    ];
    for error in errors {
        let error = error.unwrap();
        assert!(matches!(error, FvError::NoKeySwitching { .. }), "{error}");
        assert!(error.to_string().contains("n1024-q26"));
    }
}

/// Wrong plaintexts are refused before anything is drawn.
#[test]
fn plaintexts_of_other_rings_are_refused() {
    let context = context(Parameters::preset("n1024-q26").unwrap());
    let (_, public) = keys(&context);
    let short = Plaintext::new(vec![0; 512], T).unwrap();
    let refused = context.encrypt_many(&public, &[plaintext(0), short], 1, &seed(9));
    assert!(matches!(
        refused,
        Err(FvError::WrongPlaintext {
            expected: 1024,
            got: 512
        })
    ));
}
