//! A whole job on the core, timed by its model.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill::circuits::by_name;
use ringmill::device::Ring;
use ringmill::platform::{Cpu, Platform};
use ringmill::{Error, InputKey, Job, Optimise, Planning, PrimeRule, Seed};
use ringmill_rtl::core::{Configuration, Counter, Counts, MemoryTiming, OperationLog, Sizes, Timed};
use serde::Serialize;

use super::core::MEMORIES;
use crate::arguments::{DemoCipher, HwRunArguments};
use crate::commands::demo::Data;
use crate::error::CliError;
use crate::report::{columns, print_either, seconds};

type CpuDevice = <Cpu as Platform>::Device;

/// The processor; its devices record what they are asked to do.
struct Recorded(Arc<OperationLog>);

impl Platform for Recorded {
    type Device = Timed<CpuDevice>;

    fn name(&self) -> String {
        Cpu.name()
    }

    fn hardware(&self) -> String {
        Cpu.hardware()
    }

    fn open(&self, ring: &Ring) -> Result<Arc<Self::Device>, Error> {
        let device = Cpu.open(ring)?;
        let device = Arc::into_inner(device).ok_or_else(|| Error::Usage("the processor is in use".to_owned()))?;
        Ok(Arc::new(Timed::new(device, Arc::clone(&self.0))))
    }
}

#[derive(Debug, Serialize)]
struct Row {
    memory: &'static str,
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
    circuit: &'static str,
    blocks: usize,
    /// The parameters of the scheme, by their name.
    parameters: String,
    clock_hertz: u64,
    /// Operations of the device, and how many of them differ.
    operations: u64,
    different: usize,
    rows: Vec<Row>,
}

/// Decrypts blocks under encryption on the processor, checks them, and prints the time that the core takes for the same
/// evaluation, before several memories.
pub fn run(arguments: &HwRunArguments, cipher: DemoCipher) -> Result<(), CliError> {
    let seed = Seed::random()?;
    let data = Data::random(cipher, arguments.blocks as usize, &seed)?;
    let platform = Arc::new(Recorded(Arc::default()));
    let planning = Planning::new()
        .prime_rule(PrimeRule::Machine)
        .optimise(Optimise::Off)
        .input_key(InputKey::Secret);
    let job = planning.plan_on(&platform, &by_name(data.circuit())?)?;
    evaluate(&job, &platform.0, &data, &seed)?;
    let sizes = Sizes {
        slots: arguments.slots,
        ..Sizes::default()
    };
    let units = arguments.units.map_or(16, |units| units as usize);
    let configuration = Configuration::new(job.parameters().n(), units, sizes)?;
    let clock = arguments.clock;
    let row = |&(memory, timing): &(&'static str, fn(u64) -> MemoryTiming)| {
        let counts = counts(&platform.0, configuration, timing(clock))?;
        Ok::<_, CliError>(Row::new(memory, &counts, clock))
    };
    let operations = platform.0.operations();
    let report = Report {
        machine: configuration.machine(),
        circuit: data.circuit(),
        blocks: data.blocks(),
        parameters: job.parameters().name().to_owned(),
        clock_hertz: clock * 1_000_000,
        operations: operations.iter().map(|(_, times)| times).sum(),
        different: operations.len(),
        rows: MEMORIES.iter().map(row).collect::<Result<_, _>>()?,
    };
    print_either(arguments.json, &report, || text(&report))
}

/// The counters of all operations, on both of the processor's threads and more.
fn counts(log: &OperationLog, configuration: Configuration, memory: MemoryTiming) -> Result<Counts, CliError> {
    let operations = log.operations();
    let counts = operations.par_iter().map(|(operation, times)| {
        let counts = operation.counts(configuration, memory)?;
        Ok::<_, CliError>(counts.times(*times))
    });
    let mut sum = Counts::default();
    for counts in counts.collect::<Result<Vec<_>, _>>()? {
        sum += counts;
    }
    Ok(sum)
}

/// Evaluates all batches, of which the log has the operations then, and checks the blocks.
fn evaluate(job: &Job<Recorded>, log: &OperationLog, data: &Data, seed: &Seed) -> Result<(), CliError> {
    let client = job.client(&seed.derive("keys", 0))?;
    let server = job.server(client.evaluation_keys()?)?;
    let key = client.encrypt(&job.cipher_key(data.key())?)?.into_batches().pop();
    let slots = job.plan_details().records();
    let mut evaluation = server.evaluation();
    let mut plain = Vec::new();
    log.clear();
    let mut all = Vec::new();
    for batch in data.public(job.circuit(), slots)? {
        let (records, public) = batch?;
        let Some(key) = key.clone() else { break };
        all.push((records, evaluation.batch(key, &public)?));
    }
    let recorded = log.operations();
    for (records, results) in &all {
        let decrypted = client.decrypt_batch(results)?;
        if let (Some(port), Some(values)) = (job.circuit().outputs().first(), decrypted.values.first()) {
            (0..*records).for_each(|record| plain.extend(values.record_bytes(port.kind, record)));
        }
    }
    log.replace(recorded);
    match data.blocks() - data.correct(&plain) {
        0 => Ok(()),
        wrong => Err(CliError::wrong_result(format!(
            "{wrong} of {} blocks were decrypted wrongly; this is a defect, please report it",
            data.blocks()
        ))),
    }
}

impl Row {
    fn new(memory: &'static str, counts: &Counts, megahertz: u64) -> Self {
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

fn text(report: &Report) -> String {
    let millions = |cycles: u64| format!("{:.1}", cycles as f64 / 1e6);
    let row = |row: &Row| {
        vec![
            row.memory.to_owned(),
            millions(row.cycles),
            seconds(row.seconds),
            millions(row.transform),
            millions(row.vector),
            millions(row.conversion),
            millions(row.load),
            millions(row.store),
            format!("{:.2}", row.bytes as f64 / 1e9),
        ]
    };
    let rows: Vec<_> = report.rows.iter().map(row).collect();
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
        columns(
            &["memory", "cycles", "time", "transform", "vector", "conversion", "load", "store", "GB"],
            1..9,
            &rows
        ),
    )
}
