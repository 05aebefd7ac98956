//! Evaluation of a circuit on any number of records, batch after batch, without any secret.

use std::time::Instant;

use ringmill_circuit::Visibility;
use ringmill_device::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, Kind, Observer, OutputBit, Plan, PublicInputs, execute, peak_memory, reset_peak_memory,
};
use ringmill_fv::RelinearizationKey;
use serde::Serialize;

use crate::circuits::input_bits;
use crate::encryption::CpuCiphertext;
use crate::error::CliError;
use crate::progress::Progress;
use crate::records::{record_bytes, to_lanes};
use crate::session::Session;

/// What an evaluation made, and what it took.
pub struct Evaluated {
    /// For each batch the output bits, in the order of ports.
    pub results: Vec<CpuCiphertext>,
    /// Number of batches.
    pub batches: usize,
    /// Time from begin to end.
    pub seconds: f64,
    /// By kind of operation.
    pub work: Vec<Work>,
    /// The most resident memory while it went on, in bytes, if the system tells.
    pub peak_memory: Option<u64>,
    /// The same before it began.
    pub earlier_peak_memory: Option<u64>,
}

/// Operations of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Work {
    /// What a person calls it.
    pub operation: String,
    /// How many.
    pub count: u64,
    /// Their times from begin to end, added over threads.
    pub seconds: f64,
}

/// Evaluates. `data` are whole public records, `private` the encrypted input bits of one batch, which
/// then serves for all, or of each.
pub fn evaluate(
    session: &Session,
    key: &RelinearizationKey<CpuDevice>,
    data: Option<&[u8]>,
    private: Vec<CpuCiphertext>,
) -> Result<Evaluated, CliError> {
    let plan = &session.plan;
    let inputs = private_batches(session, private);
    let public = public_batches(session, data);
    let batches = batches(inputs.len(), public.len())?;
    let mut inputs = inputs.into_iter();
    let mut shared = inputs.next().unwrap_or_default();
    let mut results = Vec::new();
    let mut work: Vec<Work> = Kind::ALL.map(no_work).into();
    let progress = Progress::bar("evaluating");
    let earlier_peak_memory = peak_memory();
    reset_peak_memory();
    let start = Instant::now();
    for batch in 0..batches {
        let watch = Watch {
            progress: &progress,
            batch,
            batches,
        };
        // The last use gives the ciphertexts away, so that they are freed as early as possible.
        let next = inputs.next();
        let given = match next.is_some() || batch + 1 == batches {
            true => std::mem::replace(&mut shared, next.unwrap_or_default()),
            false => shared.clone(),
        };
        let nothing = PublicInputs::new();
        let execution = execute(
            plan,
            &session.context,
            key,
            given,
            public.get(batch).unwrap_or(&nothing),
            &watch,
        )?;
        for (work, kind) in work.iter_mut().zip(Kind::ALL) {
            let tally = execution.statistics.tally(kind);
            work.count += tally.count;
            work.seconds += tally.time.as_secs_f64();
        }
        for (bit, output) in execution.outputs.into_iter().flatten().enumerate() {
            match output {
                OutputBit::Encrypted(ciphertext) => results.push(ciphertext),
                OutputBit::Clear(_) => {
                    return Err(CliError::Usage(format!(
                        "output bit {bit} of the circuit depends on public inputs only; leave it out"
                    )));
                }
            }
        }
    }
    Ok(Evaluated {
        results,
        batches,
        seconds: start.elapsed().as_secs_f64(),
        work,
        peak_memory: peak_memory(),
        earlier_peak_memory,
    })
}

fn no_work(kind: Kind) -> Work {
    Work {
        operation: kind.name().to_owned(),
        count: 0,
        seconds: 0.0,
    }
}

/// The number of batches: that of public ones, if the private inputs are for all of them or as many.
fn batches(private: usize, public: usize) -> Result<usize, CliError> {
    match (private, public) {
        (private, 0) => Ok(private),
        (0 | 1, public) => Ok(public),
        (private, public) if private == public => Ok(public),
        (private, public) => Err(CliError::Usage(format!(
            "encrypted inputs for {private} batches of records do not go with public data for {public}; \
             encrypt and evaluate the same records"
        ))),
    }
}

/// Encrypted inputs by batches and ports.
fn private_batches(session: &Session, ciphertexts: Vec<CpuCiphertext>) -> Vec<EncryptedInputs<CpuDevice>> {
    let width = input_bits(&session.circuit, Visibility::Private);
    let count = ciphertexts.len() / width.max(1);
    let mut ciphertexts = ciphertexts.into_iter();
    let batch = |_| {
        let mut inputs = EncryptedInputs::new();
        for port in ports(&session.plan, Visibility::Private) {
            inputs.insert(
                &*port.name,
                ciphertexts.by_ref().take(port.width).collect::<Vec<_>>(),
            );
        }
        inputs
    };
    (0..count).map(batch).collect()
}

/// Public inputs by batches and ports.
fn public_batches(session: &Session, data: Option<&[u8]>) -> Vec<PublicInputs> {
    let width = input_bits(&session.circuit, Visibility::Public);
    let batch = session.plan.slots() * record_bytes(width);
    let batches = data.unwrap_or_default().chunks(batch.max(1));
    let batch = |records| {
        let mut lanes = to_lanes(records, width).into_iter();
        let mut inputs = PublicInputs::new();
        for port in ports(&session.plan, Visibility::Public) {
            inputs.insert(port.name.clone(), lanes.by_ref().take(port.width).collect());
        }
        inputs
    };
    batches.map(batch).collect()
}

fn ports(plan: &Plan, visibility: Visibility) -> impl Iterator<Item = &ringmill_engine::InputPlan> {
    plan.inputs()
        .iter()
        .filter(move |port| port.visibility == visibility)
}

/// Tells the bar how far one of several batches is.
struct Watch<'a> {
    progress: &'a Progress,
    batch: usize,
    batches: usize,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: ringmill_engine::Progress) {
        let fraction = progress.weight_done / progress.weight_total.max(1.0);
        self.progress
            .set((self.batch as f64 + fraction) / self.batches as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_must_agree() {
        assert_eq!(batches(1, 5).unwrap(), 5);
        assert_eq!(batches(3, 0).unwrap(), 3);
        assert_eq!(batches(3, 3).unwrap(), 3);
        assert!(batches(2, 3).unwrap_err().to_string().contains("2 batches"));
    }
}
