//! Paper 5: encryption over the integers.

use ringmill_arith::Kernel;
use ringmill_schemes::integers::accumulation::Method;
use ringmill_schemes::integers::{Evaluator, Parameters, generate};

use super::{Published, Sheet};
use crate::bench::measure::Times;
use crate::error::CliError;
use crate::progress::timed;

pub const TITLE: &str = "Paper 5. Moore et al.: accelerating integer-based fully homomorphic encryption using Comba \
                         multiplication (Virtex 7)";

pub const NOTE: &str = "Tables I to III are parameters and FPGA resources. The paper's times count 64-bit words to and from RAM, with \
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
        size(
            "Large",
            "parallel 32.744 s, low-area 81.55 s (software 435 s, FFT 159.2 s)",
            32.744,
        ),
    ),
];

/// Sets of which everything takes a second or two.
const QUICK: usize = 1;

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) -> Result<(), CliError> {
    let kernel = Kernel::from_environment()?;
    let sizes = match sheet.quick {
        true => &SIZES[..QUICK],
        false => &SIZES[..],
    };
    let mut others = Vec::new();
    for (name, published) in sizes {
        let parameters = Parameters::insecure(name)?;
        eprintln!("warning: {}", parameters.warning());
        let (keys, seconds) = timed("keys", || generate(&parameters))?;
        let (secret, public) = keys;
        others.push((published.operation, "key generation", seconds));
        for method in Method::ALL {
            let about = published.seconds.unwrap_or_default() / 2.0;
            sheet.measure(*published, (method.name(), about), || {
                Ok(public.encrypt_by(true, method, kernel)?)
            })?;
        }
        let evaluator = Evaluator::new(&public);
        let [a, b] = [true, false].map(|bit| secret.encrypt(&public, bit));
        let (a, b) = (a?, b?);
        let (product, seconds) = timed("multiplication", || evaluator.multiply(&a, &b))?;
        others.push((published.operation, "multiplication", seconds));
        let (bit, seconds) = timed("decryption", || secret.decrypt(&product))?;
        others.push((published.operation, "decryption", seconds));
        if bit || !secret.decrypt(&public.encrypt(true, kernel)?)? {
            return Err(CliError::WrongResult(format!(
                "{name}: a wrong bit; this is a defect, please report it"
            )));
        }
    }
    for (operation, method, seconds) in others {
        let published = Published {
            table: OTHERS,
            operation,
            figure: "not given",
            seconds: None,
            remark: "",
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
