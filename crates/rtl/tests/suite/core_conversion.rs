//! The golden model of the core's conversions beside big integers, and beside the CPU device.

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::{Device, Digits};
use ringmill_ring::Domain;
use ringmill_rtl::RtlError;
use ringmill_rtl::core::{ConversionKind, ConversionTable, Converted, Piece, Rounding};

use crate::common::Random;
use crate::core_model::{N, configuration, primes, ring};

const KINDS: [ConversionKind; 3] = [
    ConversionKind::Lift,
    ConversionKind::Division,
    ConversionKind::Correction,
];

/// Two bases without a common prime.
fn bases(from: usize, to: usize) -> [Basis; 2] {
    let primes = primes(from + to);
    [&primes[..from], &primes[from..]].map(|primes| Basis::new(primes).unwrap())
}

fn table(
    kind: ConversionKind,
    rounding: Rounding,
    multiplier: &[u64],
    bases: [&Basis; 2],
) -> ConversionTable {
    ConversionTable::new(&configuration(), kind, rounding, multiplier, bases).unwrap()
}

fn residue(x: &BigUint, q: &Modulus) -> u64 {
    (x % q.value()).try_into().unwrap()
}

fn limbs(basis: &Basis, values: &[BigUint]) -> Vec<Vec<u64>> {
    let limb = |q| values.iter().map(|x| residue(x, q)).collect();
    basis.moduli().iter().map(limb).collect()
}

fn slices(limbs: &[Vec<u64>]) -> Vec<&[u64]> {
    limbs.iter().map(Vec::as_slice).collect()
}

fn random(random: &mut Random, below: &BigUint) -> BigUint {
    (0..60).fold(BigUint::ZERO, |x, _| (x << 64) + random.word()) % below
}

/// What a conversion of x, with t x known, leaves modulo q: by the definition.
fn defined(kind: ConversionKind, rounding: Rounding, [tx, d]: [&BigUint; 2], q: &Modulus) -> u64 {
    let rest = tx % d;
    let up = rounding == Rounding::Nearest && &rest * 2_u32 > *d;
    let centred = q.sub(residue(&rest, q), if up { residue(d, q) } else { 0 });
    match kind {
        ConversionKind::Lift => centred,
        ConversionKind::Division => residue(&(tx / d + u32::from(up)), q),
        ConversionKind::Correction => q.mul(q.neg(centred), q.inv(residue(d, q)).unwrap()),
    }
}

/// Converts numbers in all ways and compares with big integers. For each rounding, the columns that were doubtful.
fn check([from, to]: [&Basis; 2], multiplier: &[u64], values: &[BigUint]) -> [Vec<usize>; 2] {
    let (d, t) = (from.product(), multiplier.iter().product::<BigUint>());
    let [sources, own] = [from, to].map(|basis| limbs(basis, values));
    [Rounding::Nearest, Rounding::Down].map(|rounding| {
        let mut doubtful = Vec::new();
        for kind in KINDS {
            let table = table(kind, rounding, multiplier, [from, to]);
            let own = if kind == ConversionKind::Division {
                own.as_slice()
            } else {
                &[]
            };
            let Converted {
                limbs,
                doubtful: found,
            } = table.run(&slices(&sources), &slices(own)).unwrap();
            for (column, x) in values.iter().enumerate() {
                let expected: Vec<u64> = to
                    .moduli()
                    .iter()
                    .map(|q| defined(kind, rounding, [&(x * &t), &d], q))
                    .collect();
                let of = |limbs: &[Vec<u64>]| limbs.iter().map(|limb| limb[column]).collect::<Vec<_>>();
                if !found.contains(&column) {
                    assert_eq!(of(&limbs), expected, "{kind:?} {rounding:?}, column {column}");
                }
                assert_eq!(
                    table.redo(&of(&sources), &of(own)).unwrap(),
                    expected,
                    "{kind:?} {rounding:?} again"
                );
            }
            doubtful = found;
        }
        doubtful
    })
}

