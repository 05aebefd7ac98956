//! Programs over messages: what they mean, and what is refused.

use std::time::{Duration, Instant};

use ringmill_expression::{MessageProgram, Slots};

/// Two halves of four slots.
const SLOTS: Slots = Slots { t: 97, half: 4 };

/// The first output of a program for these inputs, in all slots.
fn first(program: &str, inputs: &[&[u64]]) -> Vec<u64> {
    let program = MessageProgram::compile(program).unwrap_or_else(|error| panic!("{program}: {error}"));
    assert_eq!(program.inputs().len(), inputs.len());
    program.evaluate(SLOTS, inputs).swap_remove(0)
}

#[test]
fn operators_are_those_of_integers_modulo_t() {
    let (a, b): (&[u64], &[u64]) = (&[0, 1, 96, 50, 7], &[96, 96, 96, 60]);
    for (program, expected) in [
        ("r = a + b", [96, 0, 95, 13, 7, 0, 0, 0]),
        ("r = a - b", [1, 2, 0, 87, 7, 0, 0, 0]),
        ("r = a * b", [0, 96, 1, 90, 0, 0, 0, 0]),
        ("r = -a + 0 * b", [0, 96, 1, 47, 90, 0, 0, 0]),
        ("r = a * 2 + b - 1", [95, 0, 93, 62, 13, 96, 96, 96]),
        ("r = a * (2 + b) - - 1", [1, 2, 0, 94, 15, 1, 1, 1]),
        (
            "let s = a - 9223372036854775807; r = s - s + b",
            [96, 96, 96, 60, 0, 0, 0, 0],
        ),
        ("r = a - 3 - b", [95, 96, 94, 84, 4, 94, 94, 94]),
        ("r = a * b * 0b11_1 # a comment\n", [0, 90, 7, 48, 0, 0, 0, 0]),
    ] {
        assert_eq!(first(program, &[a, b]), expected, "{program}");
    }
}

#[test]
fn slots_move_within_their_halves() {
    let a: &[u64] = &[1, 2, 3, 4, 5, 6];
    for (program, expected) in [
        ("r = rotate(a, 1)", [2, 3, 4, 1, 6, 0, 0, 5]),
        ("r = rotate(a, -1)", [4, 1, 2, 3, 0, 5, 6, 0]),
        ("r = rotate(rotate(a, 3), -(3))", [1, 2, 3, 4, 5, 6, 0, 0]),
        ("r = rotate(a, 0)", [1, 2, 3, 4, 5, 6, 0, 0]),
        ("r = rotate(a, 5)", [2, 3, 4, 1, 6, 0, 0, 5]),
        ("r = swap(a)", [5, 6, 0, 0, 1, 2, 3, 4]),
        ("r = sum(a)", [21; 8]),
        ("r = inner(a, a)", [91; 8]),
        ("r = sum(a + 1)", [29; 8]),
        ("r = inner(a, 2) + sum(sum(a) * 0)", [42; 8]),
    ] {
        assert_eq!(first(program, &[a]), expected, "{program}");
    }
}

#[test]
fn names_are_inputs_until_they_are_defined() {
    let program = "w: public\nb: private; let c = a * w; r = c + b; s = r * c; d = sum(s) + 1";
    let program = MessageProgram::compile(program).unwrap();
    let inputs: Vec<(&str, bool)> = program
        .inputs()
        .iter()
        .map(|input| (&*input.name, input.public))
        .collect();
    assert_eq!(inputs, [("w", true), ("b", false), ("a", false)]);
    let outputs: Vec<(&str, bool)> = program
        .outputs()
        .iter()
        .map(|output| (&*output.name, output.uniform))
        .collect();
    assert_eq!(outputs, [("r", false), ("s", false), ("d", true)]);
    // a, w, b, a * w, c + b, r * c, sum, 1, sum + 1: equal ones once, and nothing that no output needs.
    assert_eq!(program.operations().len(), 9);
    let unused = MessageProgram::compile("let x = a * b; r = a + a * a; let y = r * x").unwrap();
    assert_eq!(unused.operations().len(), 3);
}

/// The place of a mistake, and parts of what is said of it.
fn check(source: &str, place: (usize, usize), message: &str, help: &str) {
    let Err(error) = MessageProgram::compile(source) else {
        panic!("{source}");
    };
    assert_eq!((error.line, error.column), place, "{source}\n{error}");
    assert!(error.message.contains(message), "{source}\n{error}");
    assert!(error.help.contains(help), "{source}\n{error}");
}

