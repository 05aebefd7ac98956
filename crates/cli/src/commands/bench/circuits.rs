//! Whole circuits under encryption: full batches of random records, the first of which is compared with evaluation in the
//! clear.

use std::sync::Arc;

use ringmill::circuit::{Circuit, InputPort, PortValues, Visibility};
use ringmill::circuits::{find, names as circuit_names};
use ringmill::platform::Platform;
use ringmill::{InputKey, InputPacking, InputValues, Optimise, Planning, SlotSharing};
use ringmill_arith::sampling::Stream;
use serde::Serialize;

use super::jobs::seed;
use super::measure::Times;
use super::{Bench, peers};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{Layout, bytes, seconds};

/// A circuit, planned and evaluated.
#[derive(Debug, Serialize)]
pub struct Row {
    name: String,
    form: String,
    n: usize,
    products: usize,
    depth: u32,
    records: usize,
    predicted_seconds: f64,
    /// Of the first batch, whose memory is fresh.
    first_seconds: f64,
    /// Of a batch; of the first if there was no other.
    seconds: f64,
    /// How many batches there were after the first.
    runs: usize,
    seconds_per_record: f64,
    predicted_memory_bytes: u64,
    memory_bytes: Option<u64>,
    predicted_margin_bits: f64,
    margin_bits: f64,
    published: &'static str,
}

const LAYOUT: Layout = Layout {
    columns: &[
        ("circuit", 32),
        ("form", 9),
        ("n", 6),
        ("products", 0),
        ("depth", 0),
        ("records", 0),
        ("predicted", 0),
        ("first", 8),
        ("median", 8),
        ("runs", 4),
        ("a record", 8),
        ("memory predicted", 0),
        ("measured", 9),
        ("margin predicted", 0),
        ("measured", 0),
        ("papers and peers", 0),
    ],
    numbers: 2..15,
};

impl Row {
    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.form.clone(),
            self.n.to_string(),
            self.products.to_string(),
            self.depth.to_string(),
            self.records.to_string(),
            seconds(self.predicted_seconds),
            seconds(self.first_seconds),
            seconds(self.seconds),
            self.runs.to_string(),
            seconds(self.seconds_per_record),
            bytes(self.predicted_memory_bytes),
            self.memory_bytes.map_or("unknown".to_owned(), bytes),
            format!("{:.1}", self.predicted_margin_bits),
            format!("{:.1}", self.margin_bits),
            self.published.to_owned(),
        ]
    }
}

/// A measurement: what it is called, and of which circuit.
#[derive(Clone)]
struct Job {
    name: String,
    circuit: String,
    /// Whether four records share each slot.
    sharing: SlotSharing,
    published: &'static str,
}

/// All of them: SIMON and AES in both layouts, and everything else that is bundled; circuits of bits in shared slots too.
fn jobs() -> Vec<Job> {
    let job = |name: &str, circuit: &str, published| Job {
        name: name.to_owned(),
        circuit: circuit.to_owned(),
        sharing: SlotSharing::Never,
        published,
    };
    let mut jobs = vec![
        job("simon", "simon-decrypt", peers::SIMON),
        job("simon, nibbles", "simon-decrypt-nibbles", peers::SIMON),
        job("aes-128", "aes-128-encrypt", peers::AES),
        job("aes-128, decryption", "aes-128-decrypt", peers::AES),
        job("aes-128, rows", "aes-128-encrypt-row", peers::AES),
        job("aes-256", "aes-256-encrypt", ""),
    ];
    let known = |name: &&String| !name.starts_with("simon-") && !name.starts_with("aes");
    for name in circuit_names().iter().filter(known) {
        jobs.push(job(&format!("circuit {name}"), name, ""));
    }
    let on_bits = |job: &&Job| !job.circuit.starts_with("aes") && !job.circuit.ends_with("-nibbles");
    let shared = jobs.iter().filter(on_bits);
    let shared = shared.map(|job| Job {
        name: format!("{}, shared slots", job.name),
        sharing: SlotSharing::Always,
        published: "",
        ..job.clone()
    });
    jobs.extend(shared.collect::<Vec<_>>());
    jobs
}

/// Batches that take longer than this are evaluated once.
const REPEATED_SECONDS: f64 = 4.0;

/// The most batches of a circuit after the first.
const MOST_RUNS: usize = 15;

/// Everything that can be measured here.
pub fn names() -> Vec<String> {
    jobs().into_iter().map(|job| job.name).collect()
}

