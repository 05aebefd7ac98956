//! Tests rows in the builder: simplification, conversion, refusals.

use ringmill_circuit::{
    Analysis, Builder, ByteMap, CircuitError, RowMap, Visibility, Wire, WireType, Word, field,
};

const SECRET: Visibility = Visibility::Private;

#[test]
fn each_rule_of_the_builder() {
    let mut b = Builder::new();
    let rows = b.input_rows("rows", SECRET, 2, 2);
    let (x, y) = (rows[0], rows[1]);
    let zero = b.row_constant(&[0, 0]);
    let one = b.row_constant(&[1, 1]);
    let three = b.row_constant(&[3, 0x57]);
    assert_eq!(b.row_constant(&[0, 0]), zero);
    assert_eq!(b.xor(x, x), zero);
    assert_eq!(b.xor(x, zero), x);
    assert_eq!(b.xor(zero, x), x);
    assert_eq!(b.xor(one, three), b.row_constant(&[2, 0x56]));
    assert_eq!(b.and(x, zero), zero);
    assert_eq!(b.and(zero, x), zero);
    assert_eq!(b.and(x, one), x);
    assert_eq!(b.and(one, x), x);
    assert_eq!(
        b.and(three, three),
        b.row_constant(&[5, field::frobenius(0x57, 1)])
    );
    assert_eq!(b.xor(x, y), b.xor(y, x));
    assert_eq!(b.and(x, y), b.and(y, x));
    assert_ne!(b.and(x, three), b.and(x, y));
    let square = b.frobenius(x, 1).unwrap();
    assert_eq!(b.and(x, x), square);

    // Sums of maps.
    let map = |factor| RowMap::bytewise(2, ByteMap::multiple(factor)).unwrap();
    assert_eq!(b.linear(&[(x, map(1))]), Ok(x));
    assert_eq!(b.linear(&[(x, map(0))]), Ok(zero));
    assert_eq!(b.linear(&[(x, map(2)), (x, map(3))]), Ok(x));
    assert_eq!(b.linear(&[(x, map(2)), (y, map(1)), (x, map(2))]), Ok(y));
    assert_eq!(b.linear(&[(one, map(5))]), Ok(b.row_constant(&[5, 5])));
    assert_eq!(b.linear(&[(x, map(1)), (three, map(1))]), Ok(b.xor(x, three)));
    let sum = b.linear(&[(x, map(2)), (y, map(3))]);
    assert_eq!(b.linear(&[(y, map(3)), (x, map(2))]), sum);
    assert_eq!(b.frobenius(x, 8), Ok(x));
    assert_eq!(b.frobenius(one, 3), Ok(one));
}

#[test]
fn bytes_and_bits() {
    let mut b = Builder::new();
    let byte = b.input_rows("byte", SECRET, 1, 1)[0];
    let bits = b.byte_to_bits(byte).unwrap();
    let back = b.bits_to_byte(&bits).unwrap();
    // Bits 0 and 1 swapped, the others constants.
    let known = b.row_constant(&[0b1010_0100]);
    let known = b.byte_to_bits(known).unwrap();
    let swapped = [bits.wires()[1], bits.wires()[0]].into_iter();
    let swapped = swapped.chain(known.wires()[2..].iter().copied()).collect();
    let swapped = b.bits_to_byte(&Word::new(swapped)).unwrap();
    b.output("bits", &bits);
    b.output_rows("bytes", &[back, swapped]);
    let circuit = b.finish().unwrap();
    let facts = Analysis::new(&circuit);
    assert_eq!(facts.private_and_depth(), 0);
    assert_eq!(facts.private_linear_depth(), 2);
    assert_eq!(facts.private_linear_count(), 10);
    for byte in 0..=u8::MAX {
        let swapped = 0b1010_0100 | byte >> 1 & 1 | (byte & 1) << 1;
        let found = circuit.evaluate_record_bytes(&[vec![byte]]);
        assert_eq!(found, Ok(vec![vec![byte], vec![byte, swapped]]));
    }
}

#[test]
fn wrong_arguments_of_the_builder() {
    let mut b = Builder::new();
    let wide = b.input_rows("wide", SECRET, 1, 2)[0];
    let word = b.input("word", SECRET, 7);
    let error = |left, right| CircuitError::WidthMismatch { left, right };
    assert_eq!(b.byte_to_bits(wide), Err(error(16, 8)));
    assert_eq!(b.byte_to_bits(word.wires()[0]), Err(error(8, 8)));
    assert_eq!(b.bits_to_byte(&word), Err(error(7, 8)));
    assert_eq!(b.linear(&[]), Err(CircuitError::RowLength { bytes: 0 }));
    let map = |from, to| RowMap::new(from, to, []).unwrap();
    let shapes = |left, right| CircuitError::MapShape { left, right };
    assert_eq!(
        b.linear(&[(wide, map(2, 2)), (wide, map(2, 1))]),
        Err(shapes((2, 2), (2, 1)))
    );
    assert_eq!(map(2, 1).after(&map(2, 3)), Err(shapes((2, 1), (2, 3))));

    let bit = word.wires()[0];
    for gate in [Builder::xor, Builder::and] {
        for (left, right) in [(bit, wide), (wide, bit)] {
            let mut b = b.clone();
            let mixed = gate(&mut b, left, right);
            b.output("mixed", &Word::new(vec![mixed]));
            assert!(matches!(b.finish(), Err(CircuitError::OperandKind { .. })));
        }
    }
    let mut b = b.clone();
    b.output("word", &Word::new(vec![wide]));
    assert!(matches!(b.finish(), Err(CircuitError::PortKind { .. })));
}

#[test]
fn finish_drops_unused_table_entries() {
    let mut b = Builder::new();
    let byte = b.input_rows("byte", SECRET, 1, 1)[0];
    let _dead = b.inverse(byte).unwrap();
    let _dead = b.row_constant(&[1, 2, 3]);
    let value = b.row_constant(&[7]);
    let quarter = b.frobenius(byte, 6).unwrap();
    let sum = b.xor(quarter, value);
    b.output_rows("sum", &[sum]);
    let circuit = b.finish().unwrap();
    assert_eq!(circuit.values(), [[7]]);
    assert_eq!(circuit.linears().len(), 1);
    assert_eq!(
        circuit.maps(),
        [RowMap::bytewise(1, ByteMap::frobenius(6)).unwrap()]
    );
    assert_eq!(circuit.linear_count(), 1);
    assert_eq!(circuit.kind(Wire::new(0)), Some(WireType::BYTE));
    assert_eq!(circuit.kind(Wire::new(9)), None);
}
