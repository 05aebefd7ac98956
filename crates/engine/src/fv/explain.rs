//! Plans in words.

use std::fmt::Write;

use crate::Plan;
use crate::ir::program::{Operation, ValueId};

impl Plan {
    /// The plan for a person: choice, levels by depth, noise, memory, and what was rejected and why.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_explanation(&mut text);
        text
    }

    fn write_explanation(&self, text: &mut String) -> std::fmt::Result {
        let (parameters, prediction) = (&self.parameters, self.prediction());
        writeln!(text, "parameters   {}", parameters.name())?;
        writeln!(
            text,
            "ring         n = {}, d = {}, {} records in a batch{}",
            parameters.n(),
            parameters.ring().conductor(),
            self.records(),
            if self.layout.is_shared() {
                ", four in each slot"
            } else {
                ""
            }
        )?;
        let (q, p) = (parameters.log2_q(parameters.levels()), parameters.log2_p());
        writeln!(
            text,
            "modulus      log2 q = {q:.1} in {} limbs, {} of them small, log2 P = {p:.1}, together {:.1}",
            parameters.q().len(),
            parameters.small_prime_count(),
            q + p
        )?;
        let security = parameters.security();
        write!(text, "security     {} bits", security.bits)?;
        match &security.warning {
            Some(warning) => writeln!(text, " (INSECURE: {warning})")?,
            None => writeln!(text, " by the table for n and log2(q P)")?,
        }
        let count = |wanted: fn(&Operation) -> bool| self.schedule.count(wanted);
        writeln!(
            text,
            "steps        {} products (in the form of {}), {} linear maps with {} automorphisms, {} products in the clear, {} sums, {} switches, \
             in {} waves",
            self.schedule.products(),
            self.recipe.form,
            count(|op| matches!(op, Operation::Map { .. })),
            self.maps.exponents().len(),
            count(|op| matches!(op, Operation::PlainProduct { .. })),
            count(|op| matches!(op, Operation::Linear { .. })),
            count(|op| matches!(op, Operation::Switch { .. })),
            self.schedule.waves.len()
        )?;
        if prediction.log2_noise == f64::NEG_INFINITY {
            writeln!(text, "noise        none, as no output is encrypted")?;
        } else {
            writeln!(
                text,
                "noise        at most 2^{:.1} in every output, {:.1} bits below the limit, {:.1} of them in reserve; failure below 2^{:.0}",
                prediction.log2_noise, prediction.margin, prediction.reserve, prediction.log2_failure
            )?;
        }
        writeln!(
            text,
            "time         about {:.3} s with {} threads",
            prediction.seconds(),
            prediction.threads
        )?;
        writeln!(
            text,
            "memory       about {} MiB with {} threads: {} MiB of ciphertexts ({} at most), {} MiB in progress, \
             {} MiB of keys, tables and the process",
            prediction.memory.peak >> 20,
            prediction.threads,
            prediction.memory.values >> 20,
            prediction.memory.ciphertexts,
            prediction.memory.workspace >> 20,
            prediction.memory.fixed >> 20
        )?;
        if prediction.memory.written > 0 {
            writeln!(
                text,
                "put aside    about {} MiB into a file, and {} MiB read from it, whose time is not in the prediction",
                prediction.memory.written >> 20,
                prediction.memory.read >> 20
            )?;
        }
        self.write_levels(text)?;
        if !self.rejected.is_empty() {
            writeln!(text, "not taken")?;
        }
        for rejection in &self.rejected {
            writeln!(text, "  {}: {}", rejection.name, rejection.reason)?;
        }
        Ok(())
    }

    /// A line for each run of depths with the same levels.
    fn write_levels(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "levels       by products on the path (a lower level may add {} bits to the noise of an operation)",
            self.prediction().tolerance
        )?;
        for depth in 1..=self.prediction().depth {
            let steps = self.schedule.steps.iter().enumerate();
            let products = steps.filter(|(_, step)| {
                step.depth == depth && matches!(step.operation, Operation::Product { .. })
            });
            let (mut low, mut high, mut noise, mut number) = (usize::MAX, 0, f64::NEG_INFINITY, 0);
            for (value, step) in products {
                low = low.min(self.parameters.limbs_at(step.at));
                high = high.max(self.parameters.limbs_at(step.at));
                noise = noise.max(self.noise(ValueId(value)));
                number += 1;
            }
            if number == 0 {
                continue;
            }
            let levels = if low == high {
                low.to_string()
            } else {
                format!("{low} to {high}")
            };
            writeln!(
                text,
                "  depth {depth:3}: {number:5} products with {levels} limbs, noise 2^{noise:.1}"
            )?;
        }
        Ok(())
    }
}