#[test]
fn random_numbers_are_converted_without_doubt() {
    let mut numbers = Random::new(1);
    for (from, to, multiplier) in [
        (1, 1, vec![1]),
        (2, 3, vec![2]),
        (7, 1, vec![]),
        (15, 16, vec![u64::MAX, 3]),
        (25, 26, vec![1]),
        (26, 25, vec![1]),
        (31, 28, vec![5]),
    ] {
        let [from, to] = bases(from, to);
        let below = from.product() * to.product();
        let values: Vec<_> = (0..20).map(|_| random(&mut numbers, &below)).collect();
        assert_eq!(check([&from, &to], &multiplier, &values), [[]; 2]);
    }
}

#[test]
fn numbers_near_a_boundary_are_reported() {
    for (from, to) in [(1, 2), (2, 1), (3, 2), (25, 26)] {
        let [from, to] = bases(from, to);
        let d = from.product();
        let half: BigUint = &d / 2_u32;
        let far = &d / from.moduli()[0].value();
        let (zero, one) = (BigUint::ZERO, BigUint::from(1_u32));
        let values = [
            half.clone(),
            &half + 1_u32,
            zero,
            one,
            &d - 1_u32,
            d.clone(),
            &d + &half,
            &half - &far,
            &half + &far,
        ];
        let doubtful = check([&from, &to], &[1], &values);
        // With one prime D is shorter than a fraction, so nothing is too near. Below a boundary by less than 2^-78, or at
        // it by errors: just above 0 fractions are too small as well.
        let expected: [&[usize]; 2] = match from.len() {
            1 => [&[], &[]],
            _ => [&[0, 1, 6], &[3, 4]],
        };
        assert_eq!(doubtful, expected.map(<[usize]>::to_vec), "{} primes", from.len());
    }
}

#[test]
fn what_the_unit_cannot_convert_is_refused() {
    let all = primes(65);
    let basis = |from: usize, to: usize| Basis::new(&all[from..to]).unwrap();
    let refusal = |kind, from: &Basis, to: &Basis| {
        ConversionTable::new(&configuration(), kind, Rounding::Nearest, &[1], [from, to]).unwrap_err()
    };
    let lift = |from: &Basis, to: &Basis| refusal(ConversionKind::Lift, from, to).to_string();
    assert!(lift(&basis(0, 32), &basis(32, 33)).contains("31 source"));
    assert!(lift(&basis(0, 1), &basis(32, 65)).contains("32 target"));
    assert!(lift(&basis(0, 31), &basis(31, 62)).contains("1,024 factors"));
    let small =
        Basis::new(&ringmill_arith::prime::primes_below(1 << 34, 3855 << 17, 1, &[]).unwrap()).unwrap();
    assert!(lift(&small, &basis(0, 1)).contains("15 bits shorter"));
    assert!(matches!(
        refusal(ConversionKind::Lift, &basis(0, 2), &basis(1, 2)),
        RtlError::Arith(_)
    ));
    let other =
        Basis::new(&ringmill_arith::prime::primes_below(1 << 50, 3855 << 8, 40, &[]).unwrap()[39..]).unwrap();
    assert!(matches!(
        refusal(ConversionKind::Lift, &basis(0, 2), &other),
        RtlError::BadTransformModulus { .. }
    ));
    let lift = table(
        ConversionKind::Lift,
        Rounding::Nearest,
        &[1],
        [&basis(0, 2), &basis(2, 3)],
    );
    let limb = [0; 8];
    for (sources, own) in [
        (vec![&limb[..]], vec![]),
        (vec![&limb[..], &limb[..4]], vec![]),
        (vec![&limb[..]; 2], vec![&limb[..]]),
    ] {
        assert!(matches!(
            lift.run(&sources, &own),
            Err(RtlError::WrongLength { .. })
        ));
    }
}

#[test]
fn tables_have_the_layout_of_the_documents() {
    let [from, to] = bases(2, 3);
    let lift = table(ConversionKind::Lift, Rounding::Down, &[1], [&from, &to]).block();
    let division = table(ConversionKind::Division, Rounding::Nearest, &[1], [&from, &to]).block();
    assert_eq!((lift[0], division[0]), (0x302, 0x3_0302));
    let values = |basis: &Basis| basis.moduli().iter().map(Modulus::value).collect::<Vec<_>>();
    assert_eq!(
        (&lift[8..10], &lift[40..43]),
        (&values(&from)[..], &values(&to)[..])
    );
    assert_eq!((lift.len(), division.len()), (72 + 16, 72 + 24));
    // The same sources, and then an own word more for each target.
    assert_eq!(lift[72..78], division[72..78]);
    assert_eq!((lift[86], lift[87]), (lift[78 + 8], 0));
    let bits = |word: u64| 64 - word.leading_zeros();
    assert!(bits(lift[75]) > 34 && bits(lift[75]) <= 50);
}

