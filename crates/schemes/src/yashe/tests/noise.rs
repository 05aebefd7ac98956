//! The noise model beside measured noise.

use super::*;
use crate::ntru::Noise;

/// Measured noise is below its bound, and not far below its deviation times 3.
fn check(f: &Fixture, what: &str, predicted: &Noise, a: &Ciphertext<CpuDevice>, bits: &[bool]) {
    let expected = f.context.encode(bits).unwrap();
    let measured = f.context.measure_noise(&f.secret, a, &expected).unwrap();
    let model = f.context.noise_model();
    let (deviation, bound) = (
        predicted.deviation_log2(model.bins()),
        model.bound_log2(predicted),
    );
    assert!(measured < bound, "{what}: {measured} where {bound} is allowed");
    assert!(
        measured > deviation - 5.0,
        "{what}: {measured}, predicted {deviation}"
    );
}

#[test]
fn predictions_bound_measured_noise_after_every_operation() {
    let f = Fixture::new(&spec());
    let (context, model, top) = (&f.context, f.context.noise_model(), 13);
    let (x, a) = f.encrypted(30, top);
    let (y, b) = f.encrypted(31, top);
    let fresh = model.fresh(top).unwrap();
    check(&f, "fresh", &fresh, &a, &x);
    let both = zip(&x, &y, |x, y| x ^ y);
    check(
        &f,
        "sum",
        &model.sum(&[&fresh, &fresh]),
        &context.sum(&[&a, &b]).unwrap(),
        &both,
    );
    let product = model.multiply(top, &fresh, &fresh).unwrap();
    let and = zip(&x, &y, |x, y| x & y);
    check(&f, "product", &product, &f.products(&[(&a, &b)], &[], top), &and);
    let switched = model.switch(3, &product).unwrap();
    check(&f, "switch", &switched, &f.products(&[(&a, &b)], &[], 3), &and);
    let plain = context.encode(&y).unwrap();
    let times = model.multiply_plain(&fresh);
    check(
        &f,
        "times plain",
        &times,
        &context.multiply_plain(&a, &plain).unwrap(),
        &and,
    );
    let plus = model.add_plain(top, &fresh).unwrap();
    check(
        &f,
        "plus plain",
        &plus,
        &context.add_plain(&a, &plain).unwrap(),
        &both,
    );
}

/// As many products one after the other as the set claims, a level down with each; the last decrypts.
#[test]
fn the_full_depth_decrypts() {
    let f = Fixture::new(&spec());
    let model = f.context.noise_model();
    let top = f.context.parameters().levels();
    assert_eq!(model.depth(top, 1).unwrap(), top - 1);
    let (mut x, mut a) = f.encrypted(40, top);
    let mut predicted = model.fresh(top).unwrap();
    for level in (1..top).rev() {
        // A fresh factor each time would be easier: this one has as much noise.
        let (y, b) = f.encrypted(41, level + 1);
        let other = f.context.sum(&[&a, &b]).unwrap();
        let noise = model.sum(&[&predicted, &model.fresh(level + 1).unwrap()]);
        let product = model.multiply(level + 1, &predicted, &noise).unwrap();
        predicted = model.switch(level, &product).unwrap();
        a = f.products(&[(&a, &other)], &[], level);
        x = zip(&x, &zip(&x, &y, |x, y| x ^ y), |x, y| x & y);
        check(&f, &format!("level {level}"), &predicted, &a, &x);
        assert_eq!(f.decrypt(&a), x, "level {level}");
    }
    assert!(model.check_depth(top - 1).is_ok());
    assert!(matches!(
        model.check_depth(top),
        Err(NtruError::TooDeep {
            depth: 13,
            most: 12,
            ..
        })
    ));
}

/// The levels of the named set bear what they promise, with factors that are sums of four products too.
#[test]
fn levels_of_the_named_set_suffice() {
    let context: Context<CpuDevice> = testing::context(Parameters::named("yashe-1225").unwrap());
    let model = context.noise_model();
    let top = context.parameters().levels();
    for level in 1..=top {
        assert_eq!(model.depth(level, 4).unwrap(), level - 1, "level {level}");
    }
    assert!(context.level_chain(43).is_ok());
    let level_chain = context.level_chain(top - 1).unwrap();
    assert_eq!(level_chain.levels.len(), top);
    assert!(level_chain.levels.is_sorted_by(|a, b| a >= b));
    assert!(matches!(context.level_chain(top), Err(NtruError::TooDeep { .. })));
}
