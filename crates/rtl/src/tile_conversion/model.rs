use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::program::LANES;
use super::{Chain, Kind, Place, Program};

/// The words of a tile's memory.
const WORDS: usize = 3 * 128;

/// The golden model of a tile: its memory, and what programs do there.
#[derive(Debug, Clone)]
pub struct Model {
    words: Vec<u32>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            words: vec![0; WORDS],
        }
    }
}

impl Model {
    /// Writes words from a place on; those beyond the memory are dropped.
    pub fn write(&mut self, first: Place, words: &[u32]) {
        let places = self.words.iter_mut().skip(first.into());
        places.zip(words).for_each(|(place, word)| *place = *word);
    }

    /// The words from a place on.
    #[must_use]
    pub fn read(&self, first: Place, count: usize) -> Vec<u32> {
        self.words
            .iter()
            .skip(first.into())
            .take(count)
            .copied()
            .collect()
    }

    /// Runs a program.
    pub fn run(&mut self, program: &Program) {
        let mut sum = 0_u128;
        for operation in program.operations() {
            sum = match operation.chain {
                Chain::Fresh => 0,
                Chain::Continue => sum,
                Chain::Shift => sum >> 32,
            };
            let first = LANES * usize::from(operation.operand);
            let words = self.read(first as Place, LANES * usize::from(operation.triples));
            let constants = program.constants().iter().skip(operation.constants.into());
            let constants = constants.take(operation.triples.into()).flatten();
            let products = words
                .iter()
                .zip(constants)
                .map(|(&a, &b)| u128::from(a) * u128::from(b));
            sum += products.sum::<u128>();
            match operation.kind {
                Kind::Keep => {}
                Kind::Word => self.write(operation.destination, &[sum as u32]),
                Kind::Residue { modulus } => {
                    let residue = reduced(sum, modulus);
                    self.write(operation.destination, &[residue]);
                }
            }
        }
    }
}

/// sum 2^-48 modulo a prime, by its definition.
fn reduced(sum: u128, modulus: u32) -> u32 {
    let modulus = BigUint::from(modulus);
    let inverse = (BigUint::from(1_u32) << 48_u32)
        .modinv(&modulus)
        .unwrap_or_default();
    (inverse * sum % modulus).to_u32().unwrap_or_default()
}
