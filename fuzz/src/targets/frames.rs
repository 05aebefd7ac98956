//! Keys and ciphertexts of FV as payloads of valid frames. What is read is written back the same; ciphertexts are
//! decrypted too.

use ringmill_cpu::CpuDevice;
use ringmill_format::FrameKind;
use ringmill_fv::{Ciphertext, FvError, Plaintext};

use super::sets::{FERMAT, Party, SMALL, seed, written};
use crate::frame::framed;
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "frames",
    readers: &[
        Reader {
            name: "secret",
            read: |payload| secret(&SMALL, payload),
            seeds: || secret_seeds(&SMALL),
        },
        Reader {
            name: "public",
            read: public,
            seeds: public_seeds,
        },
        Reader {
            name: "relinearization",
            read: relinearization,
            seeds: relinearization_seeds,
        },
        Reader {
            name: "galois",
            read: galois,
            seeds: galois_seeds,
        },
        Reader {
            name: "ciphertexts",
            read: |payload| ciphertexts(&SMALL, payload),
            seeds: || ciphertexts_seeds(&SMALL),
        },
        Reader {
            name: "scanned",
            read: scanned,
            seeds: || ciphertexts_seeds(&SMALL),
        },
        Reader {
            name: "fermat-secret",
            read: |payload| secret(&FERMAT, payload),
            seeds: || secret_seeds(&FERMAT),
        },
        Reader {
            name: "fermat-ciphertexts",
            read: |payload| ciphertexts(&FERMAT, payload),
            seeds: fermat_seeds,
        },
        Reader {
            name: "file",
            read: |file| read_ciphertexts(&SMALL, file).map(drop),
            seeds: || {
                vec![framed(
                    FrameKind::CIPHERTEXTS,
                    SMALL.hash(),
                    &ciphertexts_seeds(&SMALL)[0],
                )]
            },
        },
    ],
    words: &["RMFV"],
    longest: 1 << 14,
    memory: 1 << 18,
};

fn secret(party: &Party, payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::SECRET_KEY, party.hash(), payload);
    let key = party.context.read_secret_key(file.as_slice()).map_err(refused)?;
    assert_eq!(written(|out| party.context.write_secret_key(out, &key)), payload);
    Ok(())
}

fn public(payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::PUBLIC_KEY, SMALL.hash(), payload);
    let key = SMALL.context.read_public_key(file.as_slice()).map_err(refused)?;
    assert_eq!(written(|out| SMALL.context.write_public_key(out, &key)), payload);
    Ok(())
}

fn relinearization(payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::RELINEARIZATION_KEY, SMALL.hash(), payload);
    let key = SMALL
        .context
        .read_relinearization_key(file.as_slice())
        .map_err(refused)?;
    assert_eq!(
        written(|out| SMALL.context.write_relinearization_key(out, &key)),
        payload
    );
    Ok(())
}

fn galois(payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::GALOIS_KEYS, SMALL.hash(), payload);
    let keys = SMALL.context.read_galois_keys(file.as_slice()).map_err(refused)?;
    assert_eq!(
        written(|out| SMALL.context.write_galois_keys(out, &keys)),
        payload
    );
    Ok(())
}

fn ciphertexts(party: &Party, payload: &[u8]) -> Verdict {
    let read = read_ciphertexts(party, &framed(FrameKind::CIPHERTEXTS, party.hash(), payload))?;
    assert_eq!(
        written(|out| party.context.write_ciphertexts(out, &read)),
        payload
    );
    for ciphertext in &read {
        match party.context.decrypt(&party.secret, ciphertext) {
            Ok(_) | Err(FvError::NoiseOverflow { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    Ok(())
}

fn read_ciphertexts(party: &Party, file: &[u8]) -> Result<Vec<Ciphertext<CpuDevice>>, String> {
    party.context.read_ciphertexts(file).map_err(refused)
}

/// Whatever is scanned is what is read.
fn scanned(payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::CIPHERTEXTS, SMALL.hash(), payload);
    let mut all = payload.get(..4).unwrap_or_default().to_vec();
    let scanned = SMALL.context.scan_ciphertexts(file.as_slice(), |_, bytes| {
        all.extend(bytes);
        Ok(())
    });
    assert_eq!(scanned.is_ok(), read_ciphertexts(&SMALL, &file).is_ok());
    scanned.map_err(refused)?;
    assert_eq!(all, payload);
    Ok(())
}

fn secret_seeds(party: &Party) -> Vec<Vec<u8>> {
    vec![written(|out| party.context.write_secret_key(out, &party.secret))]
}

fn public_seeds() -> Vec<Vec<u8>> {
    let key = SMALL
        .context
        .generate_public_key(&SMALL.secret, &seed(2))
        .expect("a key");
    vec![written(|out| SMALL.context.write_public_key(out, &key))]
}

fn relinearization_seeds() -> Vec<Vec<u8>> {
    let key = SMALL
        .context
        .generate_relinearization_key(&SMALL.secret, &seed(3));
    vec![written(|out| {
        SMALL.context.write_relinearization_key(out, &key.expect("a key"))
    })]
}

fn galois_seeds() -> Vec<Vec<u8>> {
    let key = |exponent| {
        SMALL
            .context
            .generate_galois_key(&SMALL.secret, exponent, &seed(4))
    };
    let keys = [3, 5].map(|exponent| key(exponent).expect("a key"));
    let write = |count: usize| written(|out| SMALL.context.write_galois_keys(out, &keys[..count]));
    vec![write(1), write(2), write(0)]
}

/// Encryptions under the public and the secret key at all levels, and a product.
fn ciphertexts_seeds(party: &Party) -> Vec<Vec<u8>> {
    let context = &party.context;
    let bits = (0..party.parameters().n())
        .map(|i| i as u64 * 5 % 7 % 2)
        .collect();
    let plaintext = Plaintext::new(bits, 2).expect("bits");
    let public = context
        .generate_public_key(&party.secret, &seed(2))
        .expect("a key");
    let top = party.parameters().levels();
    let encrypt = |level| {
        context
            .encrypt(&public, &plaintext, level, &seed(5))
            .expect("a ciphertext")
    };
    let seeded = |level| context.encrypt_with_secret(&party.secret, &plaintext, level, &seed(6));
    let lifted = context.lift(&encrypt(top)).expect("a factor");
    let product = context.multiply(&lifted, &lifted).expect("a product");
    let write = |some: &[Ciphertext<_>]| written(|out| context.write_ciphertexts(out, some));
    vec![
        write(&[encrypt(1), encrypt(top)]),
        write(&[seeded(1).expect("a ciphertext"), encrypt(top)]),
        write(&[product]),
        write(&[]),
    ]
}

/// The seeded one only: others are long.
fn fermat_seeds() -> Vec<Vec<u8>> {
    let context = &FERMAT.context;
    let plaintext = Plaintext::new(vec![1; FERMAT.parameters().n()], 2).expect("bits");
    let seeded = context.encrypt_with_secret(&FERMAT.secret, &plaintext, 1, &seed(6));
    vec![written(|out| {
        context.write_ciphertexts(out, &[seeded.expect("a ciphertext")])
    })]
}
