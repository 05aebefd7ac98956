//! Paper 2: the NTT multiplier for SEAL.

use super::{Published, Sheet};
use crate::commands::bench::Bench;
use crate::commands::bench::log::Log;
use crate::commands::bench::messages;
use ringmill::platform::Cpu;

pub const TITLE: &str = "Paper 2. Mert, Ozturk, Savas: design and implementation of a fast and scalable NTT-based \
                         polynomial multiplier architecture (Virtex 7, 200 MHz; SEAL on a Core i9-7900X)";

pub const NOTE: &str = "Tables II and III are FPGA resources and latencies: `ringmill hw report` and `hw run` have those of our machine \
     (260 cycles two products, 171 one, with the deep pipeline 592 and 392; a product every 256 cycles). SEAL's parts overlap; ours are measured apart.";

const BREAKDOWN: &str = "Table I. One encryption, n = 1024, q of 27 bits, t = 256";
const RATES: &str = "Text, section V. Decryption, and products with one operand known";

const fn line(table: &'static str, operation: &'static str, figure: &'static str, seconds: f64) -> Published {
    Published {
        table,
        operation,
        figure,
        seconds: Some(seconds),
        remark: "",
    }
}

const METHOD: &str = "batches of 256";

/// In the order in which they are measured.
const LINES: [Published; 7] = [
    Published {
        remark: "paper 1.25 us a product by the machine; ours a product of a batch, q of 31 bits",
        ..line(
            RATES,
            "product",
            "machine 1.25 us, almost 800 K/s; SEAL 29.3 us, 34 K/s",
            1.25e-6,
        )
    },
    line(BREAKDOWN, "encryption", "151 us", 151e-6),
    line(BREAKDOWN, "u <- R2", "11.2 us", 11.2e-6),
    line(
        BREAKDOWN,
        "NTT double multiply",
        "46.4 us; machine 1.3 us, 4.3 us with its link",
        46.4e-6,
    ),
    line(BREAKDOWN, "e1, e2 <- chi", "91.1 us", 91.1e-6),
    Published {
        remark: "ours: the encryption less the three parts",
        ..line(BREAKDOWN, "others", "3.1 us", 3.1e-6)
    },
    Published {
        remark: "paper: its product alone; ours: the whole decryption",
        ..line(RATES, "decryption", "29.3 us", 29.3e-6)
    },
];

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) {
    sheet.group("n = 1024", |sheet| {
        // The rows are printed as the paper has them.
        let mut bench = Bench::new(Some("n1024"), sheet.quick, Log::new(true));
        messages::run(&mut bench, &Cpu)?;
        for (published, row) in LINES.iter().zip(bench.messages) {
            sheet.note(*published, METHOD, row.threads, row.seconds);
        }
        bench.log.finish()
    });
}
