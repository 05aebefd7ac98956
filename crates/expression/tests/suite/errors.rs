//! Mistakes: where they are found, what is said of them, and the remedy.

use crate::common::{known, try_compile};
use ringmill_expression::compile;

/// Checks the mistake of a program: its line and column, and parts of what is said of it.
fn check(source: &str, place: (usize, usize), message: &str, help: &str) {
    let Err(error) = try_compile(source) else {
        panic!("{source}");
    };
    assert_eq!((error.line, error.column), place, "{source}\n{error}");
    assert!(error.message.contains(message), "{source}\n{error}");
    assert!(error.help.contains(help), "{source}\n{error}");
}

#[test]
fn errors_show_the_place() {
    let error = compile("let a = 1\nflag = incme > 10", &known(&[("income", "u18")])).unwrap_err();
    let expected = "\
line 2, column 8: `incme` has no type
  2 | flag = incme > 10
    |        ^^^^^
help: did you mean `income`? If not, declare its type, for instance `incme: u8` in front or --type incme=u8";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn names_in_backquotes_are_checked() {
    check(
        "x: u8; r = `a b",
        (1, 12),
        "not closed on its line",
        "another backquote",
    );
    check(
        "x: u8; r = `a\nb`",
        (1, 12),
        "not closed on its line",
        "another backquote",
    );
    check("x: u8; r = ``", (1, 12), "this name is empty", "another one");
    check(
        "x: u8; r = ` a`",
        (1, 12),
        "begins or ends with a space",
        "another one",
    );
    check("x: u8; r = `a,b`", (1, 12), "has a comma", "another one");
    let long = format!("x: u8; r = `{}`", "e".repeat(65));
    check(&long, (1, 12), "more than 64 characters", "another one");
    check(
        "x: u8; r = `a b` + x",
        (1, 12),
        "`a b` has no type",
        "declare its type",
    );
    check("x: u8; r = `a b`(x)", (1, 17), "`(` cannot stand", "an operator");
}

#[test]
fn texts_that_cannot_be_read() {
    check("", (1, 1), "no output", "name a result");
    check("x: u8", (1, 6), "no output", "name a result");
    check("x: u8\nx > 3", (2, 1), "no name", "NAME = ");
    check("x: u8; r = x +", (1, 15), "ends too early", "a number");
    check(
        "x: u8; r = x +\ns = 1",
        (1, 15),
        "line ends too early",
        "brackets",
    );
    check("x: u8; r = x x", (1, 14), "`x` cannot stand", "operator");
    check("x: u8; r = x && x", (1, 15), "`&` cannot stand", "`and`");
    check("x: u8; r = x || x", (1, 15), "`|` cannot stand", "`or`");
    check("x: u8; r = !x", (1, 12), "`!` cannot stand", "`not`");
    check("x: u8; r = x === x", (1, 16), "`=` cannot stand", "`==`");
    check("x: u8; r = x = 3", (1, 14), "`=` cannot stand", "`==` compares");
    check(
        "x: u8; r = x ? 1 : 2",
        (1, 14),
        "`?` cannot stand",
        "if CONDITION",
    );
    check("x: u8; r = x > 1.5", (1, 17), "`.` cannot stand", "no fractions");
    check("x: u8; r = \"a\"", (1, 12), "cannot stand", "no texts");
    check(
        "x: u8; r = if x > 1 else 2",
        (1, 21),
        "`else` cannot stand",
        "`then`",
    );
    check("x: ; r = x", (1, 4), "`;` cannot stand", "a type is expected");
    check("x: u8; r = x[1", (1, 13), "`[` is never closed", "`]`");
    check("x: u8; r = x)", (1, 13), "`)` closes nothing", "leave it out");
    check("x: u8; r = (x]", (1, 14), "`]` stands where `(`", "`)`");
    check(
        "x: u8; r = x + \u{e4}",
        (1, 16),
        "cannot stand in a program",
        "a to z",
    );
    check("x: u8; r = x + 3x", (1, 16), "not an integer", "0x3e8");
    check("x: u8; r = x + 0x", (1, 16), "not an integer", "0x3e8");
    check(
        "x: u8; r = x < 1 < 2",
        (1, 18),
        "cannot be chained",
        "a < b and b < c",
    );
    check("x: u8; r == x", (1, 8), "no name", "NAME = ");
}

