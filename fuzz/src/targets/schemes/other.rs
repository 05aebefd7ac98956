//! Encryption over general cyclotomic rings, and over the integers.

use std::sync::LazyLock;

use ringmill_arith::Simd;
use ringmill_format::FrameKind;
use ringmill_schemes::integers;
use ringmill_schemes::karatsuba::{self, CONDUCTOR, Method};

use super::super::sets::written;
use crate::frame::framed;
use crate::{Reader, refused};

static CYCLOTOMIC: LazyLock<karatsuba::Scheme> = LazyLock::new(|| {
    let parameters = karatsuba::Parameters::insecure_of("fuzz", CONDUCTOR, 25, 1).expect("a set");
    karatsuba::Scheme::new(&parameters, Simd::Portable).expect("a scheme")
});

pub const CYCLOTOMIC_SECRET: Reader = Reader {
    name: "cyclotomic-secret",
    read: |payload| {
        let file = cyclotomic(FrameKind::CYCLOTOMIC_SECRET_KEY, payload);
        let key = CYCLOTOMIC.read_secret_key(file.as_slice()).map_err(refused)?;
        assert_eq!(written(|out| CYCLOTOMIC.write_secret_key(out, &key)), payload);
        Ok(())
    },
    seeds: || {
        let (secret, _) = CYCLOTOMIC.generate_keys().expect("keys");
        vec![written(|out| CYCLOTOMIC.write_secret_key(out, &secret))]
    },
};

pub const CYCLOTOMIC_PUBLIC: Reader = Reader {
    name: "cyclotomic-public",
    read: |payload| {
        let file = cyclotomic(FrameKind::CYCLOTOMIC_PUBLIC_KEY, payload);
        let key = CYCLOTOMIC.read_public_key(file.as_slice()).map_err(refused)?;
        assert_eq!(written(|out| CYCLOTOMIC.write_public_key(out, &key)), payload);
        Ok(())
    },
    seeds: || {
        let (_, public) = CYCLOTOMIC.generate_keys().expect("keys");
        vec![written(|out| CYCLOTOMIC.write_public_key(out, &public))]
    },
};

pub const CYCLOTOMIC_CIPHERTEXTS: Reader = Reader {
    name: "cyclotomic-ciphertexts",
    read: |payload| {
        let file = cyclotomic(FrameKind::CYCLOTOMIC_CIPHERTEXTS, payload);
        let ciphertexts = CYCLOTOMIC.read_ciphertexts(file.as_slice()).map_err(refused)?;
        assert_eq!(
            written(|out| CYCLOTOMIC.write_ciphertexts(out, &ciphertexts)),
            payload
        );
        Ok(())
    },
    seeds: || {
        let (_, public) = CYCLOTOMIC.generate_keys().expect("keys");
        let encryptor = CYCLOTOMIC
            .encryptor(&public, Method::Karatsuba)
            .expect("an encryptor");
        let ciphertexts = encryptor.encrypt(&[&[true, false, true]]).expect("a ciphertext");
        vec![written(|out| CYCLOTOMIC.write_ciphertexts(out, &ciphertexts))]
    },
};

fn cyclotomic(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
    framed(kind, CYCLOTOMIC.parameters().hash(), payload)
}

static INTEGERS: LazyLock<(integers::SecretKey, integers::PublicKey)> = LazyLock::new(|| {
    let parameters = integers::Parameters::insecure("integers-toy").expect("a set");
    integers::generate(&parameters).expect("keys")
});

pub const INTEGERS_SECRET: Reader = Reader {
    name: "integers-secret",
    read: |payload| {
        let file = integers(FrameKind::SECRET_KEY, payload);
        let key = integers::SecretKey::read(INTEGERS.1.parameters(), file.as_slice()).map_err(refused)?;
        assert_eq!(written(|out| key.write(out)), payload);
        Ok(())
    },
    seeds: || vec![written(|out| INTEGERS.0.write(out))],
};

pub const INTEGERS_PUBLIC: Reader = Reader {
    name: "integers-public",
    read: |payload| {
        let file = integers(FrameKind::PUBLIC_KEY, payload);
        let key = integers::PublicKey::read(INTEGERS.1.parameters(), file.as_slice()).map_err(refused)?;
        assert_eq!(written(|out| key.write(out)), payload);
        Ok(())
    },
    seeds: || vec![written(|out| INTEGERS.1.write(out))],
};

/// Bytes of the name of the key in front of ciphertexts, which is made right.
const KEY_BYTES: usize = 32;

pub const INTEGERS_CIPHERTEXTS: Reader = Reader {
    name: "integers-ciphertexts",
    read: |rest| {
        let mut payload = written(|out| INTEGERS.1.write_ciphertexts(out, &[]));
        payload.truncate(KEY_BYTES);
        payload.extend(rest);
        let file = integers(FrameKind::CIPHERTEXTS, &payload);
        let ciphertexts = INTEGERS.1.read_ciphertexts(file.as_slice()).map_err(refused)?;
        assert_eq!(
            written(|out| INTEGERS.1.write_ciphertexts(out, &ciphertexts)),
            payload
        );
        Ok(())
    },
    seeds: || {
        // Below the modulus of every key.
        let bytes = INTEGERS.1.parameters().words() * 8;
        let ciphertext = [&1u32.to_le_bytes()[..], &30f64.to_le_bytes(), &vec![0; bytes]].concat();
        vec![ciphertext, vec![0; 4]]
    },
};

fn integers(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
    // The hash of the parameters is in the header of whatever belongs to them.
    let mut file = Vec::new();
    INTEGERS.0.write(&mut file).expect("memory");
    let hash = file[8..].first_chunk().expect("a header");
    framed(kind, hash, payload)
}
