use std::io::Write;

use ringmill_ring::FermatRing;

use ringmill_format::{FrameKind, FrameWriter};

use super::{MAX_PARAMETERS_BYTES, encode_definition};
use crate::{FvError, Parameters, ParametersSpec, presets};

#[test]
fn parameters_come_back() {
    for name in [
        "fv128-n4096",
        "fv192-n16384",
        "n1024-q26",
        "n4096-t65537",
        "hepcloud",
    ] {
        let parameters = Parameters::preset(name).unwrap();
        let mut bytes = Vec::new();
        parameters.write(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, parameters.encoded_bytes());
        assert!(bytes.len() as u64 <= MAX_PARAMETERS_BYTES);
        let read = Parameters::read(bytes.as_slice()).unwrap();
        assert_eq!((read.hash(), read.name()), (parameters.hash(), name));
        assert_eq!(read.definition(), parameters.definition());
        assert_eq!(read.security(), parameters.security());
    }
    // With small primes.
    let spec = ParametersSpec {
        small: Some(crate::PrimeChoice { count: 2, bits: 27.0 }),
        allow_insecure: true,
        ..presets::spec("fv128-n4096").unwrap()
    };
    let parameters = Parameters::new(&spec).unwrap();
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    let read = Parameters::read(bytes.as_slice()).unwrap();
    assert_eq!(
        (read.small_prime_count(), read.definition()),
        (2, parameters.definition())
    );
    // The largest possible fits the limit.
    let spec = ParametersSpec {
        name: "x".repeat(64),
        n: 131_072,
        limbs: crate::PrimeChoice {
            count: 64,
            bits: 50.0,
        },
        special: Some(crate::PrimeChoice { count: 6, bits: 50.0 }),
        key_switching: crate::KeySwitching::Hybrid { digit_limbs: 6 },
        allow_insecure: true,
        ..presets::spec("fv128-n65536").unwrap()
    };
    let parameters = Parameters::new(&spec).unwrap();
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    assert!(bytes.len() as u64 <= MAX_PARAMETERS_BYTES);
    assert_eq!(Parameters::read(bytes.as_slice()).unwrap(), parameters);
}

#[test]
fn damaged_parameters_are_refused() {
    let mut bytes = Vec::new();
    Parameters::preset("fv128-n4096")
        .unwrap()
        .write(&mut bytes)
        .unwrap();
    for length in 0..bytes.len() {
        assert!(Parameters::read(&bytes[..length]).is_err(), "{length}");
    }
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x41;
        assert!(Parameters::read(damaged.as_slice()).is_err(), "{position}");
    }
}

/// A payload damaged before its checksum was made: whatever a bit changes, there is no panic, and what
/// passes is valid and has another hash or another name.
#[test]
fn parameters_with_bogus_values_are_refused() {
    let original = Parameters::preset("fv128-n4096").unwrap();
    let payload = encode_definition(original.definition());
    let rebuilt = |payload: &[u8], hash: &[u8; 32]| {
        let mut writer =
            FrameWriter::new(Vec::new(), FrameKind::PARAMETERS, hash, payload.len() as u64).unwrap();
        writer.write_all(payload).unwrap();
        Parameters::read(writer.finish().unwrap().as_slice())
    };
    assert_eq!(rebuilt(&payload, original.hash()).unwrap(), original);
    for position in 0..payload.len() {
        for bit in 0..8 {
            let mut damaged = payload.clone();
            damaged[position] ^= 1 << bit;
            if let Ok(read) = rebuilt(&damaged, original.hash()) {
                assert!(
                    read == original && read.name() != original.name(),
                    "{position} {bit}"
                );
            }
        }
    }
    let mut insecure = presets::spec("hepcloud").unwrap();
    insecure.name = "quiet".to_string();
    let insecure = Parameters::new(&insecure).unwrap();
    let mut definition = insecure.definition().clone();
    definition.allow_insecure = false;
    let hash = definition.hash();
    let refused = rebuilt(&encode_definition(&definition), &hash).unwrap_err();
    assert!(matches!(refused, FvError::Insecure { .. }));
    let mut other_ring = original.definition().clone();
    other_ring.n = FermatRing::DIMENSIONS[2];
    assert!(rebuilt(&encode_definition(&other_ring), &other_ring.hash()).is_err());
    // Right values, another set's hash.
    let wrong = rebuilt(&payload, insecure.hash()).unwrap_err();
    assert!(matches!(wrong, FvError::ParameterMismatch { .. }));
}
