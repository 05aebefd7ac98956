use crate::FvError;

/// An element of R/t: n coefficients in [0, t), normal basis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plaintext(Vec<u64>);

impl Plaintext {
    /// A plaintext of these coefficients.
    ///
    /// # Errors
    /// [`FvError::PlaintextOutOfRange`] if one is not below `t`.
    pub fn new(coefficients: Vec<u64>, t: u64) -> Result<Self, FvError> {
        match coefficients.iter().position(|&c| c >= t) {
            Some(index) => Err(FvError::PlaintextOutOfRange {
                index,
                value: coefficients[index],
                t,
            }),
            None => Ok(Self(coefficients)),
        }
    }

    /// The coefficients.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.0
    }
}
