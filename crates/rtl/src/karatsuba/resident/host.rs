use ringmill_arith::secret::Secret;

use super::super::recursion::split;
use super::beats::{Packer, number};
use super::{Beat, Shape, Wide};
use crate::RtlError;

/// The host's part: the recursions of the key, once; then bits, errors and residues as they are.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    shape: Shape,
}

impl Host {
    /// The host of a machine.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The beats of a key, 2560 residues: its leaves after nine recursions.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`]; [`RtlError::BadKaratsuba`] for a coefficient that is no residue.
    pub fn key(&self, key: &[Wide]) -> Result<Vec<Beat>, RtlError> {
        expect(key.len())?;
        if key.iter().any(|&coefficient| coefficient >= self.shape.modulus()) {
            return Err(RtlError::BadKaratsuba {
                need: "coefficients below the modulus",
            });
        }
        let mut packer = Packer::new(Shape::KEY_BEATS);
        for leaf in split(key, Shape::LEVELS).chunks_exact(Shape::LEAF) {
            for &coefficient in leaf {
                packer.add(coefficient, Shape::KEY_BITS);
            }
            packer.fill();
        }
        Ok(packer.finish().to_vec())
    }

    /// The beats of a job: a polynomial of 2560 bits, and as many errors.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`]; [`RtlError::BadKaratsuba`] for a coefficient that is no bit, or an error beyond 8 bits.
    pub fn job(&self, bits: &[u8], errors: &[i32]) -> Result<Secret<Vec<Beat>>, RtlError> {
        expect(bits.len())?;
        expect(errors.len())?;
        let need = if bits.iter().any(|&bit| bit > 1) {
            "binary polynomials"
        } else if errors.iter().any(|&error| i8::try_from(error).is_err()) {
            "errors from -128 to 127"
        } else {
            return Ok(pack(bits, errors));
        };
        Err(RtlError::BadKaratsuba { need })
    }

    /// The coefficients of a result, 2560 residues, three words each.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`].
    pub fn residues(&self, beats: &[Beat]) -> Result<Secret<Vec<u64>>, RtlError> {
        let (expected, got) = (self.shape.result_beats(), beats.len());
        if got != expected {
            return Err(RtlError::WrongLength { expected, got });
        }
        let width = self.shape.modulus_bits();
        let coefficient = |i: usize| number(beats, i * width as usize, width).0;
        Ok(Secret::new((0..Shape::N).flat_map(coefficient).collect()))
    }
}

fn expect(got: usize) -> Result<(), RtlError> {
    let expected = Shape::N;
    if got == expected {
        return Ok(());
    }
    Err(RtlError::WrongLength { expected, got })
}

/// For each place of a leaf the bits of all leaves that are there, then the errors.
fn pack(bits: &[u8], errors: &[i32]) -> Secret<Vec<Beat>> {
    let mut packer = Packer::new(Shape::JOB_BEATS);
    for place in 0..Shape::LEAF {
        for &bit in bits.iter().skip(place).step_by(Shape::LEAF) {
            packer.add(Wide([bit.into(), 0, 0]), 1);
        }
    }
    for &error in errors {
        packer.add(Wide([u64::from(error as u8), 0, 0]), Shape::ERROR_BITS);
    }
    packer.finish()
}
