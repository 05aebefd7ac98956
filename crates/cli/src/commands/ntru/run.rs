use std::time::Instant;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::{
    DepthPlanner, Observer, Statistics, decrypt_outputs, encrypt_inputs, execute, peak_memory,
};
use ringmill_schemes::ntru::NtruScheme;

use super::{Cipher, Party};
use crate::error::CliError;
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
            wrong => Err(CliError::wrong_result(format!(
                "{} over {}: {wrong} of {} blocks are wrong; this is a defect, please report it",
                self.cipher, self.set, self.blocks
            ))),
        }
    }
}

impl<S: NtruScheme, D: Device> Party<S, D> {
    /// Evaluates a cipher on full slots: plans by depth, encrypts, evaluates and decrypts.
    pub fn evaluate(&self, cipher: impl FnOnce(usize) -> Result<Cipher, CliError>) -> Result<Run, CliError> {
        self.evaluate_between(cipher, || ())
    }

    /// As [`Party::evaluate`], with a call just before and just after the evaluation itself.
    pub fn evaluate_between(
        &self,
        cipher: impl FnOnce(usize) -> Result<Cipher, CliError>,
        mut border: impl FnMut(),
    ) -> Result<Run, CliError> {
        let (context, seed) = (&*self.context, Seed::random()?);
        let cipher = cipher(context.slots().len())?;
        let schedule = DepthPlanner::new(context.level_chain(cipher.depth()?)?).plan(&cipher.circuit)?;
        let encrypt = |plain: &_, level, seed: &_| context.encrypt(&self.public, plain, level, seed);
        let (inputs, encryption) = timed("encrypting", || {
            let inputs = encrypt_inputs(&schedule, context, &cipher.private(), &seed, encrypt)?;
            context.device().finish()?;
            Ok::<_, CliError>(inputs)
        })?;
        let execution = {
            let progress = Progress::bar(cipher.name);
            let watch = Watch(&progress);
            border();
            execute(&schedule, &self.evaluator, inputs, &cipher.public(), &watch)?
        };
        border();
        let start = Instant::now();
        let decrypt = |a: &_| context.decrypt(&self.secret, a);
        let outputs = decrypt_outputs(&schedule, context, &execution.outputs, decrypt)?;
        let depth = schedule.steps().iter().map(|step| step.depth).max();
        Ok(Run {
            set: schedule.scheme().to_owned(),
            cipher: cipher.name,
            products: schedule.products(),
            depth: depth.unwrap_or(0) as usize,
            blocks: schedule.records(),
            correct: cipher.correct(&outputs),
            keys: self.keys,
            encryption,
            evaluation: execution.statistics.elapsed.as_secs_f64(),
            decryption: start.elapsed().as_secs_f64(),
            statistics: execution.statistics,
            peak_memory: peak_memory(),
        })
    }
}

/// Tells how far an evaluation is.
struct Watch<'a>(&'a Progress);

impl Observer for Watch<'_> {
    fn progress(&self, progress: ringmill_engine::Progress) {
        self.0.set(progress.weight_done / progress.weight_total.max(1.0));
    }
}
