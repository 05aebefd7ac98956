use std::path::Path;

use ringmill_engine::Recipe;
use ringmill_fv::Parameters;

use crate::Error;
use crate::messages::{LOG2_FAILURE, MessagePlan};

/// The terms on which a party accepts a job file that somebody else made.
///
/// Whoever hands out a job file could make others encrypt weakly, or plan so that results are wrong more often
/// than they may be. So the reader decides: by default it refuses less than 128 bits of security by the table, a
/// probability of failure above 2^-64, and a tolerance above two bits. The file's own marks only inform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Bits of security that the table must grant; none if sets that it does not grant any are accepted.
    least_security: Option<u32>,
    /// log2 of the largest probability that a decryption fails.
    log2_failure: f64,
    /// Bits that a choice of levels may add to the noise of each operation.
    tolerance: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            least_security: Some(128),
            log2_failure: -64.0,
            tolerance: 2.0,
        }
    }
}

impl Policy {
    /// Accepts insecure parameters too, and any plan: for the papers' own sets and for experiments.
    #[must_use]
    pub const fn allow_insecure() -> Self {
        Self {
            least_security: None,
            log2_failure: 0.0,
            tolerance: f64::INFINITY,
        }
    }

    /// Asks for more bits of security: 128, 192 or 256.
    #[must_use]
    pub const fn with_least_security(mut self, bits: u32) -> Self {
        self.least_security = Some(bits);
        self
    }

    /// Refuses parameters of a file that are less secure.
    pub(crate) fn check_parameters(&self, path: &Path, parameters: &Parameters) -> Result<(), Error> {
        let (Some(least), security) = (self.least_security, parameters.security()) else {
            return Ok(());
        };
        if security.standard.is_some() && security.bits >= least {
            return Ok(());
        }
        let why = match &security.warning {
            Some(warning) => format!("INSECURE: {warning}"),
            None => format!("of {} bits of security", security.bits),
        };
        Err(Error::data(
            path,
            format!(
                "the parameters {} are {why}; at least {least} bits are required, so ask for other parameters. Only if \
                 nothing secret is at stake, accept them with --allow-insecure",
                parameters.name()
            ),
        ))
    }

    /// Refuses a plan of a file that may fail more often, or wastes noise.
    pub(crate) fn check_recipe(&self, path: &Path, recipe: &Recipe) -> Result<(), Error> {
        let problem = if recipe.log2_failure > self.log2_failure {
            format!(
                "results may be wrong with a probability of 2^{:.0}, where 2^{:.0} is required",
                recipe.log2_failure, self.log2_failure
            )
        } else if recipe.tolerance > self.tolerance {
            format!(
                "operations may add {:.1} bits to the noise, where {:.1} are allowed",
                recipe.tolerance, self.tolerance
            )
        } else {
            return Ok(());
        };
        Err(Error::data(
            path,
            format!("{problem}; ask for other parameters, or accept these with --allow-insecure"),
        ))
    }

    /// Refuses a program over messages of a file that may be wrong more often than planned programs are.
    pub(crate) fn check_message_plan(&self, path: &Path, plan: &MessagePlan) -> Result<(), Error> {
        let missing = plan.missing_bits();
        if missing <= 0.0 || self.log2_failure > LOG2_FAILURE {
            return Ok(());
        }
        Err(Error::data(
            path,
            format!(
                "results of the program may be wrong: {missing:.1} bits of noise margin are missing; plan it again with \
                 `ringmill plan --integers`, or accept it with --allow-insecure"
            ),
        ))
    }
}
