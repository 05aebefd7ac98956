//! Tests BLIF: tables of all kinds against their rows, copies of models, and every kind of error.

use proptest::prelude::*;
use ringmill_circuit::blif::{self, BlifError};
use ringmill_circuit::{BitNameError, Circuit};

use crate::common::{all, run};

fn read(text: &str) -> Result<Circuit, BlifError> {
    blif::read(text.as_bytes())
}

const ADDER: &str = "\
# A full adder.
.model adder
.inputs a b \\
        carry   # goes on
.outputs sum next
.names differ carry sum
10 1
01 1
.names a b carry next
--0 0
00- 0
.names a b differ
.names unused
.end
";

#[test]
fn a_text_by_hand() {
    // The carry is 0 where the last one is, which is wrong, and `differ` has no rows yet.
    let text = ADDER
        .replace("--0 0\n", "0-0 0\n-00 0\n")
        .replace("differ\n.names u", "differ\n00 0\n11 0\n.names u");
    let circuit = read(&text).unwrap();
    for record in all(&[1, 1, 1]) {
        let sum = record.iter().sum::<u128>();
        assert_eq!(run(&circuit, &[record]), [[sum % 2, sum / 2]]);
    }
    assert_eq!((circuit.and_count(), circuit.and_depth()), (1, 1));
    // As it stands: `differ` is 0, and the carry is `carry (a + b + a b)`.
    let circuit = read(ADDER).unwrap();
    for record in all(&[1, 1, 1]) {
        let next = record[2] & (record[0] | record[1]);
        assert_eq!(run(&circuit, std::slice::from_ref(&record)), [[record[2], next]]);
    }
}

#[test]
fn constants_and_words() {
    let text = "\
.model words
.inputs x[2] x[1] x[0] flag
.outputs y[3] y[4] one zero flag other
.names one
1
.names zero
0
.names x[1] y[3]
1 1
.names x[2] x[0] flag y[4]
--- 1
.names none
.names none one x[0] other
0-1 1
";
    let circuit = read(text).unwrap();
    let names: Vec<_> = circuit.outputs().iter().map(|port| &*port.name).collect();
    assert_eq!(names, ["y", "one", "zero", "flag", "other"]);
    for record in all(&[3, 1]) {
        let [x, flag] = [record[0], record[1]];
        let expected = [x >> 1 & 1 | 2, 1, 0, flag, x & 1];
        assert_eq!(run(&circuit, &[record]), [expected]);
    }
    assert_eq!(circuit.and_count(), 0);
}

#[test]
fn copies_of_models() {
    let text = "\
.model top
.inputs a[0] a[1] b[0] b[1]
.outputs s[0] s[1] s[2]
.subckt full x=a[0] y=b[0] z=zero s=s[0] c=carry
.names zero
.subckt full x=a[1] y=b[1] z=carry s=s[1] c=s[2]
.end
.model full
.inputs x y z
.outputs s c
.subckt half x=x y=y s=differ c=both
.subckt half x=differ y=z s=s c=passed
.names both passed c
1- 1
-1 1
.end
.model half
.inputs x y
.outputs s c
.names x y s
10 1
01 1
.names x y c
11 1
.end
";
    let circuit = read(text).unwrap();
    for record in all(&[2, 2]) {
        let sum = record[0] + record[1];
        assert_eq!(run(&circuit, &[record]), [[sum]]);
    }
    assert_eq!(circuit.and_count(), 3);
    // An output that nobody reads need not be connected.
    let text = text
        .replace("s=differ c=both", "s=differ")
        .replace("both passed c\n1- 1\n-1 1", "passed c\n1 1");
    assert_eq!(run(&read(&text).unwrap(), &[vec![3, 0], vec![3, 3]]), [[3], [0]]);
}

