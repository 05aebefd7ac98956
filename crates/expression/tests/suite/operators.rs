//! Every operator on all values of small types, against integers.

use crate::common::check;

#[test]
fn sums_and_differences() {
    check("u4", "u4", "a + b", "u5", |a, b| a + b);
    check("u4", "u2", "a + b", "u5", |a, b| a + b);
    check("i4", "i3", "a + b", "i5", |a, b| a + b);
    check("u3", "i4", "a + b", "i5", |a, b| a + b);
    check("u4", "u4", "a - b", "i5", |a, b| a - b);
    check("i3", "u4", "a - b", "i6", |a, b| a - b);
    check("i4", "i4", "b - a", "i5", |a, b| b - a);
    check("u4", "u4", "-a - b", "i6", |a, b| -a - b);
    check("i4", "u3", "-a", "i5", |a, _| -a);
    check("u4", "u3", "-a", "i5", |a, _| -a);
    check("u4", "u4", "a + 5", "u5", |a, _| a + 5);
    check("u4", "u4", "5 - a", "i5", |a, _| 5 - a);
    check("i4", "u4", "a - 3 + 3", "i4", |a, _| a);
    check("i3", "u3", "a + b - a - b + 7 - b + a + a", "i6", |a, b| {
        7 - b + a + a
    });
    check("u3", "u3", "a + a + b + b + a", "u6", |a, b| 3 * a + 2 * b);
    check("u3", "u3", "a - (a - b)", "i5", |_, b| b);
}

#[test]
fn products() {
    check("u4", "u4", "a * b", "u8", |a, b| a * b);
    check("u1", "u4", "a * b", "u4", |a, b| a * b);
    check("i4", "i4", "a * b", "i8", |a, b| a * b);
    check("i4", "u3", "a * b", "i7", |a, b| a * b);
    check("u3", "i1", "a * b", "i4", |a, b| a * b);
    check("i2", "u3", "a * b * a", "i6", |a, b| a * b * a);
    check("u3", "u3", "a * b * a * b * 3", "u13", |a, b| 3 * a * a * b * b);
    for factor in -40..40 {
        let product = |a: i128, _| a * factor;
        let name = |least: i128, greatest: i128| {
            let (least, greatest) = (least.min(greatest), least.max(greatest));
            let holds = |width: u32| -(1 << (width - 1)) <= least && greatest < 1 << (width - 1);
            if least >= 0 {
                format!("u{}", (1..).find(|width| greatest < 1 << width).unwrap_or(0))
            } else {
                format!("i{}", (1..).find(|width| holds(*width)).unwrap_or(0))
            }
        };
        check(
            "u4",
            "u1",
            &format!("a * {factor}"),
            &name(0, 15 * factor),
            product,
        );
        check(
            "i4",
            "u1",
            &format!("{factor} * a"),
            &name(-8 * factor, 7 * factor),
            product,
        );
    }
}

#[test]
fn comparisons() {
    for (a, b) in [
        ("u4", "u4"),
        ("u2", "u4"),
        ("i4", "i3"),
        ("u3", "i3"),
        ("i4", "u4"),
        ("i1", "u1"),
    ] {
        check(a, b, "a == b", "bool", |a, b| i128::from(a == b));
        check(a, b, "a != b", "bool", |a, b| i128::from(a != b));
        check(a, b, "a < b", "bool", |a, b| i128::from(a < b));
        check(a, b, "a <= b", "bool", |a, b| i128::from(a <= b));
        check(a, b, "a > b", "bool", |a, b| i128::from(a > b));
        check(a, b, "a >= b", "bool", |a, b| i128::from(a >= b));
    }
    for limit in [-20, -9, -8, -1, 0, 1, 7, 8, 15, 16, 1000] {
        for kind in ["u4", "i4"] {
            check(kind, "u1", &format!("a < {limit}"), "bool", |a, _| {
                i128::from(a < limit)
            });
            check(kind, "u1", &format!("{limit} <= a"), "bool", |a, _| {
                i128::from(limit <= a)
            });
            check(kind, "u1", &format!("a == {limit}"), "bool", |a, _| {
                i128::from(a == limit)
            });
        }
    }
    check("bits[3]", "bits[3]", "a == b", "bool", |a, b| i128::from(a == b));
    check("bits[3]", "bool", "a != 5", "bool", |a, _| i128::from(a != 5));
    check("bool", "bool", "a != b", "bool", |a, b| a ^ b);
    check("bool", "bool", "a == b", "bool", |a, b| 1 ^ a ^ b);
}