#[test]
fn cycles_are_those_of_the_documents() {
    let lift = |bases: &[Basis; 2]| table(ConversionKind::Lift, Rounding::Nearest, &[1], bases.each_ref());
    let bases_of = [bases(25, 26), bases(26, 25), bases(1, 1)];
    assert_eq!(lift(&bases_of[0]).cycles(32), 34 * 75 + 32 * 676 + 62);
    let [q, b] = &bases_of[0];
    let division = table(ConversionKind::Division, Rounding::Nearest, &[2], [q, b]);
    assert_eq!(division.cycles(32), 34 * 75 + 32 * 702 + 62);
    assert_eq!(lift(&bases_of[1]).cycles(32), 34 * 78 + 32 * 675 + 62);
    assert_eq!(lift(&bases_of[2]).cycles(32), 34 * 3 + 32 * 20 + 62);
}

/// A polynomial with random coefficients, and some near the boundaries of lifts and divisions.
fn polynomial(
    device: &CpuDevice,
    basis: &Basis,
    near: &BigUint,
    seed: u64,
) -> (<CpuDevice as Device>::Poly, Vec<Vec<u64>>) {
    let (mut numbers, product) = (Random::new(seed), basis.product());
    let mut values: Vec<_> = (0..N).map(|_| random(&mut numbers, &product)).collect();
    for (i, value) in [near / 2_u32, near / 2_u32 + 1_u32, BigUint::ZERO, near - 1_u32]
        .into_iter()
        .enumerate()
    {
        values[97 * i] = value;
    }
    let limbs = limbs(basis, &values);
    let poly = device
        .upload(basis, Domain::Coefficient, &limbs.concat())
        .unwrap();
    (poly, limbs)
}

fn device() -> CpuDevice {
    CpuDevice::new(&ring().into(), Simd::from_environment().unwrap())
}

/// Converts as a host has the core do it: doubtful columns are done again.
fn convert(table: &ConversionTable, sources: &[Vec<u64>], own: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let Converted { mut limbs, doubtful } = table.run(&slices(sources), &slices(own)).unwrap();
    for column in doubtful {
        let of = |limbs: &[Vec<u64>]| limbs.iter().map(|limb| limb[column]).collect::<Vec<_>>();
        let words = table.redo(&of(sources), &of(own)).unwrap();
        limbs
            .iter_mut()
            .zip(words)
            .for_each(|(limb, word)| limb[column] = word);
    }
    limbs
}

#[test]
fn lifts_and_scales_are_those_of_the_cpu() {
    let (device, [q, b]) = (device(), bases(4, 5));
    let lift = table(ConversionKind::Lift, Rounding::Nearest, &[1], [&q, &b]);
    let (a, limbs) = polynomial(&device, &q, &q.product(), 2);
    let expected = device.lift(&a, &b, Domain::Coefficient).unwrap();
    let lifted = convert(&lift, &limbs, &[]);
    assert_eq!(
        [limbs, lifted].concat().concat(),
        device.download(&expected).unwrap()
    );

    let (division, back) = (
        table(ConversionKind::Division, Rounding::Nearest, &[6], [&q, &b]),
        table(ConversionKind::Lift, Rounding::Nearest, &[1], [&b, &q]),
    );
    let (a, limbs) = polynomial(&device, &q.concat(&b).unwrap(), &q.product(), 3);
    let expected = device.scale(&a, 6, q.len()).unwrap();
    let quotient = convert(&division, &limbs[..q.len()], &limbs[q.len()..]);
    assert_eq!(
        convert(&back, &quotient, &[]).concat(),
        device.download(&expected).unwrap()
    );
}

