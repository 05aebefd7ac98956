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

    /// The number of places by which to shift.
    fn places(&self, (value, span): &Placed) -> Outcome<usize> {
        let Some(places) = &value.constant else {
            return Err(Fault::new(
                *span,
                "values are shifted by constants only",
                "write a number or the name of a `const`; for a few distances use `if` or `select`",
            ));
        };
        if places.sign() == Sign::Minus {
            return Err(Fault::new(
                *span,
                "values are not shifted by negative numbers",
                "shift the other way",
            ));
        }
        Ok(usize::try_from(places).unwrap_or(usize::MAX))
    }

    pub(super) fn shift_left(&mut self, operand: &Placed, places: &Placed, span: Span) -> Outcome<Value> {
        let count = self.places(places)?;
        let value = &operand.0;
        if let Type::Bits(_) = value.value_type {
            let word = self.builder.shift_left(&value.word, count);
            return Ok(Value::new(value.value_type, word));
        }
        let range = range_of(operand)?;
        if count > MAX_NUMBER_BITS {
            return Err(Fault::new(
                places.1,
                format!("numbers have at most {MAX_NUMBER_BITS} bits"),
                "shift by less",
            ));
        }
        let range = Range {
            least: range.least << count,
            greatest: range.greatest << count,
        };
        let zeros = self.builder.constant_word(vec![false; count]);
        let word = zeros.concat(&value.word);
        self.number(span, &range, &word, value.is_signed())
    }

    pub(super) fn shift_right(&mut self, operand: &Placed, places: &Placed, span: Span) -> Outcome<Value> {
        let count = self.places(places)?;
        let value = &operand.0;
        let word = if value.is_signed() {
            self.builder.shift_right_signed(&value.word, count)
        } else {
            self.builder.shift_right(&value.word, count)
        };
        if let Type::Bits(_) = value.value_type {
            return Ok(Value::new(value.value_type, word));
        }
        let range = range_of(operand)?;
        // More places than there are bits leave the same.
        let count = count.min(MAX_NUMBER_BITS);
        let range = Range {
            least: range.least >> count,
            greatest: range.greatest >> count,
        };
        self.number(span, &range, &word, value.is_signed())
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
