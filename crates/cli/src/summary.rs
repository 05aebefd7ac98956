use ringmill_engine::{InputKey, InputPacking, Plan};
use ringmill_fv::{FvError, KeySwitching, Parameters, PrimeRule};
use serde::Serialize;

use crate::report::{Table, bytes, seconds};
use ringmill::hex;

/// A summary of parameters.
#[derive(Debug, Clone, Serialize)]
pub struct ParameterSummary {
    /// Their name.
    pub name: String,
    /// The ring.
    pub ring: String,
    /// Its dimension.
    pub n: usize,
    /// Its conductor.
    pub d: u64,
    /// Plaintext modulus.
    pub t: u64,
    /// Number of limbs of q.
    pub limbs: usize,
    /// The rule that all primes follow: `transform` or `machine`.
    pub prime_rule: &'static str,
    /// log2 of q.
    pub log2_q: f64,
    /// log2 of the key-switching modulus.
    pub log2_p: f64,
    /// How keys are switched.
    pub key_switching: String,
    /// Bits of security, estimated where `secure` is false.
    pub security_bits: u32,
    /// Whether the table grants that security.
    pub secure: bool,
    /// The fault, if not.
    pub warning: Option<String>,
    /// Their hash, in hexadecimal.
    pub hash: String,
}

impl ParameterSummary {
    pub fn new(parameters: &Parameters) -> Self {
        let security = parameters.security();
        Self {
            name: parameters.name().to_owned(),
            ring: match parameters.ring().as_fermat() {
                Some(ring) => format!("n = {}, d = {}", ring.n(), ring.d()),
                None => format!("x^{} + 1", parameters.n()),
            },
            n: parameters.n(),
            d: parameters.ring().conductor(),
            t: parameters.t(),
            limbs: parameters.q().len(),
            prime_rule: match parameters.prime_rule() {
                PrimeRule::Transform => "transform",
                PrimeRule::Machine => "machine",
            },
            log2_q: parameters.log2_q(parameters.levels()),
            log2_p: parameters.log2_p(),
            key_switching: match parameters.key_switching() {
                KeySwitching::Hybrid { digit_limbs } => format!("hybrid, {digit_limbs} limbs a digit"),
                KeySwitching::BaseTwo { bits } => format!("words of {bits} bits"),
                KeySwitching::None => "none".to_owned(),
            },
            security_bits: security.bits,
            secure: security.standard.is_some(),
            warning: security.warning.clone(),
            hash: hex::format(parameters.hash()),
        }
    }

    /// Their name and security, as a row of a table.
    pub fn short_row(&self, table: &mut Table) {
        let security = match &self.warning {
            None => format!("{} bits of security", self.security_bits),
            Some(warning) => format!("INSECURE, about {} bits: {warning}", self.security_bits),
        };
        table.row("parameters", format!("{}, {security}", self.name));
    }

    /// As rows of a table.
    pub fn rows(&self, table: &mut Table) {
        table.row("name", &*self.name);
        table.row("ring", &*self.ring);
        table.row("plaintext modulus", self.t.to_string());
        table.row("log2 q", format!("{:.1} in {} limbs", self.log2_q, self.limbs));
        table.row(
            "log2 P",
            format!("{:.1}; key switching: {}", self.log2_p, self.key_switching),
        );
        table.row(
            "security",
            match &self.warning {
                None => format!(
                    "{} bits, log2(qP) = {:.1}",
                    self.security_bits,
                    self.log2_q + self.log2_p
                ),
                Some(warning) => format!("INSECURE, about {} bits: {warning}", self.security_bits),
            },
        );
    }
}

/// A summary of a plan.
#[derive(Debug, Clone, Serialize)]
pub struct PlanSummary {
    /// Records in a batch.
    pub slots: usize,
    /// Whether four records share each slot.
    pub shared_slots: bool,
    /// How products are computed.
    pub form: String,
    /// The key that inputs are encrypted with.
    pub input_key: &'static str,
    /// How private inputs come in ciphertexts.
    pub packing: &'static str,
    /// Bytes of the evaluation keys, of a batch of inputs under that key, and of a batch of results.
    pub key_bytes: u64,
    pub input_bytes: u64,
    pub result_bytes: u64,
    /// Seconds predicted to take packed inputs apart, for each batch or once for all.
    pub unpacking_seconds: f64,
    /// Keys of automorphisms that it takes.
    pub galois_keys: usize,
    /// Seconds predicted for a batch.
    pub seconds: f64,
    /// Products of two encrypted bits.
    pub products: usize,
    /// The most of them on a path.
    pub depth: u32,
    /// Level of the results.
    pub output_level: usize,
    /// Bits between the predicted noise and what decryption can bear.
    pub margin_bits: f64,
    /// Levels of products that results bear in later jobs.
    pub further_levels: u32,
    /// The digest of the circuit whose results the inputs are, of a job that goes on with another's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Bits by which the evaluator drowns the noise of results, so that they may be shared; 0 if it does not.
    pub flooding_bits: f64,
    /// The part of the margin that is kept for tails heavier than a Gaussian's.
    pub reserve_bits: f64,
    /// log2 of the probability that a decryption fails, at most, by the bound below.
    pub failure_log2: f64,
    /// What margin and failure are bounded by.
    pub noise_bound: &'static str,
    /// Memory predicted, in bytes.
    pub memory_bytes: u64,
    /// Bytes predicted to be put aside into a file for want of memory, and read from there.
    pub written_aside_bytes: u64,
    pub read_aside_bytes: u64,
}

