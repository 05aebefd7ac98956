use ringmill::messages::{MessagePlan, MessageProgram};
use serde::Serialize;

use crate::error::CliError;
use crate::report::{Table, bytes};

/// A summary of a program over messages and its plan.
#[derive(Serialize)]
pub struct ProgramSummary {
    program: String,
    encrypted: Vec<String>,
    public: Vec<String>,
    outputs: Vec<String>,
    /// The numbers that a message has room for, in two halves.
    slots: usize,
    /// Products of two ciphertexts, and the most of them one upon the other.
    products: usize,
    depth: usize,
    /// Keys of automorphisms.
    galois_keys: usize,
    /// Bits between the noise that no result exceeds, but for a probability of 2^-64, and what decryption bears.
    margin_bits: f64,
    /// The part of it that is kept for tails heavier than a Gaussian's.
    reserve_bits: f64,
    /// Bytes of the evaluation keys, and of a row of inputs and of results.
    key_bytes: u64,
    input_bytes: u64,
    result_bytes: u64,
}

impl ProgramSummary {
    pub fn new(plan: &MessagePlan) -> Result<Self, CliError> {
        let (program, traffic) = (plan.program(), plan.traffic()?);
        Ok(Self {
            program: program.text().to_owned(),
            encrypted: inputs(program, false),
            public: inputs(program, true),
            outputs: program
                .outputs()
                .iter()
                .map(|output| output.name.clone())
                .collect(),
            slots: plan.parameters().n(),
            products: plan.products(),
            depth: plan.depth(),
            galois_keys: plan.galois_exponents().len(),
            margin_bits: plan.margin_bits(),
            reserve_bits: plan.reserve_bits(),
            key_bytes: traffic.keys,
            input_bytes: traffic.inputs,
            result_bytes: traffic.results,
        })
    }

    /// As rows of a table.
    pub fn rows(&self, table: &mut Table) {
        let list = |names: &[String]| {
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        };
        table.row("encrypted inputs", list(&self.encrypted));
        table.row("public inputs", list(&self.public));
        table.row("outputs", list(&self.outputs));
        table.row(
            "a message",
            format!(
                "up to {} numbers, in two halves of {}",
                self.slots,
                self.slots / 2
            ),
        );
        table.row(
            "products",
            format!(
                "{} of two ciphertexts, at most {} in a row",
                self.products, self.depth
            ),
        );
        table.row(
            "noise",
            format!(
                "{:.1} bits of margin, {:.1} of them in reserve",
                self.margin_bits, self.reserve_bits
            ),
        );
        table.row(
            "up",
            format!(
                "{} of keys once ({} for rotations), {} of inputs a row",
                bytes(self.key_bytes),
                self.galois_keys,
                bytes(self.input_bytes)
            ),
        );
        table.row("down", format!("{} of results a row", bytes(self.result_bytes)));
    }
}

fn inputs(program: &MessageProgram, public: bool) -> Vec<String> {
    let inputs = program.inputs().iter().filter(|input| input.public == public);
    inputs.map(|input| input.name.clone()).collect()
}
