//! Any target, chosen by the environment: `RINGMILL_FUZZ_TARGET=recipe`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ringmill_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("RINGMILL_FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| {
        let names = TARGETS.map(|target| target.name).join(", ");
        eprintln!("set RINGMILL_FUZZ_TARGET to one of {names}");
        std::process::exit(2)
    })
});

fuzz_target!(|input: &[u8]| drop(TARGET.feed(input)));
