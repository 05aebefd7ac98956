//! Compares the SIMON circuits with the software reference.

use proptest::prelude::*;
use ringmill_circuit::simon::{ROUNDS, Simon64, decrypt_circuit, encrypt_circuit, reduced_circuit};
use ringmill_circuit::{Analysis, Circuit, Gate, Visibility, Wire};

use crate::common::{slice, unslice};

fn run(circuit: &Circuit, blocks: &[u64], keys: &[u128]) -> Vec<u64> {
    let blocks: Vec<u128> = blocks.iter().map(|block| u128::from(*block)).collect();
    let inputs = [slice(&blocks, 64).into(), slice(keys, 128).into()];
    let outputs = circuit.evaluate(&inputs).unwrap();
    assert_eq!(outputs.len(), 1);
    let blocks = unslice(outputs[0].as_bits().unwrap(), blocks.len());
    blocks.iter().map(|block| *block as u64).collect()
}

fn cipher(key: u128) -> Simon64 {
    Simon64::from_key_bytes(key.to_le_bytes())
}

fn decryption_key(key: u128) -> u128 {
    let words = cipher(key).decryption_key();
    words
        .iter()
        .rev()
        .fold(0, |number, word| number << 32 | u128::from(*word))
}

const KEY: u128 = 0x1b1a1918_13121110_0b0a0908_03020100;
const PLAIN: u64 = 0x656b696c_20646e75;
const SECRET: u64 = 0x44c8fc20_b9dfa07a;

#[test]
fn circuits_reproduce_the_published_vector() {
    let encrypt = encrypt_circuit().unwrap();
    let decrypt = decrypt_circuit().unwrap();
    assert_eq!(run(&encrypt, &[PLAIN], &[KEY]), [SECRET]);
    assert_eq!(run(&decrypt, &[SECRET], &[decryption_key(KEY)]), [PLAIN]);
}

/// Rounds by their definition, without the reference's code.
#[test]
fn reduced_circuits_are_the_first_rounds() {
    let round_keys = *cipher(KEY).round_keys();
    let (mut x, mut y) = ((PLAIN >> 32) as u32, PLAIN as u32);
    for (rounds, key) in (1..).zip(round_keys) {
        (x, y) = (
            y ^ (x.rotate_left(1) & x.rotate_left(8)) ^ x.rotate_left(2) ^ key,
            x,
        );
        let circuit = reduced_circuit(rounds).unwrap();
        assert_eq!(circuit.and_count(), 32 * rounds);
        assert_eq!(
            run(&circuit, &[PLAIN], &[KEY]),
            [u64::from(x) << 32 | u64::from(y)]
        );
        let words = ((PLAIN >> 32) as u32, PLAIN as u32);
        assert_eq!(cipher(KEY).encrypt_rounds(rounds, words), (x, y));
    }
    assert_eq!(reduced_circuit(ROUNDS + 1).unwrap().and_count(), 32 * ROUNDS);
}

#[test]
fn published_vector_on_a_single_record() {
    let bits =
        |number: u128, width: usize| -> Vec<bool> { (0..width).map(|bit| number >> bit & 1 == 1).collect() };
    let inputs = [bits(PLAIN.into(), 64), bits(KEY, 128)];
    let output = encrypt_circuit().unwrap().evaluate_record(&inputs).unwrap();
    assert_eq!(output, vec![bits(SECRET.into(), 64)]);
}

#[test]
fn key_words_match_the_byte_order() {
    let words = [0x0302_0100, 0x0b0a_0908, 0x1312_1110, 0x1b1a_1918];
    assert_eq!(cipher(KEY), Simon64::new(words));
    assert_eq!(cipher(KEY).round_keys()[..4], words);
    assert_eq!(cipher(KEY).round_keys()[40..], cipher(KEY).decryption_key());
}

