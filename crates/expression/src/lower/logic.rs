//! Conditions and bits: `and`, `or`, `xor`, `not`, their forms for bits, and choices.

use num_bigint::{BigInt, Sign};
use ringmill_circuit::{Builder, Wire, Word};

use super::{Lowering, Placed, Value};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Chain, Expression, Unary};
use crate::value_type::Range;

impl Lowering {
    /// Gives values a common type: conditions stay what they are; bits must be equally many; numbers get
    /// the narrowest type that holds all of them. A known number beside bits becomes bits.
    pub(super) fn unify(&mut self, values: &[Placed]) -> Outcome<(Type, Vec<Word>)> {
        let kinds = values.iter().map(|(value, _)| value.value_type);
        let leading = kinds.clone().find(|kind| matches!(kind, Type::Bits(_)));
        let leading = leading.or_else(|| kinds.clone().find(|kind| *kind == Type::Bool));
        let common = match leading {
            Some(found) => found,
            None => {
                let ranges = values.iter().filter_map(|(value, _)| value.range());
                let all = ranges.reduce(|all, range| all.with(&range));
                all.map_or(Type::Unsigned(1), |all| all.narrowest())
            }
        };
        let mut words = Vec::with_capacity(values.len());
        for placed in values {
            words.push(self.converted(placed, common)?);
        }
        Ok((common, words))
    }

    /// The bits of a value as a type that holds all its values.
    pub(crate) fn converted(&mut self, (value, span): &Placed, wanted: Type) -> Outcome<Word> {
        self.budget.spend(*span, wanted.width())?;
        match (wanted, &value.constant) {
            (Type::Unsigned(width) | Type::Signed(width), _) if value.value_type.is_number() => {
                super::check_number(*span, wanted)?;
                Ok(self.resized(value, width))
            }
            (Type::Bits(width), Some(known))
                if known.sign() != Sign::Minus && known.bits() <= width as u64 =>
            {
                Ok(self.constant_word(known, width))
            }
            _ if value.value_type == wanted => Ok(value.word.clone()),
            _ => Err(mismatch(value, *span, wanted)),
        }
    }

    /// `or`, `xor`, `and` and `|`, `^`, `&`.
    pub(super) fn combine(&mut self, chain: Chain, operands: Vec<Placed>, span: Span) -> Outcome<Value> {
        let numbers = operands.iter().all(|(value, _)| value.value_type.is_number());
        if numbers {
            return self.combine_numbers(chain, &operands, span);
        }
        let (common, words) = self.unify(&operands)?;
        Ok(Value::new(common, self.bitwise(chain, &words, common.width())))
    }

    /// Numbers are combined as if they had infinitely many bits, those above a negative number all ones.
    fn combine_numbers(&mut self, chain: Chain, operands: &[Placed], span: Span) -> Outcome<Value> {
        if matches!(chain, Chain::Or | Chain::Xor | Chain::And) {
            return Err(Fault::new(
                operands.first().map_or(span, |(_, first)| *first),
                "this is a number, not a condition",
                "compare it, as in `x > 0 and y > 0`; for the bits of numbers write `&`, `|`, `^`",
            ));
        }
        let known: Option<Vec<&BigInt>> = operands
            .iter()
            .map(|(value, _)| value.constant.as_ref())
            .collect();
        if let Some(known) = known {
            let combined = known.into_iter().cloned().reduce(|left, right| match chain {
                Chain::BitOr => left | right,
                Chain::BitXor => left ^ right,
                _ => left & right,
            });
            return self.constant(span, combined.unwrap_or_default());
        }
        let (common, words) = self.unify(operands)?;
        let word = self.bitwise(chain, &words, common.width());
        let unsigned = operands.iter().map(|(value, _)| value.value_type);
        let unsigned = unsigned
            .filter(|kind| matches!(kind, Type::Unsigned(_)))
            .map(Type::width);
        let result = match unsigned.min() {
            // No bit is above the highest of a number that is not negative.
            Some(width) if chain == Chain::BitAnd => Type::Unsigned(width),
            _ => common,
        };
        let range = Range::of(result).ok_or_else(|| Fault::internal(span))?;
        self.number(span, &range, &word, false)
    }

    fn bitwise(&mut self, chain: Chain, words: &[Word], width: usize) -> Word {
        let combine = match chain {
            Chain::Or | Chain::BitOr => Builder::or_all,
            Chain::Xor | Chain::BitXor => Builder::xor_all,
            Chain::And | Chain::BitAnd | Chain::Multiply => Builder::and_all,
        };
        let wires = (0..width).map(|place| {
            let column = words.iter().filter_map(|word| word.wires().get(place).copied());
            combine(&mut self.builder, &column.collect::<Vec<Wire>>())
        });
        Word::new(wires.collect())
    }

    /// `not` and `~`: every bit of a value.
    pub(super) fn complement(&mut self, unary: Unary, (value, span): &Placed) -> Outcome<Value> {
        if value.constant.is_some() {
            return Err(Fault::new(
                *span,
                "the number of bits to complement is not known",
                "give the constant a width, for instance `~u8(5)`",
            ));
        }
        if unary == Unary::Not && value.value_type.is_number() {
            return Err(Fault::new(
                *span,
                "this is a number, not a condition",
                "compare it, as in `x == 0`; for the bits of a number write `~x`",
            ));
        }
        Ok(Value::new(value.value_type, self.builder.not_word(&value.word)))
    }

    /// `if condition then yes else no`.
    pub(super) fn select(
        &mut self,
        condition: &Expression,
        yes: &Expression,
        no: &Expression,
        span: Span,
    ) -> Outcome<Value> {
        let (condition, place) = self.placed(condition)?;
        let (yes, no) = (self.placed(yes)?, self.placed(no)?);
        let (Type::Bool, [wire]) = (condition.value_type, condition.word.wires()) else {
            return Err(Fault::new(
                place,
                format!("this is {}, not a condition", condition.value_type),
                "compare it, as in `x != 0`",
            ));
        };
        let wire = *wire;
        let (common, words) = self.unify(&[yes, no])?;
        let [yes, no] = words.as_slice() else {
            return Err(Fault::internal(span));
        };
        let word = self
            .builder
            .select(wire, yes, no)
            .map_err(|_| Fault::internal(span))?;
        Ok(Value::new(common, word))
    }
}

fn mismatch(value: &Value, span: Span, wanted: Type) -> Box<Fault> {
    let found = value.value_type;
    let help = match (found, wanted) {
        (Type::Bits(_), Type::Bits(_)) => {
            "take a part with `x[0..8]`, or put parts together with `concat(low, high)`"
        }
        (_, Type::Bits(_)) if value.constant.is_some() => "this number does not fit; use a smaller one",
        (Type::Bool, _) => "make bits of it with `bits(x)`",
        (_, Type::Bool) => "compare it, as in `x != 0`",
        _ => "convert one of them: `bits(x)` for the bits of a number, `uN(x)` for the number of bits",
    };
    Fault::new(span, format!("this is {found}, beside {wanted}"), help)
}
