//! The library for users: keys through files, messages, ciphers' keys.

use std::sync::Arc;

use ringmill::circuit::{PortValues, Visibility};
use ringmill::messages::MessageJob;
use ringmill::{Seed, Table, circuits};
use ringmill_arith::Simd;
use ringmill_arith::secret::wipe;
use ringmill_cpu::CpuDevice;
use ringmill_format::HEADER_BYTES;
use ringmill_format::pack::read_trits;
use ringmill_fv::Context;

use crate::patterns::{Patterns, TERNARY};
use crate::report::Report;

#[test]
fn keys_in_files_leave_nothing() {
    let mut report = Report::new();
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = MessageJob::preset("n4096-t65537").unwrap();
    report.later("making and writing keys", || {
        let client = job.client(&Seed::random().unwrap()).unwrap();
        drop(client.save_keys(path("keys"), false).unwrap());
    });
    let file = std::fs::read(path("keys/secret.key")).unwrap();
    let parameters = job.parameters();
    let trits = read_trits(&mut &file[HEADER_BYTES as usize..], parameters.n()).unwrap();
    let trits: Vec<i64> = trits.iter().map(|&x| x.into()).collect();
    let mut patterns = Patterns::default();
    let basis = parameters.key_basis().unwrap();
    patterns.small("secret", TERNARY, parameters.ring(), &basis, &trits);
    report.look(&patterns);
    let client = report.phase("reading the secret key", &patterns, || {
        job.open_client(path("keys/secret.key")).unwrap()
    });

    // Numbers are the caller's; what they become on the way is not.
    let rows = vec![(0..4096).map(|i| i * i % 65537).collect::<Vec<u64>>()];
    let device = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    let context = Context::new(parameters.clone(), Arc::new(device)).unwrap();
    let plaintext = context.encode_integers(&rows[0]).unwrap();
    patterns.add("plaintext", 16.0, plaintext.coefficients());
    let encrypted = report.phase("encryption", &patterns, || client.encrypt(&rows).unwrap());
    let decrypted = report.phase("decryption", &patterns, || client.decrypt(&encrypted).unwrap());
    assert_eq!(decrypted, rows);
    report.phase("the client's end", &patterns, || drop(client));
    report.finish();
}

#[test]
fn keys_of_ciphers_leave_nothing() {
    let mut report = Report::new();
    let mut tried = 0;
    for name in circuits::names() {
        let circuit = circuits::by_name(&name).unwrap();
        let Some(cipher) = circuit.cipher() else {
            continue;
        };
        let key: Vec<u8> = (1..=cipher.key_bytes as u8)
            .map(|i| i.wrapping_mul(151))
            .collect();
        let private = cipher.private_bytes(&key).unwrap();
        let mut patterns = Patterns::default();
        let half = key.len() / 2;
        patterns.window(&format!("key of {name}"), &key[..half]);
        patterns.window(&format!("key of {name}"), &key[half..]);
        for round in private.chunks_exact(16) {
            patterns.window(&format!("round keys of {name}"), round);
        }
        report.phase("making private inputs of the key", &patterns, || {
            drop(cipher.private_bytes(&key).unwrap());
        });
        let table = Table::binary(private.to_vec());
        report.phase("reading them as a table", &patterns, || {
            let mut reader = table.read(circuit.circuit(), Visibility::Private, 64).unwrap();
            let (_, mut values) = reader.next().unwrap().unwrap();
            assert!(reader.next().is_none());
            // The values are the caller's; an encryptor overwrites them too.
            for values in values.values_mut() {
                match values {
                    PortValues::Bits(lanes) => lanes.iter_mut().for_each(|lane| wipe(lane)),
                    PortValues::Rows(rows) => rows.iter_mut().for_each(|row| wipe(row)),
                }
            }
        });
        report.phase("the end of the table", &patterns, || drop(table));
        tried += 1;
    }
    assert!(tried > 5);
    report.finish();
}
