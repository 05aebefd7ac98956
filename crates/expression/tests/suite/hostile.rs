//! Programs that would take much memory, time or stack are refused, soon.

use std::time::{Duration, Instant};

use ringmill_expression::{Compiled, ExpressionError};

use crate::common::try_compile;

/// Compiles within a stack as small as threads have, and soon enough.
fn soon(source: String) -> Result<Compiled, ExpressionError> {
    let start = Instant::now();
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let result = thread
        .spawn(move || try_compile(&source))
        .unwrap()
        .join()
        .unwrap();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    result
}

fn refused(source: String, message: &str) {
    let error = soon(source).map(|_| ()).unwrap_err();
    assert!(error.message.contains(message), "{error}");
    assert!(error.to_string().len() < 1000);
}

#[test]
fn nesting() {
    let nested = |open: &str, close: &str, times: usize| {
        let source = format!(
            "x: u8; c: bool; r = {}x{}",
            open.repeat(times),
            close.repeat(times)
        );
        refused(source, "");
    };
    for times in [70, 1000, 50_000] {
        nested("(", ")", times);
        nested("min(1, ", ")", times);
        nested("if c then 1 else ", "", times);
        nested("if ", " then c else c", times);
        nested("-", "", times);
        nested("- ", "", times);
        nested("~-", "", times);
        nested("not ", "", times);
        nested("x[", "]", times);
    }
    for times in [200, 50_000] {
        nested("", " << 1", times);
        nested("", " / 1", times);
        nested("", "[0..1]", times);
    }
    // Mistakes deep within are found once, not once for each way to read what is around them.
    for (open, times) in [
        ("if (", 31),
        ("if c then (", 31),
        ("if min(", 31),
        ("not (", 60),
        ("f(", 60),
        ("x[", 60),
        ("(", 60),
    ] {
        let close = if open == "x[" { "]" } else { ")" };
        refused(
            format!(
                "c: bool; x: u8; r = {}$ {}",
                open.repeat(times),
                close.repeat(times)
            ),
            "`$` cannot stand",
        );
        refused(
            format!(
                "c: bool; x: u8; r = {}x {} = $",
                open.repeat(times),
                close.repeat(times)
            ),
            "",
        );
    }
    // What is allowed fits into the stack.
    for (open, close, times) in [
        ("(", ")", 64),
        ("min(1, ", ")", 64),
        ("-", "", 64),
        ("~", "", 64),
        ("", " >> 1", 150),
    ] {
        let source = format!("x: u8; r = {}x{}", open.repeat(times), close.repeat(times));
        assert!(soon(source).is_ok(), "{open}");
    }
    let ifs = format!("c: bool; r = {}2", "if c then 1 else ".repeat(64));
    assert!(soon(ifs).is_ok());
    let mixed = format!("x: u8; r = {}x{}", "-(1 + 2 * (3 - ".repeat(30), "))".repeat(30));
    assert!(soon(mixed).is_ok());
}

#[test]
fn long_chains() {
    let chain = |kind: &str, operator: &str| format!("x: {kind}; r = x{}", operator.repeat(60_000));
    assert!(soon(chain("u1", "+x")).is_ok());
    assert!(soon(chain("u1", " and x").replace("u1", "bool")).is_ok());
    assert!(soon(chain("bits[1]", "|x")).is_ok());
    refused(chain("u8", "*x"), "bits");
    refused(chain("u1024", "-x"), "too large");
    refused(chain("u900", "+x"), "too large");
    assert!(soon(format!("x: u8; r = min(x{})", ", x".repeat(60_000))).is_ok());
    let statements: String = (0..20_000).map(|i| format!("let y{i} = x + {i}\n")).collect();
    assert!(soon(format!("x: u8\n{statements}r = x")).is_ok());
}

#[test]
fn many_gates() {
    let products = |width: usize| {
        let lets: String = (1..100)
            .map(|i| format!("let y{i} = u{width}(y{} * x + {i})\n", i - 1))
            .collect();
        format!("x: u{width}\nlet y0 = x\n{lets}r = y99")
    };
    refused(products(500), "gates");
    refused(products(1000), "may need 2000 bits");
    let adders: String = (1..5000)
        .map(|i| format!("let y{i} = u1024(u1020(y{}) + x)\n", i - 1))
        .collect();
    refused(format!("x: u1020\nlet y0 = x\n{adders}r = y4999"), "too large");
    let doubled: String = (1..60)
        .map(|i| format!("let y{i} = concat(y{0}, y{0})\n", i - 1))
        .collect();
    refused(format!("y0: u8\n{doubled}r = y59"), "more than 65536 bits");
    let copies: String = (0..20_000).map(|i| format!("let y{i} = x[0..65536]\n")).collect();
    refused(format!("x: bits[65536]\n{copies}r = x"), "too large");
    let ports: String = (0..20_000).map(|i| format!("x{i}: bits[65536]\n")).collect();
    refused(format!("{ports}r = x1"), "too large");
}

#[test]
fn sizes() {
    refused("# ".repeat(300_000), "bytes");
    refused(format!("{}: u8", "x".repeat(65)), "characters");
    refused(format!("x: u8; r = x + {}", "9".repeat(3000)), "characters");
    refused(format!("x: u8; r = x + {}", "9".repeat(2000)), "bits");
    refused("x: u1024; r = x << 1000 << 1000".to_owned(), "bits");
    refused(
        "x: u8; const A = 1 << 1023; const B = A * A; r = x + B".to_owned(),
        "bits",
    );
    let entries = vec!["1"; 1 << 16].join(",");
    let table = |kind: &str| format!("x: u16; table t: u16 -> {kind} = [{entries}]; r = t[x]");
    assert!(soon(table("u4")).is_ok());
    refused(table("u512"), "bits");
    let large: Vec<String> = (0..1_u32 << 16)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 20).to_string())
        .collect();
    let large = large.join(",");
    assert!(soon(format!("x: u16; table t: u16 -> u12 = [{large}]; r = t[x]")).is_ok());
    refused(table("u32") + " ^ t[~x] ^ t[x >> 1]", "too large");
}
