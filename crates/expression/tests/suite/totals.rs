//! Totals over all records: outputs that stand alone.

use ringmill_circuit::AggregateKind;
use ringmill_expression::compile;

use crate::common::{compiled, evaluate, known, outputs, try_compile};

#[test]
fn totals_name_what_they_are_of() {
    let source = "income: u18; change: i9; let rich = income > 1000
        total = records.sum(income + 1); rich_ones = records.count(rich); some = records.any(rich)
        each = records.all(not rich); most = records . max( change ); least=records.min(change-1)";
    let compiled = compiled(source);
    assert_eq!(
        compiled.aggregates,
        [
            AggregateKind::Sum,
            AggregateKind::Count,
            AggregateKind::Any,
            AggregateKind::All,
            AggregateKind::Max,
            AggregateKind::Min
        ]
    );
    // The ports have the values of each record.
    assert_eq!(
        outputs(&compiled),
        "total: u19; rich_ones: bool; some: bool; each: bool; most: i9; least: i10"
    );
    assert_eq!(evaluate(&compiled, &[vec![5000, -7]]), [[5001, 1, 1, 0, -7, -8]]);
    assert!(
        compile("flag = x > 1", &known(&[("x", "u4")]))
            .unwrap()
            .aggregates
            .is_empty()
    );
}

#[test]
fn an_input_may_be_called_records() {
    let compiled = compiled("records: u4; n = records + 1");
    assert_eq!(evaluate(&compiled, &[vec![3]]), [[4]]);
    assert!(compiled.aggregates.is_empty());
}

#[test]
fn misplaced_totals_are_refused() {
    for (source, message, help) in [
        (
            "x: u4; n = 1 + records.sum(x)",
            "cannot be computed with",
            "an output of its own",
        ),
        (
            "x: u4; n = records.sum(x) + 1",
            "cannot be computed with",
            "an output of its own",
        ),
        (
            "x: u4; let n = records.sum(x); m = n",
            "cannot be computed with",
            "an output of its own",
        ),
        (
            "x: u4; n = records.mean(x)",
            "no total `records.mean`",
            "`records.max(x)`",
        ),
        (
            "x: u4; n: u20 = records.sum(x)",
            "as wide as",
            "leave out the type",
        ),
        ("x: u4; n = records.count(x)", "cannot take u4", "`x != 0`"),
        (
            "x: u4; n = records.sum(x > 1)",
            "cannot take bool",
            "records.count(x)",
        ),
        ("x: bits[4]; n = records.max(x)", "cannot take bits[4]", "`u8(x)`"),
        (
            "x: u4; n = records.sum(x); m = n + 1",
            "`n` is a total",
            "decrypted result",
        ),
        (
            "x: u4; n = records.sum(x); m = x",
            "some outputs are totals",
            "two programs",
        ),
        (
            "x: u4; m = x; n = records.sum(x)",
            "some outputs are totals",
            "two programs",
        ),
    ] {
        let error = try_compile(source).unwrap_err();
        assert!(
            error.message.contains(message) && error.help.contains(help),
            "{source}\n{error}"
        );
    }
}
