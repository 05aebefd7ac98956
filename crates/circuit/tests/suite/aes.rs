//! Compares AES in software and as circuits with published vectors and another implementation.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;
use ringmill_circuit::aes::{
    Aes, AesError, Block, KeySize, counters, ctr_circuit, decrypt_circuit, encrypt_circuit,
    row_decrypt_circuit, row_encrypt_circuit, squares,
};
use ringmill_circuit::{Analysis, Circuit, Gate, PortValues, Visibility};

fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<char> = digits.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| {
        pair.iter()
            .fold(0, |sum, digit| 16 * sum + digit.to_digit(16).unwrap())
    };
    digits
        .chunks(2)
        .map(|pair| u8::try_from(byte(pair)).unwrap())
        .collect()
}

fn block(digits: &str) -> Block {
    hex(digits).try_into().unwrap()
}

fn blocks(bytes: &[u8]) -> Vec<Block> {
    bytes.chunks(16).map(|block| block.try_into().unwrap()).collect()
}

/// Evaluates a circuit that has a row port `output`, and returns that port for every record. Each input
/// comes with its name and the bytes of each record; a single record stands for all.
fn run(circuit: &Circuit, inputs: &[(&str, Vec<Vec<u8>>)], output: &str) -> Vec<Vec<u8>> {
    let records = inputs.iter().map(|(_, records)| records.len()).max().unwrap();
    let values = circuit.inputs().iter().map(|port| {
        let (_, given) = inputs.iter().find(|(name, _)| *name == port.name).unwrap();
        let bytes = port.kind.slots();
        let row = |wire: usize| {
            let record = |record: usize| &given[record % given.len()][wire * bytes..][..bytes];
            (0..records).flat_map(record).copied().collect()
        };
        PortValues::Rows((0..port.wires.len()).map(row).collect())
    });
    let outputs = circuit.evaluate(&values.collect::<Vec<_>>()).unwrap();
    assert_eq!(outputs.len(), 1);
    let port = &circuit.outputs()[0];
    assert_eq!(port.name, output);
    (0..records)
        .map(|record| outputs[0].record_bytes(port.kind, record))
        .collect()
}

/// Puts blocks through a circuit from `block` to `block`, under round keys in order of use.
fn run_blocks(circuit: &Circuit, blocks: &[Block], keys: &[Block]) -> Vec<Block> {
    let inputs = [
        ("block", blocks.iter().map(|block| block.to_vec()).collect()),
        ("round_keys", vec![keys.concat()]),
        ("round_keys_squared", vec![squares(keys).concat()]),
    ];
    let outputs = run(circuit, &inputs, "block");
    outputs
        .into_iter()
        .map(|block| block.try_into().unwrap())
        .collect()
}

/// Checks pairs of plaintext and ciphertext both ways, in software and in all circuits.
fn check(key: &[u8], plain: &[Block], secret: &[Block]) {
    let aes = Aes::new(key).unwrap();
    for (plain, secret) in plain.iter().zip(secret) {
        assert_eq!(aes.encrypt_block(*plain), *secret);
        assert_eq!(aes.decrypt_block(*secret), *plain);
    }
    for circuit in [encrypt_circuit(aes.size()), row_encrypt_circuit(aes.size())] {
        assert_eq!(run_blocks(&circuit.unwrap(), plain, aes.round_keys()), secret);
    }
    for circuit in [decrypt_circuit(aes.size()), row_decrypt_circuit(aes.size())] {
        assert_eq!(
            run_blocks(&circuit.unwrap(), secret, &aes.decryption_keys()),
            plain
        );
    }
}

#[test]
fn key_expansion_as_published() {
    // FIPS 197, appendices A.1 to A.3: the last round key.
    for (key, last) in [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "d014f9a8c9ee2589e13f0cc8b6630ca6",
        ),
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "e98ba06f448c773c8ecc720401002202",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "fe4890d1e6188d0b046df344706c631e",
        ),
    ] {
        let aes = Aes::new(&hex(key)).unwrap();
        assert_eq!(aes.round_keys().concat()[..hex(key).len()], hex(key));
        assert_eq!(aes.round_keys().len(), aes.size().rounds() + 1);
        assert_eq!(*aes.round_keys().last().unwrap(), block(last));
    }
}

