//! Paper 4's machine: FV messages encrypted through it, in simulation.

use std::time::Instant;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_rtl::RtlError;
use ringmill_rtl::karatsuba::{Host, KaratsubaSimulation, Model, Shape, Wide};
use ringmill_schemes::karatsuba::{
    Ciphertext, KaratsubaError, Method, Parameters, PublicKey, Scheme, SecretKey, warning,
};
use serde::Serialize;

use super::resident;
use crate::arguments::HwRunArguments;
use crate::error::CliError;
use crate::progress::{seconds as timed, timed as spin};
use crate::report::{bytes, columns, print_either, seconds};

/// The paper's modulus of table 2, and that of its arithmetic.
pub(super) const SETS: [&str; 2] = ["cyclotomic-2560-125-insecure", "cyclotomic-2560-135-insecure"];

/// The paper's clock, and the bytes a second that its link gave it.
pub(super) const CLOCK_HERTZ: f64 = 250e6;
pub(super) const LINK: f64 = 2e9;

/// Table 2's seconds of one to four encryptions, by the paper's machine with its host and by `NFLlib`.
pub(super) const PAPER: [[f64; 2]; 4] = [
    [1935e-6, 3078e-6],
    [2191e-6, 5646e-6],
    [2410e-6, 8218e-6],
    [2525e-6, 10814e-6],
];

#[derive(Debug, Serialize)]
struct Row {
    set: &'static str,
    machine: String,
    /// Cycles from the first beat to the last word in the result buffer, and on the link.
    cycles: u64,
    link_cycles: u64,
    input_bytes: usize,
    output_bytes: usize,
    /// Of a product at the paper's clock, with a beat in each cycle, and over the paper's link.
    machine_seconds: f64,
    link_seconds: f64,
    /// This host's recursions before and after, in one thread, for all encryptions.
    host_seconds: f64,
    /// Host, link and machine one after the other, as in the paper's table 2.
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
    paper_machine_seconds: f64,
    paper_seconds: f64,
    paper_software_seconds: f64,
    rows: Vec<Row>,
}

/// Encrypts messages through the simulated machine, compares the ciphertexts with the software's, decrypts them, and prints
/// cycles and bytes.
pub fn run(arguments: &HwRunArguments) -> Result<(), CliError> {
    let encryptions = arguments.encryptions as usize;
    eprintln!("warning: {}", warning());
    if arguments.all_hardware {
        return resident::run(encryptions, arguments.json);
    }
    let rows = SETS.map(|name| spin(name, || row(name, encryptions)).map(|(row, _)| row));
    let [paper, library] = PAPER.get(encryptions - 1).copied().unwrap_or_default();
    let report = Report {
        encryptions,
        clock_hertz: CLOCK_HERTZ,
        link_bytes_per_second: LINK,
        paper_machine_seconds: Shape::input_beats() as f64 / CLOCK_HERTZ,
        paper_seconds: paper,
        paper_software_seconds: library,
        rows: rows.into_iter().collect::<Result<_, _>>()?,
    };
    print_either(arguments.json, &report, || text(&report))
}

fn row(name: &'static str, encryptions: usize) -> Result<Row, CliError> {
    let trial = Trial::new(name, encryptions)?;
    let shape = Shape::new(trial.scheme.parameters().q().product().bits() as u32)?;
    let mut row = Row::new(name, shape);
    let (host, model) = (Host::new(shape), Model::new(shape));
    let (mut cycles, start) = (0, Instant::now());
    let mut multiply = |key: &[[u64; 3]], polynomials: &[&[u8]]| {
        let key: Vec<_> = key.iter().map(|&words| Wide(words)).collect();
        let (beats, before) = timed(|| host.beats(&key, polynomials))?;
        let simulated = KaratsubaSimulation::new(shape)?.run(&beats)?;
        if simulated.words != model.run(&beats)? || simulated.buffered != Shape::cycles() {
            return Err(RtlError::WrongResult.into());
        }
        let (products, after) = timed(|| host.products(&simulated.words, polynomials.len()))?;
        (row.cycles, row.link_cycles) = (simulated.buffered, simulated.cycles);
        row.host_seconds = before + after;
        cycles += simulated.cycles;
        Ok::<_, CliError>(products)
    };
    let ciphertexts = trial.scheme.encrypt_by(
        &trial.public,
        &trial.messages(),
        &trial.seeds,
        Shape::POLYNOMIALS,
        &mut multiply,
    )?;
    row.simulated_cycles_per_second = cycles as f64 / start.elapsed().as_secs_f64();
    row.software_seconds = trial.check(&row.machine, &ciphertexts)?;
    row.finish();
    Ok(row)
}

