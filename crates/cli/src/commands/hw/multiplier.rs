//! The NTT multiplier in simulation: cycles, link, and the paper's offload table.

use std::sync::Arc;
use std::time::Instant;

use ringmill::platform::{Cpu, Platform};
use ringmill_arith::prime::primes_below;
use ringmill_arith::sampling::{self, Seed, Stream};
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_device::Device;
use ringmill_ring::Domain;
use ringmill_rtl::Pipeline;
use ringmill_rtl::ntt_multiplier::{Link, Offload, RtlDevice, Schedule, Shape, Statistics};
use serde::Serialize;

use crate::arguments::{HwRunArguments, MachinePipeline, MachineSize};
use crate::commands::bench::measure::Times;
use crate::error::CliError;
use crate::report::{columns, print_either, seconds};

/// Seconds of the paper's library, of one and of two products.
const PAPER_LIBRARY: [f64; 2] = [29.3e-6, 46.4e-6];

/// Cycles of the paper's machine for one and two products.
const PAPER_CYCLES: [usize; 2] = [250, 260];

/// The link of the paper, in Mb/s.
const LINK: u64 = 32_000;

/// One way of offloading, measured.
#[derive(Debug, Serialize)]
struct Row {
    link: &'static str,
    products: usize,
    /// Cycles of the computation of a job, first read to last result.
    cycles: u32,
    /// Cycles from one job's end to the next one's.
    period_cycles: f64,
    /// Share of the link's bandwidth in use while jobs stream.
    link_occupancy: f64,
    /// Share of cycles in which the butterfly units had a job.
    compute_occupancy: f64,
    software_seconds: f64,
    input_seconds: f64,
    compute_seconds: f64,
    output_seconds: f64,
    latency_seconds: f64,
    speedup: f64,
    /// The paper's library's time over our latency.
    speedup_over_papers_library: f64,
    jobs_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    n: usize,
    units: usize,
    pipeline: String,
    link_bits: u64,
    prime: u64,
    clock_hertz: u64,
    link_bits_per_second: u64,
    link_latency_cycles: u64,
    /// Products whose words were all equal to the CPU's.
    checked: u64,
    rows: Vec<Row>,
    latencies: Vec<Latency>,
    simulated_jobs_per_second: f64,
}

/// A polynomial of the machine, and of the processor beside it.
type Poly = <RtlDevice as Device>::Poly;

/// Cycles of the computation of a job with one product and with two, first read to last result.
#[derive(Debug, Serialize)]
struct Latency {
    pipeline: String,
    cycles: [usize; 2],
}

/// The material of jobs.
struct Work {
    cpu: Arc<<Cpu as Platform>::Device>,
    basis: Basis,
    factors: Vec<Poly>,
    stream: Stream,
}

/// Simulates, checks and prints.
pub fn run(arguments: &HwRunArguments) -> Result<(), CliError> {
    let (n, units, words) = match arguments.size {
        MachineSize::Full => (1024, 64, 4),
        MachineSize::Small => (1024, 2, 1),
    };
    let link = Link {
        bits_per_second: arguments.bandwidth.first().copied().unwrap_or(LINK) * 1_000_000,
        clock_hertz: arguments.clock * 1_000_000,
        latency: arguments.latency,
        ..Link::PAPER
    };
    let kernel = Simd::from_environment()?;
    let pipeline = match arguments.pipeline {
        MachinePipeline::Shallow => Pipeline::Shallow,
        MachinePipeline::Deep => Pipeline::Deep,
    };
    let shape = Shape::new(n, units, words)?.with_pipeline(pipeline);
    let machine = RtlDevice::new(shape, link, kernel)?;
    let prime = primes_below(1 << arguments.bits, 2 * n as u64, 1, &[])?;
    let mut work = Work::new(Cpu.open(machine.ring())?, Basis::new(&prime)?)?;
    let (start, mut rows) = (Instant::now(), Vec::new());
    for (name, half_duplex) in [("half duplex", true), ("full duplex", false)] {
        machine.set_link(Link { half_duplex, ..link });
        for products in [2, 1] {
            rows.push(work.measure(&machine, name, products, arguments.jobs as usize)?);
        }
    }
    let statistics = machine.statistics();
    let report = Report {
        n,
        units,
        pipeline: pipeline.to_string(),
        link_bits: machine.shape().beat_bits(),
        prime: prime.iter().map(Modulus::value).sum(),
        clock_hertz: link.clock_hertz,
        link_bits_per_second: link.bits_per_second,
        link_latency_cycles: link.latency,
        checked: statistics.products,
        rows,
        latencies: latencies(shape)?,
        simulated_jobs_per_second: statistics.jobs as f64 / start.elapsed().as_secs_f64(),
    };
    print_either(arguments.json, &report, || text(&report))
}

