use std::collections::BTreeSet;

use super::*;

/// Applies terms to rows, through elements of R/2.
fn apply(slots: &Slots, rows: &Rows, products: &Products, terms: &[RowTerm], records: &[u8]) -> Vec<u8> {
    let mut given = vec![0; slots.len()];
    for (&slot, &byte) in rows.slots().iter().zip(records) {
        given[slot as usize] = byte;
    }
    let element = slots.encode_bytes(&given).unwrap();
    let mut sum = vec![0; slots.ring.n()];
    for term in terms {
        let constant = slots.encode_bytes(&term.factors).unwrap();
        let moved = automorphism(&slots.ring, &element, term.exponent);
        add(&mut sum, &products.product(&moved, &constant));
    }
    let bytes = slots.decode_bytes_checked(&sum).unwrap();
    rows.slots().iter().map(|&slot| bytes[slot as usize]).collect()
}

/// Applies a map to rows, byte by byte.
fn directly(length: usize, entries: &[RowEntry], records: &[u8]) -> Vec<u8> {
    let row = |row: &[u8]| {
        let mut result = vec![0; length];
        for entry in entries {
            result[entry.target] ^= times(entry.factor, squared(row[entry.source], entry.frobenius % 8));
        }
        result
    };
    records.chunks_exact(length).flat_map(row).collect()
}

fn random_entries(length: usize, count: usize) -> Vec<RowEntry> {
    let random = bytes(4 * count, length as u64);
    let entry = |r: &[u8]| RowEntry {
        target: usize::from(r[0]) % length,
        source: usize::from(r[1]) % length,
        frobenius: r[2] % 9,
        factor: r[3],
    };
    random.chunks_exact(4).map(entry).collect()
}

#[test]
fn compiled_maps_agree_with_arithmetic_on_bytes() {
    for n in [2048, 4096, 16384, 32768, 65536, 131_072] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, *Simd::available().last().unwrap()).unwrap();
        let products = Products::new(&ring);
        for length in [1, 2, 4, 8, 16] {
            let rows = Rows::new(&slots, length).unwrap();
            assert_eq!((rows.len(), rows.records()), (length, slots.len() / length));
            let entries = random_entries(length, 2 * length + 3);
            let terms = rows.compile(&entries).unwrap();
            let records = bytes(slots.len(), 6);
            let result = apply(&slots, &rows, &products, &terms, &records);
            assert!(
                result == directly(length, &entries, &records),
                "n = {n}, length {length}"
            );
        }
    }
}

#[test]
fn rows_arrange_every_slot_once() {
    for n in FermatRing::DIMENSIONS {
        let slots = Slots::new(&FermatRing::new(n).unwrap(), Simd::Portable).unwrap();
        for length in [1, 2, 4, 8, 16] {
            let rows = Rows::new(&slots, length).unwrap();
            let found: BTreeSet<u32> = rows.slots().iter().copied().collect();
            assert_eq!((found.len(), rows.slots().len()), (slots.len(), slots.len()));
            let last = rows.records() - 1;
            assert_eq!(
                rows.slot(last, length - 1),
                rows.slots().last().map(|&s| s as usize)
            );
            assert_eq!(rows.slot(0, length).or(rows.slot(last + 1, 0)), None);
            assert_eq!(rows.exponent(length - 1, length - 1), Ok(1));
            for (t, s) in (0..length).flat_map(|t| (0..length).map(move |s| (t, s))) {
                let action = slots.action(rows.exponent(t, s).unwrap()).unwrap();
                for row in rows.slots().chunks_exact(length) {
                    assert_eq!(action.source[row[t] as usize], row[s]);
                    // No squaring occurs where H is a group up to powers of 2^8.
                    let power = action.frobenius[row[t] as usize] % 8;
                    assert!(
                        power == 0 || !(4096..=32768).contains(&n),
                        "n = {n}, {t} from {s}"
                    );
                }
            }
        }
        let rows = Rows::new(&slots, 4).unwrap();
        for (length, position) in [(4, 4), (4, 7)] {
            let refused = Err(RingError::NoSuchPosition { position, length });
            assert_eq!(rows.exponent(position, 0), refused);
            assert_eq!(rows.exponent(0, position), refused);
        }
        for length in [0, 3, 32] {
            assert!(matches!(
                Rows::new(&slots, length),
                Err(RingError::BadRowLength(_))
            ));
        }
    }
}

fn moved(target: usize, source: usize, factor: u8) -> RowEntry {
    RowEntry {
        target,
        source,
        frobenius: 0,
        factor,
    }
}

/// The first round of FIPS 197's example, appendix B: the start of ShiftRows, the start of MixColumns, and
/// its end.
const ROUND: [u128; 3] = [
    0xd42711ae_e0bf98f1_b8b45de5_1e415230,
    0xd4bf5d30_e0b452ae_b84111f1_1e2798e5,
    0x046681e5_e0cb199a_48f8d37a_2806264c,
];

