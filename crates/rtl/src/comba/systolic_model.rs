use super::encryption::Encryption;
use super::image::systolic_reciprocal;
use super::model::{Computed, residue, sum};
use super::numbers::{number, words};
use super::{DIGIT, SystolicShape};
use crate::RtlError;

/// The golden model of the systolic machine: its steps on whole numbers.
#[derive(Debug, Clone, Copy)]
pub struct SystolicModel {
    shape: SystolicShape,
}

impl SystolicModel {
    /// The model of a machine.
    #[must_use]
    pub const fn new(shape: SystolicShape) -> Self {
        Self { shape }
    }

    /// Encrypts.
    ///
    /// # Errors
    /// As [`super::Model::encrypt`].
    pub fn encrypt(&self, encryption: &Encryption<'_>) -> Result<Computed, RtlError> {
        let (shape, sizes) = (self.shape, self.shape.sizes());
        encryption.check(sizes, DIGIT * shape.correction_digits() as u32)?;
        // Factors stay as they are, and columns are added twice.
        let sum = sum(encryption, sizes.terms(), |i| {
            (encryption.element(sizes, i) * encryption.factor(sizes, i)) << 1_u32
        });
        let digits = |count: usize| DIGIT as usize * count;
        let high = &sum >> digits(sizes.digits() - SystolicShape::GUARD_DIGITS);
        let quotient = (high * systolic_reciprocal(&shape, encryption)) >> digits(shape.cut_digits());
        let (rest, corrected) = residue(&sum, &quotient, &number(encryption.modulus))?;
        Ok(Computed {
            words: words(&rest, sizes.words()),
            corrected,
        })
    }
}
