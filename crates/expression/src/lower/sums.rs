//! Sums of any number of terms, of which some are subtracted.

use num_bigint::BigInt;
use ringmill_circuit::Word;

use super::numbers::range_of;
use super::{Lowering, Value};
use crate::error::{Fault, Outcome, Span};
use crate::syntax::Expression;
use crate::value_type::Range;

/// A term of a sum that is no constant.
pub(super) struct Term {
    pub(super) negative: bool,
    pub(super) word: Word,
    pub(super) signed: bool,
}

impl Term {
    pub(super) fn of(negative: bool, value: &Value) -> Self {
        Self {
            negative,
            word: value.word.clone(),
            signed: value.is_signed(),
        }
    }
}

/// A constant as a sum of powers of two, each with its sign, as few as possible: no two places are adjacent.
pub(super) fn multiples(factor: &BigInt) -> Vec<(bool, usize)> {
    let negative = factor.sign() == num_bigint::Sign::Minus;
    let magnitude = factor.magnitude();
    // The digits of `(3 m - m) / 2`.
    let triple = magnitude * 3_u32;
    let places = usize::try_from(triple.bits()).unwrap_or(usize::MAX);
    let digits = (1..places).filter_map(|place| {
        let place = place as u64;
        match (triple.bit(place), magnitude.bit(place)) {
            (true, false) => Some((negative, place)),
            (false, true) => Some((!negative, place)),
            _ => None,
        }
    });
    digits
        .map(|(negative, place)| (negative, place as usize - 1))
        .collect()
}

impl Lowering {
    pub(super) fn sum(&mut self, terms: &[(bool, Expression)], span: Span) -> Outcome<Value> {
        let mut range = Range::single(BigInt::ZERO);
        let mut constant = BigInt::ZERO;
        let mut open = Vec::new();
        for (negative, term) in terms {
            let term = self.placed(term)?;
            let values = range_of(&term)?;
            if *negative {
                range.least -= values.greatest;
                range.greatest -= values.least;
            } else {
                range.least += values.least;
                range.greatest += values.greatest;
            }
            match &term.0.constant {
                Some(value) if *negative => constant -= value,
                Some(value) => constant += value,
                None => open.push(Term::of(*negative, &term.0)),
            }
        }
        super::check_number(span, range.narrowest())?;
        let word = self.linear(open, constant, range.narrowest().width(), span)?;
        self.number(span, &range, &word, false)
    }

    /// The sum of terms and a constant modulo 2 to the power of `width`.
    pub(super) fn linear(
        &mut self,
        terms: Vec<Term>,
        constant: BigInt,
        width: usize,
        span: Span,
    ) -> Outcome<Word> {
        self.budget.spend_adder(span, width)?;
        let bits: usize = terms.iter().map(|term| term.word.width().min(width)).sum();
        self.budget
            .check_gates(span, self.builder.gate_count() + 6 * bits)?;
        let two = match terms.as_slice() {
            [] => return Ok(self.constant_word(&constant, width)),
            [only] => {
                let word = self.extend(&only.word, only.signed, width);
                let other = self.constant_word(&constant, width);
                if only.negative {
                    Some((other, word, true))
                } else {
                    Some((word, other, false))
                }
            }
            [first, second] if constant == BigInt::ZERO && !(first.negative && second.negative) => {
                let (first, second) = if first.negative {
                    (second, first)
                } else {
                    (first, second)
                };
                let left = self.extend(&first.word, first.signed, width);
                Some((
                    left,
                    self.extend(&second.word, second.signed, width),
                    second.negative,
                ))
            }
            _ => None,
        };
        let word = match two {
            Some((left, right, true)) => self.builder.subtract(&left, &right),
            Some((left, right, false)) => self.builder.add(&left, &right),
            None => Ok(self.columns(terms, constant, width)),
        };
        word.map_err(|_| Fault::internal(span))
    }

    /// The same for many terms, by carry-save columns of unsigned words: `x = u - 2^(n-1)` for a signed word
    /// and the same with its highest bit complemented, and `-u = (not u) - (2^n - 1)`.
    fn columns(&mut self, terms: Vec<Term>, mut constant: BigInt, width: usize) -> Word {
        let mut words = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            let bits = term.word.width();
            let mut offset = BigInt::ZERO;
            let mut wires = term.word.wires().to_vec();
            if let (true, Some(sign)) = (term.signed, wires.last_mut()) {
                *sign = self.builder.not(*sign);
                offset = -(BigInt::from(1) << bits.saturating_sub(1));
            }
            let mut word = Word::new(wires);
            if term.negative {
                word = self.builder.not_word(&word);
                offset = -offset - (BigInt::from(1) << bits) + 1;
            }
            constant += offset;
            words.push(word);
        }
        let rest = self.constant_word(&constant, width);
        if super::bits_of(&constant, width).contains(&true) {
            words.push(rest);
        }
        self.builder.sum_modulo(&words, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_add_up_to_the_factor() {
        for factor in -300_i64..300 {
            let digits = multiples(&BigInt::from(factor));
            let sum: i64 = digits
                .iter()
                .map(|(negative, place)| if *negative { -(1 << place) } else { 1 << place })
                .sum();
            assert_eq!(sum, factor);
            assert!(
                digits.windows(2).all(|pair| pair[0].1 + 1 < pair[1].1),
                "{factor}"
            );
        }
    }
}
