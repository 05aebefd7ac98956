//! Tests the composition of circuits, and their digests.

use ringmill_circuit::aes::{Aes, KeySize, ctr_circuit, row_encrypt_circuit, squares};
use ringmill_circuit::simon::{self, Simon64};
use ringmill_circuit::{Builder, Circuit, CircuitError, Visibility, bundled, compose, compose_record};

/// `value > threshold` for a private value and a public threshold.
fn above() -> Circuit {
    let mut builder = Builder::new();
    let threshold = builder.input("threshold", Visibility::Public, 12);
    let value = builder.input("value", Visibility::Private, 12);
    let less = builder
        .less(&threshold, &value, ringmill_circuit::Signedness::Unsigned)
        .unwrap();
    builder.output("above", &ringmill_circuit::Word::new(vec![less]));
    builder.finish().unwrap()
}

#[test]
fn a_comparison_of_what_aes_decrypts() {
    let circuit = compose_record(&ctr_circuit(KeySize::Bits128).unwrap(), &above()).unwrap();
    let names: Vec<&str> = circuit.inputs().iter().map(|port| port.name.as_str()).collect();
    assert_eq!(
        names,
        ["counter", "data", "round_keys", "round_keys_squared", "threshold"]
    );
    assert_eq!(circuit.outputs().len(), 1);
    let aes = Aes::new(&[7; 16]).unwrap();
    let (keys, squared) = (aes.round_keys().to_vec(), squares(aes.round_keys()));
    for (value, threshold) in [
        (0u16, 0u16),
        (0xfff, 0xffe),
        (0x123, 0x132),
        (0x800, 0x7ff),
        (5, 5),
    ] {
        let counter = [value as u8; 16];
        // The four bits above the value are somebody else's.
        let mut record = [0x5a; 16];
        record[..2].copy_from_slice(&(value | 0xa000).to_le_bytes());
        let inputs = [
            counter.to_vec(),
            aes.apply_ctr(counter, &record),
            keys.as_flattened().to_vec(),
            squared.as_flattened().to_vec(),
            threshold.to_le_bytes().to_vec(),
        ];
        let outputs = circuit.evaluate_record_bytes(&inputs).unwrap();
        assert_eq!(
            outputs,
            [vec![u8::from(value > threshold)]],
            "{value} {threshold}"
        );
    }
}

#[test]
fn bytes_of_what_simon_decrypts() {
    // From bits to bytes: the identity on eight bytes.
    let mut builder = Builder::new();
    let bytes = builder.input_rows("bytes", Visibility::Private, 8, 1);
    builder.output_rows("bytes", &bytes);
    let circuit = compose(&simon::decrypt_circuit().unwrap(), &builder.finish().unwrap()).unwrap();
    let cipher = Simon64::from_key_bytes(*b"sixteen bytes...");
    let key: Vec<u8> = cipher
        .decryption_key()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let block = *b"ringmill";
    let outputs = circuit.evaluate_record_bytes(&[cipher.encrypt_block(block).to_vec(), key]);
    assert_eq!(outputs.unwrap(), [block.to_vec()]);
}

#[test]
fn parts_compute_what_they_are() {
    let circuit = bundled::circuit("max32").unwrap().unwrap();
    let mut builder = Builder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.input(name, Visibility::Private, 32).wires().to_vec());
    let first = builder.include(&circuit, &[a, b]).unwrap().remove(0);
    let all = builder
        .include(&circuit, &[first.clone(), c.clone()])
        .unwrap()
        .remove(0);
    builder.output("max", &ringmill_circuit::Word::new(all));
    let error = builder.include(&circuit, &[first]).unwrap_err();
    assert!(
        matches!(
            error,
            CircuitError::PartInputs {
                expected: 32,
                found: 0,
                ..
            }
        ),
        "{error}"
    );
    let three = builder.finish().unwrap();
    for values in [[1u32, 2, 3], [7, 6, 5], [u32::MAX, 0, 1 << 31], [4, 900, 899]] {
        let inputs = values.map(|value| value.to_le_bytes().to_vec());
        let outputs = three.evaluate_record_bytes(&inputs).unwrap();
        assert_eq!(outputs, [values.iter().max().unwrap().to_le_bytes().to_vec()]);
    }
}

