mod file;
mod kind;

use std::cell::Cell;
use std::io::Read;

use proptest::prelude::*;
use ringmill_arith::{Basis, Modulus};

use crate::pack::{limbs_bytes, read_limbs, read_trits, trits_bytes, write_limbs, write_trits};
use crate::*;

const HASH: [u8; 32] = [7; 32];

fn frame(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
    let mut writer = FrameWriter::new(Vec::new(), kind, &HASH, payload.len() as u64).unwrap();
    writer.put_bytes(payload).unwrap();
    writer.finish().unwrap()
}

fn unframe(kind: FrameKind, bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let mut reader = FrameReader::expect(bytes, kind, 1000)?;
    let payload = reader.take_bytes(reader.left() as usize)?;
    reader.finish_file()?;
    Ok(payload)
}

fn basis(primes: &[u64]) -> Basis {
    let moduli: Vec<Modulus> = primes.iter().map(|&p| Modulus::new(p).unwrap()).collect();
    Basis::new(&moduli).unwrap()
}

/// 2, 17, 50 and 61 bits.
fn odd_sizes() -> Basis {
    basis(&[3, 65537, 1_125_899_906_842_597, (1 << 61) - 1])
}

#[test]
fn frames_keep_their_payload_and_header() {
    for kind in FrameKind::registered() {
        let bytes = frame(kind, b"content");
        assert_eq!(bytes.len() as u64, OVERHEAD_BYTES + 7);
        assert_eq!(unframe(kind, &bytes).unwrap(), b"content");
        assert_eq!(FrameKind::try_from(kind.byte()).unwrap(), kind);
    }
    let bytes = frame(FrameKind::PUBLIC_KEY, b"");
    let reader = FrameReader::new(bytes.as_slice()).unwrap();
    assert_eq!(reader.header().parameters, HASH);
    assert_eq!(
        (reader.header().version, reader.left()),
        (FrameKind::PUBLIC_KEY.version(), 0)
    );
    // Two in a row.
    let two = [
        frame(FrameKind::PUBLIC_KEY, b"one"),
        frame(FrameKind::CIPHERTEXTS, b"two"),
    ]
    .concat();
    let mut first = FrameReader::new(two.as_slice()).unwrap();
    first.skip().unwrap();
    assert_eq!(
        unframe(FrameKind::CIPHERTEXTS, first.finish().unwrap()).unwrap(),
        b"two"
    );
}

#[test]
fn damaged_frames_are_refused() {
    let bytes = frame(FrameKind::PUBLIC_KEY, b"some content");
    for length in 0..bytes.len() {
        let error = unframe(FrameKind::PUBLIC_KEY, &bytes[..length]).unwrap_err();
        assert!(matches!(error, FormatError::Truncated), "{length}: {error}");
    }
    for position in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[position] ^= flip;
            assert!(unframe(FrameKind::PUBLIC_KEY, &damaged).is_err(), "{position}");
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        unframe(FrameKind::PUBLIC_KEY, &longer),
        Err(FormatError::Excess(_))
    ));
    let wrong = unframe(FrameKind::SECRET_KEY, &bytes).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "this is a file of a public key where one of a secret key is needed"
    );
    let mut other = bytes.clone();
    other[..4].copy_from_slice(b"PK\x03\x04");
    assert!(matches!(
        unframe(FrameKind::PUBLIC_KEY, &other),
        Err(FormatError::BadMagic)
    ));
    let mut newer = bytes;
    newer[4] = 9;
    assert!(matches!(
        unframe(FrameKind::PUBLIC_KEY, &newer),
        Err(FormatError::BadVersion(9))
    ));
    // Each kind has a newest version of its own, and is read from the oldest on.
    newer[4] = VERSION as u8;
    assert!(matches!(
        unframe(FrameKind::PUBLIC_KEY, &newer),
        Err(FormatError::BadVersion(VERSION))
    ));
    let mut batch = frame(FrameKind::BATCH, b"");
    for version in [OLDEST, VERSION] {
        batch[4] = version as u8;
        let reader = FrameReader::new(batch.as_slice()).unwrap();
        assert_eq!(reader.header().version, version);
    }
}

