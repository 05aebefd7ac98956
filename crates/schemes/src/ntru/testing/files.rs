use sha2::{Digest, Sha256};

use super::{Setting, context, zip};
use crate::ntru::{Ciphertext, NtruError, NtruScheme, Parameters, Spec};

/// Evaluation key and ciphertexts come back from files as they were; what is not whole, of another kind or of
/// other parameters is refused.
pub fn round_trip<S: NtruScheme>(spec: &Spec) {
    let setting = Setting::<S>::new(spec);
    let (context, top) = (&setting.context, spec.levels);
    let (x, y) = (setting.bits(50), setting.bits(51));
    let (a, b) = (setting.encrypt(&x, top, 10), setting.encrypt(&y, 2, 11));
    let (mut key_file, mut file) = (Vec::new(), Vec::new());
    context
        .write_evaluation_key(&mut key_file, &setting.evaluation)
        .unwrap();
    context.write_ciphertexts(&mut file, &[&a, &b]).unwrap();

    let read = context.read_ciphertexts(&file[..]).unwrap();
    assert_eq!(read.iter().map(Ciphertext::level).collect::<Vec<_>>(), [top, 2]);
    assert_eq!(
        [setting.decrypt(&read[0]), setting.decrypt(&read[1])],
        [x, y.clone()]
    );
    let mut again = Vec::new();
    context.write_ciphertexts(&mut again, &read).unwrap();
    assert!(again == file, "ciphertexts");
    let read = Setting {
        evaluation: context.read_evaluation_key(&key_file[..]).unwrap(),
        ..setting
    };
    let (context, square) = (&read.context, read.products(&[(&b, &b)], &[], 1));
    assert_eq!(read.decrypt(&square), y);
    again.clear();
    context
        .write_evaluation_key(&mut again, &read.evaluation)
        .unwrap();
    assert!(again == key_file, "the evaluation key");

    assert!(context.read_evaluation_key(&file[..]).is_err());
    assert!(context.read_ciphertexts(&key_file[..]).is_err());
    for at in [0, 6, 30, 44, 48, 50, 53, 100, file.len() / 2, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(context.read_ciphertexts(&changed[..]).is_err(), "byte {at}");
        assert!(context.read_ciphertexts(&file[..at]).is_err(), "cut off at {at}");
    }
    for at in [0, 44, key_file.len() / 2, key_file.len() - 1] {
        let mut changed = key_file.clone();
        changed[at] ^= 8;
        assert!(context.read_evaluation_key(&changed[..]).is_err(), "byte {at}");
        let cut = context.read_evaluation_key(&key_file[..at]);
        assert!(cut.is_err(), "cut off at {at}");
    }
    of_other_parameters_are_refused::<S>(spec, &key_file, &file);
}

fn of_other_parameters_are_refused<S: NtruScheme>(spec: &Spec, key: &[u8], ciphertexts: &[u8]) {
    let other = Spec {
        sigma: 3.0,
        ..spec.clone()
    };
    let other = context::<S>(Parameters::new(&other).unwrap());
    let mismatch = |result| matches!(result, Err(NtruError::ParameterMismatch { .. }));
    assert!(mismatch(other.read_evaluation_key(key).map(|_| ())));
    assert!(mismatch(other.read_ciphertexts(ciphertexts).map(|_| ())));
}

/// The first bytes of the digests of files from fixed seeds: of the secret, the public and the evaluation key, and
/// of ciphertexts after every operation, with a product at a level and a switch to another.
pub fn digests<S: NtruScheme>(spec: &Spec, product_level: usize, switch_level: usize) -> [String; 4] {
    let setting = Setting::<S>::new(spec);
    let (context, top) = (&setting.context, spec.levels);
    let bits: Vec<bool> = (0..128).map(|i| i % 3 == 1).collect();
    let plain = setting.plain(&bits);
    let (a, b) = (setting.encrypt(&bits, top, 4), setting.encrypt(&bits, top, 5));
    let ciphertexts = [
        context.sum_with(&[&a, &b], true).unwrap(),
        setting.products(&[(&a, &b), (&a, &a)], &[&a, &b], product_level),
        context.add_plain(&a, &plain).unwrap(),
        context.multiply_plain(&a, &plain).unwrap(),
        context.switch(&a, switch_level).unwrap(),
    ];
    // x y + x x + x + y = x y + y, and x = y.
    assert_eq!(setting.decrypt(&ciphertexts[1]), vec![false; 128]);
    assert_eq!(setting.decrypt(&ciphertexts[3]), zip(&bits, &bits, |x, y| x & y));
    let mut files = [const { Vec::new() }; 4];
    context.write_secret_key(&mut files[0], &setting.secret).unwrap();
    context.write_public_key(&mut files[1], &setting.public).unwrap();
    context
        .write_evaluation_key(&mut files[2], &setting.evaluation)
        .unwrap();
    let all: Vec<_> = [a].iter().chain(&ciphertexts).cloned().collect();
    context.write_ciphertexts(&mut files[3], &all).unwrap();
    let hex = |byte: &u8| format!("{byte:02x}");
    files.map(|file| Sha256::digest(file)[..8].iter().map(hex).collect())
}