#[test]
fn ports_and_sizes() {
    for circuit in [encrypt_circuit().unwrap(), decrypt_circuit().unwrap()] {
        let ports: Vec<_> = circuit
            .inputs()
            .iter()
            .map(|port| (port.name.as_str(), port.visibility, port.wires.len()))
            .collect();
        let expected = [
            ("block", Visibility::Public, 64),
            ("key", Visibility::Private, 128),
        ];
        assert_eq!(ports, expected);
        assert_eq!(circuit.outputs().len(), 1);
        assert_eq!(circuit.outputs()[0].name, "block");
        assert_eq!(circuit.outputs()[0].wires.len(), 64);

        assert_eq!(circuit.and_count(), 1408);
        assert_eq!(circuit.and_depth(), 44);
        let analysis = Analysis::new(&circuit);
        assert_eq!(analysis.private_and_depth(), 43);
        assert_eq!(analysis.private_and_count(), 1408 - 32);
        // 3 words of XORs per round for the state, 3 per schedule step.
        assert_eq!(circuit.xor_count(), 32 * (3 * 44 + 3 * 40));
        assert!(analysis.wires().iter().all(|facts| facts.live));
    }
}

/// Wires that depend on the key but on no bit of the block.
fn key_only(circuit: &Circuit) -> Vec<bool> {
    let block = &circuit.inputs()[0].wires;
    let mut depends_on_block: Vec<bool> = Vec::new();
    for (wire, gate) in circuit.numbered_gates() {
        let direct = block.contains(&wire);
        let indirect = circuit
            .operands(gate)
            .any(|operand| depends_on_block[operand.index()]);
        depends_on_block.push(direct || indirect);
    }
    depends_on_block.iter().map(|depends| !depends).collect()
}

#[test]
fn the_key_schedule_is_xor_only_and_comes_one_word_per_round() {
    for circuit in [encrypt_circuit().unwrap(), decrypt_circuit().unwrap()] {
        let key_only = key_only(&circuit);
        // The number of gates of the schedule that precede each AND.
        let mut schedule = 0;
        let mut ands = 0;
        for (wire, gate) in circuit.numbered_gates() {
            if gate == Gate::Input {
                continue;
            }
            if key_only[wire.index()] {
                assert!(matches!(gate, Gate::Xor(..)), "{wire} is {gate:?}");
                schedule += 1;
            } else if matches!(gate, Gate::And(..)) {
                let round: usize = ands / 32;
                assert_eq!(schedule, 96 * (round.max(3) - 3), "round {round}");
                ands += 1;
            }
        }
    }
}

/// The most wires that must be held at once when gates run in order and each value is freed after its last
/// use. Inputs are held from the start.
fn peak_wires(circuit: &Circuit) -> usize {
    let analysis = Analysis::new(circuit);
    let mut left: Vec<usize> = analysis.wires().iter().map(|facts| facts.uses).collect();
    let mut held: usize = circuit.inputs().iter().map(|port| port.wires.len()).sum();
    let mut peak = held;
    let read = |left: &mut Vec<usize>, wire: Wire| {
        left[wire.index()] -= 1;
        usize::from(left[wire.index()] == 0)
    };
    for (_, gate) in circuit.numbered_gates() {
        if gate != Gate::Input {
            held += 1;
            peak = peak.max(held);
        }
        for operand in circuit.operands(gate) {
            held -= read(&mut left, operand);
        }
    }
    peak
}

#[test]
fn values_can_be_freed_early() {
    for circuit in [encrypt_circuit().unwrap(), decrypt_circuit().unwrap()] {
        // State, four round keys and two words under way.
        let peak = peak_wires(&circuit);
        assert!(peak <= 32 * 8 + 1, "{peak} wires held");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn circuits_agree_with_the_reference(
        records in prop::collection::vec(any::<(u64, u128)>(), 1..200)
    ) {
        let (blocks, keys): (Vec<u64>, Vec<u128>) = records.iter().copied().unzip();
        let encrypted: Vec<u64> = records
            .iter()
            .map(|(block, key)| cipher(*key).encrypt_block(block.to_le_bytes()))
            .map(u64::from_le_bytes)
            .collect();
        prop_assert_eq!(&run(&encrypt_circuit().unwrap(), &blocks, &keys), &encrypted);
        let keys: Vec<u128> = keys.iter().map(|key| decryption_key(*key)).collect();
        prop_assert_eq!(&run(&decrypt_circuit().unwrap(), &encrypted, &keys), &blocks);
    }

    #[test]
    fn decryption_inverts_encryption(block in any::<[u8; 8]>(), key in any::<[u8; 16]>()) {
        let cipher = Simon64::from_key_bytes(key);
        prop_assert_eq!(cipher.decrypt_block(cipher.encrypt_block(block)), block);
        prop_assert_eq!(cipher.encrypt_block(cipher.decrypt_block(block)), block);
    }
}
