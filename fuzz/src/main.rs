//! Runs fuzz targets on stable Rust; `CONTRIBUTING.md` says how.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use ringmill_fuzz::run::{Failure, Settings, kept_input, run, run_one};
use ringmill_fuzz::{TARGETS, Target, corpus};

/// Feeds readers of ringmill with mutations of small files.
#[derive(Parser)]
#[command(name = "fuzz")]
struct Arguments {
    /// The targets; all of them if none is named.
    #[arg(value_name = "TARGET", value_parser = target)]
    targets: Vec<&'static Target>,
    /// The time for each target, 30 seconds unless `--runs` is given.
    #[arg(long)]
    seconds: Option<u64>,
    /// The number of mutations for each target.
    #[arg(long)]
    runs: Option<u64>,
    /// Determines the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Targets that run at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The folder of the corpora.
    #[arg(long, default_value_os_t = corpus::folder())]
    corpus: PathBuf,
    /// The folder for inputs that fail.
    #[arg(long, default_value = "target/fuzz")]
    failures: PathBuf,
    /// Feeds the target with this file only.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Makes the corpora of the targets anew instead.
    #[arg(long)]
    make_corpus: bool,
    /// Lists the targets instead.
    #[arg(long)]
    list: bool,
}

fn target(name: &str) -> Result<&'static Target, String> {
    Target::named(name).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("the targets are {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let targets = match arguments.targets.as_slice() {
        [] => TARGETS.to_vec(),
        named => named.to_vec(),
    };
    let done = if arguments.list {
        targets.iter().for_each(|target| println!("{}", target.name));
        Ok(())
    } else if arguments.make_corpus {
        let mut made = targets
            .iter()
            .map(|target| corpus::make(&arguments.corpus, target));
        made.try_for_each(|made| made.map_err(Failure::Io))
    } else if let Some(input) = &arguments.input {
        try_input(&targets, input)
    } else {
        return try_all(&targets, &arguments);
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn try_input(targets: &[&'static Target], path: &Path) -> Result<(), Failure> {
    let input = kept_input(path)?;
    for target in targets {
        let outcome = run_one(target, &input, path)?;
        let verdict = outcome.verdict.as_ref().err().map_or("accepted", String::as_str);
        println!(
            "{} {}: {verdict}",
            target.name, target.readers[outcome.reader].name
        );
    }
    Ok(())
}

/// Runs targets, several at a time.
fn try_all(targets: &[&'static Target], arguments: &Arguments) -> ExitCode {
    let settings = Settings {
        runs: arguments.runs,
        time: match (arguments.seconds, arguments.runs) {
            (None, Some(_)) => None,
            (seconds, _) => Some(Duration::from_secs(seconds.unwrap_or(30))),
        },
        seed: arguments.seed,
        failures: arguments.failures.clone(),
    };
    println!(
        "seed {}; should this process die, {}/TARGET.current has the input",
        settings.seed,
        settings.failures.display()
    );
    let (waiting, failed) = (Mutex::new(targets.iter()), AtomicBool::new(false));
    let next = || waiting.lock().ok()?.next();
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(target) = next() {
                    match try_one(target, &arguments.corpus, &settings) {
                        Ok(report) => println!("{report}"),
                        Err(failure) => {
                            eprintln!("{failure}");
                            failed.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    ExitCode::from(u8::from(failed.into_inner()))
}

fn try_one(
    target: &'static Target,
    folder: &Path,
    settings: &Settings,
) -> Result<ringmill_fuzz::run::Report, Failure> {
    let inputs = corpus::read(folder, target)?;
    run(target, inputs.into_iter().map(|(_, input)| input), settings)
}
