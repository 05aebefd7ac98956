use ringmill::messages::{Encoding, MessageJob};
use ringmill::{ErrorKind, Output, Seed};

/// Rows of numbers by the public and the secret key, in memory and through files.
#[test]
fn rows_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = MessageJob::preset("n4096-t65537").unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let rows = vec![vec![0, 1, 65536], vec![7], (0..4096).collect()];
    let encryptor = job.encryptor(client.public_key().unwrap());
    for encoding in [None, Some(Encoding::Slots), Some(Encoding::Coefficients)] {
        let encrypted = encryptor.encrypt(&rows, encoding).unwrap();
        assert_eq!(client.decrypt(&encrypted).unwrap(), rows);
    }
    assert_eq!(client.decrypt(&client.encrypt(&rows).unwrap()).unwrap(), rows);

    client.save_keys(path("keys"), false).unwrap();
    std::fs::write(path("in.csv"), "1,2,3\n4\n").unwrap();
    let encryptor = job.open_encryptor(path("keys/public.key")).unwrap();
    let written = encryptor.encrypt_to(path("in.csv"), None, None, &Output::new(path("in.ct")));
    let written = written.unwrap();
    assert_eq!(
        (written.messages, written.numbers, written.encoding),
        (2, 4, Encoding::Slots)
    );
    let opened = job.open_client(path("keys/secret.key")).unwrap();
    opened
        .decrypt_to(path("in.ct"), &Output::new(path("out.csv")), None)
        .unwrap();
    assert_eq!(std::fs::read_to_string(path("out.csv")).unwrap(), "1,2,3\n4\n");

    let error = client.encrypt(&[vec![65537]]).err().unwrap();
    assert!(error.to_string().contains("65537"), "{error}");
    let error = MessageJob::preset("none").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage);
}