/// The latencies of a machine of these sizes with either pipeline.
fn latencies(shape: Shape) -> Result<Vec<Latency>, CliError> {
    let of = |pipeline: Pipeline| {
        let schedule = Schedule::new(shape.with_pipeline(pipeline));
        Ok(Latency {
            pipeline: pipeline.to_string(),
            cycles: [schedule.cycles(1)?, schedule.cycles(2)?],
        })
    };
    [Pipeline::Shallow, Pipeline::Deep].map(of).into_iter().collect()
}

impl Work {
    fn new(cpu: Arc<<Cpu as Platform>::Device>, basis: Basis) -> Result<Self, CliError> {
        let mut work = Self {
            cpu,
            basis,
            factors: Vec::new(),
            stream: Stream::new(&Seed::random()?),
        };
        for _ in 0..2 {
            let factor = work.draw(Domain::Evaluation)?;
            work.factors.push(factor);
        }
        Ok(work)
    }

    /// A random polynomial.
    fn draw(&mut self, domain: Domain) -> Result<Poly, CliError> {
        let mut words = vec![0; self.cpu.ring().n()];
        if let [q] = self.basis.moduli() {
            sampling::uniform(&mut self.stream, q, &mut words);
        }
        Ok(self.cpu.upload(&self.basis, domain, &words)?)
    }

    /// A job alone, and many in a row.
    fn measure(
        &mut self,
        machine: &RtlDevice,
        link: &'static str,
        products: usize,
        jobs: usize,
    ) -> Result<Row, CliError> {
        let software = self.software(products)?;
        // The first job after other factors waits for them.
        self.multiply(machine, products, 1)?;
        self.multiply(machine, products, 1)?;
        let alone = machine.last_times();
        let before = machine.statistics();
        self.multiply(machine, products, jobs)?;
        let (many, during) = (machine.last_times(), machine.statistics().since(&before));
        let cycles = during.latency;
        let offload = alone
            .first()
            .and_then(|alone| Offload::new(&machine.link(), software, alone, cycles, &many))
            .ok_or_else(|| CliError::wrong_result("the machine did too few jobs".to_owned()))?;
        Ok(row(machine, (link, products), &during, &offload))
    }

    /// Has the machine multiply random polynomials, and compares with the CPU.
    fn multiply(&mut self, machine: &RtlDevice, products: usize, jobs: usize) -> Result<(), CliError> {
        let batch = (0..jobs)
            .map(|_| self.draw(Domain::Coefficient))
            .collect::<Result<Vec<_>, _>>()?;
        let copies = batch
            .iter()
            .map(|a| self.cpu.copy(a))
            .collect::<Result<Vec<_>, _>>()?;
        let factors: Vec<&Poly> = self.factors.iter().take(products).collect();
        let expected = self.cpu.multiply_fixed(copies, &factors)?;
        let got = machine.multiply_fixed(batch, &factors)?;
        for (got, expected) in got.iter().flatten().zip(expected.iter().flatten()) {
            if self.cpu.download(got)? != self.cpu.download(expected)? {
                let problem = format!("{} differs from the CPU", machine.name());
                return Err(CliError::wrong_result(problem));
            }
        }
        Ok(())
    }

    /// Seconds of the same on one thread of this machine.
    fn software(&mut self, products: usize) -> Result<f64, CliError> {
        let a = self.draw(Domain::Coefficient)?;
        let factors: Vec<&Poly> = self.factors.iter().take(products).collect();
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let times = single.install(|| {
            Times::of(1001, || {
                Ok(self.cpu.multiply_fixed(vec![self.cpu.copy(&a)?], &factors)?)
            })
        })?;
        Ok(times.median)
    }
}

