//! Compares the bundled circuits with independent computations and with their files.

use std::path::PathBuf;

use ringmill_circuit::bristol::{self, Ports};
use ringmill_circuit::simon::Simon64;
use ringmill_circuit::{Circuit, PortLanes, bundled};

use crate::common::{all, mask, run, slice, some, unslice};

fn circuit(name: &str) -> Circuit {
    bundled::circuit(name).unwrap().unwrap()
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "circuits"]
        .iter()
        .collect()
}

#[test]
fn files_are_what_the_example_writes() {
    for name in bundled::names() {
        let mut text = Vec::new();
        bristol::write(&circuit(name), &mut text).unwrap();
        let file = std::fs::read(folder().join(format!("{name}.txt"))).unwrap();
        assert!(
            text == file,
            "{name}.txt is stale: cargo run -p ringmill-circuit --example bundle"
        );
    }
    let files = std::fs::read_dir(folder()).unwrap();
    let texts = files.filter(|file| {
        file.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|end| end == "txt")
    });
    assert_eq!(texts.count(), bundled::names().len());
}

#[test]
fn files_read_as_the_circuits() {
    for name in bundled::names() {
        let circuit = circuit(name);
        let inputs = circuit
            .inputs()
            .iter()
            .map(|port| (port.name.clone(), port.visibility));
        let outputs = circuit.outputs().iter().map(|port| port.name.clone());
        let ports = Ports {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        };
        let file = std::fs::File::open(folder().join(format!("{name}.txt"))).unwrap();
        let again = bristol::read(file, &ports).unwrap();
        assert_eq!(again.inputs(), circuit.inputs());
        assert_eq!(again.gates(), circuit.gates());
        assert_eq!(again.outputs(), circuit.outputs());
    }
}

#[test]
fn unknown_names_have_no_circuit() {
    assert!(bundled::circuit("add7").is_none());
}

#[test]
fn depths_and_prices() {
    let found: Vec<_> = bundled::names()
        .map(|name| (name, circuit(name).and_depth(), circuit(name).and_count()))
        .collect();
    let expected = [
        ("add8", 3, 21),
        ("add32", 5, 161),
        ("add64", 6, 379),
        ("multiply8", 8, 145),
        ("multiply16", 10, 588),
        ("multiply32", 12, 2283),
        ("less32", 6, 90),
        ("equal32", 5, 31),
        ("max32", 7, 122),
        ("hamming64", 6, 63),
        ("simon-encrypt", 44, 1408),
        ("simon-decrypt", 44, 1408),
        ("aes128-encrypt", 40, 5280),
        ("aes128-decrypt", 40, 5280),
    ];
    assert_eq!(found, expected);
}

#[test]
fn arithmetic() {
    type Operation = fn(u128, u128) -> u128;
    let operations: [(&str, usize, Operation); 10] = [
        ("add8", 8, |a, b| mask(a + b, 8)),
        ("add32", 32, |a, b| mask(a + b, 32)),
        ("add64", 64, |a, b| mask(a + b, 64)),
        ("multiply8", 8, |a, b| a * b),
        ("multiply16", 16, |a, b| a * b),
        ("multiply32", 32, |a, b| a * b),
        ("less32", 32, |a, b| u128::from(a < b)),
        ("equal32", 32, |a, b| u128::from(a == b)),
        ("max32", 32, u128::max),
        ("hamming64", 64, |a, b| (a ^ b).count_ones().into()),
    ];
    for (name, width, operation) in operations {
        let records = match width {
            8 => all(&[8, 8]),
            _ => some(&[width, width], 5000),
        };
        for (record, output) in records.iter().zip(run(&circuit(name), &records)) {
            assert_eq!(output, [operation(record[0], record[1])], "{name} {record:x?}");
        }
    }
}

#[test]
fn simon() {
    let records = some(&[64, 128], 300);
    let encrypted = run(&circuit("simon-encrypt"), &records);
    let mut back = Vec::new();
    for (record, output) in records.iter().zip(&encrypted) {
        let cipher = Simon64::from_key_bytes(record[1].to_le_bytes());
        let block = (record[0] as u64).to_le_bytes();
        assert_eq!(output[0] as u64, u64::from_le_bytes(cipher.encrypt_block(block)));
        let words = cipher.decryption_key();
        let key = words
            .iter()
            .rev()
            .fold(0, |key, word| key << 32 | u128::from(*word));
        back.push(vec![output[0], key]);
    }
    for (record, output) in records.iter().zip(run(&circuit("simon-decrypt"), &back)) {
        assert_eq!(output[0], record[0]);
    }
}

/// AES by the letter of FIPS 197, slow, for encryption only.
mod reference {
    fn multiply(left: u8, right: u8) -> u8 {
        (0..8).rev().fold(0_u8, |sum, bit| {
            let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
            doubled ^ if right >> bit & 1 == 1 { left } else { 0 }
        })
    }

    pub fn sbox(byte: u8) -> u8 {
        let inverse = (0..=255).find(|other| multiply(byte, *other) == 1).unwrap_or(0);
        let bit = |place: u32| {
            let turns = [0, 4, 5, 6, 7];
            turns
                .iter()
                .fold(0, |sum, turn| sum ^ inverse >> ((place + turn) % 8) & 1)
        };
        (0..8).fold(0, |sum, place| sum | bit(place) << place) ^ 0x63
    }

