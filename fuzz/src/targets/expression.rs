//! Expression programs: what is accepted has the ports that it promises, and can be evaluated.

use ringmill_circuit::Visibility;
use ringmill_expression::{KnownTypes, Type, compile, free_names};

use super::circuits::values;
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "expression",
    readers: &[
        Reader {
            name: "program",
            read: |input| read(input, false),
            seeds: programs,
        },
        Reader {
            name: "formula",
            read: |input| read(input, true),
            seeds: formulas,
        },
    ],
    words: &[
        "a",
        "b",
        "r",
        ":",
        "=",
        ";",
        "\n",
        "#",
        "u8",
        "i5",
        "bool",
        "bits[9]",
        "bytes[2]",
        "u1024",
        "public ",
        "const ",
        "let ",
        "table ",
        "->",
        "(",
        ")",
        "[",
        "]",
        "..",
        ",",
        " or ",
        " xor ",
        " and ",
        "not ",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "|",
        "^",
        "&",
        "<<",
        ">>",
        "+",
        "-",
        "*",
        "/",
        "%",
        "~",
        "if ",
        " then ",
        " else ",
        "true",
        "false",
        "min(",
        "max(",
        "abs(",
        "any(",
        "all(",
        "parity(",
        "popcount(",
        "select(",
        "concat(",
        "bits(",
        "u4(",
        "0",
        "1",
        "2",
        "8",
        "0x",
        "0b",
        "_",
        "99999999999999999999",
    ],
    longest: 400,
    // Four million gates, and the table in which equal ones are found.
    memory: 1 << 30,
};

/// Compiles; with `open`, names without a type have one.
fn read(input: &[u8], open: bool) -> Verdict {
    let source = std::str::from_utf8(input).map_err(refused)?;
    let mut known = KnownTypes::default();
    if open {
        for name in free_names(source).map_err(refused)? {
            known.insert(name, Type::Unsigned(5), Visibility::Private);
        }
    }
    let compiled = compile(source, &known).map_err(|error| {
        assert!(error.line <= source.matches('\n').count() + 1);
        assert!(!open || !error.message.contains("has no type"), "{error}");
        refused(error)
    })?;
    let circuit = &compiled.circuit;
    let ports = circuit.inputs().iter().map(|port| (&port.name, port.wires.len()));
    let promised = compiled
        .inputs
        .iter()
        .map(|port| (&port.name, port.value_type.width()));
    assert!(ports.eq(promised));
    let outputs = circuit.evaluate(&values(circuit, 1)).expect("inputs that fit");
    let promised = compiled.outputs.iter().map(|port| port.value_type.width());
    assert!(
        outputs
            .iter()
            .map(ringmill_circuit::PortValues::width)
            .eq(promised)
    );
    Ok(())
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn programs() -> Vec<Vec<u8>> {
    texts(&[
        "# Who is asked?\nincome: u18\nlimit: public u18\nscore: u7\nconst CUT = 10\nlet rich = income > limit\n\
         flag = rich and score < CUT\nover: u18 = if rich then u18(income - limit) else 0\n",
        "a: bits[64]; b: bytes[8]; d = popcount(a xor b); e = any(a[4..8], b[3]) or not all(a & ~b)",
        "a: i5; b: u3; table t: u3 -> i4 = [0, 1, -2, 3, 4, 5, -6, 7]; r = t[b] * a - 3 * b + abs(a) >> 1; s = min(a, b, 2)",
        "a: u8; r = a / 8 + a % 4 - (a << 2 | 0x0f) ^ concat(a)",
        "a: i8; b: u4; s = records.sum(a * b); n = records.count(a > 3); m = records.max(a); e = records.all(b != 0)",
    ])
}

fn formulas() -> Vec<Vec<u8>> {
    texts(&[
        "flag = income > limit and score < 10",
        "r = max(a * b, c + 0b11) - select(a == b, a, -c)",
    ])
}
