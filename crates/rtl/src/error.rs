use ringmill_arith::ArithError;
use thiserror::Error;

/// What can go wrong in this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RtlError {
    /// No machine has this shape.
    #[error("no NTT multiplier has n = {n}, {units} butterfly units and {link_words} words a beat: {need}")]
    BadShape {
        /// Coefficients of a polynomial.
        n: usize,
        /// Butterfly units.
        units: usize,
        /// Coefficients that the link moves at once.
        link_words: usize,
        /// What a shape has to be like.
        need: &'static str,
    },
    /// The machine cannot compute modulo this prime.
    #[error("the machine needs a prime of 22 to 32 bits that is 1 modulo {congruence}, not {modulus}")]
    BadModulus {
        /// The prime.
        modulus: u64,
        /// 2n.
        congruence: u64,
    },
    /// The machine multiplies with one or two fixed polynomials.
    #[error("the machine multiplies with 1 or 2 fixed polynomials, not {0}")]
    BadProducts(usize),
    /// Words were given in the wrong number.
    #[error("expected {expected} words, got {got}")]
    WrongLength {
        /// Words needed.
        expected: usize,
        /// Words given.
        got: usize,
    },
    /// A word is not a canonical residue.
    #[error("word {index} is {word}, not below the modulus {modulus}")]
    OutOfRange {
        /// The prime.
        modulus: u64,
        /// Position of the word.
        index: usize,
        /// The offending word.
        word: u64,
    },
    /// Refused by the arithmetic layer.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
