use ringmill_arith::secret::Secret;

use super::recursion::{join, split};
use super::{Beat, Shape, Wide};
use crate::RtlError;

/// The golden model of the machine: three recursions, products of five coefficients, five recursions, modulo 2^150.
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

    /// The words that come for beats of whole groups of pieces.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`].
    pub fn run(&self, beats: &[Beat]) -> Result<Secret<Vec<Beat>>, RtlError> {
        let mut words = Secret::with_capacity(Shape::results(beats.len())?);
        for group in beats.chunks_exact(Shape::GROUP * Shape::PIECE * Shape::CHUNKS) {
            let results: Vec<_> = (0..Shape::POLYNOMIALS)
                .map(|lane| self.result(group, lane))
                .collect();
            for i in 0..Shape::RESULT {
                for chunk in 0..Shape::CHUNKS as u32 {
                    let mut word = [0; 2];
                    for (lane, result) in results.iter().enumerate() {
                        let part = result[i].chunk(Shape::RESULT_CHUNK * chunk, Shape::RESULT_CHUNK);
                        word[lane / 2] |= part << (32 * (lane % 2));
                    }
                    words.push(word);
                }
            }
        }
        Ok(words)
    }

    /// The product of a group for one of the polynomials.
    fn result(&self, group: &[Beat], lane: usize) -> Secret<Vec<Wide>> {
        let mut products = Secret::with_capacity(Shape::GROUP * 2 * 5 * 27);
        for piece in group.chunks_exact(Shape::PIECE * Shape::CHUNKS) {
            let coefficients = || piece.chunks_exact(Shape::CHUNKS);
            let key: Vec<_> = coefficients().map(|chunks| self.key(chunks)).collect();
            let binary = coefficients().map(|chunks| (chunks[lane][0] >> 32) as u32);
            let binaries = Secret::new(split(&Secret::<Vec<u32>>::collect(binary), Shape::RECURSIONS));
            let keys = split(&key, Shape::RECURSIONS);
            let leaf = Shape::PIECE >> Shape::RECURSIONS;
            for (key, binary) in keys.chunks_exact(leaf).zip(binaries.chunks_exact(leaf)) {
                products.extend_from_slice(&schoolbook(key, binary));
            }
        }
        join(&mut products, 2 * (Shape::PIECE >> Shape::RECURSIONS));
        products
    }

    fn key(&self, chunks: &[Beat]) -> Wide {
        let width = self.shape.key_chunk();
        let chunks = chunks.iter().zip(0..);
        chunks.fold(Wide::default(), |sum, (beat, chunk)| {
            sum.with_chunk(width * chunk, beat[0] & ((1 << width) - 1))
        })
    }
}

fn schoolbook(key: &[Wide], binary: &[u32]) -> Vec<Wide> {
    let mut product = vec![Wide::default(); 2 * key.len()];
    for (i, &coefficient) in key.iter().enumerate() {
        for (place, &factor) in product[i..].iter_mut().zip(binary) {
            *place = *place + coefficient * factor;
        }
    }
    product
}
