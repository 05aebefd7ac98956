//! The forms that programs become: depth and number of products, which set the price of an evaluation.

use crate::common::compiled;

/// The AND depth and the number of ANDs.
fn cost(source: &str) -> (u32, usize) {
    let circuit = compiled(source).circuit;
    (circuit.and_depth(), circuit.and_count())
}

#[test]
fn chains_are_trees() {
    let names: Vec<String> = (0..16).map(|i| format!("x{i}")).collect();
    let declared = |kind: &str| {
        names
            .iter()
            .map(|name| format!("{name}: {kind}\n"))
            .collect::<String>()
    };
    let chain = |operator: &str| names.join(operator);
    assert_eq!(
        cost(&format!("{}r = {}", declared("bool"), chain(" and "))),
        (4, 15)
    );
    assert_eq!(
        cost(&format!("{}r = {}", declared("bool"), chain(" or "))),
        (4, 15)
    );
    assert_eq!(
        cost(&format!("{}r = {}", declared("bool"), chain(" xor "))),
        (0, 0)
    );
    let (depth, _) = cost(&format!("{}r = {}", declared("u8"), chain(" + ")));
    assert!(depth <= 8, "{depth}");
    let (depth, _) = cost(&format!("{}r = {}", declared("u2"), chain(" * ")));
    let (nested, _) = cost(&format!(
        "{}r = {}",
        declared("u2"),
        names[1..]
            .iter()
            .fold("x0".to_owned(), |all, name| format!("({all} * {name})"))
    ));
    assert!(depth < nested, "{depth} {nested}");
}

#[test]
fn constants_fold() {
    assert_eq!(cost("x: u8; r = x < 1000; s = x"), (0, 0));
    assert_eq!(cost("x: u8; r = x < 128"), (0, 0));
    assert_eq!(cost("x: u8; r = x == 5"), (3, 7));
    assert_eq!(cost("x: u8; r = x * 64"), (0, 0));
    assert_eq!(cost("x: u8; r = x / 16 + 0 * x"), (0, 0));
    assert_eq!(cost("x: u8; r = if 1 < 2 then x else 0"), (0, 0));
    // Two adjacent ones are one subtraction, whose lower bits are given.
    assert!(cost("x: u8; r = x * 255").0 <= 4);
}

#[test]
fn unused_values_cost_nothing() {
    assert_eq!(cost("x: u8; y: u8; let t = x * y; r = x"), (0, 0));
}
