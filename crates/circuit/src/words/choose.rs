//! Choices: masks, multiplexers, shifts and rotations.

use super::same_width;
use crate::{Builder, CircuitError, Wire, Word};

/// The most bits of a count that one stage of a shift handles. Counts of 7 bits, for words of up to 128
/// bits, never need more.
const WIDEST_STAGE: usize = 4;

/// The treatment of the bits at the ends in a shift.
#[derive(Clone, Copy)]
enum Move {
    Left,
    /// If `signed`, the bit that comes in from above is a copy of the last one.
    Right {
        signed: bool,
    },
    RotateLeft,
}

impl Builder {
    /// The word if `bit` is 1, and 0 if it is 0.
    pub fn mask(&mut self, bit: Wire, word: &Word) -> Word {
        Word::new(word.wires().iter().map(|wire| self.and(bit, *wire)).collect())
    }

    /// The word `yes` if `condition` is 1, and `no` if it is 0. It takes one AND per bit.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn select(&mut self, condition: Wire, yes: &Word, no: &Word) -> Result<Word, CircuitError> {
        same_width(yes, no)?;
        let differences = self.xor_words(yes, no)?;
        let changes = self.mask(condition, &differences);
        self.xor_words(no, &changes)
    }

    /// The word shifted by `count` bits towards the most significant end, with zeros coming in. It costs no
    /// gates.
    pub fn shift_left(&mut self, word: &Word, count: usize) -> Word {
        let zero = self.constant(false);
        moved(word, count, Move::Left, zero)
    }

    /// The word shifted by `count` bits towards the least significant end, with zeros coming in. It costs no
    /// gates.
    pub fn shift_right(&mut self, word: &Word, count: usize) -> Word {
        let zero = self.constant(false);
        moved(word, count, Move::Right { signed: false }, zero)
    }

    /// The word shifted by `count` bits towards the least significant end, with copies of its highest bit
    /// coming in. It costs no gates.
    pub fn shift_right_signed(&mut self, word: &Word, count: usize) -> Word {
        let zero = self.constant(false);
        moved(word, count, Move::Right { signed: true }, zero)
    }

    /// The same as [`shift_left`](Self::shift_left), by an unsigned number in a word of any width. If the
    /// number is the word's width or more, the result is 0.
    pub fn shift_left_by(&mut self, word: &Word, count: &Word) -> Word {
        self.moved_by(word, count, Move::Left)
    }

    /// The same as [`shift_right`](Self::shift_right), by an unsigned number in a word of any width. If the
    /// number is the word's width or more, the result is 0.
    pub fn shift_right_by(&mut self, word: &Word, count: &Word) -> Word {
        self.moved_by(word, count, Move::Right { signed: false })
    }

    /// The same as [`shift_right_signed`](Self::shift_right_signed), by an unsigned number in a word of any
    /// width. If the number is the word's width or more, all bits are copies of the highest bit.
    pub fn shift_right_signed_by(&mut self, word: &Word, count: &Word) -> Word {
        self.moved_by(word, count, Move::Right { signed: true })
    }

    /// The word rotated towards the most significant end by an unsigned number
    /// in a word of any width.
    pub fn rotate_left_by(&mut self, word: &Word, count: &Word) -> Word {
        self.moved_by(word, count, Move::RotateLeft)
    }

    /// The same as [`rotate_left_by`](Self::rotate_left_by), towards the least significant end.
    pub fn rotate_right_by(&mut self, word: &Word, count: &Word) -> Word {
        let reversed = |word: &Word| Word::new(word.wires().iter().rev().copied().collect());
        let rotated = self.rotate_left_by(&reversed(word), count);
        reversed(&rotated)
    }

    /// Moves by an encrypted count, several of its bits at a time.
    ///
    /// A stage that handles `s` bits of the count chooses among `2^s` moved copies of the word by the
    /// decoded bits. The choice takes one level once the bits are decoded. Decoding takes `log2 s` levels
    /// but needs only the count, so stage `j` may handle `2^j` bits and still add only one level.
    fn moved_by(&mut self, word: &Word, count: &Word, direction: Move) -> Word {
        let zero = self.constant(false);
        let (mut bits, beyond) = self.useful_bits(word.width(), count, direction);
        let mut word = word.clone();
        let mut unit = 1_usize;
        for size in stage_sizes(bits.len()) {
            let rest = bits.split_off(size.min(bits.len()));
            let choices = self.decode(&bits);
            let copies = (0..choices.len()).map(|choice| {
                let distance = unit.saturating_mul(choice);
                moved(&word, distance, direction, zero)
            });
            let copies: Vec<Word> = copies.collect();
            word = self.choose(&choices, &copies);
            unit = step(unit, size, word.width(), direction);
            bits = rest;
        }
        let gone = moved(&word, word.width(), direction, zero);
        let choices = self.decode(&[beyond]);
        self.choose(&choices, &[word, gone])
    }

    /// The bits of a count that distinguish moves of a word, and whether the other bits move it beyond its
    /// width.
    fn useful_bits(&mut self, width: usize, count: &Word, direction: Move) -> (Vec<Wire>, Wire) {
        let useful = (usize::BITS - width.saturating_sub(1).leading_zeros()) as usize;
        let mut bits = count.wires().to_vec();
        let high = match direction {
            Move::RotateLeft if !width.is_power_of_two() => Vec::new(),
            _ => bits.split_off(useful.min(bits.len())),
        };
        let beyond = match direction {
            Move::RotateLeft => self.constant(false),
            Move::Left | Move::Right { .. } => self.or_all(&high),
        };
        (bits, beyond)
    }

    /// For each number of this many bits: whether the bits form it.
    pub(super) fn decode(&mut self, bits: &[Wire]) -> Vec<Wire> {
        match bits {
            [] => vec![self.constant(true)],
            [bit] => vec![self.not(*bit), *bit],
            bits => {
                let (low, high) = bits.split_at(bits.len() / 2);
                let (low, high) = (self.decode(low), self.decode(high));
                self.products(&low, &high)
            }
        }
    }

    /// All products of one of `low` with one of `high`, with `low` varying faster. In each list exactly one
    /// bit is 1, so the last product of a row or column is what the others leave over.
    fn products(&mut self, low: &[Wire], high: &[Wire]) -> Vec<Wire> {
        let mut over = low.to_vec();
        let mut all = Vec::with_capacity(low.len() * high.len());
        for high in high.iter().take(high.len().saturating_sub(1)) {
            let mut rest = *high;
            let last = low.len().saturating_sub(1);
            for (index, (low, over)) in low.iter().zip(&mut over).enumerate() {
                let product = if index == last {
                    rest
                } else {
                    self.and(*low, *high)
                };
                rest = self.xor(rest, product);
                *over = self.xor(*over, product);
                all.push(product);
            }
        }
        all.extend(over);
        all
    }

    /// The copy whose choice is 1. Exactly one choice is.
    pub(super) fn choose(&mut self, choices: &[Wire], copies: &[Word]) -> Word {
        let Some((default, others)) = copies.split_first() else {
            return Word::new(Vec::new());
        };
        let mut bits = default.wires().to_vec();
        for (choice, copy) in choices.iter().skip(1).zip(others) {
            let pairs = bits.iter_mut().zip(default.wires()).zip(copy.wires());
            for ((bit, default), other) in pairs {
                let difference = self.xor(*default, *other);
                let change = self.and(*choice, difference);
                *bit = self.xor(*bit, change);
            }
        }
        Word::new(bits)
    }
}

