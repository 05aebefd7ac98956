//! Arithmetic: products, shifts, division by powers of two, the least and the greatest.

use num_bigint::{BigInt, Sign};
use ringmill_circuit::{Signedness, Word};

use super::sums::{Term, multiples};
use super::{Lowering, Placed, Value};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::value_type::{MAX_NUMBER_BITS, Range};

/// How a word of a type is compared.
pub(super) const fn signedness(value_type: Type) -> Signedness {
    match value_type {
        Type::Signed(_) => Signedness::Signed,
        _ => Signedness::Unsigned,
    }
}

/// The range of a number, or an error that says how to make one.
pub(super) fn range_of((value, span): &Placed) -> Outcome<Range> {
    let help = match value.value_type {
        Type::Bool => "make it 0 or 1 with `u1(x)`, or combine conditions with `and`, `or`, `not`",
        _ => "make it a number with `uN(x)` or `iN(x)`, for instance `u8(x)`",
    };
    value
        .range()
        .ok_or_else(|| Fault::new(*span, format!("this is {}, not a number", value.value_type), help))
}

impl Lowering {
    pub(super) fn product(&mut self, factors: Vec<Placed>, span: Span) -> Outcome<Value> {
        let mut constant = BigInt::from(1);
        let mut range = Range::single(constant.clone());
        let mut open = Vec::new();
        for factor in factors {
            range = range.times(&range_of(&factor)?);
            super::check_number(span, range.narrowest())?;
            match &factor.0.constant {
                Some(value) => constant *= value,
                None => open.push(factor.0),
            }
        }
        // Pairs of pairs: the least depth.
        while open.len() > 1 {
            let mut next = Vec::with_capacity(open.len().div_ceil(2));
            let mut pairs = open.into_iter();
            while let Some(left) = pairs.next() {
                next.push(match pairs.next() {
                    Some(right) => self.multiply(&left, &right, span)?,
                    None => left,
                });
            }
            open = next;
        }
        let Some(value) = open.pop() else {
            return self.constant(span, constant);
        };
        let value = if constant == BigInt::from(1) {
            value
        } else {
            self.scale(&value, &constant, span)?
        };
        self.number(span, &range, &value.word, value.is_signed())
    }

    fn multiply(&mut self, left: &Value, right: &Value, span: Span) -> Outcome<Value> {
        let (Some(x), Some(y)) = (left.range(), right.range()) else {
            return Err(Fault::internal(span));
        };
        let range = x.times(&y);
        super::check_number(span, range.narrowest())?;
        let signed = left.is_signed() || right.is_signed();
        let widen = |value: &Value| value.word.width() + usize::from(signed && !value.is_signed());
        let (m, n) = (widen(left), widen(right));
        // A full adder is five gates.
        let gates = self.builder.gate_count() + 6 * m * n;
        self.budget.check_gates(span, gates)?;
        self.budget.spend_adder(span, m + n)?;
        let (a, b) = (self.resized(left, m), self.resized(right, n));
        let word = if signed {
            self.builder.multiply_signed(&a, &b)
        } else {
            self.builder.multiply(&a, &b)
        };
        self.number(span, &range, &word, signed)
    }

    /// A value times a constant, as a sum of shifted copies.
    fn scale(&mut self, value: &Value, factor: &BigInt, span: Span) -> Outcome<Value> {
        let range = value.range().ok_or_else(|| Fault::internal(span))?;
        let range = range.times(&Range::single(factor.clone()));
        let width = range.narrowest().width();
        super::check_number(span, range.narrowest())?;
        let mut terms = Vec::new();
        for (negative, place) in multiples(factor) {
            self.budget.spend(span, width + place)?;
            let zeros = self.builder.constant_word(vec![false; place]);
            terms.push(Term {
                negative,
                word: zeros.concat(&value.word),
                signed: value.is_signed(),
            });
        }
        let word = self.linear(terms, BigInt::ZERO, width, span)?;
        self.number(span, &range, &word, false)
    }

