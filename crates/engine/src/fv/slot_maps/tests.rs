use ringmill_arith::Simd;
use ringmill_circuit::{ByteMap, MapEntry};

use super::*;

fn parameters() -> Parameters {
    Parameters::preset("fv128-n4096").unwrap()
}

/// Maps of rows of so many bytes, at n = 4096.
pub(crate) fn slot_maps(maps: &[RowMap], row: usize) -> SlotMaps {
    let parameters = parameters();
    let slots = Slots::new(
        parameters.ring().as_fermat().unwrap(),
        Simd::from_environment().unwrap(),
    )
    .unwrap();
    let layout = Layout::new(&slots, row).unwrap();
    let used = (0..maps.len()).collect();
    SlotMaps::new((maps, &[]), &used, &slots, &layout, &parameters).unwrap()
}

#[test]
fn powers_and_multiples_are_one_term_each() {
    let maps = [
        RowMap::bytewise(1, ByteMap::frobenius(3)).unwrap(),
        RowMap::bytewise(1, ByteMap::multiple(0x57)).unwrap(),
        // x + 0x57 x^2 + 3 x^8
        RowMap::bytewise(1, ByteMap::from_coefficients([1, 0x57, 0, 3, 0, 0, 0, 0])).unwrap(),
    ];
    let maps = slot_maps(&maps, 1);
    assert_eq!(
        maps.terms(0),
        [MapTerm {
            exponent: 8,
            factor: None
        }]
    );
    assert_eq!(
        maps.terms(1),
        [MapTerm {
            exponent: 1,
            factor: Some(0)
        }]
    );
    let mut terms: Vec<(u64, bool)> = maps
        .terms(2)
        .iter()
        .map(|term| (term.exponent, term.factor.is_some()))
        .collect();
    terms.sort_unstable();
    assert_eq!(terms, [(1, false), (2, true), (8, true)]);
    // 0x57 is the same constant in both.
    assert_eq!(maps.factors().len(), 2);
    assert_eq!(maps.exponents(), BTreeSet::from([2, 8]));

    let [square, multiple, both] = maps.powers()[..] else {
        panic!("three maps");
    };
    assert_eq!((square.moved, square.kept), (Some(1.0), None));
    assert_eq!(multiple.moved, None);
    assert_eq!(both.kept, Some(1.0));
    // 0x57 and 3 together, at the root where they are largest together.
    let (multiple, both) = (multiple.kept.unwrap(), both.moved.unwrap());
    assert!(multiple > 1.0 && both > multiple, "{multiple} {both}");
}

#[test]
fn constants_are_what_they_encode() {
    let map = RowMap::new(
        4,
        4,
        (0..4).map(|byte| MapEntry {
            target: byte,
            source: (byte + 1) % 4,
            frobenius: 0,
            factor: 3 * byte as u8,
        }),
    );
    let maps = slot_maps(&[map.unwrap()], 4);
    let slots = Slots::new(
        parameters().ring().as_fermat().unwrap(),
        Simd::from_environment().unwrap(),
    )
    .unwrap();
    let layout = Layout::new(&slots, 4).unwrap();
    assert!(!maps.factors.is_empty());
    for (bytes, lift) in &maps.factors {
        let encoded = slots.encode_bytes(bytes).unwrap();
        let odd: Vec<u64> = lift.iter().map(|x| x.unsigned_abs() % 2).collect();
        assert_eq!(odd, encoded);
        // All records alike.
        let place = |slot: &u32| bytes[*slot as usize];
        let records: Vec<Vec<u8>> = layout
            .rows()
            .slots()
            .chunks(4)
            .map(|record| record.iter().map(place).collect())
            .collect();
        assert!(records.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn maps_that_are_not_used_cost_nothing() {
    let map = RowMap::bytewise(1, ByteMap::frobenius(1)).unwrap();
    let parameters = parameters();
    let slots = Slots::new(
        parameters.ring().as_fermat().unwrap(),
        Simd::from_environment().unwrap(),
    )
    .unwrap();
    let layout = Layout::new(&slots, 1).unwrap();
    let maps = SlotMaps::new((&[map], &[]), &BTreeSet::new(), &slots, &layout, &parameters).unwrap();
    assert!(maps.terms(0).is_empty() && maps.exponents().is_empty() && maps.factors().len() == 0);
}

/// The constants of the map that tidies are of order 3: powers of zeta_3 where the ring has it, which make no noise larger.
#[test]
fn shared_slots_are_tidied_with_roots_of_order_3() {
    let tidy = [RowMap::bytewise(1, ringmill_circuit::nibble::tidy()).unwrap()];
    for (name, has_roots) in [
        ("fv128-n4096", false),
        ("fv128-n8192", true),
        ("fv128-n32768", true),
    ] {
        let parameters = Parameters::preset(name).unwrap();
        let ring = parameters.ring().as_fermat().unwrap();
        let slots = Slots::new(ring, Simd::from_environment().unwrap()).unwrap();
        let layout = Layout::shared(&slots).unwrap();
        let used = BTreeSet::from([0]);
        let maps = SlotMaps::new((&tidy, &[]), &used, &slots, &layout, &parameters).unwrap();
        assert_eq!(maps.exponents(), BTreeSet::from([4, 8, 16, 128]), "{name}");
        let MapPower { moved, kept } = maps.powers()[0];
        let (moved, kept) = (moved.unwrap(), kept.unwrap());
        if has_roots {
            assert!(
                (moved - 4.0).abs() < 1e-6 && (kept - 1.0).abs() < 1e-6,
                "{name}: {moved} {kept}"
            );
        } else {
            assert!(
                (1.0..12.0).contains(&kept) && (4.0..15.0).contains(&moved),
                "{name}: {moved} {kept}"
            );
        }
    }
}