#[test]
fn mistakes_are_shown() {
    check("", (1, 1), "no output", "NAME = ");
    check("w: public", (1, 1), "never used", "leave the declaration out");
    check("let x = a", (1, 10), "no output", "NAME = ");
    check("a + b", (1, 1), "no name", "NAME = ");
    check("r = a / 2", (1, 7), "no `/`", "--expr");
    check("r = a < b", (1, 7), "no `<`", "--expr");
    check("r = a %\n", (1, 8), "line ends too early", "NAME: public");
    check("r = a == b", (1, 7), "no `==`", "`inner(x, y)`");
    check("r = a b", (1, 7), "`b` cannot stand", "");
    check("r = (a", (1, 5), "never closed", "`)`");
    check("r = a ** 2", (1, 8), "`*` cannot stand", "");
    check("r = a[1]", (1, 6), "`[` cannot stand", "");
    check("r = max(a, b)", (1, 5), "no function `max`", "rotate");
    check("r = sum(a, b)", (1, 5), "takes 1 arguments, not 2", "sum(x)");
    check(
        "r = rotate(a)",
        (1, 5),
        "takes 2 arguments, not 1",
        "rotate(x, k)",
    );
    check(
        "r = rotate(a, b)",
        (1, 15),
        "not a number of slots",
        "rotate(x, 1)",
    );
    check(
        "r = rotate(a, 16384)",
        (1, 15),
        "no half of a message has more than 16384",
        "16383",
    );
    check(
        "r = rotate(a, -99999999999)",
        (1, 15),
        "no half of a message has more",
        "left or to the right",
    );
    check("r = a + 9223372036854775808", (1, 9), "too large", "below 2^63");
    check("r = a + 12x", (1, 9), "not an integer", "");
    check("r = a + 1.5", (1, 10), "`.` cannot stand", "");
    check("rotate = a", (1, 1), "a word of the language", "another name");
    check("r = let", (1, 5), "a word of the language", "");
    check(
        "r = a; r = b",
        (1, 8),
        "`r` has a meaning already",
        "another name",
    );
    check(
        "r = a * w; w: public",
        (1, 12),
        "`w` has a meaning already",
        "before it is",
    );
    check(
        "w: public; r = w * 2; s = a",
        (1, 12),
        "depends on no encrypted input",
        "in the clear",
    );
    check("r = 3", (1, 1), "depends on no encrypted input", "");
    check("w: open; r = w", (1, 4), "`open` cannot stand", "NAME: public");
    check("r = \u{e4}", (1, 5), "cannot stand in a program", "");
}

/// Hostile texts end soon, within a stack as small as threads have.
#[test]
fn hostile_programs_are_refused_soon() {
    let doubling: String = (0..6000)
        .map(|i| format!("let x{} = x{i} * x{i}\n", i + 1))
        .collect();
    let many: Vec<String> = (0..100).map(|i| format!("a{i}")).collect();
    let nested = |open: &str, times: usize| format!("r = {}a{}", open.repeat(times), ")".repeat(times));
    let cases = [
        (nested("(", 100_000), "nested"),
        (nested("sum(", 70_000), "nested"),
        (nested("rotate(", 50_000), "nested"),
        (format!("r = {}a", "-".repeat(100_000)), "signs in a row"),
        (format!("{doubling}r = x6000"), "more than 4096 operations"),
        (format!("r = {}", many.join(" + ")), "more than 64 inputs"),
        (
            (0..65).map(|i| format!("r{i} = a + {i};")).collect(),
            "more than 64 outputs",
        ),
        (format!("r = {}", "a".repeat(1000)), "the most is 64"),
        ("r = a + 1;".repeat(60_000), "bytes"),
        (format!("r = a + {}", "9".repeat(2000)), "too large"),
    ];
    let start = Instant::now();
    for (source, message) in cases {
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        let compiled = thread.spawn(move || MessageProgram::compile(&source)).unwrap();
        let error = compiled.join().unwrap().unwrap_err();
        assert!(error.message.contains(message), "{message}: {error}");
        assert!(error.to_string().len() < 1000);
    }
    // Long chains are no deep trees.
    let chain = format!("r = {}a", "a * ".repeat(4000));
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let program = thread
        .spawn(move || MessageProgram::compile(&chain))
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(program.unwrap().operations().len(), 4001);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
