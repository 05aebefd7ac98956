use super::*;
use crate::Parameters;

/// The largest square of an amplitude by trying all ways on a grid: a second computation of [`furthest`].
fn furthest_by_search(levels: usize, effort: f64) -> f64 {
    const STEPS: usize = 120;
    let help = |index: usize| (effort * index as f64 / STEPS as f64).sqrt();
    // The largest amplitude that each part of the effort leads to.
    let mut reached: Vec<f64> = (0..=STEPS).map(help).collect();
    for _ in 1..levels {
        let next = |spent: usize| {
            let ways = (0..=spent).map(|now| reached[spent - now].powi(2) + help(now));
            ways.fold(0.0, f64::max)
        };
        reached = (0..=STEPS).map(next).collect();
    }
    reached[STEPS].powi(2)
}

#[test]
fn the_best_way_is_found() {
    for levels in 1..=6 {
        for effort in [0.05, 0.2, 0.3, 0.5, 0.64, 0.8, 1.5] {
            let (found, searched) = (furthest(levels, effort), furthest_by_search(levels, effort));
            // Squaring at each level multiplies what the grid misses.
            let exactness = 0.01 * f64::from(1 << levels);
            assert!(
                found >= searched * (1.0 - 1e-9) && found <= searched * (1.0 + exactness),
                "{levels} levels, effort {effort}: {found}, by search {searched}"
            );
        }
    }
}

#[test]
fn noise_escapes_with_an_effort_of_0_64_at_least() {
    assert!(furthest(MOST_LEVELS, 0.63) < 1.0);
    assert!(furthest(MOST_LEVELS, 0.65) > 1e100);
    // One level alone: no help.
    assert!((furthest(1, 0.7) - 0.7).abs() < 1e-9);
}

#[test]
fn a_product_of_fresh_noises_has_the_tail_of_a_square() {
    // |u u'|^2 exceeds y with a probability below e^(-sqrt y), that of a square, whatever share the factors inherited.
    for (log2_failure, bits) in [(-64.0, 80.0), (-128.0, 144.0)] {
        let expected = 2.0 * (bits * LN_2).log2();
        for share in [0.0, 0.1, 1.0] {
            let tail = tail_bgv(1, share, log2_failure);
            assert!((tail - expected).abs() < 1e-6, "{tail}, {expected}");
        }
        assert_eq!(tail_bgv(0, 1.0, log2_failure), gaussian_tail(-log2_failure));
    }
}

#[test]
fn what_plans_may_inherit_needs_few_bits_in_reserve() {
    let model = NoiseModel::new(&Parameters::preset("fv128-n32768").unwrap());
    // One root with all of the noise needs few bits; where all have some, hardly any are needed.
    let mut heavy = model.fresh_public(usize::MAX);
    for _ in 0..44 {
        heavy = model.multiply(usize::MAX, &heavy, &heavy);
    }
    let even = model.moved(&heavy, &());
    for depth in [1, 2, 3, 4, 6, 10, 44, 1000] {
        for (log2_failure, hardly) in [(-64.0, 2.0), (-128.0, 3.5)] {
            let share = NoiseModel::most_inherited(depth, log2_failure);
            let reserve = model.reserve_bgv(depth, share, &heavy, log2_failure);
            assert!((1.5..7.5).contains(&reserve), "{depth}: {reserve}");
            let even = model.reserve_bgv(depth, share, &even, log2_failure);
            assert!(even < hardly, "{depth}: {even}");
        }
    }
    // 0.64 / (80 ln 2) and 0.64 / (144 ln 2) are where noise escapes.
    for (log2_failure, tame, wild) in [(-64.0, 0.0112, 0.0120), (-128.0, 0.0062, 0.0067)] {
        assert!(model.reserve_bgv(1000, tame, &heavy, log2_failure) < 4.0);
        assert_eq!(model.reserve_bgv(1000, wild, &heavy, log2_failure), f64::INFINITY);
    }
}

#[test]
fn inherited_is_what_is_older_than_the_last_switch() {
    let model = NoiseModel::new(&Parameters::preset("fv128-n32768").unwrap());
    // Nothing inherited; as much at every root as the rounding there, so less than half where that is
    // below the mean; nearly all.
    let (none, rounding) = (model.sum(&[]), model.switch_modulus(5, &model.sum(&[])));
    assert_eq!(model.inherited_share(5, &none, &rounding), 0.0);
    let as_much = model.switch_modulus(5, &rounding);
    assert!((model.inherited_share(5, &rounding, &as_much) - 0.5).abs() < 1e-9);
    let much = model.sum(&[&rounding; 8]);
    assert!(model.inherited_share(5, &much, &model.switch_modulus(5, &much)) > 0.98);
}