/// The distance for which the bit of the count after `size` more bits stands. Rotations keep it below the
/// width; other moves need not know how far beyond the width they go.
fn step(unit: usize, size: usize, width: usize, direction: Move) -> usize {
    (0..size).fold(unit, |unit, _| {
        let doubled = unit.saturating_mul(2);
        match direction {
            Move::RotateLeft => doubled % width.max(1),
            Move::Left | Move::Right { .. } => doubled.min(width.max(1)),
        }
    })
}

/// The number of bits that each stage handles, for a count of `bits` bits. There are as few stages as
/// possible, stage `j` has at most `2^j` bits, and the bits are spread as evenly as that allows, because `s`
/// bits cost `2^s - 1` ANDs for each bit of the word. For the same reason no stage handles more than
/// [`WIDEST_STAGE`].
fn stage_sizes(bits: usize) -> Vec<usize> {
    let mut limits = Vec::new();
    while limits.iter().sum::<usize>() < bits {
        let last: Option<&usize> = limits.last();
        limits.push(last.map_or(1, |last| (2 * last).min(WIDEST_STAGE)));
    }
    let mut sizes = vec![0_usize; limits.len()];
    for _ in 0..bits {
        let stages = sizes.iter_mut().zip(&limits);
        let open = stages
            .filter(|(size, limit)| **size < **limit)
            .map(|(size, _)| size);
        if let Some(size) = open.min_by_key(|size| **size) {
            *size += 1;
        }
    }
    sizes
}

/// The word moved by a distance that is known while building.
fn moved(word: &Word, distance: usize, direction: Move, zero: Wire) -> Word {
    let wires = word.wires();
    let width = wires.len();
    let kept = width.saturating_sub(distance);
    let lost = width - kept;
    match direction {
        Move::RotateLeft => word.rotate_left(distance),
        Move::Left => {
            let entering = std::iter::repeat_n(zero, lost);
            Word::new(entering.chain(wires.iter().copied().take(kept)).collect())
        }
        Move::Right { signed } => {
            let last = wires.last().copied().filter(|_| signed);
            let entering = std::iter::repeat_n(last.unwrap_or(zero), lost);
            Word::new(wires.iter().copied().skip(lost).chain(entering).collect())
        }
    }
}