#[test]
fn payloads_must_be_as_long_as_declared() {
    let writer = FrameWriter::new(Vec::new(), FrameKind::PUBLIC_KEY, &HASH, 3).unwrap();
    assert!(matches!(
        writer.finish(),
        Err(FormatError::WrongLength {
            declared: 3,
            written: 0
        })
    ));
    let bytes = frame(FrameKind::PUBLIC_KEY, b"content");
    let mut reader = FrameReader::new(bytes.as_slice()).unwrap();
    reader.take_u16().unwrap();
    assert!(matches!(reader.finish(), Err(FormatError::Excess(_))));
    let mut reader = FrameReader::new(bytes.as_slice()).unwrap();
    assert!(matches!(reader.take_u64(), Err(FormatError::Truncated)));
}

/// A reader of zeros that ends, and how much was asked for at once.
struct Zeros<'a> {
    left: usize,
    asked: &'a Cell<usize>,
}

impl Read for Zeros<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.asked.set(self.asked.get().max(bytes.len()));
        let count = bytes.len().min(self.left);
        bytes[..count].fill(0);
        self.left -= count;
        Ok(count)
    }
}

#[test]
fn huge_declared_lengths_take_no_memory() {
    let mut bytes = frame(FrameKind::CIPHERTEXTS, b"");
    bytes[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(
        FrameReader::expect(bytes.as_slice(), FrameKind::CIPHERTEXTS, 1 << 40),
        Err(FormatError::TooLong { length: u64::MAX, .. })
    ));
    // Where the limit allows much but little arrives, little is asked for.
    let asked = Cell::new(0);
    let zeros = || Zeros {
        left: 1000,
        asked: &asked,
    };
    assert!(matches!(
        zeros().take_bytes(usize::MAX),
        Err(FormatError::Truncated)
    ));
    assert!(matches!(
        read_limbs(&mut zeros(), &odd_sizes(), usize::MAX / 100),
        Err(FormatError::Truncated)
    ));
    assert!(asked.get() <= 1 << 16);
}

#[test]
fn values_come_back() {
    let mut bytes = Vec::new();
    bytes.put_u8(1).unwrap();
    bytes.put_u16(2).unwrap();
    bytes.put_u32(3).unwrap();
    bytes.put_u64(4).unwrap();
    bytes.put_f64(-5.5).unwrap();
    bytes.put_str("six").unwrap();
    bytes.put_f64(f64::NAN).unwrap();
    bytes.put_u8(2).unwrap();
    let mut rest = bytes.as_slice();
    assert!(rest.take_flag("flag").unwrap());
    assert_eq!(rest.take_u16().unwrap(), 2);
    assert_eq!(rest.take_count("things", 3).unwrap(), 3);
    assert_eq!(rest.take_u64().unwrap(), 4);
    assert_eq!(rest.take_f64("number").unwrap(), -5.5);
    assert_eq!(rest.take_str("text", 3).unwrap(), "six");
    assert!(matches!(
        rest.take_f64("number"),
        Err(FormatError::BadValue { .. })
    ));
    assert!(matches!(
        rest.take_flag("flag"),
        Err(FormatError::BadValue { .. })
    ));
    expect_end(&mut rest, "all").unwrap();
    let long = [4, 0, b'l', b'o', b'n', b'g'];
    assert!(matches!(
        long.as_slice().take_str("text", 3),
        Err(FormatError::TooLong { .. })
    ));
    assert!(matches!(
        [9, 0, 0, 0].as_slice().take_count("things", 3),
        Err(FormatError::TooLong { .. })
    ));
    assert!(matches!(
        [1, 0, 0xff].as_slice().take_str("text", 3),
        Err(FormatError::BadValue { .. })
    ));
}

