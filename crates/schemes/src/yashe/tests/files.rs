use ringmill_device::Device;

use super::*;

#[test]
fn keys_and_ciphertexts_go_through_files() {
    let f = Fixture::new(&spec());
    let context = &f.context;
    let (x, a) = f.encrypted(50, 13);
    let (y, b) = f.encrypted(51, 3);
    let (mut key_file, mut file) = (Vec::new(), Vec::new());
    context
        .write_evaluation_key(&mut key_file, &f.evaluation)
        .unwrap();
    context.write_ciphertexts(&mut file, &[a, b]).unwrap();
    let read = context.read_ciphertexts(&file[..]).unwrap();
    assert_eq!(read.iter().map(Ciphertext::level).collect::<Vec<_>>(), [13, 3]);
    assert_eq!([f.decrypted(&read[0]), f.decrypted(&read[1])], [x, y]);
    let key = context.read_evaluation_key(&key_file[..]).unwrap();
    let words = |key: &EvaluationKey<CpuDevice>| {
        let elements = key.elements.iter();
        elements
            .map(|poly| context.device().download(poly).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&key), words(&f.evaluation));

    assert!(context.read_evaluation_key(&file[..]).is_err());
    assert!(context.read_ciphertexts(&key_file[..]).is_err());
    for at in [0, 6, 30, 44, 48, 53, 100, file.len() / 2, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(context.read_ciphertexts(&changed[..]).is_err(), "byte {at}");
        assert!(context.read_ciphertexts(&file[..at]).is_err(), "cut off at {at}");
    }
    assert!(
        context
            .read_evaluation_key(&key_file[..key_file.len() - 1])
            .is_err()
    );

    let mut other = spec();
    other.digit_bits = 99;
    let other = super::context(&other);
    let mismatch = |result| matches!(result, Err(NtruError::ParameterMismatch { .. }));
    assert!(mismatch(other.read_evaluation_key(&key_file[..]).map(|_| ())));
    assert!(mismatch(other.read_ciphertexts(&file[..]).map(|_| ())));
}
