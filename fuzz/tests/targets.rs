//! Every target with its corpus and with mutations of it, for a second each; `./test` gives them more time.
//!
//! A program of its own: its allocator counts.

use std::path::Path;
use std::time::Duration;

use ringmill_fuzz::run::{Settings, run};
use ringmill_fuzz::{TARGETS, Target, corpus};

/// A number from the environment.
fn number(name: &str) -> u64 {
    std::env::var(name).map_or(1, |value| value.parse().expect(name))
}

fn try_target(name: &str) {
    let target = Target::named(name).expect(name);
    let settings = Settings {
        runs: None,
        time: Some(Duration::from_secs(number("RINGMILL_FUZZ_SECONDS"))),
        seed: number("RINGMILL_FUZZ_SEED"),
        failures: Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz"),
    };
    let inputs = corpus::read(&corpus::folder(), target).expect(name);
    match run(target, inputs.into_iter().map(|(_, input)| input), &settings) {
        Ok(report) => println!("{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                try_target(stringify!($name));
            }
        )*

        #[test]
        fn no_target_is_forgotten() {
            assert_eq!([$(stringify!($name)),*], TARGETS.map(|target| target.name));
        }
    };
}

targets! {
    frames parameters recipe heads inspect job numbers calibration arguments bristol aiger blif tables schemes plan
    planner expression messages
}