/// A set's keys, messages and randomness, to encrypt with in more than one way.
pub(super) struct Trial {
    pub scheme: Scheme,
    secret: SecretKey,
    pub public: PublicKey,
    messages: Vec<Vec<bool>>,
    pub seeds: Vec<Seed>,
}

impl Trial {
    pub fn new(set: &str, encryptions: usize) -> Result<Self, CliError> {
        let scheme = Scheme::new(&Parameters::insecure(set)?, Simd::from_environment()?)?;
        let (secret, public) = scheme.generate_keys()?;
        let message = |i| (0..scheme.slots()).map(|slot| slot % (2 + i) == 0).collect();
        let seeds = (0..encryptions).map(|_| Seed::random());
        Ok(Self {
            messages: (0..encryptions).map(message).collect(),
            seeds: seeds.collect::<Result<_, _>>()?,
            secret,
            public,
            scheme,
        })
    }

    pub fn messages(&self) -> Vec<&[bool]> {
        self.messages.iter().map(Vec::as_slice).collect()
    }

    /// Checks that ciphertexts are the software's and decrypt; the seconds that the software takes for them.
    pub fn check(&self, machine: &str, ciphertexts: &[Ciphertext]) -> Result<f64, CliError> {
        let (messages, encryptor) = (
            self.messages(),
            self.scheme.encryptor(&self.public, Method::Padded)?,
        );
        let (expected, seconds) =
            timed(|| -> Result<_, KaratsubaError> { encryptor.encrypt_with(&messages, &self.seeds) })?;
        for ((ours, theirs), message) in ciphertexts.iter().zip(&expected).zip(&messages) {
            if ours.parts() != theirs.parts() || &self.scheme.decrypt(&self.secret, ours)? != message {
                return Err(CliError::wrong_result(format!(
                    "{machine}: another ciphertext than the software's; this is a defect, please report it"
                )));
            }
        }
        Ok(seconds)
    }
}

impl Row {
    fn new(set: &'static str, shape: Shape) -> Self {
        // A beat has 128 bits.
        let [input_bytes, output_bytes] =
            [Shape::input_beats(), Shape::output_beats()].map(|beats| 16 * beats);
        Self {
            set,
            machine: shape.machine(),
            cycles: 0,
            link_cycles: 0,
            input_bytes,
            output_bytes,
            machine_seconds: 0.0,
            link_seconds: input_bytes as f64 / LINK,
            host_seconds: 0.0,
            total_seconds: 0.0,
            software_seconds: 0.0,
            simulated_cycles_per_second: 0.0,
        }
    }

    /// The link's time is that of the input, and of what comes after it.
    fn finish(&mut self) {
        self.machine_seconds = self.link_cycles as f64 / CLOCK_HERTZ;
        let tail = self.link_cycles - Shape::input_beats() as u64;
        self.link_seconds += tail as f64 / CLOCK_HERTZ;
        self.total_seconds = self.link_seconds + self.host_seconds;
    }
}

fn text(report: &Report) -> String {
    let row = |row: &Row| {
        vec![
            row.set.to_owned(),
            row.cycles.to_string(),
            row.link_cycles.to_string(),
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
            let speed = row.simulated_cycles_per_second;
            format!("{}: {speed:.0} cycles simulated a second\n", row.machine)
        })
        .collect();
    format!(
        "{} encryptions through the simulated machine: the ciphertexts are the software's, and decrypt. Cycles and times of the \
         machine are those of one polynomial of the key, of two; at {} MHz, and over a link of {:.0} MB/s.\n{machines}\n{}\n\
         the paper, one polynomial by its machine: 145800 cycles, {}; all, with its host: {}, NFLlib {}\n",
        report.encryptions,
        report.clock_hertz / 1e6,
        report.link_bytes_per_second / 1e6,
        columns(
            &[
                "set",
                "cycles",
                "with output",
                "time",
                "over the link",
                "host",
                "together",
                "bytes in",
                "bytes out",
                "software, both"
            ],
            1..10,
            &rows
        ),
        seconds(report.paper_machine_seconds),
        seconds(report.paper_seconds),
        seconds(report.paper_software_seconds),
    )
}