#[test]
fn blocks_as_published_with_the_standard() {
    // FIPS 197, appendix B.
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let plain = block("3243f6a8885a308d313198a2e0370734");
    check(&key, &[plain], &[block("3925841d02dc09fbdc118597196a0b32")]);

    // Appendix C.
    let key: Vec<u8> = (0..32).collect();
    let plain = block("00112233445566778899aabbccddeeff");
    for (size, secret) in KeySize::ALL.into_iter().zip([
        "69c4e0d86a7b0430d8cdb78070b4c55a",
        "dda97ca4864cdfe06eaf70a0ec0d7191",
        "8ea2b7ca516745bfeafc49904b496089",
    ]) {
        check(&key[..size.bytes()], &[plain], &[block(secret)]);
    }
}

/// NIST SP 800-38A, appendix F: the message of all examples.
const MESSAGE: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
    30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";

/// Appendices F.1 and F.5: key, ECB ciphertext, CTR ciphertext.
const EXAMPLES: [(&str, &str, &str); 3] = [
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf
        43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4",
        "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff
        5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee",
    ),
    (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef
        ef7afd2270e2e60adce0ba2face6444e 9a4b41ba738d6c72fb16691603c18e0e",
        "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94
        1e36b26bd1ebc670d1bd1d665620abf7 4f78a7f6d29809585a97daec58c6b050",
    ),
    (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870
        b6ed21b99ca6f4f9f153e7b1beafed1d 23304b7a39f9f3ff067d8d8f9e24ecc7",
        "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5
        2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6",
    ),
];

#[test]
fn ecb_as_published() {
    let message = hex(MESSAGE);
    for (key, secret, _) in EXAMPLES {
        let (key, secret) = (hex(key), hex(secret));
        let aes = Aes::new(&key).unwrap();
        assert_eq!(aes.encrypt_ecb(&message).unwrap(), secret);
        assert_eq!(aes.decrypt_ecb(&secret).unwrap(), message);
        check(&key, &blocks(&message), &blocks(&secret));
    }
}

#[test]
fn ctr_as_published() {
    let message = hex(MESSAGE);
    let first = block("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    for (key, _, secret) in EXAMPLES {
        let aes = Aes::new(&hex(key)).unwrap();
        assert_eq!(aes.apply_ctr(first, &message), hex(secret));
        assert_eq!(aes.apply_ctr(first, &message[..21]), hex(secret)[..21]);
        let records = |bytes: &[u8]| blocks(bytes).iter().map(|block| block.to_vec()).collect();
        let inputs = [
            (
                "counter",
                counters(first).take(4).map(|block| block.to_vec()).collect(),
            ),
            ("data", records(&message)),
            ("round_keys", vec![aes.round_keys().concat()]),
            ("round_keys_squared", vec![squares(aes.round_keys()).concat()]),
        ];
        let circuit = ctr_circuit(aes.size()).unwrap();
        assert_eq!(run(&circuit, &inputs, "data").concat(), hex(secret));
    }
}

#[test]
fn counters_carry_and_wrap() {
    let mut counters = counters([0xff; 16]);
    assert_eq!(counters.next(), Some([0xff; 16]));
    assert_eq!(counters.next(), Some([0; 16]));
    assert_eq!(counters.next(), Some(block("00000000000000000000000000000001")));
    let after = ringmill_circuit::aes::counters(block("0000000000000000000000000000ffff")).nth(1);
    assert_eq!(after, Some(block("00000000000000000000000000010000")));
}

/// Encrypts a block with another implementation, and decrypts it again.
fn other_implementation(key: &[u8], plain: Block) -> Block {
    fn both_ways<C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt>(key: &[u8], data: &mut [u8]) {
        let cipher = C::new_from_slice(key).unwrap();
        let original = data.to_vec();
        let mut copy = data.to_vec();
        cipher.encrypt_block(data.try_into().unwrap());
        copy.copy_from_slice(data);
        cipher.decrypt_block(copy.as_mut_slice().try_into().unwrap());
        assert_eq!(copy, original);
    }
    let mut data = plain;
    match key.len() {
        16 => both_ways::<aes::Aes128>(key, &mut data),
        24 => both_ways::<aes::Aes192>(key, &mut data),
        _ => both_ways::<aes::Aes256>(key, &mut data),
    }
    data
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_blocks_agree_with_another_implementation(
        key: [u8; 32],
        plain in prop::collection::vec(any::<Block>(), 1..80),
    ) {
        for size in KeySize::ALL {
            let key = &key[..size.bytes()];
            let secret: Vec<Block> = plain.iter().map(|block| other_implementation(key, *block)).collect();
            check(key, &plain, &secret);
        }
    }
}