/// A circuit that copies ports of these numbers of bits. All are private except the last, which is public.
fn copies(ports: &[(&str, usize)], public: bool) -> Circuit {
    let mut builder = Builder::new();
    for (i, (name, width)) in ports.iter().enumerate() {
        let visibility = if public && i + 1 == ports.len() {
            Visibility::Public
        } else {
            Visibility::Private
        };
        let word = builder.input(*name, visibility, *width);
        builder.output(*name, &word);
    }
    builder.finish().unwrap()
}

#[test]
fn ports_are_joined_in_order() {
    let first = copies(&[("a", 3), ("b", 16)], false);
    // Other names, a byte for bits, and a public port between them and the outputs.
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, 3);
    let y = builder.input_rows("y", Visibility::Private, 2, 1);
    let z = builder.input("z", Visibility::Public, 3);
    let sum = builder.xor_words(&x, &z).unwrap();
    builder.output("sum", &sum);
    builder.output_rows("y", &y);
    let circuit = compose(&first, &builder.finish().unwrap()).unwrap();
    let outputs = circuit.evaluate_record_bytes(&[vec![5], vec![0x34, 0x12], vec![6]]);
    assert_eq!(outputs.unwrap(), [vec![3], vec![0x34, 0x12]]);
}

#[test]
fn ports_that_differ_are_shown() {
    let first = copies(&[("flag", 1)], false);
    let says = |ports: &[(&str, usize)], public| {
        let error = compose(&first, &copies(ports, public)).unwrap_err();
        assert!(matches!(error, CircuitError::PortsDiffer { .. }), "{error}");
        error.to_string()
    };
    let found = says(&[("x0", 7)], false);
    assert!(
        found.contains("the first gives flag of 1 bit; the second takes x0 of 7 bits."),
        "{found}"
    );
    // There must be neither too many ports nor too few, and public ports do not count.
    let found = says(&[("x0", 1), ("x1", 8)], false);
    assert!(
        found.contains("the second takes x0 of 1 bit, x1 of 8 bits."),
        "{found}"
    );
    let found = says(&[("x0", 1)], true);
    assert!(found.contains("the second takes none."), "{found}");
    assert!(compose(&first, &copies(&[("x0", 1), ("x1", 8)], true)).is_ok());
    // These bits would fit if they did not belong to several ports.
    let error = compose(
        &copies(&[("a", 8), ("b", 8)], false),
        &copies(&[("c", 16)], false),
    )
    .unwrap_err();
    assert!(matches!(error, CircuitError::PortsDiffer { .. }), "{error}");
}

#[test]
fn circuits_that_do_not_go_together() {
    let simon = simon::decrypt_circuit().unwrap();
    let error = compose_record(&simon, &bundled::circuit("add64").unwrap().unwrap()).unwrap_err();
    assert!(
        matches!(
            error,
            CircuitError::ShortResults {
                expected: 16,
                found: 8
            }
        ),
        "{error}"
    );
    let rows = row_encrypt_circuit(KeySize::Bits128).unwrap();
    let error = compose_record(&rows, &above()).unwrap_err();
    assert!(
        matches!(error, CircuitError::JoinedRows { bytes: 16, .. }),
        "{error}"
    );
}

#[test]
fn digests_tell_circuits_apart() {
    let mut digests = Vec::new();
    for name in bundled::names() {
        let circuit = bundled::circuit(name).unwrap().unwrap();
        assert_eq!(
            circuit.digest(),
            bundled::circuit(name).unwrap().unwrap().digest()
        );
        digests.push(circuit.digest());
    }
    for size in KeySize::ALL {
        digests.push(ctr_circuit(size).unwrap().digest());
        digests.push(row_encrypt_circuit(size).unwrap().digest());
    }
    // The same gates have other names, or other parties know their inputs.
    for (name, visibility) in [
        ("a", Visibility::Public),
        ("a", Visibility::Private),
        ("b", Visibility::Private),
    ] {
        let mut builder = Builder::new();
        let word = builder.input(name, visibility, 3);
        builder.output("c", &word);
        digests.push(builder.finish().unwrap().digest());
    }
    let count = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), count);
}
