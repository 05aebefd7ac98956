//! Files of the cache of calibrations: what is used of them gives work a finite time.

use ringmill::fuzzing::kept_calibration;
use ringmill_engine::Work;

use crate::{Reader, Target};

/// The hardware of the corpus.
const HARDWARE: &str = "a processor";

pub static TARGET: Target = Target {
    name: "calibration",
    readers: &[Reader {
        name: "json",
        read: |text| {
            let Some(calibration) = kept_calibration(text, HARDWARE) else {
                // Why is not said, because nobody reads it; the parser's error tells inputs apart.
                let error = serde_json::from_slice::<serde_json::Value>(text).err();
                return Err(error.map_or_else(|| "another value".to_owned(), |error| error.to_string()));
            };
            let work = Work {
                transforms: 1.0,
                narrow_transforms: 1.0,
                passes: 2.0,
                conversions: 3.0,
            };
            for n in [1, 4096, 1 << 17] {
                let seconds = calibration.seconds(&work, n);
                assert!(seconds.is_finite() && seconds > 0.0, "{seconds}");
            }
            Ok(())
        },
        seeds: || {
            let rates = r#"{"transform": 0.42, "pass": 0.8, "conversion": 3.5e-1}"#;
            let file = |hardware: &str| {
                let calibration =
                    format!(r#"{{"rates": [{rates}, {rates}, {rates}, {rates}], "narrow": 0.78}}"#);
                let file =
                    format!(r#"{{"version": 7, "hardware": "{hardware}", "calibration": {calibration}}}"#);
                file.into_bytes()
            };
            vec![file(HARDWARE), file("another")]
        },
    }],
    words: &[
        "\"version\"",
        "\"hardware\"",
        "\"calibration\"",
        "\"rates\"",
        "\"transform\"",
        "\"narrow\"",
        "\"pass\"",
        "\"conversion\"",
        "null",
        "true",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "1e999",
        "-1",
        "1e-9",
        "1e4",
        "0",
        "NaN",
        "\\u0000",
    ],
    longest: 1000,
    memory: 1 << 15,
};
