//! Functions and conversions.

use num_bigint::BigInt;
use ringmill_circuit::Word;

use super::numbers::range_of;
use super::sums::Term;
use super::{Definition, Lowering, Placed, Value};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Expression, Identifier};
use crate::value_type::{MAX_BITS, Range, TYPES, number_type};

/// The functions, with the fewest and the most arguments and how they are called.
const FUNCTIONS: [(&str, usize, usize, &str); 10] = [
    ("abs", 1, 1, "abs(x)"),
    ("all", 1, usize::MAX, "all(x, ...)"),
    ("any", 1, usize::MAX, "any(x, ...)"),
    ("bits", 1, 1, "bits(x)"),
    ("concat", 1, usize::MAX, "concat(low, ..., high)"),
    ("max", 2, usize::MAX, "max(a, b, ...)"),
    ("min", 2, usize::MAX, "min(a, b, ...)"),
    ("parity", 1, usize::MAX, "parity(x, ...)"),
    ("popcount", 1, usize::MAX, "popcount(x, ...)"),
    ("select", 3, 3, "select(condition, a, b)"),
];

/// The names of all functions.
pub(crate) fn functions<'a>() -> impl Iterator<Item = &'a str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

impl Lowering {
    pub(super) fn call(&mut self, name: &Identifier, arguments: &[Expression], span: Span) -> Outcome<Value> {
        if let Some(wanted) = number_type(&name.text) {
            if !wanted.has_valid_width() {
                return Err(Fault::new(
                    name.span,
                    format!("there is no type `{}`", name.text),
                    TYPES,
                ));
            }
            let [argument] = arguments else {
                return Err(wrong_count(
                    &name.text,
                    arguments.len(),
                    &format!("{wanted}(x)"),
                    span,
                ));
            };
            let value = self.placed(argument)?;
            return Ok(self.cast(&value.0, wanted));
        }
        if let Some(Definition::Table(_)) = self.definitions.get(&name.text) {
            let [argument] = arguments else {
                let usage = format!("{}(x)", name.text);
                return Err(wrong_count(&name.text, arguments.len(), &usage, span));
            };
            let index = self.placed(argument)?;
            return self.look_up(&name.text, &index, span);
        }
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name.text);
        let Some((_, fewest, most, usage)) = known else {
            return Err(self.names.no_function(&name.text, name.span));
        };
        if arguments.len() < *fewest || arguments.len() > *most {
            return Err(wrong_count(&name.text, arguments.len(), usage, span));
        }
        self.function(&name.text, arguments, span)
    }

    fn function(&mut self, name: &str, arguments: &[Expression], span: Span) -> Outcome<Value> {
        if let ("select", [condition, yes, no]) = (name, arguments) {
            return self.select(condition, yes, no, span);
        }
        let values = self.all_placed(arguments)?;
        match name {
            "min" | "max" => self.extreme(&values, name == "max", span),
            "abs" => match values.as_slice() {
                [value] => self.abs(value, span),
                _ => Err(Fault::internal(span)),
            },
            "bits" | "concat" => {
                let word = self.concatenated(&values, name == "concat", span)?;
                Ok(Value::new(Type::Bits(word.width()), word))
            }
            _ => {
                let word = self.concatenated(&values, true, span)?;
                self.reduce(name, &word, span)
            }
        }
    }

    /// All bits of some values, those of the first lowest.
    fn concatenated(&mut self, values: &[Placed], sized: bool, span: Span) -> Outcome<Word> {
        let mut wires = Vec::new();
        for (value, place) in values {
            if sized && value.constant.is_some() {
                return Err(Fault::new(
                    *place,
                    "the number of bits of this constant is not known",
                    "give it a width, for instance `u8(5)`",
                ));
            }
            wires.extend(value.word.wires());
            if wires.len() > MAX_BITS {
                return Err(Fault::new(
                    span,
                    format!("these are more than {MAX_BITS} bits"),
                    "use fewer or narrower values",
                ));
            }
        }
        Ok(Word::new(wires))
    }

    /// `any`, `all`, `parity` and `popcount`.
    fn reduce(&mut self, name: &str, word: &Word, span: Span) -> Outcome<Value> {
        self.budget.spend(span, 16 * word.width())?;
        let wire = match name {
            "any" => self.builder.or_all(word.wires()),
            "all" => self.builder.and_all(word.wires()),
            "parity" => self.builder.xor_all(word.wires()),
            _ => {
                let count = self.builder.popcount(word);
                let range = Range {
                    least: BigInt::ZERO,
                    greatest: BigInt::from(word.width()),
                };
                return self.number(span, &range, &count, false);
            }
        };
        Ok(Value::new(Type::Bool, Word::new(vec![wire])))
    }

    fn abs(&mut self, value: &Placed, span: Span) -> Outcome<Value> {
        let range = range_of(value)?;
        if !value.0.is_signed() {
            return Ok(value.0.clone());
        }
        let greatest = (-range.least).max(range.greatest);
        if value.0.constant.is_some() {
            return self.constant(span, greatest);
        }
        let least = BigInt::ZERO;
        // Modulo 2^N, -(-2^(N-1)) is 2^(N-1).
        let width = value.0.word.width();
        let negative = self.linear(vec![Term::of(true, &value.0)], BigInt::ZERO, width, span)?;
        let sign = value
            .0
            .word
            .wires()
            .last()
            .copied()
            .ok_or_else(|| Fault::internal(span))?;
        let word = self.builder.select(sign, &negative, &value.0.word);
        let word = word.map_err(|_| Fault::internal(span))?;
        self.number(span, &Range { least, greatest }, &word, false)
    }

    /// `uN(x)` and `iN(x)`: the lowest N bits; above its own, a signed number has copies of its sign, and
    /// everything else zeros.
    fn cast(&mut self, value: &Value, wanted: Type) -> Value {
        Value::new(wanted, self.resized(value, wanted.width()))
    }
}

fn wrong_count(name: &str, found: usize, usage: &str, span: Span) -> Box<Fault> {
    let some = if found == 1 {
        "one argument".to_owned()
    } else {
        format!("{found} arguments")
    };
    Fault::new(
        span,
        format!("`{name}` is called with {some}"),
        format!("write `{usage}`"),
    )
}
