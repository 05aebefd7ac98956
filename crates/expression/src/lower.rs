//! From trees to gates.

mod budget;
mod calls;
mod logic;
mod numbers;
mod parts;
mod sums;
mod tables;

use std::collections::HashMap;

use num_bigint::BigInt;
use ringmill_circuit::{Builder, Word};

pub(crate) use budget::Budget;
pub(crate) use calls::functions;
pub(crate) use tables::Table;

use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::names::Names;
use crate::syntax::{Binary, Chain, Comparison, Expression, Kind, Unary};
use crate::value_type::{MAX_NUMBER_BITS, Range};

/// A value: its wires, and how they are read.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// Never bytes.
    pub(crate) value_type: Type,
    pub(crate) word: Word,
    /// The number, if it is known and its type is only the narrowest that holds it.
    pub(crate) constant: Option<BigInt>,
}

impl Value {
    pub(crate) const fn new(value_type: Type, word: Word) -> Self {
        Self {
            value_type: value_type.of_values(),
            word,
            constant: None,
        }
    }

    /// The numbers that the value can be, if it is a number.
    pub(crate) fn range(&self) -> Option<Range> {
        match &self.constant {
            Some(value) => Some(Range::single(value.clone())),
            None => Range::of(self.value_type),
        }
    }

    const fn is_signed(&self) -> bool {
        matches!(self.value_type, Type::Signed(_))
    }
}

/// A value and where it stands.
pub(crate) type Placed = (Value, Span);

/// A name that expressions can use.
#[derive(Debug)]
pub(crate) enum Definition {
    Value(Value),
    Table(Table),
    /// A total over all records, which expressions cannot use.
    Total,
}

/// Lowers expressions one after the other.
#[derive(Default)]
pub(crate) struct Lowering {
    pub(crate) builder: Builder,
    pub(crate) budget: Budget,
    pub(crate) definitions: HashMap<String, Definition>,
    /// All names of the program, for errors.
    pub(crate) names: Names,
}

impl Lowering {
    pub(crate) fn new(names: Names) -> Self {
        Self {
            names,
            ..Self::default()
        }
    }

    /// The value of an expression. Recurses no deeper than the parser allows.
    pub(crate) fn value(&mut self, expression: &Expression) -> Outcome<Value> {
        let span = expression.span;
        let value = match &expression.kind {
            Kind::Integer(value) => self.constant(span, value.clone())?,
            Kind::Truth(truth) => {
                let wire = self.builder.constant(*truth);
                Value::new(Type::Bool, Word::new(vec![wire]))
            }
            Kind::Name(name) => self.named(name, span)?,
            Kind::Chain(chain, operands) => self.chain(*chain, operands, span)?,
            Kind::Sum(terms) => self.sum(terms, span)?,
            Kind::Binary(binary, operands) => self.binary(*binary, operands, span)?,
            Kind::Unary(unary, operand) => self.unary(*unary, operand, span)?,
            Kind::Index(operand, from, to) => self.index(operand, from, to.as_deref(), span)?,
            Kind::Call(name, arguments) => self.call(name, arguments, span)?,
            Kind::If(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.select(condition, yes, no, span)?
            }
        };
        self.budget.spend(span, value.word.width() + 1)?;
        self.budget.check_gates(span, self.builder.gate_count())?;
        Ok(value)
    }

    /// The value of an expression, with its place.
    fn placed(&mut self, expression: &Expression) -> Outcome<Placed> {
        Ok((self.value(expression)?, expression.span))
    }

    /// The values of expressions, with their places.
    fn all_placed(&mut self, expressions: &[Expression]) -> Outcome<Vec<Placed>> {
        let values = expressions.iter().map(|expression| self.placed(expression));
        values.collect()
    }

    fn named(&self, name: &str, span: Span) -> Outcome<Value> {
        match self.definitions.get(name) {
            Some(Definition::Value(value)) => Ok(value.clone()),
            Some(Definition::Table(_)) => Err(Fault::new(
                span,
                format!("`{name}` is a table"),
                format!("write `{name}[x]` for its entry at x"),
            )),
            Some(Definition::Total) => Err(Fault::new(
                span,
                format!("`{name}` is a total over all records, and no value of one"),
                "compute with the decrypted result instead",
            )),
            None => Err(self.names.missing(name, span)),
        }
    }

    fn chain(&mut self, chain: Chain, operands: &[Expression], span: Span) -> Outcome<Value> {
        let operands = self.all_placed(operands)?;
        match chain {
            Chain::Multiply => self.product(operands, span),
            _ => self.combine(chain, operands, span),
        }
    }