#[test]
fn wrong_names() {
    check("x: u8; x: u9; r = x", (1, 8), "defined already", "another");
    check("x: u8; x = 3", (1, 8), "defined already", "another");
    check("x: u8; r = x; r = x", (1, 15), "defined already", "another");
    check("x: u8; r = t; let t = x", (1, 12), "before it is defined", "move");
    check("x: u8; r = r + x", (1, 12), "before it is defined", "move");
    check("and: u8; r = 1", (1, 1), "word of the language", "another");
    check("u7: u8; r = 1", (1, 1), "is a type", "converts");
    check(
        "x: u8; let bits = x; r = x",
        (1, 12),
        "word of the language",
        "another",
    );
    check("x: u8; r = x + and", (1, 16), "word of the language", "another");
    check("x: u8; r = popcnt(x)", (1, 12), "no function", "`popcount`");
    check("x: u8; r = sqrt(x)", (1, 12), "no function", "functions are abs");
    check("x: u8; r = x(3)", (1, 12), "not a function", "product");
    check("x: u8; r = x + min", (1, 16), "is a function", "call it");
    check("x: u8; r = min(x)", (1, 12), "one argument", "min(a, b, ...)");
    check("x: u8; r = abs(x, x)", (1, 12), "2 arguments", "abs(x)");
    check("x: u8; r = u4()", (1, 12), "0 arguments", "u4(x)");
    check(
        "x: u8; table min: u1 -> u1 = [0, 1]; r = x",
        (1, 14),
        "is a function",
        "another",
    );
    check("x: u8; r = 3", (1, 13), "no input", "income");
}

#[test]
fn wrong_types() {
    check("x: u1025; r = x", (1, 4), "no type `u1025`", "u1024");
    check("x: int; r = x", (1, 4), "no type `int`", "`bool`");
    check("x: u8; r = u2000(x)", (1, 12), "no type `u2000`", "u1024");
    check(
        "x: u8; b: bool; r = x + b",
        (1, 25),
        "bool, not a number",
        "u1(x)",
    );
    check(
        "x: u8; k: bits[8]; r = x + k",
        (1, 28),
        "bits[8], not a number",
        "u8(x)",
    );
    check("x: u8; k: bits[8]; r = k < k", (1, 24), "no order", "uN(x)");
    check(
        "x: u8; k: bits[8]; r = k == x",
        (1, 29),
        "this is u8, beside bits[8]",
        "bits(x)",
    );
    check(
        "j: bits[7]; k: bits[8]; r = k ^ j",
        (1, 33),
        "bits[7], beside bits[8]",
        "concat",
    );
    check(
        "k: bits[8]; r = k ^ 256",
        (1, 21),
        "beside bits[8]",
        "does not fit",
    );
    check(
        "x: u8; b: bool; r = if b then x else b",
        (1, 31),
        "this is u8, beside bool",
        "x != 0",
    );
    check(
        "x: u8; r = x and x > 1",
        (1, 12),
        "this is u8, beside bool",
        "x != 0",
    );
    check("x: u8; r = x and x", (1, 12), "a number, not a condition", "`&`");
    check("x: u8; r = not x", (1, 16), "a number, not a condition", "`~x`");
    check(
        "x: u8; r = if x then 1 else 2",
        (1, 15),
        "u8, not a condition",
        "x != 0",
    );
    check("x: u8; r = x + ~3", (1, 17), "not known", "~u8(5)");
    check("x: u8; r = concat(x, 3)", (1, 22), "not known", "u8(5)");
    check("b: bool; r = b[0]", (1, 14), "no parts", "brackets");
}

