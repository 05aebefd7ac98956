use super::*;
use crate::sampling::Seed;

// From a separate implementation of the specifications (Python, with its own ChaCha20 and tables by
// `decimal` at 120 digits); the seed is 32 bytes of 1.
const GOLDEN_1: [i32; 8] = [0, 1, 0, -1, -1, -1, -1, 0];
const GOLDEN_3: [i32; 8] = [1, 4, 0, -3, -4, -3, -4, 1];
const GOLDEN_50: [i32; 8] = [8, 60, -7, -47, -64, -54, -57, 14];

fn stream(fill: u8) -> Stream {
    Stream::new(&Seed::from_bytes([fill; 32]))
}

fn samples(sigma: f64, fill: u8, count: usize) -> Vec<i32> {
    let mut out = vec![0; count];
    Gaussian::new(sigma).unwrap().sample(&mut stream(fill), &mut out);
    out
}

#[test]
fn refuses_deviations_out_of_range() {
    for bad in [0.0, -3.2, 0.499, 64.001, f64::NAN, f64::INFINITY] {
        assert!(matches!(Gaussian::new(bad), Err(ArithError::BadDeviation(_))));
    }
    for good in [0.5, 64.0] {
        assert!(Gaussian::new(good).is_ok());
    }
}

/// Expected values computed from the definition with Python's `decimal` at 120 digits: the number
/// of entries, the first, all folded by f <- 3 f + entry mod 2^64, and the variance.
#[test]
fn table_is_exact_to_the_last_bit() {
    for (sigma, len, first, fold, variance) in [
        (
            0.5,
            4,
            7_254_834_264_339_792_149,
            2_145_902_647_626_586_704,
            0.215_012_675_088_138_48,
        ),
        (
            3.2,
            29,
            1_149_872_835_429_265_944,
            14_343_368_884_437_191_966,
            10.24,
        ),
        (
            19.4,
            178,
            189_669_746_050_188_221,
            8_995_976_749_039_221_333,
            376.36,
        ),
        (
            64.0,
            586,
            57_493_641_771_463_300,
            9_620_680_675_266_471_403,
            4096.0,
        ),
    ] {
        let gaussian = Gaussian::new(sigma).unwrap();
        let entries: Vec<u64> = cumulative(sigma).iter().map(|&e| e as u64).collect();
        assert_eq!((entries.len(), entries[0]), (len, first));
        assert_eq!(gaussian.max(), len as i32);
        let folded = entries
            .iter()
            .fold(0_u64, |f, e| f.wrapping_mul(3).wrapping_add(*e));
        assert_eq!(folded, fold);
        assert!((gaussian.variance() / variance - 1.0).abs() < 1e-14, "{sigma}");
    }
}

/// A seed for which the prefix at place 21 is undecided for sigma = 3.2, found by search; expected values
/// as above, all folded by f <- 3 f + sample mod 2^64.
#[test]
fn golden_numbers_with_an_undecided_prefix() {
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&1_359_272_u32.to_le_bytes());
    for kernel in Simd::tested() {
        let mut out = [0; 300];
        let gaussian = Gaussian::with_kernel(3.2, kernel).unwrap();
        gaussian.sample(&mut Stream::new(&Seed::from_bytes(seed)), &mut out);
        assert_eq!(out[21], 19);
        let folded = out
            .iter()
            .fold(0_u64, |f, &x| f.wrapping_mul(3).wrapping_add(x as u64));
        assert_eq!(folded, 16_572_758_739_657_937_088, "{kernel:?}");
    }
}

#[test]
fn golden_numbers() {
    assert_eq!(samples(1.0, 1, 8), GOLDEN_1);
    assert_eq!(samples(3.2, 1, 8), GOLDEN_3);
    assert_eq!(samples(50.0, 1, 8), GOLDEN_50);
}

/// Prefixes and undecided words together are what the table says, and nothing is left over.
#[test]
fn dealing_keeps_every_probability() {
    for sigma in [0.5, 3.2, 19.4, 64.0] {
        let table = cumulative(sigma);
        let (mut prefixes, decided, rest) = deal(&table);
        prefixes.resize(table.len(), decided);
        let undecided = (i64::from(decided) + 1) << 32;
        for k in 0..table.len() {
            let through_k = ((i64::from(prefixes[k]) + 1) << 32) + (rest[k] - undecided);
            assert_eq!(through_k, table[k], "{sigma} {k}");
        }
        // What the running time tells happens as rarely as the documentation says.
        let probability = (BLOCK as f64) * (f64::from(i32::MAX - decided) / 2_f64.powi(31));
        assert!(
            probability < if sigma == 64.0 { 2.5e-5 } else { 1e-5 },
            "{probability}"
        );
        assert!(sigma != 3.2 || probability < 1.4e-6, "{probability}");
    }
}

