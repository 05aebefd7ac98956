//! A whole job on the core: simulated, or timed by its model.

use std::sync::Arc;
use std::time::Instant;

use ringmill::platform::{Core, Cpu, Platform};
use ringmill::{InputKey, InputPacking, Job, Optimise, Planning, Policy, PrimeRule, Seed};
use ringmill_fv::presets::MACHINE_N2048;
use ringmill_rtl::core::{Configuration, Counter, Counts, Machine, MemoryTiming, OperationLog, Sizes};
use serde::Serialize;

use super::core::MEMORIES;
use super::recorded::{Recorded, counts};
use crate::arguments::{DemoCipher, HwRunArguments};
use crate::commands::demo::Data;
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{columns, print_either, seconds};

#[derive(Debug, Serialize)]
struct Row {
    memory: String,
    cycles: u64,
    seconds: f64,
    /// Cycles in which each unit works.
    transform: u64,
    vector: u64,
    conversion: u64,
    load: u64,
    store: u64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Report {
    /// The module and its parameters.
    machine: String,
    circuit: String,
    blocks: usize,
    /// The parameters of the scheme, by their name.
    parameters: String,
    clock_hertz: u64,
    /// Operations of the device, and how many of them differ.
    operations: u64,
    different: usize,
    rows: Vec<Row>,
}

/// The times of a job that was simulated.
#[derive(Debug, Serialize)]
struct Simulated {
    machine: String,
    circuit: String,
    blocks: usize,
    parameters: String,
    clock_hertz: u64,
    stages: Vec<StageCycles>,
    /// The evaluation's cycles by the model, which has each operation by itself, with operands in memory.
    model_cycles: u64,
    /// Seconds that the simulation took.
    simulation_seconds: f64,
}

/// The cycles of a part of a job.
#[derive(Debug, Serialize)]
struct StageCycles {
    stage: &'static str,
    #[serde(flatten)]
    row: Row,
}

/// Encrypts blocks with a few rounds of SIMON under encryption, all of it on the simulated core, checks them, and prints the
/// cycles.
pub fn simulate(arguments: &HwRunArguments, cipher: DemoCipher) -> Result<(), CliError> {
    if cipher != DemoCipher::Simon {
        return Err(CliError::usage(
            "only --circuit simon is simulated, with few --rounds; for others take --model",
        ));
    }
    let (seed, start) = (Seed::random()?, Instant::now());
    let planning = Planning::new()
        .preset(Some(MACHINE_N2048))
        .policy(Policy::allow_insecure())
        .optimise(Optimise::Off)
        .observer(Arc::new(Terminal::default()));
    let rounds = arguments.rounds as usize;
    let circuit = Data::simon_rounds(rounds, 1, &seed).core_circuit()?;
    let job = planning.plan_on(&Arc::new(Cpu), &circuit)?;
    let platform = Recorded::new(Core);
    let job = job.on(&platform);
    let blocks = arguments
        .blocks
        .map_or(job.plan_details().records(), |blocks| blocks as usize);
    let data = Data::simon_rounds(rounds, blocks, &seed);
    let mut stages = Vec::new();
    let mut before = Counts::default();
    evaluate(&job, platform.log(), &data, &seed, &mut |stage| {
        if let Some(device) = platform.device() {
            let counts = device
                .inner()
                .with_driver(|driver| Counts::of(driver.machine_mut()))?;
            let row = Row::new(
                "as fast as the bus".to_owned(),
                &counts.since(&before),
                arguments.clock,
            );
            stages.push(StageCycles { stage, row });
            before = counts;
        }
        Ok(())
    })?;
    let device = platform
        .device()
        .ok_or_else(|| CliError::usage("nothing was simulated"))?;
    let configuration = device
        .inner()
        .with_driver(|driver| *driver.machine().configuration());
    let report = Simulated {
        machine: configuration.machine(),
        circuit: job.name().to_owned(),
        blocks,
        parameters: job.parameters().name().to_owned(),
        clock_hertz: arguments.clock * 1_000_000,
        stages,
        model_cycles: counts(platform.log(), configuration, MemoryTiming::FAST)?.get(Counter::Cycles),
        simulation_seconds: start.elapsed().as_secs_f64(),
    };
    print_either(arguments.json, &report, || simulated_text(&report))
}

/// Decrypts blocks under encryption on the processor and checks them. The platform of the job has a log of the evaluation.
pub fn decrypt(cipher: DemoCipher, blocks: usize) -> Result<Job<Recorded<Cpu>>, CliError> {
    let seed = Seed::random()?;
    let data = Data::random(cipher, blocks, &seed)?;
    let platform = Recorded::new(Cpu);
    let planning = Planning::new()
        .prime_rule(PrimeRule::Machine)
        .optimise(Optimise::Off)
        .input_key(InputKey::Secret)
        // The figures are of the evaluation alone.
        .packing(Some(InputPacking::Separate))
        .observer(Arc::new(Terminal::default()));
    let job = planning
        .plan_on(&Arc::new(Cpu), &data.core_circuit()?)?
        .on(&platform);
    evaluate(&job, platform.log(), &data, &seed, &mut |_| Ok(()))?;
    Ok(job)
}

/// Decrypts blocks on the processor and prints the time that the core takes for the same evaluation, before several
/// memories.
pub fn model(arguments: &HwRunArguments, cipher: DemoCipher) -> Result<(), CliError> {
    let blocks = arguments.blocks.unwrap_or(2048) as usize;
    let job = decrypt(cipher, blocks)?;
    let log = job.platform().log();
    let sizes = Sizes {
        slots: arguments.slots,
        ..Sizes::default()
    };
    let units = arguments.units.map_or(16, |units| units as usize);
    let configuration = Configuration::new(job.parameters().n(), units, sizes)?;
    let clock = arguments.clock;
    let given = arguments.bandwidth.iter();
    let mut memories: Vec<_> = given
        .map(|&bandwidth| {
            (
                format!("{bandwidth} MB/s"),
                MemoryTiming::of_bandwidth(bandwidth, clock),
            )
        })
        .collect();
    if memories.is_empty() {
        memories = MEMORIES
            .map(|(name, timing)| (name.to_owned(), timing(clock)))
            .to_vec();
    }
    let row = |(memory, timing)| {
        let counts = counts(log, configuration, timing)?;
        Ok::<_, CliError>(Row::new(memory, &counts, clock))
    };
    let operations = log.operations();
    let report = Report {
        machine: configuration.machine(),
        circuit: job.name().to_owned(),
        blocks,
        parameters: job.parameters().name().to_owned(),
        clock_hertz: clock * 1_000_000,
        operations: operations.iter().map(|(_, times)| times).sum(),
        different: operations.len(),
        rows: memories.into_iter().map(row).collect::<Result<_, _>>()?,
    };
    print_either(arguments.json, &report, || text(&report))
}

/// Evaluates all batches, of which the log has the operations then, and checks the blocks. Calls `stage` after each part.
fn evaluate<P: Platform>(
    job: &Job<P>,
    log: &OperationLog,
    data: &Data,
    seed: &Seed,
    stage: &mut dyn FnMut(&'static str) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let client = job.client(&seed.derive("keys", 0))?;
    let server = job.server(client.evaluation_keys()?)?;
    stage("keys")?;
    let key = client.encrypt(&job.cipher_key(data.key())?)?.into_batches().pop();
    stage("encryption")?;
    let slots = job.plan_details().records();
    let mut evaluation = server.evaluation();
    evaluation.expect(Some(data.blocks().div_ceil(slots)));
    log.clear();
    let mut all = Vec::new();
    for batch in data.public(job.circuit(), slots)? {
        let (records, public) = batch?;
        let Some(key) = key.clone() else { break };
        all.push((records, evaluation.batch(key, &public)?));
    }
    let recorded = log.operations();
    stage("evaluation")?;
    let mut blocks = Vec::new();
    for (records, results) in &all {
        let decrypted = client.decrypt_batch(results)?;
        if let (Some(port), Some(values)) = (job.circuit().outputs().first(), decrypted.values.first()) {
            (0..*records).for_each(|record| blocks.extend(values.record_bytes(port.kind, record)));
        }
    }
    stage("decryption")?;
    log.replace(recorded);
    match data.blocks() - data.correct(&blocks) {
        0 => Ok(()),
        wrong => Err(CliError::wrong_result(format!(
            "{wrong} of {} blocks were decrypted wrongly; this is a defect, please report it",
            data.blocks()
        ))),
    }
}

impl Row {
    fn new(memory: String, counts: &Counts, megahertz: u64) -> Self {
        let cycles = counts.get(Counter::Cycles);
        Self {
            memory,
            cycles,
            seconds: cycles as f64 / (megahertz * 1_000_000) as f64,
            transform: counts.get(Counter::Transform),
            vector: counts.get(Counter::Vector),
            conversion: counts.get(Counter::Conversion),
            load: counts.get(Counter::Load),
            store: counts.get(Counter::Store),
            bytes: counts.get(Counter::BytesRead) + counts.get(Counter::BytesWritten),
        }
    }
}

/// The cells of a row behind its name.
fn cells(name: &str, row: &Row) -> Vec<String> {
    let millions = |cycles: u64| format!("{:.2}", cycles as f64 / 1e6);
    let cycles = [row.transform, row.vector, row.conversion, row.load, row.store].map(millions);
    let head = [name.to_owned(), millions(row.cycles), seconds(row.seconds)];
    let bytes = format!("{:.2}", row.bytes as f64 / 1e9);
    head.into_iter().chain(cycles).chain([bytes]).collect()
}

/// The names of the cells.
const CELLS: [&str; 8] = [
    "cycles",
    "time",
    "transform",
    "vector",
    "conversion",
    "load",
    "store",
    "GB",
];

fn table(name: &'static str, rows: &[Vec<String>]) -> String {
    let names: Vec<_> = [name].into_iter().chain(CELLS).collect();
    columns(&names, 1..9, rows)
}

fn simulated_text(report: &Simulated) -> String {
    let row = |stage: &StageCycles| cells(stage.stage, &stage.row);
    let rows: Vec<_> = report.stages.iter().map(row).collect();
    let evaluation = report.stages.iter().find(|stage| stage.stage == "evaluation");
    format!(
        "{}, simulated in {}; times at {} MHz, before a memory as fast as the bus.\n{} on {} blocks with {}: keys, encryption, \
         evaluation and decryption by the core, all blocks right.\nCycles in millions; those of units are cycles in which \
         they work.\n\n{}\nThe evaluation by the model, operation by operation: {} cycles, {:.3} of the simulated ones\n",
        report.machine,
        seconds(report.simulation_seconds),
        report.clock_hertz / 1_000_000,
        report.circuit,
        report.blocks,
        report.parameters,
        table("stage", &rows),
        report.model_cycles,
        report.model_cycles as f64 / evaluation.map_or(1, |stage| stage.row.cycles) as f64,
    )
}

fn text(report: &Report) -> String {
    let rows: Vec<_> = report.rows.iter().map(|row| cells(&row.memory, row)).collect();
    format!(
        "{}, by its time model; times at {} MHz.\n{} of {} blocks with {}, evaluated on this processor and checked: {} \
         operations, {} of them different.\nCycles in millions; those of units are cycles in which they work.\n\n{}",
        report.machine,
        report.clock_hertz / 1_000_000,
        report.circuit,
        report.blocks,
        report.parameters,
        report.operations,
        report.different,
        table("memory", &rows),
    )
}
