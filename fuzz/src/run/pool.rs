use super::Answer;
use crate::Target;
use crate::mutator::{Dice, Material, mutate};

/// Inputs of a kind that a reader keeps at most, beside the corpus.
const MOST_KEPT: usize = 256;

/// Inputs to be mutated, by reader: without the byte that chooses it, or those that many inputs reach would get all.
pub struct Pool {
    target: &'static Target,
    readers: Vec<Kept>,
}

#[derive(Default)]
struct Kept {
    corpus: Vec<Vec<u8>>,
    accepted: Vec<Vec<u8>>,
    /// Refused, each with another error.
    refused: Vec<Vec<u8>>,
}

impl Pool {
    pub fn new(target: &'static Target) -> Self {
        let readers = target.readers.iter().map(|_| Kept::default());
        Self {
            target,
            readers: readers.collect(),
        }
    }

    /// Takes an input of the corpus.
    pub fn begin(&mut self, reader: usize, mut input: Vec<u8>) {
        input.drain(..input.len().min(1));
        self.readers[reader].corpus.push(input);
    }

    /// Makes the next input: any reader's, from the corpus, from what was accepted or from what was refused.
    pub fn next(&self, input: &mut Vec<u8>, dice: &mut Dice) {
        let reader = dice.below(self.readers.len());
        let kept = &self.readers[reader];
        let from = match dice.below(3) {
            0 if !kept.accepted.is_empty() => &kept.accepted,
            1 if !kept.refused.is_empty() => &kept.refused,
            _ => &kept.corpus,
        };
        input.clone_from(&from[dice.below(from.len())]);
        let others = if dice.below(2) == 0 { &kept.corpus } else { from };
        let material = Material {
            words: self.target.words,
            others,
            longest: self.target.longest,
        };
        mutate(input, dice, &material);
        input.insert(0, reader as u8);
    }

    /// Keeps an input if it is worth it, perhaps in the place of another.
    pub fn note(&mut self, reader: usize, input: &[u8], answer: Answer, dice: &mut Dice) {
        let kept = &mut self.readers[reader];
        let list = match answer {
            Answer::Accepted => &mut kept.accepted,
            Answer::New => &mut kept.refused,
            Answer::Known => return,
        };
        if list.len() < MOST_KEPT {
            list.push(input[1..].to_vec());
        } else {
            list[dice.below(MOST_KEPT)] = input[1..].to_vec();
        }
    }
}
