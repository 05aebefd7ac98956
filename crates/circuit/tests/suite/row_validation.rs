//! Tests the refusals of `Circuit::new` and of maps for rows.

use ringmill_circuit::{
    Builder, ByteMap, Circuit, CircuitError, Gate, Gates, InputPort, Linear, MAX_ROW_BYTES, MapEntry, MapId,
    OutputPort, RowMap, Visibility, Wire, WireType,
};

const SECRET: Visibility = Visibility::Private;

/// A circuit with a bit (wire 0), a byte (1) and a row of two (2) as inputs, one more gate (3), and an
/// output of the given kind.
fn with_gate(gate: Gate, tables: Gates, kind: WireType) -> Result<Circuit, CircuitError> {
    let port = |name: &str, kind, wire| InputPort {
        name: name.into(),
        visibility: SECRET,
        kind,
        wires: vec![Wire::new(wire)],
    };
    let inputs = vec![
        port("bit", WireType::Bit, 0),
        port("byte", WireType::BYTE, 1),
        port("row", WireType::Row(2), 2),
    ];
    let outputs = vec![OutputPort {
        name: "out".into(),
        kind,
        wires: vec![Wire::new(3)],
    }];
    let gates = Gates {
        list: vec![Gate::Input, Gate::Input, Gate::Input, gate],
        ..tables
    };
    Circuit::new(gates, inputs, outputs)
}

/// Tables with one sum, which has a map of each of the wires.
fn tables(terms: &[(u32, RowMap)], kind: WireType) -> Gates {
    let numbered = (0..).zip(terms);
    Gates {
        maps: terms.iter().map(|(_, map)| map.clone()).collect(),
        linears: vec![Linear {
            terms: numbered
                .map(|(index, (wire, _))| (Wire::new(*wire), MapId::new(index)))
                .collect(),
            kind,
        }],
        ..Gates::default()
    }
}

#[test]
fn wrong_kinds_are_refused() {
    let [bit, byte, row, gate] = [0, 1, 2, 3].map(Wire::new);
    for (wrong, operand, expected, found) in [
        (Gate::Not(byte), byte, WireType::Bit, WireType::BYTE),
        (Gate::Xor(bit, byte), byte, WireType::Bit, WireType::BYTE),
        (Gate::And(row, byte), byte, WireType::Row(2), WireType::BYTE),
    ] {
        let error = CircuitError::OperandKind {
            gate,
            operand,
            expected,
            found,
        };
        assert_eq!(with_gate(wrong, Gates::default(), WireType::Bit), Err(error));
    }
    assert!(with_gate(Gate::Xor(row, row), Gates::default(), WireType::Row(2)).is_ok());
    assert_eq!(
        with_gate(Gate::Xor(row, row), Gates::default(), WireType::BYTE),
        Err(CircuitError::PortKind {
            port: "out".into(),
            wire: gate,
            expected: WireType::BYTE,
            found: WireType::Row(2),
        })
    );
}

