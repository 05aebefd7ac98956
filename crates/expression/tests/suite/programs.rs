//! Whole programs: declarations, types from elsewhere, names, several outputs.

use ringmill_circuit::Visibility;
use ringmill_expression::{KnownTypes, PortType, Type, compile, free_names};

use crate::common::{compiled, evaluate, known, outputs};

fn inputs(source: &str) -> String {
    let inputs: Vec<String> = compiled(source).inputs.iter().map(ToString::to_string).collect();
    inputs.join("; ")
}

#[test]
fn a_file() {
    let source = "
        # Who is asked?
        income: u18
        limit:  public u18
        score:  u7   # 0 to 100
        const CUT = 10
        let rich = income > limit
        flag = rich and score < CUT
        over: u18 = if rich then u18(income - limit) else 0
        neither = not (flag or rich)
    ";
    let compiled = compiled(source);
    assert_eq!(outputs(&compiled), "flag: bool; over: u18; neither: bool");
    assert_eq!(inputs(source), "income: u18; limit: public u18; score: u7");
    assert_eq!(compiled.public().collect::<Vec<_>>(), ["limit"]);
    let records = [
        vec![5000, 4000, 9],
        vec![5000, 4000, 10],
        vec![4000, 4000, 9],
        vec![262_143, 0, 0],
    ];
    let expected = [[1, 1000, 0], [0, 1000, 0], [0, 0, 1], [1, 262_143, 0]];
    assert_eq!(evaluate(&compiled, &records), expected);
}

/// Columns of tables have all kinds of names.
#[test]
fn names_in_backquotes() {
    let source = "`annual income`: u8; `and`: u8 # `not a name\n\
                  let `Gr\u{f6}\u{df}e (cm)` = `annual income` + `and`; `a.b # c; d` = `Gr\u{f6}\u{df}e (cm)` > 9 and true";
    let compiled = compiled(source);
    assert_eq!(outputs(&compiled), "a.b # c; d: bool");
    assert_eq!(inputs(source), "annual income: u8; and: u8");
    let records = [vec![4, 5], vec![5, 5]];
    assert_eq!(evaluate(&compiled, &records), [[0], [1]]);
    // The same name with and without.
    assert_eq!(inputs("`x`: u3; y = x + 1"), "x: u3");
    assert_eq!(free_names("y = `a b` > 3").unwrap(), ["a b"]);
}

#[test]
fn types_from_elsewhere() {
    let source = "flag = income > limit and score < 10";
    assert_eq!(free_names(source).unwrap(), ["income", "limit", "score"]);
    let mut known = known(&[("score", "u7"), ("income", "u18"), ("other", "u1")]);
    known.insert("limit", Type::Unsigned(9), Visibility::Public);
    let compiled = compile(source, &known).unwrap();
    let inputs: Vec<String> = compiled.inputs.iter().map(ToString::to_string).collect();
    assert_eq!(inputs, ["income: u18", "limit: public u9", "score: u7"]);

    // A declaration comes first, and wins.
    let compiled = compile(&format!("score: i5; {source}"), &known).unwrap();
    let inputs: Vec<String> = compiled.inputs.iter().map(ToString::to_string).collect();
    assert_eq!(inputs, ["score: i5", "income: u18", "limit: public u9"]);

    let again: KnownTypes = compiled.inputs.into_iter().collect();
    assert!(compile(source, &again).is_ok());
    let wrong = PortType {
        name: "score".to_owned(),
        value_type: Type::Unsigned(0),
        public: false,
    };
    let wrong: KnownTypes = [wrong].into_iter().collect();
    assert!(compile("r = score", &wrong).unwrap_err().message.contains("u0"));
}

#[test]
fn free_names_are_those_without_a_type() {
    let source =
        "a: u8; const C = 2; table t: u1 -> u1 = [0, 1]; let l = a + b; r = t[c] + l + C + min(b, d); s = r";
    assert_eq!(free_names(source).unwrap(), ["b", "c", "d"]);
    assert!(free_names("").unwrap().is_empty());
    assert!(free_names("r = ").is_err());
}

#[test]
fn unused_inputs_are_left_out() {
    let source = "a: u8; b: u8; c: u4; let t = b * c; r = a + 1";
    let compiled = compiled(source);
    assert_eq!(compiled.unused, ["b", "c"]);
    assert_eq!(inputs(source), "a: u8");
    assert_eq!(evaluate(&compiled, &[vec![7]]), [[8]]);
    // Their uses are checked nevertheless.
    assert!(crate::common::try_compile("a: u8; b: bool; let t = b * a; r = a").is_err());
}