    pub(super) fn negate(&mut self, operand: &Placed, span: Span) -> Outcome<Value> {
        let range = range_of(operand)?;
        let range = Range {
            least: -range.greatest,
            greatest: -range.least,
        };
        let width = range.narrowest().width();
        super::check_number(span, range.narrowest())?;
        let term = Term::of(true, &operand.0);
        let word = self.linear(vec![term], BigInt::ZERO, width, span)?;
        self.number(span, &range, &word, false)
    }

    /// The number of places by which to shift, if it is known.
    fn places(&self, (value, span): &Placed) -> Outcome<Option<usize>> {
        match (&value.constant, value.value_type) {
            (Some(places), _) if places.sign() == Sign::Minus => Err(Fault::new(
                *span,
                "values are not shifted by negative numbers",
                "shift the other way",
            )),
            (Some(places), _) => Ok(Some(usize::try_from(places).unwrap_or(usize::MAX))),
            (None, Type::Unsigned(_)) => Ok(None),
            (None, found) => Err(Fault::new(
                *span,
                format!("this is {found}, and values are shifted by unsigned numbers"),
                "make it one with `uN(x)`, for instance `u3(x)`",
            )),
        }
    }

    pub(super) fn shift_left(&mut self, operand: &Placed, places: &Placed, span: Span) -> Outcome<Value> {
        let count = self.places(places)?;
        let value = &operand.0;
        if let Type::Bits(width) = value.value_type {
            let word = match count {
                Some(count) => self.builder.shift_left(&value.word, count),
                None => {
                    self.check_shift(width, &places.0, span)?;
                    self.builder.shift_left_by(&value.word, &places.0.word)
                }
            };
            return Ok(Value::new(value.value_type, word));
        }
        let (range, most) = (range_of(operand)?, count.unwrap_or(most_places(&places.0)));
        if most > MAX_NUMBER_BITS {
            return Err(Fault::new(
                places.1,
                format!("numbers have at most {MAX_NUMBER_BITS} bits"),
                "shift by less",
            ));
        }
        let shifted = Range {
            least: range.least.clone() << most,
            greatest: range.greatest.clone() << most,
        };
        if count.is_some() {
            let zeros = self.builder.constant_word(vec![false; most]);
            let word = zeros.concat(&value.word);
            return self.number(span, &shifted, &word, value.is_signed());
        }
        let range = range.with(&shifted);
        super::check_number(span, range.narrowest())?;
        let width = range.narrowest().width();
        self.check_shift(width, &places.0, span)?;
        let word = self.resized(value, width);
        let word = self.builder.shift_left_by(&word, &places.0.word);
        self.number(span, &range, &word, false)
    }

    pub(super) fn shift_right(&mut self, operand: &Placed, places: &Placed, span: Span) -> Outcome<Value> {
        let count = self.places(places)?;
        let value = &operand.0;
        if count.is_none() {
            self.check_shift(value.word.width(), &places.0, span)?;
        }
        let (word, by) = (&value.word, &places.0.word);
        let word = match (count, value.is_signed()) {
            (Some(count), true) => self.builder.shift_right_signed(word, count),
            (Some(count), false) => self.builder.shift_right(word, count),
            (None, true) => self.builder.shift_right_signed_by(word, by),
            (None, false) => self.builder.shift_right_by(word, by),
        };
        if let Type::Bits(_) = value.value_type {
            return Ok(Value::new(value.value_type, word));
        }
        let range = range_of(operand)?;
        // More places than there are bits leave the same.
        let most = count.unwrap_or(most_places(&places.0)).min(MAX_NUMBER_BITS);
        let shifted = Range {
            least: range.least.clone() >> most,
            greatest: range.greatest.clone() >> most,
        };
        let range = match count {
            Some(_) => shifted,
            None => range.with(&shifted),
        };
        self.number(span, &range, &word, value.is_signed())
    }