#[test]
fn conditions_and_bits() {
    for kind in ["bool", "bits[3]"] {
        let ones = if kind == "bool" { 1 } else { 7 };
        check(kind, kind, "a and b", kind, |a, b| a & b);
        check(kind, kind, "a or b", kind, |a, b| a | b);
        check(kind, kind, "a xor b", kind, |a, b| a ^ b);
        check(kind, kind, "not a and b", kind, |a, b| (ones ^ a) & b);
        check(kind, kind, "a & ~b", kind, |a, b| a & (ones ^ b));
        check(kind, kind, "a | b ^ a", kind, |a, b| a | (b ^ a));
        check(kind, kind, "a and b or not a xor b", kind, |a, b| {
            (a & b) | ((ones ^ a) ^ b)
        });
    }
    check("bits[4]", "bits[4]", "a & 5 | 0x8", "bits[4]", |a, _| a & 5 | 8);
    check("bool", "bool", "a and true xor false", "bool", |a, _| a);
}

#[test]
fn bits_of_numbers() {
    check("u4", "u2", "a & b", "u2", |a, b| a & b);
    check("u4", "u2", "a | b", "u4", |a, b| a | b);
    check("u2", "u4", "a ^ b", "u4", |a, b| a ^ b);
    check("i4", "i3", "a & b", "i4", |a, b| a & b);
    check("i4", "u3", "a & b", "u3", |a, b| a & b);
    check("i4", "u4", "a | b", "i5", |a, b| a | b);
    check("i3", "u4", "a ^ b", "i5", |a, b| a ^ b);
    check("u4", "i4", "~a", "u4", |a, _| 15 - a);
    check("u4", "i4", "~b", "i4", |_, b| -1 - b);
    check("u4", "u4", "a & 3 == b & 3", "bool", |a, b| {
        i128::from(a & 3 == b & 3)
    });
}

#[test]
fn shifts_and_divisions() {
    check("u4", "i4", "a << 2", "u6", |a, _| a << 2);
    check("u4", "i4", "b << 2", "i6", |_, b| b << 2);
    check("u4", "i4", "a >> 1", "u3", |a, _| a >> 1);
    check("u4", "i4", "b >> 1", "i3", |_, b| b >> 1);
    check("u4", "i4", "a >> 4", "u1", |_, _| 0);
    check("u4", "i4", "b >> 9", "i1", |_, b| b >> 9);
    check("bits[4]", "u1", "a << 1", "bits[4]", |a, _| a << 1 & 15);
    check("bits[4]", "u1", "a >> 3", "bits[4]", |a, _| a >> 3);
    check("bits[4]", "u1", "a >> 99999999999999999999", "bits[4]", |_, _| 0);
    check("u4", "u2", "a << b", "u7", |a, b| a << b);
    check("u4", "u2", "a >> b", "u4", |a, b| a >> b);
    check("i4", "u3", "a << b", "i11", |a, b| a << b);
    check("i4", "u3", "a >> b", "i4", |a, b| a >> b);
    check("u2", "u3", "5 << b", "u10", |_, b| 5 << b);
    check("bits[4]", "u3", "a << b", "bits[4]", |a, b| a << b & 15);
    check("bits[4]", "u3", "a >> b", "bits[4]", |a, b| a >> b);
    check("u4", "u1", "a / 4", "u2", |a, _| a / 4);
    check("u4", "u1", "a % 4", "u2", |a, _| a % 4);
    check("u4", "u1", "a / 1", "u4", |a, _| a);
    check("u4", "u1", "a % 1", "u1", |_, _| 0);
    check("u4", "u1", "a / 64", "u1", |_, _| 0);
    check("u4", "u1", "a % 64", "u4", |a, _| a);
    check("u4", "u1", "a * 3 / 2 * 2 % 8", "u3", |a, _| a * 3 / 2 * 2 % 8);
}

#[test]
fn parts() {
    check("u4", "i4", "a[2]", "bool", |a, _| a >> 2 & 1);
    check("u4", "i4", "a[1..3]", "u2", |a, _| a >> 1 & 3);
    check("u4", "i4", "b[1..4]", "u3", |_, b| b >> 1 & 7);
    check("bits[4]", "u1", "a[1..4]", "bits[3]", |a, _| a >> 1);
    check("bits[4]", "u1", "a[1..4][0..2][1]", "bool", |a, _| a >> 2 & 1);
    check("u4", "i4", "-a[0..2]", "i3", |a, _| -(a & 3));
    check("u3", "bits[2]", "concat(a, b, a[0])", "bits[6]", |a, b| {
        a | b << 3 | (a & 1) << 5
    });
    check("u3", "bool", "concat(b)", "bits[1]", |_, b| b);
}