#[test]
fn bits_and_bytes() {
    let source = "template: bits[64]; reference: public bytes[8]; distance = popcount(template xor reference)
        key: bytes[8] = template ^ reference; same: bits[64] = template";
    let compiled = compiled(source);
    assert_eq!(outputs(&compiled), "distance: u7; key: bytes[8]; same: bits[64]");
    let (a, b) = (0x0123_4567_89ab_cdef_i128, 0x8fff_0000_1234_5678);
    let expected = [i128::from((a ^ b).count_ones()), a ^ b, a];
    assert_eq!(evaluate(&compiled, &[vec![a, b]]), [expected]);
}

#[test]
fn forms() {
    for source in [
        "x:u8;r=x+1",
        "x: u8\r\nr = x + 1\r\n",
        "\u{feff}x: u8\nr = x + 1",
        ";;\n\nx: u8;;\n r = (x # in brackets\n + 1 # a comment (not closed\n)\n;",
        "r = x + 1 # first\nx : u8",
        "x: u8; const A = 0x_1; r = x + A",
        "x: u8; const A = 2 * 3 - 5; r: u9 = A + x",
        "x: u8; const A = 0b1; const B = A << 3; r = x + B / 8",
        "x: u8; let not_x = x; let ifx = not_x; let orx = ifx; r = orx + 1",
        "x: u8; r = -(-(x)) - -1",
        "x: u8; r = (((((((((x))))))))) + 1",
        "x: u8; table next: u8 -> u9 = [",
    ] {
        let entries: Vec<String> = (1..=256).map(|entry| entry.to_string()).collect();
        let table = format!("{}]; r = next(x)", entries.join(", "));
        let source = if source.ends_with('[') {
            format!("{source}{table}")
        } else {
            source.to_owned()
        };
        let compiled = compiled(&source);
        assert_eq!(
            evaluate(&compiled, &[vec![0], vec![255]]),
            [[1], [256]],
            "{source}"
        );
    }
}

#[test]
fn outputs_keep_their_width_or_take_a_wider_one() {
    let compiled = compiled("x: u4; r = x; s: u9 = x; t: i5 = x; u: i9 = t - 16; v = u8(t)");
    assert_eq!(outputs(&compiled), "r: u4; s: u9; t: i5; u: i9; v: u8");
    assert_eq!(evaluate(&compiled, &[vec![9]]), [[9, 9, 9, -7, 9]]);
}

#[test]
fn wide_numbers() {
    let compiled = compiled(
        "x: u1024; y: u512; z: u512; r = x > 0x1_0000_0000_0000_0000; p = u100(y * z); d = popcount(x)",
    );
    assert_eq!(outputs(&compiled), "r: bool; p: u100; d: u11");
    let power = 1 << 70;
    assert_eq!(
        evaluate(&compiled, &[vec![power, 1 << 50, (1 << 49) + 3]]),
        [[1, (1 << 99) + (3 << 50), 1]]
    );
}

/// The document of the language, whose examples must be right.
const DOCUMENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/expressions.md"));

#[test]
fn the_document_has_right_widths() {
    let after = DOCUMENT.split("## Widths").nth(1).unwrap();
    let section = after.split("## ").next().unwrap();
    let mut rows = 0;
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let named = |cell: &str| {
            cell.split(", `")
                .map(|part| part.replace('`', ""))
                .collect::<Vec<String>>()
        };
        // A comma also separates arguments.
        let expressions = named(cells[1]);
        for (expression, wanted) in expressions.iter().zip(named(cells[2])) {
            let compiled = compiled(&format!(
                "a: u8; b: u8; s: i8; c: bool; r = {expression}; rest = concat(a, b, s, c)"
            ));
            assert_eq!(compiled.outputs[0].value_type.to_string(), wanted, "{expression}");
            rows += 1;
        }
    }
    assert!(rows > 12, "{rows}");
}

#[test]
fn the_document_has_a_right_program() {
    let after = DOCUMENT.split("    # Who is asked?").nth(1).unwrap();
    let program: String = after
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with("    "))
        .map(|line| format!("{line}\n"))
        .collect();
    let compiled = compiled(&program);
    assert_eq!(outputs(&compiled), "flag: bool; over: u18; class: u5");
}