#[test]
fn rescales_are_those_of_the_cpu() {
    let (device, all) = (device(), primes(7));
    let [from, to, dropped] = [&all[..5], &all[2..], &all[..2]].map(|primes| Basis::new(primes).unwrap());
    let (a, limbs) = polynomial(&device, &from, &dropped.product(), 4);
    let expected = device.rescale(&a, &to, Domain::Coefficient).unwrap();
    let new: Vec<u64> = all[5..].iter().map(Modulus::value).collect();
    // The primes that are taken on have words of zeros.
    let own = [&limbs[2..], &[vec![0; N], vec![0; N]]].concat();
    let division = table(ConversionKind::Division, Rounding::Nearest, &new, [&dropped, &to]);
    assert_eq!(
        convert(&division, &limbs[..2], &own).concat(),
        device.download(&expected).unwrap()
    );
}

#[test]
fn digits_are_those_of_the_cpu() {
    let (device, all) = (device(), primes(6));
    let basis = |range: std::ops::Range<usize>| Basis::new(&all[range]).unwrap();
    let digits = Digits::Limbs {
        groups: vec![basis(0..2), basis(2..5)],
        special: basis(5..6),
    };
    let (a, limbs) = polynomial(&device, &basis(0..5), &basis(0..2).product(), 5);
    let expected = device.decompose(&a, &digits).unwrap();
    for (range, digit) in [0..2, 2..5].into_iter().zip(expected) {
        let digit = device.transform(digit, Domain::Coefficient).unwrap();
        let others: Vec<Modulus> = all
            .iter()
            .filter(|q| !all[range.clone()].contains(q))
            .copied()
            .collect();
        let lift = table(
            ConversionKind::Lift,
            Rounding::Nearest,
            &[1],
            [&basis(range.clone()), &Basis::new(&others).unwrap()],
        );
        let mut lifted = convert(&lift, &limbs[range.clone()], &[]);
        // The digit's own limbs stay as they are.
        lifted.splice(range.start..range.start, limbs[range].iter().cloned());
        assert_eq!(lifted.concat(), device.download(&digit).unwrap());
    }
}

/// Numbers of which pieces are taken: v by one table, the piece and what is left by another.
#[test]
fn pieces_are_those_of_the_definition() {
    let mut numbers = Random::new(8);
    for (count, bits, piece_offset) in [
        (1, 1, 0),
        (2, 17, 5),
        (3, 48, (1 << 48) - 1),
        (25, 31, 1 << 30),
        (29, 48, 0),
    ] {
        let [from, _] = bases(count, 1);
        let d = from.product();
        let left = &from.moduli()[..count.div_ceil(2)];
        let piece = Piece {
            bits,
            offset: piece_offset,
        };
        for (rounding, below) in [(Rounding::Nearest, &d / 3_u32), (Rounding::Down, d.clone())] {
            let mut values: Vec<_> = (0..100).map(|_| random(&mut numbers, &below)).collect();
            values.extend([BigUint::ZERO, BigUint::from(1_u32), &below - 1_u32]);
            let quotient = ConversionTable::quotient_of(&configuration(), rounding, &from).unwrap();
            let mut sources = limbs(&from, &values);
            sources.extend(convert(&quotient, &sources, &[]));
            sources.push(vec![1; values.len()]);
            let table = ConversionTable::piece(&configuration(), piece, &from, left).unwrap();
            let results = table.run(&slices(&sources), &[]).unwrap();
            assert_eq!(results.doubtful, []);
            for (column, h) in values.iter().enumerate() {
                let sum = h + piece_offset;
                let lowest = &sum % (BigUint::from(1_u32) << bits);
                assert_eq!(
                    BigUint::from(results.limbs[0][column]),
                    lowest,
                    "{count} primes, {bits} bits"
                );
                let rest = &sum >> bits;
                for (q, limb) in left.iter().zip(&results.limbs[1..]) {
                    assert_eq!(limb[column], residue(&rest, q));
                }
            }
        }
    }
    let [from, _] = bases(2, 1);
    let refused = |bits, from: &Basis| {
        let piece = Piece { bits, offset: 0 };
        ConversionTable::piece(&configuration(), piece, from, from.moduli()).unwrap_err()
    };
    for error in [refused(50, &from), refused(20, &bases(30, 1)[0])] {
        assert!(matches!(error, RtlError::BadConversion { .. }), "{error}");
    }
}
