use ringmill_arith::sampling::{Seed, Stream};

use super::*;
use crate::{Parameters, presets};

fn model(name: &str) -> (Parameters, NoiseModel) {
    let parameters = Parameters::preset(name).unwrap();
    let model = NoiseModel::new(&parameters);
    (parameters, model)
}

fn dominates(a: &Noise, b: &Noise) -> bool {
    a.log2_powers().iter().zip(b.log2_powers()).all(|(a, b)| *a >= b)
}

#[test]
fn operations_only_add_noise() {
    for name in ["fv128-n4096", "fv128-n32768", "hepcloud"] {
        let (parameters, model) = model(name);
        let top = parameters.levels();
        let fresh = model.fresh_public(top);
        let secret = model.fresh_secret(top);
        assert!(dominates(&fresh, &secret) && dominates(&secret, &model.trivial(top)));
        for level in 1..=top {
            let noise = model.fresh_public(level);
            for worse in [
                model.sum(&[&noise, &secret]),
                model.multiply(level, &noise, &secret),
                model.square(level, &noise),
                model.key_switch(level, &noise),
                model.switch_modulus(level, &noise),
                model.add_plain(level, &noise),
                model.multiply_plain(&noise),
            ] {
                assert!(dominates(&worse, &noise), "{name} {level}");
                assert!(worse.log2_powers().is_sorted());
                assert!(worse.failure_log2(&model, 1) >= noise.failure_log2(&model, 1));
            }
            // An automorphism spreads the noise, and its key switch adds to it.
            let moved = model.automorphism(level, &noise, &());
            assert!(moved.log2_powers()[0] > noise.log2_powers()[0]);
            assert!(moved.failure_log2(&model, 1) >= noise.failure_log2(&model, 1));
            // More noise in, more noise out.
            let more = model.sum(&[&noise, &noise]);
            assert!(dominates(
                &model.multiply(level, &more, &noise),
                &model.multiply(level, &noise, &noise)
            ));
            if level > 1 {
                assert!(dominates(&model.fresh_public(level - 1), &noise));
            }
        }
        let none = model.sum(&[]);
        assert_eq!(model.sum(&[&none, &fresh]), fresh);
        let twice = model.sum(&[&fresh, &fresh]);
        let doubled = twice.coefficient_deviation_log2(&model) - fresh.coefficient_deviation_log2(&model);
        assert!((doubled - 1.0).abs() < 1e-9);
    }
}

/// w'' = w w' exactly, and what is left of it after a modulus switch.
#[test]
fn low_products_multiply_powers() {
    let (parameters, model) = model("fv128-n32768");
    for level in [3, 9, 15] {
        let rounding = model.switch_modulus(level, &model.sum(&[]));
        let fresh = model.fresh_public(level);
        let w = |noise: &Noise| noise.coefficient_deviation_log2(&model) + parameters.log2_q(level);
        let product = model.multiply_bgv(level, &rounding, &fresh);
        for (bin, power) in product.log2_powers().iter().enumerate() {
            let factors = rounding.log2_powers()[bin] + fresh.log2_powers()[bin];
            assert!((power - factors - 2.0 * parameters.log2_q(level) - 0.2).abs() < 1e-9);
        }
        let square = model.square_bgv(level, &rounding);
        let other = model.multiply_bgv(level, &rounding, &rounding);
        assert!((w(&square) - w(&other) - 0.4).abs() < 1e-9);
        // The rounding leaves w = t (r_0 + r_1 s), r_0 and r_1 uniform in (-1/2, 1/2): with S = 2n/3 its
        // coefficients have the deviation 2 sqrt(2^w/d n (1 + S)/12) in the mean; the worst ones more.
        let n = 32768f64;
        let deviation = (4.0 * 16.0 / 65535.0 * n * (1.0 + n / 1.5) / 12.0).log2() / 2.0;
        assert!(
            (0.0..0.8).contains(&(w(&rounding) - deviation)),
            "{} {deviation}",
            w(&rounding)
        );
        // A key switch is a extended one and the rounding of its division.
        let extended = model.key_switch_extended(level, &fresh);
        assert_eq!(
            model.key_switch(level, &fresh),
            model.switch_modulus(level, &extended)
        );
        // An automorphism leaves the variance of a coefficient, spread over all roots.
        let rotated = model.moved(&product, &());
        let (least, most) = (product.log2_powers()[0], product.largest_log2());
        let same = rotated.log2_powers()[0];
        assert!(least < same && same < most && rotated.log2_powers().iter().all(|power| *power == same));
        let deviations = [&rotated, &product].map(|noise| noise.coefficient_deviation_log2(&model));
        assert!((deviations[0] - deviations[1]).abs() < 1e-9);
    }
}

