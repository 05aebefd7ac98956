use super::*;
use crate::prime::primes_below;
use proptest::prelude::*;

fn bases(from: usize, to: usize, bits: u32) -> (Basis, Basis) {
    let primes = primes_below(1 << bits, 65535 * 256, from + to, &[]).unwrap();
    (
        Basis::new(&primes[..from]).unwrap(),
        Basis::new(&primes[from..]).unwrap(),
    )
}

fn columns(basis: &Basis, values: &[BigUint]) -> Vec<Vec<u64>> {
    let column = |m| values.iter().map(|x| residue(x, m)).collect();
    basis.moduli().iter().map(column).collect()
}

/// Runs all conversions of every available kernel on given integers and compares with the
/// definition, computed by `num-bigint` from the integers themselves. Returns the number of
/// columns redone exactly by each kernel's lift.
fn check(from: &Basis, to: &Basis, t: &BigUint, values: &[BigUint]) -> Vec<usize> {
    let (d, source) = (from.product(), columns(from, values));
    let source: Vec<&[u64]> = source.iter().map(Vec::as_slice).collect();
    let own = columns(to, values);
    let mut redone = Vec::new();
    for kernel in Simd::tested() {
        let mut of_zeros = Vec::new();
        for kind in [
            ConversionKind::Lift,
            ConversionKind::Divide,
            ConversionKind::Correction,
        ] {
            let conversion = Conversion::new(kernel, t.clone(), from, to, kind).unwrap();
            let mut target = own.clone();
            let mut slices: Vec<&mut [u64]> = target.iter_mut().map(Vec::as_mut_slice).collect();
            let count = conversion.run(&source, &mut slices).unwrap();
            if kind == ConversionKind::Lift {
                redone.push(count);
            }
            let (limbs, zeros) = divided(&conversion, &source, &own);
            assert_eq!(limbs, target, "{kernel:?} {kind:?} from other limbs");
            of_zeros.push(zeros);
            for (k, x) in values.iter().enumerate() {
                let scaled = x * t;
                let rest = &scaled % &d;
                let up = &rest * 2u32 > d;
                for (j, m) in to.moduli().iter().enumerate() {
                    let centred = m.sub(residue(&rest, m), if up { residue(&d, m) } else { 0 });
                    let expected = match kind {
                        ConversionKind::Lift => centred,
                        ConversionKind::Divide => residue(&(&scaled / &d + u32::from(up)), m),
                        ConversionKind::Correction => m.mul(m.neg(centred), m.inv(residue(&d, m)).unwrap()),
                    };
                    assert_eq!(target[j][k], expected, "{kernel:?} {kind:?} column {k}");
                }
            }
        }
        // A correction is what a division makes of zeros.
        assert_eq!(of_zeros[1], of_zeros[2], "{kernel:?}");
    }
    redone
}

/// What a conversion writes over other words, if it divides these limbs, and if it divides zeros.
fn divided(conversion: &Conversion, source: &[&[u64]], own: &[Vec<u64>]) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let run = |dividends: Vec<Dividend<'_>>| {
        let mut target = vec![vec![7; own[0].len()]; own.len()];
        let mut slices: Vec<&mut [u64]> = target.iter_mut().map(Vec::as_mut_slice).collect();
        conversion.run_on(source, &dividends, &mut slices).unwrap();
        target
    };
    let limbs = own.iter().map(|limb| Dividend::Limb(limb)).collect();
    (run(limbs), run(vec![Dividend::Zero; own.len()]))
}

#[test]
fn boundary_columns_are_redone_exactly() {
    for (from, to) in [(1, 1), (3, 2), (14, 15), (29, 14), (41, 43)] {
        let (from, to) = bases(from, to, 50);
        let half = from.product() / 2u32; // (D - 1) / 2, since D is odd
        let whole = from.product() * to.product() - 1u32;
        let edges: [BigUint; 8] = [
            BigUint::ZERO,
            1u32.into(),
            half.clone(),
            &half + 1u32,
            from.product() - 1u32,
            from.product(),
            &half - 1u32,
            whole,
        ];
        // One of one prime has fractions of 1/p, far above the doubt; the others sit on it.
        let expected = if from.len() == 1 { 0 } else { 3 };
        let redone = check(&from, &to, &1u32.into(), &edges);
        if from.len() > 1 {
            assert!(redone.iter().all(|&r| r >= expected), "{redone:?}");
        }
    }
}