/// Measures what is wanted.
pub fn run(bench: &mut Bench, platform: &Arc<impl Platform>) {
    if bench.quick {
        return;
    }
    for job in jobs() {
        if bench.wants(&job.name)
            && let Some(row) = bench.log.attempt(&job.name, || measure(platform, &job))
        {
            bench.log.row("Whole circuits", &LAYOUT, &row.cells());
            bench.circuits.push(row);
        }
    }
}

/// The seconds that one of them takes, its result compared with evaluation in the clear.
pub fn seconds_of(platform: &Arc<impl Platform>, name: &str) -> Result<Option<f64>, CliError> {
    let job = jobs().into_iter().find(|job| job.name == name);
    job.map(|job| measure(platform, &job).map(|row| row.seconds))
        .transpose()
}

fn measure(platform: &Arc<impl Platform>, job: &Job) -> Result<Row, CliError> {
    let planned = Planning::new()
        .observer(Arc::new(Terminal::default()))
        .input_key(InputKey::Secret)
        .optimise(Optimise::Off)
        // Each record has a key of its own.
        .packing(Some(InputPacking::Separate))
        .slot_sharing(job.sharing)
        .plan_on(platform, &find(&job.circuit)?)?;
    let plan = planned.plan_details();
    let client = planned.client(&seed("keys"))?;
    let server = planned.server(client.evaluation_keys()?)?;
    let inputs = Inputs::random(planned.circuit(), plan.records());
    let batch = || {
        let encrypted = client.encrypt_values(plan.records(), &inputs.private)?;
        let mut evaluation = server.evaluation();
        let results = evaluation.batch(encrypted, &inputs.public)?;
        Ok::<_, CliError>((results, evaluation.finish()))
    };
    let (results, account) = batch()?;
    let decrypted = client.decrypt_batch(&results)?;
    drop(results);
    if decrypted.values != planned.circuit().evaluate(&inputs.all)? {
        return Err(CliError::wrong_result(format!(
            "{}: wrong results; this is a defect, please report it",
            job.name
        )));
    }
    let prediction = plan.prediction();
    let runs = (REPEATED_SECONDS / account.seconds) as usize;
    let again = (0..runs.min(MOST_RUNS)).map(|_| Ok(batch()?.1.seconds));
    let again = Times::from_list(again.collect::<Result<_, CliError>>()?);
    let median = if runs == 0 { account.seconds } else { again.median };
    Ok(Row {
        name: job.name.clone(),
        form: plan.form().to_string(),
        n: plan.parameters().n(),
        products: plan.schedule().products(),
        depth: prediction.depth,
        records: plan.records(),
        predicted_seconds: prediction.seconds(),
        first_seconds: account.seconds,
        seconds: median,
        runs: again.runs,
        seconds_per_record: median / plan.records() as f64,
        predicted_memory_bytes: prediction.memory.peak,
        memory_bytes: account.peak_memory,
        predicted_margin_bits: -1.0 - prediction.log2_noise,
        margin_bits: -1.0 - decrypted.log2_noise,
        published: job.published,
    })
}

/// Random values for a full batch.
struct Inputs {
    private: InputValues,
    public: InputValues,
    all: Vec<PortValues>,
}

impl Inputs {
    fn random(circuit: &Circuit, records: usize) -> Self {
        let mut stream = Stream::new(&seed("values"));
        let mut inputs = Self {
            private: InputValues::new(),
            public: InputValues::new(),
            all: Vec::new(),
        };
        for port in circuit.inputs() {
            let values = random_values(&mut stream, port, records);
            inputs.all.push(values.clone());
            match port.visibility {
                Visibility::Public => inputs.public.insert(port.name.clone(), values),
                Visibility::Private => inputs.private.insert(port.name.clone(), values),
            };
        }
        inputs
    }
}

fn random_values(stream: &mut Stream, port: &InputPort, records: usize) -> PortValues {
    let mut words = |count: usize| {
        let mut words = vec![0u64; count];
        stream.fill_words(&mut words);
        words
    };
    if port.kind.is_bit() {
        return PortValues::Bits(port.wires.iter().map(|_| words(records.div_ceil(64))).collect());
    }
    let size = records * port.kind.slots();
    let mut row = || {
        let bytes = words(size.div_ceil(8));
        let bytes = bytes.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(size).collect()
    };
    PortValues::Rows(port.wires.iter().map(|_| row()).collect())
}