#[test]
fn impossible_lengths_are_refused() {
    for bytes in [0, 15, 17, 20, 33] {
        let error = AesError::KeyLength { bytes };
        assert_eq!(Aes::new(&vec![0; bytes]), Err(error));
    }
    let aes = Aes::new(&[0; 16]).unwrap();
    assert_eq!(
        aes.encrypt_ecb(&[0; 17]),
        Err(AesError::PartialBlock { bytes: 17 })
    );
    assert_eq!(
        aes.decrypt_ecb(&[0; 15]),
        Err(AesError::PartialBlock { bytes: 15 })
    );
    assert_eq!(aes.encrypt_ecb(&[]), Ok(vec![]));
}

#[test]
fn debug_output_hides_the_key() {
    let aes = Aes::new(&[7; 16]).unwrap();
    assert_eq!(format!("{aes:?}"), "Aes { size: Bits128, .. }");
}

/// The numbers of products and of sums of maps of private wires in a circuit, and the most of each on a
/// path.
fn sizes(circuit: &Circuit) -> [usize; 4] {
    let facts = Analysis::new(circuit);
    [
        facts.private_and_count(),
        facts.private_and_depth() as usize,
        facts.private_linear_count(),
        facts.private_linear_depth() as usize,
    ]
}

#[test]
fn sizes_of_circuits() {
    for size in KeySize::ALL {
        let rounds = size.rounds();
        // Per byte and round: 4 products, x^12 and x^240, x and x^2 of all rounds but the first.
        let products = 16 * 4 * rounds;
        let maps = 16 * (2 * rounds + 2 * (rounds - 1));
        let encrypt = encrypt_circuit(size).unwrap();
        assert_eq!(sizes(&encrypt), [products, 3 * rounds, maps + 16, 3 * rounds]);
        assert_eq!(sizes(&ctr_circuit(size).unwrap()), sizes(&encrypt));
        // ShiftRows alone is wiring.
        let decrypt = decrypt_circuit(size).unwrap();
        assert_eq!(sizes(&decrypt), [products, 3 * rounds, maps, 3 * rounds - 1]);

        // Squares, x^12, x^240, the affine map, rotations.
        let encrypt = row_encrypt_circuit(size).unwrap();
        assert_eq!(sizes(&encrypt), [4 * rounds, 3 * rounds, 5 * rounds, 5 * rounds]);
        // Rotations, inverse affine map twice between inversions, x^12 and x^240 in each.
        let decrypt = row_decrypt_circuit(size).unwrap();
        let maps = 2 * rounds + 3 * (rounds - 1) + 1;
        assert_eq!(sizes(&decrypt), [4 * rounds, 3 * rounds, maps, 4 * rounds - 1]);
    }
}

#[test]
fn row_maps_take_few_rotations() {
    for circuit in [
        row_encrypt_circuit(KeySize::Bits128),
        row_decrypt_circuit(KeySize::Bits128),
    ] {
        let circuit = circuit.unwrap();
        for map in circuit.maps() {
            let entries = map.entries().iter();
            let mut kinds: Vec<(usize, u8)> = entries
                .map(|entry| ((16 + entry.source - entry.target) % 16, entry.frobenius))
                .collect();
            kinds.sort_unstable();
            kinds.dedup();
            assert!(kinds.len() <= 13, "{}", kinds.len());
        }
    }
}

#[test]
fn keys_are_private_and_data_public() {
    for circuit in [
        encrypt_circuit,
        decrypt_circuit,
        ctr_circuit,
        row_encrypt_circuit,
        row_decrypt_circuit,
    ] {
        let circuit = circuit(KeySize::Bits128).unwrap();
        for port in circuit.inputs() {
            let is_key = port.name.starts_with("round_keys");
            assert_eq!(port.visibility == Visibility::Private, is_key);
        }
        // Values that depend on public data alone take no products.
        let facts = Analysis::new(&circuit);
        let products = circuit
            .numbered_gates()
            .filter(|(_, gate)| matches!(gate, Gate::And(..)));
        assert!(
            products
                .into_iter()
                .all(|(wire, _)| !facts.wire(wire).unwrap().public)
        );
    }
}
