//! Paper 4's encryption with all recursions on chip: FV messages encrypted through it, in simulation.

use std::time::Instant;

use ringmill_rtl::RtlError;
use ringmill_rtl::karatsuba::Wide;
use ringmill_rtl::karatsuba::resident::{Host, Model, ResidentSimulation, Shape};
use serde::Serialize;

use super::karatsuba::{CLOCK_HERTZ, LINK, PAPER, SETS, Trial};
use crate::error::CliError;
use crate::progress::{seconds as timed, timed as spin};
use crate::report::{bytes, columns, print_either, seconds};

/// What the paper's machine sends and gets for one to four encryptions with a polynomial of the key: 729 pieces of 40
/// coefficients, and 81 of 319, of five chunks in a beat of 16 bytes each.
const PAPER_BYTES: [usize; 2] = [729 * 40 * 5 * 16, 81 * 319 * 5 * 16];

#[derive(Debug, Serialize)]
struct Row {
    set: &'static str,
    machine: String,
    /// Cycles from the first beat in to the last one out, of all encryptions with a polynomial of the key.
    cycles: u64,
    key_bytes: usize,
    input_bytes: usize,
    output_bytes: usize,
    /// At the paper's clock, with a beat in each cycle, and over the paper's link.
    machine_seconds: f64,
    link_seconds: f64,
    /// This host's work, in one thread: on the key, once, and on all jobs and results.
    key_seconds: f64,
    host_seconds: f64,
    /// Host, link and machine one after the other, without the key.
    total_seconds: f64,
    /// The same products by this processor's transforms, both polynomials of the key.
    software_seconds: f64,
    simulated_cycles_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    encryptions: usize,
    clock_hertz: f64,
    link_bytes_per_second: f64,
    paper_seconds: f64,
    paper_software_seconds: f64,
    paper_input_bytes: usize,
    paper_output_bytes: usize,
    rows: Vec<Row>,
}

/// Encrypts messages through the simulated machine, compares the ciphertexts with the software's, decrypts them, and prints
/// cycles and bytes.
pub fn run(encryptions: usize, json: bool) -> Result<(), CliError> {
    let rows = SETS.map(|name| spin(name, || row(name, encryptions)).map(|(row, _)| row));
    let [paper, library] = PAPER.get(encryptions - 1).copied().unwrap_or_default();
    let report = Report {
        encryptions,
        clock_hertz: CLOCK_HERTZ,
        link_bytes_per_second: LINK,
        paper_seconds: paper,
        paper_software_seconds: library,
        paper_input_bytes: PAPER_BYTES[0],
        paper_output_bytes: PAPER_BYTES[1],
        rows: rows.into_iter().collect::<Result<_, _>>()?,
    };
    print_either(json, &report, || text(&report))
}

fn row(set: &'static str, encryptions: usize) -> Result<Row, CliError> {
    let trial = Trial::new(set, encryptions)?;
    let mut modulus = Wide::default();
    let q = trial.scheme.parameters().q().product();
    for (word, digit) in modulus.0.iter_mut().zip(q.iter_u64_digits()) {
        *word = digit;
    }
    let shape = Shape::new(modulus)?;
    let (host, model) = (Host::new(shape), Model::new(shape));
    let mut machine = ResidentSimulation::new(shape)?;
    let mut row = Row::new(set, shape, encryptions);
    let (mut cycles, start) = (0, Instant::now());
    let ciphertexts = trial.scheme.encrypt_by_sums(
        &trial.public,
        &trial.messages(),
        &trial.seeds,
        &mut |key, pairs| {
            let key: Vec<_> = key.iter().map(|&words| Wide(words)).collect();
            let (key, key_seconds) = timed(|| host.key(&key))?;
            let (jobs, before) = timed(|| {
                let jobs = pairs.iter().map(|&(bits, errors)| host.job(bits, errors));
                jobs.collect::<Result<Vec<_>, _>>()
            })?;
            let jobs: Vec<_> = jobs.iter().flat_map(|job| job.iter().copied()).collect();
            machine.load(&key)?;
            let simulated = machine.run(&jobs)?;
            if simulated.results != model.run(&key, &jobs)?
                || simulated.cycles != shape.cycles(encryptions as u64)
            {
                return Err(RtlError::WrongResult.into());
            }
            let (residues, after) = timed(|| {
                let results = simulated.results.chunks_exact(shape.result_beats());
                results
                    .map(|result| host.residues(result))
                    .collect::<Result<Vec<_>, _>>()
            })?;
            (row.cycles, row.key_seconds, row.host_seconds) = (simulated.cycles, key_seconds, before + after);
            cycles += simulated.cycles + Shape::KEY_BEATS as u64;
            Ok::<_, CliError>(residues)
        },
    )?;
    row.simulated_cycles_per_second = cycles as f64 / start.elapsed().as_secs_f64();
    row.software_seconds = trial.check(&row.machine, &ciphertexts)?;
    row.finish(shape);
    Ok(row)
}

