use super::*;
use crate::Reader;

/// Accepts what begins with an even byte, panics at the word "bad", and takes memory for the word "big".
fn read(input: &[u8]) -> Result<(), String> {
    let has = |word: &[u8]| input.windows(word.len()).any(|part| part == word);
    assert!(!has(b"bad"), "a bad word");
    if has(b"big") {
        drop(std::hint::black_box(vec![1u8; 1 << 20]));
    }
    match input.first() {
        Some(byte) if byte % 2 == 0 => Ok(()),
        other => Err(format!("{other:?} at \"{input:?}\"")),
    }
}

const fn target(name: &'static str, words: &'static [&'static str]) -> Target {
    Target {
        name,
        readers: &[Reader {
            name: "even",
            read,
            seeds: Vec::new,
        }],
        words,
        longest: 100,
        memory: 1 << 14,
    }
}

static CALM: Target = target("calm", &["good"]);
static BAD: Target = target("bad", &["bad"]);
static BIG: Target = target("big", &["big"]);

fn settings(name: &str) -> Settings {
    Settings {
        runs: Some(20_000),
        time: None,
        seed: 1,
        failures: std::env::temp_dir().join(format!("ringmill-fuzz-{}-{name}", std::process::id())),
    }
}

#[test]
fn runs_count_what_they_feed() {
    let settings = settings("calm");
    let report = |seed| {
        let settings = Settings {
            seed,
            ..settings.clone()
        };
        let report = run(&CALM, [vec![0, 2], vec![0, 3]], &settings).unwrap();
        assert_eq!((report.runs, report.readers[0].1), (20_002, 20_002));
        (report.readers[0].2, report.answers)
    };
    let (accepted, answers) = report(1);
    assert!(accepted > 1000 && accepted < 19_500, "{accepted}");
    // Odd, empty.
    assert_eq!(answers, 2);
    assert_eq!(report(1), (accepted, answers));
    assert_ne!(report(2).0, accepted);
    fs::remove_dir(&settings.failures).unwrap();
}

#[test]
fn a_target_that_accepts_nothing_fails() {
    let settings = settings("unreached");
    let failure = run(&CALM, [vec![0, 3]], &settings).unwrap_err();
    assert!(
        matches!(failure, Failure::Unreached { reader: "even", .. }),
        "{failure}"
    );
    fs::remove_dir_all(&settings.failures).unwrap();
}

#[test]
fn an_input_that_fails_is_kept() {
    for (target, problem) in [(&BAD, "a bad word"), (&BIG, "took 10485")] {
        let settings = settings(target.name);
        let failure = run(target, [vec![0, 2]], &settings).unwrap_err();
        let Failure::Broken {
            problem: said, input, ..
        } = &failure
        else {
            panic!("{failure}")
        };
        assert!(said.contains(problem), "{said}");
        let kept = kept_input(input).unwrap();
        assert!(run_one(target, &kept, input).is_err());
        let current = settings.failures.join(format!("{}.current", target.name));
        assert_eq!(kept_input(&current).unwrap(), kept);
        fs::remove_dir_all(&settings.failures).unwrap();
    }
}