    fn binary(&mut self, binary: Binary, operands: &[Expression; 2], span: Span) -> Outcome<Value> {
        let [left, right] = operands;
        let (left, right) = (self.placed(left)?, self.placed(right)?);
        match binary {
            Binary::Compare(comparison) => self.compare(comparison, left, right, span),
            Binary::ShiftLeft => self.shift_left(&left, &right, span),
            Binary::ShiftRight => self.shift_right(&left, &right, span),
            Binary::Divide => self.divide(&left, &right, span),
            Binary::Remainder => self.remainder(&left, &right, span),
        }
    }

    fn unary(&mut self, unary: Unary, operand: &Expression, span: Span) -> Outcome<Value> {
        let operand = self.placed(operand)?;
        match unary {
            Unary::Negate => self.negate(&operand, span),
            Unary::Not | Unary::Complement => self.complement(unary, &operand),
        }
    }

    fn compare(&mut self, comparison: Comparison, left: Placed, right: Placed, span: Span) -> Outcome<Value> {
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let operands = [left, right];
        let odd = operands.iter().find(|(value, _)| !value.value_type.is_number());
        if let (true, Some((found, at))) = (ordered, odd) {
            return Err(Fault::new(
                *at,
                format!("this is {}, which has no order", found.value_type),
                "compare with `==` or `!=`, or make it a number with `uN(x)`, for instance `u8(x)`",
            ));
        }
        let (common, words) = self.unify(&operands)?;
        let [left, right] = words.as_slice() else {
            return Err(Fault::internal(span));
        };
        self.budget.spend_adder(span, common.width())?;
        let signedness = numbers::signedness(common);
        let wire = match comparison {
            Comparison::Equal | Comparison::Unequal => self.builder.equal(left, right),
            Comparison::Less | Comparison::AtLeast => self.builder.less(left, right, signedness),
            Comparison::Greater | Comparison::AtMost => self.builder.less(right, left, signedness),
        };
        let wire = wire.map_err(|_| Fault::internal(span))?;
        let wire = match comparison {
            Comparison::Unequal | Comparison::AtLeast | Comparison::AtMost => self.builder.not(wire),
            Comparison::Equal | Comparison::Less | Comparison::Greater => wire,
        };
        Ok(Value::new(Type::Bool, Word::new(vec![wire])))
    }

    /// A number that is known.
    pub(crate) fn constant(&mut self, span: Span, value: BigInt) -> Outcome<Value> {
        let value_type = Range::single(value.clone()).narrowest();
        check_number(span, value_type)?;
        Ok(Value {
            value_type,
            word: self.constant_word(&value, value_type.width()),
            constant: Some(value),
        })
    }

    /// The lowest bits of a number in two's complement.
    fn constant_word(&mut self, value: &BigInt, width: usize) -> Word {
        self.builder.constant_word(bits_of(value, width))
    }

    /// A number in `range`, as the narrowest type that holds the range. `word` has its lowest bits; if they
    /// are too few, the others are zeros or, if `signed`, copies of the highest one.
    fn number(&mut self, span: Span, range: &Range, word: &Word, signed: bool) -> Outcome<Value> {
        if let Some(value) = range.only() {
            return self.constant(span, value.clone());
        }
        let value_type = range.narrowest();
        check_number(span, value_type)?;
        Ok(Value::new(
            value_type,
            self.extend(word, signed, value_type.width()),
        ))
    }

    fn extend(&mut self, word: &Word, signed: bool, width: usize) -> Word {
        if signed {
            self.builder.extend_signed(word, width)
        } else {
            self.builder.extend_unsigned(word, width)
        }
    }

    /// The bits of a number of another width.
    fn resized(&mut self, value: &Value, width: usize) -> Word {
        self.extend(&value.word, value.is_signed(), width)
    }
}

/// The lowest bits of a number in two's complement, the lowest first.
pub(crate) fn bits_of(value: &BigInt, width: usize) -> Vec<bool> {
    let bytes = value.to_signed_bytes_le();
    let sign = bytes.last().is_some_and(|last| last >> 7 == 1);
    let bit = |place: usize| {
        bytes
            .get(place / 8)
            .map_or(sign, |byte| byte >> (place % 8) & 1 == 1)
    };
    (0..width).map(bit).collect()
}

/// Checks that a number is not too wide.
fn check_number(span: Span, value_type: Type) -> Outcome<()> {
    if value_type.has_valid_width() {
        return Ok(());
    }
    Err(Fault::new(
        span,
        format!(
            "this number may need {} bits; the most is {MAX_NUMBER_BITS}",
            value_type.width()
        ),
        "cut values in between with `uN(x)`, which drops upper bits, for instance `u64(x)`",
    ))
}
