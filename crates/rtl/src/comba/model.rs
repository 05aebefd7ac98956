use num_bigint::{BigInt, BigUint};
use num_traits::Signed;

use super::Shape;
use super::encryption::Encryption;
use super::image::{reciprocal, shifted_modulus};
use super::numbers::{signed, words};
use crate::RtlError;

/// What a machine makes of an encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Computed {
    /// The words of c, which is below x_0.
    pub words: Vec<u64>,
    /// Whether Barrett's quotient was too small by one, so that the modulus was subtracted once more.
    pub corrected: bool,
}

/// The golden model of the low-area and the parallel design: their four steps on whole numbers.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    shape: Shape,
}

impl Model {
    /// The model of a machine.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// Encrypts.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::BadComba`] for numbers that do not fit; [`RtlError::WrongResult`] if the
    /// quotient is wrong by more than one.
    pub fn encrypt(&self, encryption: &Encryption<'_>) -> Result<Computed, RtlError> {
        let (shape, sizes) = (self.shape, self.shape.sizes());
        encryption.check(sizes, shape.noise_bits())?;
        let sum = sum(encryption, sizes.terms(), |i| {
            encryption.element(sizes, i) * (encryption.factor(sizes, i) << 1_u32)
        }) << Shape::SHIFT;
        let modulus = shifted_modulus(encryption);
        // One block of the sum is divided: the machine reads no more.
        let block = (BigUint::from(1_u32) << shape.block_bits()) - 1_u32;
        let high = (&sum >> sizes.gamma()) & block;
        let quotient = (high * reciprocal(&shape, &modulus)) >> shape.block_bits();
        let computed = residue(&sum, &quotient, &modulus)?;
        Ok(Computed {
            words: words(&(computed.0 >> Shape::SHIFT), sizes.words()),
            corrected: computed.1,
        })
    }
}

/// e and all products, as a number that is not negative.
pub(super) fn sum(encryption: &Encryption<'_>, terms: usize, product: impl Fn(usize) -> BigUint) -> BigUint {
    let products: BigUint = (0..terms).map(product).sum();
    let sum: BigInt = signed(encryption.noise) + BigInt::from(products);
    sum.magnitude().clone()
}

/// The sum less the quotient's multiple of the modulus, and less the modulus again if it is not smaller.
pub(super) fn residue(
    sum: &BigUint,
    quotient: &BigUint,
    modulus: &BigUint,
) -> Result<(BigUint, bool), RtlError> {
    let rest = BigInt::from(sum.clone()) - BigInt::from(quotient * modulus);
    let corrected = rest >= BigInt::from(modulus.clone());
    let rest = if corrected {
        rest - BigInt::from(modulus.clone())
    } else {
        rest
    };
    if rest.is_negative() || rest.magnitude() >= modulus {
        return Err(RtlError::WrongResult);
    }
    Ok((rest.magnitude().clone(), corrected))
}