    pub fn expand(key: [u8; 16], sbox: &[u8]) -> Vec<[u8; 4]> {
        let mut words: Vec<[u8; 4]> = key.chunks(4).map(|word| word.try_into().unwrap()).collect();
        let mut constant = 1;
        for index in 4..44 {
            let mut word = words[index - 1];
            if index % 4 == 0 {
                word.rotate_left(1);
                word = word.map(|byte| sbox[usize::from(byte)]);
                word[0] ^= constant;
                constant = multiply(constant, 2);
            }
            words.push(std::array::from_fn(|byte| words[index - 4][byte] ^ word[byte]));
        }
        words
    }

    pub fn encrypt(block: [u8; 16], words: &[[u8; 4]], sbox: &[u8]) -> [u8; 16] {
        let add = |state: [u8; 16], round: usize| -> [u8; 16] {
            std::array::from_fn(|byte| state[byte] ^ words[4 * round + byte / 4][byte % 4])
        };
        let mut state = add(block, 0);
        for round in 1..=10 {
            let bytes = state.map(|byte| sbox[usize::from(byte)]);
            let shifted: [u8; 16] = std::array::from_fn(|byte| bytes[(byte + 4 * (byte % 4)) % 16]);
            let mixed = std::array::from_fn(|byte| {
                let column = &shifted[byte / 4 * 4..][..4];
                let factors = [2, 3, 1, 1];
                (0..4).fold(0, |sum, turn| {
                    sum ^ multiply(factors[turn], column[(byte + turn) % 4])
                })
            });
            state = add(if round < 10 { mixed } else { shifted }, round);
        }
        state
    }
}

fn sbox() -> Vec<u8> {
    (0..=255).map(reference::sbox).collect()
}

/// The bits of many byte strings, bit-sliced.
fn slice_bytes<const N: usize>(strings: &[[u8; N]]) -> PortLanes {
    let byte = |place: usize| {
        let bytes: Vec<u128> = strings.iter().map(|string| string[place].into()).collect();
        slice(&bytes, 8)
    };
    (0..N).flat_map(byte).collect()
}

fn unslice_bytes(lanes: &PortLanes, records: usize) -> Vec<[u8; 16]> {
    let bytes: Vec<Vec<u128>> = lanes
        .chunks(8)
        .map(|byte| unslice(&byte.to_vec(), records))
        .collect();
    (0..records)
        .map(|record| std::array::from_fn(|byte| bytes[byte][record] as u8))
        .collect()
}

fn cipher(name: &str, blocks: &[[u8; 16]], words: &[Vec<[u8; 4]>]) -> Vec<[u8; 16]> {
    let keys: Vec<[u8; 176]> = words
        .iter()
        .map(|words| words.concat().try_into().unwrap())
        .collect();
    let outputs = circuit(name)
        .evaluate(&[slice_bytes(blocks).into(), slice_bytes(&keys).into()])
        .unwrap();
    unslice_bytes(outputs[0].as_bits().unwrap(), blocks.len())
}

#[test]
fn aes_published_vectors() {
    let sbox = sbox();
    let key: [u8; 16] = std::array::from_fn(|byte| byte as u8);
    let block: [u8; 16] = std::array::from_fn(|byte| 0x11 * byte as u8);
    // FIPS 197, appendix C.1, and the example of appendix B.
    let secret = 0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a_u128.to_be_bytes();
    let other_key = 0x2b7e1516_28aed2a6_abf71588_09cf4f3c_u128.to_be_bytes();
    let other_block = 0x3243f6a8_885a308d_313198a2_e0370734_u128.to_be_bytes();
    let other_secret = 0x3925841d_02dc09fb_dc118597_196a0b32_u128.to_be_bytes();
    let words = [key, other_key].map(|key| reference::expand(key, &sbox));
    assert_eq!(words[1][43], [0xb6, 0x63, 0x0c, 0xa6]); // Appendix A.1.
    let (blocks, secrets) = ([block, other_block], [secret, other_secret]);
    assert_eq!(cipher("aes128-encrypt", &blocks, &words), secrets);
    assert_eq!(cipher("aes128-decrypt", &secrets, &words), blocks);
}

#[test]
fn aes_agrees_with_the_reference() {
    let sbox = sbox();
    let records = some(&[128, 128], 256);
    let blocks: Vec<[u8; 16]> = records.iter().map(|record| record[0].to_be_bytes()).collect();
    let words: Vec<Vec<[u8; 4]>> = records
        .iter()
        .map(|record| reference::expand(record[1].to_be_bytes(), &sbox))
        .collect();
    let secrets: Vec<[u8; 16]> = blocks
        .iter()
        .zip(&words)
        .map(|(block, words)| reference::encrypt(*block, words, &sbox))
        .collect();
    assert_eq!(cipher("aes128-encrypt", &blocks, &words), secrets);
    assert_eq!(cipher("aes128-decrypt", &secrets, &words), blocks);
}