#[test]
fn reserves_grow_with_what_spreads() {
    let (_, model) = model("fv128-n32768");
    // A chain of products at one level: the more there are, the more the heaviest root counts.
    let top = usize::MAX;
    let (mut noise, mut reserves) = (model.fresh_public(top), Vec::new());
    for depth in 0..=40 {
        reserves.push(model.reserve_bits(depth, &noise, -64.0));
        noise = model.multiply(top, &noise, &noise);
    }
    assert!(reserves.is_sorted() && reserves[1] == 0.0, "{reserves:?}");
    assert!(
        (6.0..7.0).contains(&reserves[10]) && (16.0..17.0).contains(&reserves[40]),
        "{reserves:?}"
    );
    // Where all roots are alike, a pair has to exceed its mean by as much as there are pairs, but is one of so many.
    let even = model.moved(&noise, &());
    let found = model.reserve_bits(44, &even, -64.0);
    assert!((11.0..15.0).contains(&found), "{found}");
    // It grows with what is asked for, and for operands that depend on each other.
    let rarer = model.reserve_bits(40, &noise, -128.0);
    assert!(rarer > reserves[40] + 5.0, "{rarer}");
    let any = model.reserve_bits_any(40, &noise, -64.0);
    assert!((reserves[40] + 4.0..reserves[40] + 7.0).contains(&any), "{any}");
}

/// Thousands of levels without a modulus switch, sums and plaintext products in between: nothing overflows, and the
/// failure is certain.
#[test]
fn noise_ends_at_the_largest_power() {
    for name in ["fv128-n4096", "fv128-n65536"] {
        let (parameters, model) = model(name);
        let top = parameters.levels();
        for product in [NoiseModel::multiply, NoiseModel::multiply_bgv] {
            let mut noise = model.fresh_public(top);
            for _ in 0..3000 {
                let next = model.key_switch(top, &product(&model, top, &noise, &noise));
                assert!(dominates(&next, &noise));
                noise = next;
            }
            let end = vec![f64::from(powers::LARGEST_LOG2); model.bins().x().len()];
            assert_eq!(noise.log2_powers(), end);
            for worse in [
                model.sum(&[&noise; 1000]),
                model.square(top, &noise),
                model.square_bgv(top, &noise),
                model.automorphism(top, &noise, &()),
                model.switch_modulus(1, &noise),
                model.add_plain(1, &noise),
                model.multiply_plain(&noise),
            ] {
                assert!(
                    worse.log2_powers().iter().all(|power| end[0] - power < 1e-6),
                    "{worse:?}"
                );
                assert!(worse.bound_log2(&model, -64.0, 1) > 5e5);
                assert_eq!(worse.failure_log2(&model, 1), 0.0);
            }
            assert_eq!(model.inherited_share(top, &noise, &noise), 1.0);
        }
        // No noise is a number too.
        let none = model.sum(&[]);
        for product in [
            model.multiply_bgv(top, &none, &none),
            model.moved(&none, &()),
            model.sum(&[&none, &none]),
        ] {
            assert_eq!(product, none);
        }
        let failure = none.failure_log2(&model, 1);
        assert!(failure.is_finite() && failure < -1e18);
        assert_eq!(model.inherited_share(top, &none, &none), 0.0);
    }
}

#[test]
fn the_least_of_noises_is_below_both() {
    let (parameters, model) = model("fv128-n4096");
    let fresh = model.fresh_public(parameters.levels());
    let moved = model.moved(&fresh, &());
    let least = fresh.least(&moved);
    assert!(dominates(&fresh, &least) && dominates(&moved, &least));
    assert!(least != fresh && least != moved);
    assert_eq!(least, moved.least(&fresh));
}

#[test]
fn bound_margin_and_failure_agree() {
    let (parameters, model) = model("fv128-n4096");
    let mut noise = model.fresh_public(parameters.levels());
    for _ in 0..3 {
        let bound = noise.bound_log2(&model, -64.0, 5);
        assert_eq!(noise.margin_bits(&model, -64.0, 5), -1.0 - bound);
        assert!(noise.bound_log2(&model, -80.0, 5) > bound);
        assert!(noise.bound_log2(&model, -64.0, 50) > bound);
        // The failure probability for which nothing is left is that of a failure.
        let failure = noise.failure_log2(&model, 5);
        if (-2000.0..0.0).contains(&failure) {
            assert!(noise.margin_bits(&model, failure, 5).abs() < 1e-6);
        }
        let deviation = noise.coefficient_deviation_log2(&model);
        // 2^-64 of 5 * 4096 Gaussians: 10.17 deviations, from Python's `math.erfc`.
        assert!(
            (bound - deviation - 10.17f64.log2()).abs() < 0.002,
            "{}",
            bound - deviation
        );
        noise = model.multiply_relinearize(parameters.levels(), &noise, &noise);
    }
}

