//! Transform engines in simulation: cycles beside the papers'.

use std::time::Instant;

use ringmill_arith::sampling::{self, Seed, Stream};
use ringmill_rtl::ntt_engine::{Direction, Engine, EngineSimulation};
use serde::Serialize;

use crate::error::CliError;
use crate::report::{columns, print_either, seconds};

/// A paper's transforms.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Published {
    /// The paper, and its machine.
    pub source: &'static str,
    /// Cycles of a transform, forward and back.
    pub cycles: [u64; 2],
    pub clock_hertz: u64,
}

/// Paper 1, table 2: 2^16 points, 30-bit primes, 16 butterfly units.
pub const HEPCLOUD: Published = Published {
    source: "paper 1: 65536 points, 30 bits, 16 units",
    cycles: [47_795, 51_909],
    clock_hertz: 100_000_000,
};

/// Paper 3, table 3: 2^16 points, 32-bit primes, 256 tiles.
pub const CACHED_NTT: Published = Published {
    source: "paper 3: 65536 points, 32 bits, 256 tiles",
    cycles: [4964, 5237],
    clock_hertz: 209_000_000,
};

#[derive(Debug, Serialize)]
struct Row {
    direction: &'static str,
    /// As the simulated machine counts them.
    cycles: u64,
    /// The paper's cycles, where the machine has its size.
    paper_cycles: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Report {
    /// The module and its parameters.
    machine: String,
    n: usize,
    units: usize,
    prime: u64,
    /// The paper that has a machine of this size.
    paper: Option<Published>,
    rows: Vec<Row>,
    /// Transforms whose words were all equal to the golden model's.
    checked: u64,
    simulated_cycles_per_second: f64,
}

/// Simulates transforms of random words, checks them and prints their cycles, beside those of a paper of the same size.
pub fn run(
    engine: &impl Engine,
    paper: Option<Published>,
    transforms: u32,
    json: bool,
) -> Result<(), CliError> {
    let mut simulation = EngineSimulation::new(engine)?;
    let (before, start) = (simulation.cycles(), Instant::now());
    let mut stream = Stream::new(&Seed::random()?);
    let mut words = vec![0; engine.n()];
    let mut rows = Vec::new();
    let directions = [("forward", Direction::Forward), ("inverse", Direction::Inverse)];
    for (at, (name, direction)) in directions.into_iter().enumerate() {
        let mut cycles = 0;
        for _ in 0..transforms {
            sampling::uniform(&mut stream, engine.modulus(), &mut words);
            cycles = check(engine, &mut simulation, direction, &words)?;
        }
        rows.push(Row {
            direction: name,
            cycles,
            paper_cycles: paper.and_then(|paper| paper.cycles.get(at).copied()),
        });
    }
    let report = Report {
        machine: engine.machine(),
        n: engine.n(),
        units: engine.units(),
        prime: engine.modulus().value(),
        paper,
        rows,
        checked: 2 * u64::from(transforms),
        simulated_cycles_per_second: (simulation.cycles() - before) as f64 / start.elapsed().as_secs_f64(),
    };
    print_either(json, &report, || text(&report))
}

/// One transform by the machine and by the golden model; its cycles, which must be those of the schedule.
fn check(
    engine: &impl Engine,
    simulation: &mut EngineSimulation,
    direction: Direction,
    words: &[u64],
) -> Result<u64, CliError> {
    let (mut expected, mut got) = (words.to_vec(), words.to_vec());
    engine.transform(direction, &mut expected)?;
    let cycles = simulation.transform(direction, &mut got)?;
    if got != expected || cycles != engine.cycles(direction) {
        let problem = format!("{} differs from its golden model", engine.machine());
        return Err(CliError::wrong_result(problem));
    }
    Ok(cycles)
}

fn text(report: &Report) -> String {
    let head = format!(
        "{}, simulated: {} words, {} butterfly units, prime {}\n\
         {} transforms, all words equal to the golden model's; {:.0} cycles simulated a second\n",
        report.machine,
        report.n,
        report.units,
        report.prime,
        report.checked,
        report.simulated_cycles_per_second,
    );
    match &report.paper {
        Some(paper) => head + &beside(paper, &report.rows),
        None => {
            let row = |row: &Row| vec![row.direction.to_owned(), row.cycles.to_string()];
            let rows: Vec<_> = report.rows.iter().map(row).collect();
            format!("{head}\n{}", columns(&["transform", "cycles"], 1..2, &rows))
        }
    }
}

/// Cycles and times at the paper's clock, beside the paper's cycles.
fn beside(paper: &Published, rows: &[Row]) -> String {
    let row = |row: &Row| {
        let published = row.paper_cycles.unwrap_or_default();
        vec![
            row.direction.to_owned(),
            row.cycles.to_string(),
            seconds(row.cycles as f64 / paper.clock_hertz as f64),
            published.to_string(),
            format!("{:.2}", published as f64 / row.cycles as f64),
        ]
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!(
        "beside {}; times at its clock of {} MHz\n\n{}",
        paper.source,
        paper.clock_hertz / 1_000_000,
        columns(
            &["transform", "cycles", "time", "the paper's cycles", "ratio"],
            1..5,
            &rows
        )
    )
}
