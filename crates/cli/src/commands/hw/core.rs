//! The core in simulation: cycles beside its data sheet and paper 1.

use ringmill_rtl::core::measure::{self, CiphertextSum, InstructionCycles, Overlap};
use ringmill_rtl::core::{Configuration, MemoryTiming, Sizes};
use serde::Serialize;

use crate::arguments::HwRunArguments;
use crate::error::CliError;
use crate::report::{columns, print_either, seconds};

/// The words of a polynomial of paper 1.
const FULL_N: usize = 32768;

/// Primes of 50 bits that have the 1228 bits of paper 1's modulus, and a few where the ring is small too.
const FULL_PRIMES: usize = 25;
const PRIMES: usize = 5;

/// Paper 1's FV.Add: cycles of its arithmetic, and seconds with its DDR3.
const PAPER_CYCLES: u64 = 83_968;
const PAPER_SECONDS: f64 = 0.050;

/// Makes the timing of a memory for a clock in MHz.
pub type Timing = fn(u64) -> MemoryTiming;

/// Memories before which the core is timed.
pub const MEMORIES: [(&str, Timing); 5] = [
    ("as fast as the bus", |_| MemoryTiming::FAST),
    ("DDR4-2400, a channel", MemoryTiming::ddr4),
    ("HBM2, a pseudo-channel", MemoryTiming::hbm2),
    ("paper 1's DDR3, its sums", MemoryTiming::ddr3_sum),
    ("paper 1's DDR3, its products", MemoryTiming::ddr3),
];

#[derive(Debug, Serialize)]
struct Instruction {
    name: String,
    cycles: u64,
    bound: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Program {
    limbs: u64,
    cycles: u64,
    load: u64,
    transform: u64,
    store: u64,
}

#[derive(Debug, Serialize)]
struct Sum {
    memory: &'static str,
    /// Cycles of the vector unit, and as many as the data sheet allows.
    vector_cycles: u64,
    bound: u64,
    cycles: u64,
    seconds: f64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Report {
    /// The module and its parameters.
    machine: String,
    n: usize,
    units: usize,
    clock_hertz: u64,
    instructions: Vec<Instruction>,
    overlap: Program,
    /// Limbs of each ciphertext of the sums.
    limbs: u64,
    sums: Vec<Sum>,
    /// Paper 1's sum of ciphertexts, if this one is of its size.
    paper_cycles: Option<u64>,
    paper_seconds: Option<f64>,
}

/// Simulates instructions, a program of loads, transforms and stores, and sums of ciphertexts, checks the results and
/// prints cycles.
pub fn run(arguments: &HwRunArguments) -> Result<(), CliError> {
    let n = match arguments.n {
        Some(n) => n as usize,
        None if arguments.full => FULL_N,
        None => 2048,
    };
    let primes = if n == FULL_N { FULL_PRIMES } else { PRIMES };
    let units = arguments.units.map_or(16, |units| units as usize);
    let configuration = Configuration::new(n, units, Sizes::default())?;
    let clock = arguments.clock;
    let mut sums = Vec::new();
    for (memory, timing) in MEMORIES {
        let sum = measure::ciphertext_sum(configuration, primes, timing(clock))?;
        sums.push((memory, sum));
    }
    let limbs = sums.first().map_or(0, |(_, sum)| sum.limbs);
    let instructions = measure::instructions(configuration)?;
    let overlap = measure::overlap(configuration)?;
    let report = Report {
        machine: configuration.machine(),
        n,
        units,
        clock_hertz: clock * 1_000_000,
        instructions: instructions.into_iter().map(Instruction::from).collect(),
        overlap: overlap.into(),
        limbs,
        sums: sums
            .into_iter()
            .map(|(memory, sum)| Sum::new(memory, &sum, clock))
            .collect(),
        paper_cycles: (n == FULL_N).then_some(PAPER_CYCLES),
        paper_seconds: (n == FULL_N).then_some(PAPER_SECONDS),
    };
    print_either(arguments.json, &report, || text(&report))
}

impl From<InstructionCycles> for Instruction {
    fn from(measured: InstructionCycles) -> Self {
        let InstructionCycles {
            name,
            cycles,
            expected,
        } = measured;
        let bound = expected.map(|[_, bound]| bound);
        Self { name, cycles, bound }
    }
}

impl From<Overlap> for Program {
    fn from(measured: Overlap) -> Self {
        let Overlap { limbs, cycles, units } = measured;
        let [load, transform, store] = units;
        Self {
            limbs,
            cycles,
            load,
            transform,
            store,
        }
    }
}

impl Sum {
    fn new(memory: &'static str, measured: &CiphertextSum, megahertz: u64) -> Self {
        Self {
            memory,
            vector_cycles: measured.vector,
            bound: measured.bound,
            cycles: measured.cycles,
            seconds: measured.cycles as f64 / (megahertz * 1_000_000) as f64,
            bytes: measured.bytes,
        }
    }
}

fn text(report: &Report) -> String {
    let instruction = |row: &Instruction| {
        let bound = row
            .bound
            .map_or_else(|| "-".to_owned(), |bound| bound.to_string());
        vec![row.name.clone(), row.cycles.to_string(), bound]
    };
    let instructions: Vec<_> = report.instructions.iter().map(instruction).collect();
    let sum = |row: &Sum| {
        vec![
            row.memory.to_owned(),
            row.vector_cycles.to_string(),
            row.bound.to_string(),
            row.cycles.to_string(),
            seconds(row.seconds),
            format!("{:.1}", row.bytes as f64 / 1e6),
        ]
    };
    let sums: Vec<_> = report.sums.iter().map(sum).collect();
    let overlap = &report.overlap;
    let mut text = format!(
        "{}, simulated; times at {} MHz. All results are the golden model's.\n\n{}\n\
         load, transform and store {} limbs: {} cycles; load unit {}, transform unit {}, store unit {}\n\n\
         sum of two ciphertexts of {} limbs, in memory before and after:\n\n{}",
        report.machine,
        report.clock_hertz / 1_000_000,
        columns(&["instruction", "cycles", "at most"], 1..3, &instructions),
        overlap.limbs,
        overlap.cycles,
        overlap.load,
        overlap.transform,
        overlap.store,
        report.limbs,
        columns(
            &["memory", "vector cycles", "at most", "cycles", "time", "MB"],
            1..6,
            &sums
        ),
    );
    if let (Some(cycles), Some(time)) = (report.paper_cycles, report.paper_seconds) {
        text += &format!(
            "paper 1 (FV.Add): {cycles} cycles, {} with its memory\n",
            seconds(time)
        );
    }
    text
}
