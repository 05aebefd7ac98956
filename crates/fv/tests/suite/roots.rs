//! The noise at every root under a known secret, measured and predicted.

use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, KeySwitching};

use crate::common::{Party, bits, party, toy, zip};

/// Runs over which measured powers are averaged: each is nearly a product of squared Gaussians.
const RUNS: u8 = 16;

/// a b moved by x -> x^k, times c.
fn run(p: &Party, exponent: u64, run: u8) -> (Ciphertext<CpuDevice>, Vec<bool>) {
    let (context, level) = (&p.context, p.context.parameters().levels());
    let values = [0, 1, 2].map(|i| bits(context, u64::from(3 * run + i)));
    let inputs = [0, 1, 2].map(|i| p.encrypt(&values[usize::from(i)], level, 3 * run + i));
    let product = |a: &Ciphertext<CpuDevice>, b: &Ciphertext<CpuDevice>| {
        let product = context.multiply(&context.lift(a).unwrap(), &context.lift(b).unwrap());
        p.relinearize(&product.unwrap())
    };
    let moved = context.automorphism(&product(&inputs[0], &inputs[1]), &p.galois(exponent));
    let expected = p.moved(&zip(&values[0], &values[1], |a, b| a & b), exponent);
    (
        product(&moved.unwrap(), &inputs[2]),
        zip(&expected, &values[2], |a, b| a & b),
    )
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let products = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        let products = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my));
        products.sum::<f64>()
    };
    products(a, ma, b, mb) / (products(a, ma, a, ma) * products(b, mb, b, mb)).sqrt()
}

/// Where the secret is large at a root and at its image, noise is largest: there, and not where another automorphism would
/// bring it, and never much above what the model says of the root.
#[test]
fn noise_is_at_each_root_what_the_model_says() {
    let p = party(toy(2048, 5, KeySwitching::Hybrid { digit_limbs: 1 }));
    let (context, exponent) = (&p.context, 7);
    let parameters = context.parameters();
    let secret = context.secret_powers(&p.secret).unwrap();
    let model = context.noise_model().of_secret(parameters, &secret).unwrap();
    let (pairs, level) = (model.roots(), parameters.levels());
    let predicted = |exponent| {
        let fresh = model.fresh_public(level);
        let product = model.multiply_relinearize(level, &fresh, &fresh);
        let moved = model.automorphism(level, &product, &pairs.sources(exponent).unwrap());
        model.multiply_relinearize(level, &moved, &fresh)
    };
    let mut powers = vec![0.0; parameters.n()];
    for index in 0..RUNS {
        let (ciphertext, expected) = run(&p, exponent, index);
        let expected = context.encode(&expected).unwrap();
        let log2 = context
            .measure_noise_powers(&p.secret, &ciphertext, &expected)
            .unwrap();
        for (sum, log2) in powers.iter_mut().zip(log2.iter()) {
            *sum += log2.exp2() / f64::from(RUNS);
        }
    }
    let measured: Vec<f64> = pairs
        .of_positions(&powers)
        .unwrap()
        .iter()
        .map(|x| x.log2())
        .collect();
    let there = predicted(exponent).log2_powers();
    let right = correlation(&measured, &there);
    let inverse = parameters.ring().inverse(exponent).unwrap();
    let elsewhere = correlation(&measured, &predicted(inverse).log2_powers());
    assert!(right > 0.85 && elsewhere < 0.75, "{right} {elsewhere}");
    let above = measured
        .iter()
        .zip(there.iter())
        .map(|(measured, predicted)| measured - predicted);
    let (mean, most) = (
        above.clone().sum::<f64>() / measured.len() as f64,
        above.fold(f64::NEG_INFINITY, f64::max),
    );
    // The public key's error is one for all runs, and up to three bits above its mean at some of a thousand roots.
    assert!((-2.0..0.0).contains(&mean) && most < 4.0, "{mean} {most}");
}

/// Without automorphisms no secret that is covered has more noise than the bins say, nor much less.
#[test]
fn bins_bound_the_roots_of_all_secrets() {
    let p = party(toy(2048, 8, KeySwitching::Hybrid { digit_limbs: 1 }));
    let parameters = p.context.parameters();
    let bins = p.context.noise_model();
    let secret = p.context.secret_powers(&p.secret).unwrap();
    let pairs = bins.of_secret(parameters, &secret).unwrap();
    let level = parameters.levels();
    let (mut all, mut own) = (bins.fresh_public(level), pairs.fresh_public(level));
    for depth in 1..=12 {
        all = bins.multiply_relinearize(level, &all, &all);
        own = pairs.multiply_relinearize(level, &own, &own);
        let over = all.coefficient_deviation_log2(bins) - own.coefficient_deviation_log2(&pairs);
        assert!(
            (0.0..0.3 + 0.25 * f64::from(depth)).contains(&over),
            "{depth}: {over}"
        );
        let reserves = [
            bins.reserve_bits(depth as usize, &all, -64.0),
            pairs.reserve_bits(depth as usize, &own, -64.0),
        ];
        assert!((reserves[0] - reserves[1]).abs() < 1.5, "{depth}: {reserves:?}");
    }
    let (all, own) = (bins.square(level, &all), pairs.square(level, &own));
    assert!(all.largest_log2() >= own.largest_log2());
    let largest = own
        .log2_powers()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(largest, own.largest_log2());
}
