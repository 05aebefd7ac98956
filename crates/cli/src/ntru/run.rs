use std::time::Instant;

use ringmill_arith::sampling::Seed;
use ringmill_engine::{
    DepthPlanner, Ladder, PlaintextOf, Scheme, Statistics, decrypt_outputs, encrypt_inputs, execute,
    peak_memory,
};
use ringmill_schemes::ntru::NtruError;

use super::Cipher;
use crate::error::CliError;
use crate::evaluation::Watch;
use crate::progress::{Progress, timed};

/// An evaluation, with what it took.
pub struct Run {
    /// Name of the set.
    pub set: String,
    /// Name of the cipher.
    pub cipher: &'static str,
    /// Products of two encrypted values, and the most of them one after the other.
    pub products: usize,
    pub depth: usize,
    /// Blocks, and those whose result was right.
    pub blocks: usize,
    pub correct: usize,
    /// Seconds for keys, encryption of the cipher's key, evaluation, decryption.
    pub keys: f64,
    pub encryption: f64,
    pub evaluation: f64,
    pub decryption: f64,
    /// The evaluation by kind of operation.
    pub statistics: Statistics,
    /// Of the process so far.
    pub peak_memory: Option<u64>,
}

impl Run {
    /// An error if a block is wrong.
    pub fn check(&self) -> Result<(), CliError> {
        match self.blocks - self.correct {
            0 => Ok(()),
            wrong => Err(CliError::WrongResult(format!(
                "{} over {}: {wrong} of {} blocks are wrong; this is a defect, please report it",
                self.cipher, self.set, self.blocks
            ))),
        }
    }
}

/// Plans by depth, encrypts, evaluates and decrypts. `encrypt` and `decrypt` are those of the keys' owner,
/// `keys` the seconds that making them took.
pub fn run<S: Scheme<Error = NtruError>>(
    scheme: &S,
    (ladder, keys): (Ladder, f64),
    cipher: &Cipher,
    encrypt: impl Fn(&PlaintextOf<S>, usize, &Seed) -> Result<S::Ciphertext, NtruError> + Sync,
    decrypt: impl Fn(&S::Ciphertext) -> Result<PlaintextOf<S>, NtruError> + Sync,
) -> Result<Run, CliError>
where
    S::Ciphertext: Send + Sync,
{
    let schedule = DepthPlanner::new(ladder).plan(&cipher.circuit)?;
    let (encoding, seed) = (scheme.encoding(), Seed::random()?);
    let (inputs, encryption) = timed("encrypting", || {
        let inputs = encrypt_inputs(&schedule, encoding, &cipher.private(), &seed, encrypt)?;
        scheme.finish().map_err(CliError::from)?;
        Ok::<_, CliError>(inputs)
    })?;
    let execution = {
        let progress = Progress::bar(cipher.name);
        execute(
            &schedule,
            scheme,
            inputs,
            &cipher.public(),
            &Watch(progress.part((0.0, 1.0), 1)),
        )?
    };
    let start = Instant::now();
    let outputs = decrypt_outputs(&schedule, encoding, &execution.outputs, decrypt)?;
    let depth = schedule.steps().iter().map(|step| step.depth).max();
    Ok(Run {
        set: schedule.scheme().to_owned(),
        cipher: cipher.name,
        products: schedule.products(),
        depth: depth.unwrap_or(0) as usize,
        blocks: schedule.records(),
        correct: cipher.correct(&outputs),
        keys,
        encryption,
        evaluation: execution.statistics.elapsed.as_secs_f64(),
        decryption: start.elapsed().as_secs_f64(),
        statistics: execution.statistics,
        peak_memory: peak_memory(),
    })
}