#[test]
fn kernels_and_cuts_agree_with_a_plain_scan() {
    for sigma in [0.5, 3.2, 19.4, 64.0] {
        for kernel in Simd::tested() {
            let gaussian = Gaussian::with_kernel(sigma, kernel).unwrap();
            let mut out = [0; 1501];
            let (first, second) = out.split_at_mut(3 * BLOCK);
            let mut pieces = stream(8);
            gaussian.sample(&mut pieces, first);
            gaussian.sample(&mut pieces, second);
            let mut halves = [0; 1502];
            stream(8).fill_halves(&mut halves);
            for (x, half) in out.iter().zip(halves) {
                let prefix = (half >> 1) as i32;
                assert!(prefix <= gaussian.decided);
                let size = gaussian.prefixes.partition_point(|&end| end < prefix) as i32;
                assert_eq!(*x, if half & 1 == 1 { -size } else { size });
            }
        }
    }
}

/// Half words at both ends and at the steps of the table.
#[test]
fn extreme_prefixes_give_extreme_samples() {
    for kernel in Simd::tested() {
        let gaussian = Gaussian::with_kernel(3.2, kernel).unwrap();
        let (end, decided) = (gaussian.prefixes[4] as u32, gaussian.decided as u32);
        let mut halves = [0; BLOCK];
        halves[..5].copy_from_slice(&[1, end << 1, (end + 1) << 1 | 1, decided << 1, decided << 1 | 1]);
        let scan = |halves: &[u32; BLOCK]| {
            let mut out = [7; 5];
            let all = kernel.run(Scan {
                ends: &gaussian.prefixes,
                decided: gaussian.decided,
                halves,
                out: &mut out,
            });
            (all, out)
        };
        assert_eq!(scan(&halves), (true, [0, 4, -5, 20, -20]));
        halves[2] = (decided + 1) << 1;
        assert!(!scan(&halves).0);
        halves[2] = u32::MAX;
        assert!(!scan(&halves).0);
    }
}

/// Thresholds: mean and variance within 5 of their standard errors; chi-square within 6 standard
/// deviations of its mean.
#[test]
fn samples_fit_the_distribution() {
    const COUNT: usize = 1 << 20;
    for (sigma, fill) in [(0.5_f64, 11), (3.2, 12), (19.4, 13), (64.0, 14)] {
        let gaussian = Gaussian::new(sigma).unwrap();
        let out = samples(sigma, fill, COUNT);
        let (count, variance) = (COUNT as f64, gaussian.variance());

        let mean = out.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "{sigma}: {mean}");
        let second = out.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / count;
        let fourth = out.iter().map(|&x| f64::from(x).powi(4)).sum::<f64>() / count;
        let error = ((fourth - variance * variance) / count).sqrt();
        assert!((second - variance).abs() < 5.0 * error, "{sigma}: {second}");

        // The ideal probabilities, straight from the definition; bins of at least 20 expected.
        let density = |x: i32| (-f64::from(x).powi(2) / (2.0 * sigma * sigma)).exp();
        let total: f64 = (-1000..=1000).map(density).sum();
        let (mut statistic, mut bins, mut binned) = (0.0, 0.0, 0);
        for x in -gaussian.max()..=gaussian.max() {
            let expected = count * density(x) / total;
            if expected >= 20.0 {
                let seen = out.iter().filter(|&&y| y == x).count();
                statistic += (seen as f64 - expected).powi(2) / expected;
                bins += 1.0;
                binned += seen;
            }
        }
        let freedom: f64 = bins - 1.0;
        assert!(
            statistic < freedom + 6.0 * (2.0 * freedom).sqrt(),
            "{sigma}: {statistic}"
        );
        // What is outside the bins is rarer than one in a thousand.
        assert!(COUNT - binned < COUNT / 1000, "{sigma}: {binned}");
    }
}

/// With each kernel, in every build: more samples than a block has random numbers for stop before these are read.
#[test]
fn a_scan_reads_one_block_at_most() {
    for kernel in Simd::tested() {
        let scan = |len: usize| {
            let run = || {
                kernel.run(Scan {
                    ends: &[],
                    decided: i32::MAX,
                    halves: &[0; BLOCK],
                    out: &mut vec![1; len],
                })
            };
            std::panic::catch_unwind(run).is_ok()
        };
        assert!(scan(BLOCK) && !scan(BLOCK + 1) && !scan(2 * BLOCK), "{kernel:?}");
    }
}