#[test]
fn functions() {
    check("u4", "u3", "min(a, b)", "u3", |a, b| a.min(b));
    check("u4", "u3", "max(a, b)", "u4", |a, b| a.max(b));
    check("i4", "u3", "min(a, b)", "i4", |a, b| a.min(b));
    check("i4", "u3", "max(a, b)", "u3", |a, b| a.max(b));
    check("i4", "i3", "max(a, b, 2)", "u3", |a, b| a.max(b).max(2));
    check("i4", "u3", "max(a, 0)", "u3", |a, _| a.max(0));
    check("u4", "u3", "min(a, b, 5, a + b, 9)", "u3", |a, b| a.min(b).min(5));
    check("i4", "u3", "abs(a)", "u4", |a, _| a.abs());
    check("i1", "u3", "abs(a)", "u1", |a, _| a.abs());
    check("u3", "u3", "abs(a - b)", "u4", |a, b| (a - b).abs());
    check("bits[5]", "u2", "popcount(a)", "u3", |a, _| {
        i128::from(a.count_ones())
    });
    check("bits[3]", "bool", "popcount(a, b, a[0])", "u3", |a, b| {
        i128::from(a.count_ones()) + b + (a & 1)
    });
    check("bits[5]", "u2", "parity(a, b)", "bool", |a, b| {
        i128::from((a.count_ones() + b.count_ones()) & 1)
    });
    check("bits[3]", "u2", "any(a, b)", "bool", |a, b| {
        i128::from(a != 0 || b != 0)
    });
    check("bits[3]", "u2", "all(a, b)", "bool", |a, b| {
        i128::from(a == 7 && b == 3)
    });
    check("u3", "i3", "if a > b then a else b", "i4", |a, b| a.max(b));
    check("u3", "u2", "select(a[0], b, 7)", "u3", |a, b| {
        if a & 1 == 1 { b } else { 7 }
    });
    check("bits[3]", "bool", "if b then a else 0", "bits[3]", |a, b| a * b);
    check("bool", "bool", "if a then not b else b", "bool", |a, b| a ^ b);
    check(
        "u3",
        "u3",
        "1 + if a < b then 1 else if a == b then 2 else 3",
        "u3",
        |a, b| {
            1 + (if a < b {
                1
            } else if a == b {
                2
            } else {
                3
            })
        },
    );
}

#[test]
fn conversions() {
    check("u4", "i4", "u2(a)", "u2", |a, _| a & 3);
    check("u4", "i4", "u6(a)", "u6", |a, _| a);
    check("u4", "i4", "u6(b)", "u6", |_, b| b & 63);
    check("u4", "i4", "u3(b)", "u3", |_, b| b & 7);
    check("u4", "i4", "i4(a)", "i4", |a, _| if a > 7 { a - 16 } else { a });
    check("u4", "i4", "i6(b)", "i6", |_, b| b);
    check("u4", "i4", "bits(b)", "bits[4]", |_, b| b & 15);
    check("bits[3]", "bool", "u3(a)", "u3", |a, _| a);
    check(
        "bits[3]",
        "bool",
        "i3(a)",
        "i3",
        |a, _| if a > 3 { a - 8 } else { a },
    );
    check("bits[3]", "bool", "i5(a)", "i5", |a, _| a);
    check("bits[3]", "bool", "u2(b)", "u2", |_, b| b);
    check("bits[3]", "bool", "u8(b) + u1(b)", "u9", |_, b| 2 * b);
    check("bits[4]", "bool", "bits(u4(5)) ^ a", "bits[4]", |a, _| a ^ 5);
}

#[test]
fn tables() {
    let square = "table square: u3 -> u6 = [0, 1, 4, 9, 16, 25, 36, 49]";
    let low = "table low: bits[2] -> i3 = [-4, 3, 0b1, 0,]";
    let odd = "table odd: u1 -> bool = [false, true]";
    let source = format!("{square}; {low}; {odd}; a: u2; b: bits[2]; r = square[a] + low(b); s = odd[u1(b)]");
    let compiled = crate::common::compiled(&source);
    assert_eq!(crate::common::outputs(&compiled), "r: i8; s: bool");
    let records: Vec<Vec<i128>> = (0..16).map(|i| vec![i & 3, i >> 2]).collect();
    for (record, found) in records.iter().zip(crate::common::evaluate(&compiled, &records)) {
        let low = [-4, 3, 1, 0][usize::try_from(record[1]).unwrap()];
        assert_eq!(found, [record[0] * record[0] + low, record[1] & 1]);
    }
}
