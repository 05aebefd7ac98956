use ringmill_arith::Modulus;

use super::Configuration;
use super::engine::SlotEngine;
use crate::RtlError;
use crate::ntt_engine::Unit;

/// The words before a block's constants: the prime and zeros.
const HEAD: usize = 8;

/// A block of constants in memory: word 0 is the prime q, words 1 to 7 are 0, and then follow the constants of the
/// transforms, times R, with zeros up to a multiple of 8 words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantsBlock(Vec<u64>);

impl ConstantsBlock {
    /// Makes the block of a prime.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] if the core cannot compute modulo this prime; [`RtlError::Ring`] for a ring that
    /// the software does not have.
    pub fn new(configuration: &Configuration, modulus: &Modulus) -> Result<Self, RtlError> {
        let engine = SlotEngine::new(configuration, modulus)?;
        let mut words = vec![modulus.value()];
        words.resize(HEAD, 0);
        words.extend(engine.constants());
        words.resize(Self::len(configuration), 0);
        Ok(Self(words))
    }

    /// The words of a block.
    #[must_use]
    pub fn len(configuration: &Configuration) -> usize {
        HEAD + configuration.constants().next_multiple_of(8)
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

/// Reads a block as the core does: it takes whatever constants it finds. `None` for a block that the core refuses.
///
/// # Errors
/// [`RtlError::Arith`] if the modulus is not prime. A core would compute; our arithmetic cannot.
pub(super) fn engine(configuration: &Configuration, words: &[u64]) -> Result<Option<SlotEngine>, RtlError> {
    let sizes = configuration.sizes();
    let [q, rest @ ..] = words else {
        return Ok(None);
    };
    let (zeros, rest) = rest.split_at_checked(HEAD - 1).unwrap_or((rest, &[]));
    let (constants, tail) = rest
        .split_at_checked(configuration.constants())
        .unwrap_or((&[], rest));
    let fits = q >> sizes.width == 0 && q % (1 << sizes.word) == 1;
    if !fits || zeros.iter().chain(tail).any(|&word| word != 0) || constants.iter().any(|word| word >= q) {
        return Ok(None);
    }
    let unit = Unit::new(&Modulus::new(*q)?, sizes.width, sizes.word)?;
    let engine = SlotEngine::with_constants(configuration, unit, constants.to_vec());
    Ok(Some(engine))
}
