use ringmill_arith::secret::Secret;

use super::recursion::{join, split};
use super::{Beat, Shape, Wide};
use crate::RtlError;

/// The host's part: six recursions before the machine's, four after it.
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

    /// The beats for the products of `key`, 2560 residues, with one to four polynomials of as many bits: piece after piece,
    /// coefficient after coefficient, for each of its chunks one with a coefficient of a polynomial beside it.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`]; [`RtlError::BadKaratsuba`] for a coefficient that is too large.
    pub fn beats(&self, key: &[Wide], polynomials: &[&[u8]]) -> Result<Secret<Vec<Beat>>, RtlError> {
        let (expected, most) = (Shape::N, Shape::POLYNOMIALS);
        let lengths = polynomials.iter().map(|polynomial| polynomial.len());
        if let Some(got) = lengths.chain([key.len()]).find(|&got| got != expected) {
            return Err(RtlError::WrongLength { expected, got });
        }
        let need = if polynomials.is_empty() || polynomials.len() > most {
            "one to four binary polynomials"
        } else if key
            .iter()
            .any(|coefficient| coefficient.bits() > self.shape.modulus_bits())
        {
            "coefficients below the modulus"
        } else if polynomials
            .iter()
            .any(|polynomial| polynomial.iter().any(|&bit| bit > 1))
        {
            "binary polynomials"
        } else {
            return Ok(self.interleave(key, polynomials));
        };
        Err(RtlError::BadKaratsuba { need })
    }

    fn interleave(&self, key: &[Wide], polynomials: &[&[u8]]) -> Secret<Vec<Beat>> {
        let keys = split(key, Shape::HOST_RECURSIONS);
        // Sums of 2^6 bits fit a byte.
        let binaries: Vec<_> = polynomials
            .iter()
            .map(|polynomial| Secret::new(split(polynomial, Shape::HOST_RECURSIONS)))
            .collect();
        let width = self.shape.key_chunk();
        let mut beats = Secret::with_capacity(Shape::input_beats());
        for (i, coefficient) in keys.iter().enumerate() {
            for chunk in 0..Shape::CHUNKS {
                let binary = binaries.get(chunk).map_or(0, |pieces| u64::from(pieces[i]));
                beats.push([coefficient.chunk(width * chunk as u32, width) | binary << 32, 0]);
            }
        }
        beats
    }

    /// The first `count` products, of 5120 coefficients each, the last of them zero, from the machine's words.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`].
    pub fn products(&self, words: &[Beat], count: usize) -> Result<Vec<Secret<Vec<u64>>>, RtlError> {
        let (expected, got) = (Shape::output_beats(), words.len());
        if got != expected {
            return Err(RtlError::WrongLength { expected, got });
        }
        let product = |lane: usize| {
            let coefficients = words.chunks_exact(Shape::CHUNKS);
            let mut results = Secret::collect(coefficients.map(|chunks| coefficient(chunks, lane)));
            let length = join(&mut results, Shape::RESULT);
            let bits = Shape::CHUNKS as u32 * Shape::RESULT_CHUNK;
            let product = results.iter().take(length);
            Secret::new(product.flat_map(|coefficient| coefficient.low(bits).0).collect())
        };
        Ok((0..count.min(Shape::POLYNOMIALS)).map(product).collect())
    }
}

/// The coefficient of one product from its chunks, the lowest first.
fn coefficient(chunks: &[Beat], lane: usize) -> Wide {
    let chunks = chunks.iter().zip(0..);
    chunks.fold(Wide::default(), |sum, (beat, chunk)| {
        let word = beat[lane / 2] >> (32 * (lane % 2)) & 0xffff_ffff;
        sum.with_chunk(Shape::RESULT_CHUNK * chunk, word)
    })
}