    /// Bounds a shift by a number that is not known. A stage of it chooses among the words shifted by all numbers of a
    /// few bits, and each stage handles up to twice as many bits as the one before.
    fn check_shift(&mut self, width: usize, places: &Value, span: Span) -> Outcome<()> {
        let bits = places.word.width().min(width.max(1).ilog2() as usize + 1);
        let copies = 4_usize << (bits / 2 + 1);
        let gates = width.saturating_mul(copies);
        self.budget.spend(span, gates)?;
        self.budget
            .check_gates(span, self.builder.gate_count().saturating_add(gates))
    }

    pub(super) fn divide(&mut self, dividend: &Placed, divisor: &Placed, span: Span) -> Outcome<Value> {
        let places = power_of_two(dividend, divisor)?;
        let places = self.constant(divisor.1, BigInt::from(places))?;
        self.shift_right(dividend, &(places, divisor.1), span)
    }

    pub(super) fn remainder(&mut self, dividend: &Placed, divisor: &Placed, span: Span) -> Outcome<Value> {
        let places = power_of_two(dividend, divisor)?;
        if let Some(value) = &dividend.0.constant {
            return self.constant(span, value & ((BigInt::from(1) << places) - 1));
        }
        let kept = dividend.0.word.wires().iter().copied().take(places);
        let word = Word::new(kept.collect());
        let Some(range) = Range::of(Type::Unsigned(word.width())) else {
            return Err(Fault::internal(span));
        };
        self.number(span, &range, &word, false)
    }

    /// The least of several numbers, or the greatest.
    pub(super) fn extreme(&mut self, values: &[Placed], greatest: bool, span: Span) -> Outcome<Value> {
        let mut ranges = values.iter().map(range_of);
        let first = ranges.next().ok_or_else(|| Fault::internal(span))??;
        let range = ranges.try_fold(first, |known, range| -> Outcome<Range> {
            let range = range?;
            Ok(if greatest {
                Range {
                    least: known.least.max(range.least),
                    greatest: known.greatest.max(range.greatest),
                }
            } else {
                Range {
                    least: known.least.min(range.least),
                    greatest: known.greatest.min(range.greatest),
                }
            })
        })?;
        let (common, mut open) = self.unify(values)?;
        let signedness = signedness(common);
        while open.len() > 1 {
            let mut next = Vec::with_capacity(open.len().div_ceil(2));
            for pair in open.chunks(2) {
                let [left, right] = pair else {
                    next.extend(pair.iter().cloned());
                    continue;
                };
                self.budget.spend_adder(span, common.width())?;
                let found = if greatest {
                    self.builder.max(left, right, signedness)
                } else {
                    self.builder.min(left, right, signedness)
                };
                next.push(found.map_err(|_| Fault::internal(span))?);
                self.budget.check_gates(span, self.builder.gate_count())?;
            }
            open = next;
        }
        let word = open.pop().ok_or_else(|| Fault::internal(span))?;
        self.number(span, &range, &word, signedness == Signedness::Signed)
    }
}

/// The most places that a number can shift by.
fn most_places(places: &Value) -> usize {
    let most = places.range().map(|range| range.greatest);
    most.and_then(|most| usize::try_from(most).ok())
        .unwrap_or(usize::MAX)
}

/// The number of places that a division by a constant power of two shifts by.
fn power_of_two(dividend: &Placed, divisor: &Placed) -> Outcome<usize> {
    range_of(dividend)?;
    range_of(divisor)?;
    let refused = |help: &str| {
        Err(Fault::new(
            divisor.1,
            "division is not supported, except by constants 1, 2, 4, 8 and so on",
            help,
        ))
    };
    let Some(constant) = &divisor.0.constant else {
        return refused("multiply the other side instead: `a > b * c` for `a / b > c`");
    };
    let places = constant
        .trailing_zeros()
        .and_then(|places| usize::try_from(places).ok());
    let Some(places) = places.filter(|places| BigInt::from(1) << *places == *constant) else {
        return refused("multiply the other side instead: `a > 10 * c` for `a / 10 > c`");
    };
    if dividend.0.is_signed() {
        return Err(Fault::new(
            dividend.1,
            "numbers that can be negative are not divided: roundings differ",
            "`x >> 3` divides by 8 and rounds down; `x[0..3]` are the lowest three bits",
        ));
    }
    Ok(places)
}