#[test]
fn wrong_widths() {
    check(
        "x: u8; r: u8 = x + 1",
        (1, 16),
        "this is u9, which does not fit into u8",
        "u8(...)",
    );
    check(
        "x: u8; r: u8 = x - 1",
        (1, 16),
        "this is i9, which does not fit into u8",
        "u8(...)",
    );
    check("x: u8; r: bool = x", (1, 18), "beside bool", "x != 0");
    check("x: u8; r: bits[8] = x", (1, 21), "beside bits[8]", "bits(x)");
    check("x: u8; r = x[8]", (1, 14), "beyond the bits of u8", "0 to 7");
    check("x: u8; r = x[4..9]", (1, 14), "beyond the bits of u8", "0 to 7");
    check("x: u8; r = x[4..4]", (1, 14), "empty", "x[4..8]");
    check("x: u8; r = x[x]", (1, 14), "must be a constant", "table");
    check("x: u8; r = x[0-1]", (1, 14), "0 or more", "const");
    check("x: i8; r = x << x", (1, 17), "by unsigned numbers", "u3(x)");
    check("x: u11; r = x << x", (1, 18), "at most 1024 bits", "less");
    check("x: u16; y: bits[65536]; r = y >> x", (1, 29), "too large", "");
    check("x: u8; r = x << -1", (1, 17), "negative", "other way");
    check(
        "x: u8; r = x << 99999999999999999999",
        (1, 17),
        "at most 1024 bits",
        "less",
    );
    check("x: u1024; r = x + 1", (1, 15), "may need 1025 bits", "u64(x)");
}

#[test]
fn wrong_divisions() {
    check(
        "x: u8; y: u8; r = x / y",
        (1, 23),
        "division is not supported",
        "a > b * c",
    );
    check(
        "x: u8; r = x / 10",
        (1, 16),
        "division is not supported",
        "a > 10 * c",
    );
    check("x: u8; r = x % 0", (1, 16), "division is not supported", "");
    check("x: u8; r = x % -4", (1, 16), "division is not supported", "");
    check("x: i8; r = x / 4", (1, 12), "can be negative", "x >> 3");
}

#[test]
fn wrong_tables_and_constants() {
    check(
        "x: u2; table t: u2 -> u4 = [1, 2]; r = t[x]",
        (1, 14),
        "2 entries; an index of type u2 needs 4",
        "every index",
    );
    check(
        "x: u2; table t: u1 -> u4 = [1, 16]; r = t[x]",
        (1, 32),
        "no value of type u4",
        "change it",
    );
    check(
        "x: u2; table t: u1 -> u4 = [1, -1]; r = t[x]",
        (1, 32),
        "no value of type u4",
        "change it",
    );
    check(
        "x: u2; table t: u1 -> bool = [true, 1]; r = t[x]",
        (1, 37),
        "no value of type bool",
        "change it",
    );
    check(
        "x: u2; table t: i2 -> u4 = [1]; r = t[x]",
        (1, 17),
        "cannot be indexed by i2",
        "u16",
    );
    check(
        "x: u2; table t: u17 -> u4 = [1]; r = t[x]",
        (1, 17),
        "cannot be indexed by u17",
        "u16",
    );
    check(
        "x: u2; table t: u1 -> u4 = [1, 2]; r = t[x]",
        (1, 42),
        "this is u2; the table `t` takes u1",
        "t[u1(x)]",
    );
    check(
        "x: u2; table t: u1 -> u4 = [1, 2]; r = t",
        (1, 40),
        "is a table",
        "t[x]",
    );
    check(
        "x: u2; table t: u1 -> u4 = [1, 2]; r = t[0..1]",
        (1, 45),
        "not slices",
        "t[x]",
    );
    check(
        "x: u2; const C = x; r = x",
        (1, 18),
        "number that is known",
        "let C",
    );
    check(
        "x: u2; const C = true; r = x",
        (1, 18),
        "number that is known",
        "let C",
    );
}