/// The mathematics note has 14.4 bits a level at n = 32768, for a secret of equal powers. The allowance for
/// correlation adds 0.1; the secret's real powers, by which the noise of one level and the factor of the
/// next are large together, 0.7 at first and half of log2(9.0) at last; upper edges of bins up to 0.2.
#[test]
fn growth_of_a_level() {
    let (parameters, model) = model("fv128-n32768");
    let top = parameters.levels();
    let mut noise = model.fresh_public(top);
    let mut growth = Vec::new();
    for _ in 0..40 {
        let next = model.multiply_relinearize(top, &noise, &noise);
        growth.push(next.coefficient_deviation_log2(&model) - noise.coefficient_deviation_log2(&model));
        noise = next;
    }
    assert!(growth.is_sorted(), "{growth:?}");
    assert!((15.2..15.4).contains(&growth[0]), "{growth:?}");
    assert!((16.05..16.15).contains(&growth[39]), "{growth:?}");
}

#[test]
fn presets_have_room_for_products() {
    for (name, least) in [
        ("fv128-n4096", 4),
        ("fv128-n8192", 11),
        ("fv128-n16384", 20),
        ("fv128-n32768", 43),
        ("fv128-n65536", 80),
        ("fv192-n4096", 1),
        ("fv192-n8192", 6),
        ("fv256-n4096", 1),
        ("fv256-n8192", 3),
        ("hepcloud", 50),
    ] {
        let (parameters, model) = model(name);
        let top = parameters.levels();
        let mut noise = model.fresh_public(top);
        let mut depth = 0;
        loop {
            noise = model.multiply_relinearize(top, &noise, &noise);
            if noise.margin_bits(&model, -64.0, 1) < 0.0 {
                break;
            }
            depth += 1;
        }
        assert!(depth >= least, "{name}: {depth}");
    }
}

/// Noise simulated at the roots of a real secret, all products of independent Gaussians: the model's
/// deviation is above, and not by much.
#[test]
fn simulated_products_stay_below() {
    let mut spec = presets::spec("fv128-n4096").unwrap();
    (spec.limbs.count, spec.allow_insecure) = (10, true);
    let parameters = Parameters::new(&spec).unwrap();
    let model = NoiseModel::new(&parameters);
    let ring = parameters.ring();
    let fermat = ring.as_fermat().unwrap();
    let n = ring.n();
    let seed = Seed::from_bytes([3; 32]);
    let mut stream = Stream::new(&seed.derive("gaussians", 0));
    let secret = parameters.candidates(&model, &seed).next().unwrap().unwrap();
    let mut gaussian = || {
        let mut words = [0; 2];
        stream.fill_words(&mut words);
        let [u, v] = words.map(|w| ((w >> 11) as f64 + 0.5) / (1u64 << 53) as f64);
        // Complex of power 1.
        let (radius, angle) = ((-u.ln()).sqrt(), v * std::f64::consts::TAU);
        (radius * angle.cos(), radius * angle.sin())
    };
    let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    const DEPTH: u32 = 6;
    let mut sum = 0.0;
    for x in secret.powers() {
        // t^2 K with t = 2
        let power = x * n as f64 * parameters.secret().variance();
        let factor = (4.0 * n as f64 * (1.0 + power) / 12.0).sqrt();
        let mut row: Vec<(f64, f64)> = (0..1 << DEPTH).map(|_| gaussian()).collect();
        while row.len() > 1 {
            let pairs = row.chunks(2).map(|pair| {
                let (a, b) = (times(gaussian(), pair[0]), times(gaussian(), pair[1]));
                (factor * (a.0 + b.0), factor * (a.1 + b.1))
            });
            row = pairs.collect();
        }
        sum += row[0].0.powi(2) + row[0].1.powi(2);
    }
    let scale = f64::from(1 << fermat.weight()) / fermat.d() as f64;
    let simulated = (sum / n as f64 * scale).log2() / 2.0;
    // At 350 bits of q: small enough that v1 v2 is nothing, large enough that roundings are nothing.
    const START: f64 = -250.0;
    let mut noise = model.of_bins(&[2.0 * START; COUNT]);
    for _ in 0..DEPTH {
        noise = model.multiply(10, &noise, &noise);
    }
    let predicted = noise.coefficient_deviation_log2(&model) - START;
    assert!(
        predicted > simulated && predicted < simulated + 0.5 * f64::from(DEPTH),
        "{predicted} {simulated}"
    );
}