#[test]
fn packing_is_as_specified() {
    let mut bytes = Vec::new();
    write_limbs(&mut bytes, &basis(&[5, 257]), &[4, 1, 3, 256, 1, 255]).unwrap();
    // 3 bits each: 4 | 1 << 3 | 3 << 6; 9 bits each: 256 | 1 << 9 | 255 << 18.
    assert_eq!(bytes, [0b1100_1100, 0, 0, 0b11, 0b1111_1100, 0b11]);
    let mut bytes = Vec::new();
    write_trits(&mut bytes, &[0, 1, -1, 0, -1]).unwrap();
    assert_eq!(bytes, [0b0011_0100, 0b11]);
}

#[test]
fn residues_and_coefficients_out_of_range_are_refused() {
    let q = basis(&[5, 257]);
    let bad = write_limbs(&mut Vec::new(), &q, &[4, 1, 3, 256, 257, 255]).unwrap_err();
    assert!(matches!(
        bad,
        FormatError::BadResidue {
            limb: 1,
            index: 1,
            modulus: 257
        }
    ));
    assert!(write_limbs(&mut Vec::new(), &q, &[1, 2, 3]).is_err());
    // 5 in the second place of the first limb.
    let bad = read_limbs(&mut [0b0010_1000, 0, 0, 0, 0, 0].as_slice(), &q, 3).unwrap_err();
    assert_eq!(
        bad.to_string(),
        "residue 1 of limb 0 is not below its modulus 5: the data are damaged"
    );
    assert!(read_limbs(&mut [0, 0b10, 0, 0, 0, 0].as_slice(), &q, 3).is_err());
    assert!(matches!(
        write_trits(&mut Vec::new(), &[0, 2]),
        Err(FormatError::BadTrit)
    ));
    assert!(matches!(
        write_trits(&mut Vec::new(), &[-2]),
        Err(FormatError::BadTrit)
    ));
    assert!(matches!(
        write_trits(&mut Vec::new(), &[127, -128]),
        Err(FormatError::BadTrit)
    ));
    assert!(matches!(
        read_trits(&mut [0b10].as_slice(), 1),
        Err(FormatError::BadTrit)
    ));
    assert!(matches!(
        read_trits(&mut [0b100].as_slice(), 1),
        Err(FormatError::BadValue { .. })
    ));
}

proptest! {
    #[test]
    fn limbs_come_back(n in 1..9000_usize, seed: u64) {
        let q = odd_sizes();
        let mut state = seed;
        let mut next = |modulus: &Modulus| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            modulus.reduce(state ^ state >> 29)
        };
        let words: Vec<u64> = q.moduli().iter().flat_map(|m| (0..n).map(|_| m).collect::<Vec<_>>())
            .map(&mut next)
            .collect();
        let mut bytes = Vec::new();
        write_limbs(&mut bytes, &q, &words).unwrap();
        prop_assert_eq!(bytes.len() as u64, limbs_bytes(&q, n));
        let mut rest = bytes.as_slice();
        prop_assert_eq!(read_limbs(&mut rest, &q, n).unwrap(), words);
        prop_assert!(rest.is_empty());
        prop_assert!(read_limbs(&mut &bytes[..bytes.len() - 1], &q, n).is_err());
    }

    #[test]
    fn trits_come_back(trits in prop::collection::vec(-1..=1_i8, 1..9000)) {
        let mut bytes = Vec::new();
        write_trits(&mut bytes, &trits).unwrap();
        prop_assert_eq!(bytes.len() as u64, trits_bytes(trits.len()));
        prop_assert_eq!(&*read_trits(&mut bytes.as_slice(), trits.len()).unwrap(), &trits);
        prop_assert!(read_trits(&mut &bytes[..bytes.len() - 1], trits.len()).is_err());
    }
}