#[test]
fn rounds_of_aes_take_few_automorphisms() {
    let positions = || (0..16).map(|p| (p % 4, p / 4));
    let shift_rows: Vec<RowEntry> = positions()
        .map(|(r, c)| moved(r + 4 * c, r + 4 * ((c + r) % 4), 1))
        .collect();
    let mix_columns: Vec<RowEntry> = [2, 3, 1, 1]
        .into_iter()
        .enumerate()
        .flat_map(|(i, factor)| positions().map(move |(r, c)| moved(r + 4 * c, (r + i) % 4 + 4 * c, factor)))
        .collect();
    for (n, shifts, mixes) in [(8192, 7, 4), (32768, 4, 4), (65536, 7, 7)] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, *Simd::available().last().unwrap()).unwrap();
        let (rows, products) = (Rows::new(&slots, 16).unwrap(), Products::new(&ring));
        let states = ROUND.map(|state| state.to_be_bytes().repeat(rows.records()));
        let shift = rows.compile(&shift_rows).unwrap();
        let mix = rows.compile(&mix_columns).unwrap();
        assert_eq!(apply(&slots, &rows, &products, &shift, &states[0]), states[1]);
        assert_eq!(apply(&slots, &rows, &products, &mix, &states[1]), states[2]);
        assert_eq!((shift.len(), mix.len()), (shifts, mixes), "n = {n}");
    }
}

/// ShiftRows need not move anything: if byte (r, c) stays at column c + ir after i rounds, then MixColumns
/// takes byte (r + j, c) from row r + j and column c + ir + ij, in one step for each j.
#[test]
fn shift_rows_is_free_between_mixed_columns() {
    let ring = FermatRing::new(32768).unwrap();
    let slots = Slots::new(&ring, Simd::Portable).unwrap();
    let rows = Rows::new(&slots, 16).unwrap();
    let mut exponents = BTreeSet::new();
    for i in 0..4 {
        let at = |r: usize, c: usize| r % 4 + 4 * ((c + i * r) % 4);
        let positions = (0..64).map(|p| (p % 4, p / 4 % 4, p / 16));
        let entries: Vec<RowEntry> = positions
            .map(|(r, c, j)| moved(at(r, c), at(r + j, c), [2, 3, 1, 1][j]))
            .collect();
        let terms = rows.compile(&entries).unwrap();
        assert_eq!(terms.len(), 4);
        exponents.extend(terms.into_iter().map(|term| term.exponent));
    }
    // The identity, three steps for each residue of i, of which those by two rows are two.
    assert_eq!(exponents.len(), 11);
}

/// The linear part of AES's S-box as a linearised polynomial (Daemen and Rijmen, The Design of
/// Rijndael, section 3.4.1 with 8.1.5): its factors of x, x^2, x^4, ...
const AFFINE: [u8; 8] = [0x05, 0x09, 0xf9, 0x25, 0xf4, 0x01, 0xb5, 0x8f];

#[test]
fn single_bytes_are_mapped_by_powers_of_frobenius() {
    let ring = FermatRing::new(32768).unwrap();
    let slots = Slots::new(&ring, *Simd::available().last().unwrap()).unwrap();
    let (rows, products) = (Rows::new(&slots, 1).unwrap(), Products::new(&ring));
    let entries = (0..8).zip(AFFINE).map(|(frobenius, factor)| RowEntry {
        target: 0,
        source: 0,
        frobenius,
        factor,
    });
    let entries: Vec<RowEntry> = entries.collect();
    let terms = rows.compile(&entries).unwrap();
    for (j, (term, factor)) in terms.iter().zip(AFFINE).enumerate() {
        assert_eq!(term.exponent, slots.frobenius(j as u32));
        assert_eq!(term.factors, vec![factor; 2048]);
    }
    assert_eq!(rows.slots(), (0..2048).collect::<Vec<u32>>());
    // FIPS 197, section 5.1.1: b_i + b_(i+4) + b_(i+5) + b_(i+6) + b_(i+7), indices modulo 8.
    let records = bytes(2048, 7);
    let affine = |b: &u8| [4, 5, 6, 7].iter().fold(*b, |sum, &i| sum ^ b.rotate_right(i));
    let expected: Vec<u8> = records.iter().map(affine).collect();
    assert_eq!(apply(&slots, &rows, &products, &terms, &records), expected);
    // Opposite entries cancel.
    let twice: Vec<RowEntry> = entries.iter().chain(&entries).copied().collect();
    assert_eq!(rows.compile(&twice), Ok(Vec::new()));
}

/// Constants that are equal in all slots are elements of Z\[zeta_17\], and constants of AES's rows are
/// elements of Z\[zeta_85\]: their coefficients depend only on the exponents modulo 17 and 85.
#[test]
fn constants_are_elements_of_small_rings() {
    for n in [4096, 8192, 16384, 32768] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, Simd::Portable).unwrap();
        let depends_on_residues = |constants: &[u8], modulus: u32| {
            let element = slots.encode_bytes(constants).unwrap();
            let mut residues = vec![None; modulus as usize];
            let mut terms = element.iter().zip(ring.exponents());
            terms.all(|(x, e)| residues[(e % modulus) as usize].get_or_insert(x) == &x)
        };
        for byte in [0x01, 0x02, 0x63, 0xf9] {
            assert!(depends_on_residues(&vec![byte; slots.len()], 17));
        }
        for length in [2, 4, 8, 16] {
            let rows = Rows::new(&slots, length).unwrap();
            let mut constants = vec![0; slots.len()];
            for (i, &slot) in rows.slots().iter().enumerate() {
                constants[slot as usize] = [0x01, 0x02, 0x63, 0xf9][i % length % 4];
            }
            assert_eq!(
                depends_on_residues(&constants, 85),
                n >= 16384,
                "n = {n}, {length}"
            );
        }
    }
}