/// A table of so many inputs, with rows of 0, 1 and -.
fn tables(inputs: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (usize, Vec<String>, bool)> {
    let row = |inputs: usize| proptest::string::string_regex(&format!("[01-]{{{inputs}}}")).unwrap();
    let rows = move |inputs| {
        (
            Just(inputs),
            prop::collection::vec(row(inputs), 0..12),
            any::<bool>(),
        )
    };
    inputs.prop_flat_map(rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A table has the value that its rows say, at the least depth that a function of its inputs needs.
    #[test]
    fn tables_are_what_their_rows_say((inputs, rows, value) in tables(1..=10)) {
        let bits: Vec<String> = (0..inputs).map(|bit| format!("x[{bit}]")).collect();
        let lines = rows.iter().map(|row| format!("{row} {}\n", u8::from(value)));
        let lines: String = lines.collect();
        let bits = bits.join(" ");
        let circuit = read(&format!(".model m\n.inputs {bits}\n.outputs y\n.names {bits} y\n{lines}")).unwrap();
        let covers = |x: u128| rows.iter().any(|row| {
            row.bytes().enumerate().all(|(bit, byte)| byte == b'-' || u128::from(byte - b'0') == x >> bit & 1)
        });
        let records: Vec<Vec<u128>> = all(&[inputs]);
        // A table without rows is 0, whatever it would have had.
        let expected = |record: &Vec<u128>| vec![u128::from((covers(record[0]) == value) && !rows.is_empty())];
        let expected: Vec<Vec<u128>> = records.iter().map(expected).collect();
        prop_assert!(run(&circuit, &records) == expected);
        if inputs <= 8 {
            prop_assert!(circuit.and_depth() <= inputs.next_power_of_two().ilog2());
        }
    }
}

/// The ANDs and the depth of a table of so many inputs.
fn price(inputs: usize, rows: &str) -> (usize, u32) {
    let names: Vec<String> = (0..inputs).map(|input| format!("x{input}")).collect();
    let names = names.join(" ");
    let circuit = read(&format!(
        ".model m\n.inputs {names}\n.outputs y\n.names {names} y\n{rows}"
    ))
    .unwrap();
    (circuit.and_count(), circuit.and_depth())
}

#[test]
fn usual_tables_are_cheap() {
    assert_eq!(price(2, "10 1\n01 1\n"), (0, 0));
    assert_eq!(price(3, "1-1 1\n01- 1\n"), (1, 1));
    assert_eq!(price(3, "11- 1\n1-1 1\n-11 1\n"), (1, 1));
    assert_eq!(price(8, "00000000 0\n"), (7, 3));
    assert_eq!(price(8, "11111111 1\n00000000 1\n"), (14, 3));
    assert_eq!(price(6, "11---- 1\n--11-- 1\n----11 1\n"), (5, 3));
    // As wide as it is: the rows exclude each other, so their OR is a sum.
    assert_eq!(price(16, "1111111111111111 1\n0--------------- 1\n"), (15, 4));
    let parity: String = (0..64_u32)
        .filter(|row| row.count_ones() % 2 == 1)
        .map(|row| format!("{row:06b} 1\n"))
        .collect();
    assert_eq!(price(6, &parity), (0, 0));
}

/// The error of a text.
fn complaint(text: &str) -> BlifError {
    read(text).unwrap_err()
}

const RIGHT: &str = "\
.model top
.inputs a b
.outputs y z
.names a b y
11 1
.subckt part p=y q=z
.end
.model part
.inputs p
.outputs q
.names p q
0 1
.end
";

/// The error after a change in one place of a correct text.
fn wrong(from: &str, to: &str) -> BlifError {
    assert_eq!(RIGHT.matches(from).count(), 1, "{from:?} is not one place");
    complaint(&RIGHT.replace(from, to))
}

#[test]
fn errors_of_lines() {
    use BlifError as E;
    read(RIGHT).unwrap();
    assert!(matches!(complaint("# nothing\n"), E::NoModel));
    assert!(matches!(complaint("\naag 1\n"), E::NotAModel { line: 2, found } if found == "aag"));
    assert!(matches!(
        wrong("11 1\n.subckt", "11 1\n.end\n.subckt"),
        E::NotAModel { line: 7, .. }
    ));
    for name in ["", "part x", "top"] {
        assert!(matches!(
            wrong(".model part", &format!(".model {name}")),
            E::ModelName { line: 8 }
        ));
    }
    for (line, said) in [(".latch y z re clk 0", "registers"), (".clock a", "registers")] {
        let error = wrong(".subckt part p=y q=z", line);
        assert!(matches!(error, E::Memory { line: 6, .. }) && error.to_string().contains(said));
    }
    let error = wrong(".subckt part p=y q=z", ".gate nand2 A=a B=b Y=z");
    assert!(matches!(error, E::Library { line: 6, .. }));
    assert!(matches!(
        wrong(".subckt part p=y q=z", ".exdc"),
        E::DontCares { line: 6 }
    ));
    let error = wrong(".subckt part p=y q=z", ".start_kiss");
    assert!(matches!(error, E::Unknown { line: 6, found } if found == ".start_kiss"));
    assert!(matches!(
        wrong(".names a b y", ".names"),
        E::NoTableOutput { line: 4 }
    ));
    assert!(matches!(
        wrong(".names a b y\n", ""),
        E::RowOutside { line: 4, .. }
    ));
    for row in ["1 1", "111 1", "1x 1", "11", "11 2", "11 -", "1 1 1", "11 1 1"] {
        assert!(
            matches!(wrong("11 1", row), E::Row { line: 5, inputs: 2 }),
            "{row}"
        );
    }
    assert!(matches!(wrong("11 1", "11 1\n00 0"), E::MixedRows { line: 6 }));
    let error = blif::read(&b".model a\n\n\xff"[..]).unwrap_err();
    assert!(matches!(error, E::NotText { line: 3 }));
}

#[test]
fn errors_of_signals() {
    use BlifError as E;
    assert!(matches!(wrong("a b y", "a b a"), E::DefinedTwice { line: 4, signal } if signal == "a"));
    assert!(
        matches!(wrong(".names p q", ".names q p"), E::DefinedTwice { line: 11, signal } if signal == "p")
    );
    assert!(matches!(wrong("q=z", "q=y"), E::DefinedTwice { line: 11, signal } if signal == "y"));
    // What no output depends on may lack a source, as in files of Yosys.
    read(&RIGHT.replace("11 1", "11 1\n.names lost least\n1 1")).unwrap();
    let error = wrong("a b y", "a c y");
    assert!(matches!(error, E::Undefined { signal, model } if signal == "c" && model == "top"));
    let error = wrong(".names p q", ".names r q");
    assert!(matches!(error, E::Undefined { signal, model } if signal == "r" && model == "part"));
    assert!(matches!(wrong("y z", "y z w"), E::Undefined { signal, .. } if signal == "w"));
    assert!(matches!(wrong("a b y", "a y y"), E::Cycle { signal, .. } if signal == "y"));
    assert!(matches!(wrong("a b y", "a z y"), E::Cycle { .. }));
    assert!(matches!(wrong(".outputs y z", ".outputs"), E::NoOutputs { model } if model == "top"));
    let error = wrong("y z", "y[0] y[2]");
    assert!(matches!(error, E::Undefined { .. }));
    let error = complaint(".model m\n.inputs a[0] a[2]\n.outputs a[0]\n");
    assert!(matches!(
        error,
        E::BitNames(BitNameError::Gap { bits: (0, 2), .. })
    ));
}

#[test]
fn errors_of_copies() {
    use BlifError as E;
    assert!(matches!(
        wrong("subckt part", "subckt prat"),
        E::NoSuchModel { line: 6, .. }
    ));
    assert!(matches!(
        wrong(".subckt part p=y q=z", ".subckt"),
        E::ModelName { line: 6 }
    ));
    for connections in ["p=y q", "p=y q=", "p=y x=z", "p=y q=z p=a", "p=y q=z =a"] {
        let error = wrong("p=y q=z", connections);
        assert!(
            matches!(error, E::Connection { line: 6, .. }),
            "{connections}: {error}"
        );
    }
    assert!(matches!(wrong("p=y q=z", "q=z"), E::Unconnected { line: 6, port, .. } if port == "p"));
    let error = wrong(".names p q\n0 1", ".subckt part p=p q=q");
    assert!(matches!(error, E::Recursive { line: 11, .. }));
    // Forty models, each with two of the next.
    let mut text = ".model m0\n.outputs y\n".to_owned();
    for number in 1..40 {
        text += &format!(".subckt m{number}\n.subckt m{number}\n.end\n.model m{number}\n");
    }
    assert!(matches!(complaint(&text), E::TooManyCopies));
}