fn row(
    machine: &RtlDevice,
    (link, products): (&'static str, usize),
    during: &Statistics,
    offload: &Offload,
) -> Row {
    let papers = PAPER_LIBRARY.get(products - 1).copied().unwrap_or_default();
    Row {
        link,
        products,
        cycles: during.latency,
        period_cycles: offload.period * machine.link().clock_hertz as f64,
        link_occupancy: during.occupancy(&machine.link(), machine.shape()),
        compute_occupancy: during.compute_cycles as f64 / during.cycles as f64,
        software_seconds: offload.software,
        input_seconds: offload.input,
        compute_seconds: offload.compute,
        output_seconds: offload.output,
        latency_seconds: offload.latency,
        speedup: offload.speedup(),
        speedup_over_papers_library: papers / offload.latency,
        jobs_per_second: 1.0 / offload.period,
    }
}

/// Cycles of a job's computation with either pipeline, beside the paper's.
fn latency_table(report: &Report) -> String {
    let row = |name: &str, cycles: [usize; 2]| {
        let mut cells = vec![name.to_owned()];
        cells.extend(cycles.map(|cycles| cycles.to_string()));
        cells
    };
    let ours = report.latencies.iter();
    let mut rows: Vec<_> = ours
        .map(|latency| row(&latency.pipeline, latency.cycles))
        .collect();
    rows.push(row("the paper, n = 1024, 64 units", PAPER_CYCLES));
    columns(
        &["pipeline", "cycles, one product", "cycles, two products"],
        1..3,
        &rows,
    )
}

fn text(report: &Report) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let measured = |row: &Row| {
        vec![
            row.link.to_owned(),
            row.products.to_string(),
            row.cycles.to_string(),
            format!("{:.1}", row.period_cycles),
            percent(row.link_occupancy),
            percent(row.compute_occupancy),
        ]
    };
    let cycles: Vec<_> = report.rows.iter().map(measured).collect();
    let offload = |row: &Row| {
        vec![
            row.link.to_owned(),
            row.products.to_string(),
            seconds(row.software_seconds),
            seconds(row.input_seconds),
            seconds(row.compute_seconds),
            seconds(row.output_seconds),
            seconds(row.latency_seconds),
            format!("{:.2}", row.speedup),
            format!("{:.1}", row.speedup_over_papers_library),
            format!("{:.0}", row.jobs_per_second),
        ]
    };
    let mut offloads: Vec<_> = report.rows.iter().map(offload).collect();
    let paper = Offload::PAPER;
    let cells = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    offloads.push(vec![
        "the paper".to_owned(),
        "2".to_owned(),
        seconds(paper.software),
        seconds(paper.input),
        seconds(paper.compute),
        seconds(paper.output),
        seconds(paper.latency),
        String::new(),
        format!("{:.1}", paper.speedup()),
        String::new(),
    ]);
    let throughput = format!("{:.0}", 1.0 / paper.period);
    offloads.push(cells(&[
        "the paper",
        "1",
        "29.3 us",
        "",
        "1.25 us",
        "",
        "",
        "",
        "",
        &throughput,
    ]));
    format!(
        "NTT multiplier, simulated: n = {}, {} butterfly units, {} pipeline, prime {}, {} bits a beat\n\
         link of {:.1} Gb/s, {} cycles each way; times at a stated clock of {} MHz\n\
         {} products, all words equal to the CPU's; {:.0} jobs simulated a second\n\n{}\n{}\n{}",
        report.n,
        report.units,
        report.pipeline,
        report.prime,
        report.link_bits,
        report.link_bits_per_second as f64 / 1e9,
        report.link_latency_cycles,
        report.clock_hertz / 1_000_000,
        report.checked,
        report.simulated_jobs_per_second,
        columns(
            &[
                "link",
                "products",
                "cycles",
                "cycles a job in a row",
                "link busy",
                "units busy"
            ],
            1..6,
            &cycles
        ),
        latency_table(report),
        columns(
            &[
                "link",
                "products",
                "library",
                "input",
                "compute",
                "output",
                "in all",
                "speed-up",
                "over the paper's library",
                "a second"
            ],
            1..10,
            &offloads
        ),
    )
}
