//! Paper 5: encryption over the integers.

use ringmill_arith::Simd;
use ringmill_arith::sampling::Stream;
#[cfg(feature = "rtl")]
use ringmill_rtl::comba::Set;
use ringmill_schemes::integers::accumulation::{Elements, Factors, Method, weighted_sum};
use ringmill_schemes::integers::{Evaluator, Parameters, generate};

use super::{Published, Sheet};
use crate::commands::bench::jobs::seed;
use crate::commands::bench::measure::Times;
use crate::error::CliError;
use crate::progress::timed;

pub const TITLE: &str = "Paper 5. Moore et al.: accelerating integer-based fully homomorphic encryption using Comba \
                         multiplication (Virtex 7)";

pub const NOTE: &str = "Tables I to III are parameters and FPGA resources (`docs/machines/comba.md` has those of our machines, whose systolic one is \
     timed at the clock of the paper's parallel design). The paper's times count 64-bit words to and from RAM, with \
     public elements ready there; ours expand them from the seed (ChaCha20). `docs/integers.md` has GMP beside ours.";

const TABLE: &str = "Table IV. One encryption";
const OTHERS: &str = "Text. Keys and evaluation";

const fn size(operation: &'static str, figure: &'static str, seconds: f64) -> Published {
    Published {
        table: TABLE,
        operation,
        figure,
        seconds: Some(seconds),
        remark: "",
    }
}

/// The set's name, and its line: the parallel design's seconds.
const SIZES: [(&str, Published); 4] = [
    (
        "integers-toy",
        size(
            "Toy",
            "parallel 0.006 s, low-area 0.016 s (software 0.05 s, FFT 0.011 s)",
            0.006,
        ),
    ),
    (
        "integers-small",
        size(
            "Small",
            "parallel 0.114 s, low-area 0.313 s (software 1.0 s, FFT 0.306 s)",
            0.114,
        ),
    ),
    (
        "integers-medium",
        size(
            "Medium",
            "parallel 2.018 s, low-area 5.773 s (software 21 s, FFT 7.586 s)",
            2.018,
        ),
    ),
    (
        "integers-large",
        Published {
            remark: "paper: x_i of 19.0 million bits; ours of 19.35",
            ..size(
                "Large",
                "parallel 32.744 s, low-area 81.55 s (software 435 s, FFT 159.2 s)",
                32.744,
            )
        },
    ),
];

/// Sets of which everything takes a second or two.
const QUICK: usize = 1;

/// Sets whose keys are made; those of the last take many minutes.
const WITH_KEYS: usize = 3;

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) {
    #[cfg(feature = "rtl")]
    sheet.group("machines", machines);
    let count = if sheet.quick { QUICK } else { SIZES.len() };
    for (index, (name, published)) in SIZES.iter().take(count).enumerate() {
        sheet.group(name, |sheet| {
            let kernel = Simd::from_environment()?;
            let parameters = Parameters::insecure(name)?;
            eprintln!("warning: {}", parameters.warning());
            if index < WITH_KEYS {
                encryption(sheet, &parameters, *published, kernel)
            } else {
                sums(sheet, &parameters, *published, kernel)
            }
        });
    }
}

/// Our machines at the paper's clocks, and the systolic one at that of the parallel design.
#[cfg(feature = "rtl")]
fn machines(sheet: &mut Sheet) -> Result<(), CliError> {
    for ((_, parallel), set) in SIZES.iter().zip(Set::ALL) {
        let low_area = Published {
            seconds: Some(set.low_area.seconds),
            ..*parallel
        };
        let clock = |paper: ringmill_rtl::comba::Published| paper.clock_hertz as u64;
        let (one, several, systolic) = (set.low_area()?, set.parallel()?, set.systolic()?);
        let method = |name: &str, multipliers: usize| format!("{name}, {multipliers} multipliers");
        let rows = [
            (
                low_area,
                method("low-area", one.multipliers()),
                one.cycles(),
                clock(set.low_area),
            ),
            (
                *parallel,
                method("parallel", several.multipliers()),
                several.cycles(),
                clock(set.parallel),
            ),
            (
                *parallel,
                method("systolic", systolic.multipliers()),
                systolic.cycles(),
                clock(set.parallel),
            ),
        ];
        for (published, method, cycles, clock) in rows {
            sheet.machine(published, &method, cycles, clock);
        }
    }
    Ok(())
}

/// Seconds that one run of ours takes at most, about.
fn about(published: &Published) -> f64 {
    published.seconds.unwrap_or_default() / 2.0
}

/// Whole encryptions, and what else is done with keys, once each.
fn encryption(
    sheet: &mut Sheet,
    parameters: &Parameters,
    published: Published,
    kernel: Simd,
) -> Result<(), CliError> {
    let ((secret, public), keys) = timed("keys", || generate(parameters))?;
    for method in Method::ALL {
        sheet.measure(published, (method.name(), about(&published)), || {
            Ok(public.encrypt_by(true, method, kernel)?)
        });
    }
    let evaluator = Evaluator::new(&public);
    let [a, b] = [true, false].map(|bit| secret.encrypt(&public, bit));
    let (a, b) = (a?, b?);
    let (product, multiplication) = timed("multiplication", || evaluator.multiply(&a, &b))?;
    let (bit, decryption) = timed("decryption", || secret.decrypt(&product))?;
    if bit || !secret.decrypt(&public.encrypt(true, kernel)?)? {
        return Err(CliError::wrong_result(format!(
            "{}: a wrong bit; this is a defect, please report it",
            parameters.name()
        )));
    }
    let others = [
        ("key generation", keys),
        ("multiplication", multiplication),
        ("decryption", decryption),
    ];
    for (method, seconds) in others {
        let published = Published {
            table: OTHERS,
            figure: "not given",
            seconds: None,
            ..published
        };
        sheet.note(
            published,
            method,
            sheet.threads(),
            Times::from_list(vec![seconds]),
        );
    }
    Ok(())
}

/// The sum of products alone, which needs no key and is nearly all of an encryption.
fn sums(
    sheet: &mut Sheet,
    parameters: &Parameters,
    published: Published,
    kernel: Simd,
) -> Result<(), CliError> {
    let elements = Elements::new(parameters, seed("elements"));
    let factors = Factors::random(parameters, &mut Stream::new(&seed("factors")));
    for method in Method::ALL {
        let name = format!("{}, the sum of products alone", method.name());
        sheet.measure(published, (&name, about(&published)), || {
            Ok(weighted_sum(&elements, &factors, method, kernel))
        });
    }
    Ok(())
}