#[test]
fn random_columns_take_the_fast_path() {
    let (from, to) = bases(14, 15, 50);
    let mut x = BigUint::from(3u32);
    let range = from.product() * to.product();
    let values: Vec<BigUint> = (0..256)
        .map(|_| {
            x = x.modpow(&65537u32.into(), &(&range - 2u32));
            x.clone()
        })
        .collect();
    assert!(check(&from, &to, &2u32.into(), &values).iter().all(|&r| r == 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_sizes_and_multipliers(
        from in 1usize..24, to in 1usize..12, bits in 34u32..=50, t in any::<[u64; 3]>(), words in 1usize..=3,
        seeds in proptest::collection::vec(any::<[u64; 4]>(), 8..=8),
    ) {
        let (from, to) = bases(from, to, bits);
        let range = from.product() * to.product();
        let values: Vec<BigUint> = seeds
            .iter()
            .map(|s| s.iter().fold(BigUint::ZERO, |x, &w| (x * &range / 7u32) + w) % &range)
            .collect();
        // Numbers of one word, and products of several primes.
        let t = t[..words].iter().fold(BigUint::ZERO, |x, &w| (x << 64) + w);
        check(&from, &to, &t, &values);
    }
}

#[test]
fn wrong_shapes_are_refused() {
    let (from, to) = bases(2, 1, 50);
    let conversion = Conversion::lift(Simd::Portable, 1, &from, &to).unwrap();
    let (a, mut b) = ([0u64; 8], [0u64; 8]);
    assert!(conversion.run(&[&a], &mut [&mut b]).is_err());
    assert!(conversion.run(&[&a, &a[..4]], &mut [&mut b]).is_err());
    assert!(conversion.run(&[&a[..4], &a[..4]], &mut [&mut b[..4]]).is_err());
    assert!(conversion.run_on(&[&a, &a], &[], &mut [&mut b]).is_err());
    assert!(
        conversion
            .run_on(&[&a, &a], &[Dividend::Limb(&a[..4])], &mut [&mut b])
            .is_err()
    );
    let prepared = conversion.prepare(&[&a, &a], vec![[0; 8].to_vec(); 3]).unwrap();
    assert!(conversion.combine(&prepared, 1, Dividend::Zero, &mut b).is_err());
    assert!(
        conversion
            .combine(&prepared, 0, Dividend::Limb(&a[..4]), &mut b)
            .is_err()
    );
    assert!(conversion.combine(&prepared, 0, Dividend::Zero, &mut b).is_ok());
    for rows in [vec![[0; 8].to_vec(); 2], vec![[0; 4].to_vec(); 3]] {
        assert!(conversion.prepare(&[&a, &a], rows).is_err());
    }
    assert!(Conversion::lift(Simd::Portable, 1, &from, &from).is_err());
}

/// Another conversion's columns have fewer rows than this one reads.
#[test]
fn columns_of_a_conversion_from_fewer_primes_are_refused() {
    let (few, many, to) = {
        let primes = primes_below(1 << 45, 65535 * 256, 7, &[]).unwrap();
        let basis = |range: std::ops::Range<usize>| Basis::new(&primes[range]).unwrap();
        (basis(0..2), basis(0..6), basis(6..7))
    };
    for kernel in Simd::tested() {
        let [few, many] = [&few, &many].map(|from| Conversion::lift(kernel, 1, from, &to).unwrap());
        let limbs = [[1_u64; 16], [2; 16]];
        let prepared = few.prepare(&[&limbs[0], &limbs[1]], vec![[0; 16].to_vec(); 3]);
        let refusal = ArithError::WrongLength { expected: 7, got: 3 };
        assert_eq!(
            many.combine(&prepared.unwrap(), 0, Dividend::Zero, &mut [0; 16]),
            Err(refusal)
        );
    }
}
