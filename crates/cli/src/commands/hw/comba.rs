//! Paper 5's machines: an encryption over the integers by their golden models, or simulated.

use std::time::Instant;

use ringmill_arith::Simd;
use ringmill_rtl::comba::{
    CombaSimulation, Computed, Encryption, Image, Model, Published, Set, Shape, SystolicModel, SystolicShape,
};
use ringmill_schemes::integers::{Ciphertext, Parameters, PublicKey, SecretKey, generate};
use serde::Serialize;

use crate::arguments::{CombaSet, HwRunArguments};
use crate::error::CliError;
use crate::progress::{Progress, timed};
use crate::report::{bytes, columns, print_either, seconds};

#[derive(Debug, Serialize)]
struct Row {
    design: &'static str,
    /// The module and its parameters.
    machine: String,
    multipliers: usize,
    /// Cycles of an encryption: the schedule's, which simulation has to keep to.
    cycles: u64,
    /// Words read and written, in simulation.
    accesses: Option<u64>,
    memory_bytes: u64,
    /// Bytes that the host moves for an encryption.
    link_bytes: u64,
    clock_hertz: f64,
    seconds: f64,
    /// The paper's design, where it has this one.
    paper_cycles: Option<f64>,
    paper_multipliers: Option<usize>,
    paper_seconds: Option<f64>,
    simulated_cycles_per_second: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Report {
    set: &'static str,
    gamma: u32,
    alpha: u32,
    terms: usize,
    simulated: bool,
    /// Seconds of an encryption by this machine's processor.
    software_seconds: f64,
    rows: Vec<Row>,
}

/// A machine.
enum Design {
    Blocks(&'static str, Shape, Option<Published>),
    Systolic(SystolicShape),
}

/// Encrypts a bit on each machine, compares the ciphertext with the software's, decrypts it, and prints the cycles.
pub fn run(arguments: &HwRunArguments) -> Result<(), CliError> {
    let (name, set) = set(arguments.set);
    let designs = designs(&set, arguments)?;
    if arguments.full {
        // Before keys are made: is every machine in this build?
        for design in &designs {
            CombaSimulation::new(&Row::new(design).machine)?;
        }
    }
    let parameters = Parameters::insecure(name)?;
    eprintln!("warning: {}", parameters.warning());
    let ((secret, public), _) = timed("keys", || generate(&parameters))?;
    let mut software = 0.0;
    let mut rows = Vec::new();
    for (design, bit) in designs.iter().zip([true, false].into_iter().cycle()) {
        let (row, seconds) = encrypt(design, (&secret, &public), bit, arguments.full)?;
        software = seconds;
        rows.push(row);
    }
    let report = Report {
        set: name,
        gamma: parameters.gamma(),
        alpha: parameters.alpha(),
        terms: parameters.tau(),
        simulated: arguments.full,
        software_seconds: software,
        rows,
    };
    print_either(arguments.json, &report, || text(&report))
}

fn set(set: CombaSet) -> (&'static str, Set) {
    let [toy, small, medium, _] = Set::ALL;
    match set {
        CombaSet::Toy => ("integers-toy", toy),
        CombaSet::Small => ("integers-small", small),
        CombaSet::Medium => ("integers-medium", medium),
    }
}

fn designs(set: &Set, arguments: &HwRunArguments) -> Result<Vec<Design>, CliError> {
    if arguments.systolic {
        if arguments.units.is_some() {
            return Err(CliError::usage("--units is for the machine without --systolic"));
        }
        return Ok(vec![Design::Systolic(set.systolic()?)]);
    }
    let (low_area, parallel) = (set.low_area()?, set.parallel()?);
    Ok(match arguments.units.map(|units| units as usize) {
        None => vec![
            Design::Blocks("low-area", low_area, Some(set.low_area)),
            Design::Blocks("parallel", parallel, Some(set.parallel)),
        ],
        Some(1) => vec![Design::Blocks("low-area", low_area, Some(set.low_area))],
        Some(units) if units == parallel.units() => {
            vec![Design::Blocks("parallel", parallel, Some(set.parallel))]
        }
        Some(units) => {
            let shape = Shape::new(set.sizes()?, 16 * low_area.digits() as u32, units)?;
            vec![Design::Blocks("parallel", shape, None)]
        }
    })
}

/// A row, and the seconds that the software took for the same ciphertext.
fn encrypt(
    design: &Design,
    (secret, public): (&SecretKey, &PublicKey),
    bit: bool,
    simulate: bool,
) -> Result<(Row, f64), CliError> {
    let terms = public.terms(bit)?;
    let (modulus, noise) = (public.modulus().to_u64_digits(), terms.noise(public.parameters()));
    let encryption = Encryption {
        seed: public.elements().seed(),
        modulus: &modulus,
        corrections: public.corrections(),
        factors: terms.factors().words(),
        noise: &noise,
    };
    let mut row = Row::new(design);
    let computed = if simulate {
        simulated(design, &encryption, &mut row)?
    } else {
        let computed = || -> Result<_, CliError> { Ok(design.model(&encryption)?) };
        timed("golden model", computed)?.0
    };
    let ciphertext = public.ciphertext(&computed.words)?;
    let kernel = Simd::from_environment()?;
    let method = public.parameters().fastest(kernel);
    let software = || -> Result<Ciphertext, CliError> { Ok(public.encrypt_terms(&terms, method, kernel)) };
    let (expected, seconds) = timed("software", software)?;
    if ciphertext != expected || secret.decrypt(&ciphertext)? != bit {
        let problem = format!(
            "{}: another ciphertext than the software's; this is a defect, please report it",
            row.machine
        );
        return Err(CliError::wrong_result(problem));
    }
    Ok((row, seconds))
}

/// An encryption on the simulated machine, which must take as many cycles as the schedule says.
fn simulated(design: &Design, encryption: &Encryption<'_>, row: &mut Row) -> Result<Computed, CliError> {
    let mut machine = CombaSimulation::new(&row.machine)?;
    let image = match design {
        Design::Blocks(_, shape, _) => Image::new(shape, encryption)?,
        Design::Systolic(shape) => Image::systolic(shape, encryption)?,
    };
    let (cycles, start) = (row.cycles, Instant::now());
    let progress = Progress::bar(&row.machine);
    let simulated = machine.encrypt(image, 2 * cycles, &mut |done| {
        progress.set(done as f64 / cycles as f64);
    })?;
    if simulated.cycles != cycles {
        let problem = format!("{} took {} cycles, not {cycles}", row.machine, simulated.cycles);
        return Err(CliError::wrong_result(problem));
    }
    row.accesses = Some(simulated.reads + simulated.writes);
    row.simulated_cycles_per_second = Some(cycles as f64 / start.elapsed().as_secs_f64());
    Ok(simulated.computed)
}

impl Design {
    fn model(&self, encryption: &Encryption<'_>) -> Result<Computed, ringmill_rtl::RtlError> {
        match self {
            Self::Blocks(_, shape, _) => Model::new(*shape).encrypt(encryption),
            Self::Systolic(shape) => SystolicModel::new(*shape).encrypt(encryption),
        }
    }
}

/// The clock that times of the systolic machine, which the paper does not have, are stated at: that of its parallel one at
/// toy size.
const SYSTOLIC_HERTZ: f64 = 197.465e6;

impl Row {
    fn new(design: &Design) -> Self {
        let (name, machine, multipliers, cycles, memory_bytes, link_bytes, paper) = match design {
            Design::Blocks(name, shape, paper) => (
                *name,
                shape.machine(),
                shape.multipliers(),
                shape.cycles(),
                shape.memory_bytes(),
                shape.link_bytes(),
                *paper,
            ),
            Design::Systolic(shape) => (
                "systolic",
                shape.machine(),
                shape.multipliers(),
                shape.cycles(),
                shape.memory_bytes(),
                shape.link_bytes(),
                None,
            ),
        };
        let clock_hertz = paper.map_or(SYSTOLIC_HERTZ, |paper| paper.clock_hertz);
        Self {
            design: name,
            machine,
            multipliers,
            cycles,
            accesses: None,
            memory_bytes,
            link_bytes,
            clock_hertz,
            seconds: cycles as f64 / clock_hertz,
            paper_cycles: paper.map(|paper| paper.cycles()),
            paper_multipliers: paper.map(|paper| paper.multipliers),
            paper_seconds: paper.map(|paper| paper.seconds),
            simulated_cycles_per_second: None,
        }
    }
}

fn text(report: &Report) -> String {
    let given = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let row = |row: &Row| {
        vec![
            row.design.to_owned(),
            row.multipliers.to_string(),
            given(row.paper_multipliers.map(|count| count.to_string())),
            row.cycles.to_string(),
            given(row.paper_cycles.map(|cycles| format!("{cycles:.0}"))),
            format!("{:.1}", row.clock_hertz / 1e6),
            seconds(row.seconds),
            given(row.paper_seconds.map(seconds)),
            bytes(row.memory_bytes),
            bytes(row.link_bytes),
        ]
    };
    let rows: Vec<_> = report.rows.iter().map(row).collect();
    let machines: String = report.rows.iter().map(machine).collect();
    format!(
        "{}: x_i of {} bits, b_i of {}, {} terms. One encryption {}: the ciphertext is the software's, and decrypts; the software \
         took {}.\n{machines}\n{}",
        report.set,
        report.gamma,
        report.alpha,
        report.terms,
        if report.simulated {
            "in simulation"
        } else {
            "by the golden model"
        },
        seconds(report.software_seconds),
        columns(
            &[
                "design",
                "multipliers",
                "paper's",
                "cycles",
                "paper's",
                "MHz",
                "time",
                "paper's",
                "memory",
                "link"
            ],
            1..10,
            &rows
        ),
    )
}

fn machine(row: &Row) -> String {
    let simulated = row.simulated_cycles_per_second.zip(row.accesses);
    let simulated = simulated.map_or(String::new(), |(speed, accesses)| {
        format!(": {accesses} words read and written; {speed:.0} cycles simulated a second")
    });
    format!("{}{simulated}\n", row.machine)
}
