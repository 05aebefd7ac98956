use ringmill_arith::Modulus;

use crate::RtlError;

/// The way that a transform goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From coefficients to values.
    Forward,
    /// From values to coefficients.
    Inverse,
}

/// A transform engine: its schedule and its golden model for one prime.
///
/// A machine around an engine has n words, which the host writes and reads by their index in natural
/// order, and constants, which the host writes before the first transform.
pub trait Engine {
    /// The module of the machine around the engine and its parameters, as `hdl/hw` prints them.
    fn machine(&self) -> String;

    /// The number of words of a transform.
    fn n(&self) -> usize;

    /// The number of butterfly units.
    fn units(&self) -> usize;

    /// The prime.
    fn modulus(&self) -> &Modulus;

    /// The constants that the host loads, in the order of their addresses.
    fn constants(&self) -> &[u64];

    /// The number of cycles of a transform, from its first read to its last write.
    fn cycles(&self, direction: Direction) -> u64;

    /// Transforms canonical residues as the machine does, operation by operation.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] unless there are n words; [`RtlError::OutOfRange`] for a word that is not
    /// below the prime.
    fn transform(&self, direction: Direction, words: &mut [u64]) -> Result<(), RtlError>;
}

/// Checks that there are n canonical residues.
pub(super) fn check_words(modulus: &Modulus, n: usize, words: &[u64]) -> Result<(), RtlError> {
    if words.len() != n {
        return Err(RtlError::WrongLength {
            expected: n,
            got: words.len(),
        });
    }
    match words.iter().position(|&word| word >= modulus.value()) {
        None => Ok(()),
        Some(index) => Err(RtlError::OutOfRange {
            modulus: modulus.value(),
            index,
            word: words.get(index).copied().unwrap_or(0),
        }),
    }
}