impl Row {
    fn new(set: &'static str, shape: Shape, encryptions: usize) -> Self {
        // A beat has 128 bits.
        Self {
            set,
            machine: shape.machine(),
            cycles: 0,
            key_bytes: 16 * Shape::KEY_BEATS,
            input_bytes: 16 * Shape::JOB_BEATS * encryptions,
            output_bytes: 16 * shape.result_beats() * encryptions,
            machine_seconds: 0.0,
            link_seconds: 0.0,
            key_seconds: 0.0,
            host_seconds: 0.0,
            total_seconds: 0.0,
            software_seconds: 0.0,
            simulated_cycles_per_second: 0.0,
        }
    }

    /// On the link the first job and the last result are waited for; the others pass while the machine works.
    fn finish(&mut self, shape: Shape) {
        let waited = Shape::JOB_BEATS + shape.result_beats();
        self.machine_seconds = self.cycles as f64 / CLOCK_HERTZ;
        self.link_seconds = (self.cycles - waited as u64) as f64 / CLOCK_HERTZ + (16 * waited) as f64 / LINK;
        self.total_seconds = self.link_seconds + self.host_seconds;
    }
}

fn text(report: &Report) -> String {
    let row = |row: &Row| {
        vec![
            row.set.to_owned(),
            row.cycles.to_string(),
            seconds(row.machine_seconds),
            seconds(row.link_seconds),
            seconds(row.host_seconds),
            seconds(row.total_seconds),
            bytes(row.input_bytes as u64),
            bytes(row.output_bytes as u64),
            seconds(row.software_seconds),
        ]
    };
    let rows: Vec<_> = report.rows.iter().map(row).collect();
    let machines: String = report
        .rows
        .iter()
        .map(|row| {
            format!(
                "{}: {:.0} cycles simulated a second; the key, once: {} by the host, {} to memory\n",
                row.machine,
                row.simulated_cycles_per_second,
                seconds(row.key_seconds),
                bytes(row.key_bytes as u64)
            )
        })
        .collect();
    format!(
        "{} encryptions through the simulated machine: the ciphertexts are the software's, and decrypt. Cycles, times and bytes \
         are those of one polynomial of the key, of two; at {} MHz, and over a link of {:.0} MB/s.\n{machines}\n{}\n\
         the paper, with its host: {}, {} in, {} out; NFLlib {}\n",
        report.encryptions,
        report.clock_hertz / 1e6,
        report.link_bytes_per_second / 1e6,
        columns(
            &[
                "set",
                "cycles",
                "time",
                "over the link",
                "host",
                "together",
                "bytes in",
                "bytes out",
                "software, both"
            ],
            1..9,
            &rows
        ),
        seconds(report.paper_seconds),
        bytes(report.paper_input_bytes as u64),
        bytes(report.paper_output_bytes as u64),
        seconds(report.paper_software_seconds),
    )
}