#[test]
fn wrong_tables_are_refused() {
    let gate = Wire::new(3);
    let missing = |table| Err(CircuitError::MissingEntry { gate, table });
    assert_eq!(
        with_gate(Gate::Value(0), Gates::default(), WireType::BYTE),
        missing("values")
    );
    assert_eq!(
        with_gate(Gate::Linear(0), Gates::default(), WireType::BYTE),
        missing("linears")
    );
    let sum = |terms: &[(u32, RowMap)], kind| with_gate(Gate::Linear(0), tables(terms, kind), kind);
    let mut no_maps = tables(
        &[(1, RowMap::bytewise(1, ByteMap::IDENTITY).unwrap())],
        WireType::BYTE,
    );
    no_maps.maps.clear();
    assert_eq!(
        with_gate(Gate::Linear(0), no_maps, WireType::BYTE),
        missing("maps")
    );
    assert_eq!(sum(&[], WireType::BYTE), Err(CircuitError::EmptySum { gate }));

    for bytes in [0, MAX_ROW_BYTES + 1] {
        let value = Gates {
            values: vec![vec![0; bytes]],
            ..Gates::default()
        };
        let error = CircuitError::RowLength { bytes };
        assert_eq!(
            with_gate(Gate::Value(0), value, WireType::Row(bytes)),
            Err(error.clone())
        );
        assert_eq!(sum(&[], WireType::Row(bytes)), Err(error.clone()));
        assert_eq!(RowMap::new(bytes, 1, []), Err(error.clone()));
        assert_eq!(RowMap::new(1, bytes, []), Err(error.clone()));
        let mut b = Builder::new();
        let rows = b.input_rows("rows", SECRET, 1, bytes);
        b.output_rows("rows", &rows);
        assert_eq!(b.finish(), Err(error));
    }

    let map = |from, to| RowMap::new(from, to, []).unwrap();
    for (wire, wrong) in [(0, map(2, 1)), (1, map(2, 1)), (2, map(1, 1)), (1, map(1, 2))] {
        let error = sum(&[(wire, wrong)], WireType::BYTE).unwrap_err();
        assert!(matches!(error, CircuitError::MapKind { operand, .. } if operand == Wire::new(wire)));
    }
    let identity = RowMap::bytewise(1, ByteMap::IDENTITY).unwrap();
    let repeated = sum(
        &[(1, identity.clone()), (0, identity.clone()), (1, identity)],
        WireType::BYTE,
    );
    let operand = Wire::new(1);
    assert_eq!(repeated, Err(CircuitError::RepeatedOperand { gate, operand }));
}

#[test]
fn sums_declared_bits_give_bits() {
    let map = |from, blocks: &[(usize, usize, ByteMap)]| {
        RowMap::from_blocks(from, 1, blocks.iter().copied()).unwrap()
    };
    let sum =
        |terms: &[(u32, RowMap)]| with_gate(Gate::Linear(0), tables(terms, WireType::Bit), WireType::Bit);
    let (bit_2, bit_7) = (ByteMap::bit(2), ByteMap::bit(7));
    let good = [
        (0, map(1, &[(0, 0, ByteMap::IDENTITY)])),
        (1, map(1, &[(0, 0, bit_2)])),
        (2, map(2, &[(0, 0, bit_7), (0, 1, bit_2)])),
    ];
    assert!(sum(&good).is_ok());
    for (wire, wrong) in [
        (0, map(1, &[(0, 0, ByteMap::multiple(2))])),
        (1, map(1, &[(0, 0, ByteMap::IDENTITY)])),
        (2, map(2, &[(0, 0, bit_7), (0, 1, ByteMap::frobenius(3))])),
    ] {
        let mut terms = good.clone();
        terms[usize::try_from(wire).unwrap()].1 = wrong;
        let (gate, operand) = (Wire::new(3), Wire::new(wire));
        assert_eq!(sum(&terms), Err(CircuitError::NotABit { gate, operand }));
    }
}

#[test]
fn map_terms_out_of_place_are_refused() {
    let good = MapEntry {
        target: 1,
        source: 2,
        frobenius: 7,
        factor: 9,
    };
    let map = RowMap::new(3, 2, [good, MapEntry { factor: 8, ..good }]).unwrap();
    assert_eq!(map.entries(), [MapEntry { factor: 1, ..good }]);
    assert_eq!((map.from(), map.to()), (3, 2));
    assert!(!map.is_identity() && !map.is_zero());
    for entry in [
        MapEntry { target: 2, ..good },
        MapEntry { source: 3, ..good },
        MapEntry { frobenius: 8, ..good },
    ] {
        let error = CircuitError::MapEntry {
            entry,
            from: 3,
            to: 2,
        };
        assert_eq!(RowMap::new(3, 2, [good, entry]), Err(error));
    }
    let rotation = RowMap::permutation(3, &[1, 2, 0], ByteMap::multiple(2)).unwrap();
    assert_eq!(rotation.apply(&[1, 2, 3]), [4, 6, 2]);
    assert!(
        RowMap::permutation(3, &[0, 1, 2], ByteMap::IDENTITY)
            .unwrap()
            .is_identity()
    );
}