impl PlanSummary {
    pub fn new(plan: &Plan) -> Result<Self, FvError> {
        let (prediction, traffic) = (plan.prediction(), plan.traffic()?);
        Ok(Self {
            slots: plan.records(),
            shared_slots: plan.layout().is_shared(),
            form: plan.form().to_string(),
            input_key: match plan.recipe().input_key {
                InputKey::Public => "public",
                InputKey::Secret => "secret",
            },
            packing: match plan.recipe().packing {
                InputPacking::Separate => "separate",
                InputPacking::Slots => "slots",
                InputPacking::Broadcast => "broadcast",
            },
            key_bytes: traffic.keys,
            input_bytes: traffic.inputs,
            result_bytes: traffic.results,
            unpacking_seconds: prediction.unpacking / prediction.threads.max(1) as f64,
            galois_keys: plan.galois_exponents().len(),
            seconds: prediction.seconds(),
            products: plan.schedule().products(),
            depth: prediction.depth,
            output_level: prediction.output_level,
            margin_bits: prediction.margin,
            further_levels: plan.recipe().further,
            after: plan.recipe().former.map(|former| hex::format(&former.circuit)),
            flooding_bits: prediction.flooding,
            reserve_bits: prediction.reserve,
            failure_log2: prediction.log2_failure,
            noise_bound: "heuristic: average case, tails by moments",
            memory_bytes: prediction.memory.peak,
            written_aside_bytes: prediction.memory.written,
            read_aside_bytes: prediction.memory.read,
        })
    }

    /// What the plan costs: a batch of it, or a table of so many records.
    pub fn rows(&self, table: &mut Table, records: Option<u64>) {
        let each = |bytes: u64| format!("{} a record", self::bytes(bytes / self.slots.max(1) as u64));
        let cost = records.map(|records| self.of_table(records));
        table.row("time", self.time(cost.as_ref()));
        table.row("memory", self.memory());
        let inputs = match (&cost, self.packing) {
            (Some(cost), _) => format!("{} of inputs", bytes(cost.bytes_up)),
            (None, "broadcast") => format!("{} of inputs for all records", bytes(self.input_bytes)),
            (None, _) => format!(
                "{} of inputs a batch ({})",
                bytes(self.input_bytes),
                each(self.input_bytes)
            ),
        };
        if self.after.is_some() {
            table.row("up", "nothing: keys and inputs are those of the job before");
        } else {
            table.row("up", format!("{} of keys once, {inputs}", bytes(self.key_bytes)));
        }
        let results = match &cost {
            Some(cost) => format!("{} of results", bytes(cost.bytes_down)),
            None => format!(
                "{} of results a batch ({})",
                bytes(self.result_bytes),
                each(self.result_bytes)
            ),
        };
        table.row("down", results);
        table.row("noise", self.noise());
    }

    /// What a table of so many records costs.
    pub fn of_table(&self, records: u64) -> TableCost {
        let batches = records.div_ceil(self.slots.max(1) as u64);
        // A packed record for all batches goes up once, and is taken apart once. What is taken apart for each
        // batch is in its seconds.
        let (uploads, unpacking) = match self.packing {
            "broadcast" => (1, self.unpacking_seconds),
            _ => (batches, 0.0),
        };
        TableCost {
            records,
            batches,
            seconds: self.seconds * batches as f64 + unpacking,
            bytes_up: self.input_bytes * uploads,
            bytes_down: self.result_bytes * batches,
        }
    }

    fn time(&self, cost: Option<&TableCost>) -> String {
        let slots = self.slots;
        match cost {
            Some(cost) => {
                let batches = if cost.batches == 1 { "batch" } else { "batches" };
                format!(
                    "{} for {} records in {} {batches} of {slots}",
                    seconds(cost.seconds),
                    cost.records,
                    cost.batches
                )
            }
            None if self.packing == "broadcast" => format!(
                "{} a batch of {slots} records, and once {} to take packed inputs apart",
                seconds(self.seconds),
                seconds(self.unpacking_seconds),
            ),
            None => format!("{} a batch of {slots} records", seconds(self.seconds)),
        }
    }

    fn memory(&self) -> String {
        match self.written_aside_bytes {
            0 => bytes(self.memory_bytes),
            written => format!(
                "{}, besides {} put aside into a file and {} read from it",
                bytes(self.memory_bytes),
                bytes(written),
                bytes(self.read_aside_bytes)
            ),
        }
    }

    fn noise(&self) -> String {
        let flooded = match self.flooding_bits {
            0.0 => String::new(),
            bits => format!(
                "; the evaluator drowns the noise of results by {bits:.0} bits, so that they may be shared"
            ),
        };
        let further = match self.further_levels {
            0 => String::new(),
            levels => format!("; results bear {levels} levels of products in later jobs"),
        };
        format!(
            "{:.1} bits of margin, {:.1} of them in reserve ({}){flooded}{further}",
            self.margin_bits, self.reserve_bits, self.noise_bound,
        )
    }
}

/// What a table costs, without the keys.
#[derive(Debug, Clone, Serialize)]
pub struct TableCost {
    /// Its records.
    pub records: u64,
    /// Batches that it comes in.
    pub batches: u64,
    /// Seconds predicted for all of them.
    pub seconds: f64,
    /// Bytes of all inputs.
    pub bytes_up: u64,
    /// Bytes of all results.
    pub bytes_down: u64,
}
